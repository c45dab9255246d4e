"""``raw_ops``: operations called by kernel name with keywords, as libraries use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import ops
from ..control_flow.functional import foldl
from ..native import _core
from ..ops._numbers import real, several
from ..ops._ranks import to_front
from ..ops.indexing import newaxis
from ..ops.segments import unsorted_segment_min
from ..ops.sorting import searchsorted, unique, unique_with_counts
from ..values import dtypes
from ..values.errors import shown
from ..values.public import public
from .raw_values import by_keyword

__all__ = ["Bucketize", "ImageProjectiveTransformV3", "UniqueV2", "UniqueWithCountsV2"]


class UniqueParts(NamedTuple):
    """The slices that differ, and which of them each slice is."""

    y: Any
    idx: Any


class CountedParts(NamedTuple):
    """The slices that differ, which of them each slice is, and how often each is there."""

    y: Any
    idx: Any
    count: Any


@public("raw_ops.Bucketize")
@by_keyword
def Bucketize(*, input: Any, boundaries: Sequence[float], name: str | None = None) -> Any:
    """In which of the intervals between sorted boundaries each number lies, int32.

    A number that is a boundary lies in the interval that begins there.

    >>> fg.raw_ops.Bucketize(input=[0.0, 10.0, 25.0], boundaries=[10.0, 20.0]).numpy()
    array([0, 1, 2], dtype=int32)

    Args:
      input: numbers: int32, int64, float32 or float64.
      boundaries: Python floats, in order.
      name: a name for the operation.

    Raises:
      ValueError: for boundaries that are not in order.
    """
    what = "Bucketize: boundaries"
    limits = [real(b, what) for b in several(boundaries, what)]
    if sorted(limits) != limits:
        raise ValueError(f"boundaries must be in order, got {limits}")
    x = _core.convert_to_tensor(input)
    if x.dtype.is_integer:
        x = ops.cast(x, dtypes.float32)
    edges = ops.cast(_core.convert_to_tensor(limits, dtypes.float32), x.dtype)
    places = searchsorted(edges, ops.reshape(x, [-1]), side="right")
    return ops.reshape(places, ops.shape(x), name=name)


@public("raw_ops.UniqueV2")
@by_keyword
def UniqueV2(*, x: Any, axis: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The slices along an axis that differ, in the order in which they first come.

    >>> found = fg.raw_ops.UniqueV2(x=[[1, 2], [3, 4], [1, 2]], axis=[0])
    >>> found.y.numpy().tolist(), found.idx.numpy().tolist()
    ([[1, 2], [3, 4]], [0, 1, 0])

    Args:
      x: a tensor.
      axis: the axis, in a list; an empty one for a vector's.
      out_idx: the dtype of the positions.
      name: a name for the operation.
    """
    y, idx, _ = _unique_slices(x, axis, out_idx)
    return UniqueParts(y, idx)


@public("raw_ops.UniqueWithCountsV2")
@by_keyword
def UniqueWithCountsV2(
    *, x: Any, axis: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> Any:
    """As ``UniqueV2``, with how often each slice is there.

    >>> found = fg.raw_ops.UniqueWithCountsV2(x=[[1, 2], [3, 4], [1, 2]], axis=[0])
    >>> found.count.numpy().tolist()
    [2, 1]

    Args:
      x: a tensor.
      axis: the axis, in a list; an empty one for a vector's.
      out_idx: the dtype of the positions and counts.
      name: a name for the operation.
    """
    return CountedParts(*_unique_slices(x, axis, out_idx))


def _unique_slices(x: Any, axis: Any, out_idx: Any) -> tuple[Any, ...]:
    x = _core.convert_to_tensor(x)
    axes = _core.convert_to_tensor(axis, dtypes.int64)._constant_value()
    if axes is None or axes.numpy().size > 1:
        raise ValueError(f"axis must be known, a list of one number or of none, got {shown(axis)}")
    at = int(axes.numpy()[0]) if axes.numpy().size else 0
    at = at if x.shape.rank is None else at % x.shape.rank
    order, _ = to_front(x, [at])
    sizes = ops.gather(ops.shape(x), order)
    rows = ops.reshape(ops.transpose(x, order), [sizes[0], ops.reduce_prod(sizes[1:])])
    _, idx, count = unique_with_counts(_numbered(rows), out_idx)
    first = unsorted_segment_min(
        ops.range(ops.shape(rows)[0]), ops.cast(idx, dtypes.int32), ops.size(count)
    )
    return ops.gather(x, first, axis=at), idx, count


def _numbered(rows: Any) -> Any:
    """A number for each row of a matrix, the same for equal rows alone."""
    n = ops.cast(ops.shape(rows)[0], dtypes.int64)
    start = ops.zeros([ops.shape(rows)[0]], dtypes.int64)

    def told_apart(known: Any, column: Any) -> Any:
        number = unique(column, dtypes.int64)[1]
        return ops.ensure_shape(unique(known * n + number, dtypes.int64)[1], start.shape)

    return foldl(told_apart, ops.transpose(rows), start)


@public("raw_ops.ImageProjectiveTransformV3")
@by_keyword
def ImageProjectiveTransformV3(
    *,
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Any:
    """Images seen through projections.

    The pixel at (x, y) of the output is that of the image at
    ``((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`` with ``k = c0 x + c1 y + 1``.

    >>> image = fg.reshape(fg.range(4.0), [1, 2, 2, 1])
    >>> moved = fg.raw_ops.ImageProjectiveTransformV3(
    ...     images=image, transforms=[[1.0, 0, 1, 0, 1, 0, 0, 0]], output_shape=[2, 2],
    ...     fill_value=9.0, interpolation='NEAREST')
    >>> moved[0, :, :, 0].numpy()
    array([[1., 9.],
           [3., 9.]], dtype=float32)

    Args:
      images: ``[batch, height, width, channels]``.
      transforms: float32 ``[batch, 8]``, or ``[1, 8]`` for all: a0, a1, a2, b0, b1, b2, c0, c1.
      output_shape: the height and width of the output.
      fill_value: what lies outside, where the mode is ``"CONSTANT"``.
      interpolation: ``"NEAREST"`` or ``"BILINEAR"``.
      fill_mode: what lies outside: ``"CONSTANT"``; ``"REFLECT"``, the image mirrored; ``"WRAP"``,
        the image again; ``"NEAREST"``, its border.
      name: a name for the operation.

    Raises:
      ValueError: for another way of interpolation or mode.
    """
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise ValueError(
            f"interpolation must be 'NEAREST' or 'BILINEAR', got {shown(interpolation)}"
        )
    if fill_mode not in _MODES:
        raise ValueError(f"fill_mode must be one of {', '.join(_MODES)}, got {shown(fill_mode)}")
    images = _core.convert_to_tensor(images)
    size = ops.shape(images)[1:3]
    x, y, is_seen = _seen_from(_core.convert_to_tensor(transforms, dtypes.float32), output_shape)
    y, x = _MODES[fill_mode](y, size[0]), _MODES[fill_mode](x, size[1])
    fill = ops.cast(fill_value, dtypes.float32)
    if interpolation == "NEAREST":
        found = _pixels(images, _rounded(y), _rounded(x), fill)
    else:
        found = _between(images, y, x, fill)
    found = ops.where(is_seen[..., newaxis], found, fill)
    found = ops.cast(found, images.dtype)
    known = _core.convert_to_tensor(output_shape, dtypes.int32)._constant_value()
    sizes = [None, None] if known is None else known.numpy().tolist()
    return ops.ensure_shape(found, [images.shape[0], *sizes, images.shape[3]], name)


def _seen_from(transforms: Any, output_shape: Any) -> tuple[Any, ...]:
    """For each pixel of the output, which place of the image it shows, and whether any."""
    output_shape = _core.convert_to_tensor(output_shape, dtypes.int32)
    across = ops.cast(ops.range(output_shape[1]), dtypes.float32)
    down = ops.cast(ops.range(output_shape[0]), dtypes.float32)[:, newaxis]
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, newaxis, newaxis] for i in range(8))
    scale = c0 * across + c1 * down + 1.0
    is_seen = scale != 0.0
    scale = ops.where(is_seen, scale, 1.0)
    x = (a0 * across + a1 * down + a2) / scale
    return x, (b0 * across + b1 * down + b2) / scale, is_seen


