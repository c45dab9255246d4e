"""Attributes and items, read where that runs no code: of the program's, or of what makes what it
gives. Other reads raise LookupError.
"""

from __future__ import annotations

import collections
import types

from ..context.ownership import is_own_module
from ..hints import Any
from .trace_context import is_proxy
from .walk import attributes, proxied

_MISSING = object()
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def attribute_of(owner: Any, name: str) -> Any:
    """``owner.name``."""
    owner = proxied(owner)
    kind = type(owner)
    if is_proxy(owner) or is_own_module(kind.__module__):
        return getattr(owner, name)
    if type(kind.__getattribute__) is types.FunctionType:
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
    if type(found) is types.FunctionType:
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
    if getter is None or type(getter) is types.FunctionType:
        raise LookupError(key)
    return _found(key, dict.get(owner, key, _MISSING)) if issubclass(kind, dict) else owner[key]
