"""Creation of arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import ops
from ..ops import elementwise
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..values.public import public
from .any_rank import count_of, sizes_of
from .arrangement import at_least
from .promotion import array as _array
from .promotion import common_dtype, dtype_of, inexact, promoted

__all__: list[str] = []


@public("experimental.numpy.array")
@told
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """The value as a tensor with NumPy's dtypes: Python's integers int64, its floats float64.

    >>> fg.experimental.numpy.array([1, 2], ndmin=2).numpy()
    array([[1, 2]])

    Args:
      val: a tensor, an array, a number, a bool, a string, or nested lists of such.
      dtype: the dtype; by default the one that NumPy gives the value.
      copy: of no effect.
      ndmin: an int, how many axes there are at least, new ones of size 1 before the others; 0 by
        default.

    Returns:
      A tensor.

    Raises:
      TypeError: where it does not convert to dtype.
      ValueError: for lists of unequal lengths.
    """
    made = _array(val, None if dtype is None else dtype_of(dtype))
    return ops.identity(made) if ndmin == 0 else at_least(made, ndmin)


@public("experimental.numpy.asarray")
@told
def asarray(a: Any, dtype: Any = None) -> Any:
    """The value as a tensor, as ``array`` makes it.

    >>> fg.experimental.numpy.asarray(1.5).dtype.name
    'float64'

    Args:
      a: a tensor, an array, a number, a bool, a string, or nested lists of such.
      dtype: the dtype; by default the one that NumPy gives the value.

    Returns:
      A tensor.

    Raises:
      TypeError: where it does not convert to dtype.
      ValueError: for lists of unequal lengths.
    """
    return _array(a, None if dtype is None else dtype_of(dtype))


@public("experimental.numpy.zeros")
@told
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Zeros in this shape.

    >>> fg.experimental.numpy.zeros(2).numpy()
    array([0., 0.])

    Args:
      shape: an int or a list of ints.
      dtype: the dtype, float64 by default.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    return ops.zeros(sizes_of(shape), dtype_of(dtype))


@public("experimental.numpy.ones")
@told
def ones(shape: Any, dtype: Any = float) -> Any:
    """Ones in this shape.

    >>> fg.experimental.numpy.ones([1, 2]).numpy()
    array([[1., 1.]])

    Args:
      shape: an int or a list of ints.
      dtype: the dtype, float64 by default.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    return ops.ones(sizes_of(shape), dtype_of(dtype))


@public("experimental.numpy.full")
@told
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """The value, which broadcasts, in this shape.

    >>> fg.experimental.numpy.full([2], 7).numpy()
    array([7, 7])

    Args:
      shape: an int or a list of ints.
      fill_value: a tensor, or what converts to one; it broadcasts to shape.
      dtype: the dtype; by default the one that NumPy gives the value.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      InvalidArgumentError: where the value does not broadcast.
      TypeError: where it does not convert to dtype.
    """
    value = _array(fill_value, None if dtype is None else dtype_of(dtype))
    return ops.broadcast_to(value, sizes_of(shape))


@public("experimental.numpy.arange")
@told
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """The numbers from a first one up to a last one, which is left out.

    >>> fg.experimental.numpy.arange(3).numpy()
    array([0, 1, 2])

    Args:
      start: a real scalar, the first number; the last one where stop is not given, and 0 the first.
      stop: a real scalar, the last number; None by default.
      step: a real scalar, the difference of neighbours; 1 by default.
      dtype: the dtype; by default the one that NumPy gives the numbers together.

    Returns:
      A vector of that dtype, empty where step leads away from stop.

    Raises:
      ValueError: where step is 0.
      InvalidArgumentError: for complex numbers, and what is no scalar.
    """
    start, stop = (0, start) if stop is None else (start, stop)
    if not hasattr(step, "dtype") and step == 0:
        raise ValueError("step must not be 0")
    if dtype is None:
        dtype = common_dtype(start, stop, step)
    start, stop, step = (_array(v, dtype_of(dtype)) for v in (start, stop, step))
    towards = ops.equal(ops.less(start, stop), ops.less(ops.zeros_like(step), step))
    return ops.range(start, ops.where(towards, stop, start), step)


