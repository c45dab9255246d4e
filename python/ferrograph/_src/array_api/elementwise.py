"""Functions of each element of one array."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..ops import elementwise, numeric
from ..ops._base import emit
from ..values import dtypes
from . import arrays
from .arrays import array, inexact

__all__ = [
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "ceil", "conj"),
    *("cos", "cosh", "exp", "expm1", "floor", "imag", "isfinite", "isinf", "isnan", "log"),
    *("log10", "log1p", "log2", "logical_not", "negative", "positive", "real", "reciprocal"),
    *("round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
]


def abs(x: Any, /) -> Any:
    """The absolute values."""
    x = array(x)
    return x if _is_never_negative(x) else ops.abs(x)


def acos(x: Any, /) -> Any:
    """The angles of these cosines."""
    return elementwise.acos(inexact(x))


def acosh(x: Any, /) -> Any:
    """The inverse of ``cosh``."""
    return elementwise.acosh(inexact(x))


def asin(x: Any, /) -> Any:
    """The angles of these sines."""
    return elementwise.asin(inexact(x))


def asinh(x: Any, /) -> Any:
    """The inverse of ``sinh``."""
    return elementwise.asinh(inexact(x))


def atan(x: Any, /) -> Any:
    """The angles of these tangents."""
    return elementwise.atan(inexact(x))


def atanh(x: Any, /) -> Any:
    """The inverse of ``tanh``."""
    return elementwise.atanh(inexact(x))


def bitwise_invert(x: Any, /) -> Any:
    """The bits that each element has not."""
    x = array(x)
    return ops.logical_not(x) if x.dtype.is_bool else emit("Invert", (x,))


def ceil(x: Any, /) -> Any:
    """The whole numbers next above."""
    x = array(x)
    return elementwise.ceil(x) if x.dtype.is_floating else x


def conj(x: Any, /) -> Any:
    """The conjugates of complex numbers; real ones as they are."""
    x = array(x)
    return numeric.conj(x) if x.dtype.is_complex else x


def cos(x: Any, /) -> Any:
    """The cosines of angles."""
    return elementwise.cos(inexact(x))


def cosh(x: Any, /) -> Any:
    """The hyperbolic cosines."""
    return elementwise.cosh(inexact(x))


def exp(x: Any, /) -> Any:
    """The exponentials."""
    return elementwise.exp(inexact(x))


def expm1(x: Any, /) -> Any:
    """The exponentials less 1, exact near 0."""
    return elementwise.expm1(inexact(x))


def floor(x: Any, /) -> Any:
    """The whole numbers next below."""
    x = array(x)
    return elementwise.floor(x) if x.dtype.is_floating else x


def imag(x: Any, /) -> Any:
    """The imaginary parts: zeros for real numbers."""
    x = array(x)
    return numeric.imag(x) if x.dtype.is_complex else ops.zeros_like(x)


def isfinite(x: Any, /) -> Any:
    """Whether each element is neither infinite nor NaN."""
    return _of_parts(array(x), elementwise.is_finite, ops.logical_and, True)


def isinf(x: Any, /) -> Any:
    """Whether each element is infinite."""
    return _of_parts(array(x), elementwise.is_inf, ops.logical_or, False)


def isnan(x: Any, /) -> Any:
    """Whether each element is NaN."""
    return _of_parts(array(x), elementwise.is_nan, ops.logical_or, False)


def _of_parts(x: Any, test: Any, joined: Any, of_whole_numbers: bool) -> Any:
    """A test of floats, or of both parts of complex numbers."""
    if x.dtype.is_complex:
        return joined(test(numeric.real(x)), test(numeric.imag(x)))
    if x.dtype.is_floating:
        return test(x)
    return ops.fill(arrays.sizes(x), of_whole_numbers)


def log(x: Any, /) -> Any:
    """The natural logarithms."""
    return elementwise.log(inexact(x))


def log10(x: Any, /) -> Any:
    """The logarithms to the base 10."""
    return _log(x, 10.0)


def log1p(x: Any, /) -> Any:
    """The natural logarithms of 1 and the element, exact near 0."""
    return elementwise.log1p(inexact(x))


def log2(x: Any, /) -> Any:
    """The logarithms to the base 2."""
    return _log(x, 2.0)


def _log(x: Any, base: float) -> Any:
    made = elementwise.log(inexact(x))
    return made / arrays.number(math.log(base), made.dtype)


def logical_not(x: Any, /) -> Any:
    """Whether each element is False."""
    return ops.logical_not(array(x))


def negative(x: Any, /) -> Any:
    """The elements with the other sign."""
    x = array(x)
    return ops.zeros_like(x) - x if x.dtype.name.startswith("uint") else ops.negative(x)


def positive(x: Any, /) -> Any:
    """The elements as they are."""
    return array(x)


def real(x: Any, /) -> Any:
    """The real parts; real numbers as they are."""
    x = array(x)
    return numeric.real(x) if x.dtype.is_complex else x


def reciprocal(x: Any, /) -> Any:
    """1 by each element."""
    return elementwise.reciprocal(inexact(x))


def round(x: Any, /) -> Any:
    """The nearest whole numbers, halves to the even one; of complex numbers, of both parts."""
    x = array(x)
    if x.dtype.is_complex:
        return ops.complex(ops.round(numeric.real(x)), ops.round(numeric.imag(x)))
    return ops.round(x) if x.dtype.is_floating else x


def sign(x: Any, /) -> Any:
    """-1, 0 or 1 by the sign; of complex numbers, those of length 1 in their direction."""
    x = array(x)
    if _is_never_negative(x):
        return ops.cast(ops.not_equal(x, 0), x.dtype)
    made = ops.sign(x)
    return ops.where(ops.equal(x, 0), ops.zeros_like(x), made) if x.dtype.is_complex else made


_BITS = {8: dtypes.int8, 16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}


def signbit(x: Any, /) -> Any:
    """Whether the sign is that of negative numbers, as of -0.0."""
    x = array(x)
    if x.dtype.is_floating:
        x = ops.bitcast(x, _BITS[8 * x.dtype.size])
    return ops.less(x, ops.zeros_like(x))


def sin(x: Any, /) -> Any:
    """The sines of angles."""
    return elementwise.sin(inexact(x))


def sinh(x: Any, /) -> Any:
    """The hyperbolic sines."""
    return elementwise.sinh(inexact(x))


def sqrt(x: Any, /) -> Any:
    """The square roots."""
    return elementwise.sqrt(inexact(x))


def square(x: Any, /) -> Any:
    """The squares."""
    x = array(x)
    return ops.multiply(x, x)


def tan(x: Any, /) -> Any:
    """The tangents of angles."""
    return elementwise.tan(inexact(x))


def tanh(x: Any, /) -> Any:
    """The hyperbolic tangents."""
    return elementwise.tanh(inexact(x))


def trunc(x: Any, /) -> Any:
    """The whole numbers next towards 0."""
    x = array(x)
    if not x.dtype.is_floating:
        return x
    return ops.where(signbit(x), elementwise.ceil(x), elementwise.floor(x))


def _is_never_negative(x: Any) -> bool:
    return x.dtype.is_bool or x.dtype.name.startswith("uint")
