"""Attributes behind properties, descriptors and ``__getattr__`` of user-defined classes."""

from __future__ import annotations

import functools
import types

from ...context.hooks import hooks
from ...heap import invalidated
from ...heap.adapters import NATIVE_VALUES, is_function
from ...heap.trace_context import chosen, is_proxy, really, thread, traces
from ...hints import Any
from ...staging import retrace, write_barriers
from ...symbolic import python_scalars
from .special_methods import callee, found, method

__all__ = ["attribute_of", "getattr_", "hasattr_"]

_MISSING = object()
_NAMESPACES = (type, types.ModuleType)


def attribute_of(value: Any, name: str) -> Any:
    """``value.name``."""
    kind = type(value)
    if name == "__class__" and traces.n:
        invalidated.refuse_look(value)
        if chosen and python_scalars.is_symbolic_number(value):
            return python_scalars.kind_of(value, "`__class__`")
        python_scalars.refuse_number(value, "`__class__`")
        python_scalars.refuse_string(value)
        if is_proxy(value):
            return type(really(value))
    if name == "__dict__" and traces.n:
        write_barriers.asked(value)
    if kind in NATIVE_VALUES or issubclass(kind, _NAMESPACES):
        return getattr(value, name)
    everything = method(value, "__getattribute__")
    try:
        return _looked_up(value, name) if everything is None else everything(name)
    except AttributeError as e:
        rest = method(value, "__getattr__")
        if rest is None or _is_of_another(e, value):
            raise
    return rest(name)


def _is_of_another(exception: AttributeError, value: Any) -> bool:
    """Whether a getter of ``value`` fails in a branch that may never run, or since plain Python has
    no symbolic tensor there."""
    if retrace.left_region(exception):
        return True
    return getattr(exception, "obj", None) is not value and not retrace.may_handle(
        AttributeError, exception
    )


def _looked_up(value: Any, name: str) -> Any:
    """What Python's own look-up finds, through converted getters."""
    kind = type(value)
    held = found(kind, name)
    if held is not None:
        if isinstance(held, property) and type(held).__get__ is property.__get__:
            if is_function(held.fget):
                return callee(held.fget)(value)
            if held.fget is not None and traces.n:
                return hooks.callee(held.fget)(value)
        elif type(held) is functools.cached_property:
            return _cached(value, name, held)
        elif type(getter := found(type(held), "__get__")) is types.FunctionType:
            own = _own(value, name)
            if own is _MISSING or _is_data(type(held)):
                return callee(getter)(held, value, kind)
            return own
    if type(found(kind, "__getattr__")) is types.FunctionType:
        return object.__getattribute__(value, name)
    return getattr(value, name)


def _is_data(kind: type) -> bool:
    """Whether descriptors of a class come before what an object itself keeps."""
    return hasattr(kind, "__set__") or hasattr(kind, "__delete__")


def _own(value: Any, name: str) -> Any:
    """What an object itself keeps under a name."""
    try:
        return object.__getattribute__(value, "__dict__").get(name, _MISSING)
    except AttributeError:
        return _MISSING


def _cached(value: Any, name: str, held: functools.cached_property) -> Any:
    own = _own(value, name)
    if own is not _MISSING or not is_function(held.func) or held.attrname is None:
        return getattr(value, name)
    made = callee(held.func)(value)
    write_barriers.owner(value, held.attrname, held.attrname)
    object.__getattribute__(value, "__dict__")[held.attrname] = made
    return made


def getattr_(value: Any, name: str, *default: Any) -> Any:
    """``getattr``."""
    try:
        return attribute_of(value, name)
    except AttributeError as e:
        if not default or _is_of_another(e, value):
            raise
    python_scalars.refuse_number(value, "`getattr`")
    python_scalars.refuse_string(value)
    return default[0]


def hasattr_(value: Any, name: str) -> bool:
    """``hasattr``."""
    python_scalars.refuse_number(value, "`hasattr`")
    held = getattr_(value, name, _MISSING)
    if type(held) is invalidated.Invalidated:  # which the object may not have on another path
        invalidated.refuse_identity(thread.trace.effects.stale, held)
    return held is not _MISSING
