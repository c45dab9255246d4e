"""Joining, gathering and rearranging ragged tensors."""

from __future__ import annotations

import builtins
from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..ops._base import refusal
from ..values import dtypes
from .elementwise import same_rows
from .tensor import RaggedTensor, is_ragged

__all__ = [
    "concat",
    "expand_dims",
    "gather",
    "gather_nd",
    "merge_dims",
    "reverse",
    "squeeze",
    "tile",
]


def concat(values: Any, axis: int) -> Any:
    """Ragged tensors, and tensors beside them, joined along an axis; one alone as it is."""
    if is_ragged(values):
        return values
    values = [v if is_ragged(v) else _core.convert_to_tensor(v) for v in _beside(values)]
    if not any(is_ragged(v) for v in values):
        return ops.concat(values, axis)
    rank = values[0].shape.rank
    if any(v.shape.rank != rank for v in values) or rank is None:
        raise ValueError(
            f"concat needs values of one known rank, got {[v.shape.rank for v in values]}"
        )
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis < rank:
        raise ValueError(f"axis {axis} is outside of ragged tensors of rank {rank}")
    values = _of_one_ragged_rank(values)
    if not any(is_ragged(v) for v in values):
        return ops.concat(values, axis)
    if axis == 0:
        return _rows_joined(values)
    if axis == 1:
        return _joined_within_rows(values)
    first, *others = values
    inner = concat([v.values for v in values], axis - 1)
    for other in others:
        same_rows(
            RaggedTensor(_numbers_of(first), first.row_splits),
            RaggedTensor(_numbers_of(other), other.row_splits),
        )
    return RaggedTensor(inner, first.row_splits, first._uniform)


def _beside(values: Any) -> list:
    """Lists take the dtype of the tensors beside them."""
    values = list(values)
    dtype = next((v.dtype for v in values if isinstance(v, (_core.Tensor, RaggedTensor))), None)
    known = (_core.Tensor, _core.VariableBase, RaggedTensor)
    return [v if isinstance(v, known) else _core.convert_to_tensor(v, dtype) for v in values]


def _of_one_ragged_rank(values: list) -> list:
    wanted = max(v.ragged_rank if is_ragged(v) else 0 for v in values)
    return [_with_ragged_rank(v, wanted) for v in values]


def _with_ragged_rank(value: Any, wanted: int) -> Any:
    if not is_ragged(value):
        return RaggedTensor.from_tensor(value, ragged_rank=wanted)
    missing = wanted - value.ragged_rank
    if missing == 0:
        return value
    return value.with_flat_values(RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing))


def _numbers_of(value: RaggedTensor) -> Any:
    return ops.range(_count(value.values))


def _count(value: Any) -> Any:
    return value.nrows() if is_ragged(value) else ops.shape(value, dtypes.int64)[0]


def _rows_joined(values: list) -> RaggedTensor:
    """All rows of the first, then those of the next."""
    splits_dtype = values[0].row_splits.dtype
    lengths = [ops.cast(v.row_lengths(), splits_dtype) for v in values]
    uniform = {v._uniform for v in values}
    return RaggedTensor(
        concat([v.values for v in values], 0),
        partition.splits_of_lengths(ops.concat(lengths, 0)),
        uniform.pop() if len(uniform) == 1 else None,
    )


def _joined_within_rows(values: list) -> RaggedTensor:
    """Each row of the first, with the same row of the next behind it."""
    n, k = values[0].nrows(), len(values)
    for other in values[1:]:
        partition.require(
            ops.equal(n, ops.cast(other.nrows(), n.dtype)),
            "concat along axis 1 needs ragged tensors with as many rows each",
        )
    places = ops.expand_dims(ops.range(n), 1) + ops.expand_dims(ops.range(k, dtype=n.dtype) * n, 0)
    rows = gather(_rows_joined(values), ops.reshape(places, [-1]))
    sizes = [v._uniform for v in values]
    uniform = None if None in sizes else sum(sizes)
    return RaggedTensor(rows.values, rows.row_splits[::k], uniform)


