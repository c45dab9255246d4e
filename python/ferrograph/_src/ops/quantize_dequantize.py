"""Floats rounded to as many steps as quantized numbers of a width have."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from ..values import errors
from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, convert_pair, emit, float32, known_rank
from ._dispatch import told
from ._numbers import check_flags, whole
from .arithmetic import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    maximum,
    minimum,
)
from .arrays import reshape, stop_gradient
from .creation import ones_like, zeros_like
from .elementwise import floor, round
from .reductions import reduce_max, reduce_min
from .selection import where


@public("quantization.quantize_and_dequantize_v2")
@told
def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Floats rounded to the steps that quantized numbers of ``num_bits`` would have.

    The steps lie evenly, 0 among them, and reach the end of the range that needs the wider ones.
    The gradient passes through between ``input_min`` and ``input_max`` and is 0 outside; none flows
    to these.

    >>> fg.quantization.quantize_and_dequantize_v2(
    ...     [0.3, -1.0, 2.0], -1.0, 1.0, num_bits=2, range_given=True
    ... ).numpy()
    array([ 0., -1.,  1.], dtype=float32)

    Args:
      input: a floating tensor.
      input_min, input_max: the ends of the range, where ``range_given``; else those of the input
        are taken.
      signed_input: whether there are steps below 0.
      num_bits: how many bits a quantized number has.
      range_given: whether the range is that of the arguments.
      round_mode: "HALF_TO_EVEN" or "HALF_UP": where a number in the middle of two steps goes.
      name: a name for the operation.
      narrow_range: whether the lowest step is left out.
      axis: an axis along which each slice has a range of its own, of a tensor of known rank; the
        ends are vectors or scalars then.

    Raises:
      ValueError: for another way of rounding, or an axis that is not there.
      InvalidArgumentError: for a number of bits that floats do not hold.
    """
    check_flags("quantize_and_dequantize_v2", signed_input=signed_input, range_given=range_given)
    x = convert(input, dtype_hint=float32)
    num_bits = whole(num_bits, "quantize_and_dequantize: num_bits")
    _check(x, num_bits, signed_input, round_mode)
    ends = _given(x, input_min, input_max, axis)
    low, high = ends if range_given else _found(x, axis)
    steps = _steps(low, high, *_integers(signed_input, num_bits, narrow_range))
    inside = minimum(maximum(x, steps.low), steps.high) if range_given else x
    scaled = inside * steps.inverse
    rounded = round(scaled) if round_mode == "HALF_TO_EVEN" else floor(scaled + 0.5)
    passes = logical_and(greater_equal(x, ends[0]), less_equal(x, ends[1]))
    kept = where(passes, x, stop_gradient(x))
    found = stop_gradient(rounded * steps.width) + (kept - stop_gradient(kept))
    return found if name is None else emit("Identity", (found,), None, name)


@public("quantization.quantize_and_dequantize")
@told
def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """As ``quantize_and_dequantize_v2``; the gradient passes through everywhere.

    >>> x = fg.constant([0.3, 2.0])
    >>> with fg.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = fg.quantization.quantize_and_dequantize(x, -1.0, 1.0, range_given=True)
    >>> tape.gradient(y, x).numpy()
    array([1., 1.], dtype=float32)

    Args:
      input: a tensor of floats, or what converts to one; of any shape.
      input_min, input_max: the ends of the range, where ``range_given``; scalars of the dtype of
        ``input``, or vectors with an ``axis``.
      signed_input: whether there are steps below 0, a bool; True by default.
      num_bits: how many bits a quantized number has, an int; 8 by default.
      range_given: whether the range is that of the arguments, a bool; False by default, for that of
        the input.
      round_mode: "HALF_TO_EVEN" (the default) or "HALF_UP": where a number in the middle of two
        steps goes.
      name: a name for the operation.
      narrow_range: whether the lowest step is left out, a bool; False by default.
      axis: an axis along which each slice has a range of its own, an int; none unless told.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      ValueError: for another way of rounding, or an axis that is not there.
      TypeError: for another dtype.
      InvalidArgumentError: for a number of bits below 1, or above 62 (63 without steps below 0).
    """
    check_flags("quantize_and_dequantize", signed_input=signed_input, range_given=range_given)
    x = convert(input, dtype_hint=float32)
    found = quantize_and_dequantize_v2(
        stop_gradient(x),
        input_min,
        input_max,
        signed_input,
        num_bits,
        range_given,
        round_mode,
        None,
        narrow_range,
        axis,
    )
    return emit("AddV2", (found, x - stop_gradient(x)), None, name)


def _check(x: Tensor, num_bits: int, signed: bool, round_mode: str) -> None:
    if not x.dtype.is_floating:
        raise TypeError(f"numbers that are quantized are floats, got {x.dtype.name}")
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise ValueError(f'round_mode must be "HALF_TO_EVEN" or "HALF_UP", got {shown(round_mode)}')
    most = 62 if signed else 63
    if not 1 <= num_bits <= most:
        message = f"num_bits must be in [1, {most}], got {num_bits}"
        raise errors.InvalidArgumentError(None, None, message)


def _integers(signed: bool, num_bits: int, narrow: bool) -> tuple[float, float]:
    """The lowest and the highest quantized number."""
    if not signed:
        return 0.0, float(2**num_bits - 1)
    half = 2 ** (num_bits - 1)
    return float(narrow - half), float(half - 1)


def _others(x: Tensor, axis: int) -> list[int]:
    """The axes of ``x`` besides that one."""
    axis, rank = whole(axis, "the axis of ranges"), known_rank(x, "an axis of ranges")
    if not -rank <= axis < rank:
        raise ValueError(f"axis must be in [{-rank}, {rank}), got {shown(axis)}")
    return [i for i in builtins.range(rank) if i != axis % rank]


def _given(x: Tensor, low: Any, high: Any, axis: int | None) -> tuple[Any, Any]:
    """The ends that the arguments say, in a shape that broadcasts against ``x``."""
    low, high = (stop_gradient(convert_pair(x, end)[1]) for end in (low, high))
    if axis is None:
        return low, high
    others = _others(x, axis)
    dims = [1 if i in others else -1 for i in builtins.range(len(others) + 1)]
    return reshape(low, dims), reshape(high, dims)


def _found(x: Tensor, axis: int | None) -> tuple[Any, Any]:
    """The least and the largest number, of all or of each slice along the axis."""
    x = stop_gradient(x)
    others = None if axis is None else _others(x, axis)
    return reduce_min(x, others, True), reduce_max(x, others, True)


class _Steps(NamedTuple):
    """How wide a step is, how many fit 1, and where the first and the last one lie."""

    width: Any
    inverse: Any
    low: Any
    high: Any


def _steps(low: Any, high: Any, first: float, last: float) -> _Steps:
    """The steps of a range: those that the end with the wider ones needs; none of an empty one."""
    zero, one = zeros_like(low), ones_like(low)
    is_below, is_above = less(zero, low * first), less(zero, high * last)
    down = where(is_below, low / (first or 1.0), zero)
    up = where(is_above, high / (last or 1.0), zero)
    by_low = greater(down, up)
    width = maximum(down, up)
    number, end = where(by_low, first * one, last * one), where(by_low, low, high)
    empty = equal(width, zero)
    inverse = where(empty, zero, number / where(empty, one, end))
    return _Steps(width, inverse, width * first, width * last)
