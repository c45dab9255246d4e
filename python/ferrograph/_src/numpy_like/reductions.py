"""Reductions and running sums with NumPy's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..ops import reductions
from ..ops._dispatch import told
from ..values.public import public
from .promotion import array, dtype_of, inexact, promoted, summed

__all__: list[str] = []


def _axes(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


@public("experimental.numpy.sum")
@told
def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The sum over axes.

    >>> fg.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])

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
    return ops.reduce_sum(summed(a, dtype), _axes(axis), bool(keepdims))


@public("experimental.numpy.prod")
@told
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Any:
    """The product over axes.

    >>> int(fg.experimental.numpy.prod([2, 3]))
    6

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
    return ops.reduce_prod(summed(a, dtype), _axes(axis), bool(keepdims))


@public("experimental.numpy.mean")
@told
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool | None = None
) -> Any:
    """The mean over axes.

    >>> float(fg.experimental.numpy.mean([1, 2]))
    1.5

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      dtype: the dtype that elements are cast to first; by default that of a, float64 for integers
        and bools.
      out: None alone: tensors do not change.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of that dtype, of the shape of a without the axes.

    Raises:
      ValueError: where out is given.
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    _check_out(out)
    a = inexact(a) if dtype is None else array(a, dtype_of(dtype))
    return ops.reduce_mean(a, _axes(axis), bool(keepdims))


def _check_out(out: Any) -> None:
    if out is not None:
        raise ValueError("`out` cannot be filled: tensors do not change")


@public("experimental.numpy.var")
@told
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool | None = None,
) -> Any:
    """The variance over axes, by ``n - ddof``.

    >>> float(fg.experimental.numpy.var([1, 3]))
    1.0

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      dtype: the dtype that elements are cast to first; by default that of a, float64 for integers
        and bools.
      out: None alone: tensors do not change.
      ddof: a number; 0 by default.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of that dtype, of a real one for complex numbers, of the shape of a without the axes.

    Raises:
      ValueError: where out is given.
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    _check_out(out)
    a = inexact(a) if dtype is None else array(a, dtype_of(dtype))
    spread = reductions.reduce_variance(a, _axes(axis), bool(keepdims))
    if ddof == 0:
        return spread
    count = ops.reduce_sum(ops.ones_like(a), _axes(axis), bool(keepdims))
    count = ops.cast(count, spread.dtype)
    return spread * count / (count - ddof)


@public("experimental.numpy.std")
def std(a: Any, axis: Any = None, keepdims: bool | None = None) -> Any:
    """The standard deviation over axes.

    >>> float(fg.experimental.numpy.std([1, 3]))
    1.0

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of the dtype of a, of float64 for integers and bools, of a real one for complex
        numbers, of the shape of a without the axes.

    Raises:
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    return reductions.reduce_std(inexact(a), _axes(axis), bool(keepdims))


@public("experimental.numpy.max", "experimental.numpy.amax")
@told
def max(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
    """The largest element over axes; of bools, whether one holds.

    >>> int(fg.experimental.numpy.max([1, 3]))
    3

    Args:
      a: a tensor of real numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      out: None alone: tensors do not change.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of the dtype of a, of the shape of a without the axes.

    Raises:
      ValueError: where out is given.
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    _check_out(out)
    a = array(a)
    reduce = ops.reduce_any if a.dtype.is_bool else ops.reduce_max
    return reduce(a, _axes(axis), bool(keepdims))


@public("experimental.numpy.min", "experimental.numpy.amin")
@told
def min(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
    """The smallest element over axes; of bools, whether all hold.

    >>> int(fg.experimental.numpy.min([1, 3]))
    1

    Args:
      a: a tensor of real numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      out: None alone: tensors do not change.
      keepdims: a bool, whether the axes stay, of size 1; False by default.

    Returns:
      A tensor of the dtype of a, of the shape of a without the axes.

    Raises:
      ValueError: where out is given.
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    _check_out(out)
    a = array(a)
    reduce = ops.reduce_all if a.dtype.is_bool else ops.reduce_min
    return reduce(a, _axes(axis), bool(keepdims))


@public("experimental.numpy.cumsum")
@told
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The sums so far along an axis.

    >>> fg.experimental.numpy.cumsum([[1, 2], [3, 4]]).numpy()
    array([ 1,  3,  6, 10])

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int; None, the default, for all elements in a row.
      dtype: the dtype that elements are cast to first; by default that of a, for integers and bools
        the one that NumPy gives it beside int64.

    Returns:
      A tensor of that dtype, of the shape of a; a vector without an axis.

    Raises:
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    a = _so_far(a, dtype)
    return ops.cumsum(ops.reshape(a, [-1]), 0) if axis is None else ops.cumsum(a, axis)


@public("experimental.numpy.cumprod")
@told
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The products so far along an axis.

    >>> fg.experimental.numpy.cumprod([[1, 2], [3, 4]]).numpy()
    array([ 1,  2,  6, 24])

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int; None, the default, for all elements in a row.
      dtype: the dtype that elements are cast to first; by default that of a, for integers and bools
        the one that NumPy gives it beside int64.

    Returns:
      A tensor of that dtype, of the shape of a; a vector without an axis.

    Raises:
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    a = _so_far(a, dtype)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    return reductions.cumprod(a, axis)


def _so_far(a: Any, dtype: Any) -> Any:
    """The value in the dtype of its running sums: for integers that of NumPy beside int64."""
    a = array(a)
    if dtype is not None:
        return ops.cast(a, dtype_of(dtype))
    if a.dtype.is_bool or not a.dtype.is_integer:
        return summed(a, None)
    return ops.cast(a, np.promote_types(a.dtype.as_numpy_dtype, dtype_of(int)))


@public("experimental.numpy.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean over axes with weights.

    >>> float(fg.experimental.numpy.average([1, 2], weights=[3, 1]))
    1.25

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.
      weights: a tensor of numbers, or what converts to one; of the shape of a or, for one axis, a
        vector along it. All 1 by default.
      returned: a bool, whether the sum of the weights is given as well; False by default.

    Returns:
      A tensor of the floating dtype that a and weights have together, of the shape of a without the
        axes; with returned a pair of such.

    Raises:
      ValueError: where the weights have another shape.
      InvalidArgumentError: for an axis out of range.
      UnimplementedError: for strings.
    """
    a = inexact(a)
    if weights is None:
        weights = ops.ones_like(a)
    a, weights = promoted(a, inexact(weights))
    if weights.shape.rank == 1 and a.shape.rank != 1:
        if not isinstance(axis, int):
            raise ValueError("weights of one axis need that axis: give `axis` as an integer")
        places = [1] * a.shape.rank
        places[axis] = -1
        weights = ops.reshape(weights, places)
        weights = ops.broadcast_to(weights, ops.shape(a))
    elif not weights.shape.is_compatible_with(a.shape):
        raise ValueError(f"weights of shape {weights.shape} do not fit shape {a.shape}")
    total = ops.reduce_sum(weights, _axes(axis))
    made = ops.reduce_sum(a * weights, _axes(axis)) / total
    return (made, total) if returned else made
