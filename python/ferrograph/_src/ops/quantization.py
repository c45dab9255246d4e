"""Floats rounded to the steps of a quantized range, as training for quantized numbers does."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..values import errors
from ..values.public import public
from ._base import Tensor, TensorLike, TensorShape, convert, float32, known_size, rank_of
from ._dispatch import told
from ._numbers import real, whole
from ._ranks import of_rank
from .arithmetic import equal, greater, less, less_equal, maximum, minimum
from .arrays import stop_gradient
from .creation import range as range_of
from .creation import zeros_like
from .elementwise import abs as magnitude
from .elementwise import floor, sign
from .numeric import cast
from .reductions import reduce_sum
from .selection import where

__all__ = ["Steps"]


class Steps(NamedTuple):
    """The steps of a range: its ends, moved so that 0 is a step, their width and its inverse.

    ``is_empty`` tells where both ends are 0.
    """

    low: Any
    high: Any
    width: Any
    inverse: Any
    is_empty: Any


def _steps(low: Any, high: Any, num_bits: int, narrow_range: bool) -> Steps:
    """The steps of a range of so many bits."""
    num_bits = whole(num_bits, "num_bits")
    if not 2 <= num_bits <= 16:
        message = f"num_bits must be in [2, 16], got {num_bits}"
        raise errors.InvalidArgumentError(None, None, message)
    first, last = float(narrow_range), float(2**num_bits - 1)
    width = (high - low) / (last - first)
    zero = first - low / width
    nearest = floor(magnitude(zero) + 0.5) * sign(zero)
    zero = minimum(maximum(nearest, first), last)
    inverse = (last - first) / (high - low)
    is_empty = equal(low, 0.0) & equal(high, 0.0)
    return Steps((first - zero) * width, (last - zero) * width, width, inverse, is_empty)


def _by_inverse(x: Any, steps: Steps) -> Any:
    return x * steps.inverse


def _by_width(x: Any, steps: Steps) -> Any:
    return x / steps.width


def _rounded(x: Any, steps: Steps, counted: Any) -> Any:
    """Numbers rounded to the nearest step; 0 where both ends are.

    How the steps are counted decides in the middle of two: a range whose ends are scalars of
    tensors divides by their width, others multiply.
    """
    zero = floor(-steps.low * steps.inverse + 0.5)
    inside = maximum(minimum(x, steps.high), steps.low) - steps.low
    number = floor(counted(inside, steps) - zero + 0.5)
    return where(steps.is_empty, zeros_like(number), number * steps.width)


def _split(x: Any, steps: Steps) -> tuple[Any, Any, Any]:
    """Which numbers lie within the range, below it and above it; without a range all lie within."""
    below, above = less(x, steps.low), greater(x, steps.high)
    within = less_equal(steps.low, x) & less_equal(x, steps.high)
    return within | steps.is_empty, below, above


def _fake(x: Any, low: Any, high: Any, num_bits: int, narrow_range: bool, counted: Any) -> Tensor:
    """Numbers rounded to steps; the gradient passes within the range, else to its ends."""
    ends = stop_gradient(low), stop_gradient(high)
    steps = _steps(*ends, num_bits, narrow_range)
    inside, below, above = _split(x, steps)
    kept = where(inside, x, where(below, low, where(above, high, zeros_like(x))))
    return stop_gradient(_rounded(x, steps, counted)) + (kept - stop_gradient(kept))


def _bounds(low: Any, high: Any) -> tuple[Any, Any]:
    low, high = convert(low, float32), convert(high, float32)
    return low, high


def _check(low: float, high: float) -> None:
    if not low < high:
        message = f"min must be below max, got {low} and {high}"
        raise errors.InvalidArgumentError(None, None, message)


@public("quantization.fake_quant_with_min_max_args")
@told
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """float32 numbers rounded to the steps of a range of so many bits, in which 0 is a step.

    The gradient passes through within the range, and is 0 outside.

    >>> fg.quantization.fake_quant_with_min_max_args([0.3, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)

    Args:
      inputs: a float32 tensor.
      min, max: the ends of the range, which is moved so that 0 is a step.
      num_bits: from 2 to 16.
      narrow_range: whether the lowest number is left out.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``min`` is not below ``max``, or for another number of bits.
    """
    min, max = (real(end, "fake_quant_with_min_max_args: min and max") for end in (min, max))
    _check(min, max)
    low, high = _bounds(min, max)
    return _fake(convert(inputs, float32), low, high, num_bits, narrow_range, _by_inverse)


@public("quantization.fake_quant_with_min_max_vars")
@told
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """float32 numbers rounded to the steps of a range whose ends are tensors.

    The gradient passes through within the range; what lies outside gives its own to the end.

    >>> fg.quantization.fake_quant_with_min_max_vars([0.3, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)

    Args:
      inputs: a float32 tensor.
      min, max: scalars, the ends of the range, which is moved so that 0 is a step.
      num_bits: from 2 to 16.
      narrow_range: whether the lowest number is left out.
      name: a name for the operation.
    """
    low, high = _bounds(min, max)
    for end in (low, high):
        if end.shape.rank not in (0, None):
            raise ValueError(f"min and max must be scalars, got shape {end.shape}")
    low, high = of_rank(low, 0), of_rank(high, 0)
    return _fake(convert(inputs, float32), low, high, num_bits, narrow_range, _by_width)


def _parts(gradients: Any, x: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, ...]:
    """The gradient within the range, below it and above it, element by element."""
    gradients, x = convert(gradients, float32), convert(x, float32)
    steps = _steps(low, high, bits, narrow)
    inside, below, above = _split(x, steps)
    return tuple(gradients * cast(part, float32) for part in (inside, below, above))


class FakeQuantGradient(NamedTuple):
    """The gradients by the numbers and by the ends of the range."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


@public("quantization.fake_quant_with_min_max_args_gradient")
@told
def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of ``fake_quant_with_min_max_args`` by its inputs.

    >>> fg.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.3, 9.0]).numpy()
    array([1., 0.], dtype=float32)

    Args:
      gradients: the gradients of the result, a float32 tensor of the shape of ``inputs``, or what
        converts to one.
      inputs: the numbers that were rounded, a float32 tensor, or what converts to one; of any
        shape.
      min: the lower end of the range, a number; -6 by default.
      max: the upper end, a larger number; 6 by default.
      num_bits: how many bits a quantized number has, an int from 2 to 16; 8 by default.
      narrow_range: whether the lowest number is left out, a bool; False by default.
      name: not used.

    Returns:
      A float32 tensor of the shape of ``inputs``.

    Raises:
      InvalidArgumentError: where ``min`` is not below ``max``, or for another number of bits.
      TypeError: where an end is no number.
      ValueError: for tensors of another dtype.
    """
    what = "fake_quant_with_min_max_args_gradient: min and max"
    min, max = (real(end, what) for end in (min, max))
    _check(min, max)
    return _parts(gradients, inputs, *_bounds(min, max), num_bits, narrow_range)[0]


@public("quantization.fake_quant_with_min_max_vars_gradient")
@told
def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradient:
    """The gradients of ``fake_quant_with_min_max_vars`` by its inputs, ``min`` and ``max``.

    >>> x = [0.5, 9.0]
    >>> found = fg.quantization.fake_quant_with_min_max_vars_gradient([1.0, 2.0], x, 0.0, 1.0)
    >>> found.backprops_wrt_input.numpy(), float(found.backprop_wrt_max)
    (array([1., 0.], dtype=float32), 2.0)

    Args:
      gradients: the gradients of the result, a float32 tensor of the shape of ``inputs``, or what
        converts to one.
      inputs: the numbers that were rounded, a float32 tensor, or what converts to one; of any
        shape.
      min, max: the ends of the range, float32 scalars, or what converts to them.
      num_bits: how many bits a quantized number has, an int from 2 to 16; 8 by default.
      narrow_range: whether the lowest number is left out, a bool; False by default.
      name: not used.

    Returns:
      A named tuple ``(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)``: of the shape of
        ``inputs``, and two scalars.

    Raises:
      InvalidArgumentError: for another number of bits.
      ValueError: for tensors of another dtype.
    """
    low, high = _bounds(min, max)
    inside, below, above = _parts(gradients, inputs, low, high, num_bits, narrow_range)
    return FakeQuantGradient(inside, reduce_sum(below), reduce_sum(above))


@public("quantization.fake_quant_with_min_max_vars_per_channel")
@told
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As ``fake_quant_with_min_max_vars``, with a range for each channel: along the last axis.

    >>> x = [[0.3, 0.3], [9.0, 9.0]]
    >>> fg.quantization.fake_quant_with_min_max_vars_per_channel(
    ...     x, [0.0, 0.0], [3.0, 9.0], num_bits=2
    ... ).numpy()
    array([[0., 0.],
           [3., 9.]], dtype=float32)

    Args:
      inputs: a float32 tensor of rank 1 at least.
      min, max: the ends of the ranges: vectors as long as the last axis.
      num_bits: from 2 to 16.
      narrow_range: whether the lowest number is left out.
      name: a name for the operation.

    Raises:
      ValueError: for ends of other shapes.
    """
    inputs = convert(inputs, float32)
    low, high = _channels(inputs, min, max)
    return _fake(inputs, low, high, num_bits, narrow_range, _by_inverse)


