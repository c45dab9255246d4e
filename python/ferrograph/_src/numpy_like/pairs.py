"""More functions of two arguments that broadcast, with NumPy's promotion."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..ops import arithmetic, elementwise
from ..ops._dispatch import told
from ..values.public import public
from .promotion import as_bools, inexact, promoted

__all__: list[str] = []


@public("experimental.numpy.power")
@told
def power(x1: Any, x2: Any) -> Any:
    """The first number to the power of the second.

    >>> fg.experimental.numpy.power([2, 3], 2).numpy().tolist()
    [4, 9]

    Args:
      x1, x2: tensors of numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, shapes that do not broadcast, and integers to negative
        powers.
    """
    return ops.pow(*promoted(x1, x2))


@public("experimental.numpy.floor_divide")
@told
def floor_divide(x1: Any, x2: Any) -> Any:
    """The quotient, down to a whole number.

    >>> fg.experimental.numpy.floor_divide([7, -7], 2).numpy().tolist()
    [3, -4]

    Args:
      x1, x2: tensors of real numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, shapes that do not broadcast, and integers by 0.
    """
    return arithmetic.floordiv(*promoted(x1, x2))


@public("experimental.numpy.mod", "experimental.numpy.remainder")
@told
def mod(x1: Any, x2: Any) -> Any:
    """What a division leaves, with the sign of the divisor.

    >>> fg.experimental.numpy.mod([7, -7], 4).numpy().tolist()
    [3, 1]

    Args:
      x1, x2: tensors of real numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, shapes that do not broadcast, and integers by 0.
    """
    return arithmetic.floormod(*promoted(x1, x2))


@public("experimental.numpy.equal")
@told
def equal(x1: Any, x2: Any) -> Any:
    """Whether two are equal.

    >>> fg.experimental.numpy.equal([1, 2], 2).numpy().tolist()
    [False, True]

    Args:
      x1, x2: tensors of numbers or bools, or both of strings, or what converts to such, whose
        shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for a string and a number, and shapes that do not broadcast.
    """
    return ops.equal(*promoted(x1, x2))


@public("experimental.numpy.not_equal")
@told
def not_equal(x1: Any, x2: Any) -> Any:
    """Whether two differ.

    >>> fg.experimental.numpy.not_equal([1, 2], 2).numpy().tolist()
    [True, False]

    Args:
      x1, x2: tensors of numbers or bools, or both of strings, or what converts to such, whose
        shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for a string and a number, and shapes that do not broadcast.
    """
    return ops.not_equal(*promoted(x1, x2))


def _ordered(x1: Any, x2: Any) -> list[Any]:
    """Two numbers of one dtype that have an order; False comes before True."""
    made = promoted(x1, x2)
    return [ops.cast(x, "int8") for x in made] if made[0].dtype.is_bool else made


@public("experimental.numpy.greater")
@told
def greater(x1: Any, x2: Any) -> Any:
    """Whether the first is larger.

    >>> fg.experimental.numpy.greater([1, 3], 2).numpy().tolist()
    [False, True]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return ops.greater(*_ordered(x1, x2))


@public("experimental.numpy.greater_equal")
@told
def greater_equal(x1: Any, x2: Any) -> Any:
    """Whether the first is no smaller.

    >>> fg.experimental.numpy.greater_equal([1, 2], 2).numpy().tolist()
    [False, True]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return ops.greater_equal(*_ordered(x1, x2))


@public("experimental.numpy.less")
@told
def less(x1: Any, x2: Any) -> Any:
    """Whether the first is smaller.

    >>> fg.experimental.numpy.less([1, 3], 2).numpy().tolist()
    [True, False]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return ops.less(*_ordered(x1, x2))


@public("experimental.numpy.less_equal")
@told
def less_equal(x1: Any, x2: Any) -> Any:
    """Whether the first is no larger.

    >>> fg.experimental.numpy.less_equal([2, 3], 2).numpy().tolist()
    [True, False]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return ops.less_equal(*_ordered(x1, x2))


@public("experimental.numpy.logical_and")
@told
def logical_and(x1: Any, x2: Any) -> Any:
    """Whether both are other than zero.

    >>> fg.experimental.numpy.logical_and([0, 2], 1).numpy().tolist()
    [False, True]

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return ops.logical_and(as_bools(x1), as_bools(x2))


