"""What is asked once where code does the same again; ``convert/sites.py`` says how.

Each gives what ``fn`` and ``owner`` give, and leaves it among the function's sites where it stays
so: while ``loud`` is empty, for an object that is the same. The places of the call of a method are:

0. its function, 1. what is called in place of that, with the object as the first argument;
2. the object, 3. whether its method may be called as it stands, 4. with any arguments, 5. the ids
of those that are still to be told to the trace, 6. whether they need not be plain values; 7. what
is called for other objects.

That an object has the same method again is known without a look where the program's text nowhere
sets an attribute of that name, on objects whose classes are all the program's own.
"""

from __future__ import annotations

import types
from typing import Any

from ...context import ownership, thread
from ...staging import setters
from ...staging.journal import loud, traces
from ...staging.journal import thread as _thread
from ...staging.notes import owner
from ..convert import compile, specials
from .callees import PLAIN_FORM, fn, form_of

__all__ = ["called", "stored", "stored_by_class"]

# Callees that never change what is called in place of them, and that hold nothing.
_LASTING = {types.BuiltinFunctionType, types.FunctionType, type}
_NOTHING = object()
_METHOD, _FUNCTION = types.MethodType, types.FunctionType
_NO_OWNERS = {types.ModuleType, type(None)}


def called(sites: list, place: int, callee: Any, name: str = "", n: int = -1) -> Any:
    """``fn(callee)``; a method is called by this ``name`` with ``n`` arguments."""
    kind = type(callee)
    if loud or type(sites) is not list:
        return fn(callee)
    found = fn(callee)
    if kind is _METHOD:
        if type(found) is _METHOD and type(found.__func__) is _FUNCTION:
            _keep_method(sites, place, callee, found.__func__, name, n)
    elif kind in _LASTING and getattr(callee, "__self__", None).__class__ in _NO_OWNERS:
        short = getattr(found, PLAIN_FORM, found) if type(found) is _FUNCTION else found
        sites[place], sites[place + 1] = callee, short
    return found


def _keep_method(
    sites: list, place: int, method: types.MethodType, form: Any, name: str, n: int
) -> None:
    """Note what is called in place of a method, where that is the same for the object."""
    function: Any = method.__func__
    changed = form_of(function)
    if type(changed) is not _FUNCTION:
        return
    if n < 0:
        sites[place], sites[place + 1] = function, changed
        return
    target = method.__self__
    sites[place : place + 8] = function, form, _NOTHING, False, False, (), False, changed
    if not _thread.journals or not _is_found(type(target), name, function):
        return
    sites[place + 2] = target
    _thread.journals[0].sites[id(sites), place] = sites, place
    quiet = compile.quiet_of(function) if function.__code__.co_argcount == n + 1 else None
    if quiet is not None and (not quiet.sets or setters.keeps_any(type(target))):
        _let_stand(sites, place, function, bool(quiet.plain))


def _let_stand(sites: list, place: int, function: types.FunctionType, plain: bool) -> None:
    """Note that a method may be called as it stands, some of its arguments being ``plain``."""
    unmet = _unmet(function)
    if unmet is not None and unmet.first is None:
        return
    others = unmet if unmet is not None and unmet.others else ()
    sites[place + 3], sites[place + 4] = True, not plain and others == ()
    sites[place + 5], sites[place + 6] = others, not plain


def _forget() -> None:
    """More of the program's text is known: what it does not say has to be looked for again."""
    if _thread.journals:
        known = _thread.journals[0].sites
        for sites, place in known.values():
            sites[place + 2] = _NOTHING
        known.clear()


specials.on_growth.forget = _forget


def _is_found(kind: type, name: str, function: types.FunctionType) -> bool:
    """Whether a function is what an object of a class has under a name, and keeps there."""
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    if any(map(ownership.is_library_class, kind.__mro__[:-1])):
        return False
    held = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    return held is function and specials.is_only_called(name)


def _unmet(function: types.FunctionType) -> Any:
    """What a function has still to tell of its arguments; None where it tells nothing."""
    reads = thread.reads() if traces.n and _thread.journals else None
    return None if reads is None or reads.asked(function) is None else reads.unmet(function)


def stored(sites: list, place: int, target: Any, name: str, label: str) -> Any:
    """``owner(target, name, label)``."""
    found = owner(target, name, label)
    if found is target and not loud and type(sites) is list:
        sites[place] = target
    return found


def stored_by_class(sites: list, place: int, target: Any, name: str, label: str) -> Any:
    """The same, where all objects of its class keep the attribute."""
    found = owner(target, name, label)
    kind = type(target)
    if found is target and not loud and type(sites) is list and setters.keeps_any(kind):
        sites[place] = kind
    return found
