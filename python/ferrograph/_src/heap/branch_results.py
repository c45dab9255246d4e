"""Containers and arrays as a branch left them, after what it changed was put back.

A branch may change a container in place where the other one puts another container in its place:
``o.append(x)`` and ``o = [x]``. What they leave is merged by content, so that the first one gives a
copy with what it had put in. So does a branch that leaves a view of an array that it changed.
"""

from __future__ import annotations

import collections
import copy
import functools
from collections.abc import Callable

from ..hints import Any
from ..values import errors
from .adapters.base import Whole
from .location import Container, Variants
from .parts import is_array
from .reach import reached
from .source_location import diagnostic
from .trace_context import is_proxy

_PLAIN = (list, tuple, dict, collections.deque)


def as_left(changes: list, where: str, copied: dict[int, tuple[Any, Any]]) -> Callable[[Any], Any]:
    """What gives a value as a branch with these changes left it.

    ``copied`` is told of each container of which it makes a copy: by its id the copy and that.
    """
    left = {id(c.place.owner): c.new for c in changes if isinstance(c.place, Container)}
    others = [c.place.owner for c in changes if not isinstance(c.place, Container)]
    wholes = [c for c in changes if isinstance(c.place, Whole) and type(c.new) is not Variants]

    build = functools.partial(_built, left, wholes, copied, where)

    def give(value: Any) -> Any:
        if is_proxy(value):
            return value
        if is_array(value):
            return build(value)
        if not isinstance(value, _PLAIN) and not hasattr(value, "__dict__"):
            return value
        made = build(value)
        found = reached([value], others)
        if made is value and type(value) not in _PLAIN:
            found |= reached([value], [c.place.owner for c in changes])
        if found:
            raise _mixed(value, where)
        return made

    return give


def _built(left: dict, wholes: list, copied: dict, where: str, value: Any) -> Any:
    """A value as a branch left it, with what it holds."""
    if wholes and is_array(value):
        shown = _shown(value, wholes)
        copied[id(shown)] = shown, value
        return shown
    build = functools.partial(_built, left, wholes, copied, where)
    held = left.get(id(value))
    if type(held) is Variants:
        raise _mixed(value, where)
    if held is not None:
        made = copy.copy(value)
        Container("a copy", made).put(_each(held, build))
        copied[id(made)] = made, value
        return made
    return _each(value, build) if type(value) in _PLAIN else value


def _shown(array: Any, changes: list) -> Any:
    """What an array shows while objects hold what a branch left in them: a copy where that differs
    from what it shows now."""
    now = array.tobytes()
    for change in changes:
        change.place.put(change.new)
    try:
        return array.copy() if array.tobytes() != now else array
    finally:
        for change in changes:
            change.place.put(change.old)


def _each(value: Any, build: Callable[[Any], Any]) -> Any:
    """A plain container of what ``build`` gives, itself where that changes nothing."""
    items = list(value.values()) if isinstance(value, dict) else list(value)
    made = [build(item) for item in items]
    if all(a is b for a, b in zip(items, made, strict=True)):
        return value
    if isinstance(value, dict):
        return dict(zip(value, made, strict=True))
    return type(value)(made) if type(value) in _PLAIN else list(made)


def _mixed(value: Any, where: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            where,
            f"one branch of this `if` on a tensor changes a {type(value).__name__} in place, where "
            "the other one puts another object in its place",
            "Change it in place in both branches, or make a new one in both.",
        )
    )
