"""List comprehensions: plain Python over plain values, else a staged loop that appends the
elements."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from ...context.hooks import hooks
from ...heap import trace_context
from ...heap.adapters import STATIC_ITERABLES
from ...heap.liveness import forget_iterator
from ...heap.source_location import here
from ...heap.trace_context import loud
from ...hints import Any
from ...staging import tensor_lists, write_barriers
from ...staging.iteration import Source, is_iterated_staged
from .conditionals import if_stmt
from .loops import for_stmt
from .sequences import elements

__all__ = [
    "added",
    "each",
    "elements_or_staged",
    "listed",
    "put",
    "sieved",
    "sift",
    "sifted",
    "taken",
    "unrolls_list",
]

Body = Callable[[Any], Any]
_CONSUMERS = (
    builtins.sum, builtins.list, builtins.tuple, builtins.sorted, builtins.min, builtins.max,
    builtins.set,
)  # fmt: skip


class Staged:
    """An iterable for a staged loop alone."""

    __slots__ = ("iterable",)

    def __init__(self, iterable: Any):
        self.iterable = iterable


def elements_or_staged(iterable: Any) -> Any:
    """The iterable of a comprehension without tests, a ``Staged`` where Python cannot iterate over
    it."""
    iterable = _iterable(iterable)
    return Staged(iterable) if is_iterated_staged(iterable) else iterable


def unrolls_list(iterable: Any) -> bool:
    """Whether Python iterates over the result of ``elements_or_staged``."""
    return type(iterable) is not Staged


def added(staged: Staged, made: Callable[[Callable], Body], line: int) -> list:
    """The list to which the loop of ``made`` adds the elements."""
    items: list = trace_context.filled([])
    for_stmt(staged.iterable, made(_adding(items)), None, None, (("line", line),))
    return items


def of_elements(iterable: Any) -> list:
    """The list of the elements of an iterable for a staged loop."""
    items: list = trace_context.filled([])
    for_stmt(iterable, _adding(items), None, None, (("line", here()),))
    return items


def sifted(
    guarded: Callable[[Any, list], list],
    iterable: Any,
    line: int,
    made: Callable[[Callable], Body] | None = None,
) -> list:
    """The list of a comprehension with tests: what ``guarded`` gives, or what the loop of ``made``
    adds where Python cannot iterate over the iterable; without that ``guarded`` iterates over each
    element."""
    iterable = _iterable(iterable)
    if loud or type(iterable) not in STATIC_ITERABLES:
        if is_iterated_staged(iterable):
            return added(Staged(iterable), made or _one_by_one(guarded), line)
        if trace_context.in_region() and hasattr(iterable, "__next__"):
            write_barriers.advanced(iterable)
    rest: list = []
    given, known = [iterable], id(iterable)
    del iterable
    try:
        return sieved(rest, guarded(given.pop, rest))
    except BaseException:
        forget_iterator(known)
        raise


def _one_by_one(guarded: Callable) -> Callable[[Callable], Body]:
    """What gives the body of a loop that adds elements to a list of the graph."""
    return lambda add: lambda element: guarded(lambda: (element,), [add])


def sieved(rest: list, plain: list, let_go: None = None) -> list:
    """The list of a comprehension with tests: the ``plain`` elements, and those that ``sift`` had
    added to the list in ``rest``."""
    if not rest:
        return trace_context.fresh(plain)
    items: list = rest[1]
    tensor_lists.precede(items, plain)
    return items


def sift(test: Any, add: Callable[[], Any], rest: list, facts: tuple) -> None:
    """``add`` to ``rest`` where a test of a comprehension holds that has given no plain value, or
    comes behind such a one."""
    if not rest:
        items: list = trace_context.filled([])
        rest += _adding(items), items
    if_stmt(test, add, None, None, None, facts)


def put(rest: list, item: Any) -> None:
    """Add an element of a comprehension behind a test without a plain value."""
    rest[0](item)


def _adding(items: list) -> Callable[[Any], Any]:
    """What adds an element to a list that the graph may hold."""
    return lambda item: hooks.callee(items.append)(item)


def listed(
    plain: Callable[[Callable], list], iterable: Any, made: Callable[[Callable], Body], line: int,
    has_tests: bool,
) -> list:  # fmt: skip
    """The list of a comprehension: ``plain`` of what gives the iterable, or what ``made``'s loop
    adds."""
    iterable = _iterable(iterable)
    is_asked = has_tests or loud or type(iterable) not in STATIC_ITERABLES
    if is_asked and (is_iterated_staged(iterable) or (has_tests and trace_context.active())):
        return added(Staged(iterable), made, line)
    given, known = [iterable], id(iterable)
    del iterable
    try:
        return trace_context.fresh(plain(given.pop))
    except BaseException:
        forget_iterator(known)
        raise


def each(iterable: Any, body: Body, line: int) -> None:
    """What a comprehension does with the elements of another iterable than its first."""
    for_stmt(_iterable(iterable), body, None, None, (("line", line),))


def taken(callee: Any, whole: Callable[[], Any], generator: Callable[[], Any]) -> Any:
    """A generator that ``callee`` takes: as a list where a builtin takes all of it at once."""
    if trace_context.active() and any(callee is consumer for consumer in _CONSUMERS):
        return whole()
    return generator()


def _iterable(iterable: Any) -> Any:
    """What the loop iterates over: the elements themselves where their number is known."""
    iterable = elements(iterable)
    if isinstance(iterable, Source) and isinstance(iterable.count, int):
        return list(iterable)
    return iterable
