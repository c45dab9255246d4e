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
    """
    made = _array(val, None if dtype is None else dtype_of(dtype))
    return ops.identity(made) if ndmin == 0 else at_least(made, ndmin)


@public("experimental.numpy.asarray")
@told
def asarray(a: Any, dtype: Any = None) -> Any:
    """As ``array``.

    >>> fg.experimental.numpy.asarray(1.5).dtype.name
    'float64'
    """
    return _array(a, None if dtype is None else dtype_of(dtype))


@public("experimental.numpy.zeros")
@told
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Zeros in this shape, float64 unless told.

    >>> fg.experimental.numpy.zeros(2).numpy()
    array([0., 0.])
    """
    return ops.zeros(sizes_of(shape), dtype_of(dtype))


@public("experimental.numpy.ones")
@told
def ones(shape: Any, dtype: Any = float) -> Any:
    """Ones in this shape, float64 unless told.

    >>> fg.experimental.numpy.ones([1, 2]).numpy()
    array([[1., 1.]])
    """
    return ops.ones(sizes_of(shape), dtype_of(dtype))


@public("experimental.numpy.full")
@told
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """The value, which broadcasts, in this shape.

    >>> fg.experimental.numpy.full([2], 7).numpy()
    array([7, 7])
    """
    value = _array(fill_value, None if dtype is None else dtype_of(dtype))
    return ops.broadcast_to(value, sizes_of(shape))


@public("experimental.numpy.arange")
@told
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """The numbers from ``start`` (0 where there is one argument) up to ``stop``, left out.

    >>> fg.experimental.numpy.arange(3).numpy()
    array([0, 1, 2])

    Raises:
      ValueError: where ``step`` is 0.
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
    """``num`` numbers in even steps from ``start`` to ``stop``, which ``endpoint`` keeps.

    With ``retstep`` the step, too. The new axis stands at ``axis``.

    >>> fg.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
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
    """As ``asarray``.

    >>> fg.experimental.numpy.asanyarray([1]).dtype.name
    'int64'
    """
    return asarray(a, dtype)


@public("experimental.numpy.ascontiguousarray")
@told
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """As ``array``, of one axis at least.

    >>> fg.experimental.numpy.ascontiguousarray(1).shape
    TensorShape([1])
    """
    return array(a, dtype, ndmin=1)


@public("experimental.numpy.copy")
def copy(a: Any) -> Any:
    """The same elements.

    >>> fg.experimental.numpy.copy([1, 2]).numpy()
    array([1, 2])
    """
    return array(a)


@public("experimental.numpy.empty")
@told
def empty(shape: Any, dtype: Any = float) -> Any:
    """Zeros in this shape, float64 unless told.

    >>> fg.experimental.numpy.empty(2).numpy()
    array([0., 0.])
    """
    return zeros(shape, dtype)


@public("experimental.numpy.zeros_like", "experimental.numpy.empty_like")
@told
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of an array, of its dtype unless told.

    >>> fg.experimental.numpy.zeros_like([1, 2]).numpy()
    array([0, 0])
    """
    return ops.zeros_like(_array(a), None if dtype is None else dtype_of(dtype))


@public("experimental.numpy.ones_like")
@told
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones in the shape of an array, of its dtype unless told.

    >>> fg.experimental.numpy.ones_like([1, 2]).numpy()
    array([1, 1])
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
    """The value, which broadcasts, in the shape of an array, of its dtype unless told.

    >>> fg.experimental.numpy.full_like([1, 2], 7).numpy()
    array([7, 7])

    Raises:
      ValueError: for an order other than "K", ``subok=False``, or a ``shape``.
    """
    if order != "K" or not subok or shape is not None:
        raise ValueError("full_like knows `a`, `fill_value` and `dtype`: leave the others out")
    a = _array(a)
    dtype = dtype_of(a.dtype if dtype is None else dtype)
    return ops.broadcast_to(ops.cast(_array(fill_value), dtype), ops.shape(a))


@public("experimental.numpy.identity")
@told
def identity(n: int, dtype: Any = float) -> Any:
    """The identity matrix, float64 unless told.

    >>> fg.experimental.numpy.identity(2).numpy()
    array([[1., 0.],
           [0., 1.]])
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
    """
    start, stop = (_array(v, np.dtype(float)) for v in (start, stop))
    sign = ops.sign(start)
    ends = (elementwise.log(start * sign), elementwise.log(stop * sign))
    exponents = linspace(*ends, num, endpoint, dtype=np.float64, axis=axis)
    made = ops.exp(exponents) * sign
    return made if dtype is None else ops.cast(made, dtype_of(dtype))