def _rounded(at: Any) -> Any:
    """The nearest integers, halves away from zero."""
    return ops.sign(at) * ops.floor(ops.abs(at) + 0.5)


def _pixels(images: Any, y: Any, x: Any, fill: Any) -> Any:
    """The pixels at whole numbers, as float32; ``fill`` outside."""
    size = ops.cast(ops.shape(images)[1:3], dtypes.float32)
    is_inside = (y >= 0.0) & (y < size[0]) & (x >= 0.0) & (x < size[1])
    shape = [ops.shape(images)[0], *(ops.shape(x)[i] for i in (1, 2))]
    y, x = (ops.broadcast_to(ops.where(is_inside, v, 0.0), shape) for v in (y, x))
    places = ops.stack([ops.cast(y, dtypes.int32), ops.cast(x, dtypes.int32)], -1)
    found = ops.gather_nd(ops.cast(images, dtypes.float32), places, batch_dims=1)
    return ops.where(is_inside[..., newaxis], found, fill)


def _between(images: Any, y: Any, x: Any, fill: Any) -> Any:
    """The pixels between whole numbers, from the four around."""
    y0, x0 = ops.floor(y), ops.floor(x)
    y1, x1 = y0 + 1.0, x0 + 1.0

    def along(row: Any) -> Any:
        left, right = _pixels(images, row, x0, fill), _pixels(images, row, x1, fill)
        return (x1 - x)[..., newaxis] * left + (x - x0)[..., newaxis] * right

    return (y1 - y)[..., newaxis] * along(y0) + (y - y0)[..., newaxis] * along(y1)


def _whole(value: Any) -> Any:
    """Towards zero."""
    return ops.sign(value) * ops.floor(ops.abs(value))


def _mirrored(at: Any, size: Any) -> Any:
    n = ops.cast(size, dtypes.float32)
    period = 2.0 * n
    below = period * _whole(-at / period) + at
    below = ops.where(below < -n, below + period, -below - 1.0)
    above = at - period * _whole(at / period)
    above = ops.where(above >= n, period - above - 1.0, above)
    return _clamped(ops.where(at < 0.0, below, ops.where(at > n - 1.0, above, at)), size)


def _again(at: Any, size: Any) -> Any:
    n = ops.cast(size, dtypes.float32)
    last = ops.maximum(n - 1.0, 1.0)
    below = at + n * (_whole(-at / last) + 1.0)
    above = at - n * _whole(at / last)
    return _clamped(ops.where(at < 0.0, below, ops.where(at > n - 1.0, above, at)), size)


def _clamped(at: Any, size: Any) -> Any:
    return ops.clip_by_value(at, 0.0, ops.cast(size, dtypes.float32) - 1.0)


# Where a place outside of an image lies in it.
_MODES = {
    "CONSTANT": lambda at, size: at,
    "REFLECT": _mirrored,
    "WRAP": _again,
    "NEAREST": _clamped,
}
