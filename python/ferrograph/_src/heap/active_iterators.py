"""Active iterators: those that a running Python loop holds. A list with one must not grow in the
graph.
"""

from __future__ import annotations

from ..hints import Any
from ..values import errors
from .adapters.builtin_classes import CHECKED_BY_ITERATORS
from .liveness import counts, holders
from .source_location import diagnostic, here
from .trace_context import TracePart, traces
from .trace_context import thread as _thread

_OVER_LIST: type = type(iter([]))


class Iterators(TracePart):
    """The iterators that a trace follows."""

    slot = "iterators"

    has_native = False  # whether native code may read by some: see ``holders``

    def __init__(self) -> None:
        self.running: list[tuple[Any, Any]] = []
        self.taken: dict[int, tuple] = {}  # see ``iteration``, how much of them, by id


def followed(items: Any) -> Any:
    """``items`` for a Python loop: an iterator over a list, noted while it is in use, unless the
    loop alone has the list."""
    if traces.n and isinstance(items, list) and _thread.trace is not None:
        if counts.count(items) <= counts.of_argument() and type(items) is list:
            return items
        noted = Iterators.of_trace().running
        while noted and not _is_under_way(noted[-1]):
            noted.pop()  # with what it keeps, where the loop was left before its end
        iterator = iter(items)
        noted.append((None if type(iterator) is _OVER_LIST else items, iterator))
        return iterator
    if traces.n and isinstance(items, CHECKED_BY_ITERATORS) and _thread.trace is not None:
        Iterators.of_trace().has_native = True
    return items


def forget_iterator(iterator_id: int) -> None:
    """Forget an iterator that no loop runs on: an exception that left it keeps it for longer."""
    noted = Iterators.of_trace().running if _thread.trace is not None else []
    for i in reversed(range(len(noted))):
        if id(noted[i][1]) == iterator_id:
            del noted[i]
            return


def _is_under_way(pair: tuple) -> bool:
    return counts.count(pair[1]) > counts.of_item()


def refuse_running(items: Any) -> None:
    """Refuse that a list gets a length known only to the graph while a Python loop iterates over
    it, or other native code may still read it."""
    for pair in _thread.trace.iterators.running or ():
        if _is_under_way(pair) and _list_of(*pair) is items:
            raise errors.StagingError(
                diagnostic(
                    here(),
                    "a staged branch or loop changes the length of a list while a Python loop "
                    "iterates over it",
                    "Iterate over a copy, such as `list(items)`, or collect what is to be added.",
                )
            )
    if isinstance(items, list):
        holders.refuse_native_readers(items)


def _list_of(items: Any, iterator: Any) -> Any:
    """The list of a noted iterator: a plain one holds the list itself until it ends."""
    return iterator.__reduce__()[1][0] if items is None else items


def changed_while_running(place: str) -> Exception:
    """The refusal of a loop over a list that its body changes: Python sees the changes."""
    return errors.StagingError(
        diagnostic(
            place,
            "a staged loop iterates over a list that grew in a staged branch or loop, and its "
            "body changes that list: the loop would not see it",
            "Iterate over a copy (`for v in list(items):`), or over `fg.stack(items)`.",
        )
    )
