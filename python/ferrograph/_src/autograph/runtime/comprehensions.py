"""List comprehensions: by Python where it decides, by a loop that adds the elements where not."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ...context.hooks import hooks
from ...staging import notes
from ...staging.iteration import Source, is_iterated_staged
from .loops import for_stmt
from .sequences import elements

__all__ = ["each", "listed", "taken"]

Body = Callable[[Any], Any]
_CONSUMERS = (
    builtins.sum, builtins.list, builtins.tuple, builtins.sorted, builtins.min, builtins.max,
    builtins.set,
)  # fmt: skip


def listed(
    plain: Callable[[Any], list], iterable: Any, made: Callable[[Callable], Body], line: int,
    has_tests: bool,
) -> list:  # fmt: skip
    """The list of a comprehension: ``plain`` of the iterable, or what ``made``'s loop adds."""
    iterable = _iterable(iterable)
    if not is_iterated_staged(iterable) and not (has_tests and notes.active()):
        return notes.fresh(plain(iterable))
    items: list = notes.filled([])
    for_stmt(
        iterable, made(lambda item: hooks.callee(items.append)(item)), None, None, (("line", line),)
    )
    return items


def each(iterable: Any, body: Body, line: int) -> None:
    """What a comprehension does with the elements of another iterable than its first."""
    for_stmt(_iterable(iterable), body, None, None, (("line", line),))


def taken(callee: Any, whole: Callable[[], Any], generator: Callable[[], Any]) -> Any:
    """A generator that ``callee`` takes: as a list where a builtin takes all of it at once."""
    if notes.active() and any(callee is consumer for consumer in _CONSUMERS):
        return whole()
    return generator()


def _iterable(iterable: Any) -> Any:
    """What the loop runs over: the elements themselves where their number is known."""
    iterable = elements(iterable)
    if isinstance(iterable, Source) and isinstance(iterable.count, int):
        return list(iterable)
    return iterable
