"""Sets: each row along the last axis of a tensor, or of a sparse tensor, is one."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import debug, segments
from ..ops._base import refusal
from ..ops._numbers import check_flags
from ..ops._ranks import of_rank
from ..ops.partition import offsets, splits_of_rowids
from ..values import dtypes
from ..values.public import public
from .orders import string_ranks
from .places import places, to_coordinates
from .tensor import SparseTensor, is_sparse

__all__ = ["difference", "intersection", "size", "union"]


@public("sets.intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in both rows, sorted.

    >>> fg.sparse.to_dense(fg.sets.intersection([[1, 2, 3]], [[2, 3, 4]])).numpy().tolist()
    [[2, 3]]

    Args:
      a, b: tensors, dense or sparse, of one dtype, int8, int16, int32, int64, uint8, uint16 or
        string; the last axis holds sets, and the axes before it agree.
      validate_indices: of no effect.

    Returns:
      A ``SparseTensor`` of their dtype and rank.

    Raises:
      TypeError: for other dtypes, and where they differ.
      InvalidArgumentError: where the axes before the last do not agree.
    """
    check_flags("intersection", validate_indices=validate_indices)
    return _combined(a, b, lambda first, again, last: again)


@public("sets.union")
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in one of the rows or in both, sorted.

    >>> fg.sets.union([[1, 2]], [[2, 3]]).values.numpy()
    array([1, 2, 3], dtype=int32)

    Args:
      a, b: tensors, dense or sparse, of one dtype, int8, int16, int32, int64, uint8, uint16 or
        string; the last axis holds sets, and the axes before it agree.
      validate_indices: of no effect.

    Returns:
      A ``SparseTensor`` of their dtype and rank.

    Raises:
      TypeError: for other dtypes, and where they differ.
      InvalidArgumentError: where the axes before the last do not agree.
    """
    check_flags("union", validate_indices=validate_indices)
    return _combined(a, b, lambda first, again, last: ops.ones_like(again))


@public("sets.difference")
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in the rows of ``a`` alone, sorted, or in those of ``b`` alone.

    >>> fg.sets.difference([[1, 2]], [[2, 3]]).values.numpy()
    array([1], dtype=int32)

    Args:
      a, b: tensors, dense or sparse, of one dtype, int8, int16, int32, int64, uint8, uint16 or
        string; the last axis holds sets, and the axes before it agree.
      aminusb: a bool; False gives what is in b alone. True by default.
      validate_indices: of no effect.

    Returns:
      A ``SparseTensor`` of their dtype and rank.

    Raises:
      TypeError: for other dtypes, and where they differ.
      InvalidArgumentError: where the axes before the last do not agree.
    """
    check_flags("difference", validate_indices=validate_indices)

    def alone(first: Any, again: Any, last: Any) -> Any:
        return ops.logical_and(first if aminusb else ops.logical_not(first), ops.logical_not(again))

    return _combined(a, b, alone)


@public("sets.size")
def size(a: Any, validate_indices: bool = True) -> Any:
    """How many different elements each row has.

    >>> fg.sets.size(fg.sparse.from_dense([[1, 2], [3, 3]])).numpy()
    array([2, 1], dtype=int32)

    Args:
      a: a tensor, dense or sparse, of int8, int16, int32, int64, uint8, uint16 or string; the last
        axis holds sets.
      validate_indices: of no effect.

    Returns:
      An int32 tensor of the shape of a without the last axis.

    Raises:
      TypeError: for other dtypes.
    """
    check_flags("size", validate_indices=validate_indices)
    rows, _, shape = _unique(_set(a, "a"))
    ones = ops.ones_like(rows, dtypes.int32)
    counts = segments.unsorted_segment_sum(ones, rows, ops.reduce_prod(shape))
    return ops.reshape(counts, shape)


_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "string")


