"""Sets: each row along the last axis of a tensor, or of a sparse tensor, is one."""

from __future__ import annotations

from typing import Any

import ferrograph as fg

from ..ragged.partition import offsets, splits_of_rowids
from .places import places, to_coordinates
from .tensor import SparseTensor, is_sparse

__all__ = ["difference", "intersection", "size", "union"]


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in both rows, sorted.

    >>> fg.sparse.to_dense(fg.sets.intersection([[1, 2, 3]], [[2, 3, 4]])).numpy().tolist()
    [[2, 3]]
    """
    return _combined(a, b, lambda first, again, last: again)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in one of the rows or in both, sorted."""
    return _combined(a, b, lambda first, again, last: fg.ones_like(again))


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in the rows of ``a`` alone, or with ``aminusb=False`` in those of ``b`` alone."""

    def alone(first: Any, again: Any, last: Any) -> Any:
        return fg.logical_and(first if aminusb else fg.logical_not(first), fg.logical_not(again))

    return _combined(a, b, alone)


def size(a: Any, validate_indices: bool = True) -> Any:
    """How many different elements each row has, an int32 tensor."""
    rows, _, shape = _unique(a)
    ones = fg.ones_like(rows, fg.int32)
    counts = fg.math.unsorted_segment_sum(ones, rows, fg.reduce_prod(shape))
    return fg.reshape(counts, shape)


def _entries(value: Any) -> tuple:
    """The row and the value of each element, and the shape of the rows."""
    if is_sparse(value):
        shape = value.dense_shape[:-1]
        return places(value.indices[:, :-1], shape), value.values, shape
    value = fg.convert_to_tensor(value)
    whole = fg.shape(value, fg.int64)
    rows = fg.repeat(fg.range(fg.reduce_prod(whole[:-1])), whole[-1])
    return rows, fg.reshape(value, [-1]), whole[:-1]


def _sorted(rows: Any, values: Any, *others: Any) -> list:
    """Parallel vectors in the order of rows, then of values, then as they were."""
    order = fg.argsort(values, stable=True)
    order = fg.gather(order, fg.argsort(fg.gather(rows, order), stable=True))
    return [fg.gather(x, order) for x in (rows, values, *others)]


def _same_as_before(rows: Any, values: Any) -> Any:
    """Whether each entry equals the one before it."""
    same = fg.logical_and(rows[1:] == rows[:-1], values[1:] == values[:-1])
    return fg.concat([fg.zeros_like(rows[:1], fg.bool), same], 0)


def _unique(value: Any) -> tuple:
    rows, values, shape = _entries(value)
    rows, values = _sorted(rows, values)
    new = fg.logical_not(_same_as_before(rows, values))
    return fg.boolean_mask(rows, new), fg.boolean_mask(values, new), shape


def _combined(a: Any, b: Any, choose: Any) -> SparseTensor:
    """The rows of what ``choose`` says of each different entry.

    It is told whether the entry is of the first set, whether it is in both, and that it is kept.
    """
    rows_a, values_a, shape = _unique(a)
    rows_b, values_b, _ = _unique(b)
    rows = fg.concat([rows_a, rows_b], 0)
    values = fg.concat([values_a, fg.cast(values_b, values_a.dtype)], 0)
    is_first = fg.concat([fg.ones_like(rows_a, fg.bool), fg.zeros_like(rows_b, fg.bool)], 0)
    rows, values, is_first = _sorted(rows, values, is_first)
    repeated = _same_as_before(rows, values)
    in_both = fg.concat([repeated[1:], fg.zeros_like(repeated[:1])], 0)
    kept = fg.logical_not(repeated)
    kept = fg.logical_and(kept, choose(is_first, in_both, kept))
    return _rows_of_sets(fg.boolean_mask(rows, kept), fg.boolean_mask(values, kept), shape)


def _rows_of_sets(rows: Any, values: Any, shape: Any) -> SparseTensor:
    splits = splits_of_rowids(rows, fg.reduce_prod(shape))
    columns = offsets(splits, rows)
    width = fg.reduce_max(fg.concat([[0], splits[1:] - splits[:-1]], 0))
    indices = fg.concat([to_coordinates(rows, shape), fg.expand_dims(columns, 1)], 1)
    return SparseTensor(indices, values, fg.concat([shape, fg.reshape(width, [1])], 0))
