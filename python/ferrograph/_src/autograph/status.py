"""Whether library functions convert their callbacks, and how much the converter reports.

This module imports nothing heavy, since every first trace needs it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from ..context.thread import current_region
from ..heap import own_attributes, snapshot
from ..heap.trace_context import NOTHING, TraceContext, end, listeners, thread, traces
from ..hints import Any
from ..ops._dispatch import told
from ..staging import regions, retrace, side_effects
from ..symbolic import abstract_value, python_scalars, ranges
from ..values.public import public

__all__ = [
    "NOT_CONVERTED",
    "ControlStatus",
    "control_status_ctx",
    "conversion",
    "discard",
    "is_enabled",
    "set_verbosity",
    "verbosity",
]

NOT_CONVERTED = "_ferrograph_not_converted"  # the mark on functions that stay as they are


class _Status(threading.local):
    def __init__(self) -> None:
        self.enabled = True


_status = _Status()


@contextlib.contextmanager
def conversion(enabled: bool, roots: Any = None) -> Iterator[TraceContext | None]:
    """Say for a block whether library functions convert the callbacks they are given.

    ``roots``, given where the block traces a function, is what it is made of: the Python function
    and its arguments. The block gets the context of that trace.
    """
    before, _status.enabled = _status.enabled, enabled
    around, root = (thread.trace, thread.roots), None
    within = snapshot.begin_nested(thread.logs) if roots and thread.logs else None
    if roots is not None:
        if thread.trace is not None:
            thread.trace.callees.take_back()
        root = TraceContext()
        root.effects.listeners = (
            around[0].effects.listeners if around[0] is not None else listeners()
        )
        thread.enter(root)
        thread.roots = roots
        traces.add(1)
    try:
        yield root
        if roots is not None and thread.trace.aliases.sets is not None:
            thread.trace.aliases.sets.check()
        if roots is not None and thread.trace.attributes.defaults is not None:
            own_attributes.check_classes()
    except Exception as e:
        if roots is not None:
            if thread.trace.effects.changed:
                thread.trace.effects.at_end.append(_put_back)
            _explain(thread.trace, e)
        raise
    finally:
        at_end = thread.trace.effects.at_end if roots is not None else []
        if at_end:
            with contextlib.ExitStack() as left:  # all of it, also where some of it fails
                left.callback(_restore, before, *around, is_trace=True)
                for leave in reversed(at_end):
                    left.callback(leave)
        else:
            _restore(before, *around, is_trace=roots is not None)
        if within is not None:
            snapshot.end_nested(thread.logs, within)


def _put_back() -> None:
    """Put back what the regions of a failing trace changed, once references to objects are
    restored."""
    side_effects.put_back_changed(thread.trace)


def discard(trace: TraceContext | None) -> None:
    """Put back what the regions of a trace changed, since another trace follows."""
    if trace is not None and trace.effects.changed:
        side_effects.put_back_changed(trace)


def _explain(trace: TraceContext, exception: Exception) -> None:
    """Say more of an error that ends a trace, or raise a better one."""
    if trace.effects.explain is not None:
        trace.effects.explain(exception)
    if trace.values.numbers or trace.values.texts or trace.values.foreign:
        python_scalars.explain(exception)
    if trace.effects.unset:
        retrace.explain_unset(exception)


def check_numbers() -> None:
    """Add the checks of symbolic Python scalars to the graph of a function that has just run."""
    checks = thread.trace.checks if thread.trace is not None else NOTHING
    if checks.integers is None and not checks.quotients:
        return
    region = current_region()
    if region is not None:
        ranges.check(region)
        python_scalars.check_quotients(region)


def check_outputs(region: Any, outputs: list) -> None:
    """Refuse what a function that has just run gives, or reads, where that may be out of date."""
    if thread.trace is not None and thread.trace.values.variables:
        abstract_value.check_variables(region, outputs)
    if thread.trace is not None and thread.trace.containers.elements:
        regions.check_elements(region, outputs)


def _restore(enabled: bool, around: TraceContext | None, roots: Any, *, is_trace: bool) -> None:
    """Put back what the thread had before a block."""
    if is_trace:
        thread.trace.callees.take_back()
        if around is not None:
            around.callees.go_on()
        end(thread.trace)
    _status.enabled = enabled
    thread.enter(around)
    thread.roots = roots


def is_enabled() -> bool:
    """Whether library functions convert callbacks here."""
    return _status.enabled


class ControlStatus:
    """Whether functions are converted where this was taken; see ``control_status_ctx``."""

    __slots__ = ("status",)

    def __init__(self, status: str):
        self.status = status

    def __repr__(self) -> str:
        return f"ControlStatus(status={self.status!r})"


@public("autograph.control_status_ctx")
def control_status_ctx() -> ControlStatus:
    """Whether library functions convert the callbacks they are given here, for ``tf_convert``.

    >>> fg.autograph.control_status_ctx().status
    'ENABLED'
    >>> @fg.function
    ... def f():
    ...     print(fg.autograph.control_status_ctx().status)
    >>> f()
    ENABLED
    """
    return ControlStatus("ENABLED" if _status.enabled else "DISABLED")


_verbosity = 0


@public("autograph.set_verbosity")
@told
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much the converter says: from 1 on it warns of functions that have no source.

    >>> fg.autograph.set_verbosity(1)
    >>> fg.autograph.set_verbosity(0)

    Args:
      level: an int, 0 at first.
      alsologtostdout: of no effect.
    """
    global _verbosity
    _verbosity = int(level)


def verbosity() -> int:
    """The level that ``set_verbosity`` set."""
    return _verbosity
