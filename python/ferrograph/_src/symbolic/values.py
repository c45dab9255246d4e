"""Symbolic values: how tensors, numbers and structures become operands, what a tensor is made of,
and the provenance of values that do not match.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence, Set

from .. import ops
from ..context import sources
from ..context.thread import current_region
from ..heap.adapters import TENSOR_LITERALS
from ..heap.location import UNDEFINED
from ..heap.source_location import refusal
from ..heap.structure import leaves_of, pack
from ..heap.trace_context import TracePart
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..values import dtypes, errors
from ..values.errors import shown

_MOST = 10_000  # operations to look through


class AbstractValue:
    """What a tensor represents, as the modules of facts note it: by default a tensor in plain
    Python, too.

    The flag of a number or an integer may be a function that takes it from the outputs of a merge.
    """

    is_text = False  # a Python string
    is_foreign = False  # a NumPy scalar or array, or bytes
    is_tensor = False  # a tensor in plain Python, whatever it is made of
    number: Any = None  # see ``python_scalars.Number``
    is_certain = False  # whether a variable of a loop certainly is a number at the start
    integer: Any = None  # see ``ranges.Fact``
    made_of: Iterable = ()  # the keys of integers of which one was made
    arrays: Sequence = ()  # an array that is one of these, or shares their memory
    # Of one of several variables: its name and place, and see ``abstract_value.note_variable``.
    label: str | None = None
    place: Any = None
    handles: Set = frozenset()
    ran: Any = None
    tensor: Any = None

    def add(self, other: AbstractValue) -> None:
        """Take in what else it may be, as ``abstract_value.summary`` says."""
        self.is_text = self.is_text and other.is_text
        self.number = self.number or other.number
        self.integer = self.integer or other.integer


class Values(TracePart):
    """The abstract values of a trace's tensors, and whether there are some of a kind."""

    slot = "values"

    numbers = texts = foreign = arrays = variables = False

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], AbstractValue] = {}
        self.memory: dict[Any, Any] = {}  # whose memory an array has
        self.held: list = []  # arrays that keep their places in it


def key_of(tensor: Any) -> tuple[int, int]:
    """What tells a tensor from others of the trace."""
    return tensor._graph_id, tensor._id


def known(tensor: Any) -> AbstractValue | None:
    """What is noted of a tensor; None where nothing is."""
    noted = _thread.trace.values.known if _thread.trace is not None else None
    return noted.get(key_of(tensor)) if noted else None


def noted(tensor: Any) -> AbstractValue:
    """What is noted of a tensor of the trace, to be added to."""
    return Values.of_trace().known.setdefault(key_of(tensor), AbstractValue())


def walk(tensor: Any, step: Callable[[Any], Sequence | None], most: int = _MOST) -> bool:
    """Whether a ``step`` can be taken to a tensor, and to each that it gives after that: None
    ends the walk, and so do more than that."""
    pending, seen = [tensor], set()
    while pending:
        key = key_of(value := pending.pop())
        if key not in seen:
            seen.add(key)
            inner = step(value)
            if inner is None or len(seen) > most:
                return False
            pending += inner
    return True


def is_made_of(
    tensor: Any, fact: Callable[[AbstractValue], Any], parts: Callable[[Any], Sequence | None]
) -> bool | None:
    """Whether a tensor is, or is made of, tensors of which a ``fact`` is noted, and numbers, as
    ``parts`` takes them apart: False where none is, None where something else is among them."""
    found = []

    def step(value: Any) -> Sequence | None:
        found_there = known(value)
        if found_there is not None and fact(found_there):
            found.append(value)
            return ()
        return parts(value)

    return bool(found) if walk(tensor, step) else None


def made_of(tensor: Any) -> Sequence:
    """The tensors that the operation takes which made a tensor."""
    made = _core.made_by(tensor)
    return () if made is None else made[1]


_CONVERTED = (_core.Tensor, _core.VariableBase)


def is_eager() -> bool:
    """Whether operations run at once on this thread."""
    return _core.executing_eagerly()


def is_tensor(value: Any) -> bool:
    return isinstance(value, _core.Tensor)


def is_converted(value: Any) -> bool:
    """Whether a value is a tensor, or a variable, which operations take as one."""
    return isinstance(value, _CONVERTED)


def is_symbolic(value: Any) -> bool:
    """Whether a value is a tensor of a graph under construction."""
    return type(value) is _core.SymbolicTensor


