"""Truncated normal distributions with given bounds."""

from __future__ import annotations

from typing import Any

from ..values.public import public
from ._base import Tensor, TensorLike, as_dtype, convert, emit, float32
from .numeric import cast
from .random_ops import sizes

__all__: list[str] = []


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
      shape: the shape of the result, which ends with that of the parameters.
      seed: two integers.
      means: the means, floats; the other parameters are of their dtype.
      stddevs: the standard deviations, which are positive.
      minvals: the least numbers that are drawn.
      maxvals: the largest.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the shape does not end with that to which the parameters
        broadcast, where a deviation is not above 0, or bounds leave no interval.
    """
    parameters = (means, stddevs, minvals, maxvals)
    dtype = next((p.dtype for p in parameters if hasattr(p, "dtype")), float32)
    converted = [cast(convert(p, as_dtype(dtype)), dtype) for p in parameters]
    inputs = (sizes(shape), convert(seed), *converted)
    return emit("StatelessParameterizedTruncatedNormal", inputs, None, name)
