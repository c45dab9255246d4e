"""Reads of objects that run no user code: walks over them, attributes, items."""

from __future__ import annotations

import collections
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..context.ownership import is_own_module
from ..hints import Any
from .adapters.builtin_classes import LEAVES, ORDERED, is_function
from .trace_context import is_proxy

_MOST = 10_000  # values to look through


def walked(value: Any, held: Callable[[Any], Iterable]) -> Iterator[Any]:
    """A value, what ``held`` says that it holds, and so on, each object once; plain numbers and
    strings inside are skipped."""
    pending, seen = [value], {id(value)}
    while pending and len(seen) < _MOST:
        part = pending.pop()
        yield part
        for inner in held(part):
            if type(inner) not in LEAVES and id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)


def elements(value: Any) -> Iterable:
    """The elements of a sequence whose class is Python's or derives from one, by none of its
    methods."""
    if type(value) in ORDERED:
        return value
    return next(base for base in ORDERED if isinstance(value, base)).__iter__(value)


def keys(value: dict) -> Iterable:
    """The keys of a mapping whose class is Python's or derives from one, by none of its methods."""
    base = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
    return base.__iter__(value)


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
    """The object of a weak proxy, None where it has been freed; others themselves."""
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


_MISSING = object()
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def attribute_of(owner: Any, name: str) -> Any:
    """``owner.name``."""
    owner = proxied(owner)
    kind = type(owner)
    if is_proxy(owner) or is_own_module(kind.__module__):
        return getattr(owner, name)
    if is_function(kind.__getattribute__):
        raise LookupError(name)
    held = _of_class(kind, name)
    if issubclass(kind, type):
        return _of_bases(owner, name, held)
    own = attributes(owner).get(name, _MISSING)
    if held is _MISSING or not hasattr(type(held), "__get__"):
        return _found(name, held if own is _MISSING else own)
    if type(held) in _SLOTS:
        return held.__get__(owner, kind)
    is_data = hasattr(type(held), "__set__") or hasattr(type(held), "__delete__")
    return _found(name, _MISSING if is_data else own)


def _of_bases(cls: type, name: str, held: Any) -> Any:
    """An attribute of a class, of whose own class ``held`` is one of that name."""
    found = _of_class(cls, name)
    if isinstance(found, staticmethod):
        found = found.__func__
    if is_function(found):
        return found
    runs = hasattr(type(held), "__set__") or hasattr(type(found), "__get__")
    return _found(name, _MISSING if runs else found)


def _of_class(cls: type, name: str) -> Any:
    held = (vars(base) for base in cls.__mro__)
    return next((names[name] for names in held if name in names), _MISSING)


def _found(name: str, value: Any) -> Any:
    if value is _MISSING:
        raise LookupError(name)
    return value


def item_of(owner: Any, key: Any) -> Any:
    """``owner[key]``."""
    owner = proxied(owner)
    kind = type(owner)
    if is_proxy(owner) or is_own_module(kind.__module__):
        return owner[key]
    getter = getattr(kind, "__getitem__", None)
    if getter is collections.UserDict.__getitem__ or getter is collections.UserList.__getitem__:
        return item_of(owner.data, key)
    if getter is collections.ChainMap.__getitem__:
        return _found(
            key, next((m[key] for m in owner.maps if type(m) is dict and key in m), _MISSING)
        )
    if getter is None or is_function(getter):
        raise LookupError(key)
    return _found(key, dict.get(owner, key, _MISSING)) if issubclass(kind, dict) else owner[key]
