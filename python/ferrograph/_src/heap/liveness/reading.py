"""What code that follows may still read: told from the frames of the trace, by the names that the
rest of their code loads, and from what outlives the trace."""

from __future__ import annotations

from collections.abc import Iterable

from ...hints import Any
from ...native import _core
from ..location import Location
from ..reachable import Walk
from ..trace_context import thread as _thread
from . import frames


def is_alive(wanted: list, functions: tuple = (), held: Iterable[Any] = ()) -> bool:
    """Whether code that follows may read one of some objects, also within what it has ``held``."""
    walk = Walk()
    walk.run(functions, [_thread.roots, *frames.live_values(), *held])
    return any(id(w) in walk.seen for w in wanted)


def is_chosen_alive(array: Any) -> bool:
    """Whether code that follows may read a tensor, given by a branch or a loop, that may stand for
    an array."""
    walk, live = Walk(), frames.live_values()
    walk.run((), [_thread.roots, *live])
    held = [adapter.parts(owner, held) for adapter, owner, held in walk.entries]
    held += [value for value in walk.seen.values() if type(value) is tuple]
    return any(_may_stand_for(value, array) for values in (live, *held) for value in values)


def _may_stand_for(value: Any, array: Any) -> bool:
    if type(value) is not _core.SymbolicTensor:
        return False
    made = _core.made_by(value)
    is_left = made is not None and made[0] in CONSTRUCTS
    return is_left and value.dtype == getattr(array, "dtype", value.dtype)


CONSTRUCTS = frozenset({"If", "StatelessIf", "While", "StatelessWhile"})


def is_read(place: Location) -> bool:
    """Whether code that follows may read a place."""
    if frames.is_read_by_name(place):
        return True
    return place.is_module or place.is_shared or is_alive([place.owner])
