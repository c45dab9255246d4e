"""Crossed features: each combination of one value of each column, as a text or as a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import ops
from ..native import _core
from ..ops import arithmetic, segments, string_ops, texts
from ..values import dtypes
from ..values.public import public
from .places import require
from .tensor import is_sparse, made

__all__ = ["cross", "cross_hashed"]

_KEY = 0xDECAFCAFFE
_MULTIPLIER = 0xC6A4A7935BD1E995
_LARGEST = (1 << 63) - 1


class _Column(NamedTuple):
    """The values of a column in the order of their rows; how many each row has, and of how many
    there are.
    """

    values: Any
    counts: Any
    n_rows: Any


@public("sparse.cross")
def cross(inputs: Sequence[Any], name: str | None = None, separator: str | None = None) -> Any:
    """Each combination of a value of each column, row by row, joined to one text.

    >>> pairs = fg.ragged.constant([["a", "b"], ["c"]])
    >>> found = fg.sparse.cross([pairs, fg.constant([["x"], ["y"]])])
    >>> fg.sparse.to_dense(found, default_value="").numpy().tolist()
    [[b'a_X_x', b'b_X_x'], [b'c_X_y', b'']]

    Args:
      inputs: columns with as many rows each: matrices of integers or strings; sparse and ragged
        ones come first.
      name: a name for the operation.
      separator: what stands between the parts, ``"_X_"`` unless told.

    Returns:
      A ``SparseTensor`` of strings; a combination is at the place that it has in its row.
    """
    columns = _columns(inputs)
    indices, chosen, shape = _combinations(columns)
    parts = [v if v.dtype == dtypes.string else ops.as_string(v) for v in chosen]
    between = "_X_" if separator is None else separator
    return made(indices, string_ops.join(parts, between, name=name), shape)


@public("sparse.cross_hashed")
def cross_hashed(
    inputs: Sequence[Any],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> Any:
    """Each combination of a value of each column, row by row, as a hash of its parts.

    >>> found = fg.sparse.cross_hashed([[["a"], ["b"]], [["c"], ["d"]]], num_buckets=100)
    >>> fg.sparse.to_dense(found).numpy().tolist()
    [[66], [54]]

    Args:
      inputs: columns with as many rows each: matrices of integers or strings; sparse and ragged
        ones come first.
      num_buckets: the hash is taken modulo this, modulo the largest int64 where it is 0.
      hash_key: the number with which the hash begins.
      name: a name for the operation.

    Returns:
      A ``SparseTensor`` of int64; a combination is at the place that it has in its row.

    Raises:
      ValueError: for a negative ``num_buckets``.
    """
    if num_buckets < 0:
        raise ValueError(f"num_buckets must not be negative, got {num_buckets}")
    columns = _columns(inputs)
    columns = [column._replace(values=_fingerprint(column.values)) for column in columns]
    indices, chosen, shape = _combinations(columns)
    found = _uint64(_KEY if hash_key is None else hash_key)
    for part in chosen:
        found = _joined(found, part)
    found = arithmetic.floormod(found, _uint64(num_buckets or _LARGEST))
    return made(indices, ops.cast(found, dtypes.int64, name=name), shape)


def _columns(inputs: Sequence[Any]) -> list[_Column]:
    """The inputs as columns, those that are dense behind the others."""
    found = [v.to_sparse() if hasattr(v, "row_splits") else v for v in inputs]
    return [_column(v) for v in sorted(found, key=lambda v: not is_sparse(v))]


def _column(value: Any) -> _Column:
    """An input as a column. ValueError for one of another rank than 2."""
    if not is_sparse(value):
        value = _core.convert_to_tensor(value)
        _check_rank(value)
        n_rows, width = ops.unstack(ops.shape(value, dtypes.int64))
        return _Column(_plain(ops.reshape(value, [-1])), ops.fill([n_rows], width), n_rows)
    _check_rank(value)
    n_rows = value.dense_shape[0]
    rows = value.indices[:, 0]
    counts = segments.unsorted_segment_sum(ops.ones_like(rows), rows, n_rows)
    return _Column(_plain(value.values), counts, n_rows)


def _check_rank(value: Any) -> None:
    if value.shape.rank not in (None, 2):
        raise ValueError(f"a column that is crossed is a matrix, got shape {value.shape}")


def _plain(values: Any) -> Any:
    """The values as strings or int64."""
    return values if values.dtype == dtypes.string else ops.cast(values, dtypes.int64)


def _combinations(columns: list[_Column]) -> tuple[Any, list[Any], Any]:
    """The places of all combinations, the value of each column in them, and the shape.

    The last column changes fastest.
    """
    if not columns:
        raise ValueError("at least one column is needed to be crossed")
    n_rows = columns[0].n_rows
    for column in columns[1:]:
        require(ops.equal(column.n_rows, n_rows), "columns that are crossed have as many rows each")
    totals = columns[0].counts
    for column in columns[1:]:
        totals = totals * column.counts
    owners = ops.repeat(ops.range(n_rows, dtype=dtypes.int64), totals)
    starts = ops.cumsum(totals, exclusive=True)
    place = ops.range(ops.size(owners, dtypes.int64)) - ops.gather(starts, owners)
    left, chosen = place, []
    for column in reversed(columns):
        size = ops.maximum(ops.gather(column.counts, owners), 1)
        first = ops.gather(ops.cumsum(column.counts, exclusive=True), owners)
        chosen.append(ops.gather(column.values, first + left % size))
        left = left // size
    widest = ops.reduce_max(ops.concat([totals, [0]], 0))
    return ops.stack([owners, place], 1), chosen[::-1], ops.stack([n_rows, widest])


def _uint64(value: int) -> Any:
    return _core.convert_to_tensor(value, dtypes.uint64)


def _fingerprint(values: Any) -> Any:
    """The 64 bits of each value: of a string FarmHash's fingerprint, of an integer itself.

    A fingerprint is found by what it leaves of two numbers: of 2**62 its lower bits, of the largest
    int64, which is one less than a multiple of that, how often it has that.
    """
    if values.dtype != dtypes.string:
        return ops.cast(values, dtypes.uint64)
    low = texts.to_hash_bucket_fast(values, 1 << 62)
    rest = texts.to_hash_bucket_fast(values, _LARGEST)
    times = arithmetic.bitwise_and(rest - low, (1 << 62) - 1)
    return ops.cast(rest, dtypes.uint64) + ops.cast(times, dtypes.uint64) * _uint64(_LARGEST)


def _joined(first: Any, second: Any) -> Any:
    """The fingerprint of two fingerprints, one behind the other."""
    multiplier = _uint64(_MULTIPLIER)
    found = arithmetic.bitwise_xor(first, multiplier)
    found = arithmetic.bitwise_xor(found, _mixed(second * multiplier) * multiplier) * multiplier
    return _mixed(_mixed(found) * multiplier)


def _mixed(value: Any) -> Any:
    return arithmetic.bitwise_xor(value, arithmetic.right_shift(value, _uint64(47)))
