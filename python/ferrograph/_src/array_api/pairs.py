"""Functions of the elements of two arrays that broadcast, whose dtypes are promoted."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..numpy_like import numbers
from ..numpy_like import pairs as numpy_pairs
from ..ops import arithmetic
from ..ops._base import emit
from .arrays import array, inexact, number, promoted
from .elementwise import isinf, signbit

__all__ = [
    *("add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift"),
    *("bitwise_xor", "clip", "copysign", "divide", "equal", "floor_divide", "greater"),
    *("greater_equal", "hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or"),
    *("logical_xor", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow"),
    *("remainder", "subtract", "where"),
]


def _inexact_pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    x1, x2 = promoted(x1, x2)
    return inexact(x1), inexact(x2)


def add(x1: Any, x2: Any, /) -> Any:
    """The sums."""
    return ops.add(*promoted(x1, x2))


def atan2(x1: Any, x2: Any, /) -> Any:
    """The angles of the points with these heights and widths."""
    return ops.atan2(*_inexact_pair(x1, x2))


def bitwise_and(x1: Any, x2: Any, /) -> Any:
    """The bits that both have."""
    return numbers.bitwise_and(x1, x2)


def bitwise_left_shift(x1: Any, x2: Any, /) -> Any:
    """The bits moved up by so many places."""
    return emit("LeftShift", tuple(promoted(x1, x2)))


def bitwise_or(x1: Any, x2: Any, /) -> Any:
    """The bits that one of both has."""
    return numbers.bitwise_or(x1, x2)


def bitwise_right_shift(x1: Any, x2: Any, /) -> Any:
    """The bits moved down by so many places; those of negative numbers stay such."""
    return emit("RightShift", tuple(promoted(x1, x2)))


def bitwise_xor(x1: Any, x2: Any, /) -> Any:
    """The bits that one alone has."""
    return numbers.bitwise_xor(x1, x2)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The numbers, those outside of the bounds replaced by the bound; None is no bound."""
    x = array(x)
    dtype = x.dtype
    if min is not None:
        x = ops.maximum(*promoted(x, min))
    if max is not None:
        x = ops.minimum(*promoted(x, max))
    return x if x.dtype == dtype else ops.cast(x, dtype)


def copysign(x1: Any, x2: Any, /) -> Any:
    """The sizes of the first with the signs of the second."""
    x1, x2 = _inexact_pair(x1, x2)
    return ops.where(ops.equal(signbit(x1), signbit(x2)), x1, ops.negative(x1))


def divide(x1: Any, x2: Any, /) -> Any:
    """The quotients with their fractions."""
    return ops.divide(*_inexact_pair(x1, x2))


def equal(x1: Any, x2: Any, /) -> Any:
    """Whether two are equal."""
    return ops.equal(*promoted(x1, x2))


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """The quotients, down to a whole number."""
    return arithmetic.floordiv(*promoted(x1, x2))


def greater(x1: Any, x2: Any, /) -> Any:
    """Whether the first is larger."""
    return numpy_pairs.greater(x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> Any:
    """Whether the first is no smaller."""
    return numpy_pairs.greater_equal(x1, x2)


def hypot(x1: Any, x2: Any, /) -> Any:
    """The lengths of the vectors of both: infinite where one is, whatever the other."""
    x1, x2 = _inexact_pair(x1, x2)
    infinite = ops.logical_or(isinf(x1), isinf(x2))
    return ops.where(infinite, number(math.inf, x1.dtype), numpy_pairs.hypot(x1, x2))


def less(x1: Any, x2: Any, /) -> Any:
    """Whether the first is smaller."""
    return numpy_pairs.less(x1, x2)


def less_equal(x1: Any, x2: Any, /) -> Any:
    """Whether the first is no larger."""
    return numpy_pairs.less_equal(x1, x2)


def logaddexp(x1: Any, x2: Any, /) -> Any:
    """The logarithms of the sums of both exponentials, without overflow."""
    return numpy_pairs.logaddexp(x1, x2)


def logical_and(x1: Any, x2: Any, /) -> Any:
    """Whether both hold."""
    return numpy_pairs.logical_and(x1, x2)


def logical_or(x1: Any, x2: Any, /) -> Any:
    """Whether one holds."""
    return numpy_pairs.logical_or(x1, x2)


def logical_xor(x1: Any, x2: Any, /) -> Any:
    """Whether one alone holds."""
    return numpy_pairs.logical_xor(x1, x2)


def maximum(x1: Any, x2: Any, /) -> Any:
    """The larger of two; NaN where one is."""
    return ops.maximum(*promoted(x1, x2))


def minimum(x1: Any, x2: Any, /) -> Any:
    """The smaller of two; NaN where one is."""
    return ops.minimum(*promoted(x1, x2))


def multiply(x1: Any, x2: Any, /) -> Any:
    """The products."""
    return ops.multiply(*promoted(x1, x2))


def nextafter(x1: Any, x2: Any, /) -> Any:
    """The next numbers from the first towards the second."""
    return emit("NextAfter", _inexact_pair(x1, x2))


def not_equal(x1: Any, x2: Any, /) -> Any:
    """Whether two differ."""
    return ops.not_equal(*promoted(x1, x2))


def pow(x1: Any, x2: Any, /) -> Any:
    """The first to the power of the second."""
    return ops.pow(*promoted(x1, x2))


def remainder(x1: Any, x2: Any, /) -> Any:
    """What divisions leave, with the sign of the divisor."""
    x1, x2 = promoted(x1, x2)
    made = arithmetic.floormod(x1, x2)
    return _with_signed_zeros(made, x2) if made.dtype.is_floating else made


def _with_signed_zeros(x: Any, signs: Any) -> Any:
    """Numbers of which the zeros take the signs of others."""
    return ops.where(ops.equal(x, ops.zeros_like(x)), copysign(ops.zeros_like(x), signs), x)


def subtract(x1: Any, x2: Any, /) -> Any:
    """The differences."""
    return ops.subtract(*promoted(x1, x2))


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """The first where the condition holds, else the second; all three broadcast."""
    return ops.where(condition, *promoted(x1, x2))
