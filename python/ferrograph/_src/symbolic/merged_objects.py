"""Merged objects: arrays that a staged branch or loop merged, of which the graph has tensors, and
comparisons of identity.

An array that is a tensor in the graph is refused where other code reads its memory. Operators of
such tensors are refused where NumPy works in another dtype.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable, Container, Iterable, Sequence

from .. import ops
from ..context import ownership, tracebacks
from ..context.locals import locals_of
from ..heap import aliasing, frames, liveness, structure
from ..heap.adapters import NUMBERS, WITH_OPERATORS
from ..heap.location import Location
from ..heap.reachable import Walk
from ..heap.source_location import here, refusal
from ..heap.structure import arrays_in, is_array, memory_of
from ..heap.trace_context import thread as _thread
from ..heap.trace_context import watch_operators
from ..hints import TYPE_CHECKING, Any
from ..native import FG, _core
from ..values import dtypes, errors
from ..values.composite import CompositeTensor
from . import python_scalars
from .values import (
    Values,
    is_converted,
    is_made_of,
    is_symbolic,
    key_of,
    known,
    noted,
    stands_for_variable,
)

if TYPE_CHECKING:
    from typing import NoReturn

# Arrays whose memory others may read.

# Operations that give views; regions read tensors of what is around them by the last one.
_VIEWS = frozenset({"StridedSlice", "Reshape", "Transpose", "ExpandDims", "Squeeze", "Identity"})
# The classes of arrays with the operators that tensors have.
_AS_TENSORS = frozenset({"ndarray", "memmap", "recarray"})


def mark_array(tensor: Any, *sources: Any) -> None:
    """Mark a tensor as a symbolic array, which may be one of ``sources``."""
    root = _thread.trace
    if root is not None and is_symbolic(tensor):
        noted(tensor).arrays = sources
        root.values.arrays = True
        if not root.containers.are_grown:
            root.watch()
        for source in sources:
            if _has_own_operators(source):
                raise refusal(
                    f"a `{type(source).__name__}` is merged by a staged branch or loop: the merged "
                    "value would be a tensor, whose operators differ",
                    "Choose between plain arrays, `np.asarray(a)`, or between tensors.",
                )
            if stands_for_array(source):
                root.values.memory[_memory(source)] = _memory(tensor)
        watch_operators(root)


def _has_own_operators(value: Any) -> bool:
    """Whether a value is an array of a class whose operators are others than those of tensors."""
    numpy = sys.modules.get("numpy")
    is_numpys = numpy is not None and isinstance(value, numpy.ndarray)
    return is_numpys and type(value).__name__ not in _AS_TENSORS


def is_symbolic_array(value: Any) -> bool:
    """Whether a value is a symbolic array, or is made of such ones."""
    if _thread.trace is None or not _thread.trace.values.arrays or not is_symbolic(value):
        return False
    if is_made_of(value, operator.attrgetter("arrays"), _parts) is not True:
        return False
    noted(value).arrays = noted(value).arrays or (value,)
    return True


def _parts(tensor: Any) -> Sequence | None:
    """The tensors of which a tensor is made; None where it is no array of NumPy in plain Python."""
    value, made = known(tensor), _core.made_by(tensor)
    if made is None or (value is not None and value.is_tensor):
        return None
    return () if made[0] == "Const" else made[1]


def stands_for_array(value: Any) -> bool:
    """Whether a value is such an array, or a symbolic one."""
    return is_symbolic_array(value) if is_symbolic(value) else is_array(value)


def note_arrays(
    arrays: Iterable[tuple[str, Any]], snapshot: Any, place: str, changed: Container[int] = ()
) -> None:
    """Note arrays that are tensors in the graph from now on, under names; ``changed`` has the ids
    of objects that were changed, and whose arrays have other names, too."""
    for label, held in arrays:
        memory = memory_of(held)
        shared = [m for m in memory if snapshot is None or snapshot.knows(m)]
        if not shared or not (liveness.is_alive(memory) or frames.are_held()):
            continue
        if any(id(m) in changed for m in shared):
            raise refusal(
                f"{repr(label) if label else 'what is chosen here'} is an array "
                f"({type(held).__name__}) that shares memory with one that a staged branch "
                "changed in place, and code that follows reads the same memory under another name, "
                "too",
                "Choose a copy (`a.copy()`), or make a tensor of it in the branch with "
                f"`{FG}.constant(a)`.",
                place,
            )
        for frame in frames.frames():
            label = label or frames.stored_next(frame)
            if label.rpartition(".")[2] in frames.augmented(frame.f_code):
                raise _in_place(label, place)
        aliasing.keep([held], None, label, place)


def _in_place(label: str, place: str) -> Exception:
    """The refusal of an augmented assignment to an array that is read elsewhere."""
    return refusal(
        f"{repr(label) if label else 'an element'} is an array that an augmented assignment "
        "changes in place, and that code reads under another name or in an object: the graph has a "
        "tensor instead, and would leave the array as it is",
        f"Write `{label or 'a'} = {label or 'a'} + ...`, or make a copy or a tensor of it before, "
        f"with `{FG}.constant(a)`.",
        place,
    )


def refuse_in_place(array: Any, acting: types.FrameType) -> None:
    """Refuse an operator beside a tensor, at which a frame is, that in plain Python changes an
    array in place which others read, too."""
    frame = next(frames.frames()) if _is_own(acting) else acting
    if not _changes_in_place(acting):
        return
    walk = Walk()
    walk.run((), [_thread.roots, *frames.live_values(frame)])
    if any(id(m) in walk.seen for m in memory_of(array)):
        raise _in_place(frames.stored_next(frame) or "the target", here())


def _is_own(frame: types.FrameType) -> bool:
    return ownership.is_own_file(frame.f_code.co_filename)


def _changes_in_place(frame: types.FrameType) -> bool:
    """Whether the operator at which a frame is changes its left operand."""
    is_own = _is_own(frame)
    return id(frame.f_code) in tracebacks.augmenting if is_own else frames.adds_in_place(frame)


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
            _refuse_beside(value, name if name.isidentifier() else "")
            continue
        spot.put(None)
        try:
            is_read = liveness.is_alive(memory_of(value), functions)
        finally:
            spot.put(value)
        if is_read:
            raise _in_place(spot.label, place)
        sets = _thread.trace.aliases.sets
        for shown in memory_of(value) if sets is not None else ():
            sets.written(shown)


def refuse_replaced(
    carried: Iterable[tuple[Location, Any]], changed: Iterable[Location], place: str
) -> None:
    """Refuse locations whose arrays a loop replaces, where it changes their memory, too."""
    owners = {id(p.owner) for p in changed if is_array(p.owner)}
    for spot, value in carried if owners else ():
        if id(spot.owner) not in owners and any(id(a) in owners for a in arrays_in(value)):
            raise refusal(
                f"{spot.label!r} is an array that this staged loop replaces, and whose memory "
                "it changes under another name: the loop carries a tensor, which shares no memory",
                f"Let {spot.label!r} or the other name have a copy, `a.copy()`, before the loop.",
                place,
            )


def _refuse_beside(tensor: Any, name: str) -> None:
    """Refuse to change a symbolic array in place, under a name or, for "", inside an object, if it
    is read elsewhere."""
    memory = _memory(tensor)
    names, held = (sum(_memory(v) == memory for v in found) for found in _read(name))
    if names or held > (0 if name else 1):
        raise _in_place(name, here())


def _memory(value: Any) -> Any:
    """What tells a tensor or an array, its views, and what it may be, from others."""
    values = Values.of_trace()
    if is_symbolic(value):
        while (made := _core.made_by(value)) is not None and made[0] in _VIEWS:
            value = made[1][0]
        key: Any = key_of(value)
    else:
        values.held.append(memory_of(value)[-1])
        key = id(values.held[-1])
    while (further := values.memory.get(key, key)) != key:
        key = further
    return key


def _read(name: str) -> tuple[list, list]:
    """The arrays that code which follows may read under names, each as often as it may, but for a
    name of the innermost function; and those that objects hold which it may read, or, without a
    name, which it has."""
    live: list[Any] = []
    more: list[Any] = []
    own = {name}
    for running in frames.frames():
        own = own | {frames.stored_next(running)}
        words, named = frames.words_of(running.f_code), locals_of(running)
        live += [named[n] for n in frames.read_later(running) - own if n in named]
        live += [running.f_globals[w] for w in words & set(running.f_globals)]
        more += [] if name else frames.values_in(running)
        own = own if running.f_code in tracebacks.parts else set()
    walk = Walk()
    walk.run((), [_thread.roots, *live, *more])
    held = [part for adapter, owner, held in walk.entries for part in adapter.parts(owner, held)]
    held += [part for value in walk.seen.values() if type(value) is tuple for part in value]
    first, second = ([v for v in found if is_symbolic(v) or is_array(v)] for found in (live, held))
    return first, second


def refuse_array_text(tensor: Any) -> None:
    """Refuse to print a symbolic array or NumPy scalar."""
    raise refusal(
        "a NumPy array from a staged branch or loop, or an element of one, is printed or "
        "formatted here: it is a tensor while tracing, which prints otherwise",
        f"Print a tensor, `{FG}.identity(a)`, or print before the branch or loop.",
    )


def refuse_rows(tensor: Any) -> None:
    """Refuse a list as the index of a symbolic array."""
    if is_symbolic_array(tensor):
        raise refusal(
            "an array from a staged branch or loop is indexed by a list, which takes several "
            "rows of an array, but one element of the tensor that it is while tracing",
            f"Write `{FG}.gather(a, rows)` for rows, `a[i, j]` for an element.",
        )


# Operators.

_ACTING = f"{__package__.rpartition('.')[0]}.autograph."  # modules that act for the program


def _is_programs(frame: types.FrameType) -> bool:
    """Whether an operator is in user code, or in a function that acts for it."""
    return not _is_own(frame) or frame.f_globals.get("__name__", "").startswith(_ACTING)


def stands_apart(value: Any, other: Any, sign: str, frame: types.FrameType) -> bool:
    """Whether the operator at which a frame is defers to ``other``, as the operator of the Python
    scalar or string does that the symbolic tensor represents. StagingError where that is known only
    in plain Python."""
    while frame.f_globals.get("__name__") == __name__ and frame.f_back is not None:
        frame = frame.f_back
    if not _is_programs(frame):
        return False
    if value.dtype == dtypes.string:
        return _is_foreign(other, (str,)) and python_scalars.is_symbolic_string(value)
    if _is_foreign(other, NUMBERS):
        return _is_number(value, f"`{sign}`", other) and _beside_a_number(value, other, sign)
    of_other = getattr(other, "dtype", None) if hasattr(other, "__array__") else dtypes.bool
    if value.dtype == dtypes.bool and of_other != dtypes.bool:
        python_scalars.refuse_truth(value, sign)
    may_change = hasattr(type(other), "__iadd__") and is_array(other)
    if may_change and python_scalars.is_symbolic_number(value):
        refuse_in_place(other, frame)
    return False


def _beside_a_number(value: Any, other: Any, sign: str) -> bool:
    if sign == "*" and issubclass(type(other), WITH_OPERATORS):
        python_scalars.refuse_number(value, "a repetition of a sequence")
    import numbers

    if sign in ("==", "!=") and issubclass(type(other), numbers.Number):
        python_scalars.refuse_number(value, f"`{sign}` beside a `{type(other).__name__}`")
    return True


def _is_foreign(other: Any, own: tuple[type, ...]) -> bool:
    """Whether the other operand of a number or string is neither of one of the ``own`` Python
    classes for these nor a tensor, a variable or an array: then its class alone decides what an
    operator does."""
    kind = type(other)
    return not (issubclass(kind, own) or is_converted(other) or hasattr(kind, "__array__"))


def _is_number(value: Any, use: str, other: Any) -> bool:
    """Whether a tensor is a symbolic Python number, refused where that depends on the graph."""
    if not python_scalars.is_symbolic_number(value):
        return False
    if python_scalars.standing(value) is not True:
        python_scalars.refuse_number(value, f"{use} beside a `{type(other).__name__}`")
    return True


def scalar_beside_sequence(value: Any, other: Any) -> bool:
    """Whether ``value`` is a symbolic Python number or string and ``other`` a sequence, which is no
    string beside a string."""
    kind = type(other)
    if not issubclass(kind, WITH_OPERATORS):
        return False
    is_text = not issubclass(kind, str) and python_scalars.is_symbolic_string(value)
    return is_text or _is_number(value, "`==`", other)


# The operators that NumPy has, with its functions for them.
_OPERATORS: dict[str, tuple[Callable, str]] = {
    "+": (operator.add, "add"),
    "-": (operator.sub, "subtract"),
    "*": (operator.mul, "multiply"),
    "/": (operator.truediv, "true_divide"),
    "//": (operator.floordiv, "floor_divide"),
    "%": (operator.mod, "remainder"),
    "**": (operator.pow, "power"),
    "@": (operator.matmul, "matmul"),
    "&": (operator.and_, "bitwise_and"),
    "|": (operator.or_, "bitwise_or"),
    "^": (operator.xor, "bitwise_xor"),
    "==": (ops.equal, "equal"),
    "!=": (ops.not_equal, "not_equal"),
    "<": (operator.lt, "less"),
    "<=": (operator.le, "less_equal"),
    ">": (operator.gt, "greater"),
    ">=": (operator.ge, "greater_equal"),
}


def result(tensor: Any, other: Any, sign: str, swapped: bool, frame: types.FrameType) -> Any:
    """What an operator at which a frame is gives as NumPy has it; None where the plain one holds.

    The tensor is the right operand where they are ``swapped``.
    """
    if not (_is_programs(frame) and may_stand_for_numpys(tensor)):
        return None
    is_changed = swapped and is_array(other) and _changes_in_place(frame)
    if is_changed:
        refuse_in_place(other, frame)
    found = _as_in_numpy(sign, tensor, other, swapped)
    return _put_in_place(sign, other, found) if is_changed else found


def in_place(tensor: Any, other: Any, sign: str) -> Any:
    """The result of an augmented assignment to a symbolic array; NotImplemented for other
    tensors."""
    if sign not in _OPERATORS or not is_symbolic_array(tensor):
        return NotImplemented
    frame = next(frames.frames(), None)
    target = "" if frame is None else frames.stored_next(frame)
    _refuse_beside(tensor, "" if target.startswith("ag__") else target)
    if not may_stand_for_numpys(tensor):
        return NotImplemented
    return _put_in_place(sign, tensor, _as_in_numpy(sign, tensor, other, False))


def _put_in_place(sign: str, changed: Any, result: Any) -> Any:
    """The result of an operator, which an array that is changed in place must have room for."""
    dtype, shape = dtypes.as_dtype(changed.dtype), changed.shape
    if result.dtype != dtype or not result.shape.is_compatible_with(shape):
        _refuse_operator(sign, "changes the dtype or the shape in place")
    return result


def may_stand_for_numpys(value: Any) -> bool:
    """Whether a value is, or may be, a symbolic NumPy array or scalar."""
    if not is_symbolic(value) or value.dtype == dtypes.string:
        return False
    return python_scalars.may_be_foreign(value)


def equal(left: Any, right: Any) -> Any:
    """``left == right`` of two values of which one may be a symbolic NumPy array or scalar."""
    for tensor, other in ((left, right), (right, left)):
        if may_stand_for_numpys(tensor):
            return _as_in_numpy("==", tensor, other, False)
    return ops.equal(left, right)


def refuse_among_objects(value: Any) -> None:
    """Refuse to look for an array among objects with which no tensor compares."""
    if may_stand_for_numpys(value) and value.shape.rank != 0:
        _refuse_operator("==", "compares each element with an object")


def _as_in_numpy(sign: str, tensor: Any, other: Any, swapped: bool) -> Any:
    """The result of an operator on an array or a scalar and another operand, refused where NumPy
    gives another dtype."""
    plain, name = _OPERATORS[sign]
    sides = (other, tensor) if swapped else (tensor, other)
    if isinstance(other, WITH_OPERATORS) or _has_own_operators(other):
        _refuse_operator(sign, f"meets a `{type(other).__name__}`, of which NumPy makes an array")
    if other is None and plain in (ops.equal, ops.not_equal):
        refuse_among_objects(tensor)
        return plain is ops.not_equal
    samples = [_sample(side, sign == "**" and side is sides[1]) for side in sides]
    if any(sample is None for sample in samples):
        result = plain(*sides)
        is_strong = is_converted(other) and not python_scalars.is_symbolic_number(other)
        return python_scalars.note_tensor(result) if is_strong else result
    numpy = sys.modules["numpy"]
    try:
        with numpy.errstate(all="ignore"):
            given = dtypes.as_dtype(getattr(numpy, name)(*samples).dtype)
        compared = dtypes.as_dtype(numpy.result_type(*samples))
        result = plain(*sides)
    except (TypeError, ValueError, OverflowError, errors.InvalidArgumentError) as error:
        _refuse_operator(sign, f"fails in NumPy, or in the graph: {error}")
    found = tensor.dtype if given == dtypes.bool else result.dtype
    if found != (compared if given == dtypes.bool else given):
        _refuse_operator(sign, f"works in another dtype in NumPy than in the graph, {found.name}")
    return result


def _sample(value: Any, as_it_is: bool = False) -> Any:
    """A sample with the dtype, and the number of dimensions, of a NumPy array or scalar; arrays
    ``as_it_is`` where wanted. None for what NumPy makes no array of."""
    numpy = sys.modules["numpy"]
    if type(value) in NUMBERS or isinstance(value, numpy.generic):
        return value
    if isinstance(value, numpy.ndarray):
        return value if as_it_is else numpy.ones((1,) * value.ndim, value.dtype)
    if may_stand_for_numpys(value):
        rank = 1 if value.shape.rank is None else value.shape.rank
        return numpy.ones((1,) * rank, value.dtype.as_numpy_dtype)
    return None


def _refuse_operator(sign: str, problem: str) -> NoReturn:
    """Refuse an operator that differs in NumPy for the value that a tensor represents, or does not
    exist."""
    raise refusal(
        f"`{sign}` of a NumPy array or number from a staged branch or loop {problem}: it is a "
        "tensor while tracing, for which that differs",
        "Give both one dtype and shapes that go together, `np.asarray(a, dtype)`, before the "
        "branch or loop, or write it with functions of `fg`.",
    ) from None


# Comparisons of identity.


def may_stay(left: Any) -> bool:
    """Whether what an iteration that is being traced leaves may be what it began with, by a branch
    or a loop in it."""
    made = [_core.made_by(v) for v in structure.leaves_of(left) if is_symbolic(v)]
    return any(one is not None and one[0] in _CONSTRUCTS for one in made)


_CONSTRUCTS = frozenset({"If", "StatelessIf", "While", "StatelessWhile"})


def note_identity(value: Any) -> None:
    """Note an object whose identity user code has read, since it must not be read of a merged
    one."""
    if _thread.trace is None:
        return
    python_scalars.refuse_number(value, "`id`")
    python_scalars.refuse_string(value)
    known = aliasing.Aliases.of_trace().identified
    if is_symbolic(value) or isinstance(value, tuple):
        refuse_identity((value, other) for other in known.values())
    known[id(value)] = value


def refuse_identity(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Refuse a comparison of the identity of two values where one may be merged of the other."""
    if any(a is not b and _may_be_one(a, b) for a, b in pairs):
        raise refusal(
            "this line asks which object a value is that may be merged in a staged branch or "
            "loop, or an item of a list of the graph: the graph made a new object",
            "Keep a number beside it that says which one was chosen, and compare that.",
        )


