"""Walks over a value and what it holds, at any depth."""

from __future__ import annotations

import collections
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..hints import Any

__all__ = ["attributes", "elements", "fields", "is_field", "keys", "proxied", "walked"]

_MOST = 10_000  # values to look through
_LEAVES = frozenset({bool, int, float, complex, str, bytes, type(None), type})


def walked(value: Any, held: Callable[[Any], Iterable]) -> Iterator[Any]:
    """A value, what ``held`` says that it holds, and so on, each object once; plain numbers and
    texts inside are passed over."""
    pending, seen = [value], {id(value)}
    while pending and len(seen) < _MOST:
        part = pending.pop()
        yield part
        for inner in held(part):
            if type(inner) not in _LEAVES and id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)


def elements(value: Any) -> Iterable:
    """The elements of a sequence whose class is Python's or derives from one, by none of its
    methods."""
    if type(value) in _SEQUENCES:
        return value
    return next(base for base in _SEQUENCES if isinstance(value, base)).__iter__(value)


def keys(value: dict) -> Iterable:
    """The keys of a mapping whose class is Python's or derives from one, by none of its methods."""
    base = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
    return base.__iter__(value)


_SEQUENCES: tuple[type, ...] = (list, tuple, collections.deque)


def fields(value: Any) -> list:
    """What an object has in its slots and attributes."""
    names = [name for base in type(value).__mro__ for name in _slots(base)]
    slots = [_slot(value, name) for name in names]
    return [*slots, *attributes(value).values()]


def attributes(value: Any) -> dict:
    """What an object keeps as attributes, without asking its class."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}


def _slot(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def _slots(base: type) -> tuple:
    found = base.__dict__.get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def proxied(proxy: Any) -> Any:
    """The object that a weak proxy stands for, None where it has ended; others themselves."""
    if type(proxy) not in weakref.ProxyTypes:
        return proxy
    try:
        return proxy.__repr__.__self__  # which the proxy asks of the object
    except ReferenceError:
        return None


def is_field(owner: Any, name: str) -> bool:
    """Whether an attribute of a record array, or a record, is one of its fields: an element."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(type(owner), (numpy.recarray, numpy.record)):
        return False
    return name in (owner.dtype.names or ())