@public("experimental.numpy.eye")
@told
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Any:
    """Ones on the ``k``-th diagonal, zeros elsewhere.

    >>> fg.experimental.numpy.eye(2, k=1).numpy()
    array([[0., 1.],
           [0., 0.]])

    Args:
      N: an int, the number of rows.
      M: an int, the number of columns; as many as rows by default.
      k: an int; a positive one is above the main diagonal. 0 by default.
      dtype: the dtype, float64 by default.

    Returns:
      A matrix of that dtype.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    rows, columns = count_of(N), count_of(N if M is None else M)
    rows, columns = ops.range(rows)[:, None], ops.range(columns)[None, :]
    return ops.cast(ops.equal(columns - rows, k), dtype_of(dtype))


@public("experimental.numpy.linspace")
@told
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """``num`` numbers in even steps from ``start`` to ``stop``.

    >>> fg.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])

    Args:
      start, stop: tensors of numbers, or what converts to such, whose shapes broadcast.
      num: an int, how many numbers; 50 by default.
      endpoint: a bool, whether stop is the last number; True by default.
      retstep: a bool, whether the step is given as well; False by default.
      dtype: the dtype; by default the one that NumPy gives start and stop together, float64 for
        integers.
      axis: an int, where the new axis is; 0 by default.

    Returns:
      A tensor of that dtype, of the shape that start and stop broadcast to with the new axis; with
        retstep a pair of it and the step.

    Raises:
      InvalidArgumentError: for a negative num, shapes that do not broadcast, and an axis out of
        range.
      TypeError: where num or axis is no integer.
    """
    num, axis = whole(num, "linspace: num"), whole(axis, "linspace: axis")
    start, stop = promoted(start, stop)
    if dtype is float:
        dtype = inexact(start).dtype
        start, stop = (ops.cast(v, dtype) for v in (start, stop))
    else:
        start, stop = (ops.cast(v, np.float64) for v in (start, stop))
    step = (stop - start) / builtins.max(1, num - 1 if endpoint else num)
    made = ops.linspace(start, stop if endpoint else start + step * (num - 1), num, axis=axis)
    made = ops.cast(made, dtype_of(dtype))
    return (made, step) if retstep else made


@public("experimental.numpy.asanyarray")
@told
def asanyarray(a: Any, dtype: Any = None) -> Any:
    """The value as a tensor, as ``array`` makes it.

    >>> fg.experimental.numpy.asanyarray([1]).dtype.name
    'int64'

    Args:
      a: a tensor, an array, a number, a bool, a string, or nested lists of such.
      dtype: the dtype; by default the one that NumPy gives the value.

    Returns:
      A tensor.

    Raises:
      TypeError: where it does not convert to dtype.
      ValueError: for lists of unequal lengths.
    """
    return asarray(a, dtype)


@public("experimental.numpy.ascontiguousarray")
@told
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """The value as a tensor of one axis at least, as ``array`` makes it.

    >>> fg.experimental.numpy.ascontiguousarray(1).shape
    TensorShape([1])

    Args:
      a: a tensor, an array, a number, a bool, a string, or nested lists of such.
      dtype: the dtype; by default the one that NumPy gives the value.

    Returns:
      A tensor.

    Raises:
      TypeError: where it does not convert to dtype.
      ValueError: for lists of unequal lengths.
    """
    return array(a, dtype, ndmin=1)


@public("experimental.numpy.copy")
def copy(a: Any) -> Any:
    """The same elements.

    >>> fg.experimental.numpy.copy([1, 2]).numpy()
    array([1, 2])

    Args:
      a: a tensor, an array, a number, a bool, a string, or nested lists of such.

    Returns:
      A tensor of the dtype and the shape of a.

    Raises:
      ValueError: for lists of unequal lengths.
    """
    return array(a)


@public("experimental.numpy.empty")
@told
def empty(shape: Any, dtype: Any = float) -> Any:
    """Zeros in this shape.

    >>> fg.experimental.numpy.empty(2).numpy()
    array([0., 0.])

    Args:
      shape: an int or a list of ints.
      dtype: the dtype, float64 by default.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    return zeros(shape, dtype)


