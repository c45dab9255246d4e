"""More reductions: any and all, positions of extremes, sums that ignore NaN."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import elementwise
from ..ops._dispatch import told
from ..values.public import public
from .promotion import array, as_bools, dtype_of, summed
from .reductions import _axes, mean

__all__: list[str] = []


@public("experimental.numpy.all")
def all(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """Whether all elements over axes are other than zero.

    >>> bool(fg.experimental.numpy.all([1, 0]))
    False

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of bools, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    return ops.reduce_all(as_bools(a), _axes(axis), bool(keepdims))


@public("experimental.numpy.any")
def any(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """Whether one element over axes is other than zero.

    >>> bool(fg.experimental.numpy.any([1, 0]))
    True

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of bools, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    return ops.reduce_any(as_bools(a), _axes(axis), bool(keepdims))


@public("experimental.numpy.argmax")
def argmax(a: Any, axis: int | None = None) -> Any:
    """The place of the largest element along an axis, the first one of several.

    >>> int(fg.experimental.numpy.argmax([1, 5, 2]))
    1

    Args:
      a: a tensor of real numbers or bools, or what converts to one; of any shape.
      axis: an int; None, the default, for all elements in a row.

    Returns:
      An int64 tensor of the shape of a without the axis.

    Raises:
      InvalidArgumentError: for another dtype, an axis out of range, and where there are no
        elements.
    """
    return _place(ops.argmax, a, axis)


@public("experimental.numpy.argmin")
def argmin(a: Any, axis: int | None = None) -> Any:
    """The place of the smallest element along an axis, the first one of several.

    >>> int(fg.experimental.numpy.argmin([3, 1, 2]))
    1

    Args:
      a: a tensor of real numbers or bools, or what converts to one; of any shape.
      axis: an int; None, the default, for all elements in a row.

    Returns:
      An int64 tensor of the shape of a without the axis.

    Raises:
      InvalidArgumentError: for another dtype, an axis out of range, and where there are no
        elements.
    """
    return _place(ops.argmin, a, axis)


def _place(function: Any, a: Any, axis: int | None) -> Any:
    a = array(a)
    if axis is None or a.shape.rank == 0:
        a, axis = ops.reshape(a, [-1]), 0
    return function(ops.cast(a, "int8") if a.dtype.is_bool else a, axis)


@public("experimental.numpy.count_nonzero")
def count_nonzero(a: Any, axis: Any = None) -> Any:
    """How many elements over axes are other than zero.

    >>> int(fg.experimental.numpy.count_nonzero([0, 1, 2]))
    2

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.

    Returns:
      An int64 tensor of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    return ops.reduce_sum(ops.cast(as_bools(a), "int64"), _axes(axis))


@public("experimental.numpy.ptp")
def ptp(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The largest element over axes less the smallest.

    >>> int(fg.experimental.numpy.ptp([1, 5]))
    4

    Args:
      a: a tensor of real numbers, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of the dtype of a, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    a, keeps = array(a), bool(keepdims)
    return ops.reduce_max(a, _axes(axis), keeps) - ops.reduce_min(a, _axes(axis), keeps)


@public("experimental.numpy.nansum")
@told
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The sum over axes of what is not NaN.

    >>> float(fg.experimental.numpy.nansum([1.0, float("nan")]))
    1.0

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      dtype: the dtype that elements are cast to first; by default that of a, in 64 bits for
        integers and bools.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of that dtype, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    return ops.reduce_sum(summed(_instead(a, 0), dtype), _axes(axis), keepdims)


@public("experimental.numpy.nanprod")
@told
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The product over axes of what is not NaN.

    >>> float(fg.experimental.numpy.nanprod([2.0, float("nan")]))
    2.0

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      dtype: the dtype that elements are cast to first; by default that of a, in 64 bits for
        integers and bools.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of that dtype, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    return ops.reduce_prod(summed(_instead(a, 1), dtype), _axes(axis), keepdims)


@public("experimental.numpy.nanmean")
@told
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The mean over axes of what is not NaN.

    >>> float(fg.experimental.numpy.nanmean([1.0, float("nan")]))
    1.0

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      dtype: the dtype that elements are cast to first; by default that of a, float64 for integers
        and bools.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of that dtype, of the shape of a without the axes; of float64 where a is of floats
        and dtype of integers.

    Raises:
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    a = array(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        return mean(a, axis, dtype, None, keepdims)
    known, a = ops.equal(a, a), _instead(a, 0)
    total = ops.reduce_sum(
        a if dtype is None else array(a, dtype_of(dtype)), _axes(axis), bool(keepdims)
    )
    return total / ops.reduce_sum(ops.cast(known, total.dtype), _axes(axis), bool(keepdims))


def _instead(a: Any, value: int) -> Any:
    """The array with a number where it is NaN."""
    a = array(a)
    if not a.dtype.is_floating:
        return a
    return ops.where(elementwise.is_nan(a), ops.cast(value, a.dtype), a)
