"""Reductions of ragged tensors over ragged and other axes."""

from __future__ import annotations

import functools
from typing import Any

from .. import ops
from ..native import _core
from ..ops import activations, elementwise, partition, reductions, segments, string_ops
from ..values import dtypes
from .elementwise import same_splits
from .tensor import RaggedTensor, is_ragged

__all__ = ["REDUCTIONS", "cumsum", "join", "logsumexp", "of_segments", "reduce", "softmax"]


def reduce(name: str | _Reduction, value: Any, axis: Any, keepdims: bool) -> Any:
    """A reduction, or that of a name, over axes, all of them where ``axis`` is None."""
    rank = value.shape.rank
    if name in ("reduce_any", "reduce_all") and not value.dtype.is_bool:
        value = value.with_flat_values(ops.cast(value.flat_values, dtypes.bool))
    if name in ("reduce_variance", "reduce_std") and value.dtype.is_integer:
        value = value.with_flat_values(ops.cast(value.flat_values, dtypes.float64))
    if axis is None:
        whole = _mean_of_all if name == "reduce_mean" else _of(name).whole
        made = whole(value.flat_values)
        return ops.reshape(made, [1] * rank) if keepdims and rank is not None else made
    if hasattr(axis, "numpy"):
        axis = axis.numpy().tolist()
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if any(a < 0 for a in axes) and rank is None:
        raise ValueError("a negative axis needs a ragged tensor of known rank")
    axes = sorted({a + rank if a < 0 else a for a in axes}, reverse=True)
    if rank is not None and axes and not 0 <= axes[-1] <= axes[0] < rank:
        raise ValueError(f"axis {axis} is outside of a ragged tensor of rank {rank}")
    if len(axes) > 1 and name in _BY_COUNT:
        return _BY_COUNT[name](value, axes, keepdims)
    for one in axes:
        value = _over(name, value, one, keepdims)
    return value


