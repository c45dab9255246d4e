"""Partitions of values into rows: splits, lengths and row numbers, and from one to another."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..values import dtypes, errors
from .arrays import concat, repeated, size
from .creation import ones_like, range, zeros
from .debug import Assert
from .numeric import cast
from .reductions import cumsum, reduce_all, reduce_max
from .segments import unsorted_segment_sum
from .selection import gather

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
    "uniform_splits",
    "with_zero",
]


def integers(value: Any) -> Any:
    """Splits, lengths or row numbers as a tensor: int64 unless they are int32 already."""
    if not isinstance(value, _core.Tensor) and getattr(value, "dtype", None) is None:
        return _core.convert_to_tensor(value, dtypes.int64)
    tensor = _core.convert_to_tensor(value)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"rows are given by int32 or int64 numbers, got {tensor.dtype.name}")
    return tensor


def scalar(value: Any) -> Any:
    """A length as a scalar tensor."""
    return integers(value)


def with_zero(limits: Any) -> Any:
    """The splits of rows that end there."""
    return concat([zeros([1], limits.dtype), limits], 0)


def splits_of_lengths(lengths: Any) -> Any:
    """The splits of rows of these lengths."""
    return with_zero(cumsum(lengths))


def splits_of_rowids(numbers: Any, nrows: Any) -> Any:
    """The splits where these are the rows of the values."""
    if nrows is None:
        nrows = reduce_max(concat([[-1], numbers], 0)) + 1
    ones = ones_like(numbers)
    return splits_of_lengths(unsorted_segment_sum(ones, numbers, nrows))


def uniform_splits(length: Any, nrows: Any, nvals: Any, what: str) -> tuple[Any, int | None]:
    """The splits of rows of one length, and that length where it is known.

    The number of rows, a scalar or None, is what ``nvals`` values make: ValueError where it is not
    told and the length is 0, since any number of rows has as many values then.
    """
    known = length._constant_value()
    size = None if known is None else int(known)
    if nrows is None:
        if size == 0:
            raise ValueError(f"{what}: nrows must be given where uniform_row_length is 0")
        nrows = nvals // length
    return range(cast(nrows, length.dtype) + 1) * length, size


def rowids(splits: Any) -> Any:
    """The row of each value."""
    lengths = splits[1:] - splits[:-1]
    return repeated(range(size(lengths, splits.dtype)), lengths)


def offsets(splits: Any, numbers: Any) -> Any:
    """The place of each value in its row, where ``numbers`` are the rows."""
    return range(size(numbers, splits.dtype)) - gather(splits, numbers)


def require(condition: Any, message: str) -> None:
    """InvalidArgumentError unless a scalar condition holds: now, or when the graph runs."""
    known = condition._constant_value()
    if known is None:
        Assert(condition, [message])
    elif not bool(known):
        raise errors.InvalidArgumentError(None, None, message)


def check_splits(splits: Any, count: Any) -> None:
    """InvalidArgumentError where no rows of ``count`` values have these splits."""
    require(splits[0] == 0, "row_splits must begin with 0")
    rises = reduce_all(splits[1:] >= splits[:-1])
    require(rises, "row_splits must not fall: a row would have a negative length")
    require(splits[-1] == count, "row_splits must end with the number of values")


def check_rowids(numbers: Any, nrows: Any) -> None:
    """InvalidArgumentError where values cannot be in these rows."""
    require(reduce_all(numbers >= 0), "value_rowids must not be negative")
    require(reduce_all(numbers[1:] >= numbers[:-1]), "value_rowids must not fall")
    if nrows is not None:
        below = reduce_all(numbers < cast(nrows, numbers.dtype))
        require(below, "value_rowids must be below nrows")