def gather(params: Any, indices: Any, axis: int | None = None, batch_dims: int = 0) -> Any:
    """Rows of ``params`` at ``indices``, one or both of which are ragged."""
    if batch_dims:
        return _gather_in_batches(params, indices, axis, batch_dims)
    axis = 0 if axis is None else axis
    if is_ragged(indices):
        if axis != 0:
            return _gather_along(params, indices, axis)
        return indices.with_values(gather(params, indices.values))
    if not is_ragged(params):
        return ops.gather(params, indices, axis=axis)
    rank = params.shape.rank
    axis = axis + rank if axis < 0 else axis
    if axis > 1:
        return params.with_values(gather(params.values, indices, axis - 1))
    indices = _core.convert_to_tensor(indices)
    if axis == 1:
        return _gather_in_rows(params, indices)
    if indices.shape.rank == 0:
        return params[indices]
    if indices.shape.rank is None:
        raise ValueError("gather of a ragged tensor needs indices of known rank")
    if indices.shape.rank > 1:
        nested = RaggedTensor.from_tensor(indices, ragged_rank=indices.shape.rank - 1)
        return gather(params, nested)
    return _gather_rows(params, ops.cast(indices, params.row_splits.dtype))


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
    while depth > 1:
        indices = ops.cast(indices, params.row_splits.dtype)
        starts = ops.gather(params.row_splits, indices[..., 0])
        ends = ops.gather(params.row_splits, indices[..., 0] + 1)
        inside = ops.logical_and(indices[..., 1] >= 0, indices[..., 1] < ends - starts)
        partition.require(ops.reduce_all(inside), "gather_nd: a coordinate is not in its row")
        first = ops.expand_dims(starts + indices[..., 1], -1)
        params, indices = params.values, ops.concat([first, indices[..., 2:]], -1)
        depth -= 1
        if not is_ragged(params):
            return ops.gather_nd(params, indices)
    return gather(params, indices[..., 0])


def _gather_along(params: Any, indices: RaggedTensor, axis: int) -> RaggedTensor:
    """Slices of a dense tensor along an axis behind the first, in the rows of ragged indices."""
    if is_ragged(params):
        raise ValueError(
            "gather with ragged indices from a ragged tensor works along axis 0, or with batch_dims"
        )
    params = _core.convert_to_tensor(params)
    if params.shape.rank is None:
        raise ValueError("gather with ragged indices along an axis needs a tensor of known rank")
    axis = axis + params.shape.rank if axis < 0 else axis
    if not 0 < axis < params.shape.rank:
        raise ValueError(f"axis {axis} is outside of a tensor of shape {params.shape}")
    dtype = indices.row_splits.dtype
    sizes = ops.shape(params, dtype)
    count = ops.reduce_prod(sizes[:axis])
    flat = ops.reshape(params, ops.concat([[count], sizes[axis:]], 0))
    found = ops.gather(flat, indices.flat_values, axis=1)
    found = ops.reshape(found, ops.concat([[-1], ops.shape(found)[2:]], 0))
    lengths = [ops.tile(n, [count]) for n in indices.nested_row_lengths()]
    rows = RaggedTensor.from_nested_row_lengths(found, lengths, validate=False)
    for place in builtins.range(axis, 0, -1):
        size = indices.nrows(dtype) if place == axis else sizes[place]
        above = ops.reduce_prod(sizes[:place])
        rows = RaggedTensor.from_uniform_row_length(rows, size, above, validate=False)
    return rows


def _gather_rows(params: RaggedTensor, numbers: Any) -> RaggedTensor:
    starts = ops.gather(params.row_splits, numbers)
    ends = ops.gather(params.row_splits, numbers + 1)
    splits = partition.splits_of_lengths(ends - starts)
    owners = partition.rowids(splits)
    places = partition.offsets(splits, owners) + ops.gather(starts, owners)
    return RaggedTensor(ops.gather(params.values, places), splits, params._uniform)


def _gather_in_rows(params: RaggedTensor, columns: Any) -> Any:
    """The same columns of each row, in the shape of ``columns``."""
    rows, rank = params.nrows(), columns.shape.rank
    columns = ops.cast(columns, params.row_splits.dtype)
    places = ops.expand_dims(params.row_splits[:-1], 1) + ops.reshape(columns, [1, -1])
    fits = ops.reduce_all(ops.reduce_max(columns) < params.row_lengths())
    partition.require(fits, "gather: a column is not in every row")
    found: Any = ops.gather(params.values, ops.reshape(places, [-1]))
    sizes = ops.concat([[rows], ops.shape(columns, rows.dtype)], 0)
    if not is_ragged(found):
        return ops.reshape(found, ops.concat([sizes, ops.shape(found, rows.dtype)[1:]], 0))
    if rank is None:
        raise ValueError("gather of ragged rows needs indices of known rank")
    for axis in builtins.range(rank, 0, -1):
        count = ops.reduce_prod(sizes[:axis])
        found = RaggedTensor.from_uniform_row_length(found, sizes[axis], count)
    return found


def _gather_in_batches(params: Any, indices: Any, axis: Any, batch_dims: int) -> Any:
    """Each row gathers from the same row."""
    if batch_dims < 0:
        batch_dims += indices.shape.rank
    params, indices = _of_one_ragged_rank_above(params, indices, batch_dims)
    if batch_dims > 1:
        inner = _gather_in_batches(
            params.values, indices.values, None if axis is None else axis - 1, batch_dims - 1
        )
        return indices.with_values(inner)
    if axis is not None and axis != 1:
        raise ValueError("gather of ragged tensors with batch_dims works along the next axis")
    numbers = indices.value_rowids()
    starts = ops.gather(params.row_splits, ops.cast(numbers, params.row_splits.dtype))
    columns = indices.values
    if is_ragged(columns):
        starts = ops.gather(starts, columns.value_rowids())
        places = columns.with_values(ops.cast(columns.values, starts.dtype) + starts)
    else:
        extra = columns.shape.rank - 1
        starts = ops.reshape(starts, ops.concat([ops.shape(starts), [1] * extra], 0))
        places = ops.cast(columns, starts.dtype) + starts
    return RaggedTensor(ops.gather(params.values, places), indices.row_splits, indices._uniform)


