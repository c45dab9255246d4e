"""What an object shows of itself in a text: the values in it."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from ..context import ownership
from ..native import _core
from . import chosen_numbers, chosen_texts, list_arguments

_MOST = 10_000  # values to look through
_LEAVES = frozenset({bool, int, float, complex, str, bytes, type(None), type})
_SEQUENCES = (list, tuple, set, frozenset, collections.deque)


def refuse_chosen(value: Any, use: str) -> None:
    """Refuse a text of what holds numbers or texts that the graph chose, or lists that it grows."""
    for part in _parts(value):
        list_arguments.refuse_grown(part)
        if type(part) is _core.SymbolicTensor:
            chosen_numbers.refuse(part, use)
            chosen_texts.refuse(part)


def _parts(value: Any) -> Iterator[Any]:
    """A value and what it holds."""
    pending, seen = [value], {id(value)}
    while pending and len(seen) < _MOST:
        part = pending.pop()
        yield part
        for inner in _held(part):
            if type(inner) not in _LEAVES and id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)


def _held(value: Any) -> list:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, _SEQUENCES):
        return list(value)
    kind = type(value)
    if isinstance(value, type) or ownership.is_own_module(kind.__module__):
        return []
    names = [name for base in kind.__mro__ for name in _slots(base)]
    fields = [getattr(value, name, None) for name in names]
    return [*fields, *getattr(value, "__dict__", {}).values()]


def _slots(base: type) -> tuple:
    found = base.__dict__.get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)
