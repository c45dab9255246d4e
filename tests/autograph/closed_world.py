"""Programs whose effects no statement shows, made of a setup, a change and a reading.

Each runs eagerly and traced: a result that differs without an error is what the tests look for.
"""

import contextlib
import io
import linecache
import textwrap
import traceback
from typing import NamedTuple

import ferrograph as fg

PRELUDE = """
import array, bisect, collections, contextlib, copy, functools, heapq, io, itertools, operator
import queue, random, types
import ferrograph as fg
import numpy as np


class Box:
    total = 0.0

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def bump(self):
        self.n += 1.0


class Slots:
    __slots__ = ("n", "items")

    def __init__(self):
        self.n, self.items = 0.0, []


MADE = []


def note_class(*names, **kwargs):
    MADE.append(names)


class Hooked:
    made = 0.0

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        MADE.append(cls)
        Hooked.made += 1.0

    def __class_getitem__(cls, key):
        MADE.append(key)
        return cls

    def __new__(cls):
        MADE.append(cls)
        return super().__new__(cls)


class HookedByCall:
    __init_subclass__ = functools.partial(note_class, 1)


class Meta(type):
    def __new__(meta, name, bases, fields, **kwargs):
        MADE.append(name)
        return super().__new__(meta, name, bases, fields)

    @classmethod
    def __prepare__(meta, name, bases, **kwargs):
        MADE.append(name)
        return {}

    @property
    def read(cls):
        MADE.append(cls)

    def __call__(cls):
        MADE.append(cls)

    def __instancecheck__(cls, value):
        MADE.append(value)
        return True


class ByMeta(metaclass=Meta):
    pass


class Named:
    def __set_name__(self, owner, name):
        MADE.append(name)


class Dunder:
    \"\"\"Whose every special method counts in a box that it shares.\"\"\"

    def __init__(self, box):
        self.box = box

    def note(self):
        self.box["n"] += 1.0

    def __add__(self, other):
        self.note()
        return self

    def __radd__(self, other):
        self.note()
        return other

    def __iadd__(self, other):
        self.note()
        return self

    def __neg__(self):
        self.note()
        return self

    def __getitem__(self, key):
        self.note()
        return 1.0

    def __setitem__(self, key, value):
        self.note()

    def __delitem__(self, key):
        self.note()

    def __contains__(self, key):
        self.note()
        return True

    def __len__(self):
        self.note()
        return 2

    def __call__(self, value):
        self.note()
        return value

    def __enter__(self):
        self.note()
        return self

    def __exit__(self, *exception):
        self.note()

    def __format__(self, spec):
        self.note()
        return "text"

    def __str__(self):
        self.note()
        return "text"

    def __repr__(self):
        self.note()
        return "text"

    def __eq__(self, other):
        self.note()
        return True

    def __lt__(self, other):
        self.note()
        return True

    def __hash__(self):
        self.note()
        return 1

    def __bool__(self):
        self.note()
        return True

    def __int__(self):
        self.note()
        return 1

    def __float__(self):
        self.note()
        return 1.0

    def __index__(self):
        self.note()
        return 1

    def __abs__(self):
        self.note()
        return self

    def __round__(self, digits=0):
        self.note()
        return 1

    def __iter__(self):
        self.note()
        return iter([1.0])

    def __reversed__(self):
        self.note()
        return iter([1.0])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.note()
        return 1.0

    @property
    def size(self):
        self.note()
        return 1.0

    @size.setter
    def size(self, value):
        self.note()


class Counted:
    \"\"\"Whose attributes count how often they are set.\"\"\"

    def __init__(self):
        object.__setattr__(self, "sets", 0.0)

    def __setattr__(self, name, value):
        object.__setattr__(self, "sets", self.sets + 1.0)
        object.__setattr__(self, name, value)


class Proxy:
    def __init__(self, target):
        self.target = target

    def grow(self):
        self.target.append(1.0)


class Node:
    def __init__(self, value, after=None):
        self.value, self.after = value, after


def bump_item(d, key):
    d[key] += 1.0


def numbers():
    n = 0.0
    while True:
        got = yield n
        n += 1.0 if got is None else got


def counter():
    n = 0.0

    def bump():
        nonlocal n
        n += 1.0
        return n

    def get():
        return n

    return bump, get
"""


