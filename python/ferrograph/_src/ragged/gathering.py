"""``gather`` and ``gather_nd`` where the values, the indices or both are ragged.

Every gather comes down to one of two: rows at the numbers of a vector (``_rows``), and places
within the rows of a batch (``_within``). An axis further in is an axis of the values of the rows;
more batch axes are one of the values of both.
"""

from __future__ import annotations

import builtins
from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..ops._numbers import whole
from .elementwise import same_splits
from .tensor import RaggedTensor, is_ragged

__all__ = ["gather", "gather_nd"]


def gather(params: Any, indices: Any, axis: Any = None, batch_dims: Any = 0) -> Any:
    """Slices of ``params`` along an axis at ``indices``, one or both of which are ragged.

    The result has the shape ``params.shape[:axis] + indices.shape[batch_dims:] +
    params.shape[axis + 1:]``.

    Raises:
      ValueError: for an axis or ``batch_dims`` out of range, indices of unknown rank, or an axis
        from the end of values of unknown rank.
      InvalidArgumentError: for an index that a row does not have, or batches that differ.
    """
    params, indices = (v if is_ragged(v) else _core.convert_to_tensor(v) for v in (params, indices))
    rank, depth = params.shape.rank, indices.shape.rank
    if depth is None:
        raise ValueError("gather of ragged tensors needs indices of known rank")
    batch = whole(batch_dims, "gather: batch_dims")
    batch = batch + depth if batch < 0 else batch
    axis = batch if axis is None else whole(axis, "gather: axis")
    if axis < 0 and rank is None:
        raise ValueError("gather: a negative axis needs values of known rank")
    axis = axis + rank if axis < 0 else axis
    if not 0 <= batch <= min(depth, depth if rank is None else rank - 1):
        raise ValueError(f"batch_dims {batch_dims} is outside of indices of rank {depth}")
    if not batch <= axis < (axis + 1 if rank is None else rank):
        last = "" if rank is None else f" to {rank - 1}"
        raise ValueError(f"axis {axis} is outside of the axes {batch}{last} behind batch_dims")
    return _gather(params, indices, axis, batch)


def _gather(params: Any, indices: Any, axis: int, batch: int) -> Any:
    if not is_ragged(params) and not is_ragged(indices):
        return ops.gather(params, indices, axis=axis, batch_dims=batch)
    if batch > 1:
        return _in_batches(params, indices, axis, batch)
    if axis > batch:
        return _further_in(params, indices, axis, batch)
    if batch:
        return _within(_partitioned(params), indices)
    if is_ragged(indices):
        return indices.with_values(_gather(params, indices.values, 0, 0))
    return _rows(params, indices)


def _partitioned(value: Any) -> RaggedTensor:
    """A value whose second axis is partitioned."""
    return value if is_ragged(value) else RaggedTensor.from_tensor(value)


def _in_batches(params: Any, indices: Any, axis: int, batch: int) -> RaggedTensor:
    """Over batches of several axes: over one, of the values of both."""
    rows, places = _partitioned(params), _partitioned(indices)
    same_splits(rows.row_splits, places.row_splits)
    outer = places if is_ragged(indices) else rows
    return outer.with_values(_gather(rows.values, places.values, axis - 1, batch - 1))


def _further_in(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Along an axis of the rows, where the indices are the same for all rows, or for those of one
    batch."""
    params = _partitioned(params)
    if batch:
        indices = _gather(indices, params.value_rowids(), 0, 0)
    elif axis == 1:
        return _within(params, _repeated(indices, params.nrows()))
    return RaggedTensor(
        _gather(params.values, indices, axis - 1, batch), params.row_splits, params._uniform
    )


def _repeated(value: Any, count: Any) -> Any:
    """The value so many times, along a new first axis."""
    zeros = ops.zeros(ops.reshape(count, [1]), count.dtype)
    return _gather(ops.expand_dims(value, 0), zeros, 0, 0)


def _within(params: RaggedTensor, indices: Any) -> Any:
    """Of each row what stands at the places that the same row of ``indices`` says."""
    splits = params.row_splits
    flat, levels = (indices.flat_values, indices._levels()) if is_ragged(indices) else (indices, ())
    count = indices.nrows() if levels else ops.shape(indices, splits.dtype)[0]
    alike = ops.equal(ops.cast(count, splits.dtype), params.nrows())
    partition.require(alike, "gather: values and indices have different numbers of batches")
    flat, numbers = ops.cast(flat, splits.dtype), ops.range(params.nrows())
    for level in levels:
        numbers = ops.gather(numbers, level.value_rowids())
    numbers = ops.reshape(numbers, ops.concat([[-1], [1] * (len(flat.shape) - 1)], 0))
    lengths = ops.gather(params.row_lengths(), numbers)
    fits = ops.reduce_all(ops.logical_and(flat >= 0, flat < lengths))
    partition.require(fits, "gather: an index is outside of its row")
    found = _gather(params.values, ops.gather(splits, numbers) + flat, 0, 0)
    return indices.with_flat_values(found) if is_ragged(indices) else found


def _rows(params: RaggedTensor, numbers: Any) -> Any:
    """Rows of a ragged tensor at the numbers of a tensor."""
    depth = numbers.shape.rank
    if depth == 0:
        return params[numbers]
    if depth > 1:
        dtype = params.row_splits.dtype
        numbers = RaggedTensor.from_tensor(numbers, ragged_rank=depth - 1, row_splits_dtype=dtype)
        return _gather(params, numbers, 0, 0)
    numbers = ops.cast(numbers, params.row_splits.dtype)
    starts = ops.gather(params.row_splits, numbers)
    ends = ops.gather(params.row_splits, numbers + 1)
    splits = partition.splits_of_lengths(ends - starts)
    owners = partition.rowids(splits)
    places = partition.offsets(splits, owners) + ops.gather(starts, owners)
    return RaggedTensor(_gather(params.values, places, 0, 0), splits, params._uniform)


def gather_nd(params: Any, indices: Any, batch_dims: int = 0) -> Any:
    """Elements and rows of a ragged tensor at coordinates, the last axis of ``indices``.

    Raises:
      ValueError: for ragged indices, batches, or indices whose last axis has no known size.
      InvalidArgumentError: for coordinates outside.
    """
    if is_ragged(indices) or batch_dims:
        raise ValueError("gather_nd of a ragged tensor takes a tensor of indices, without batches")
    indices = _core.convert_to_tensor(indices, None)
    if indices.shape.rank == 1 and indices.shape[0] == 0:
        return params
    depth = None if indices.shape.rank in (None, 0) else indices.shape[-1]
    if depth is None:
        raise ValueError("gather_nd needs indices whose last axis has a known size")
    for _ in builtins.range(depth - 1):
        indices = ops.cast(indices, params.row_splits.dtype)
        starts = ops.gather(params.row_splits, indices[..., 0])
        ends = ops.gather(params.row_splits, indices[..., 0] + 1)
        inside = ops.logical_and(indices[..., 1] >= 0, indices[..., 1] < ends - starts)
        partition.require(ops.reduce_all(inside), "gather_nd: a coordinate is not in its row")
        first = ops.expand_dims(starts + indices[..., 1], -1)
        params, indices = params.values, ops.concat([first, indices[..., 2:]], -1)
        if not is_ragged(params):
            return ops.gather_nd(params, indices)
    return gather(params, indices[..., 0])