def _of_one_ragged_rank_above(params: Any, indices: Any, batch_dims: int) -> tuple:
    both = [v if is_ragged(v) else _core.convert_to_tensor(v) for v in (params, indices)]
    return tuple(
        v if is_ragged(v) else RaggedTensor.from_tensor(v, ragged_rank=batch_dims) for v in both
    )


def expand_dims(value: RaggedTensor, axis: int) -> RaggedTensor:
    """A new axis of size 1."""
    rank = value.shape.rank
    if axis < 0:
        if rank is None:
            raise ValueError("a negative axis needs a ragged tensor of known rank")
        axis += rank + 1
    if axis == 0:
        return RaggedTensor(value, ops.stack([0 * value.nrows(), value.nrows()]), value.shape[0])
    if axis == 1:
        rows = value.nrows()
        return RaggedTensor(value, ops.range(rows + 1), 1)
    return value.with_values(ops.expand_dims(value.values, axis - 1))


def squeeze(value: RaggedTensor, axis: Any) -> Any:
    """Without axes of size 1; ragged axes cannot go."""
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    if axis is None:
        axes = [i for i, size in enumerate(value.shape.as_list()) if size == 1]
    for one in sorted([a + value.shape.rank if a < 0 else a for a in axes], reverse=True):
        value = _squeezed(value, one)
    return value


def _squeezed(value: Any, axis: int) -> Any:
    if not is_ragged(value):
        return ops.squeeze(value, axis)
    if axis == 0:
        partition.require(ops.equal(value.nrows(), 1), "squeeze: axis 0 has not the size 1")
        return value.values
    if axis == 1:
        if value._uniform != 1:
            raise ValueError("squeeze: a ragged axis cannot be left out")
        return value.values
    return value.with_values(_squeezed(value.values, axis - 1))


def tile(value: RaggedTensor, multiples: Any) -> RaggedTensor:
    """The value repeated along its axes."""
    counts = multiples if isinstance(multiples, (list, tuple)) else ops.unstack(multiples)
    for axis, count in enumerate(counts):
        known = (
            count if isinstance(count, int) else _core.convert_to_tensor(count)._constant_value()
        )
        if known is None:
            raise ValueError("tile of a ragged tensor needs multiples that are known while tracing")
        if int(known) < 0:
            raise refusal(f"tile: multiples must not be negative, got {int(known)}")
        if int(known) == 0:
            value = value[(*[slice(None)] * axis, slice(0, 0))]
        elif int(known) != 1:
            value = concat([value] * int(known), axis)
    return value


def reverse(value: Any, axes: Any) -> Any:
    """The value backwards along axes."""
    axes = axes if isinstance(axes, (list, tuple)) else [axes]
    axes = [a + value.shape.rank if a < 0 else a for a in axes]
    inner = [a - 1 for a in axes if a > 1]
    if inner:
        below = value.values
        below = reverse(below, inner) if is_ragged(below) else ops.reverse(below, inner)
        value = value.with_values(below)
    if 1 in axes:
        value = value[:, ::-1]
    return value[::-1] if 0 in axes else value


def merge_dims(value: Any, outer: int, inner: int) -> Any:
    """The axes from the one to the other as a single axis."""
    rank = value.shape.rank
    outer, inner = (a + rank if a < 0 else a for a in (outer, inner))
    if not 0 <= outer <= inner < rank:
        raise ValueError(f"axes {outer} to {inner} are not axes of rank {rank} in order")
    if outer == inner:
        return value
    if not is_ragged(value):
        shape = ops.shape(value)
        return ops.reshape(value, ops.concat([shape[:outer], [-1], shape[inner + 1 :]], 0))
    if outer > 1:
        return value.with_values(merge_dims(value.values, outer - 1, inner - 1))
    if outer == 1:
        for _ in range(inner - outer):
            value = _merged_below(value)
        return value
    for _ in range(inner):
        value = (
            value.values
            if is_ragged(value)
            else ops.reshape(value, ops.concat([[-1], ops.shape(value)[2:]], 0))
        )
    return value


def _merged_below(value: RaggedTensor) -> RaggedTensor:
    """Axes 1 and 2 as one."""
    below = value.values
    if is_ragged(below):
        return RaggedTensor(below.values, ops.gather(below.row_splits, value.row_splits))
    size = ops.shape(below, value.row_splits.dtype)
    flat = ops.reshape(below, ops.concat([[size[0] * size[1]], size[2:]], 0))
    return RaggedTensor(flat, value.row_splits * size[1])
