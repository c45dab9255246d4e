"""Reductions over axes, running sums and products, differences."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..numpy_like import arrangement, counts, reductions
from ..ops import reductions as of_numbers
from ..values.errors import shown
from . import arrays
from .arrays import array, axes_of, dtype_given, inexact, rank_of

__all__ = [
    *("all", "any", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max", "mean"),
    *("min", "prod", "std", "sum", "var"),
]


_variance: Any = reductions.var  # which takes fractions as well


def all(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements over axes are other than zero."""
    return counts.all(x, axis, keepdims)


def any(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether one element over axes is other than zero."""
    return counts.any(x, axis, keepdims)


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """How many elements over axes are other than zero."""
    held = ops.cast(ops.not_equal(array(x), ops.zeros_like(array(x))), "int64")
    return ops.reduce_sum(held, axes_of(axis), keepdims)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The products so far along an axis, which a vector alone may leave out."""
    return _so_far(of_numbers.cumprod, ops.ones, x, axis, dtype, include_initial)


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """The sums so far along an axis, which a vector alone may leave out."""
    return _so_far(of_numbers.cumsum, ops.zeros, x, axis, dtype, include_initial)


def _so_far(run: Any, first: Any, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
    """Running results; where it is asked for, with that of no elements before."""
    x = reductions.summed(x, dtype_given(dtype))
    rank = rank_of(x, "a running sum or product")
    if axis is None and rank != 1:
        raise ValueError(f"axis must be given for an array of shape {x.shape}, got {shown(axis)}")
    (axis,) = arrays.listed_axes(0 if axis is None else axis, rank, "a running sum or product")
    made = run(x, axis)
    if not include_initial:
        return made
    sizes = ops.shape(x)
    sizes = ops.concat([sizes[:axis], [1], sizes[axis + 1 :]], 0)
    return ops.concat([first(sizes, x.dtype), made], axis)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along an axis, taken ``n`` times."""
    parts = [array(part) for part in (prepend, x, append) if part is not None]
    return arrangement.diff(ops.concat(parts, axis) if len(parts) > 1 else parts[0], n, axis)


def max(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest elements over axes; NaN where there is one."""
    return reductions.max(x, axis, keepdims=keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The means over axes."""
    return ops.reduce_mean(inexact(x), axes_of(axis), keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest elements over axes; NaN where there is one."""
    return reductions.min(x, axis, keepdims=keepdims)


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The products over axes: of integers in 64 bits unless ``dtype`` says another one."""
    return reductions.prod(x, axis, dtype_given(dtype), keepdims)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """The standard deviations over axes, by the count less ``correction``."""
    return ops.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sums over axes: of integers in 64 bits unless ``dtype`` says another one."""
    return reductions.sum(x, axis, dtype_given(dtype), keepdims)


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """The variances over axes, by the count less ``correction``."""
    return _variance(x, axis, ddof=correction, keepdims=keepdims)