@public("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
@told
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradient:
    """The gradients of ``fake_quant_with_min_max_vars_per_channel``.

    >>> x, ones = [[0.5, 9.0]], [[1.0, 1.0]]
    >>> found = fg.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
    ...     ones, x, [0.0, 0.0], [1.0, 1.0]
    ... )
    >>> found.backprops_wrt_input.numpy(), found.backprop_wrt_max.numpy()
    (array([[1., 0.]], dtype=float32), array([0., 1.], dtype=float32))

    Args:
      gradients: the gradients of the result, a float32 tensor of the shape of ``inputs``, or what
        converts to one.
      inputs: the numbers that were rounded, a float32 tensor, or what converts to one; of rank 1 at
        least.
      min, max: the ends of the ranges, float32 vectors as long as the last axis, or what converts
        to them.
      num_bits: how many bits a quantized number has, an int from 2 to 16; 8 by default.
      narrow_range: whether the lowest number is left out, a bool; False by default.
      name: not used.

    Returns:
      A named tuple ``(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)``: of the shape of
        ``inputs``, and two vectors.

    Raises:
      InvalidArgumentError: for another number of bits.
      ValueError: for ends of other shapes, and for tensors of another dtype.
    """
    inputs = convert(inputs, float32)
    low, high = _channels(inputs, min, max)
    inside, below, above = _parts(gradients, inputs, low, high, num_bits, narrow_range)
    lead = range_of(0, rank_of(inputs) - 1)
    return FakeQuantGradient(inside, reduce_sum(below, lead), reduce_sum(above, lead))


def _channels(inputs: Tensor, low: TensorLike, high: TensorLike) -> tuple[Any, Any]:
    """The ends of the ranges along the last axis."""
    if inputs.ndim == 0:
        raise ValueError("inputs must have rank 1 at least, got a scalar")
    low, high = _bounds(low, high)
    for end in (low, high):
        fits = TensorShape([known_size(inputs, -1)])
        if not end.shape.is_compatible_with(fits):
            raise ValueError(f"min and max must have shape {fits}, got {end.shape}")
    return low, high