def refuse_variable_identity(compared: Iterable[Any]) -> None:
    """Refuse a comparison of the identity of a merged variable."""
    if any(is_symbolic(v) and stands_for_variable(v) for v in compared):
        raise refusal(
            "this line asks which object a variable from a staged branch or loop is (`is`, "
            "`id`): the graph has only its value",
            "Keep a number beside it that says which one was chosen, and compare that.",
        )


def _may_be_one(first: Any, second: Any) -> bool:
    """Whether two different values may be one object in plain Python: one is a merged value of the
    graph, and the other is of a class that it can represent."""
    if not (
        _thread.trace is not None and _thread.trace.effects.has_merged and _are_alike(first, second)
    ):
        return False
    if is_symbolic(first) and is_symbolic(second):
        are_new = _is_new_tensor(first), _is_new_tensor(second)
        # A new object is none that existed before.
        is_other = (are_new[0] and _was_before(second, first)) or (
            are_new[1] and _was_before(first, second)
        )
        return not (all(are_new) or is_other)
    return _is_of_graph(first) or _is_of_graph(second)


def _was_before(first: Any, second: Any) -> bool:
    """Whether one tensor was there when another one was made: earlier in the same graph, or in one
    around it, to which nothing is added meanwhile."""
    if first._graph_id == second._graph_id:
        return bool(first._id < second._id)
    graphs = [region.region.graph_id for region in _thread.regions]
    if second._graph_id not in graphs:
        return False
    at = graphs.index(second._graph_id)
    return first._graph_id not in graphs or graphs.index(first._graph_id) < at


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
    kind = type(value)
    if issubclass(kind, (tuple, CompositeTensor)) or hasattr(kind, "_component_list"):
        return any(map(is_symbolic, structure.leaves_of(value)))
    return is_symbolic(value)


# The operations that give one of what they are given, as an object of its own.
_CHOICES = frozenset(
    {"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase", "SelectV2"}
    | {"TensorListGetItem", "TensorListPopBack", "GatherV2", "Unpack"}
    | {"Maximum", "Minimum", "Max", "Min"}
)


def _is_new_tensor(tensor: Any) -> bool:
    """Whether a tensor was made by what makes one in plain Python, too."""
    made = _core.made_by(tensor)
    if made is None or made[0] in _CHOICES:
        return False
    is_of_region = any(r.region.graph_id == tensor._graph_id for r in _thread.regions)
    return made[0] != "Placeholder" or not is_of_region  # where it is a variable of a loop
