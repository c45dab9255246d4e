"""Shared by the operation modules: access to the core, and small checks of values."""

from __future__ import annotations

from ..hints import Any
from ..native import FG, Tensor, _core
from ..values import errors
from ..values.composite import IndexedSlices
from ..values.dtypes import DType, as_dtype, bool, dtype_or, float32, float64, int32, int64, string
from ..values.errors import shown
from ..values.tensor_shape import TensorShape

__all__ = [
    "DROP",
    "KEEP",
    "DType",
    "Tensor",
    "TensorLike",
    "TensorShape",
    "all_axes",
    "as_dtype",
    "as_list",
    "axis_error",
    "binary",
    "bool",
    "convert",
    "convert_all",
    "convert_pair",
    "dtype_or",
    "emit",
    "executing_eagerly",
    "float32",
    "float64",
    "int32",
    "int64",
    "int_vector",
    "integers",
    "is_slices",
    "is_symbolic",
    "is_tensor",
    "known_rank",
    "known_size",
    "listed",
    "map_values",
    "pack",
    "rank_of",
    "refined",
    "refusal",
    "shape_argument",
    "static_value",
    "string",
    "swapped_axes",
]

# What converts to a tensor: tensors, variables, numbers, strings, arrays, nests of them.
TensorLike = Any

emit = _core.emit
binary = _core.binary
convert = _core.convert_to_tensor
executing_eagerly = _core.executing_eagerly
is_symbolic = _core.is_symbolic
_TENSORS = (_core.Tensor, _core.VariableBase)

# The two attribute sets that reductions have, made once.
KEEP = {"keep_dims": True}
DROP = {"keep_dims": False}


def is_tensor(value: TensorLike) -> Any:
    """Whether ``value`` is a tensor or a variable."""
    return isinstance(value, _TENSORS)


def is_slices(value: TensorLike) -> Any:
    """Whether ``value`` holds some rows of a larger tensor, as ``IndexedSlices`` does."""
    return isinstance(value, IndexedSlices)


def map_values(function: Any, value: TensorLike) -> Any:
    """``function`` of a tensor, or of the rows that ``IndexedSlices`` holds."""
    if not is_slices(value):
        return function(value)
    return type(value)(function(value.values), value.indices, value.dense_shape)


def convert_all(values: TensorLike, dtype: Any = None) -> Any:
    """All of ``values`` as tensors of one dtype: that of the first tensor among them.

    The list itself where they are tensors: to copy or drop a long one keeps other threads waiting.
    """
    if dtype is None:
        dtype = next((v.dtype for v in values if is_tensor(v)), None)
    if dtype is not None:
        if _are_tensors(values):
            return values
        return [v if is_tensor(v) else convert(v, dtype) for v in values]
    first = convert(values[0])
    return [first, *(convert(v, dtype_hint=first.dtype) for v in values[1:])]


def _are_tensors(values: Any) -> Any:
    for v in values:  # noqa: SIM110 - other threads may run between two steps, unlike in all()
        if not is_tensor(v):
            return False
    return True


def integers(value: TensorLike) -> Any:
    """``value`` as a tensor: of int32 where it is a list without elements."""
    return convert(value, dtype_hint=int32) if isinstance(value, (list, tuple)) else convert(value)


def convert_pair(x: TensorLike, y: TensorLike) -> Any:
    """Two operands as tensors, Python and NumPy values taking the dtype of a tensor beside them."""
    if is_tensor(x):
        x = convert(x)
        return x, convert(y) if is_tensor(y) else convert(y, x.dtype)
    if is_tensor(y):
        y = convert(y)
        return convert(x, y.dtype), y
    x = convert(x)
    return x, convert(y, x.dtype)


def known_size(tensor: TensorLike, axis: Any) -> Any:
    """The size of one axis of a tensor where it is known, else None."""
    shape = tensor.shape
    rank = shape.rank
    if rank is None or not -rank <= axis < rank:
        return None
    return shape.as_list()[axis]


def known_rank(tensor: Any, what: str) -> int:
    """The rank of a tensor, which ``what`` has to know while it is traced.

    Raises:
      ValueError: where it is unknown.
    """
    rank = tensor.ndim
    if rank is None:
        raise ValueError(f"{what} needs a tensor of known rank; give it with {FG}.ensure_shape")
    return rank


def static_value(value: TensorLike) -> Any:
    """The value as a NumPy array where it is known without running anything, else None."""
    if not is_tensor(value):
        import numpy as np

        return None if contains_tensor(value) else np.asarray(value)
    known = convert(value)._constant_value()
    return None if known is None else known.numpy()


def contains_tensor(value: TensorLike) -> Any:
    """Whether a nest of lists and tuples has a tensor inside."""
    if isinstance(value, (list, tuple)):
        return any(contains_tensor(v) for v in value)
    return is_tensor(value)


def pack(value: TensorLike, dtype: Any = None) -> Any:
    """A nest of lists and tuples with tensors inside as one tensor: what conversion does with them.

    Raises:
      ValueError, TypeError: where the items have different shapes or dtypes.
    """
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype)
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"cannot convert {shown(value)}, a {type(value).__name__}, to a tensor")
    wanted = _first_dtype(value) if dtype is None else dtype
    items = [_packed(item, wanted, casts=dtype is not None) for item in value]
    constant = _constant_pack(items)
    return constant if constant is not None else emit("Pack", items, {"axis": 0}, None)


_SMALL = 64


def _constant_pack(items: list[Any]) -> Any:
    """The constant that a few known integers of a graph make: an argument of shapes; else None."""
    if executing_eagerly() or len(items) > _SMALL or not all(i.dtype.is_integer for i in items):
        return None
    known = [item._constant_value() for item in items]
    if any(k is None or k.shape.rank > 1 for k in known) or len({i.dtype for i in items}) > 1:
        return None
    return convert([k.numpy().tolist() for k in known], items[0].dtype)


