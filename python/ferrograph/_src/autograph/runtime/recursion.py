"""Recursion: calls of functions that are active; in a staged branch such a call may be staged."""

from __future__ import annotations

import sys
import types

from ...context.hooks import hooks
from ...context.locals import locals_of
from ...hints import Any
from ..convert import compile

__all__ = ["NOTED", "unless_again"]

NOTED = "_ferrograph_noted"  # of a function that tells its arguments: what it calls
_METHOD, _FUNCTION = types.MethodType, types.FunctionType


def unless_again(function: Any, found: Any) -> Any:
    """``found``, the form of ``function`` that is called, or where that runs already and is called
    again in a branch a form that may stage the call."""
    if type(function) is _METHOD and type(found) is _METHOD:
        return _METHOD(unless_again(function.__func__, found.__func__), found.__self__)
    if type(function) is not _FUNCTION or type(found) is not _FUNCTION:
        return found
    inner = getattr(found, NOTED, found)
    if type(inner) is not _FUNCTION:
        return found
    code = compile.whole_code(inner, function)
    frame: Any = sys._getframe(2)
    running = []
    while frame is not None:
        if frame.f_code is code and _is_of(frame, function):
            running.append(frame)
        frame = frame.f_back
    return hooks.recursive(function, found, running) if running else found


def _is_of(frame: Any, function: types.FunctionType) -> bool:
    """Whether a frame of code made of ``function``'s is of that function: what it closes over."""
    held = locals_of(frame)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return all(held.get(name, _UNSET) is _contents(cell) for name, cell in cells)


_UNSET = object()


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _UNSET
