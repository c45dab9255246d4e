"""Which operators user-defined classes overload: only those are converted.

``a + b`` of numbers and tensors needs no conversion, and has to be fast. It becomes a call of the
runtime where the program has a class with its own ``__add__`` or ``__radd__``; an attribute does
where some class has a property of that name. The special methods of the program are found in the
source of its files: that of the function to convert, and those of the classes, functions and
modules that its module, theirs, and the arguments of traced functions name. A name found without
need only costs time.
"""

from __future__ import annotations

import builtins
import functools
import threading
import types
from collections.abc import Iterable

from ...context import ownership, sources
from ...hints import Any

_PROPERTY = r"^[ \t]*@(?:\w+\.)*\w*property\b.*\n(?:[ \t]*@.*\n)*[ \t]*def[ \t]+(\w+)"
_CALLED = r"(?<!@)\b(?:cached_)?property\("  # which says no name
ANY = frozenset({"__getattr__", "__getattribute__", "__get__"})  # behind any attribute
_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OTHERS = {
    "__neg__", "__pos__", "__invert__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__getitem__", "__missing__", "__enter__", "__exit__", "__format__", "__getattr__",
    "__getattribute__", "__get__", "__str__", "__repr__", "__index__",
}  # fmt: skip
_OPERATORS = frozenset(_OTHERS.union(f"__{p}{name}__" for name in _BINARY for p in ("", "r", "i")))
# Builtins that consume a generator at once.
CONSUMERS = frozenset(
    {"all", "any", "bytes", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum"}
    | {"tuple"}
)
# Those that look at the frame of who calls them.
OF_THE_FRAME = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec"})
_BY_NAME = CONSUMERS | OF_THE_FRAME
_OWN = "own "  # how words begin that say which of these names the program gave another meaning
_OURS = "ours "  # the same of the names by which it calls this package
_MOST = 4096


class _Space:
    """The names of a module: what the text of its functions names, and the modules behind them."""

    __slots__ = ("behind", "names", "namespace", "size", "texts")

    def __init__(self, namespace: dict):
        self.namespace, self.size = namespace, -1
        self.names: set[str] = set()  # special methods, properties, and "contextlib"
        self.behind: list[dict] = []  # the namespaces of what it names
        self.texts: dict[str, list[str]] = {}  # by file the lines that were read


class _World:
    """What is known of the program."""

    def __init__(self) -> None:
        self.version = 0  # which grows with it
        self.spaces: dict[int, _Space] = {}
        self.reached: dict[int, tuple[int, frozenset[str]]] = {}


class _Thread(threading.local):
    def __init__(self) -> None:
        self.asked: set[str] = set()  # by the active conversion
        self.known: frozenset[str] = frozenset()  # to it
        self.arguments: dict[int, dict] = {}  # the namespaces of the classes of arguments


_world, _thread = _World(), _Thread()


def version() -> int:
    """A number that grows with what is known."""
    return _world.version


def begin(known: frozenset[str]) -> None:
    """A conversion begins, to which these special methods and properties are known."""
    _thread.asked, _thread.known = set(), known


def asked() -> frozenset[str]:
    """What the conversion has asked."""
    return frozenset(_thread.asked)


def has(*words: str) -> bool:
    """Whether some class has one of these special methods."""
    _thread.asked.update(words)
    return not _thread.known.isdisjoint(words)


def is_builtin(name: str) -> bool:
    """Whether one of the builtins ``CONSUMERS`` and ``OF_THE_FRAME`` is what its name means."""
    return not has(_OWN + name)


def is_ours(name: str) -> bool:
    """Whether a name refers to this package."""
    return has(_OURS + name)


def has_attribute(name: str) -> bool:
    """Whether code of some class may run where an attribute of this name is read."""
    _thread.asked.add(name)
    return name in _thread.known or has(*ANY)


def known_to(function: types.FunctionType) -> frozenset[str]:
    """The special methods and properties of the classes that a function may meet, and the names of
    builtins that user code rebinds there."""
    space = _looked_through(function.__globals__)
    _read(space, function.__code__.co_filename)
    found = _reached(function.__globals__)
    for namespace in _thread.arguments.values():
        found |= _reached(namespace)
    names = function.__globals__
    own = {n for n in _BY_NAME if n in names and names[n] is not getattr(builtins, n)}
    own |= _bound(function.__code__)
    return found.union((_OWN + name for name in own), _ours(function))


def _ours(function: types.FunctionType) -> Iterable[str]:
    """The names by which a function calls this package."""
    code, cells = function.__code__, function.__closure__ or ()
    held = {name: function.__globals__.get(name) for name in code.co_names}
    for name, cell in zip(code.co_freevars, cells, strict=True):
        held[name] = cell.cell_contents if cell != _EMPTY else None
    modules = ((n, v) for n, v in held.items() if isinstance(v, types.ModuleType))
    return (
        _OURS + n for n, v in modules if ownership.is_own_module(ownership.said_by(v, "__name__"))
    )


_EMPTY = types.CellType()


@functools.lru_cache(maxsize=_MOST)
def _bound(code: types.CodeType) -> frozenset[str]:
    """The builtins of ``_BY_NAME`` whose names code binds, or that in it."""
    names = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    inner = [_bound(c) for c in code.co_consts if type(c) is types.CodeType]
    return _BY_NAME.intersection(names).union(*inner)


def meet(values: Iterable[Any], anew: bool) -> frozenset[int]:
    """Take in the classes of arguments, ``anew`` where a trace begins; which modules' they are."""
    if anew:
        _thread.arguments = {}
    _meet_all(values)
    return frozenset(_thread.arguments)


def _meet_all(values: Iterable[Any]) -> None:
    for value in values:
        kind = type(value)
        if kind in (list, tuple):
            _meet_all(value)
        elif kind is dict:
            _meet_all(value.values())
        else:
            for namespace in _spaces_of(value):
                _thread.arguments[id(namespace)] = namespace


def _reached(namespace: dict) -> frozenset[str]:
    """What a module and those behind it know."""
    held = _world.reached.get(id(namespace))
    if held is not None and held[0] == _world.version:
        return held[1]
    found: set[str] = set()
    pending, seen = [namespace], set()
    while pending:
        space = _looked_through(pending.pop())
        if id(space) not in seen:
            seen.add(id(space))
            found |= space.names
            pending.extend(space.behind)
    if len(_world.reached) >= _MOST:
        _world.reached.clear()
    _world.reached[id(namespace)] = _world.version, frozenset(found)
    return _world.reached[id(namespace)][1]


def _looked_through(namespace: dict) -> _Space:
    """A module, whose names are taken in where there are other ones."""
    space = _world.spaces.get(id(namespace))
    if space is None or space.namespace is not namespace:
        if len(_world.spaces) >= _MOST:
            _world.spaces.clear()
        space = _world.spaces[id(namespace)] = _Space(namespace)
    if space.size != len(namespace):
        space.size = len(namespace)
        behind = {id(n): n for v in list(namespace.values()) for n in _spaces_of(v, space)}
        space.behind = [n for n in behind.values() if n is not namespace]
        _world.version += 1
    return space


def _spaces_of(value: Any, space: _Space | None = None) -> list[dict]:
    """The namespaces of the modules in which a value, or its class, is defined by user code."""
    kind = type(value)
    if kind is types.FunctionType:
        return _space_of_function(value, space)
    if kind is types.ModuleType:
        file = ownership.said_by(value, "__file__")
        if file is None or ownership.is_library_file(file):
            return []
        _read(_space(vars(value)), file)
        return [vars(value)]
    found = []
    for base in (value if isinstance(value, type) else kind).__mro__[:-1]:
        if ownership.is_library_class(base):
            continue
        for held in list(vars(base).values()):
            if type(held) is types.FunctionType:
                found += _space_of_function(held, space)
                break
    return found


def _space_of_function(function: types.FunctionType, space: _Space | None) -> list[dict]:
    file = function.__code__.co_filename
    if ownership.is_library_file(file):
        return []
    own = function.__globals__
    _read(_space(own) if space is None or space.namespace is not own else space, file)
    return [own]


def _space(namespace: dict) -> _Space:
    space = _world.spaces.get(id(namespace))
    if space is None or space.namespace is not namespace:
        space = _world.spaces[id(namespace)] = _Space(namespace)
    return space


def _read(space: _Space, filename: str) -> None:
    """Take in the special methods and properties that the text of a file names."""
    lines = sources.lines(filename, space.namespace)
    if space.texts.get(filename) is lines or not lines:
        return
    if len(space.texts) >= _MOST:
        space.texts.clear()
    space.texts[filename] = lines
    text = "".join(lines)
    found = {f"__{word}__" for word in text.split("__")} & _OPERATORS
    if "contextlib" in text:
        found.add("contextlib")
    if "property" in text:
        import re

        found.update(re.findall(_PROPERTY, text, re.MULTILINE))
        if re.search(_CALLED, text):
            found.add("__get__")
    if not found <= space.names:
        space.names |= found
        _world.version += 1
