"""Sparse tensors from and to dense ones, and their rearrangements."""

from __future__ import annotations

from typing import Any

import ferrograph as fg

from ..values.tensor_shape import TensorShape
from .places import in_order, places, require, to_coordinates
from .tensor import SparseTensor, is_sparse, made

__all__ = [
    "all_of",
    "concat",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "slice",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]


def _sparse(value: Any) -> SparseTensor:
    if not is_sparse(value):
        raise TypeError(f"expected a SparseTensor, got {type(value).__name__}")
    return value


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (not empty, not False).

    >>> fg.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    tensor = fg.convert_to_tensor(tensor)
    used = tensor if tensor.dtype == fg.bool else fg.not_equal(tensor, fg.zeros([], tensor.dtype))
    indices = fg.where(used)
    values = fg.gather_nd(tensor, indices)
    return made(indices, values, fg.shape(tensor, fg.int64), tensor.shape)


def all_of(tensor: Any) -> SparseTensor:
    """All elements of a tensor, zeros as well."""
    indices = fg.where(fg.ones_like(tensor, fg.bool))
    return made(indices, fg.reshape(tensor, [-1]), fg.shape(tensor, fg.int64), tensor.shape)


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """The whole tensor, with ``default_value`` (zeros) where there is no element.

    InvalidArgumentError where indices are outside, repeated or not in row-major order; the last two
    are not checked with ``validate_indices=False``.

    >>> fg.sparse.to_dense(fg.SparseTensor([[1]], [5], [3])).numpy().tolist()
    [0, 5, 0]
    """
    sp = _sparse(sp_input)
    if validate_indices:
        numbers = places(sp.indices, sp.dense_shape)
        message = "to_dense: indices are repeated or not in row-major order; see sparse.reorder"
        require(fg.reduce_all(numbers[1:] > numbers[:-1]), message)
    if default_value is None:
        default_value = fg.zeros([], sp.dtype)
    blank = fg.fill(sp.dense_shape, fg.convert_to_tensor(default_value, sp.dtype))
    dense = fg.tensor_scatter_nd_update(blank, sp.indices, sp.values)
    dense.set_shape(sp.shape)
    return dense


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order of their indices."""
    return in_order(_sparse(sp_input))


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in another shape around them: by default the smallest."""
    sp = _sparse(sp_input)
    if new_shape is None:
        shape = fg.reduce_max(fg.concat([fg.zeros_like(sp.indices[:1]) - 1, sp.indices], 0), 0) + 1
    else:
        shape = fg.cast(fg.convert_to_tensor(new_shape), fg.int64)
        fits = fg.reduce_all(shape >= sp.dense_shape)
        require(fits, "reset_shape: the new shape must be at least the old one")
    return made(sp.indices, sp.values, shape)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order as a tensor of another shape; -1 is worked out."""
    sp = _sparse(sp_input)
    if isinstance(shape, TensorShape):
        shape = [-1 if d is None else d for d in shape.as_list()]
    wanted = fg.cast(fg.convert_to_tensor(shape), fg.int64)
    total = fg.reduce_prod(sp.dense_shape)
    known = fg.reduce_prod(fg.where(wanted == -1, fg.ones([], fg.int64), wanted))
    wanted = fg.where(wanted == -1, total // fg.maximum(known, 1), wanted)
    require(
        fg.equal(fg.reduce_prod(wanted), total),
        "sparse.reshape: the new shape has another number of elements",
    )
    numbers = places(sp.indices, sp.dense_shape)
    return made(to_coordinates(numbers, wanted), sp.values, wanted)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The tensor with its axes in another order: backwards unless told."""
    sp = _sparse(sp_input)
    if perm is None:
        perm = fg.range(fg.size(sp.dense_shape) - 1, -1, -1)
    indices = fg.gather(sp.indices, perm, axis=1)
    return in_order(made(indices, sp.values, fg.gather(sp.dense_shape, perm)))


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The block that begins at ``start``, at most of that size."""
    sp = _sparse(sp_input)
    start, size = (fg.cast(fg.convert_to_tensor(x), fg.int64) for x in (start, size))
    left = fg.maximum(sp.dense_shape - start, 0)
    size = fg.where(size < 0, left, fg.minimum(size, left))
    moved = sp.indices - start
    inside = fg.reduce_all(fg.logical_and(moved >= 0, moved < size), axis=1)
    return made(fg.boolean_mask(moved, inside), fg.boolean_mask(sp.values, inside), size)


def concat(
    axis: int,
    sp_inputs: Any,
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Sparse tensors joined along an axis.

    The other sizes must agree, unless ``expand_nonconcat_dims``, which takes the largest.
    """
    inputs = [_sparse(sp) for sp in sp_inputs]
    rank = inputs[0].shape.rank
    if rank is None:
        raise ValueError("sparse.concat needs tensors of known rank")
    axis = axis + rank if axis < 0 else axis
    along = fg.one_hot(axis, rank, dtype=fg.int64)
    across = fg.stack([sp.dense_shape * (1 - along) for sp in inputs])
    others = fg.reduce_max(across, axis=0)
    if not expand_nonconcat_dims:
        same = fg.reduce_all(fg.equal(across, fg.expand_dims(others, 0)))
        require(same, "sparse.concat: the sizes along the other axes differ")
    shift, moved = fg.zeros([], fg.int64), []
    for sp in inputs:
        moved.append(sp.indices + along * shift)
        shift = shift + sp.dense_shape[axis]
    values = fg.concat([sp.values for sp in inputs], 0)
    return in_order(made(fg.concat(moved, 0), values, others + along * shift))


