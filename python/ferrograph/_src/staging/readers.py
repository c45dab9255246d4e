"""What code that follows may still read: told from the frames of the trace, by the names that the
rest of their code loads, and from what outlives the trace."""

from __future__ import annotations

from collections.abc import Iterable

from ..hints import Any
from .frames import is_read_by_name, live_values
from .journal import thread as _thread
from .snapshot import Walk
from .state import Place


def is_alive(wanted: list, functions: tuple = (), held: Iterable[Any] = ()) -> bool:
    """Whether code that follows may read one of some objects, also within what it has ``held``."""
    walk = Walk()
    walk.run(functions, [_thread.roots, *live_values(), *held])
    return any(id(w) in walk.seen for w in wanted)


def is_read(place: Place) -> bool:
    """Whether code that follows may read a place."""
    if is_read_by_name(place):
        return True
    return place.is_module or place.is_shared or is_alive([place.owner])
