"""Ragged tensors from and to dense and sparse tensors, lists and arrays."""

from __future__ import annotations

from itertools import islice
from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..ops._base import refined
from ..sparse.build import all_of
from ..sparse.tensor import SparseTensor
from ..values import dtypes
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from .tensor import RaggedTensor, is_ragged

__all__ = ["from_sparse", "from_tensor", "to_list", "to_numpy", "to_sparse", "to_tensor"]

_MOST_AXES = 254


def to_tensor(ragged: RaggedTensor, default: Any, shape: Any) -> Any:
    """The rows as one tensor; places behind their ends hold ``default``."""
    sizes = _sizes(shape, ragged.shape.rank)
    inner = ragged.values
    if is_ragged(inner):
        inner = to_tensor(inner, default, [None, *sizes[2:]])
    else:
        _check_inner(inner, sizes[2:])
    splits = ragged.row_splits
    if default is None:
        default = ops.zeros([], inner.dtype)
    default = _core.convert_to_tensor(default, inner.dtype)
    filler = ops.broadcast_to(default, ops.concat([[1], ops.shape(inner)[1:]], 0))
    source = ops.concat([inner, filler], 0)
    lengths = ragged.row_lengths()
    width = sizes[1]
    if width is None:
        width = ops.reduce_max(ops.concat([[0], lengths], 0))
    columns = ops.range(ops.cast(width, splits.dtype))
    places = ops.expand_dims(splits[:-1], 1) + columns
    last = ops.shape(inner, splits.dtype)[0]
    inside = columns < ops.expand_dims(lengths, 1)
    made = ops.gather(source, ops.where(inside, places, last))
    made = made if sizes[0] is None else _with_rows(made, sizes[0], filler)
    return made if shape is None or not _is_told(shape) else refined(made, *sizes)


def _is_told(shape: Any) -> bool:
    """Whether a shape that was asked for says the rank."""
    return not isinstance(shape, TensorShape) or shape.rank is not None


def _check_inner(inner: Any, sizes: list[Any]) -> None:
    """Refuse to cut or fill an axis of the innermost values: ValueError where the size told is
    known to differ, InvalidArgumentError where it does when run."""
    for axis, size in enumerate(sizes, 1):
        known = inner.shape[axis] if inner.shape.rank is not None else None
        if size is None or size is known:
            continue
        message = f"to_tensor cuts and fills ragged axes only: axis {axis + 1} of the shape"
        if isinstance(size, int) and known is not None:
            if size != known:
                raise ValueError(f"{message} is {known}, not {size}")
            continue
        same = ops.equal(ops.shape(inner, dtypes.int64)[axis], ops.cast(size, dtypes.int64))
        partition.require(same, f"{message} has another size")


def _with_rows(tensor: Any, count: Any, filler: Any) -> Any:
    """The tensor cut or filled up to ``count`` rows."""
    tensor = tensor[:count]
    missing = ops.maximum(ops.cast(count, dtypes.int32) - ops.shape(tensor)[0], 0)
    rows = ops.concat([[missing], ops.shape(tensor)[1:]], 0)
    return ops.concat([tensor, ops.broadcast_to(filler[0], rows)], 0)


def _sizes(shape: Any, rank: int | None) -> list[Any]:
    """A size or None for each axis; -1 means None."""
    if shape is None:
        return [None] * (rank or 2)
    if isinstance(shape, _core.Tensor):
        shape = ops.unstack(shape)
    elif not isinstance(shape, TensorShape):
        # Of what has no end, or hardly one, more than a tensor can have is enough to see it.
        shape = list(islice(shape, _MOST_AXES + 1))
    sizes = (
        [None if isinstance(d, int) and d < 0 else d for d in TensorShape(shape)]
        if not any(isinstance(d, _core.Tensor) for d in shape)
        else list(shape)
    )
    if rank is not None and len(sizes) != rank:
        raise ValueError(f"shape has {len(sizes)} axes, the ragged tensor {rank}")
    return sizes


def from_tensor(tensor: Any, lengths: Any, padding: Any, ragged_rank: int, dtype: Any) -> Any:
    """The rows of a tensor; see ``RaggedTensor.from_tensor``."""
    if lengths is not None and padding is not None:
        raise ValueError("from_tensor takes lengths or padding, not both")
    tensor = _core.convert_to_tensor(tensor)
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if not isinstance(ragged_rank, int) or ragged_rank < 1:
        raise ValueError(f"ragged_rank must be an int above 0, got {shown(ragged_rank)}")
    if tensor.shape.rank is not None and ragged_rank >= tensor.shape.rank:
        raise ValueError(f"ragged_rank {ragged_rank} is not below the rank of {tensor.shape}")
    nested = [] if lengths is None else _nested_lengths(lengths, dtype)
    if len(nested) > 1:
        return _by_lengths(tensor, nested)
    size = ops.shape(tensor, dtype)
    if ragged_rank > 1:
        flat = ops.reshape(tensor, ops.concat([[size[0] * size[1]], size[2:]], 0))
        inner = from_tensor(flat, lengths, padding, ragged_rank - 1, dtype)
        rows, length = (_size(tensor, size, axis) for axis in (0, 1))
        return RaggedTensor.from_uniform_row_length(inner, length, rows)
    if padding is not None:
        nested = [_lengths_before(tensor, padding, dtype)]
    if nested:
        return _by_lengths(tensor, nested)
    known = tensor.shape[1] if tensor.shape.rank is not None else None
    values = ops.reshape(tensor, ops.concat([[size[0] * size[1]], size[2:]], 0))
    if tensor.shape.rank is not None:
        values.set_shape([None, *tensor.shape.as_list()[2:]])
    return RaggedTensor(values, ops.range(size[0] + 1) * size[1], known)


