"""The nearest monotone sequence."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..context.hooks import hooks
from ..values.dtypes import bool as boolean
from ..values.dtypes import float32, float64, int32
from ..values.public import public
from ._base import Tensor, TensorLike, convert, swapped_axes
from ._dispatch import told
from ._numbers import flag
from .arithmetic import add, less, logical_and
from .arrays import concat, reshape, shape, size, stop_gradient, transpose
from .creation import ones_like, zeros_like
from .creation import range as range_
from .elementwise import logical_not, negative
from .numeric import cast
from .reductions import cumsum, reduce_any
from .segments import unsorted_segment_sum
from .selection import gather

__all__ = ["isotonic_regression"]

IsotonicRegression = namedtuple("IsotonicRegression", ["output", "segments"])


@public("nn.isotonic_regression")
@told
def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> Any:
    """The monotone sequence with the least sum of squared distances from the given one.

    Neighbours that are out of order are replaced by their mean, and so are their neighbours, until
    all are in order. Gradients flow to what went into a mean.

    >>> output, segments = fg.nn.isotonic_regression([3.0, 1.0, 2.0, 0.0])
    >>> output.numpy(), segments.numpy()
    (array([3. , 1.5, 1.5, 0. ], dtype=float32), array([0, 1, 1, 2], dtype=int32))

    Args:
      inputs: numbers; integers of more than 16 bits become float64, others float32.
      decreasing: whether the sequence shall not increase; else it shall not decrease.
      axis: along which the sequences lie.

    Returns:
      the sequence, and for each element the number of the mean that it is part of.
    """
    inputs = convert(inputs)
    if not inputs.dtype.is_floating:
        inputs = cast(inputs, float32 if inputs.dtype.size < 4 else float64)
    if inputs.ndim == 0:
        return IsotonicRegression(inputs, zeros_like(inputs, int32))
    decreasing = flag(decreasing, "isotonic_regression: decreasing")
    order = swapped_axes(inputs, axis)
    rows = transpose(inputs, order)
    flat = reshape(rows, [-1])
    width = shape(rows)[-1]
    is_first = reshape(cast((range_(size(flat)) % width), boolean), [-1])
    is_first = logical_not(is_first)
    begins = _beginnings(stop_gradient(flat if decreasing else negative(flat)), is_first)
    number = cumsum(cast(begins, int32)) - 1
    output = _means(flat, number)
    segments = number - gather(number, range_(size(flat)) // width * width)
    found = (transpose(reshape(part, shape(rows)), order) for part in (output, segments))
    return IsotonicRegression(*found)


def _means(values: Tensor, number: Tensor) -> Tensor:
    """For each element the mean of those of its number."""
    n = size(values)
    total = unsorted_segment_sum(values, number, n)
    count = unsorted_segment_sum(ones_like(values), number, n)
    found: Tensor = gather(total, number) / gather(count, number)
    return found


def _beginnings(values: Tensor, is_first: Tensor) -> Tensor:
    """Where the means of the sequence that does not increase begin: at first everywhere, then no
    more where the mean before is less."""

    def step(begins: Any, _: Any) -> Any:
        mean = _means(values, cumsum(cast(begins, int32)) - 1)
        rises = concat([zeros_like(begins[:1]), less(mean[:-1], mean[1:])], 0)
        ends = logical_and(rises, logical_not(is_first))
        return logical_and(begins, logical_not(ends)), reduce_any(ends)

    start = ones_like(values, boolean), add(size(values), 0) > 0
    return hooks.while_loop(lambda _, changed: changed, step, start)[0]