@public("experimental.numpy.logical_or")
@told
def logical_or(x1: Any, x2: Any) -> Any:
    """Whether one is other than zero.

    >>> fg.experimental.numpy.logical_or([0, 2], 0).numpy().tolist()
    [False, True]

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return ops.logical_or(as_bools(x1), as_bools(x2))


@public("experimental.numpy.logical_xor")
@told
def logical_xor(x1: Any, x2: Any) -> Any:
    """Whether one alone is other than zero.

    >>> fg.experimental.numpy.logical_xor([0, 2], 1).numpy().tolist()
    [True, False]

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of bools, of the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return ops.not_equal(as_bools(x1), as_bools(x2))


@public("experimental.numpy.arctan2")
@told
def arctan2(x1: Any, x2: Any) -> Any:
    """The angle of the point with that height and width, in radians.

    >>> fg.experimental.numpy.arctan2([0.0], 1.0).numpy().tolist()
    [0.0]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the floating dtype that NumPy gives both together, float64 for integers and bools,
        and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for complex numbers, and shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return ops.atan2(*_inexact_pair(x1, x2))


@public("experimental.numpy.hypot")
@told
def hypot(x1: Any, x2: Any) -> Any:
    """The length of the vector of both.

    >>> fg.experimental.numpy.hypot([3.0], 4.0).numpy().tolist()
    [5.0]

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the real floating dtype that NumPy gives both together, float64 for integers and
        bools, and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return _hypot(*_inexact_pair(x1, x2))


@public("experimental.numpy.logaddexp")
@told
def logaddexp(x1: Any, x2: Any) -> Any:
    """The logarithm of the sum of both exponentials, without overflow.

    >>> fg.experimental.numpy.logaddexp([1000.0], -1000.0).numpy().tolist()
    [1000.0]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the floating dtype that NumPy gives both together, float64 for integers and bools,
        and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for complex numbers, and shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return _log_add(*_inexact_pair(x1, x2), 1.0)


@public("experimental.numpy.logaddexp2")
@told
def logaddexp2(x1: Any, x2: Any) -> Any:
    """The logarithm of the sum of both powers of 2, to the base 2.

    >>> fg.experimental.numpy.logaddexp2([3.0], -2000.0).numpy().tolist()
    [3.0]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the floating dtype that NumPy gives both together, float64 for integers and bools,
        and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for complex numbers, and shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return _log_add(*_inexact_pair(x1, x2), math.log(2.0))


@public("experimental.numpy.heaviside")
@told
def heaviside(x1: Any, x2: Any) -> Any:
    """0 below zero, 1 above it, and the second number at it and where the first is NaN.

    >>> fg.experimental.numpy.heaviside([-1.0, 0.0, 2.0], 0.5).numpy().tolist()
    [0.0, 0.5, 1.0]

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the floating dtype that NumPy gives both together, float64 for integers and bools,
        and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for complex numbers, and shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return _heaviside(*_inexact_pair(x1, x2))


def _inexact_pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    x1, x2 = promoted(x1, x2)
    return inexact(x1), inexact(x2)


def _hypot(x: Any, y: Any) -> Any:
    """By the larger of both, so that nothing overflows."""
    x, y = ops.abs(x), ops.abs(y)
    most, least = ops.maximum(x, y), ops.minimum(x, y)
    # Equal numbers, infinities among them, have the ratio 1.
    ratio = arithmetic.divide_no_nan(least, most)
    ratio = ops.where(ops.equal(least, most), ops.ones_like(ratio), ratio)
    return most * ops.sqrt(1.0 + ratio * ratio)


def _log_add(x: Any, y: Any, scale: float) -> Any:
    """The logarithm of a sum of powers of the number whose logarithm is ``scale``."""
    most = ops.maximum(x, y)
    # Equal infinities have no difference.
    less = ops.where(ops.equal(x, y), ops.zeros_like(x), -ops.abs(x - y))
    return most + elementwise.log1p(ops.exp(less * scale)) / scale


def _heaviside(x: Any, y: Any) -> Any:
    above, below = ops.greater(x, 0.0), ops.less(x, 0.0)
    return ops.where(above | below, ops.cast(above, x.dtype), y)
