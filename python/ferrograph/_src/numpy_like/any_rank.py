"""Axes of arrays whose rank is known only when the graph runs: they are tensors, like sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..ops import _ranks
from ..ops._numbers import whole

__all__ = ["count_of", "places_of", "reordered", "sizes_of", "without"]


# More axes than any array has.
_MOST_AXES = 1024


def _extents(numbers: np.ndarray | range) -> tuple[int, ...]:
    """The shape of an array or of a range, without iterating over it."""
    if isinstance(numbers, np.ndarray):
        return numbers.shape
    return (max(0, -((numbers.start - numbers.stop) // numbers.step)),)


def sizes_of(shape: Any) -> Any:
    """A shape as a vector: a single number is a shape of one axis."""
    if isinstance(shape, _core.Tensor):
        return shape if shape.shape.rank == 1 else ops.reshape(shape, [-1])
    if hasattr(shape, "rank"):
        return shape
    # Views and ranges may have more elements than can be iterated over.
    extents = _extents(shape) if isinstance(shape, (np.ndarray, range)) else ()
    if np.prod(extents, dtype=float) > _MOST_AXES:
        raise ValueError(
            f"shape must be a vector of at most {_MOST_AXES} sizes, got an array of shape {extents}"
        )
    return [count_of(n) for n in ([shape] if np.ndim(shape) == 0 else shape)]


def count_of(n: Any) -> Any:
    """A size: of a number with a fraction, or a truth value, the whole number in it."""
    if isinstance(n, _core.Tensor):
        return n if n.dtype.is_integer else ops.cast(n, np.int32)
    return int(n) if isinstance(n, (bool, float, np.generic)) else n


def places_of(axes: Any, rank: Any) -> Any:
    """An axis, or several, as a vector of numbers from 0 on; see ``ops._ranks``."""
    several = isinstance(axes, (list, tuple, range, np.ndarray))
    return _ranks.places_of([whole(axis, "axis") for axis in (axes if several else [axes])], rank)


def reordered(a: Any, sources: Any, places: Any) -> Any:
    """The array with the axes ``sources`` at ``places``, the others in order.

    An axis that is named twice makes the order too long, which is refused when the graph runs.
    """
    rank, named = ops.rank(a), (sources, places)
    sources, places = (places_of(axes, rank) for axes in named)
    if sources.shape != places.shape:
        raise ValueError(f"axes {named[0]} cannot move to {named[1]}")
    order = ops.concat([sources, without(ops.range(rank), sources)], 0)
    into = ops.concat([places, without(ops.range(rank), places)], 0)
    return ops.transpose(a, ops.gather(order, ops.argsort(into, stable=True)))


def without(numbers: Any, some: Any) -> Any:
    """The numbers of a vector that are none of others."""
    met = ops.equal(ops.expand_dims(numbers, 1), ops.expand_dims(some, 0))
    return ops.boolean_mask(numbers, ops.logical_not(ops.reduce_any(met, 1)))