def _packed(item: Any, dtype: Any, casts: Any) -> Any:
    """An item as a tensor; where the program names the dtype, tensors are cast to it."""
    if is_tensor(item):
        if casts and item.dtype != as_dtype(dtype):
            return emit("Cast", (item,), {"DstT": as_dtype(dtype)}, None)
        return convert(item, dtype)
    return pack(item, dtype) if contains_tensor(item) else convert(item, dtype)


def _first_dtype(value: Any) -> Any:
    """The dtype of the first tensor inside a nest."""
    if is_tensor(value):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return next((d for d in map(_first_dtype, value) if d is not None), None)
    return None


def as_list(value: TensorLike) -> Any:
    """A list of what may be one item or a sequence of them."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def listed(outputs: Any) -> Any:
    """The outputs of an operation with a variable number of them, always as a list."""
    if outputs is None:
        return []
    return outputs if isinstance(outputs, list) else [outputs]


def int_vector(value: TensorLike, dtype: Any = int32) -> Any:
    """Integers as a tensor or something that converts to one: an empty list alone would become
    floats, one with truth values or tensors of other dtypes would take theirs.
    """
    if value is True or value is False:
        return int(value)
    if isinstance(value, (list, tuple)) and (not value or _has_others(value)):
        return convert(list(map(int_vector, value)) if value else value, dtype)
    return value


def _has_others(value: Any) -> Any:
    """Whether a nest has truth values in it, or tensors of other dtypes than those of indices."""
    if isinstance(value, (list, tuple)):
        return any(map(_has_others, value))
    if is_tensor(value):
        return value.dtype.name not in ("int32", "int64")
    return value is True or value is False


_LISTS, _PLAIN = (list, tuple), frozenset({int})


def shape_argument(shape: TensorLike) -> Any:
    """A shape as the operations take it: a vector of integers."""
    if shape.__class__ in _LISTS and shape and _PLAIN.issuperset(map(type, shape)):
        return shape
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError(f"a fully known shape is needed here, got {shown(shape)}")
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)):
        if not shape:
            return convert((), int32)
        if any(map(_is_open, shape)):
            shape = [_whole(size) for size in shape]
        if any(size is None for size in shape):
            raise ValueError(
                f"a fully known shape is needed here, got {list(shape)}; "
                f"take unknown sizes from {FG}.shape(tensor)"
            )
    if isinstance(shape, int):
        return convert((shape,), int32)
    return shape


def _is_open(size: Any) -> Any:
    """Whether a size of a shape may not be an integer, or not a scalar."""
    return isinstance(size, Tensor) and (size.dtype.is_floating or size.ndim is None)


def _whole(size: Any) -> Any:
    """A size that was computed with floats, or is of unknown rank. ValueError for a fraction; where
    it is unknown until the graph runs, that is checked then, as is that it is a scalar.
    """
    if not isinstance(size, Tensor):
        return size
    if size.ndim is None:
        size = emit("EnsureShape", (size,), {"shape": TensorShape([])}, None)
    if not size.dtype.is_floating:
        return size
    known = size._constant_value()
    if known is None:
        whole = emit("Cast", (size,), {"DstT": int32}, None)
        again = emit("Cast", (whole,), {"DstT": size.dtype}, None)
        text = convert("a size of a shape must be a whole number, got")
        emit("Assert", (emit("Equal", (again, size), None, None), text, size), None, None)
        return whole
    if float(known) != int(known):
        raise ValueError(f"a size of a shape must be a whole number, got {float(known)}")
    return int(known)


def refined(tensor: Any, *sizes: Any) -> Any:
    """``tensor``, of which a trace knows these sizes from now on; None and tensors tell nothing."""
    if not executing_eagerly():
        tensor.set_shape([size if isinstance(size, int) else None for size in sizes])
    return tensor


def axis_error(axis: Any, shape: TensorLike) -> Any:
    """The exception for an axis that a shape does not have."""
    return refusal(f"axis {axis} is outside of a tensor of shape {shape}")


def refusal(text: str) -> Any:
    """The exception for arguments that do not fit: when run, or while a function is traced."""
    if executing_eagerly():
        return errors.InvalidArgumentError(None, None, text)
    return ValueError(text)


def rank_of(tensor: TensorLike) -> Any:
    """The rank of a tensor: a number where it is known, else a scalar tensor."""
    rank = tensor.ndim
    return emit("Rank", (tensor,), None, None) if rank is None else rank


_axes: dict[int, Any] = {}  # all of a tensor, by its rank, for what runs at once


def all_axes(tensor: TensorLike) -> Any:
    """Every axis of a tensor, as the reductions take them."""
    rank = rank_of(tensor)
    if is_tensor(rank):
        return emit("Range", (0, rank, 1), None, None)
    if rank == 1:
        return 0
    if not _core.executing_eagerly():
        return convert(tuple(range(rank)), int32)
    if rank not in _axes:
        _axes[rank] = convert(tuple(range(rank)), int32)
    return _axes[rank]


def swapped_axes(tensor: TensorLike, axis: int) -> Any:
    """The order of axes in which ``axis`` and the last one have changed places."""
    rank = rank_of(tensor)
    if not is_tensor(rank):
        order = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
        return order
    place = axis if axis >= 0 else emit("AddV2", (rank, axis), None, None)
    last = emit("Sub", (rank, 1), None, None)
    axes = emit("Range", (0, rank, 1), None, None)
    order = emit("SelectV2", (emit("Equal", (axes, place), None, None), last, axes), None, None)
    return emit("SelectV2", (emit("Equal", (axes, last), None, None), place, order), None, None)
