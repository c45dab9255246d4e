"""Arrays under several names, for which a tensor stands under one of them."""

from __future__ import annotations

import types
from collections.abc import Container, Iterable

from ..context import ownership, tracebacks
from ..heap import may_alias, structure
from ..heap.liveness import frames, reading, stacks
from ..heap.location import Location
from ..heap.parts import arrays_in, is_array, memory_of
from ..heap.reachable import Walk
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import errors
from . import merged_arrays
from .merged_arrays import stands_for_array


def note_arrays(
    arrays: Iterable[tuple[str, Any]], snapshot: Any, place: str, changed: Container[int] = ()
) -> None:
    """The same for arrays that a tensor stands for from now on, under names; of objects that were
    ``changed``, by their ids, others stand, too."""
    for label, array in arrays:
        memory = memory_of(array)
        known = [m for m in memory if snapshot is None or snapshot.knows(m)]
        if not known or not (reading.is_alive(memory) or stacks.are_held()):
            continue
        if any(id(m) in changed for m in known):
            raise _shown_twice(label, array, place)
        for frame in frames.frames():
            label = label or frames.stored_next(frame)
            if label.rpartition(".")[2] in frames.augmented(frame.f_code):
                raise in_place(label, array, place)
        may_alias.keep([array], None, label, place)


def _shown_twice(label: str, array: Any, place: str) -> Exception:
    """The refusal to choose an array whose memory a branch changed, and which is read elsewhere."""
    called = repr(label) if label else "what is chosen here"
    return errors.StagingError(
        diagnostic(
            place,
            f"{called} is an array ({type(array).__name__}) that shows what a branch of the graph "
            "changed in place, and code that follows reads the same memory under another name, too",
            "Choose a copy (`a.copy()`), or make a tensor of it in the branch with "
            "`fg.constant(a)`.",
        )
    )


def in_place(label: str, array: Any, place: str) -> Exception:
    """The refusal of an augmented assignment to an array that is read elsewhere."""
    return errors.StagingError(
        diagnostic(
            place,
            f"{label!r} is an array ({type(array).__name__}) that an augmented assignment changes "
            "in place, and that code reads under another name: the graph would change a tensor "
            "instead, and leave the array as it is",
            f"Write `{label} = {label} + ...`, or make a tensor of it before, with "
            f"`{label} = fg.constant({label})`.",
        )
    )


def refuse_in_place(array: Any, acting: types.FrameType) -> None:
    """Refuse an operator beside a tensor, at which a frame is, that in plain Python changes an
    array in place which others read, too."""
    is_own = ownership.is_own_file(acting.f_code.co_filename)
    frame = next(frames.frames()) if is_own else acting
    if not (id(acting.f_code) in tracebacks.augmenting if is_own else frames.adds_in_place(frame)):
        return
    walk = Walk()
    walk.run((), [_thread.roots, *frames.live_values(frame)])
    if any(id(m) in walk.seen for m in memory_of(array)):
        raise in_place(frames.stored_next(frame) or "the target", array, here())


def refuse_arrays(found: Iterable[tuple[Location, Any]], functions: tuple, place: str) -> None:
    """Refuse places with arrays that a loop's functions change in place, if others read them."""
    for spot, value in found:
        if not stands_for_array(value):
            continue
        name = spot.label.rpartition(".")[2]
        names = {name} if name.isidentifier() else {"[]"}
        if all(names.isdisjoint(frames.augmented(f.__code__)) for f in functions):
            continue
        if type(value) is _core.SymbolicTensor:
            merged_arrays.refuse_beside(value, name if name.isidentifier() else "")
            continue
        if _is_alive_beside(spot, value, functions):
            raise in_place(spot.label, value, place)
        known = _thread.trace.aliases.sets
        for shown in memory_of(value) if known is not None else ():
            known.written(shown)


def refuse_replaced(
    carried: Iterable[tuple[Location, Any]],
    changed: Iterable[Location],
    functions: tuple,
    place: str,
) -> None:
    """Refuse places whose arrays the functions of a loop replace, if they change these in place
    before, as views of them do."""
    owners = {id(p.owner) for p in changed if is_array(p.owner)}
    if not owners:
        return
    for spot, value in carried:
        if id(spot.owner) in owners or all(id(a) not in owners for a in arrays_in(value)):
            continue
        name = spot.label.rpartition(".")[2]
        replacing = [f for f in functions if frames.replaces_first(f.__code__, name)]
        others = [f.__code__ for f in functions if f not in replacing]
        if not (replacing and all(map(frames.changes_nothing, others))):
            raise errors.StagingError(
                diagnostic(
                    place,
                    f"{spot.label!r} is an array that this loop of the graph replaces, and whose "
                    "memory it changes under another name, perhaps before: the loop carries a "
                    "tensor, which shows no such change",
                    f"Replace {spot.label!r} at the beginning of the loop's body, or let the other "
                    "name have a copy, `a.copy()`.",
                )
            )


def _is_alive_beside(spot: Location, value: Any, functions: tuple) -> bool:
    """Whether an array is held elsewhere than in a place."""
    spot.put(None)
    try:
        return reading.is_alive(memory_of(value), functions)
    finally:
        spot.put(value)


def may_stay(left: Any) -> bool:
    """Whether what an iteration that is being traced leaves may be what it began with, by a branch
    or a loop in it."""
    made = [_core.made_by(v) for v in structure.leaves_of(left) if type(v) is _core.SymbolicTensor]
    return any(one is not None and one[0] in reading.CONSTRUCTS for one in made)
