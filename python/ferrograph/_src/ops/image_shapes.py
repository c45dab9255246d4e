"""Flips, turns, crops and paddings of images.

An image is ``[height, width, channels]``; stacks of images have an axis more in front.
"""

from __future__ import annotations

import builtins
from typing import Any

from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    emit,
    executing_eagerly,
    float64,
    int32,
    is_tensor,
    known_size,
    refined,
    static_value,
)
from ._dispatch import told
from ._numbers import whole
from .arithmetic import floordiv, maximum, minimum
from .arrays import concat, pad, reshape, reverse, shape
from .arrays import transpose as transposed
from .creation import range
from .debug import assert_greater_equal, assert_rank_at_least, assert_rank_in
from .numeric import cast
from .selection import gather, slice, where

__all__ = ["at_least", "image_of", "images_of", "size_of"]


def image_of(image: TensorLike, what: str = "image") -> Tensor:
    """An image or a stack of images as a tensor.

    Raises:
      ValueError: where it has another rank than 3 or 4.
    """
    image = convert(image)
    if image.ndim not in (3, 4, None):
        raise ValueError(f"'{what}' (shape {image.shape}) must have either 3 or 4 dimensions.")
    if image.ndim is None:
        assert_rank_in(image, (3, 4), f"'{what}' must have either 3 or 4 dimensions.")
    return image


def images_of(image: TensorLike, what: str = "image") -> Tensor:
    """What has images in its last three axes, as a tensor.

    Raises:
      ValueError: where it has fewer axes.
    """
    image = convert(image)
    if image.ndim is not None and image.ndim < 3:
        raise ValueError(f"'{what}' (shape {image.shape}) must be at least three-dimensional.")
    if image.ndim is None:
        assert_rank_at_least(image, 3, f"'{what}' must be at least three-dimensional.")
    return image


def size_of(image: Tensor) -> tuple[Any, Any]:
    """Height and width: numbers where they are known, else scalar tensors."""
    height, width = (known_size(image, axis) for axis in (-3, -2))
    if height is None or width is None:
        sizes = shape(image)
        height = sizes[-3] if height is None else height
        width = sizes[-2] if width is None else width
    return height, width


def at_least(size: Any, bound: int, text: str) -> Any:
    """``size``, which must not be less: a number now, a tensor when run.

    Raises:
      ValueError: where a known size is less.
      InvalidArgumentError: where one is, when run, that was not known while tracing.
    """
    if not is_tensor(size):
        if size < bound:
            raise ValueError(text)
        return size
    if not executing_eagerly():
        assert_greater_equal(size, bound, text)
    elif int(size) < bound:
        raise ValueError(text)
    return size


def _known(value: TensorLike) -> Any:
    """An integer where it is known, else a scalar tensor of int32."""
    if isinstance(value, int):
        return value
    if is_tensor(value) and value.shape.rank in (None, 0) and static_value(value) is None:
        return cast(value, int32)
    return whole(value, "a size or count of an image", ValueError)


