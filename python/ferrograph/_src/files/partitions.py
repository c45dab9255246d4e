"""Values of ragged features divided into rows."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops.segments import unsorted_segment_max
from ..ragged.tensor import RaggedTensor
from ..values.dtypes import as_dtype
from .features import (
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    UniformRowLength,
)

__all__ = ["divided"]


def divided(rows: RaggedTensor, feature: Any, parsed: dict[str, Any]) -> RaggedTensor:
    """The values of examples, a row each, divided as a feature's partitions say.

    Args:
      rows: the values of each example.
      feature: what is wanted.
      parsed: the ragged features of the examples, by name.
    """
    for part in reversed(feature.partitions):
        if isinstance(part, UniformRowLength):
            rows = _uniform(rows, part.length)
        else:
            told = parsed[part.key]
            told = told.with_row_splits_dtype(rows.row_splits.dtype)
            told = told.with_values(ops.cast(told.values, rows.row_splits.dtype))
            rows = _divided(rows, part, told, feature.validate)
    return rows


def _uniform(rows: RaggedTensor, length: int) -> RaggedTensor:
    """Rows of one length: dense ones as far as what they hold is dense."""
    splits, values = rows.row_splits, rows.values
    if isinstance(values, RaggedTensor):
        count = splits[-1] // length
        held: Any = RaggedTensor.from_uniform_row_length(values, length, count)
    else:
        held = ops.reshape(values, ops.concat([[-1, length], ops.shape(values)[1:]], 0))
    return RaggedTensor.from_row_splits(held, splits // length, validate=False)


def _divided(rows: RaggedTensor, part: Any, told: RaggedTensor, validate: bool) -> RaggedTensor:
    """The values of each example in rows that lie where a feature tells."""
    values, starts = rows.values, rows.row_splits
    behind = ops.gather(starts, told.value_rowids())  # where the example's values begin
    if isinstance(part, RowLengths):
        inner = RaggedTensor.from_row_lengths(values, told.values, validate=validate)
    elif isinstance(part, RowStarts):
        inner = RaggedTensor.from_row_starts(values, told.values + behind, validate=validate)
    elif isinstance(part, RowLimits):
        inner = RaggedTensor.from_row_limits(values, told.values + behind, validate=validate)
    elif isinstance(part, RowSplits):
        limits = told.with_values(told.values + behind)[:, 1:]
        inner = RaggedTensor.from_row_limits(values, limits.values, validate=validate)
        return RaggedTensor.from_row_splits(inner, limits.row_splits, validate=False)
    else:
        return _of_ids(values, told, validate)
    return RaggedTensor.from_row_splits(inner, told.row_splits, validate=False)


def _of_ids(values: Any, ids: RaggedTensor, validate: bool) -> RaggedTensor:
    """The values of each example in rows by the number of the row of each value."""
    dtype = as_dtype(ids.row_splits.dtype)
    counts = unsorted_segment_max(ids.values + 1, ids.value_rowids(), ids.nrows())
    counts = ops.maximum(counts, ops.zeros([], dtype))
    splits = ops.concat([ops.zeros([1], dtype), ops.cumsum(counts)], 0)
    own = ids.values + ops.gather(splits, ids.value_rowids())
    inner = RaggedTensor.from_value_rowids(values, own, splits[-1], validate=validate)
    return RaggedTensor.from_row_splits(inner, splits, validate=False)
