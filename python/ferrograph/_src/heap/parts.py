"""Containers and arrays, and what they hold: items, values, fields, the memory that they show."""

from __future__ import annotations

import collections
from collections.abc import Callable

from ..heap import structure, walk
from ..heap.adapters import registry
from ..hints import Any
from ..native import _core

# By the classes of containers: the keys, and how to read and to set what is under one of them.
_Access = tuple[Callable[[Any], list], Callable[[Any, Any], Any], Callable[[Any, Any, Any], None]]
_DATA: _Access = (lambda held: ["data"], getattr, setattr)
_ACCESS: dict[type, _Access] = {
    list: (lambda held: [*range(list.__len__(held))], list.__getitem__, list.__setitem__),
    dict: (lambda held: [*dict.__iter__(held)], dict.__getitem__, dict.__setitem__),
    collections.deque: (
        lambda held: [*range(collections.deque.__len__(held))],
        collections.deque.__getitem__,
        collections.deque.__setitem__,
    ),
    collections.UserDict: _DATA,
    collections.UserList: _DATA,
    collections.ChainMap: (lambda held: ["maps"], getattr, setattr),
}
_FIELDS: _Access = (lambda held: [*structure.names_of(held)], getattr, object.__setattr__)


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
    if structure.is_dataclass(kind):
        return _FIELDS
    if structure.has_attributes(container):
        return None
    return next((_ACCESS[base] for base in kind.__mro__ if base in _ACCESS), None)


def is_container(value: Any) -> bool:
    """Whether staging copies an object, in which what it holds can be changed."""
    kind = type(value)
    if kind is list or kind is dict:
        return True
    if issubclass(kind, (tuple, _core.Tensor, str, bytes)) or hasattr(kind, "_component_list"):
        return False
    if not registry.adapters_of(kind) or structure.is_object(kind):
        return False
    leaves = structure.leaves_of(value)
    return len(leaves) != 1 or leaves[0] is not value


def is_array(value: Any) -> bool:
    """Whether a value is an array that can be changed in place, and that a tensor stands for."""
    kind = type(value)
    if issubclass(kind, (_core.Tensor, _core.VariableBase)) or not registry.adapters_of(kind):
        return False
    return hasattr(kind, "__array__") and hasattr(kind, "__setitem__") and hasattr(value, "dtype")


def containers_in(value: Any) -> list:
    """The containers and arrays in a value, itself among them, in a fixed order."""
    found: dict[int, Any] = {}
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += walk.elements(part)
        elif id(part) not in found and is_container(part):
            found[id(part)] = part
            pending += _parts(part)
        elif is_array(part):
            found[id(part)] = part
    return list(found.values())


def arrays_in(value: Any) -> list:
    """The arrays in a value, itself among them."""
    return [part for part in containers_in(value) if is_array(part)]


def _parts(container: Any) -> list:
    """What a container holds itself."""
    found: list[Any] = []
    for adapter in registry.adapters_of(type(container)):
        held = adapter.hold(container)
        if held is not None:
            found += adapter.parts(container, held)
    return found


def memory_of(array: Any) -> list:
    """An array and those whose memory it shows."""
    found = [array]
    while (base := _shown_by(found[-1])) is not None:
        found.append(base)
    return found


def _shown_by(value: Any) -> Any:
    """What an array or a view of memory shows; None of what has memory of its own."""
    if isinstance(value, memoryview):
        return next(iter(registry.viewed(value)), None)
    return getattr(value, "base", None) if is_array(value) else None
