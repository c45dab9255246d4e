"""Ragged tensors from and to dense and sparse tensors, lists and arrays."""

from __future__ import annotations

from typing import Any

import ferrograph as fg

from ..native import _core
from . import partition
from .tensor import RaggedTensor, is_ragged

__all__ = ["from_sparse", "from_tensor", "to_list", "to_numpy", "to_sparse", "to_tensor"]


def to_tensor(ragged: RaggedTensor, default: Any, shape: Any) -> Any:
    """The rows as one tensor; places behind their ends hold ``default``."""
    sizes = _sizes(shape, ragged.shape.rank)
    inner = ragged.values
    if is_ragged(inner):
        inner = to_tensor(inner, default, [None, *sizes[2:]])
    elif any(size is not None for size in sizes[2:]):
        raise ValueError("to_tensor cuts and fills ragged axes only")
    splits = ragged.row_splits
    if default is None:
        default = fg.zeros([], inner.dtype)
    default = fg.convert_to_tensor(default, inner.dtype)
    filler = fg.broadcast_to(default, fg.concat([[1], fg.shape(inner)[1:]], 0))
    source = fg.concat([inner, filler], 0)
    lengths = ragged.row_lengths()
    width = sizes[1]
    if width is None:
        width = fg.reduce_max(fg.concat([[0], lengths], 0))
    columns = fg.range(fg.cast(width, splits.dtype))
    places = fg.expand_dims(splits[:-1], 1) + columns
    last = fg.shape(inner, splits.dtype)[0]
    inside = columns < fg.expand_dims(lengths, 1)
    made = fg.gather(source, fg.where(inside, places, last))
    return made if sizes[0] is None else _with_rows(made, sizes[0], filler)


def _with_rows(tensor: Any, count: Any, filler: Any) -> Any:
    """The tensor cut or filled up to ``count`` rows."""
    tensor = tensor[:count]
    missing = fg.maximum(fg.cast(count, fg.int32) - fg.shape(tensor)[0], 0)
    rows = fg.concat([[missing], fg.shape(tensor)[1:]], 0)
    return fg.concat([tensor, fg.broadcast_to(filler[0], rows)], 0)


def _sizes(shape: Any, rank: int | None) -> list:
    """A size or None for each axis; -1 means None."""
    if shape is None:
        return [None] * (rank or 2)
    if isinstance(shape, _core.Tensor):
        shape = fg.unstack(shape)
    sizes = (
        [None if isinstance(d, int) and d < 0 else d for d in fg.TensorShape(shape)]
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
    tensor = fg.convert_to_tensor(tensor)
    dtype = fg.int64 if dtype is None else fg.as_dtype(dtype)
    if not isinstance(ragged_rank, int) or ragged_rank < 1:
        raise ValueError(f"ragged_rank must be an int above 0, got {ragged_rank!r}")
    if tensor.shape.rank is not None and ragged_rank >= tensor.shape.rank:
        raise ValueError(f"ragged_rank {ragged_rank} is not below the rank of {tensor.shape}")
    nested = [] if lengths is None else _nested_lengths(lengths, dtype)
    if len(nested) > 1:
        return _by_lengths(tensor, nested)
    size = fg.shape(tensor, dtype)
    if ragged_rank > 1:
        flat = fg.reshape(tensor, fg.concat([[size[0] * size[1]], size[2:]], 0))
        inner = from_tensor(flat, lengths, padding, ragged_rank - 1, dtype)
        return RaggedTensor.from_uniform_row_length(inner, size[1], size[0])
    if padding is not None:
        nested = [_lengths_before(tensor, padding, dtype)]
    if nested:
        return _by_lengths(tensor, nested)
    known = tensor.shape[1] if tensor.shape.rank is not None else None
    values = fg.reshape(tensor, fg.concat([[size[0] * size[1]], size[2:]], 0))
    if tensor.shape.rank is not None:
        values.set_shape([None, *tensor.shape.as_list()[2:]])
    return RaggedTensor(values, fg.range(size[0] + 1) * size[1], known)


def _nested_lengths(lengths: Any, dtype: Any) -> list:
    several = isinstance(lengths, (list, tuple)) and any(
        isinstance(n, (list, tuple, _core.Tensor)) and not _is_scalar(n) for n in lengths
    )
    found = list(lengths) if several else [lengths]
    return [fg.cast(partition.integers(n), dtype) for n in found]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, _core.Tensor) and value.shape.rank == 0