class Program(NamedTuple):
    """One program: ``setup`` makes objects, ``change`` alters them, ``read`` gives a number."""

    name: str
    setup: str
    change: str
    read: str
    context: str

    @property
    def source(self) -> str:
        outside, inside, body = _CONTEXTS[self.context]
        lines = PRELUDE.splitlines()
        lines += ["", "def build():"]
        lines += _indented(outside.replace("SETUP", self.setup), 4)
        lines += ["    def program(x):"]
        lines += _indented(inside.replace("SETUP", self.setup), 8)
        lines += _indented(_filled(body, self.change), 8)
        lines += _indented(f"return x + ({self.read})", 8)
        lines += ["    return program", ""]
        return "\n".join(lines)


def _filled(body: str, change: str) -> str:
    out = []
    for line in body.splitlines():
        head = line[: len(line) - len(line.lstrip())]
        if line.strip() == "CHANGE":
            out += [head + part for part in textwrap.dedent(change).splitlines()]
        else:
            out.append(line)
    return "\n".join(out)


def _indented(text: str, width: int) -> list[str]:
    return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * width).splitlines()


_BRANCH = "if x > 0.0:\n    CHANGE"
_ELSE = "if x > 0.0:\n    x = x + 1.0\nelse:\n    CHANGE\n    x = x - 1.0"
_FOR = "for i in fg.range(3):\n    x = x + 1.0\n    CHANGE"
_WHILE = "while x < 3.0:\n    x = x + 1.0\n    CHANGE"
_CALLED = "def change(x):\n    CHANGE\n    return x\nx = change(x) if x > 0.0 else x"
_NESTED = "for i in fg.range(2):\n    if x > 0.0:\n        CHANGE\n    x = x + 1.0"

# What stands outside of the traced function, in it, and around the change.
_CONTEXTS = {
    "branch": ("pass", "SETUP", _BRANCH),
    "else": ("pass", "SETUP", _ELSE),
    "for": ("pass", "SETUP", _FOR),
    "while": ("pass", "SETUP", _WHILE),
    "called": ("pass", "SETUP", _CALLED),
    "nested": ("pass", "SETUP", _NESTED),
    "outer branch": ("SETUP", "pass", _BRANCH),
    "outer for": ("SETUP", "pass", _FOR),
}
CONTEXTS = tuple(_CONTEXTS)


def programs(table: str, *contexts: str) -> list[Program]:
    """The programs of a table of lines ``setup | change | read``, in some contexts or in all."""
    found = []
    for row in table.strip().splitlines():
        if not row.strip() or row.startswith("#"):
            continue
        setup, change, read = (p.strip().replace("\\n", "\n") for p in row.split(" | "))
        for context in contexts or CONTEXTS:
            found.append(Program(f"{change} [{context}]", setup, change, read, context))
    return found


_count = 0
INPUTS = (1.0, -1.0)


def _build(program: Program):
    global _count
    _count += 1
    filename = f"<closed-world-{_count}>"
    source = program.source
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace = {"__name__": f"closed_world_{_count}", "__file__": filename}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["build"](), filename


def _run(program: Program, value: float, traced: bool):
    """The result, prints and error of one run from scratch."""
    function, filename = _build(program)
    if traced:
        function = fg.function(function)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = float(function(fg.constant(value)))
    except Exception as e:
        return None, printed.getvalue(), e, filename
    return result, printed.getvalue(), None, filename


def _is_refusal(error: Exception, filename: str) -> bool:
    """Whether an error says at a line of the program that the graph cannot do what it does."""
    if filename in str(error) and len(str(error).splitlines()) > 1:
        return True
    lines = [f.filename for f in traceback.extract_tb(error.__traceback__)]
    allowed = isinstance(error, fg.errors.OperatorNotAllowedInGraphError)
    return lines[-1] == filename and (allowed or "cannot convert" in str(error))


def outcome(program: Program) -> str:
    """``equal``, ``refused``, or what is wrong with the traced form."""
    verdicts = [_compared(program, value) for value in INPUTS]
    wrong = [v for v in verdicts if v not in ("equal", "refused")]
    if wrong:
        return wrong[0]
    return "refused" if "refused" in verdicts else "equal"


def _compared(program: Program, value: float) -> str:
    result, text, failure, _ = _run(program, value, False)
    traced, traced_text, error, filename = _run(program, value, True)
    if isinstance(failure or error, UnboundLocalError):
        return "equal" if error is not None else "silent: an unset name is read"
    if error is not None:
        if _is_refusal(error, filename):
            return "refused"
        alike = failure is not None and type(failure).__name__ in f"{type(error)} {error}"
        return "equal" if alike else f"crash: {type(error).__name__}: {error}"
    if failure is not None:
        return f"silent: {traced} for {failure!r} at {value}"
    if traced != result:
        return f"silent: {traced} for {result} at {value}"
    return "equal" if traced_text == text else f"prints: {traced_text!r} for {text!r}"
