"""Functions that dispatch on the class of their first argument: ``functools.singledispatch``."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable

from ...hints import Any
from ...symbolic import python_scalars
from . import unconverted_calls

_FUNCTIONS = functools.singledispatch(lambda value: value).__code__
_METHODS = functools.singledispatchmethod(lambda self, value: value).__get__(None, object).__code__


def form(callee: Any, fn: Callable[[Any], Callable]) -> Callable | None:
    """What to call in place of such a function, whose implementations ``fn`` converts; None of
    others."""
    if callee.__code__ is _FUNCTIONS:
        return _calling(callee, callee.dispatch, fn)
    if callee.__code__ is not _METHODS:
        return None
    names = callee.__code__.co_freevars
    held = {name: cell.cell_contents for name, cell in zip(names, callee.__closure__, strict=True)}
    dispatch = held["dispatch"] if "dispatch" in held else held["self"].dispatcher.dispatch
    bound = held["obj"], held["cls"]
    return _calling(callee, dispatch, lambda found: fn(found.__get__(*bound)))


def _calling(callee: Callable, dispatch: Any, fn: Callable[[Callable], Callable]) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return callee(**kwargs)
        python_scalars.refuse_number(args[0], f"`{callee.__name__}`")
        unconverted_calls.given(callee, args[:1], takes_lists=True)
        return fn(_chosen(dispatch, args[0].__class__))(*args, **kwargs)

    return call


def _chosen(dispatch: Any, kind: type) -> Callable:
    """The implementation for a class. What the dispatcher remembers of it is no change that a
    region of the graph makes: it is as it was."""
    held = [cell.cell_contents for cell in dispatch.__closure__]
    caches = [one for one in held if type(one) is weakref.WeakKeyDictionary and kind not in one]
    found: Callable = dispatch(kind)
    for cache in caches:
        cache.pop(kind, None)
    return found
