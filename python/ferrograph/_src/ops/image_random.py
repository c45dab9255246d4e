"""Images changed at random, to train on more of them than there are.

The functions named ``stateless_...`` take a seed of two integers and give the same for the same
seed; the others draw from the global seed and their own (``random.set_seed``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..context.hooks import hooks
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    convert_pair,
    emit,
    float32,
    int32,
    is_tensor,
    known_size,
    refusal,
    static_value,
)
from ._dispatch import told
from ._numbers import int32_of, real, whole
from ._ranks import of_rank
from .arithmetic import equal, floormod
from .arrays import reshape, reverse, shape
from .debug import Assert
from .image_codecs import adjust_jpeg_quality
from .image_colors import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from .image_shapes import image_of
from .numeric import cast
from .random_ops import stateless_uniform, uniform
from .reductions import reduce_all
from .selection import slice, where

__all__: list[str] = []

# Draws numbers of a shape between two bounds, as the bounds say of int32 or float32.
Draw = Callable[[Any, Any, Any], Tensor]


def _stateful(seed: Any) -> Draw:
    return lambda sizes, low, high: uniform(sizes, low, high, dtype=_dtype(low), seed=seed)


def _stateless(seed: Any) -> Draw:
    return lambda sizes, low, high: stateless_uniform(
        sizes, seed, minval=low, maxval=high, dtype=_dtype(low)
    )


def _dtype(bound: Any) -> Any:
    return int32 if isinstance(bound, int) else float32


def _flipped(image: TensorLike, axis: int, draw: Draw) -> Tensor:
    image = image_of(image)
    if image.ndim is None:
        is_one = equal(emit("Rank", (image,), None, None), 3)
        one, several = (partial(_flipped_of, image, rank, axis, draw) for rank in (3, 4))
        return hooks.cond(is_one, one, several)
    other = reverse(image, [axis])
    if image.ndim == 3:
        return where(draw([], 0.0, 1.0) < 0.5, other, image)
    size = known_size(image, 0)
    drawn = draw([shape(image)[0] if size is None else size], 0.0, 1.0)
    return where(reshape(drawn, [-1, 1, 1, 1]) < 0.5, image, other)


def _flipped_of(image: Any, rank: int, axis: int, draw: Draw) -> Tensor:
    return _flipped(of_rank(image, rank), axis, draw)


def _bound(value: Any, what: str) -> float | None:
    """A bound where it is known."""
    if is_tensor(value) and static_value(value) is None:
        return None
    return real(value, f"the bound {what!r}")


def _between(lower: Any, upper: Any, least: float | None = None) -> tuple[Any, Any]:
    """Bounds of a factor.

    Raises:
      ValueError: where they are not in order, or less than ``least``.
    """
    low, high = (_bound(v, what) for v, what in ((lower, "lower"), (upper, "upper")))
    if low is not None and high is not None and float(high) <= float(low):
        raise ValueError(f"upper must be > lower, got {high} and {low}")
    if low is None or high is None:
        lower, upper = (of_rank(bound, 0) for bound in convert_pair(lower, upper))
        Assert(upper > lower, ["upper must be > lower, got", upper, lower])
    if least is not None and low is not None and float(low) < least:
        raise ValueError("lower must be non-negative.")
    return lower if is_tensor(lower) else float(lower), upper if is_tensor(upper) else float(upper)


def _around(most: Any, least: float = 0.0, limit: float | None = None) -> tuple[Any, Any]:
    """Bounds of a difference of at most ``most``.

    Raises:
      ValueError: where that is negative, or more than ``limit``.
    """
    known = static_value(most)
    known = None if is_tensor(most) and known is None else real(most, "max_delta", ValueError)
    if known is not None and float(known) < least:
        raise ValueError("max_delta must be non-negative.")
    if known is not None and limit is not None and float(known) > limit:
        raise ValueError(f"max_delta must be <= {limit}.")
    if known is None:
        most = cast(of_rank(most, 0), float32)
        Assert(most >= least, ["max_delta must be non-negative, got", most])
        if limit is not None:
            Assert(most <= limit, [f"max_delta must be <= {limit}, got", most])
    most = most if is_tensor(most) else float(most)
    return -most, most


def _qualities(lowest: int, highest: int) -> tuple[int, int]:
    lowest, highest = whole(lowest, "min_jpeg_quality"), whole(highest, "max_jpeg_quality")
    if not 0 <= lowest <= 100 or not 0 <= highest <= 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if lowest >= highest:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return int(lowest), int(highest)


@public("image.random_flip_left_right")
@told
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images mirrored, left to right, or not, each as likely.

    >>> fg.image.random_flip_left_right([[[1], [1]]], seed=3).numpy().ravel()
    array([1, 1], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    return _flipped(image, -2, _stateful(seed))


@public("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Images mirrored, left to right, or not, as a seed says.

    >>> fg.image.stateless_random_flip_left_right([[[1], [1]]], (1, 2)).numpy().ravel()
    array([1, 1], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return _flipped(image, -2, _stateless(seed))


@public("image.random_flip_up_down")
@told
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images upside down, mirrored, or not, each as likely.

    >>> fg.image.random_flip_up_down([[[1]], [[1]]], seed=3).numpy().ravel()
    array([1, 1], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
    """
    return _flipped(image, -3, _stateful(seed))


