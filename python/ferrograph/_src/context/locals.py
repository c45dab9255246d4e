"""The local variables of running functions."""

from __future__ import annotations

import _thread
import functools
import sys
import types
from collections.abc import Callable

from ..hints import Any

_OPTIMIZED = 1  # of the flags of the code of a function, whose names are no namespace
_UNSHARED = 3  # references to a dict: of its frame, of what asks here, and of the count itself


def locals_of(frame: types.FrameType) -> dict[str, Any]:
    """The names of a frame with what they hold. Before Python 3.13 a dict of them stays with the
    frame: it is left empty, unless the program has it, so that an object is freed when the function
    releases it."""
    held = frame.f_locals
    if not frame.f_code.co_flags & _OPTIMIZED:
        return held
    found = dict(held)
    if type(held) is dict and forgotten() and sys.getrefcount(held) <= _UNSHARED:
        held.clear()
    return found


def forgotten(n_frames: int = 1) -> bool:
    """Release the references that trace functions hold to the local variables of the calling
    functions of this package: before Python 3.11 a frame has a dict of these where a debugger
    traces. True, for the line that counts references: the next one would be traced again."""
    if sys.gettrace() is None:
        return True
    frame: Any = sys._getframe(1)
    for _ in range(n_frames):
        held = frame.f_locals
        if type(held) is dict and frame.f_code.co_flags & _OPTIMIZED:
            held.clear()
        frame = frame.f_back
    return True


def namespace_of(frame: types.FrameType) -> dict[str, Any]:
    """The names of a frame for ``eval`` and ``exec``: what these set in it sets no name of a
    function. From Python 3.13 on ``f_locals`` itself would."""
    held = frame.f_locals
    is_written_through = type(held) is not dict and frame.f_code.co_flags & _OPTIMIZED
    return dict(held) if is_written_through else held


def untraced(measure: Callable[[], Any]) -> Any:
    """What ``measure`` gives on a thread of its own: where a debugger traces, it refers to what
    names hold."""
    found: list[Any] = []
    ended = _thread.allocate_lock()

    def run() -> None:
        try:
            found.append(measure())
        finally:
            ended.release()

    ended.acquire()
    _thread.start_new_thread(run, ())
    ended.acquire()
    return found[0]


@functools.cache
def keeps_arguments() -> bool:
    """Whether callers refer to the arguments of a call until it returns, as before Python 3.11."""
    kept: bool = untraced(lambda: _count(object()) > 2)
    return kept


def _count(value: Any) -> int:
    """References to a value: of the name, and of the count itself."""
    return sys.getrefcount(value)