@public("image.flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """Images mirrored, left to right.

    >>> fg.image.flip_left_right([[[1], [2]], [[3], [4]]]).numpy()[..., 0]
    array([[2, 1],
           [4, 3]], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    return reverse(image_of(image), [-2])


@public("image.flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """Images upside down, mirrored.

    >>> fg.image.flip_up_down([[[1], [2]], [[3], [4]]]).numpy()[..., 0]
    array([[3, 4],
           [1, 2]], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    return reverse(image_of(image), [-3])


def _swapped(image: Tensor) -> Tensor:
    if image.ndim is None:
        order = range(emit("Rank", (image,), None, None))
        turned = concat([order[:-3], [order[-2], order[-3], order[-1]]], 0)
        return transposed(image, turned)
    at = image.ndim - 3
    return transposed(image, [*builtins.range(at), at + 1, at, at + 2])


@public("image.transpose")
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows for columns.

    >>> fg.image.transpose([[[1], [2]], [[3], [4]]]).numpy()[..., 0]
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      name: not used.

    Returns:
      A tensor of the dtype of ``image``: ``[..., width, height, channels]``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    return _swapped(image_of(image))


@public("image.rot90")
def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Images turned by ``k`` quarters, against the clock.

    >>> fg.image.rot90([[[1], [2]], [[3], [4]]]).numpy()[..., 0]
    array([[2, 4],
           [1, 3]], dtype=int32)

    Args:
      image: an image, or a stack of images.
      k: how many quarters, a scalar.
      name: a name for the operation.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    image, k = image_of(image), _known(k)
    if is_tensor(k):
        return _turned(image, k % 4)
    k %= 4
    if k == 1:
        return _swapped(reverse(image, [-2]))
    if k == 2:
        return reverse(image, [-3, -2])
    return reverse(_swapped(image), [-2]) if k == 3 else image


def _turned(image: Tensor, k: Tensor) -> Tensor:
    """Images turned by as many quarters as a tensor says: each pixel is gathered from its place."""
    height, width = size_of(image)
    sizes = shape(image)
    is_swapped, is_back = (k % 2) == 1, k >= 2
    rows, columns = where(is_swapped, width, height), where(is_swapped, height, width)
    y, x = range(rows)[:, None], range(columns)[None, :]
    y, x = where(is_back, rows - 1 - y, y), where(is_back, columns - 1 - x, x)
    from_y, from_x = where(is_swapped, x, y), where(is_swapped, width - 1 - y, x)
    lead, channels = sizes[:-3], sizes[-1:]
    pixels = reshape(image, concat([lead, [height * width], channels], 0))
    places = reshape(from_y * width + from_x, [-1])
    out = gather(pixels, places, axis=-2)
    return _ranked(reshape(out, concat([lead, [rows, columns], channels], 0)), image)


def _ranked(out: Tensor, like: Tensor) -> Tensor:
    """``out`` with what is known of the axes of ``like`` but height and width."""
    if like.ndim is None:
        return out
    known = like.shape.as_list()
    known[-3:-1] = [None, None]
    out.set_shape(known)
    return out


@public("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The part of images that begins at an offset and has this height and width.

    >>> image = fg.reshape(fg.range(6), [2, 3, 1])
    >>> fg.image.crop_to_bounding_box(image, 0, 1, 2, 2).numpy()[..., 0]
    array([[1, 2],
           [4, 5]], dtype=int32)

    Args:
      image: an image, or a stack of images.
      offset_height: the first row of the part.
      offset_width: the first column of the part.
      target_height: how many rows it has.
      target_width: how many columns it has.

    Raises:
      ValueError: where the part does not lie within the image, or there is none;
        InvalidArgumentError where that is seen when run.
    """
    image = image_of(image)
    top, left, rows, columns = map(
        _known, (offset_height, offset_width, target_height, target_width)
    )
    height, width = size_of(image)
    at_least(top, 0, "offset_height must be >= 0.")
    at_least(left, 0, "offset_width must be >= 0.")
    at_least(rows, 1, "target_height must be > 0.")
    at_least(columns, 1, "target_width must be > 0.")
    at_least(height - (top + rows), 0, _beyond("height", height, rows, top))
    at_least(width - (left + columns), 0, _beyond("width", width, columns, left))
    if image.ndim is None:
        return _cropped(image, top, left, rows, columns)
    lead = [0] * (image.ndim - 3)
    out = slice(image, [*lead, top, left, 0], [*(-1 for _ in lead), rows, columns, -1])
    *before, _, _, channels = image.shape.as_list()
    return refined(out, *before, rows, columns, channels)


def _beyond(what: str, size: Any, target: Any, offset: Any) -> str:
    """What is said of a part that ends beyond its image."""
    numbers = (size, target, offset)
    shown = "" if any(map(is_tensor, numbers)) else f" Got {size} < {target} + {offset}."
    return f"{what} must be >= target + offset.{shown}"


def _cropped(image: Tensor, top: Any, left: Any, rows: Any, columns: Any) -> Tensor:
    """A part of images of unknown rank."""
    before = shape(image)[:-3]
    begin = concat([before * 0, [top, left, 0]], 0)
    return slice(image, begin, concat([before * 0 - 1, [rows, columns, -1]], 0))


@public("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Images with rows and columns of zeros around, so that they have this height and width.

    >>> fg.image.pad_to_bounding_box([[[7]]], 0, 1, 2, 3).numpy()[..., 0]
    array([[0, 7, 0],
           [0, 0, 0]], dtype=int32)

    Args:
      image: an image, or a stack of images.
      offset_height: how many rows come before.
      offset_width: how many columns come before.
      target_height: how many rows there are then.
      target_width: how many columns there are then.

    Raises:
      ValueError: where the image does not fit; InvalidArgumentError where that is seen when run.
    """
    image = image_of(image)
    top, left, rows, columns = map(
        _known, (offset_height, offset_width, target_height, target_width)
    )
    height, width = size_of(image)
    at_least(top, 0, "offset_height must be >= 0")
    at_least(left, 0, "offset_width must be >= 0")
    below = at_least(rows - top - height, 0, "height must be <= target - offset")
    right = at_least(columns - left - width, 0, "width must be <= target - offset")
    out = _padded(image, top, below, left, right)
    if image.ndim is None:
        return out
    *lead, _, _, channels = image.shape.as_list()
    return refined(out, *lead, rows, columns, channels)


def _padded(image: Tensor, top: Any, below: Any, left: Any, right: Any) -> Tensor:
    inner = [[top, below], [left, right], [0, 0]]
    if image.ndim is None:
        before = shape(image)[:-3, None] * [[0, 0]]
        return pad(image, concat([before, inner], 0))
    return pad(image, [*([0, 0] for _ in builtins.range(image.ndim - 3)), *inner])


@public("image.central_crop")
@told
def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of images, of this fraction of height and width.

    >>> fg.image.central_crop(fg.reshape(fg.range(16), [4, 4, 1]), 0.5).numpy()[..., 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=int32)

    Args:
      image: an image, or a stack of images.
      central_fraction: a number above 0, at most 1.

    Raises:
      ValueError: for another fraction, or where ``image`` has another rank than 3 or 4.
    """
    if central_fraction is None:
        raise TypeError("central_crop: central_fraction must be a number, got None")
    fraction = static_value(central_fraction)
    if fraction is not None and not 0.0 < float(fraction) <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    if fraction is not None and float(fraction) == 1.0:
        return image if is_tensor(image) else convert(image)
    image = image_of(image)
    if fraction is None:
        central_fraction = cast(central_fraction, float64)
    begins = [_margin(n, central_fraction, fraction) for n in size_of(image)]
    sizes = [n - 2 * begin for n, begin in zip(size_of(image), begins, strict=True)]
    if image.ndim is None:
        return _cropped(image, *begins, *sizes)
    lead = [0] * (image.ndim - 3)
    return slice(image, [*lead, *begins, 0], [*(-1 for _ in lead), *sizes, -1])


def _margin(size: Any, fraction: Any, known: Any) -> Any:
    """How much is cut off at either end."""
    if known is not None and not is_tensor(size):
        return int((size - size * float(known)) / 2)
    whole = cast(size, float64)
    return cast((whole - whole * fraction) / 2.0, int32)


@public("image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> Tensor:
    """Images cut in the middle or with zeros around, so that they have another height and width.

    >>> fg.image.resize_with_crop_or_pad([[[1], [2], [3]]], 2, 1).numpy()[..., 0]
    array([[2],
           [0]], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      target_height: the height, a scalar of integers, above 0.
      target_width: the width, likewise.

    Returns:
      A tensor of the dtype of ``image``, of this height and width.

    Raises:
      ValueError: where a size is not positive or no integer, or ``image`` has another rank than 3
        or 4; InvalidArgumentError where that is seen when run.
    """
    image = image_of(image)
    rows, columns = _known(target_height), _known(target_width)
    at_least(rows, 1, "target_height must be > 0.")
    at_least(columns, 1, "target_width must be > 0.")
    (top, above), (left, before) = (
        _moved(target, size) for target, size in zip((rows, columns), size_of(image), strict=True)
    )
    height, width = size_of(image)
    inner = crop_to_bounding_box(image, top, left, _least(rows, height), _least(columns, width))
    return pad_to_bounding_box(inner, above, before, rows, columns)


def _moved(target: Any, size: Any) -> tuple[Any, Any]:
    """How much is cut off in front, and how much is added there."""
    more = target - size
    if not is_tensor(more):
        return max(-more // 2, 0), max(more // 2, 0)
    return maximum(floordiv(-more, 2), 0), maximum(floordiv(more, 2), 0)


def _least(a: Any, b: Any) -> Any:
    return minimum(a, b) if is_tensor(a) or is_tensor(b) else min(a, b)