def is_staged(value: Any) -> bool:
    """Whether a decision on ``value`` belongs to the graph under construction."""
    kind = type(value)
    if kind is _core.SymbolicTensor:
        return True
    return issubclass(kind, _CONVERTED) and not _core.executing_eagerly()


def stands_for_variable(leaf: Any) -> bool:
    """Whether a value is a variable, or a tensor that represents a merged one."""
    if not is_symbolic(leaf):
        return isinstance(leaf, _core.VariableBase)
    value = known(leaf)
    return value is not None and bool(value.handles)


def can_be_tensor(leaf: Any) -> bool:
    """Whether a leaf of a structure can become a tensor: no member of an enumeration, and no other
    number or string that is more than its value."""
    if type(leaf) in TENSOR_LITERALS or issubclass(type(leaf), _CONVERTED):
        return True
    if not hasattr(type(leaf), "__array__") or not hasattr(leaf, "dtype"):
        return False
    return getattr(leaf.dtype, "kind", None) not in _NO_TENSORS


_NO_TENSORS = frozenset("VMm")  # the kinds of NumPy records, dates and time spans


_LEAST = 2.0**-149  # the least number of float32


def to_tensor(leaf: Any, dtype: Any = None) -> Any:
    """``leaf`` as a tensor of the current graph; a Python number takes ``dtype`` where it fits.

    TypeError where the tensor has another dtype than ``dtype``.
    """
    if dtype is not None and type(leaf) in TENSOR_LITERALS and fits(leaf, dtype):
        return _core.convert_to_tensor(leaf, dtype=dtype)
    if type(leaf) is int and leaf.bit_length() > 64:
        raise refusal(
            f"the Python int {leaf} crosses a staged branch or loop, where integers have 64 bits",
            "Keep it out of what the graph decides, or compute with floats.",
            kind=ValueError,
        )
    if type(leaf) is float and leaf and abs(leaf) < _LEAST:
        raise ValueError(
            f"{shown(leaf)} is closer to zero than float32 tells; start with "
            f"`{FG}.constant(value, {FG}.float64)`"
        )
    tensor = _core.convert_to_tensor(leaf)
    if dtype is not None and tensor.dtype != dtype:
        raise TypeError(f"{dtype.name} and {tensor.dtype.name}")
    return tensor


def fits(number: Any, dtype: Any) -> bool:
    """Whether a Python number can be a tensor of ``dtype``."""
    kind = type(number)
    if kind in (bool, str, bytes):
        return dtype == (dtypes.bool if kind is bool else dtypes.string)
    is_real = kind is not complex and dtype.is_floating
    return bool(dtype.is_complex or is_real or (kind is int and dtype.is_integer))


def common_dtype(leaves: list) -> Any:
    """The dtype of the tensors among ``leaves``, None where all are Python numbers."""
    for leaf in leaves:
        if type(leaf) not in TENSOR_LITERALS:
            return (
                _core.convert_to_tensor(leaf).dtype
                if not hasattr(leaf, "dtype")
                else dtype_of(leaf)
            )
    return None


def number_dtype(first: Any, second: Any) -> Any:
    """The dtype in which a Python int and a Python float meet, None for other pairs."""
    return dtypes.float32 if {type(first), type(second)} == {int, float} else None


def dtype_of(leaf: Any) -> Any:
    """The dtype of a tensor, a variable or an array."""
    return leaf.dtype if is_converted(leaf) else dtypes.as_dtype(leaf.dtype)


def static_shape(tensor: Any) -> list | None:
    """The dimensions of a tensor or an array as far as known, None for an unknown rank."""
    shape = tensor.shape
    if shape.__class__ is tuple:
        return [*shape]
    return None if shape.rank is None else shape.as_list()


def placeholder(leaf: Any) -> Any:
    """An unused tensor with the dtype and static shape of ``leaf``."""
    if not can_be_tensor(leaf):
        return leaf
    if type(leaf) in TENSOR_LITERALS:
        return _core.convert_to_tensor(type(leaf)())
    return blank(dtype_of(leaf), static_shape(leaf) if hasattr(leaf, "shape") else [])


def blank(dtype: Any, shape: Any) -> Any:
    """Zeros of a shape whose unknown dimensions are empty; of dtype variant a list of nothing."""
    if dtype == dtypes.variant:
        return _core.emit("TensorListReserve", (-1, 0), {"element_dtype": dtypes.float32})
    dims = [0 if d is None else int(d) for d in (shape or ())]
    return ops.zeros(dims, dtype)


