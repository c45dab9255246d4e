"""Coordinates of sparse tensors as places in row-major order, and back."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import reductions
from ..ops.partition import require
from ..values import dtypes
from .tensor import SparseTensor, made

__all__ = ["combined", "in_order", "places", "require", "strides", "to_coordinates"]


def strides(shape: Any) -> Any:
    """How many places one step along each axis is."""
    ones = ops.ones([1], dtypes.int64)
    tail = ops.concat([shape[1:], ones], 0)[: ops.size(shape)]
    return reductions.cumprod(tail, reverse=True)


def places(indices: Any, shape: Any) -> Any:
    """The place of each element among all of a tensor of that shape."""
    return ops.reduce_sum(indices * strides(shape), axis=1)


def to_coordinates(numbers: Any, shape: Any) -> Any:
    """The coordinates of places, a row each."""
    steps = strides(shape)
    return ops.expand_dims(numbers, 1) // steps % ops.maximum(shape, 1)


def in_order(value: SparseTensor) -> SparseTensor:
    """The same elements in row-major order."""
    order = ops.argsort(places(value.indices, value.dense_shape), stable=True)
    return made(
        ops.gather(value.indices, order),
        ops.gather(value.values, order, axis=-1),
        value.dense_shape,
        value.shape,
    )


def combined(numbers: Any, values: Any, combine: Any) -> tuple[Any, ...]:
    """Places in order, each once, with what ``combine`` makes of the values there.

    ``combine(values, ids, n)`` reduces those of one id.
    """
    order = ops.argsort(numbers, stable=True)
    numbers, values = ops.gather(numbers, order), ops.gather(values, order)
    new = ops.concat([ops.ones_like(numbers[:1], dtypes.bool), numbers[1:] != numbers[:-1]], 0)
    ids = ops.cumsum(ops.cast(new, dtypes.int64)) - 1
    kept = ops.boolean_mask(numbers, new)
    return kept, combine(values, ids, ops.size(kept, dtypes.int64))