def _size(tensor: Any, sizes: Any, axis: int) -> Any:
    """The size of an axis: a number where it is known."""
    known = tensor.shape[axis] if tensor.shape.rank is not None else None
    return sizes[axis] if known is None else known


def _nested_lengths(lengths: Any, dtype: Any) -> list[Any]:
    several = isinstance(lengths, (list, tuple)) and any(
        isinstance(n, (list, tuple, _core.Tensor)) and not _is_scalar(n) for n in lengths
    )
    found = list(lengths) if several else [lengths]
    return [ops.cast(partition.integers(n), dtype) for n in found]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, _core.Tensor) and value.shape.rank == 0


def _by_lengths(tensor: Any, nested: list[Any]) -> Any:
    """The first ``lengths`` of each row, along as many axes as there are lengths."""
    first, *rest = nested
    mask = ops.sequence_mask(first, ops.shape(tensor, first.dtype)[1])
    values = ops.boolean_mask(tensor, mask)
    if rest:
        values = _by_lengths(values, rest)
    return RaggedTensor.from_row_lengths(
        values, ops.minimum(first, ops.shape(tensor, first.dtype)[1])
    )


def _lengths_before(tensor: Any, padding: Any, dtype: Any) -> Any:
    """How long each row is without the padding at its end."""
    padding = _core.convert_to_tensor(padding, tensor.dtype)
    used = ops.not_equal(tensor, padding)
    if tensor.shape.rank is None:
        rows = ops.shape(tensor)
        used = ops.reshape(used, [rows[0], rows[1], ops.reduce_prod(rows[2:])])
    if (rank := len(used.shape)) > 2:
        used = ops.reduce_any(used, axis=list(range(2, rank)))
    numbers = ops.range(1, ops.shape(tensor, dtype)[1] + 1)
    ends = ops.where(used, numbers, ops.zeros([], dtype))
    nothing = ops.zeros([ops.shape(tensor)[0], 1], dtype)
    return ops.reduce_max(ops.concat([nothing, ends], 1), axis=1)


def to_sparse(ragged: RaggedTensor) -> Any:
    """The values at their coordinates."""
    numbers = partition.rowids(ragged.row_splits)
    columns = partition.offsets(ragged.row_splits, numbers)
    inner = ragged.values
    shape = ops.cast(ragged.bounding_shape(), dtypes.int64)
    here = ops.cast(ops.stack([numbers, columns], 1), dtypes.int64)
    if is_ragged(inner):
        deeper = inner.to_sparse()
        coordinates = ops.gather(here, deeper.indices[:, 0])
        indices = ops.concat([coordinates, deeper.indices[:, 1:]], 1)
        return SparseTensor(indices, deeper.values, shape)
    if inner.shape.rank is not None and inner.shape.rank > 1:
        inner = all_of(inner)
        indices = ops.concat([ops.gather(here, inner.indices[:, 0]), inner.indices[:, 1:]], 1)
        return SparseTensor(indices, inner.values, shape)
    return SparseTensor(here, inner, shape)


def from_sparse(sparse: Any, dtype: Any) -> RaggedTensor:
    """The rows of a sparse matrix whose rows are filled from their beginning."""
    if not hasattr(sparse, "dense_shape") or not hasattr(sparse, "indices"):
        raise TypeError(f"expected a SparseTensor, got {type(sparse).__name__}")
    if sparse.shape.rank not in (2, None):
        raise ValueError(f"from_sparse takes matrices, got shape {sparse.shape}")
    dtype = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    numbers, columns = sparse.indices[:, 0], sparse.indices[:, 1]
    made = RaggedTensor.from_value_rowids(
        sparse.values, ops.cast(numbers, dtype), ops.cast(sparse.dense_shape[0], dtype)
    )
    expected = partition.offsets(made.row_splits, ops.cast(numbers, dtype))
    filled = ops.reduce_all(ops.equal(expected, ops.cast(columns, dtype)))
    partition.require(filled, "from_sparse: a row is not filled from its beginning, in order")
    return made


def to_list(ragged: RaggedTensor) -> list[Any]:
    """Nested lists of Python values."""
    if _core.is_symbolic(ragged.row_splits) or _core.is_symbolic(ragged.flat_values):
        raise ValueError("RaggedTensor.to_list() needs values, which are not there while tracing")
    inner = ragged.values
    items = to_list(inner) if is_ragged(inner) else inner.numpy().tolist()
    splits = ragged.row_splits.numpy().tolist()
    return [items[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]


def to_numpy(ragged: RaggedTensor) -> Any:
    """An array of the rows."""
    import numpy as np

    splits = ragged.row_splits.numpy().tolist()
    inner = ragged.values.numpy()
    rows = [inner[a:b] for a, b in zip(splits[:-1], splits[1:], strict=True)]
    if len({row.shape for row in rows}) == 1 and inner.dtype != object:
        return np.stack(rows)
    made = np.empty(len(rows), object)
    for i, row in enumerate(rows):
        made[i] = row
    return made
