"""Loops of Python's over lists that are under way: such a list must not grow in the graph."""

from __future__ import annotations

import sys

from ..hints import Any
from ..values import errors
from .journal import thread as _thread
from .journal import traces
from .places import here, say

_ENDED = 2  # references to an iterator that no loop holds: of the note, and of the count itself
_MANY = 64


def followed(items: Any) -> Any:
    """``items`` for a loop of Python's: an iterator over a list, noted while it is in use."""
    if traces.n and isinstance(items, list) and _thread.journals:
        noted = _thread.journals[0].running
        if len(noted) >= _MANY:
            noted[:] = [pair for pair in noted if _is_under_way(pair)]
        pair = items, iter(items)
        noted.append(pair)
        return pair[1]
    return items


def _is_under_way(pair: tuple) -> bool:
    return sys.getrefcount(pair[1]) > _ENDED


def refuse_running(items: Any) -> None:
    """Refuse that the graph decides from now on how many elements a list has that a loop of
    Python's runs over."""
    for pair in _thread.journals[0].running:
        if pair[0] is items and _is_under_way(pair):
            raise errors.StagingError(
                say(
                    here(),
                    "a branch or a loop of the graph changes how many elements a list has while a "
                    "loop of Python's runs over the list",
                    "Run over a copy of it, such as `list(items)`, or collect what is to be added.",
                )
            )
