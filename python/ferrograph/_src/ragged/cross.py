"""Features crossed: for each row all combinations of one value of each column."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..native import _core
from ..ops._base import refusal
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..ops.debug import assert_equal
from ..ops.segments import unsorted_segment_sum
from ..ops.string_ops import join
from ..ops.texts import to_hash_bucket_fast
from ..sparse.tensor import SparseTensor, is_sparse
from ..values.dtypes import int64, string, uint64
from ..values.public import public
from .tensor import RaggedTensor

__all__ = ["cross", "cross_hashed", "sparse_cross", "sparse_cross_hashed"]

_SEPARATOR = "_X_"
_KEY = 0xDECAFCAFFE


class _Column(NamedTuple):
    """Values row after row: where each row begins, and how many it has."""

    values: Any
    starts: Any
    lengths: Any


class _Crossed(NamedTuple):
    """All combinations: a value of each column, their rows, and how many there are in a row."""

    chosen: list[Any]
    rows: Any
    counts: Any


@public("ragged.cross")
def cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """All combinations of one value of each column, row by row, as strings joined by ``_X_``.

    >>> fg.ragged.cross([fg.ragged.constant([["a"], ["b", "c"]]), [["d"], ["e"]]]).to_list()
    [[b'a_X_d'], [b'b_X_e', b'c_X_e']]

    Args:
      inputs: columns of as many rows each: matrices, ragged and sparse ones, of strings or
        integers.
      name: of no effect.

    Raises:
      ValueError: without a column, or for one of floats.
      InvalidArgumentError: for a column that is no matrix, or has another number of rows.
    """
    crossed = _crossed(_checked(inputs))
    return _as_ragged(_joined(crossed.chosen, _SEPARATOR), crossed)


@public("ragged.cross_hashed")
@told
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """As ``ragged.cross``, a hash of each combination in place of a string.

    >>> rows = fg.ragged.constant([["a"], ["b", "c"]])
    >>> fg.ragged.cross_hashed([rows, [["d"], ["e"]]], num_buckets=100).to_list()
    [[82], [61, 41]]

    Args:
      inputs: as ``ragged.cross`` takes them.
      num_buckets: the hashes are below it; any number that is not negative where 0.
      hash_key: what the hashes begin from.
      name: of no effect.
    """
    num_buckets = whole(num_buckets, "ragged.cross_hashed: num_buckets")
    crossed = _crossed(_checked(inputs))
    return _as_ragged(_hashed(crossed.chosen, num_buckets, hash_key), crossed)


@public("sparse.cross")
@told
def sparse_cross(inputs: Any, name: str | None = None, separator: str | None = None) -> Any:
    """All combinations of one value of each column, row by row, as strings in a sparse matrix.

    >>> s = fg.sparse.from_dense([["a", ""], ["b", "c"]])
    >>> fg.sparse.cross([s, fg.constant([["d"], ["e"]])], separator="-").values.numpy().tolist()
    [b'a-d', b'b-e', b'c-e']

    Args:
      inputs: matrices of as many rows each, sparse or dense, of strings or integers; the dense ones
        come behind the sparse ones.
      name: of no effect.
      separator: what stands between the values, ``_X_`` by default.
    """
    crossed = _crossed(_sparse_first(inputs))
    separator = _SEPARATOR if separator is None else separator
    return _as_sparse(_joined(crossed.chosen, separator), crossed)


@public("sparse.cross_hashed")
@told
def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> Any:
    """As ``sparse.cross``, a hash of each combination in place of a string.

    >>> s = fg.sparse.from_dense([["a", ""], ["b", "c"]])
    >>> fg.sparse.cross_hashed([s, fg.constant([["d"], ["e"]])], 100).values.numpy()
    array([82, 61, 41])

    Args:
      inputs: as ``sparse.cross`` takes them.
      num_buckets: the hashes are below it; any number that is not negative where 0.
      hash_key: what the hashes begin from.
      name: of no effect.
    """
    num_buckets = whole(num_buckets, "sparse.cross_hashed: num_buckets")
    crossed = _crossed(_sparse_first(inputs))
    return _as_sparse(_hashed(crossed.chosen, num_buckets, hash_key), crossed)


def _listed(inputs: Any) -> list[Any]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"cross: inputs must be a list, got {type(inputs).__name__}")
    return [i if _is_composite(i) else _core.convert_to_tensor(i) for i in inputs]


def _is_composite(value: Any) -> bool:
    return is_sparse(value) or isinstance(value, RaggedTensor)


def _sparse_first(inputs: Any) -> list[Any]:
    """The columns, dense ones last; ragged ones are as good as sparse."""
    return sorted(_listed(inputs), key=lambda column: not _is_composite(column))


def _checked(inputs: Any) -> list[Any]:
    """The columns. ValueError for one that has neither strings nor integers."""
    listed = _listed(inputs)
    for i, column in enumerate(listed):
        if column.dtype != string and not column.dtype.is_integer:
            raise ValueError(f"Unexpected dtype for inputs[{i}]: {column.dtype}")
    return listed


def _crossed(inputs: list[Any]) -> _Crossed:
    if not inputs:
        raise ValueError("a cross needs at least one column")
    columns = [_column(i) for i in inputs]
    counts = columns[0].lengths
    for column in columns[1:]:
        assert_equal(ops.size(column.lengths), ops.size(counts), "columns must have as many rows")
        counts *= column.lengths
    rows = ops.repeat(ops.range(ops.size(counts, int64)), counts)
    ends = ops.cumsum(counts)
    number = ops.range(ops.reduce_sum(counts)) - ops.gather(ends - counts, rows)
    chosen: list[Any] = []
    for column in reversed(columns):  # the last one changes fastest
        length = ops.gather(column.lengths, rows)
        place = ops.gather(column.starts, rows) + number % length
        chosen.insert(0, ops.gather(column.values, place))
        number //= length
    return _Crossed(chosen, rows, counts)


def _column(value: Any) -> _Column:
    """A column of any kind."""
    if value.shape.rank not in (2, None):
        raise refusal(f"a column must be a matrix, got shape {value.shape}")
    if is_sparse(value):
        values, rows = value.values, value.indices[:, 0]
        ones = ops.ones_like(rows, int64)
        lengths = unsorted_segment_sum(ones, rows, value.dense_shape[0])
    elif isinstance(value, RaggedTensor):
        values, lengths = value.values, ops.cast(value.row_lengths(), int64)
    else:
        n_rows, width = ops.unstack(ops.shape(value, int64), 2)
        values, lengths = ops.reshape(value, [-1]), ops.fill(ops.expand_dims(n_rows, 0), width)
    if values.dtype != string:
        values = ops.cast(values, int64)
    return _Column(values, ops.cumsum(lengths, exclusive=True), lengths)


def _joined(chosen: list[Any], separator: str) -> Any:
    texts = [c if c.dtype == string else ops.as_string(c) for c in chosen]
    return join(texts, separator)


def _hashed(chosen: list[Any], num_buckets: int, hash_key: int | None) -> Any:
    """The hashes of combinations, as int64. ValueError for a negative number of buckets."""
    if num_buckets < 0:
        raise ValueError(f"num_buckets must not be negative, got {num_buckets}")
    found = ops.fill(ops.shape(chosen[0]), _word(_KEY if hash_key is None else hash_key))
    for column in chosen:
        number = _fingerprints(column) if column.dtype == string else ops.cast(column, uint64)
        found = _mixed(found, number)
    return ops.cast(found % _word(num_buckets or 2**63 - 1), int64)


def _word(number: int) -> Any:
    return _core.convert_to_tensor(number % 2**64, uint64)


def _fingerprints(texts: Any) -> Any:
    """FarmHash's 64-bit fingerprints: their lower 62 bits, and what is above from a remainder.

    Of ``h = low + k * 2**62`` with k below 4 the remainder by 5 is that of ``low - k``.
    """
    low = to_hash_bucket_fast(texts, 2**62)
    high = (low - to_hash_bucket_fast(texts, 5)) % 5
    return ops.cast(low, uint64) + ops.cast(high, uint64) * _word(2**62)


_MULTIPLIER = 0xC6A4A7935BD1E995


def _mixed(left: Any, right: Any) -> Any:
    """Two fingerprints as one."""
    by = _word(_MULTIPLIER)
    found = (_folded(right * by) * by ^ (left ^ by)) * by
    return _folded(_folded(found) * by)


def _folded(number: Any) -> Any:
    """A number whose lower bits depend on its upper ones, too."""
    return number ^ number // _word(2**47)


def _as_ragged(values: Any, crossed: _Crossed) -> RaggedTensor:
    return RaggedTensor.from_row_lengths(values, crossed.counts, validate=False)


def _as_sparse(values: Any, crossed: _Crossed) -> SparseTensor:
    ends = ops.cumsum(crossed.counts)
    columns = ops.range(ops.size(values, int64)) - ops.gather(ends - crossed.counts, crossed.rows)
    width = ops.reduce_max(ops.concat([[0], crossed.counts], 0))
    shape = ops.stack([ops.size(crossed.counts, int64), width])
    return SparseTensor(ops.stack([crossed.rows, columns], 1), values, shape)
