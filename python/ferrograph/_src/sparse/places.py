"""Coordinates of sparse tensors as places in row-major order, and back."""

from __future__ import annotations

from typing import Any

import ferrograph as fg

from ..ragged.partition import require
from .tensor import SparseTensor, made

__all__ = ["combined", "in_order", "places", "require", "strides", "to_coordinates"]


def strides(shape: Any) -> Any:
    """How many places one step along each axis is."""
    ones = fg.ones([1], fg.int64)
    tail = fg.concat([shape[1:], ones], 0)[: fg.size(shape)]
    return fg.math.cumprod(tail, reverse=True)


def places(indices: Any, shape: Any) -> Any:
    """The place of each element among all of a tensor of that shape."""
    return fg.reduce_sum(indices * strides(shape), axis=1)


def to_coordinates(numbers: Any, shape: Any) -> Any:
    """The coordinates of places, a row each."""
    steps = strides(shape)
    return fg.expand_dims(numbers, 1) // steps % fg.maximum(shape, 1)


def in_order(value: SparseTensor) -> SparseTensor:
    """The same elements in row-major order."""
    order = fg.argsort(places(value.indices, value.dense_shape), stable=True)
    return made(
        fg.gather(value.indices, order),
        fg.gather(value.values, order),
        value.dense_shape,
        value.shape,
    )


def combined(numbers: Any, values: Any, combine: Any) -> tuple:
    """Places in order, each once, with what ``combine`` makes of the values there.

    ``combine(values, ids, n)`` reduces those of one id.
    """
    order = fg.argsort(numbers, stable=True)
    numbers, values = fg.gather(numbers, order), fg.gather(values, order)
    new = fg.concat([fg.ones_like(numbers[:1], fg.bool), numbers[1:] != numbers[:-1]], 0)
    ids = fg.cumsum(fg.cast(new, fg.int64)) - 1
    kept = fg.boolean_mask(numbers, new)
    return kept, combine(values, ids, fg.size(kept, fg.int64))
