"""Aliases of symbolic values: arrays that share memory, and comparisons of identity."""

from __future__ import annotations

import types
from collections.abc import Container, Iterable

from ..context import ownership, tracebacks
from ..heap import aliasing, frames, liveness, structure
from ..heap.adapters.builtin_classes import NUMBERS
from ..heap.location import Location
from ..heap.reachable import Walk
from ..heap.source_location import diagnostic, here
from ..heap.structure import arrays_in, is_array, memory_of
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import errors
from ..values.composite import CompositeTensor
from . import merged_values, python_scalars
from .merged_values import stands_for_array
from .values import is_symbolic, key_of


def note_arrays(
    arrays: Iterable[tuple[str, Any]], snapshot: Any, place: str, changed: Container[int] = ()
) -> None:
    """The same for arrays that are tensors in the graph from now on, under names; ``changed`` has
    the ids of objects that were changed, and whose arrays have other names, too."""
    for label, array in arrays:
        memory = memory_of(array)
        known = [m for m in memory if snapshot is None or snapshot.knows(m)]
        if not known or not (liveness.is_alive(memory) or frames.are_held()):
            continue
        if any(id(m) in changed for m in known):
            raise _shown_twice(label, array, place)
        for frame in frames.frames():
            label = label or frames.stored_next(frame)
            if label.rpartition(".")[2] in frames.augmented(frame.f_code):
                raise in_place(label, array, place)
        aliasing.keep([array], None, label, place)


