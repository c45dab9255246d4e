"""More elementwise functions, with NumPy's promotion."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..ops import elementwise
from ..values.public import public
from .promotion import array, as_bools, inexact

__all__: list[str] = []


@public("experimental.numpy.arccos")
def arccos(x: Any) -> Any:
    """The angle whose cosine this is, in radians.

    >>> fg.experimental.numpy.arccos([1.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.acos(inexact(x))


@public("experimental.numpy.arccosh")
def arccosh(x: Any) -> Any:
    """The inverse of the hyperbolic cosine.

    >>> fg.experimental.numpy.arccosh([1.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.acosh(inexact(x))


@public("experimental.numpy.arcsin")
def arcsin(x: Any) -> Any:
    """The angle whose sine this is, in radians.

    >>> fg.experimental.numpy.arcsin([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.asin(inexact(x))


@public("experimental.numpy.arcsinh")
def arcsinh(x: Any) -> Any:
    """The inverse of the hyperbolic sine.

    >>> fg.experimental.numpy.arcsinh([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.asinh(inexact(x))


@public("experimental.numpy.arctan")
def arctan(x: Any) -> Any:
    """The angle whose tangent this is, in radians.

    >>> fg.experimental.numpy.arctan([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.atan(inexact(x))


@public("experimental.numpy.arctanh")
def arctanh(x: Any) -> Any:
    """The inverse of the hyperbolic tangent.

    >>> fg.experimental.numpy.arctanh([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.atanh(inexact(x))


@public("experimental.numpy.cosh")
def cosh(x: Any) -> Any:
    """The hyperbolic cosine.

    >>> fg.experimental.numpy.cosh([0.0]).numpy().tolist()
    [1.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.cosh(inexact(x))


@public("experimental.numpy.sinh")
def sinh(x: Any) -> Any:
    """The hyperbolic sine.

    >>> fg.experimental.numpy.sinh([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.sinh(inexact(x))


@public("experimental.numpy.tan")
def tan(x: Any) -> Any:
    """The tangent of radians.

    >>> fg.experimental.numpy.tan([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.tan(inexact(x))


@public("experimental.numpy.exp2")
def exp2(x: Any) -> Any:
    """Powers of 2.

    >>> fg.experimental.numpy.exp2([3.0]).numpy().tolist()
    [8.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.pow(ops.cast(2, inexact(x).dtype), inexact(x))


@public("experimental.numpy.expm1")
def expm1(x: Any) -> Any:
    """The exponential less 1, accurate near 0.

    >>> fg.experimental.numpy.expm1([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.expm1(inexact(x))


@public("experimental.numpy.log1p")
def log1p(x: Any) -> Any:
    """The logarithm of 1 and this together, accurate near 0.

    >>> fg.experimental.numpy.log1p([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.log1p(inexact(x))


@public("experimental.numpy.log2")
def log2(x: Any) -> Any:
    """The logarithm to the base 2.

    >>> fg.experimental.numpy.log2([1.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.log(inexact(x)) / math.log(2.0)


@public("experimental.numpy.log10")
def log10(x: Any) -> Any:
    """The logarithm to the base 10.

    >>> fg.experimental.numpy.log10([1.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.log(inexact(x)) / math.log(10.0)


@public("experimental.numpy.cbrt")
def cbrt(x: Any) -> Any:
    """The cube root.

    >>> fg.experimental.numpy.cbrt([-8.0]).numpy().tolist()
    [-2.0]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return _signed_power(inexact(x), 1.0 / 3.0)


@public("experimental.numpy.deg2rad")
def deg2rad(x: Any) -> Any:
    """Degrees as radians.

    >>> fg.experimental.numpy.deg2rad([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return inexact(x) * (math.pi / 180.0)


@public("experimental.numpy.rad2deg")
def rad2deg(x: Any) -> Any:
    """Radians as degrees.

    >>> fg.experimental.numpy.rad2deg([0.0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return inexact(x) * (180.0 / math.pi)


@public("experimental.numpy.ceil")
def ceil(x: Any) -> Any:
    """The least whole number that is not below this one.

    >>> fg.experimental.numpy.ceil([1.5]).numpy().tolist()
    [2.0]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return elementwise.ceil(inexact(x))


@public("experimental.numpy.floor")
def floor(x: Any) -> Any:
    """The largest whole number that is not above this one.

    >>> fg.experimental.numpy.floor([1.5]).numpy().tolist()
    [1.0]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return ops.floor(inexact(x))


@public("experimental.numpy.fabs")
def fabs(x: Any) -> Any:
    """The absolute value; integers stay what they are.

    >>> fg.experimental.numpy.fabs([-2]).numpy().tolist()
    [2]

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of a real dtype for complex numbers.

    Raises:
      InvalidArgumentError: for bools and strings.
    """
    x = array(x)
    return x if x.dtype.name.startswith("u") else ops.abs(x)


@public("experimental.numpy.abs", "experimental.numpy.absolute")
def abs(x: Any) -> Any:
    """The absolute value.

    >>> fg.experimental.numpy.abs([-2, 3]).numpy().tolist()
    [2, 3]

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of a real dtype for complex numbers.

    Raises:
      InvalidArgumentError: for bools and strings.
    """
    return ops.abs(array(x))


@public("experimental.numpy.negative")
def negative(x: Any) -> Any:
    """The number with the other sign.

    >>> fg.experimental.numpy.negative([1, -2]).numpy().tolist()
    [-1, 2]

    Args:
      x: a tensor of signed numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.

    Raises:
      InvalidArgumentError: for other dtypes.
    """
    return ops.negative(array(x))


@public("experimental.numpy.positive")
def positive(x: Any) -> Any:
    """The number itself.

    >>> fg.experimental.numpy.positive([1, -2]).numpy().tolist()
    [1, -2]

    Args:
      x: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.
    """
    return ops.identity(array(x))


@public("experimental.numpy.sign")
def sign(x: Any) -> Any:
    """-1, 0 or 1; of a complex number the one of absolute value 1 in its direction.

    >>> fg.experimental.numpy.sign([-5, 0, 2]).numpy().tolist()
    [-1, 0, 1]

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.

    Raises:
      InvalidArgumentError: for bools and strings.
    """
    return ops.sign(array(x))


@public("experimental.numpy.square")
def square(x: Any) -> Any:
    """The number times itself.

    >>> fg.experimental.numpy.square([3]).numpy().tolist()
    [9]

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.

    Raises:
      InvalidArgumentError: for bools and strings.
    """
    return ops.square(array(x))


@public("experimental.numpy.reciprocal")
def reciprocal(x: Any) -> Any:
    """1 divided by the number.

    >>> fg.experimental.numpy.reciprocal([4.0]).numpy().tolist()
    [0.25]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.reciprocal(inexact(x))


@public("experimental.numpy.isnan")
def isnan(x: Any) -> Any:
    """Whether it is no number.

    >>> fg.experimental.numpy.isnan([1.0, float('nan')]).numpy().tolist()
    [False, True]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return elementwise.is_nan(inexact(x))


@public("experimental.numpy.isinf")
def isinf(x: Any) -> Any:
    """Whether it is infinite.

    >>> fg.experimental.numpy.isinf([1.0, float('-inf')]).numpy().tolist()
    [False, True]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return elementwise.is_inf(inexact(x))


@public("experimental.numpy.isfinite")
def isfinite(x: Any) -> Any:
    """Whether it is a finite number.

    >>> fg.experimental.numpy.isfinite([1.0, float('inf')]).numpy().tolist()
    [True, False]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    return elementwise.is_finite(inexact(x))


@public("experimental.numpy.isposinf")
def isposinf(x: Any) -> Any:
    """Whether it is positive infinity.

    >>> fg.experimental.numpy.isposinf([float('inf'), float('-inf')]).numpy().tolist()
    [True, False]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.equal(inexact(x), math.inf)


@public("experimental.numpy.isneginf")
def isneginf(x: Any) -> Any:
    """Whether it is negative infinity.

    >>> fg.experimental.numpy.isneginf([float('inf'), float('-inf')]).numpy().tolist()
    [False, True]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.equal(inexact(x), -math.inf)


@public("experimental.numpy.logical_not")
def logical_not(x: Any) -> Any:
    """Whether it is zero.

    >>> fg.experimental.numpy.logical_not([0, 2]).numpy().tolist()
    [True, False]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.logical_not(as_bools(x))


def _signed_power(x: Any, exponent: float) -> Any:
    """The power of the absolute value, with the sign of the number."""
    return ops.sign(x) * ops.pow(ops.abs(x), exponent)
