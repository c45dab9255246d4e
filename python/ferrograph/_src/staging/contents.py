"""What an object shows of itself in a text: the values in it."""

from __future__ import annotations

import collections

from ..context import ownership
from ..hints import Any
from ..native import _core
from . import chosen_numbers, chosen_texts, list_arguments
from .walking import fields, walked

_SEQUENCES = (list, tuple, set, frozenset, collections.deque)


def refuse_chosen(value: Any, use: str) -> None:
    """Refuse a text of what holds numbers or texts that the graph chose, or lists that it grows."""
    for part in walked(value, _held):
        list_arguments.refuse_grown(part)
        if type(part) is _core.SymbolicTensor:
            chosen_numbers.refuse(part, use)
            chosen_texts.refuse(part)


def _held(value: Any) -> list:
    kind = type(value)
    if issubclass(kind, dict):
        return [*value, *value.values()]
    if issubclass(kind, _SEQUENCES):
        return list(value)
    if issubclass(kind, type) or ownership.is_own_module(kind.__module__):
        return []
    return fields(value)
