"""Joining, gathering and rearranging ragged tensors."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..ops._base import refusal
from ..ops._ranks import of_rank
from ..values import dtypes
from .elementwise import same_rows, same_splits
from .gathering import gather
from .tensor import RaggedTensor, is_ragged

__all__ = [
    "bitcast",
    "concat",
    "dynamic_partition",
    "expand_dims",
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
    ranks = {v.shape.rank for v in values if v.shape.rank is not None}
    if len(ranks) > 1 or any(not is_ragged(v) and v.shape.rank is None for v in values):
        raise ValueError(f"concat needs values of one rank, got {[v.shape.rank for v in values]}")
    if not ranks and axis < 0:
        raise ValueError("concat along a negative axis needs values of known rank")
    rank = ranks.pop() if ranks else None
    axis = axis + rank if axis < 0 and rank is not None else axis
    if axis < 0 or (rank is not None and axis >= rank):
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


def _beside(values: Any) -> list[Any]:
    """Lists take the dtype of the tensors beside them."""
    values = list(values)
    dtype = next((v.dtype for v in values if isinstance(v, (_core.Tensor, RaggedTensor))), None)
    known = (_core.Tensor, _core.VariableBase, RaggedTensor)
    return [v if isinstance(v, known) else _core.convert_to_tensor(v, dtype) for v in values]


def _of_one_ragged_rank(values: list[Any]) -> list[Any]:
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


def _rows_joined(values: list[Any]) -> RaggedTensor:
    """All rows of the first, then those of the next."""
    splits_dtype = values[0].row_splits.dtype
    lengths = [ops.cast(v.row_lengths(), splits_dtype) for v in values]
    uniform = {v._uniform for v in values}
    return RaggedTensor(
        concat([v.values for v in values], 0),
        partition.splits_of_lengths(ops.concat(lengths, 0)),
        uniform.pop() if len(uniform) == 1 else None,
    )


def _joined_within_rows(values: list[Any]) -> RaggedTensor:
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
    """Without axes of size 1, by default those that are known to have it."""
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
        if value._uniform not in (None, 1):
            raise ValueError(f"squeeze: axis 1 has the size {value._uniform}, not 1")
        alone = ops.reduce_all(ops.equal(value.row_lengths(), 1))
        partition.require(alone, "squeeze: not all rows have the length 1")
        return value.values
    return value.with_values(_squeezed(value.values, axis - 1))


def tile(value: RaggedTensor, multiples: Any) -> RaggedTensor:
    """The value repeated along its axes, as many as there are multiples."""
    counts = multiples if isinstance(multiples, (list, tuple)) else ops.unstack(multiples)
    if value.shape.rank is None:
        value = value.with_flat_values(
            of_rank(value.flat_values, max(len(counts) - value.ragged_rank, 0))
        )
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


def dynamic_partition(data: Any, partitions: Any, count: int) -> list[Any]:
    """The parts of ``data`` that have each number below ``count``.

    Raises:
      ValueError: where ``partitions`` has more partitioned axes than ``data``.
      InvalidArgumentError: where the rows of both differ.
    """
    data, partitions = (
        v if is_ragged(v) else _core.convert_to_tensor(v) for v in (data, partitions)
    )
    while is_ragged(partitions):
        if not is_ragged(data):
            data = RaggedTensor.from_tensor(data)
        same_splits(data.row_splits, partitions.row_splits)
        data, partitions = data.values, partitions.values
    if not is_ragged(data):
        return ops.dynamic_partition(data, partitions, count)
    depth = partitions.shape.rank
    if depth is None:
        raise ValueError("dynamic_partition of a ragged tensor needs partitions of known rank")
    if depth > 1:
        data, partitions = merge_dims(data, 0, depth - 1), ops.reshape(partitions, [-1])
    numbers = [ops.where(ops.equal(partitions, i))[:, 0] for i in range(count)]
    return [gather(data, places) for places in numbers]


def bitcast(value: RaggedTensor, dtype: Any) -> RaggedTensor:
    """The same bytes read as another dtype.

    ValueError for a larger one where the innermost axis, whose pieces it takes, is ragged.
    """
    if dtypes.as_dtype(dtype).size > value.dtype.size and value.flat_values.shape.rank == 1:
        raise ValueError("bitcast: a larger dtype takes the pieces of an axis that is not ragged")
    return value.with_flat_values(ops.bitcast(value.flat_values, dtype))


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