def of_segments(function: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """``function``, one of segments in any order, of the rows of a ragged tensor, or of what stands
    where ragged ids do.

    Raises:
      ValueError: for ids that are neither a vector nor partitioned as the data.
      InvalidArgumentError: where the rows of ids and data differ.
    """
    ids: Any = segment_ids
    ids = ids if is_ragged(ids) else _core.convert_to_tensor(ids)
    while is_ragged(ids):
        if not is_ragged(data):
            raise ValueError("segment_ids must not be partitioned along more axes than the data")
        same_splits(data.row_splits, ids.row_splits)
        data, ids = data.values, ids.values
    if not is_ragged(data):
        return function(data, ids, num_segments)
    if ids.shape.rank not in (None, 1):
        raise ValueError(f"segment_ids must be a vector, an id for each row, got shape {ids.shape}")
    numbers = ops.cast(ids, data.row_splits.dtype)
    return _segments(function, data, numbers, ops.cast(num_segments, numbers.dtype))


def logsumexp(value: Any, axis: Any, keepdims: bool) -> Any:
    """The logarithm of the sum of exponentials over axes, the largest element taken out first."""
    largest = ops.stop_gradient(ops.reduce_max(value.flat_values))
    largest = ops.where(elementwise.is_finite(largest), largest, ops.zeros_like(largest))
    scaled = value.with_flat_values(ops.exp(value.flat_values - largest))
    return elementwise.log(reduce("reduce_sum", scaled, axis, keepdims)) + largest


def join(value: Any, axis: Any, keepdims: bool, separator: str) -> Any:
    """The strings along axes joined, one axis after another, the last one first."""
    whole = functools.partial(string_ops.reduce_join, separator=separator)
    segment = functools.partial(string_ops.unsorted_segment_join, separator=separator)
    return reduce(_Reduction(whole, segment), value, axis, keepdims)


def _of(name: str | _Reduction) -> _Reduction:
    return REDUCTIONS[name] if isinstance(name, str) else name


def _over(name: str | _Reduction, value: Any, axis: int, keepdims: bool) -> Any:
    if not is_ragged(value):
        return _of(name).dense(value, axis, keepdims)
    if name in _BY_COUNT:
        return _BY_COUNT[name](value, [axis], keepdims)
    if axis > 1:
        return _with_values(value, _over(name, value.values, axis - 1, keepdims))
    numbers = value.value_rowids()
    if axis == 0:
        numbers = partition.offsets(value.row_splits, numbers)
        count = ops.reduce_max(ops.concat([[0], value.row_lengths()], 0))
    else:
        count = value.nrows()
    made = _segments(_of(name).segment, value.values, numbers, count)
    if axis == 1 and not is_ragged(made):
        made = _with_rows(made, value.shape[0])
    return ops.expand_dims(made, axis) if keepdims else made


def _with_values(value: RaggedTensor, inner: Any) -> RaggedTensor:
    return RaggedTensor(inner, value.row_splits, value._uniform)


def _with_rows(tensor: Any, rows: int | None) -> Any:
    if rows is not None and tensor.shape.rank is not None and tensor.shape[0] is None:
        tensor.set_shape([rows, *tensor.shape.as_list()[1:]])
    return tensor


def _segments(function: Any, data: Any, numbers: Any, count: Any) -> Any:
    """``function`` of the rows of each number; rows that are ragged meet column by column."""
    if not is_ragged(data):
        return function(data, numbers, count)
    lengths = segments.unsorted_segment_max(data.row_lengths(), numbers, count)
    splits = partition.splits_of_lengths(ops.maximum(lengths, 0))
    rows = data.value_rowids()
    columns = partition.offsets(data.row_splits, rows)
    places = ops.gather(splits, ops.gather(numbers, rows)) + columns
    return RaggedTensor(_segments(function, data.values, places, splits[-1]), splits)


class _Reduction:
    """One reduction: of a tensor over all axes or one, and of segments."""

    def __init__(self, function: Any, segment: Any = None, as_int: bool = False):
        self._function, self._segment, self._as_int = function, segment, as_int

    def whole(self, flat: Any) -> Any:
        return self._function(flat)

    def dense(self, value: Any, axis: int, keepdims: bool) -> Any:
        return self._function(value, axis=axis, keepdims=keepdims)

    def segment(self, data: Any, numbers: Any, count: Any) -> Any:
        if not self._as_int:
            return self._segment(data, numbers, count)
        # The empty row: the lowest number for a maximum, the highest for a minimum.
        found = self._segment(ops.cast(data, dtypes.int32), numbers, count)
        return found > 0


REDUCTIONS = {
    "reduce_sum": _Reduction(ops.reduce_sum, segments.unsorted_segment_sum),
    "reduce_prod": _Reduction(ops.reduce_prod, segments.unsorted_segment_prod),
    "reduce_max": _Reduction(ops.reduce_max, segments.unsorted_segment_max),
    "reduce_min": _Reduction(ops.reduce_min, segments.unsorted_segment_min),
    "reduce_any": _Reduction(ops.reduce_any, segments.unsorted_segment_max, as_int=True),
    "reduce_all": _Reduction(ops.reduce_all, segments.unsorted_segment_min, as_int=True),
    "reduce_mean": _Reduction(ops.reduce_mean),
    "reduce_variance": _Reduction(reductions.reduce_variance),
    "reduce_std": _Reduction(reductions.reduce_std),
}


def _mean(value: Any, axes: list[Any], keepdims: bool) -> Any:
    total = reduce("reduce_sum", value, axes, keepdims)
    ones = ops.ones_like(value.flat_values)
    return total / reduce("reduce_sum", value.with_flat_values(ones), axes, keepdims)


def _mean_of_all(flat: Any) -> Any:
    """The mean of a tensor; that of integers is a float, as for rows."""
    if not flat.dtype.is_integer:
        return ops.reduce_mean(flat)
    return ops.reduce_sum(flat) / ops.cast(ops.size(flat), flat.dtype)


def _variance(value: Any, axes: list[Any], keepdims: bool) -> Any:
    mean = _mean(value, axes, keepdims)
    square = _mean(value.with_flat_values(ops.square(value.flat_values)), axes, keepdims)
    return ops.maximum(square - ops.square(mean), ops.zeros([], mean.dtype))


def _std(value: Any, axes: list[Any], keepdims: bool) -> Any:
    return ops.sqrt(_variance(value, axes, keepdims))


_BY_COUNT = {"reduce_mean": _mean, "reduce_variance": _variance, "reduce_std": _std}


def cumsum(value: Any, axis: Any, exclusive: bool, reverse: bool) -> Any:
    """Running sums along an axis: of the elements of a row, or of those at one place of the rows.

    Raises:
      ValueError: for an axis that the ragged tensor does not have.
    """
    rank, ragged = value.shape.rank, value.ragged_rank
    axis = axis.numpy().item() if hasattr(axis, "numpy") else axis
    if rank is None and axis < 0:
        raise ValueError("a negative axis needs a ragged tensor of known rank")
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is outside of a ragged tensor of rank {rank}")
    axis = axis + rank if axis < 0 else axis
    if axis > ragged:
        sums = ops.cumsum(value.flat_values, axis - ragged, exclusive, reverse)
        return value.with_flat_values(sums)
    sums = ops.cumsum(value.to_tensor(), axis, exclusive, reverse)
    rows = RaggedTensor.from_tensor(sums, lengths=value.nested_row_lengths())
    return value.with_flat_values(rows.flat_values)


def softmax(function: Any, value: Any, axis: int | None) -> Any:
    """``softmax`` or ``log_softmax`` along an axis: of each row where that is the last ragged one.

    Raises:
      ValueError: for an axis before that.
    """
    rank, ragged = value.shape.rank, value.ragged_rank
    axis = -1 if axis is None else axis
    axis = axis + rank if axis < 0 and rank is not None else axis
    if rank is None or not ragged <= axis < rank:
        raise ValueError(f"softmax of a ragged tensor works along its last ragged axis, got {axis}")
    if axis > ragged:
        return value.with_flat_values(function(value.flat_values, axis - ragged))
    rows = value.values if ragged > 1 else value
    while getattr(rows, "ragged_rank", 0) > 1:
        rows = rows.values
    numbers, count = rows.value_rowids(), rows.nrows()
    flat = value.flat_values
    largest = ops.stop_gradient(segments.unsorted_segment_max(flat, numbers, count))
    shifted = flat - ops.gather(largest, numbers)
    grown = ops.exp(shifted)
    totals = ops.gather(segments.unsorted_segment_sum(grown, numbers, count), numbers)
    is_log = function is activations.log_softmax
    return value.with_flat_values(shifted - elementwise.log(totals) if is_log else grown / totals)