@public("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Images upside down, mirrored, or not, as a seed says.

    >>> fg.image.stateless_random_flip_up_down([[[1]], [[1]]], (1, 2)).numpy().ravel()
    array([1, 1], dtype=int32)

    Args:
      image: an image or a stack of images, or what converts to one, of any dtype:
        ``[height, width, channels]``, or with an axis more in front.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``image`` has another rank than 3 or 4.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return _flipped(image, -3, _stateless(seed))


@public("image.random_brightness")
@told
def random_brightness(image: TensorLike, max_delta: Any, seed: int | None = None) -> Tensor:
    """Images as ``adjust_brightness`` makes them, by up to some number more or less.

    >>> fg.image.random_brightness([0.5], 0.0).numpy()
    array([0.5], dtype=float32)

    Args:
      image: a tensor of real numbers, or what converts to one; of any shape. Integers are scaled to
        floats and back.
      max_delta: by how much more or less at most, a number that is not negative.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``max_delta`` is negative or no number.
      TypeError: for another dtype.
    """
    return adjust_brightness(image, _stateful(seed)([], *_around(max_delta)))


@public("image.stateless_random_brightness")
def stateless_random_brightness(image: TensorLike, max_delta: Any, seed: TensorLike) -> Tensor:
    """Images as ``random_brightness`` makes them, as a seed of two integers says.

    >>> fg.image.stateless_random_brightness([0.5], 0.0, (1, 2)).numpy()
    array([0.5], dtype=float32)

    Args:
      image: a tensor of real numbers, or what converts to one; of any shape. Integers are scaled to
        floats and back.
      max_delta: by how much more or less at most, a number that is not negative.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``max_delta`` is negative or no number.
      TypeError: for another dtype.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return adjust_brightness(image, _stateless(seed)([], *_around(max_delta)))


@public("image.random_contrast")
@told
def random_contrast(image: TensorLike, lower: Any, upper: Any, seed: int | None = None) -> Tensor:
    """Images as ``adjust_contrast`` makes them, by a factor between two bounds.

    >>> fg.image.random_contrast([[[2.0], [2.0]]], 0.5, 1.5).numpy().ravel()
    array([2., 2.], dtype=float32)

    Args:
      image: images, or what converts to them, of real numbers: ``[..., height, width, channels]``.
        Integers are scaled to floats and back.
      lower: the least factor, a number that is not negative.
      upper: the largest factor, a larger number.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``lower`` is negative, ``upper`` not more, or the rank below 3.
      TypeError: for another dtype, and where a bound is no number.
    """
    return adjust_contrast(image, _stateful(seed)([], *_between(lower, upper, 0.0)))


@public("image.stateless_random_contrast")
def stateless_random_contrast(
    image: TensorLike, lower: Any, upper: Any, seed: TensorLike
) -> Tensor:
    """Images as ``random_contrast`` makes them, as a seed of two integers says.

    >>> fg.image.stateless_random_contrast([[[2.0], [2.0]]], 0.5, 1.5, (1, 2)).numpy().ravel()
    array([2., 2.], dtype=float32)

    Args:
      image: images, or what converts to them, of real numbers: ``[..., height, width, channels]``.
        Integers are scaled to floats and back.
      lower: the least factor, a number that is not negative.
      upper: the largest factor, a larger number.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``lower`` is negative, ``upper`` not more, or the rank below 3.
      TypeError: for another dtype, and where a bound is no number.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return adjust_contrast(image, _stateless(seed)([], *_between(lower, upper, 0.0)))


@public("image.random_hue")
@told
def random_hue(image: TensorLike, max_delta: Any, seed: int | None = None) -> Tensor:
    """RGB images as ``adjust_hue`` makes them, by up to some number more or less.

    >>> fg.image.random_hue([[[0.5, 0.5, 0.5]]], 0.2).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)

    Args:
      image: RGB images, or what converts to them, of real numbers: ``[..., 3]``. Integers are
        scaled to floats and back.
      max_delta: by how much more or less at most, a number from 0 to 0.5.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``max_delta`` is negative, above 0.5 or no number.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
      TypeError: for another dtype.
    """
    return adjust_hue(image, _stateful(seed)([], *_around(max_delta, limit=0.5)))


@public("image.stateless_random_hue")
def stateless_random_hue(image: TensorLike, max_delta: Any, seed: TensorLike) -> Tensor:
    """RGB images as ``random_hue`` makes them, as a seed of two integers says.

    >>> fg.image.stateless_random_hue([[[0.5, 0.5, 0.5]]], 0.2, (1, 2)).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)

    Args:
      image: RGB images, or what converts to them, of real numbers: ``[..., 3]``. Integers are
        scaled to floats and back.
      max_delta: by how much more or less at most, a number from 0 to 0.5.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``max_delta`` is negative, above 0.5 or no number.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
      TypeError: for another dtype.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return adjust_hue(image, _stateless(seed)([], *_around(max_delta, limit=0.5)))


@public("image.random_saturation")
@told
def random_saturation(image: TensorLike, lower: Any, upper: Any, seed: int | None = None) -> Tensor:
    """RGB images as ``adjust_saturation`` makes them, by a factor between two bounds.

    >>> fg.image.random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 1.5).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)

    Args:
      image: RGB images, or what converts to them, of real numbers: ``[..., 3]``. Integers are
        scaled to floats and back.
      lower: the least factor, a number that is not negative.
      upper: the largest factor, a larger number.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``lower`` is negative, or ``upper`` not more.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
      TypeError: for another dtype, and where a bound is no number.
    """
    return adjust_saturation(image, _stateful(seed)([], *_between(lower, upper, 0.0)))


@public("image.stateless_random_saturation")
def stateless_random_saturation(
    image: TensorLike, lower: Any, upper: Any, seed: TensorLike = None
) -> Tensor:
    """RGB images as ``random_saturation`` makes them, as a seed of two integers says.

    >>> image = [[[0.5, 0.5, 0.5]]]
    >>> fg.image.stateless_random_saturation(image, 0.5, 1.5, (1, 2)).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)

    Args:
      image: RGB images, or what converts to them, of real numbers: ``[..., 3]``. Integers are
        scaled to floats and back.
      lower: the least factor, a number that is not negative.
      upper: the largest factor, a larger number.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one. It
        must be given.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where ``lower`` is negative, or ``upper`` not more.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
      TypeError: for another dtype, and where a bound is no number.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    return adjust_saturation(image, _stateless(seed)([], *_between(lower, upper, 0.0)))


