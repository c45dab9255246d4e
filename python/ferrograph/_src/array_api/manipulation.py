"""Shapes, orders of axes, joins, and elements by their places."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..numpy_like import arrangement, rearranging
from ..numpy_like.any_rank import sizes_of
from ..values.dtypes import int64
from ..values.errors import shown
from . import arrays
from .arrays import array, listed_axes, promoted, rank_of

__all__ = [
    *("broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip"),
    *("moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "take"),
    *("take_along_axis", "tile", "unstack"),
]


def broadcast_shapes(*shapes: Any) -> tuple[int | None, ...]:
    """The shape that these broadcast to together; None is a size that is not known.

    Raises:
      ValueError: where they do not broadcast.
    """
    rank = max(map(len, shapes), default=0)
    rows = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple(_together(sizes, shapes) for sizes in zip(*rows, strict=True))


def _together(sizes: Any, shapes: Any) -> int | None:
    others = {size for size in sizes if size != 1}
    known = others - {None}
    if len(known) > 1:
        raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
    return next(iter(known or others), 1)


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """The arrays in the shape that they broadcast to together."""
    made = list(map(array, arrays))
    if not made:
        return ()
    shape = ops.shape(made[0])
    for other in made[1:]:
        shape = ops.broadcast_dynamic_shape(shape, ops.shape(other))
    return tuple(ops.broadcast_to(a, shape) for a in made)


def broadcast_to(x: Any, /, shape: Any) -> Any:
    """The array in a shape that it broadcasts to."""
    return ops.broadcast_to(array(x), sizes_of(shape))


def concat(arrays: Any, /, *, axis: int | None = 0) -> Any:
    """The arrays one behind the other along an axis; without one, all their elements in a row."""
    made = promoted(*arrays)
    if axis is None:
        made, axis = [ops.reshape(a, [-1]) for a in made], 0
    return ops.concat(made, axis)


def expand_dims(x: Any, /, axis: Any) -> Any:
    """The array with new axes of size 1, at these places of the result."""
    x = array(x)
    several = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    for place in sorted(
        listed_axes(several, rank_of(x, "expand_dims") + len(several), "expand_dims")
    ):
        x = ops.expand_dims(x, place)
    return x


def flip(x: Any, /, *, axis: Any = None) -> Any:
    """The elements in reverse order along axes, all by default."""
    x = array(x)
    rank = rank_of(x, "flip")
    axes = list(range(rank)) if axis is None else listed_axes(axis, rank, "flip")
    return ops.reverse(x, axes) if axes else x


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """The array with axes moved to other places, the rest in order."""
    return arrangement.moveaxis(x, arrays.axes_of(source), arrays.axes_of(destination))


def permute_dims(x: Any, /, axes: Any) -> Any:
    """The axes in another order."""
    return ops.transpose(array(x), list(axes))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    """Each element so often along an axis; without one, of all elements in a row."""
    if isinstance(repeats, _core.Tensor):
        repeats = ops.cast(repeats, int64)
    return rearranging.repeat(x, repeats, axis)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """The elements in another shape, one size of which may be -1.

    Arrays do not change, so that ``copy`` makes no difference.
    """
    return ops.reshape(array(x), sizes_of(shape))


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    """The elements moved along axes, those beyond the end to the beginning."""
    return rearranging.roll(x, shift, axis)


def squeeze(x: Any, /, axis: Any) -> Any:
    """The array without these axes, which have size 1.

    Raises:
      ValueError: for an axis of another size.
    """
    x = array(x)
    axes = listed_axes(axis, rank_of(x, "squeeze"), "squeeze")
    if any(x.shape[a] not in (1, None) for a in axes):
        raise ValueError(f"squeeze: axis {shown(axis)} of shape {x.shape} is not of size 1")
    return ops.squeeze(x, axes) if axes else x


def stack(arrays: Any, /, *, axis: int = 0) -> Any:
    """The arrays along a new axis."""
    return ops.stack(promoted(*arrays), axis)


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """The elements at these places along an axis, which a vector alone may leave out.

    Raises:
      ValueError: for an array of more axes without ``axis``.
    """
    x, indices = array(x), ops.cast(array(indices), int64)
    rank = rank_of(x, "take")
    if axis is None and rank != 1:
        raise ValueError(f"take needs an axis for an array of shape {x.shape}")
    (place,) = listed_axes(0 if axis is None else axis, rank, "take")
    size = ops.shape(x, int64)[place]
    return ops.gather(x, ops.where(indices < 0, indices + size, indices), axis=place)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """The elements along an axis at the places that ``indices`` says for each row."""
    return arrangement.take_along_axis(array(x), array(indices), axis)


def tile(x: Any, repetitions: Any, /) -> Any:
    """The whole array so often along each axis."""
    return rearranging.tile(x, repetitions)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts of an array along an axis."""
    return tuple(ops.unstack(array(x), axis=axis))
