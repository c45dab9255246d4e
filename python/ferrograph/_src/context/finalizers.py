"""Whether a program can observe that an object is freed."""

from __future__ import annotations

import gc
import types
import weakref

from ..hints import Any
from .ownership import is_own_module

__all__ = ["is_seen"]

_NEVER = frozenset(
    {type(None), bool, int, float, complex, str, bytes, types.ModuleType, types.FunctionType}
)
_MOST = 1000  # attributes that are looked at


def is_seen(value: Any) -> bool:
    """Whether a program may see that an object is kept for longer than it keeps it: by a
    ``__del__`` of it or of what it holds, or by whom a weak reference calls."""
    kind = type(value)
    if kind is memoryview or hasattr(kind, "__del__"):
        return True
    if kind in _NEVER or issubclass(kind, type):
        return False
    if any(_calls_the_program(reference) for reference in weakref.getweakrefs(value)):
        return True
    return bool(kind.__dictoffset__) and any(map(_is_told, gc.get_referents(value)))


def _is_told(part: Any) -> bool:
    """Whether an attribute has a ``__del__``, or one of those in a dict of attributes."""
    if type(part) is dict and len(part) <= _MOST:
        return any(hasattr(type(value), "__del__") for value in part.values())
    return hasattr(type(part), "__del__")


def _calls_the_program(reference: weakref.ref[Any]) -> bool:
    called = reference.__callback__
    return called is not None and not is_own_module(getattr(called, "__module__", None))