def _set(value: Any, what: str) -> Any:
    """The sets as a tensor, dense or sparse. TypeError for other dtypes."""
    value = value if is_sparse(value) else _core.convert_to_tensor(value)
    if value.dtype.name not in _DTYPES:
        raise TypeError(f"{what!r} has dtype {value.dtype.name}, not one of {', '.join(_DTYPES)}")
    return value


def _entries(value: Any) -> tuple[Any, ...]:
    """The row and the value of each element, and the shape of the rows."""
    if is_sparse(value):
        shape = value.dense_shape[:-1]
        return places(value.indices[:, :-1], shape), value.values, shape
    whole = ops.shape(value, dtypes.int64)
    rows = ops.repeat(ops.range(ops.reduce_prod(whole[:-1])), whole[-1])
    return rows, ops.reshape(value, [-1]), whole[:-1]


def _sorted(rows: Any, values: Any, *others: Any) -> list[Any]:
    """Parallel vectors in the order of rows, then of values, then as they were."""
    numbers = string_ranks(values) if values.dtype == dtypes.string else values
    order = ops.argsort(numbers, stable=True)
    order = ops.gather(order, ops.argsort(ops.gather(rows, order), stable=True))
    return [ops.gather(x, order) for x in (rows, values, *others)]


def _same_as_before(rows: Any, values: Any) -> Any:
    """Whether each entry equals the one before it."""
    same = ops.logical_and(rows[1:] == rows[:-1], values[1:] == values[:-1])
    return ops.concat([ops.zeros_like(rows[:1], dtypes.bool), same], 0)


def _unique(value: Any) -> tuple[Any, ...]:
    rows, values, shape = _entries(value)
    rows, values = _sorted(rows, values)
    new = ops.reshape(ops.logical_not(_same_as_before(rows, values)), [-1])
    return ops.boolean_mask(rows, new), ops.boolean_mask(values, new), shape


def _of_rank_of(value: Any, other: Any) -> Any:
    """A tensor of unknown rank with that of another one."""
    rank = other.shape.rank
    return value if is_sparse(value) or rank is None else of_rank(value, rank)


def _combined(a: Any, b: Any, choose: Any) -> SparseTensor:
    """The rows of what ``choose`` says of each different entry.

    ``choose`` gets whether the entry is of the first set, whether it is in both, and that it is
    kept.
    """
    a, b = _set(a, "a"), _set(b, "b")
    if a.dtype != b.dtype:
        raise TypeError(f"the sets have two dtypes, {a.dtype.name} and {b.dtype.name}")
    a, b = _of_rank_of(a, b), _of_rank_of(b, a)
    rows_a, values_a, shape = _unique(a)
    rows_b, values_b, other = _unique(b)
    if not shape.shape.is_compatible_with(other.shape):
        raise refusal(f"the sets have {shape.shape[0]} and {other.shape[0]} axes before the last")
    debug.assert_equal(shape, other, "the axes before the last must agree")
    rows = ops.concat([rows_a, rows_b], 0)
    values = ops.concat([values_a, values_b], 0)
    is_first = ops.concat(
        [ops.ones_like(rows_a, dtypes.bool), ops.zeros_like(rows_b, dtypes.bool)], 0
    )
    rows, values, is_first = _sorted(rows, values, is_first)
    repeated = _same_as_before(rows, values)
    in_both = ops.concat([repeated[1:], ops.zeros_like(repeated[:1])], 0)
    kept = ops.logical_not(repeated)
    kept = ops.logical_and(kept, choose(is_first, in_both, kept))
    return _rows_of_sets(ops.boolean_mask(rows, kept), ops.boolean_mask(values, kept), shape)


def _rows_of_sets(rows: Any, values: Any, shape: Any) -> SparseTensor:
    splits = splits_of_rowids(rows, ops.reduce_prod(shape))
    columns = offsets(splits, rows)
    width = ops.reduce_max(ops.concat([[0], splits[1:] - splits[:-1]], 0))
    indices = ops.concat([to_coordinates(rows, shape), ops.expand_dims(columns, 1)], 1)
    return SparseTensor(indices, values, ops.concat([shape, ops.reshape(width, [1])], 0))