def _shown_twice(label: str, array: Any, place: str) -> Exception:
    """The refusal to merge an array whose memory a branch changed, and which is read elsewhere."""
    called = repr(label) if label else "what is chosen here"
    return errors.StagingError(
        diagnostic(
            place,
            f"{called} is an array ({type(array).__name__}) that shares memory with one that a "
            "staged branch changed in place, and code that follows reads the same memory under "
            "another name, too",
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
    """Refuse locations with arrays that a loop's functions change in place, if others read them."""
    for spot, value in found:
        if not stands_for_array(value):
            continue
        name = spot.label.rpartition(".")[2]
        names = {name} if name.isidentifier() else {"[]"}
        if all(names.isdisjoint(frames.augmented(f.__code__)) for f in functions):
            continue
        if is_symbolic(value):
            merged_values.refuse_beside(value, name if name.isidentifier() else "")
            continue
        if _is_alive_beside(spot, value, functions):
            raise in_place(spot.label, value, place)
        known = _thread.trace.aliases.sets
        for shown in memory_of(value) if known is not None else ():
            known.written(shown)


def refuse_replaced(
    carried: Iterable[tuple[Location, Any]], changed: Iterable[Location], place: str
) -> None:
    """Refuse locations whose arrays a loop replaces, if it changes these in place, too, as views of
    them do."""
    owners = {id(p.owner) for p in changed if is_array(p.owner)}
    if not owners:
        return
    for spot, value in carried:
        if id(spot.owner) in owners or all(id(a) not in owners for a in arrays_in(value)):
            continue
        raise errors.StagingError(
            diagnostic(
                place,
                f"{spot.label!r} is an array that this staged loop replaces, and whose memory it "
                "changes under another name: the loop carries a tensor, which shares no memory",
                "Let the other name have a copy, `a.copy()`.",
            )
        )


def _is_alive_beside(spot: Location, value: Any, functions: tuple) -> bool:
    """Whether an array is held elsewhere than in a place."""
    spot.put(None)
    try:
        return liveness.is_alive(memory_of(value), functions)
    finally:
        spot.put(value)


def may_stay(left: Any) -> bool:
    """Whether what an iteration that is being traced leaves may be what it began with, by a branch
    or a loop in it."""
    made = [_core.made_by(v) for v in structure.leaves_of(left) if is_symbolic(v)]
    return any(one is not None and one[0] in _CONSTRUCTS for one in made)


def note_identity(value: Any) -> None:
    """Note an object whose identity user code has read, since it must not be read of a merged
    one."""
    if _thread.trace is None:
        return
    python_scalars.refuse_number(value, "`id`")
    python_scalars.refuse_string(value)
    root = _thread.trace
    if root.aliases.identified is None:
        aliasing.Aliases.of_trace().identified = {}
    if is_symbolic(value) or isinstance(value, tuple):
        refuse_identity((value, known) for known in root.aliases.identified.values())
    aliasing.Aliases.of_trace().identified[id(value)] = value


def refuse_identity(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Refuse a comparison of the identity of two values where one may be merged of the other."""
    if _thread.trace is not None:
        aliasing.Aliases.of_trace().compares = True
    if any(a is not b and _may_be_one(a, b) for a, b in pairs):
        raise errors.StagingError(
            diagnostic(
                here(),
                "this line asks which object a value is that may be merged in a staged branch or "
                "loop, or an item of a list of the graph: the graph made a new object",
                "Keep a number beside it that says which one was chosen, and compare that.",
            )
        )


def _may_be_one(first: Any, second: Any) -> bool:
    """Whether two different values may be one object in plain Python: one is a merged value of the
    graph, and the other is of a class that it can represent."""
    if not (
        _thread.trace is not None and _thread.trace.effects.has_merged and _are_alike(first, second)
    ):
        return False
    if is_symbolic(first) and is_symbolic(second):
        are_new = is_new_tensor(first), is_new_tensor(second)
        if all(are_new):
            return False
        # A new object is none that existed before.
        return not (
            (are_new[0] and _was_before(second, first))
            or (are_new[1] and _was_before(first, second))
        )
    return _is_of_graph(first) or _is_of_graph(second)


def _are_alike(first: Any, second: Any) -> bool:
    """Whether two values may be one object by their classes."""
    if issubclass(type(first), tuple):
        return type(first) is type(second) and len(first) == len(second)
    return type(first) is type(second) or (_is_one_tensor(first) and _is_one_tensor(second))


def _is_one_tensor(value: Any) -> bool:
    """Whether one symbolic tensor can represent a value."""
    kind = type(value)
    if kind in NUMBERS or issubclass(kind, (_core.Tensor, str, bytes)):
        return True
    return hasattr(kind, "__array__") and hasattr(kind, "dtype")


def _is_of_graph(value: Any) -> bool:
    if is_symbolic(value):
        return True
    kind = type(value)
    if not (issubclass(kind, (tuple, CompositeTensor)) or hasattr(kind, "_component_list")):
        return False
    return any(map(is_symbolic, structure.leaves_of(value)))


# The operations that give one of what they are given, as an object of its own.
_CONSTRUCTS = frozenset({"If", "StatelessIf", "While", "StatelessWhile"})
_CHOICES = frozenset(
    {*_CONSTRUCTS, "Case", "StatelessCase", "SelectV2"}
    | {"TensorListGetItem", "TensorListPopBack", "GatherV2", "Unpack"}
    | {"Maximum", "Minimum", "Max", "Min"}
)


def is_new_tensor(tensor: Any) -> bool:
    """Whether a tensor was made by what makes one in plain Python, too."""
    if not is_symbolic(tensor):
        return False
    known = _thread.trace.aliases.made_anew
    if known and key_of(tensor) in known:
        return True
    made = _core.made_by(tensor)
    if made is None or made[0] in _CHOICES:
        return False
    return made[0] != "Placeholder" or tensor._graph_id not in _graphs()  # a variable of a loop


def _graphs() -> list[int]:
    """The graphs of the regions under construction, the innermost last."""
    return [region.region.graph_id for region in _thread.regions]


def note_new_tensor(tensor: Any) -> None:
    """Note a tensor that is a new object in plain Python, whatever operation gives it: the result
    of a user function, or of the last iteration of a loop that certainly has one."""
    root = _thread.trace
    if root.aliases.made_anew is None:
        aliasing.Aliases.of_trace().made_anew = set()
    aliasing.Aliases.of_trace().made_anew.add(key_of(tensor))


def _was_before(first: Any, second: Any) -> bool:
    """Whether one tensor was there when another one was made: earlier in the same graph, or in one
    around it, to which nothing is added meanwhile."""
    graphs = _graphs()
    if first._graph_id == second._graph_id:
        return bool(first._id < second._id)
    if second._graph_id not in graphs:
        return False
    at = graphs.index(second._graph_id)
    return first._graph_id not in graphs or graphs.index(first._graph_id) < at
