"""Functions under ``functools.lru_cache`` and ``cache``, called while a branch or a loop is traced.

The result of such a function stays in its cache and cannot be removed again: other side effects of
the call are refused, and the result counts as an object from before the region, so that changes of
it are found.
"""

from __future__ import annotations

from collections.abc import Callable

from ...heap import trace_context
from ...heap.adapters.registry import adapters_of
from ...heap.snapshot import Snapshot
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import note_asked
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...staging import side_effects
from ...symbolic import values
from ...values import errors

__all__ = ["counting", "remembering"]


def counting(callee: Any) -> Callable:
    """``cache_info`` of a function under ``functools.lru_cache``: refused where a branch or a loop
    has called the function."""

    def count() -> Any:
        held = callee.__self__
        if id(held) in _thread.trace.effects.asked:
            raise errors.StagingError(
                diagnostic(
                    here(),
                    f"`cache_info` of {held.__name__!r} is read after a staged branch or loop "
                    "called it: those calls ran once, at trace time",
                    "Call the function before the branch or loop, or count the calls in a tensor.",
                )
            )
        return callee()

    return count


def remembering(callee: Any) -> Callable:
    """A function under a cache, called in a region, or where something is stale; others as they
    are."""
    form = _standing(callee) if trace_context.has_stale() else callee
    return _first(callee, form) if trace_context.in_region() else form


def _standing(callee: Any) -> Callable:
    """A function whose result is replaced by a placeholder where the graph cannot follow it."""
    return lambda *args, **kwargs: side_effects.standing([callee(*args, **kwargs)])[0]


def _first(callee: Any, form: Callable) -> Callable:
    """The ``form`` of a function under a cache: refused where the first call of it in a branch or a
    loop does more than to give a value."""

    def call(*args: Any, **kwargs: Any) -> Any:
        note_asked(callee)
        known = callee.cache_info()
        before = Snapshot((callee.__wrapped__, lambda: (args, kwargs)))
        found = form(*args, **kwargs)
        if callee.cache_info().misses == known.misses:
            return found
        if values.has_tensor(found) or next(before.changes(), None) is not None:
            raise _more_than_a_value(callee)
        if adapters_of(type(found)):
            if known.currsize == known.maxsize:
                raise _more_than_a_value(callee)
            for made in _thread.logs:
                made.take_in(found)
        return found

    return call


def _more_than_a_value(callee: Any) -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            f"`{callee.__name__}` caches its result (`functools.lru_cache`) and is first called "
            "with these arguments in a staged branch or loop, where it has side effects, drops an "
            "earlier result, or returns tensors: they would happen once, at trace time",
            "Call it before the branch or loop, or call the function without a cache "
            "(`f.__wrapped__`).",
        )
    )
