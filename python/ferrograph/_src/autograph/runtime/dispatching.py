"""Functions that choose by the class of their first argument: ``functools.singledispatch``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...staging import chosen_numbers
from . import callees, foreign

_FUNCTIONS = functools.singledispatch(lambda value: value).__code__
_METHODS = functools.singledispatchmethod(lambda self, value: value).__get__(None, object).__code__


def form(callee: Any) -> Callable | None:
    """What to call in place of such a function, whose implementations are converted; None of
    others."""
    if callee.__code__ is _FUNCTIONS:
        return _calling(callee, callee.dispatch)
    if callee.__code__ is not _METHODS:
        return None
    names = callee.__code__.co_freevars
    held = {name: cell.cell_contents for name, cell in zip(names, callee.__closure__, strict=True)}
    bound = held["self"].dispatcher.dispatch
    return _calling(callee, lambda kind: bound(kind).__get__(held["obj"], held["cls"]))


def _calling(callee: Callable, dispatch: Callable[[type], Callable]) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return callee(**kwargs)
        chosen_numbers.refuse(args[0], f"`{callee.__name__}`")
        foreign.given(callee, args[:1], takes_lists=True)
        return callees.fn(dispatch(args[0].__class__))(*args, **kwargs)

    return call