def placeholder_like(value: Any) -> Any:
    """A structure of placeholders for a value that is set elsewhere."""
    if value is UNDEFINED:
        return value
    return pack(value, [placeholder(leaf) for leaf in leaves_of(value)])


def predicate(value: Any, where: str) -> Any:
    """Whether ``value`` is true as a scalar boolean tensor; ValueError for several elements."""
    tensor = _core.convert_to_tensor(value)
    tensor = truth(tensor, where)
    shape = static_shape(tensor)
    if shape == []:
        return tensor
    if shape is not None and any(d not in (1, None) for d in shape):
        raise refusal(
            f"a condition needs a single value, got a tensor of shape {tuple(shape)}",
            f"Reduce it with `{FG}.reduce_all` or `{FG}.reduce_any`.",
            where,
            kind=ValueError,
        )
    return ops.reshape(tensor, [])


def truth(tensor: Any, where: str) -> Any:
    """Whether the elements of a tensor are true, as Python takes numbers and strings."""
    if tensor.dtype == dtypes.bool:
        return tensor
    if tensor.dtype == dtypes.variant:
        raise refusal(
            "a value of dtype variant, such as a list of tensors, has no truth value",
            "Test a number of it, such as its length.",
            where,
            kind=ValueError,
        )
    return ops.not_equal(
        tensor, "" if tensor.dtype == dtypes.string else ops.zeros([], tensor.dtype)
    )


def has_tensor(value: Any) -> bool:
    """Whether there is a tensor in a value, or in the containers in it."""
    return _has(value, lambda v: is_tensor(v) or hasattr(type(v), "_component_list"))


def has_symbol(value: Any) -> bool:
    """Whether there is a tensor of a graph in a value, or in the containers in it."""
    return _has(value, is_symbolic)


def _has(value: Any, wanted: Callable[[Any], bool], seen: frozenset[int] = frozenset()) -> bool:
    if isinstance(value, (list, tuple, set, collections.deque, dict)):
        if id(value) in seen:
            return False
        around = seen | {id(value)}
        inner = value.values() if isinstance(value, dict) else value
        return any(_has(v, wanted, around) for v in inner)
    return wanted(value)


_NUMBERS = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str"}


def source(side: str, value: Any, region: Any = None) -> list[str]:
    """What a value, named by the side it is on, is, and the line that made it.

    ``region`` is the one that its tensor belongs to, if that is not the function's.
    """
    kind = _NUMBERS.get(type(value))
    if kind is not None:
        return [f"  {side}: the Python {kind} {errors.shown(value)}"]
    if not hasattr(value, "dtype"):
        return [f"  {side}: {type(value).__name__}"]
    shape = getattr(value, "shape", None)
    of_shape = "" if shape is None else f" of shape {shape}"
    text = f"  {side}: {dtypes.as_dtype(value.dtype).name}{of_shape}"
    place = _place(value, region or current_region())
    if place is None:
        return [text]
    file, line = place
    shown = sources.line(file, line).strip()
    return [f"{text}, made at {file}:{line}", *([f"    {shown}"] if shown else [])]


def _place(value: Any, region: Any) -> tuple[str, int] | None:
    """The file and line of the operation of ``region`` that made a tensor; None for others."""
    known = is_tensor(value) and region is not None
    if not known or region.graph_id != value._graph_id:
        return None
    name = value.name.rpartition(":")[0]
    for node in region.nodes():
        if node["name"] == name and node["op"] != "Placeholder" and node["origin"]:
            return node["origin"][:2]
    return None


def wider(first: Any, second: Any) -> Any:
    """Of two dtypes the one that the other is cast to."""
    order = [dtypes.bool, *_INTEGERS, dtypes.float16, dtypes.float32, dtypes.float64]
    known = [d for d in (first, second) if d in order]
    return max(known, key=order.index) if len(known) == 2 else first


_INTEGERS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def cast(label: str, dtype: Any) -> str:
    """The statement that gives a place another dtype."""
    return f"`{label} = {FG}.cast({label}, {FG}.{dtype.name})`"


def invariant(label: str, shape: list | None) -> str:
    """The statement that lets the shape of a variable of a loop change."""
    text = "None" if shape is None else str(shape)
    return (
        f"`{FG}.autograph.experimental.set_loop_options(shape_invariants="
        f"[({label}, {FG}.TensorShape({text}))])`"
    )
