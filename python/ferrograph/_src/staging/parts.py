"""What containers hold, by the keys under which they hold it: items, values, fields."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from . import values

# By the classes of containers: the keys, and how to read and to set what is under one of them.
_Access = tuple[Callable[[Any], list], Callable[[Any, Any], Any], Callable[[Any, Any, Any], None]]
_DATA: _Access = (lambda held: ["data"], getattr, setattr)
_ACCESS: dict[type, _Access] = {
    list: (lambda held: [*range(len(held))], list.__getitem__, list.__setitem__),
    dict: (lambda held: [*dict.__iter__(held)], dict.__getitem__, dict.__setitem__),
    collections.deque: (
        lambda held: [*range(len(held))],
        collections.deque.__getitem__,
        collections.deque.__setitem__,
    ),
    collections.UserDict: _DATA,
    collections.UserList: _DATA,
    collections.ChainMap: (lambda held: ["maps"], getattr, setattr),
}
_FIELDS: _Access = (lambda held: [*values.names_of(held)], getattr, object.__setattr__)


def keys_of(container: Any) -> list | None:
    """The keys of what a container holds; None of one that is not known to have such."""
    access = _access(container)
    return None if access is None else access[0](container)


def part_of(container: Any, key: Any) -> Any:
    """What a container holds under one of its keys."""
    access = _access(container)
    assert access is not None
    return access[1](container, key)


def put_part(container: Any, key: Any, part: Any) -> None:
    """Put something under a key that a container has."""
    access = _access(container)
    assert access is not None
    access[2](container, key, part)


def _access(container: Any) -> _Access | None:
    kind = type(container)
    if values.is_dataclass(kind):
        return _FIELDS
    if values.has_attributes(container):
        return None
    return next((_ACCESS[base] for base in kind.__mro__ if base in _ACCESS), None)
