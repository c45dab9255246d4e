"""Fractional pooling: windows of two sizes, so that an image shrinks by any ratio."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..values.dtypes import float64, int32, int64, uint64
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    emit,
    refined,
    refusal,
)
from ._dispatch import told
from ._numbers import check_flags, real, whole
from .arithmetic import less, minimum
from .arrays import concat, expand_dims, reshape, shape, stack, transpose
from .creation import range as range_
from .elementwise import ceil, floor
from .numeric import cast
from .permutations import drawn_order
from .random_ops import operation_seeds, uniform
from .reductions import argmax, cumsum, reduce_sum
from .selection import gather, where

__all__ = ["fractional_avg_pool", "fractional_max_pool"]

FractionalMaxPool = namedtuple(
    "FractionalMaxPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)
FractionalAvgPool = namedtuple(
    "FractionalAvgPool", ["output", "row_pooling_sequence", "col_pooling_sequence"]
)


@public("nn.fractional_max_pool")
def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """The largest elements of windows at random places, by which images shrink by any ratio.

    Windows have the whole number below the ratio for a size, or one more, in random order. A
    gradient flows to the first of the largest elements.

    >>> image = fg.reshape(fg.range(36.0), [1, 6, 6, 1])
    >>> output, rows, _ = fg.nn.fractional_max_pool(image, 1.5, seed=1)
    >>> output.shape, int(rows[0]), int(rows[-1])
    (TensorShape([1, 4, 4, 1]), 0, 6)

    Args:
      value: images, ``[count, height, width, channels]``.
      pooling_ratio: a float from 1 on, or a list of four, of which the first and last are 1.
      pseudo_random: whether the places are those of one random number, evenly apart, in place of a
        random order.
      overlapping: whether a window takes the first row and column of the next one, too.
      seed: of the places: the same for images of one size; 0 for others each time.
      name: of no effect.

    Returns:
      the output, and where the windows begin along rows and columns, with the size at the end.

    Raises:
      ValueError: for another ratio.
    """
    check_flags("fractional_max_pool", pseudo_random=pseudo_random, overlapping=overlapping)
    ratios = _ratios(pooling_ratio)
    value = convert(value)
    rows, columns = _places(value, ratios, pseudo_random, seed)
    windows, inside, sizes = _windows(value, rows, columns, overlapping)
    lowest = convert(value.dtype.min, value.dtype)
    place = argmax(where(inside, windows, lowest), 4)
    output = reshape(gather(windows, place, axis=4, batch_dims=4), sizes)
    return FractionalMaxPool(*_told(value, ratios, output, rows, columns))


@public("nn.fractional_avg_pool")
@told
def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """The means of windows at random places; see ``fractional_max_pool``.

    >>> image = fg.reshape(fg.range(36.0), [1, 6, 6, 1])
    >>> fg.nn.fractional_avg_pool(image, [1.0, 1.5, 2.0, 1.0], seed=1).output.shape
    TensorShape([1, 4, 3, 1])

    Args:
      value: images, ``[count, height, width, channels]``.
      pooling_ratio: a list of four floats from 1 on, of which the first and last are 1.
      pseudo_random: as in ``fractional_max_pool``.
      overlapping: as there.
      seed: as there.
      name: of no effect.

    Raises:
      TypeError: for a ratio that is no list.
      ValueError: for another ratio.
    """
    check_flags("fractional_avg_pool", pseudo_random=pseudo_random, overlapping=overlapping)
    if not isinstance(pooling_ratio, (list, tuple)):
        raise TypeError(f"pooling_ratio must be a list of four floats, got {shown(pooling_ratio)}")
    ratios = _ratios(pooling_ratio)
    value = convert(value)
    rows, columns = _places(value, ratios, pseudo_random, seed)
    windows, inside, sizes = _windows(value, rows, columns, overlapping)
    counted = cast(inside, value.dtype)
    total, count = reduce_sum(windows * counted, 4), reduce_sum(counted, 3)
    mean = total // count if value.dtype.is_integer else total / count
    return FractionalAvgPool(*_told(value, ratios, reshape(mean, sizes), rows, columns))


def _told(value: Any, ratios: list[float], output: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
    """The results with the sizes that follow from those of the input."""
    rows, columns = cast(rows, int64), cast(columns, int64)
    if value.ndim != 4:
        return output, rows, columns
    batch, *sides, channels = value.shape.as_list()
    counts = [
        None if n is None else int(n / ratio) for n, ratio in zip(sides, ratios[1:3], strict=True)
    ]
    begins = (
        refined(t, None if n is None else n + 1)
        for t, n in zip((rows, columns), counts, strict=True)
    )
    return refined(output, batch, *counts, channels), *begins


def _ratios(given: Any) -> list[float]:
    """The ratios of the four axes."""
    listed = given if isinstance(given, (list, tuple)) else [1.0, given, given, 1.0]
    ratios = [real(ratio, "pooling_ratio", ValueError) for ratio in listed]
    if any(ratio < 1.0 for ratio in ratios):
        raise ValueError(
            f"`pooling_ratio` should be >= 1.0. Received: pooling_ratio={shown(given)}"
        )
    if len(ratios) != 4 or ratios[0] != 1.0 or ratios[-1] != 1.0:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. "
            f"Received: pooling_ratio={shown(given)}"
        )
    return ratios


def _places(value: Tensor, ratios: list[float], pseudo_random: bool, seed: int) -> list[Tensor]:
    """Where the windows begin along rows and columns, with the size at the end."""
    if value.ndim not in (None, 4):
        raise refusal(f"fractional pools take images of rank 4, got shape {value.shape}")
    seed = whole(seed, "seed")
    words = operation_seeds(seed) if seed else uniform([2], 0, 2**31 - 1, int32)
    low, high = (cast(cast(words[i], int64), uint64) for i in (0, 1))
    first, sizes = convert(0, uint64), shape(value)
    found = []
    for axis in (1, 2):
        size = sizes[axis]
        count = cast(floor(cast(size, float64) / ratios[axis]), int32)
        counter = stack([first, high])
        draw = _evenly if pseudo_random else _shuffled
        found.append(draw(size, count, reshape(low, [1]), counter))
        # What was drawn took so many places of the counter, of four numbers each.
        first = convert(1, uint64) if pseudo_random else cast((count + 3) // 4, uint64)
    return found


def _shuffled(size: Any, count: Any, key: Any, counter: Any) -> Tensor:
    """Windows of the least size, then those of one more, in random order."""
    least = size // count
    widths = least + cast(less(range_(count), size % count), int32)
    widths = gather(widths, drawn_order(count, key, counter))
    found: Tensor = concat([[0], cumsum(widths)], 0)
    return found


def _evenly(size: Any, count: Any, key: Any, counter: Any) -> Tensor:
    """Windows at ``ceil(alpha * (u + i))`` for one random ``u``, so that none is too wide."""
    inputs = convert([1], int32), key, counter, convert(1)
    drawn = emit("StatelessRandomUniformV2", inputs, {"dtype": float64})[0]
    wide, n = cast(size, float64), cast(count, float64)
    alpha, least = wide / n, cast(size // count, float64)
    most = minimum((least + 2) / alpha - 1, (wide + 1 - least) / alpha - (n - 1))
    inner = ceil(alpha * (cast(range_(1, count), float64) + drawn * most))
    begins = cast(inner, int32) - 1
    found: Tensor = concat([[0], begins, reshape(size, [1])], 0)
    return found


def _windows(value: Tensor, rows: Tensor, columns: Tensor, overlapping: bool) -> tuple[Any, ...]:
    """The elements of each window, ``[count, rows, columns, channels, elements]``, which are
    inside of it, and the sizes of the output."""
    by_row, row_inside = _members(rows, overlapping)
    by_column, column_inside = _members(columns, overlapping)
    picked = gather(gather(value, by_row, axis=1), by_column, axis=3)
    picked = transpose(picked, [0, 1, 3, 5, 2, 4])
    n, height, width, channels, tall, wide = (shape(picked)[i] for i in range(6))
    windows = reshape(picked, stack([n, height, width, channels, tall * wide]))
    both = row_inside[:, None, :, None] & column_inside[None, :, None, :]
    inside = reshape(both, stack([height, width, 1, tall * wide]))
    return windows, inside, stack([n, height, width, channels])


def _members(places: Tensor, overlapping: bool) -> tuple[Tensor, Tensor]:
    """For each window the numbers of its rows, and which of these are its own: others fill it up to
    the size of the largest."""
    begins, ends = places[:-1], places[1:] - 1
    ends = minimum(ends + 1, places[-1] - 1) if overlapping else ends
    steps = range_(emit("Max", (ends - begins, 0), {"keep_dims": False}) + 1)
    members = expand_dims(begins, 1) + steps
    limit = expand_dims(ends, 1)
    return minimum(members, limit), members <= limit
