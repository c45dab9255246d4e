"""Whether library functions convert the callbacks they are given, and what the converter says.

This module imports nothing heavy, since it stands before every first trace.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from .. import later, staging
from ..hints import TYPE_CHECKING, Any
from ..ops._dispatch import told
from ..staging.journal import Journal, chosen, listeners, loud, thread, traces
from ..values.public import public

if TYPE_CHECKING:
    from ..staging import (
        chosen_variables,
        effects,
        failures,
        nested,
        operands,
        presence,
        quotients,
        unread,
    )
else:
    chosen_variables, effects, failures, nested, operands, presence, quotients, unread = later(
        staging.__name__,
        *("chosen_variables", "effects", "failures", "nested", "operands", "presence"),
        *("quotients", "unread"),
    )

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
def conversion(enabled: bool, roots: Any = None) -> Iterator[Journal | None]:
    """Say for a block whether library functions convert the callbacks they are given.

    ``roots``, given where the block traces a function, is what it is made of: the Python function
    and its arguments. The block gets the journal of that trace.
    """
    before, _status.enabled = _status.enabled, enabled
    journals, root = (thread.journals, thread.roots), None
    within = nested.begin(thread.journals) if roots and len(thread.journals) > 1 else None
    if roots is not None:
        if thread.journals:
            thread.journals[0].take_back()
        root = Journal()
        root.listeners = journals[0][0].listeners if journals[0] else listeners()
        thread.journals, thread.roots = [root], roots
        traces.add(1)
    try:
        yield root
        if roots is not None and thread.journals[0].families is not None:
            thread.journals[0].families.check()
        if roots is not None and thread.journals[0].defaults is not None:
            presence.check()
    except Exception as e:
        if roots is not None:
            if thread.journals[0].changed is not None:
                thread.journals[0].at_end.append(_put_back)
            _explain(thread.journals[0], e)
        raise
    finally:
        at_end = thread.journals[0].at_end if roots is not None else []
        if at_end:
            with contextlib.ExitStack() as left:  # all of it, also where some of it fails
                left.callback(_restore, before, *journals, is_trace=True)
                for leave in reversed(at_end):
                    left.callback(leave)
        else:
            _restore(before, *journals, is_trace=roots is not None)
        if within is not None:
            nested.end(thread.journals, within)


def _put_back() -> None:
    """Put back what the regions of a trace changed that fails, once nothing stands for objects."""
    effects.put_back_changed(thread.journals[0])


def discard(trace: Journal | None) -> None:
    """Put back what the regions of a trace changed that another one follows."""
    if trace is not None and trace.changed is not None:
        effects.put_back_changed(trace)


def _explain(trace: Journal, exception: Exception) -> None:
    """Say more of an error that ends a trace, or raise a better one."""
    if trace.explain is not None:
        trace.explain(exception)
    if trace.numbers_chosen or trace.texts or trace.scalars:
        operands.explain(exception)
    if trace.unset:
        failures.explain_unset(exception)


def check_numbers() -> None:
    """Let the graph of a function that has just run check the numbers of Python's in it."""
    if thread.journals and thread.journals[0].bound is not None:
        thread.journals[0].bound()
    if thread.journals and thread.journals[0].quotients:
        quotients.check_function()


def check_outputs(region: Any, outputs: list) -> None:
    """Refuse what a function that has just run gives, or reads, where that may be out of date."""
    if thread.journals and thread.journals[0].variables:
        chosen_variables.check(region, outputs)
    if thread.journals and thread.journals[0].elements:
        unread.check(region, outputs)


def _restore(enabled: bool, journals: list, roots: Any, *, is_trace: bool) -> None:
    """Put back what the thread had before a block."""
    if is_trace:
        thread.journals[0].take_back()
        if journals:
            journals[0].go_on()
        loud.leave(thread.journals[0])
        chosen.pop(id(thread.journals[0]), None)
        traces.add(-1)
    _status.enabled = enabled
    thread.journals, thread.roots = journals, roots


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
    """
    global _verbosity
    _verbosity = int(level)


def verbosity() -> int:
    """The level that ``set_verbosity`` set."""
    return _verbosity