@public("experimental.numpy.zeros_like", "experimental.numpy.empty_like")
@told
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of an array.

    >>> fg.experimental.numpy.zeros_like([1, 2]).numpy()
    array([0, 0])

    Args:
      a: a tensor, or what converts to one; of any shape.
      dtype: the dtype; by default that of a.

    Returns:
      A tensor of that dtype and the shape of a.

    Raises:
      TypeError: for what is no dtype.
    """
    return ops.zeros_like(_array(a), None if dtype is None else dtype_of(dtype))


@public("experimental.numpy.ones_like")
@told
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones in the shape of an array.

    >>> fg.experimental.numpy.ones_like([1, 2]).numpy()
    array([1, 1])

    Args:
      a: a tensor of numbers or bools, or what converts to one; of any shape.
      dtype: the dtype; by default that of a.

    Returns:
      A tensor of that dtype and the shape of a.

    Raises:
      TypeError: for what is no dtype.
    """
    return ops.ones_like(_array(a), None if dtype is None else dtype_of(dtype))


@public("experimental.numpy.full_like")
@told
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """The value in the shape of an array.

    >>> fg.experimental.numpy.full_like([1, 2], 7).numpy()
    array([7, 7])

    Args:
      a: a tensor, or what converts to one; of any shape.
      fill_value: a tensor, or what converts to one; it broadcasts to the shape of a.
      dtype: the dtype, to which the value is cast; by default that of a.
      order: ``"K"`` alone.
      subok: True alone.
      shape: None alone.

    Returns:
      A tensor of that dtype and the shape of a.

    Raises:
      ValueError: for another order, subok or shape.
      InvalidArgumentError: where the value does not broadcast.
    """
    if order != "K" or not subok or shape is not None:
        raise ValueError("full_like knows `a`, `fill_value` and `dtype`: leave the others out")
    a = _array(a)
    dtype = dtype_of(a.dtype if dtype is None else dtype)
    return ops.broadcast_to(ops.cast(_array(fill_value), dtype), ops.shape(a))


@public("experimental.numpy.identity")
@told
def identity(n: int, dtype: Any = float) -> Any:
    """The identity matrix.

    >>> fg.experimental.numpy.identity(2).numpy()
    array([[1., 0.],
           [0., 1.]])

    Args:
      n: an int, the number of rows and of columns.
      dtype: the dtype, float64 by default.

    Returns:
      A matrix of that dtype.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    return eye(n, dtype=dtype)


@public("experimental.numpy.logspace")
@told
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``num`` powers of ``base``, whose exponents go in even steps from ``start`` to ``stop``.

    >>> fg.experimental.numpy.logspace(0, 2, 3).numpy()
    array([  1.,  10., 100.])

    Args:
      start, stop: tensors of numbers, or what converts to such, whose shapes broadcast.
      num: an int, how many numbers; 50 by default.
      endpoint: a bool, whether stop is the last number; True by default.
      base: a number; 10.0 by default.
      dtype: the dtype; by default the one that NumPy gives start and stop together, float64 for
        integers.
      axis: an int, where the new axis is; 0 by default.

    Returns:
      A tensor of that dtype, of the shape that start and stop broadcast to with the new axis.

    Raises:
      InvalidArgumentError: for a negative num, shapes that do not broadcast, and an axis out of
        range.
      TypeError: where num or axis is no integer.
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    made = ops.pow(ops.cast(_array(base), exponents.dtype), exponents)
    return made if dtype is None else ops.cast(made, dtype_of(dtype))


@public("experimental.numpy.geomspace")
@told
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """``num`` numbers from ``start`` to ``stop``, each the same multiple of the one before.

    >>> fg.experimental.numpy.geomspace(1, 8, 4).numpy().round(9)
    array([1., 2., 4., 8.])

    Args:
      start, stop: tensors of real numbers, or what converts to such, whose shapes broadcast.
      num: an int, how many numbers; 50 by default.
      endpoint: a bool, whether stop is the last number; True by default.
      dtype: the dtype, float64 by default.
      axis: an int, where the new axis is; 0 by default.

    Returns:
      A tensor of that dtype, of the shape that start and stop broadcast to with the new axis.

    Raises:
      InvalidArgumentError: for a negative num, shapes that do not broadcast, and an axis out of
        range.
      TypeError: where num or axis is no integer.
    """
    start, stop = (_array(v, np.dtype(float)) for v in (start, stop))
    sign = ops.sign(start)
    ends = (elementwise.log(start * sign), elementwise.log(stop * sign))
    exponents = linspace(*ends, num, endpoint, dtype=np.float64, axis=axis)
    made = ops.exp(exponents) * sign
    return made if dtype is None else ops.cast(made, dtype_of(dtype))
