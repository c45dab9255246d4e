"""Inline caches of calls and stores in loops; see ``convert/inline_caches.py``.

Each returns what ``fn`` and ``owner`` return, and stores it at the function's site where it stays
valid: while ``loud`` is empty, for the same object.
"""

from __future__ import annotations

import types
from collections.abc import Callable

from ...context import finalizers, thread
from ...heap import own_attributes
from ...heap.adapters import is_function
from ...heap.trace_context import loud, traces
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...staging.write_barriers import owner
from ..convert import compile
from ..straight_line import is_leaf
from .callees import PLAIN_FORM, fn, fn_later, is_convertible, of_another

__all__ = ["called", "called_later", "called_of", "stored"]

# Callees that never change what is called in place of them.
_LASTING = {types.MethodType, types.BuiltinFunctionType, types.FunctionType, type}


def called(sites: list, place: int, callee: Any, let_go: None = None) -> Any:
    """``fn(callee)``; an argument may ``let_go`` of it."""
    return _kept(sites, place, callee, fn(callee))


def called_later(sites: list, place: int, callee: Any, let_go: None = None) -> Any:
    """``fn_later(callee)``, kept as ``called`` keeps it."""
    return _kept(sites, place, callee, fn_later(callee))


def _kept(sites: list, place: int, callee: Any, found: Any) -> Any:
    """What is called in place of a callee, which a site keeps where it may."""
    short = None if loud else _lasting(callee, found)
    if short is not None:
        _note_kept()
        sites[place], sites[place + 1] = callee, short
    return found


def _lasting(callee: Any, found: Any) -> Any:
    """What a site keeps of ``fn(callee)``; None where it keeps nothing."""
    if type(callee) in _LASTING:
        if _ends(getattr(callee, "__self__", None)):
            return None
        return getattr(found, PLAIN_FORM, found) if is_function(found) else found
    is_method = type(found) is types.MethodType and found.__self__ is callee
    return _of_object(callee, found.__func__) if is_method and not _ends(callee) else None


def _of_object(callee: Any, form: types.FunctionType) -> Callable:
    """What calls an object by a ``form`` of the method of its class for as long as it is that."""
    kind = type(callee)
    known = kind.__call__

    def call(*args: Any, **keywords: Any) -> Any:
        if type(callee) is kind and kind.__call__ is known:
            return form(callee, *args, **keywords)
        return fn(callee)(*args, **keywords)

    return call


def called_of(
    sites: list, place: int, callee: Any, target: Any, *args: Any, let_go: None = None
) -> Any:
    """``fn(callee)`` of a method of ``target``; the site says, too, where Python alone may call it
    again. Where arguments are to be reported, this call reports them."""
    before = sites[place]
    if type(before) is types.MethodType and not loud:
        found = of_another(callee, before.__func__, sites[place + 3] is False)
        if found is not None:
            if not _ends(target):
                sites[place], sites[place + 1] = callee, found
            return found
    found = called(sites, place, callee)
    if loud:
        return found
    if not _does_the_same(callee, found, target):
        sites[place + 3] = False
        return found
    reads = thread.reads()
    asked = reads and type(callee) is types.MethodType and reads.asked(callee.__func__)
    if not asked or not asked[1]:
        if sites[place + 2] is None:
            sites[place + 2] = None if _ends(target) else target
        elif reads is not None and reads.holds(target):
            sites[place + 3] = {*(sites[place + 3] or ()), id(target)}
    elif args and not any(map(_ends, (target, *args))):
        sites[place + 4 : place + 5 + len(args)] = target, *args
        reads.settled(sites, place + 4)
    return found


def _ends(value: Any) -> bool:
    """Whether a program may see that a site keeps an object, which nothing does for the trace."""
    reads = thread.reads()
    return finalizers.is_seen(value) and (reads is None or not reads.holds(value))


def _does_the_same(callee: Any, found: Any, target: Any) -> bool:
    """Whether ``found``, the form of a method of ``target`` that is called while nothing is loud,
    does as the method itself: it asks the operators for nothing then."""
    if type(callee) is types.BuiltinFunctionType:
        return found is callee and callee.__self__ is target
    if type(callee) is not types.MethodType or type(found) is not types.MethodType:
        return False
    function, form = callee.__func__, found.__func__
    if callee.__self__ is not target or not is_convertible(function):
        return False
    if not is_function(form):
        return False
    if form is not function and not compile.is_form(form.__code__, function.__code__):
        return False
    stores = is_leaf(form.__code__)
    return stores == "nothing" or (stores == "own" and own_attributes.keeps_any(type(target)))


def stored(sites: list, place: int, target: Any, name: str, label: str) -> Any:
    """``owner(target, name, label)``."""
    found = owner(target, name, label)
    if found is target and not loud and not _ends(target):
        _note_kept()
        sites[place] = target
    return found


def _note_kept() -> None:
    """The sites of a trace hold something from now on."""
    if traces.n and _thread.trace is not None:
        _thread.trace.callees.has_kept = True
