"""Order, search, and arrays as sets of their elements."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..ops import sorting
from ..ops.segments import unsorted_segment_min
from ..values.dtypes import int64
from ..values.errors import shown
from . import arrays
from .arrays import array, promoted, rank_of
from .manipulation import take

__all__ = [
    *("argmax", "argmin", "argsort", "isin", "nonzero", "searchsorted", "sort", "unique_all"),
    *("unique_counts", "unique_inverse", "unique_values"),
]


def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """The places of the largest elements along an axis, or among all; the first of several."""
    return _place(ops.argmax, x, axis, keepdims)


def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """The places of the smallest elements along an axis, or among all; the first of several."""
    return _place(ops.argmin, x, axis, keepdims)


def _place(function: Any, x: Any, axis: int | None, keepdims: bool) -> Any:
    x = array(x)
    if axis is None:
        found = function(ops.reshape(x, [-1]), 0, int64)
        return ops.reshape(found, [1] * rank_of(x, "keepdims")) if keepdims else found
    found = function(x, axis, int64)
    return ops.expand_dims(found, axis) if keepdims else found


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The places of the elements along an axis in their order; equal ones as they stand."""
    direction = "DESCENDING" if descending else "ASCENDING"
    return ops.cast(sorting.argsort(array(x), axis, direction, stable=True), int64)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The elements along an axis in order."""
    return sorting.sort(array(x), axis, "DESCENDING" if descending else "ASCENDING")


def nonzero(x: Any, /) -> tuple[Any, ...]:
    """The places of the elements other than zero, a vector for each axis.

    Raises:
      ValueError: for an array without axes.
    """
    x = array(x)
    rank = rank_of(x, "nonzero")
    if rank == 0:
        raise ValueError("nonzero needs an array of one axis or more, got one of shape ()")
    return tuple(ops.unstack(ops.where(ops.not_equal(x, ops.zeros_like(x))), rank, axis=1))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """Where the elements of ``x2`` would go in the sorted vector ``x1`` to keep it sorted.

    Raises:
      ValueError: for another side.
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', got {shown(side)}")
    x1, x2 = promoted(x1, x2)
    if sorter is not None:
        x1 = take(x1, sorter)
    found = sorting.searchsorted(x1, ops.reshape(x2, [-1]), side, int64)
    return ops.reshape(found, arrays.sizes(x2))


class UniqueAll(NamedTuple):
    """Distinct elements, where each is first, where each element's is, how often each is there."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each is there."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Distinct elements, and where each element's is."""

    values: Any
    inverse_indices: Any


def unique_all(x: Any, /) -> UniqueAll:
    """The distinct elements in order, each NaN for itself, where and how often each is there."""
    x = array(x)
    flat = ops.reshape(x, [-1])
    values, places, counts = sorting.unique_with_counts(flat, int64)
    at = ops.range(ops.size(flat, int64))
    first = unsorted_segment_min(at, places, ops.size(values, int64))
    if not x.dtype.is_complex:  # which have no order
        order = sorting.argsort(_ordered(values), stable=True)
        values, first, counts = (ops.gather(v, order) for v in (values, first, counts))
        places = ops.gather(ops.cast(sorting.argsort(order), int64), places)
    return UniqueAll(values, first, ops.reshape(places, arrays.sizes(x)), counts)


def _ordered(x: Any) -> Any:
    """Numbers that have an order: False is before True."""
    return ops.cast(x, "int8") if x.dtype.is_bool else x


def unique_counts(x: Any, /) -> UniqueCounts:
    """The distinct elements in order, and how often each is there."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """The distinct elements in order, and where each element's is among them."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Any:
    """The distinct elements in order, each NaN for itself."""
    return unique_all(x).values


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Whether each element of ``x1`` is one of ``x2``, or is none."""
    x1, x2 = promoted(x1, x2)
    flat = ops.reshape(x2, [-1])
    if x1.dtype.is_complex:  # which have no order
        found = ops.reduce_any(ops.equal(ops.expand_dims(x1, -1), flat), -1)
    else:
        one, row = _ordered(x1), _ordered(flat)
        row = sorting.sort(ops.boolean_mask(row, ops.equal(row, row)))  # NaN is no element
        place, size = searchsorted(row, one), ops.size(row, int64)
        met = ops.equal(ops.gather(ops.pad(row, [[0, 1]]), place), one)
        found = ops.logical_and(met, place < size)
    return ops.logical_not(found) if invert else found