def split(sp_input: Any, num_split: int, axis: int, name: str | None = None) -> list:
    """``num_split`` parts along an axis, the first ones longer by one where it does not go up."""
    sp = _sparse(sp_input)
    rank = sp.shape.rank
    if rank is None:
        raise ValueError("sparse.split needs a tensor of known rank")
    axis = axis + rank if axis < 0 else axis
    along = fg.one_hot(axis, rank, dtype=fg.int64)
    size = sp.dense_shape[axis]
    parts, start = [], fg.zeros([], fg.int64)
    for i in range(num_split):
        length = size // num_split + fg.cast(i < size % num_split, fg.int64)
        whole = sp.dense_shape * (1 - along) + along * length
        parts.append(slice(sp, along * start, whole))
        start = start + length
    return parts


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements for which a bool vector holds."""
    sp = _sparse(sp_input)
    kept = fg.convert_to_tensor(to_retain)
    if kept.shape.rank == 1:
        kept.shape.assert_is_compatible_with(sp.values.shape)
    indices, values = (fg.boolean_mask(x, kept) for x in (sp.indices, sp.values))
    return made(indices, values, sp.dense_shape, sp.shape)


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple:
    """The matrix with ``default_value`` first in every empty row, and which rows were empty."""
    sp = _sparse(sp_input)
    default = fg.convert_to_tensor(default_value, sp.dtype)
    rows = sp.dense_shape[0]
    ones = fg.ones_like(sp.indices[:, 0])
    empty = fg.equal(fg.math.unsorted_segment_sum(ones, sp.indices[:, 0], rows), 0)
    missing = fg.where(empty)
    tail = fg.zeros([fg.shape(missing)[0], fg.shape(sp.indices)[1] - 1], fg.int64)
    indices = fg.concat([sp.indices, fg.concat([missing, tail], 1)], 0)
    values = fg.concat([sp.values, fg.fill(fg.shape(missing)[:1], default)], 0)
    return in_order(made(indices, values, sp.dense_shape, sp.shape)), empty


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """A new axis of size 1: the last unless told."""
    sp = _sparse(sp_input)
    rank = sp.shape.rank
    if rank is None:
        raise ValueError("sparse.expand_dims needs a tensor of known rank")
    axis = -1 if axis is None else axis
    place = axis + rank + 1 if axis < 0 else axis
    if not 0 <= place <= rank:
        raise ValueError(f"axis {axis} is outside of a sparse tensor of rank {rank}")
    zeros = fg.zeros_like(sp.indices[:, :1])
    indices = fg.concat([sp.indices[:, :place], zeros, sp.indices[:, place:]], 1)
    one = fg.ones([1], fg.int64)
    return made(
        indices, sp.values, fg.concat([sp.dense_shape[:place], one, sp.dense_shape[place:]], 0)
    )


def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = None, name: str | None = None
) -> SparseTensor:
    """A matrix with ones on its diagonal."""
    rows = fg.cast(num_rows, fg.int64)
    columns = rows if num_columns is None else fg.cast(num_columns, fg.int64)
    places_ = fg.range(fg.minimum(rows, columns))
    values = fg.ones_like(places_, fg.float32 if dtype is None else dtype)
    return made(fg.stack([places_, places_], 1), values, fg.stack([rows, columns]))


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """True in the last axis at the numbers that the rows hold as elements."""
    sp = _sparse(sp_input)
    size = fg.cast(vocab_size, fg.int64)
    numbers = fg.expand_dims(fg.cast(sp.values, fg.int64), 1)
    indices = fg.concat([sp.indices[:, :-1], numbers], 1)
    shape = fg.concat([sp.dense_shape[:-1], fg.reshape(size, [1])], 0)
    ones = fg.ones_like(sp.values, fg.int32)
    return fg.scatter_nd(indices, ones, shape) > 0