def _by_lengths(tensor: Any, nested: list) -> Any:
    """The first ``lengths`` of each row, along as many axes as there are lengths."""
    first, *rest = nested
    mask = fg.sequence_mask(first, fg.shape(tensor, first.dtype)[1])
    values = fg.boolean_mask(tensor, mask)
    if rest:
        values = _by_lengths(values, rest)
    return RaggedTensor.from_row_lengths(
        values, fg.minimum(first, fg.shape(tensor, first.dtype)[1])
    )


def _lengths_before(tensor: Any, padding: Any, dtype: Any) -> Any:
    """How long each row is without the padding at its end."""
    padding = fg.convert_to_tensor(padding, tensor.dtype)
    used = fg.not_equal(tensor, padding)
    rank = tensor.shape.rank
    if rank is not None and rank > 2:
        used = fg.reduce_any(used, axis=list(range(2, rank)))
    numbers = fg.range(1, fg.shape(tensor, dtype)[1] + 1)
    ends = fg.where(used, numbers, fg.zeros([], dtype))
    nothing = fg.zeros([fg.shape(tensor)[0], 1], dtype)
    return fg.reduce_max(fg.concat([nothing, ends], 1), axis=1)


def to_sparse(ragged: RaggedTensor) -> Any:
    """The values at their coordinates."""
    numbers = partition.rowids(ragged.row_splits)
    columns = partition.offsets(ragged.row_splits, numbers)
    inner = ragged.values
    shape = fg.cast(ragged.bounding_shape(), fg.int64)
    here = fg.cast(fg.stack([numbers, columns], 1), fg.int64)
    if is_ragged(inner):
        deeper = inner.to_sparse()
        coordinates = fg.gather(here, deeper.indices[:, 0])
        indices = fg.concat([coordinates, deeper.indices[:, 1:]], 1)
        return fg.SparseTensor(indices, deeper.values, shape)
    if inner.shape.rank is not None and inner.shape.rank > 1:
        from ..sparse.build import all_of

        inner = all_of(inner)
        indices = fg.concat([fg.gather(here, inner.indices[:, 0]), inner.indices[:, 1:]], 1)
        return fg.SparseTensor(indices, inner.values, shape)
    return fg.SparseTensor(here, inner, shape)


def from_sparse(sparse: Any, dtype: Any) -> RaggedTensor:
    """The rows of a sparse matrix whose rows are filled from their beginning."""
    if not hasattr(sparse, "dense_shape") or not hasattr(sparse, "indices"):
        raise TypeError(f"expected a SparseTensor, got {type(sparse).__name__}")
    if sparse.shape.rank not in (2, None):
        raise ValueError(f"from_sparse takes matrices, got shape {sparse.shape}")
    dtype = fg.int64 if dtype is None else fg.as_dtype(dtype)
    numbers, columns = sparse.indices[:, 0], sparse.indices[:, 1]
    made = RaggedTensor.from_value_rowids(
        sparse.values, fg.cast(numbers, dtype), fg.cast(sparse.dense_shape[0], dtype)
    )
    expected = partition.offsets(made.row_splits, fg.cast(numbers, dtype))
    filled = fg.reduce_all(fg.equal(expected, fg.cast(columns, dtype)))
    partition.require(filled, "from_sparse: a row is not filled from its beginning, in order")
    return made


def to_list(ragged: RaggedTensor) -> list:
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
