"""Which operators the user's classes give a meaning: only those are converted.

``a + b`` of numbers and tensors needs no conversion, and has to be fast. It becomes a call of the
operators where the program has a class with ``__add__`` or ``__radd__`` of its own; an attribute
does where some class has a property of that name. What the program has is read off the text of its
files: that of the function to convert, and those of the classes, functions and modules that its
module, theirs, and the arguments of traced functions name. A word too many costs time alone.
"""

from __future__ import annotations

import linecache
import re
import threading
import types
from collections.abc import Iterable
from typing import Any

from ...context import ownership

_WORD = re.compile(r"\b__[a-z]+__\b")
_PROPERTY = re.compile(
    r"^[ \t]*@(?:\w+\.)*\w*property\b.*\n(?:[ \t]*@.*\n)*[ \t]*def[ \t]+(\w+)", re.MULTILINE
)
_CALLED = re.compile(r"(?<!@)\b(?:cached_)?property\(")  # which says no name
ANY = frozenset({"__getattr__", "__getattribute__", "__get__"})  # behind any attribute
_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OTHERS = {
    "__neg__", "__pos__", "__invert__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__getitem__", "__missing__", "__enter__", "__exit__", "__format__", "__getattr__",
    "__getattribute__", "__get__",
}  # fmt: skip
_OPERATORS = frozenset(_OTHERS.union(f"__{p}{name}__" for name in _BINARY for p in ("", "r", "i")))
_MOST = 4096


class _World:
    """What is known of the program's classes; it only grows."""

    def __init__(self) -> None:
        self.version = 0  # of ``words`` and ``names``
        self.words: set[str] = set()  # the special methods
        self.names: set[str] = set()  # the properties
        self.texts: dict[str, Any] = {}  # by file the lines that were read
        self.spaces: dict[int, tuple[dict, int]] = {}  # modules' names that were looked through

    def learn(self, words: Iterable[str], names: Iterable[str]) -> None:
        before = len(self.words) + len(self.names)
        self.words.update(words)
        self.names.update(names)
        self.version += len(self.words) + len(self.names) != before


class _Thread(threading.local):
    def __init__(self) -> None:
        self.asked: set[str] = set()  # by the conversion under way


_world, _thread = _World(), _Thread()


def taken() -> frozenset[str]:
    """What has been asked on this thread since it was last taken."""
    found, _thread.asked = frozenset(_thread.asked), set()
    return found


def version() -> int:
    """A number that grows with what is known."""
    return _world.version


def has(*words: str) -> bool:
    """Whether some class has one of these special methods."""
    _thread.asked.update(words)
    return not _world.words.isdisjoint(words)


def has_attribute(name: str) -> bool:
    """Whether code of some class may run where an attribute of this name is read."""
    _thread.asked.add(name)
    return name in _world.names or has(*ANY)


def answers(words: frozenset[str]) -> frozenset[str]:
    """Those of the words and names that are known."""
    return words & (_world.words | _world.names)


def look(function: types.FunctionType) -> None:
    """Take in the classes that a function may meet."""
    _read(function.__code__.co_filename, function.__globals__)
    _look_through(function.__globals__)


def meet(values: Iterable[Any]) -> None:
    """Take in the classes of values, and of those in containers."""
    for value in values:
        kind = type(value)
        if kind in (list, tuple):
            meet(value)
        elif kind is dict:
            meet(value.values())
        else:
            _meet(value)


def _look_through(namespace: dict) -> None:
    known = _world.spaces.get(id(namespace))
    if known is not None and known[1] == len(namespace):
        return
    if len(_world.spaces) >= _MOST:
        _world.spaces.clear()
    _world.spaces[id(namespace)] = namespace, len(namespace)
    for value in list(namespace.values()):
        _meet(value)


def _meet(value: Any) -> None:
    """Take in what a value is, where it is of the user's."""
    kind = type(value)
    if kind is types.FunctionType:
        if not ownership.is_library_file(value.__code__.co_filename):
            look(value)
    elif kind is types.ModuleType:
        if not ownership.is_library_file(getattr(value, "__file__", None) or "<frozen"):
            _read(value.__file__ or "", vars(value))
            _look_through(vars(value))
    else:
        _meet_class(value if isinstance(value, type) else kind)


def _meet_class(kind: type) -> None:
    for base in kind.__mro__[:-1]:
        for held in list(vars(base).values()):
            if type(held) is types.FunctionType:
                _meet(held)
                break


def _read(filename: str, namespace: dict) -> None:
    """Take in the special methods and properties that the text of a file names."""
    lines = linecache.getlines(filename, namespace)
    if _world.texts.get(filename) is lines or not lines:
        return
    if len(_world.texts) >= _MOST:
        _world.texts.clear()
    _world.texts[filename] = lines
    text = "".join(lines)
    words = _OPERATORS.intersection(_WORD.findall(text))
    if _CALLED.search(text):
        words |= {"__get__"}
    _world.learn(words, _PROPERTY.findall(text))
