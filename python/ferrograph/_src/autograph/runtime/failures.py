"""``raise``, ``except`` and ``assert``."""

from __future__ import annotations

import sys
from typing import Any

from ...staging import conditional, failures
from ...staging.conditional import is_staged
from .logic import Thunk
from .specials import truth

__all__ = ["assert_stmt", "catching", "raised"]


def catching(kinds: Any) -> Any:
    """What an ``except`` clause catches: nothing of what left a staged branch or loop."""
    return () if failures.left_region(sys.exc_info()[1]) else kinds


def raised(exception: Any) -> Any:
    """``exception`` as a ``raise`` statement gets it."""
    return conditional.marked(exception)


def assert_stmt(test: Any, message: Thunk | None, *, line: int) -> None:
    """``assert test, message``: of a tensor it is checked when the graph runs."""
    test = truth(test)
    if is_staged(test):
        conditional.stage_assert(test, message)
    elif not test:
        raise AssertionError(message()) if message is not None else AssertionError()
