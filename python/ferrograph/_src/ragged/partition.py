"""Partitions of values into rows: splits, lengths and row numbers, and from one to another."""

from __future__ import annotations

from typing import Any

import ferrograph as fg

from ..native import _core

__all__ = [
    "check_rowids",
    "check_splits",
    "integers",
    "offsets",
    "require",
    "rowids",
    "scalar",
    "splits_of_lengths",
    "splits_of_rowids",
    "with_zero",
]


def integers(value: Any) -> Any:
    """Splits, lengths or row numbers as a tensor: int64 unless they are int32 already."""
    if not isinstance(value, _core.Tensor) and getattr(value, "dtype", None) is None:
        return fg.convert_to_tensor(value, fg.int64)
    tensor = fg.convert_to_tensor(value)
    if tensor.dtype not in (fg.int32, fg.int64):
        raise ValueError(f"rows are told by int32 or int64 numbers, got {tensor.dtype.name}")
    return tensor


def scalar(value: Any) -> Any:
    """A length as a scalar tensor."""
    return integers(value)


def with_zero(limits: Any) -> Any:
    """The splits of rows that end there."""
    return fg.concat([fg.zeros([1], limits.dtype), limits], 0)


def splits_of_lengths(lengths: Any) -> Any:
    """The splits of rows of these lengths."""
    return with_zero(fg.cumsum(lengths))


def splits_of_rowids(numbers: Any, nrows: Any) -> Any:
    """The splits where these are the rows of the values."""
    if nrows is None:
        nrows = fg.reduce_max(fg.concat([[-1], numbers], 0)) + 1
    ones = fg.ones_like(numbers)
    return splits_of_lengths(fg.math.unsorted_segment_sum(ones, numbers, nrows))


def rowids(splits: Any) -> Any:
    """The row of each value."""
    lengths = splits[1:] - splits[:-1]
    return fg.repeat(fg.range(fg.size(lengths, splits.dtype)), lengths)


def offsets(splits: Any, numbers: Any) -> Any:
    """The place of each value in its row, where ``numbers`` are the rows."""
    return fg.range(fg.size(numbers, splits.dtype)) - fg.gather(splits, numbers)


def require(condition: Any, message: str) -> None:
    """InvalidArgumentError unless a scalar condition holds: now, or when the graph runs."""
    known = condition._constant_value()
    if known is None:
        fg.debugging.Assert(condition, [message])
    elif not bool(known):
        raise fg.errors.InvalidArgumentError(None, None, message)


def check_splits(splits: Any, count: Any) -> None:
    """InvalidArgumentError where no rows of ``count`` values have these splits."""
    require(splits[0] == 0, "row_splits must begin with 0")
    rises = fg.reduce_all(splits[1:] >= splits[:-1])
    require(rises, "row_splits must not fall: a row would have a negative length")
    require(splits[-1] == count, "row_splits must end with the number of values")


def check_rowids(numbers: Any, nrows: Any) -> None:
    """InvalidArgumentError where values cannot be in these rows."""
    require(fg.reduce_all(numbers >= 0), "value_rowids must not be negative")
    require(fg.reduce_all(numbers[1:] >= numbers[:-1]), "value_rowids must not fall")
    if nrows is not None:
        below = fg.reduce_all(numbers < fg.cast(nrows, numbers.dtype))
        require(below, "value_rowids must be below nrows")


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The row of each value, where the rows have these splits.

    >>> fg.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    made = rowids(integers(splits))
    return made if out_type is None else fg.cast(made, out_type)


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """The splits of the rows that the values with these sorted numbers are in.

    >>> fg.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    made = splits_of_rowids(integers(segment_ids), num_segments)
    return made if out_type is None else fg.cast(made, out_type)
