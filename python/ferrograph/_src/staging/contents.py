"""What an object shows of itself in a text, the values in it; and what can be set on it."""

from __future__ import annotations

import collections

from ..context import ownership
from ..heap.walk import fields, walked
from ..hints import Any
from ..native import _core
from ..symbolic import python_numbers, python_strings
from . import conditional, list_arguments

_SEQUENCES = (list, tuple, set, frozenset, collections.deque)


def refuse_chosen(value: Any, use: str) -> None:
    """Refuse a text of what holds numbers or texts that the graph chose, or lists that it grows."""
    for part in walked(value, _held):
        list_arguments.refuse_grown(part)
        if type(part) is _core.SymbolicTensor:
            python_numbers.refuse(part, use)
            python_strings.refuse(part)


def _held(value: Any) -> list:
    kind = type(value)
    if issubclass(kind, dict):
        return [*value, *value.values()]
    if issubclass(kind, _SEQUENCES):
        return list(value)
    if issubclass(kind, type) or ownership.is_own_module(kind.__module__):
        return []
    return fields(value)


def check_set(tensor: Any, name: str) -> None:
    """Let the setting of an attribute fail on a tensor that stands for a number or a text, as it
    does in plain Python; refused where the graph says whether it stands for one."""
    if python_strings.is_chosen(tensor):
        raise _not_set("str", name)
    if python_numbers.is_chosen(tensor):
        if python_numbers.standing(tensor) is not True:
            refuse_set(tensor)
        raise _not_set("number", name)


def refuse_set(tensor: Any) -> None:
    """Refuse to set an attribute on a tensor that may stand for a number or for what is NumPy's."""
    python_numbers.refuse(tensor, "the setting of an attribute")


def _not_set(kind: str, name: str) -> AttributeError:
    made = AttributeError(f"{kind!r} object has no attribute {name!r} that can be set")
    conditional.mark_raised(made)
    return made
