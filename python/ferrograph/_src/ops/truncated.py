"""Normal numbers that are cut off at bounds of the program's own."""

from __future__ import annotations

from typing import Any

from ..values.dtypes import float64
from ..values.public import public
from ._base import Tensor, TensorLike, as_dtype, convert, emit, float32
from .arithmetic import divide, less, multiply, subtract
from .arrays import broadcast_to
from .elementwise import negative
from .numeric import cast, clip_by_value
from .random_ops import sizes, stateless_uniform
from .selection import where

__all__: list[str] = []

_ROOT_HALF = 0.7071067811865476


@public("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: TensorLike,
    seed: Any,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between bounds, the same numbers for the same seed.

    >>> draw = fg.random.stateless_parameterized_truncated_normal
    >>> x = draw([100], seed=[1, 2], minvals=3.0, maxvals=4.0)
    >>> bool(fg.reduce_all((x >= 3) & (x <= 4)))
    True

    Args:
      shape: the shape of the result, to which the parameters broadcast.
      seed: two integers.
      means: the means, floats; the other parameters are of their dtype.
      stddevs: the standard deviations, which are positive.
      minvals: the least numbers that are drawn.
      maxvals: the largest.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the parameters do not broadcast to the shape.
    """
    parameters = (means, stddevs, minvals, maxvals)
    dtype = next((p.dtype for p in parameters if hasattr(p, "dtype")), float32)
    size = sizes(shape)
    mean, deviation, low, high = (
        broadcast_to(cast(convert(p, as_dtype(dtype)), float64), size) for p in parameters
    )
    low, high = (divide(subtract(bound, mean), deviation) for bound in (low, high))
    drawn = _between(low, high, stateless_uniform(size, seed, dtype=float64))
    return cast(mean + deviation * drawn, dtype, name)


def _between(low: Tensor, high: Tensor, uniform: Tensor) -> Tensor:
    """Standard normal numbers between bounds, out of uniform ones.

    The distribution is inverted below zero for the greater part of the interval, where small
    probabilities keep their digits.
    """
    flipped = less(negative(low), high)
    first, last = where(flipped, negative(high), low), where(flipped, negative(low), high)
    below, above = _distribution(first), _distribution(last)
    found = emit("Ndtri", (below + uniform * (above - below),), None, None)
    found = clip_by_value(found, first, last)
    return where(flipped, negative(found), found)


def _distribution(x: Tensor) -> Tensor:
    """The probability of a standard normal number below ``x``."""
    return multiply(emit("Erfc", (multiply(x, convert(-_ROOT_HALF, x.dtype)),), None, None), 0.5)
