"""Loops over lists that are under way: such a list must not grow in the graph."""

from __future__ import annotations

import collections

from ..hints import Any
from ..values import errors
from .liveness import counts, native_readers
from .source_location import diagnostic, here
from .trace_context import NOTHING, traces
from .trace_context import thread as _thread

_OVER_LIST: type = type(iter([]))
_IN_STEP = (collections.deque, collections.OrderedDict)  # whose iterators fail where they change


class Iterators:
    """The iterators that a trace follows."""

    has_native = False  # whether native code may read by some: see ``native_readers``

    def __init__(self) -> None:
        self.running: list[tuple[Any, Any]] = []
        self.taken: dict[int, tuple] = {}  # see ``iterator_cursors``, how much of them, by id


def of_trace() -> Iterators:
    """That of the trace on this thread."""
    trace = _thread.trace
    if trace.iterators is NOTHING:
        trace.iterators = Iterators()
    found: Iterators = trace.iterators
    return found


def followed(items: Any) -> Any:
    """``items`` for a loop of Python's: an iterator over a list, noted while it is in use, unless
    the loop alone has the list."""
    if traces.n and isinstance(items, list) and _thread.trace is not None:
        if counts.count(items) <= counts.of_argument() and type(items) is list:
            return items
        noted = of_trace().running
        while noted and not _is_under_way(noted[-1]):
            noted.pop()  # with what it keeps, where the loop was left before its end
        iterator = iter(items)
        noted.append((None if type(iterator) is _OVER_LIST else items, iterator))
        return iterator
    if traces.n and isinstance(items, _IN_STEP) and _thread.trace is not None:
        of_trace().has_native = True
    return items


def forget(iterator_id: int) -> None:
    """Forget an iterator that no loop runs on: an exception that left it keeps it for longer."""
    noted = of_trace().running if _thread.trace is not None else []
    for i in reversed(range(len(noted))):
        if id(noted[i][1]) == iterator_id:
            del noted[i]
            return


def _is_under_way(pair: tuple) -> bool:
    return counts.count(pair[1]) > counts.of_item()


def refuse_running(items: Any) -> None:
    """Refuse that the graph decides from now on how many elements a list has that a loop of
    Python's runs over, or that other code in C goes on to read."""
    for pair in _thread.trace.iterators.running or ():
        if _is_under_way(pair) and _list_of(*pair) is items:
            raise errors.StagingError(
                diagnostic(
                    here(),
                    "a branch or a loop of the graph changes how many elements a list has while a "
                    "loop of Python's runs over the list",
                    "Run over a copy of it, such as `list(items)`, or collect what is to be added.",
                )
            )
    if isinstance(items, list):
        native_readers.refuse(items)


def _list_of(items: Any, iterator: Any) -> Any:
    """What a noted iterator runs over: a plain one holds the list itself until it ends."""
    return iterator.__reduce__()[1][0] if items is None else items


def changed_while_running(place: str) -> Exception:
    """The refusal of a loop over a list that its body changes: Python sees the changes."""
    return errors.StagingError(
        diagnostic(
            place,
            "a loop of the graph runs over a list that grew in a branch or a loop of the graph, "
            "and its body changes that list: the loop would not see it",
            "Run over a copy (`for v in list(items):`), or over `fg.stack(items)`.",
        )
    )
