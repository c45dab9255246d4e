"""Loops over lists that are under way: such a list must not grow in the graph."""

from __future__ import annotations

import collections
import sys

from ..hints import Any
from ..values import errors
from .journal import thread as _thread
from .journal import traces
from .late import c_readers
from .places import here, say

_ENDED = 2  # references to an iterator that no loop holds: of the note, and of the count itself
_ALONE = 3  # to a list: of the loop over it, of what asks here, and of the count itself
_OVER_LIST: type = type(iter([]))
_IN_STEP = (collections.deque, collections.OrderedDict)  # whose iterators fail where they change


def followed(items: Any) -> Any:
    """``items`` for a loop of Python's: an iterator over a list, noted while it is in use, unless
    the loop alone has the list."""
    if traces.n and isinstance(items, list) and _thread.journals:
        if sys.getrefcount(items) <= _ALONE and type(items) is list:
            return items
        noted = _thread.journals[0].running
        while noted and not _is_under_way(noted[-1]):
            noted.pop()  # with what it keeps, where the loop was left before its end
        iterator = iter(items)
        noted.append((None if type(iterator) is _OVER_LIST else items, iterator))
        return iterator
    if traces.n and isinstance(items, _IN_STEP) and _thread.journals:
        _thread.journals[0].read_in_c = True
    return items


def forget(iterator_id: int) -> None:
    """Forget an iterator that no loop runs on: an exception that left it keeps it for longer."""
    noted = _thread.journals[0].running if _thread.journals else []
    for i in reversed(range(len(noted))):
        if id(noted[i][1]) == iterator_id:
            del noted[i]
            return


def _is_under_way(pair: tuple) -> bool:
    return sys.getrefcount(pair[1]) > _ENDED


def refuse_running(items: Any) -> None:
    """Refuse that the graph decides from now on how many elements a list has that a loop of
    Python's runs over, or that other code in C goes on to read."""
    for pair in _thread.journals[0].running:
        if _is_under_way(pair) and _list_of(*pair) is items:
            raise errors.StagingError(
                say(
                    here(),
                    "a branch or a loop of the graph changes how many elements a list has while a "
                    "loop of Python's runs over the list",
                    "Run over a copy of it, such as `list(items)`, or collect what is to be added.",
                )
            )
    if isinstance(items, list):
        c_readers.refuse(items)


def _list_of(items: Any, iterator: Any) -> Any:
    """What a noted iterator runs over: a plain one holds the list itself until it ends."""
    return iterator.__reduce__()[1][0] if items is None else items


def changed_while_running(place: str) -> Exception:
    """The refusal of a loop over a list that its body changes: Python sees the changes."""
    return errors.StagingError(
        say(
            place,
            "a loop of the graph runs over a list that grew in a branch or a loop of the graph, "
            "and its body changes that list: the loop would not see it",
            "Run over a copy (`for v in list(items):`), or over `fg.stack(items)`.",
        )
    )