@public("image.random_jpeg_quality")
@told
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """Images as ``adjust_jpeg_quality`` makes them, of a quality between two bounds.

    >>> fg.image.random_jpeg_quality(fg.zeros([8, 8, 3], fg.uint8), 75, 95).shape
    TensorShape([8, 8, 3])

    Args:
      image: an image, or what converts to one, of real numbers: ``[height, width, channels]`` of
        one or three channels.
      min_jpeg_quality: the least quality, an int from 0 on.
      max_jpeg_quality: the bound of the quality, which is left out, a larger int up to 100.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where the bounds are not from 0 to 100 and in order.
      TypeError: for another dtype, and where a bound is no integer.
      InvalidArgumentError: for another shape.
    """
    bounds = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, _stateful(seed)([], *bounds))


@public("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """Images as ``random_jpeg_quality`` makes them, as a seed of two integers says.

    >>> image = fg.zeros([8, 8, 3], fg.uint8)
    >>> fg.image.stateless_random_jpeg_quality(image, 75, 95, (1, 2)).shape
    TensorShape([8, 8, 3])

    Args:
      image: an image, or what converts to one, of real numbers: ``[height, width, channels]`` of
        one or three channels.
      min_jpeg_quality: the least quality, an int from 0 on.
      max_jpeg_quality: the bound of the quality, which is left out, a larger int up to 100.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.

    Returns:
      A tensor of the dtype and the shape of ``image``.

    Raises:
      ValueError: where the bounds are not from 0 to 100 and in order.
      TypeError: for another dtype, and where a bound is no integer.
      InvalidArgumentError: for another shape.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    bounds = _qualities(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, _stateless(seed)([], *bounds))


def _cropped(value: TensorLike, size: TensorLike, draw: Draw, name: Any) -> Tensor:
    value, size = convert(value), int32_of(size)
    sizes = shape(value)
    fits = static_value(reduce_all(sizes >= size))
    if fits is None:
        Assert(reduce_all(sizes >= size), ["Need value.shape >= size, got ", sizes, size])
    elif not fits:
        raise refusal(f"Need value.shape >= size, got {value.shape} and {size.shape}")
    drawn = draw(shape(sizes), 0, int32.max)
    return slice(value, floormod(drawn, sizes - size + 1), size, name)


@public("image.random_crop")
@told
def random_crop(
    value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A block of a tensor, from anywhere.

    >>> fg.image.random_crop(fg.zeros([4, 5, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])

    Args:
      value: a tensor, or what converts to one; of any dtype and shape.
      size: the size along each axis, a vector of integers.
      seed: a seed of the operation, an int; see ``random.set_seed``. None (the default) for the
        global seed alone.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``value`` and the shape ``size``.

    Raises:
      InvalidArgumentError: where the tensor is smaller; ValueError while tracing.
    """
    return _cropped(value, size, _stateful(seed), name)


@public("image.stateless_random_crop")
def stateless_random_crop(
    value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None
) -> Tensor:
    """A block of a tensor, from where a seed says.

    >>> fg.image.stateless_random_crop(fg.zeros([4, 5, 3]), [2, 2, 3], (1, 2)).shape
    TensorShape([2, 2, 3])

    Args:
      value: a tensor, or what converts to one; of any dtype and shape.
      size: the size along each axis, a vector of integers.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``value`` and the shape ``size``.

    Raises:
      InvalidArgumentError: where the tensor is smaller, or ``seed`` is no two integers; ValueError
        while tracing.
    """
    return _cropped(value, size, _stateless(seed), name)
