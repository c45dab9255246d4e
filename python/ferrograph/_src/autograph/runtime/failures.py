"""``raise``, ``except`` and ``assert``."""

from __future__ import annotations

import sys

from ...heap.trace_context import in_region
from ...hints import Any
from ...staging import conditional, retrace
from ...symbolic.values import is_staged
from .logic import Thunk
from .special_methods import truth

__all__ = ["assert_stmt", "catching", "passed_on", "raised"]


def catching(kinds: Any) -> Any:
    """What an ``except`` clause catches: nothing of what plain Python may not raise."""
    return kinds if retrace.may_handle(kinds, sys.exc_info()[1]) else ()


def passed_on() -> None:
    """Have a ``finally`` block that a jump leaves pass on what no ``except`` clause catches."""
    exception = sys.exc_info()[1]
    if exception is not None and not retrace.may_handle(BaseException, exception):
        raise exception


def raised(exception: Any) -> Any:
    """``exception`` as a ``raise`` statement gets it."""
    return conditional.marked(exception) if in_region() else exception


def assert_stmt(test: Any, message: Thunk | None, *, line: int) -> None:
    """``assert test, message``: of a tensor it is checked when the graph runs."""
    test = truth(test)
    if is_staged(test):
        conditional.stage_assert(test, message)
    elif not test:
        raise AssertionError(message()) if message is not None else AssertionError()
