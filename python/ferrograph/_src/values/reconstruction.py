"""Containers of classes that derive from builtin ones, read and rebuilt without running code of
their classes, such as constructors and iterators.
"""

from __future__ import annotations

import collections
import copyreg
from collections.abc import Callable, Iterable

from ..hints import Any

_SEQUENCES = (list, tuple, collections.deque)
_WRAPPERS = (collections.UserDict, collections.UserList)


def is_own(kind: type[Any]) -> bool:
    """Whether a class derives from a builtin container, and is not builtin itself."""
    return issubclass(kind, (*_SEQUENCES, dict, *_WRAPPERS)) and not _is_pythons(kind)


def _is_pythons(kind: type[Any]) -> bool:
    """Whether a class is builtin, or made by ``namedtuple``."""
    return kind.__module__ in ("builtins", "collections") or "_fields" in vars(kind)


def held(value: Any, order: Callable[[Any], list[Any]]) -> list[Any]:
    """What such a container holds: the values of a mapping in an ``order`` of its keys."""
    if isinstance(value, _WRAPPERS):
        value = value.data
    if isinstance(value, dict):
        return [dict.__getitem__(value, key) for key in order(dict.fromkeys(dict.__iter__(value)))]
    base = next(base for base in _SEQUENCES if isinstance(value, base))
    return list(base.__iter__(value))


def like(value: Any, items: list[Any], order: Callable[[Any], list[Any]]) -> Any:
    """A container like another one with other items, those of a mapping in an ``order`` of its
    keys; without its attributes."""
    kind = type(value)
    if isinstance(value, _WRAPPERS):
        made = object.__new__(kind)
        made.__dict__.update(value.__dict__)
        made.data = like(value.data, items, order)
        return made
    if isinstance(value, dict):
        keys = list(dict.__iter__(value))
        of_keys = dict(zip(order(dict.fromkeys(keys)), items, strict=True))
        made = of_class(kind, [of_keys[key] for key in keys], keys)
        if isinstance(value, collections.defaultdict):
            made.default_factory = value.default_factory
    else:
        made = of_class(kind, items)
        if isinstance(value, collections.deque):
            collections.deque.__init__(made, items, value.maxlen)
    for name in copyreg._slotnames(kind):  # type: ignore[attr-defined]
        if name != "__dict__" and hasattr(value, name):
            object.__setattr__(made, name, object.__getattribute__(value, name))
    return made


def of_class(kind: type[Any], items: list[Any], keys: Iterable[Any] | None = None) -> Any:
    """A container of a class, with items under ``keys`` if it is a mapping."""
    if issubclass(kind, tuple):
        return tuple.__new__(kind, items)
    if issubclass(kind, list):
        made: Any = list.__new__(kind)
        list.extend(made, items)
        return made
    if issubclass(kind, collections.deque):
        return collections.deque.__new__(kind)
    bases = (collections.OrderedDict, collections.defaultdict, dict)
    base: Any = next(base for base in bases if issubclass(kind, base))
    made = base.__new__(kind)
    for key, item in zip(keys or (), items, strict=True):
        base.__setitem__(made, key, item)
    return made
