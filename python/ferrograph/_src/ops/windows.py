"""Windows: what frames of signals are multiplied by."""

from __future__ import annotations

import math
from typing import Any

from ..values.dtypes import as_dtype
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, float32, is_tensor, static_value
from ._dispatch import told
from ._numbers import check_flags, int32_of
from .arithmetic import divide, maximum, multiply
from .arrays import concat, reverse
from .creation import range
from .elementwise import bessel_i0e, cos, exp, sin, sqrt, square
from .numeric import cast
from .reductions import cumsum

__all__ = ["number", "scalar"]


@public("signal.hann_window")
def hann_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Hann's window: ``0.5 - 0.5 cos``.

    >>> fg.signal.hann_window(4).numpy().round(4)
    array([0. , 0.5, 1. , 0.5], dtype=float32)

    Args:
      window_length: how many numbers.
      periodic: whether one of even length is a period, else it is symmetric; those of odd length
        are symmetric.
      dtype: the dtype, a floating point one.
      name: a name for the operation.

    Raises:
      ValueError: for a dtype that is not floating point, or a length that is not a scalar.
    """
    check_flags("hann_window", periodic=periodic)
    return _cosine_window(window_length, periodic, dtype, 0.5, 0.5)


@public("signal.hamming_window")
def hamming_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Hamming's window: ``0.54 - 0.46 cos``.

    >>> fg.signal.hamming_window(4).numpy().round(4)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    Args:
      window_length: how many numbers, a scalar of integers.
      periodic: whether one of even length is a period, else it is symmetric, a bool; True by
        default. Those of odd length are symmetric.
      dtype: the dtype, a floating point one; float32 by default.
      name: not used.

    Returns:
      A vector of ``dtype``.

    Raises:
      ValueError: for a dtype that is not floating point, or a length that is not a scalar.
    """
    check_flags("hamming_window", periodic=periodic)
    return _cosine_window(window_length, periodic, dtype, 0.54, 0.46)


def _cosine_window(length: Any, periodic: bool, dtype: Any, a: Any, b: Any) -> Tensor:
    dtype = _floating(dtype)
    n = scalar(length)
    if not is_tensor(n) and n == 1:
        return convert([1.0], dtype)
    last = n - 1 + (1 - n % 2 if periodic else 0)
    if is_tensor(n):
        last = maximum(last, 1)  # one number, which is 1
        a, b = _for_several(n, a, 1.0, dtype), _for_several(n, b, 0.0, dtype)
    turn = range(n, dtype=dtype) * (2.0 * math.pi) / number(last, dtype)
    return a - b * cos(turn)


def _for_several(n: Any, several: float, one: float, dtype: Any) -> Tensor:
    """A number for windows of more than one number, and that for those of one."""
    return emit("SelectV2", (n > 1, convert(several, dtype), convert(one, dtype)), None, None)


def _floating(dtype: Any) -> Any:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    return dtype


def scalar(value: Any) -> Any:
    """An integer where it is known, else a scalar tensor of int32."""
    tensor = int32_of(value)
    if tensor.ndim not in (0, None):
        raise ValueError(f"Shape {tensor.shape} must have rank 0")
    known = static_value(tensor)
    return tensor if known is None else int(known)


def number(n: Any, dtype: Any) -> Tensor:
    return cast(n, dtype) if is_tensor(n) else convert(float(n), dtype)


@public("signal.kaiser_window")
@told
def kaiser_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Kaiser's window: a Bessel function of half a circle.

    >>> fg.signal.kaiser_window(3, beta=0.0).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
      window_length: how many numbers.
      beta: how narrow it is.
      dtype: the dtype, a floating point one.
      name: a name for the operation.
    """
    dtype = _floating(dtype)
    n = scalar(window_length)
    half = maximum(number(n, dtype) - 1.0, 1.0) / 2.0
    middle = (number(n, dtype) - 1.0) / 2.0
    place = (range(n, dtype=dtype) - middle) / half
    beta = number(beta, dtype)
    height = beta * sqrt(maximum(1.0 - square(place), 0.0))
    return multiply(divide(bessel_i0e(height), bessel_i0e(beta)), exp(height - beta))


@public("signal.kaiser_bessel_derived_window")
@told
def kaiser_bessel_derived_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """The window of even length whose squares are sums of Kaiser's window.

    >>> fg.signal.kaiser_bessel_derived_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)

    Args:
      window_length: how many numbers, an even scalar of integers.
      beta: how narrow it is, a scalar; 12.0 by default.
      dtype: the dtype, a floating point one; float32 by default.
      name: not used.

    Returns:
      A vector of ``dtype``.

    Raises:
      ValueError: for a dtype that is not floating point, or a length that is not a scalar.
    """
    dtype = _floating(dtype)
    half = scalar(window_length) // 2
    sums = cumsum(kaiser_window(half + 1, beta, dtype))
    rise = sqrt(divide(sums[:-1], sums[-1]))
    return concat([rise, reverse(rise, [0])], 0)


@public("signal.vorbis_window")
def vorbis_window(
    window_length: TensorLike, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """The window of Vorbis: the sine of a squared sine.

    >>> fg.signal.vorbis_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)

    Args:
      window_length: how many numbers, a scalar of integers.
      dtype: the dtype, a floating point one; float32 by default.
      name: not used.

    Returns:
      A vector of ``dtype``.

    Raises:
      ValueError: for a dtype that is not floating point, or a length that is not a scalar.
    """
    dtype = _floating(dtype)
    n = scalar(window_length)
    place = range(n, dtype=dtype) + 0.5
    return sin(square(sin(place * math.pi / number(n, dtype))) * (math.pi / 2))
