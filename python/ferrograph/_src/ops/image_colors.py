"""Colours of images: colour spaces, brightness and contrast, dtypes."""

from __future__ import annotations

from typing import Any

from ..values.dtypes import as_dtype, float16
from ..values.public import public
from ._base import Tensor, TensorLike, convert, float32, int32, refusal, static_value
from ._numbers import flag, real
from .arithmetic import floordiv, maximum, minimum, pow
from .arrays import (
    concat,
    ensure_shape,
    expand_dims,
    identity,
    reshape,
    shape,
    stack,
    tile,
    unstack,
)
from .creation import zeros
from .debug import assert_greater_equal
from .elementwise import abs, floor, rsqrt
from .image_shapes import images_of
from .numeric import cast, clip_by_value, saturate_cast
from .products import tensordot
from .reductions import reduce_mean, reduce_prod, reduce_std
from .selection import where

__all__ = ["as_floats", "back_from_floats"]

_GRAY = (0.2989, 0.5870, 0.1140)
_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_FROM_YIQ = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_FROM_YUV = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))


@public("image.convert_image_dtype")
def convert_image_dtype(
    image: TensorLike, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """An image of another dtype, scaled: floats are from 0 to 1, integers up to their largest.

    >>> pixels = fg.constant([0, 51, 255], fg.uint8)
    >>> fg.image.convert_image_dtype(pixels, fg.float32).numpy().round(4)
    array([0. , 0.2, 1. ], dtype=float32)

    Args:
      image: a tensor of any shape.
      dtype: the dtype of the result.
      saturate: whether what does not fit is the nearest that does.
      name: a name for the operation.

    Raises:
      AttributeError: where a dtype is neither of integers nor of floats.
    """
    image, dtype = convert(image), as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError(f"dtype must be either floating point or integer, got {dtype.name}")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError(
            f"image dtype must be either floating point or integer, got {image.dtype.name}"
        )
    if dtype == image.dtype:
        return identity(image, name)
    saturate = flag(saturate, "convert_image_dtype: saturate")
    into = saturate_cast if saturate else cast
    if image.dtype.is_integer and dtype.is_integer:
        return _between_integers(image, dtype, into, saturate, name)
    if image.dtype.is_integer:
        return cast(image, dtype) * (1.0 / image.dtype.max)
    if dtype.is_floating:
        return cast(image, dtype, name)
    return into(image * (dtype.max + 0.5), dtype, name)


def _between_integers(image: Tensor, dtype: Any, into: Any, saturate: bool, name: Any) -> Tensor:
    own, other = image.dtype.max, dtype.max
    if own > other:
        return into(floordiv(image, (own + 1) // (other + 1)), dtype, name)
    return into(image, dtype, name) * ((other + 1) // (own + 1))


def as_floats(image: TensorLike, kept: tuple[Any, ...] = (float16, float32)) -> tuple[Tensor, Any]:
    """An image as floats, and the dtype that it had."""
    image = convert(image)
    if image.dtype in kept:
        return image, image.dtype
    return convert_image_dtype(image, float32), image.dtype


def back_from_floats(image: Tensor, dtype: Any) -> Tensor:
    """What came of ``as_floats``, again of the dtype that the image had."""
    return convert_image_dtype(image, dtype, saturate=True)


@public("image.adjust_brightness")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """An image whose values, from 0 to 1, are all more by ``delta``.

    >>> fg.image.adjust_brightness([0.25, 0.5], 0.25).numpy()
    array([0.5 , 0.75], dtype=float32)

    Args:
      image: a tensor of any shape; integers are scaled to floats and back.
      delta: what is added, a scalar.
    """
    image = convert(image)
    if image.dtype.is_floating:
        return image + cast(delta, image.dtype)
    image, dtype = as_floats(image)
    return back_from_floats(image + cast(delta, float32), dtype)


@public("image.adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images whose distances from the mean of each channel are multiplied.

    >>> fg.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy()[0, :, 0]
    array([0., 4.], dtype=float32)

    Args:
      images: images in the last three axes.
      contrast_factor: a scalar.

    Raises:
      ValueError: where there are fewer axes.
    """
    images, dtype = as_floats(images_of(images, "images"))
    mean = reduce_mean(images, [-3, -2], keepdims=True)
    factor = cast(convert(contrast_factor, dtype_hint=float32), images.dtype)
    return back_from_floats((images - mean) * factor + mean, dtype)


@public("image.adjust_gamma")
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """``gain * image ** gamma`` of values from 0 to 1.

    >>> fg.image.adjust_gamma([0.5, 1.0], 2.0).numpy()
    array([0.25, 1.  ], dtype=float32)

    Args:
      image: a tensor of real numbers, or what converts to one; of any shape. Integers are scaled to
        floats and back.
      gamma: the power, a number that is not negative, or a tensor that broadcasts; 1 by default.
      gain: the factor, a number, or a tensor that broadcasts; 1 by default.

    Returns:
      A tensor of the dtype of ``image``.

    Raises:
      ValueError: where ``gamma`` is negative; InvalidArgumentError where that is seen when run.
      AttributeError: where ``image`` is of bools, complex numbers or strings.
    """
    image, dtype = as_floats(image)
    known = static_value(gamma)
    if known is not None and (least := real(gamma, "adjust_gamma: gamma")) < 0:
        raise ValueError(f"Gamma should be a non-negative real number, got {least}")
    if known is None:
        assert_greater_equal(gamma, cast(0, gamma.dtype), "Gamma should be a non-negative number.")
    gamma, gain = (cast(convert(x), image.dtype) for x in (gamma, gain))
    return back_from_floats(gain * pow(image, gamma), dtype)


@public("image.adjust_hue")
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """An RGB image whose hue, from 0 to 1 round the circle of colours, is more by ``delta``.

    >>> fg.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy()
    array([[[0., 1., 1.]]], dtype=float32)

    Args:
      image: channels in the last axis; integers are scaled to floats and back.
      delta: a scalar from -1 to 1.
      name: a name for the operation.

    Raises:
      ValueError: where ``delta`` is known and out of range, or there are not 3 channels
        (InvalidArgumentError when it runs).
    """
    known = static_value(delta)
    if known is not None and not -1 <= real(delta, "adjust_hue: delta", ValueError) <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {float(known)}")
    image, dtype = as_floats(image)
    red, green, blue = _channels(image)
    most = maximum(maximum(red, green), blue)
    least = minimum(minimum(red, green), blue)
    turn = _turn(red, green, blue, most, most - least) + 6.0 * cast(delta, image.dtype)
    turn = turn - 6.0 * floor(turn / 6.0)
    # The largest and the least channel stay what they are, whatever their signs.
    parts = [
        where(share >= 1, most, where(share <= 0, least, least + share * (most - least)))
        for share in _shares(turn)
    ]
    return back_from_floats(stack(parts, -1), dtype)


@public("image.adjust_saturation")
def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """An RGB image whose saturation is multiplied, and stays from 0 to 1.

    >>> fg.image.adjust_saturation([[[1.0, 0.0, 0.0]]], 0.5).numpy()
    array([[[1. , 0.5, 0.5]]], dtype=float32)

    Args:
      image: channels in the last axis; integers are scaled to floats and back.
      saturation_factor: a scalar.
      name: a name for the operation.

    Raises:
      ValueError: where there are not 3 channels; InvalidArgumentError when it runs.
    """
    image, dtype = as_floats(image)
    turn, saturation, value = _hsv(image)
    factor = cast(convert(saturation_factor, dtype_hint=float32), image.dtype)
    saturation = clip_by_value(saturation * factor, 0.0, 1.0)
    return back_from_floats(_rgb(turn, saturation, value), dtype)


def _channels(images: Tensor) -> list[Tensor]:
    """The three channels of images."""
    if images.ndim == 0 or (images.ndim and images.shape[-1] not in (3, None)):
        raise refusal(f"images must have 3 channels in the last axis, got shape {images.shape}")
    if images.ndim is None or images.shape[-1] is None:
        images = reshape(images, concat([shape(images)[:-1], [3]], 0))
        return [images[..., i] for i in (0, 1, 2)]
    return unstack(images, axis=-1)


def _hsv(images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hue, from 0 to 6, saturation and value of RGB images."""
    red, green, blue = _channels(images)
    value = maximum(maximum(red, green), blue)
    spread = value - minimum(minimum(red, green), blue)
    is_dark = value <= 0
    turn = _turn(red, green, blue, value, spread)
    saturation = where(is_dark, value * 0, spread / where(is_dark, value * 0 + 1, value))
    return turn, saturation, value


def _turn(red: Tensor, green: Tensor, blue: Tensor, value: Tensor, spread: Tensor) -> Tensor:
    """The hue, from 0 to 6; ``value`` is the largest channel, ``spread`` how far the least is."""
    is_gray = spread <= 0
    step = where(is_gray, spread * 0 + 1, spread)
    turn = where(
        red >= value,
        (green - blue) / step,
        where(
            green >= value,
            (blue - red) / step + 2.0,
            (red - green) / step + 4.0,
        ),
    )
    return where(is_gray, turn * 0, where(turn < 0, turn + 6.0, turn))


def _rgb(turn: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """RGB images of hue, from 0 to 6, saturation and value."""
    gray = 1.0 - saturation
    return stack([(gray + saturation * share) * value for share in _shares(turn)], -1)


def _shares(turn: Tensor) -> list[Tensor]:
    """How far red, green and blue are from the least channel to the largest, from 0 to 1."""
    shares = (abs(turn - 3.0) - 1.0, 2.0 - abs(turn - 2.0), 2.0 - abs(turn - 4.0))
    return [clip_by_value(share, 0.0, 1.0) for share in shares]


def _float_images(images: TensorLike) -> Tensor:
    images = convert(images, dtype_hint=float32)
    if not images.dtype.is_floating:
        raise TypeError(f"images must be of floats, got {images.dtype.name}")
    return images


@public("image.rgb_to_hsv")
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value, from 0 to 1, of RGB images of floats.

    >>> fg.image.rgb_to_hsv([0.0, 0.5, 0.0]).numpy().round(2)
    array([0.33, 1.  , 0.5 ], dtype=float32)

    Args:
      images: red, green and blue in the last axis.
      name: a name for the operation.

    Raises:
      ValueError: where there are not 3 channels; InvalidArgumentError when it runs.
    """
    turn, saturation, value = _hsv(_float_images(images))
    return stack([turn / 6.0, saturation, value], -1)


@public("image.hsv_to_rgb")
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """RGB images of hue, saturation and value, from 0 to 1: back from ``rgb_to_hsv``.

    >>> fg.image.hsv_to_rgb([0.5, 1.0, 1.0]).numpy()
    array([0., 1., 1.], dtype=float32)

    Args:
      images: hue, saturation and value in the last axis.
      name: a name for the operation.

    Raises:
      ValueError: where there are not 3 channels; InvalidArgumentError when it runs.
    """
    hue, saturation, value = _channels(_float_images(images))
    return _rgb(hue * 6.0, saturation, value)


@public("image.rgb_to_grayscale")
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of one channel: how bright red, green and blue are together.

    >>> fg.image.rgb_to_grayscale([[[1.0, 1.0, 1.0]]]).numpy().round(3)
    array([[[1.]]], dtype=float32)

    Args:
      images: red, green and blue in the last axis; integers stay of their dtype.
      name: a name for the operation.
    """
    images = convert(images)
    dtype = images.dtype
    images = convert_image_dtype(images, float32)
    gray = expand_dims(tensordot(images, _GRAY, [[-1], [-1]]), -1)
    return convert_image_dtype(gray, dtype)


@public("image.grayscale_to_rgb")
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of three equal channels.

    >>> fg.image.grayscale_to_rgb([[[5]]]).numpy()
    array([[[5, 5, 5]]], dtype=int32)

    Args:
      images: one channel in the last axis.
      name: a name for the operation.

    Raises:
      ValueError: where there are more channels, or no axis; InvalidArgumentError where that is
        known only when it runs.
    """
    images = convert(images)
    if images.ndim == 0 or (images.ndim and images.shape[-1] not in (1, None)):
        raise ValueError(f"images must have 1 channel in the last axis, got shape {images.shape}")
    if images.ndim is None:
        images = reshape(images, concat([shape(images)[:-1], _one_channel(images)], 0))
        return tile(images, concat([shape(images)[:-1] * 0 + 1, [3]], 0))
    images = ensure_shape(images, [*([None] * (images.ndim - 1)), 1])
    return tile(images, [*([1] * (images.ndim - 1)), 3])


def _one_channel(images: Tensor) -> Tensor:
    """The size of the last axis as a vector, which is 1."""
    return ensure_shape(zeros(shape(images)[-1:], int32), [1]) + 1


def _mixed(images: TensorLike, matrix: Any) -> Tensor:
    """Images whose channels are sums of the channels."""
    images = _float_images(images)
    return tensordot(images, convert(matrix, images.dtype), [[-1], [0]])


@public("image.rgb_to_yiq")
def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Brightness, orange to blue, and green to purple, of RGB images of floats.

    >>> round(float(fg.image.rgb_to_yiq([[1.0, 1.0, 1.0]])[0, 0]), 3)
    1.0

    Args:
      images: a tensor of floats, or what converts to one: ``[..., 3]``.

    Returns:
      A tensor of the dtype and the shape of ``images``.

    Raises:
      TypeError: for another dtype.
      ValueError: for a scalar.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
    """
    return _mixed(images, _YIQ)


@public("image.yiq_to_rgb")
def yiq_to_rgb(images: TensorLike) -> Tensor:
    """RGB images of floats, back from ``rgb_to_yiq``.

    >>> fg.image.yiq_to_rgb([[0.5, 0.0, 0.0]]).numpy()
    array([[0.5, 0.5, 0.5]], dtype=float32)

    Args:
      images: a tensor of floats, or what converts to one: ``[..., 3]``.

    Returns:
      A tensor of the dtype and the shape of ``images``.

    Raises:
      TypeError: for another dtype.
      ValueError: for a scalar.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
    """
    return _mixed(images, _FROM_YIQ)


@public("image.rgb_to_yuv")
def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Brightness and the distances of blue and red from it, of RGB images of floats.

    >>> round(float(fg.image.rgb_to_yuv([[1.0, 1.0, 1.0]])[0, 0]), 3)
    1.0

    Args:
      images: a tensor of floats, or what converts to one: ``[..., 3]``.

    Returns:
      A tensor of the dtype and the shape of ``images``.

    Raises:
      TypeError: for another dtype.
      ValueError: for a scalar.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
    """
    return _mixed(images, _YUV)


@public("image.yuv_to_rgb")
def yuv_to_rgb(images: TensorLike) -> Tensor:
    """RGB images of floats, back from ``rgb_to_yuv``.

    >>> fg.image.yuv_to_rgb([[0.5, 0.0, 0.0]]).numpy()
    array([[0.5, 0.5, 0.5]], dtype=float32)

    Args:
      images: a tensor of floats, or what converts to one: ``[..., 3]``.

    Returns:
      A tensor of the dtype and the shape of ``images``.

    Raises:
      TypeError: for another dtype.
      ValueError: for a scalar.
      InvalidArgumentError: where there are not 3 channels; ValueError while tracing.
    """
    return _mixed(images, _FROM_YUV)


@public("image.per_image_standardization")
def per_image_standardization(image: TensorLike) -> Tensor:
    """Images of mean 0 and variance 1, each by itself, as float32.

    The deviation counts as one over the root of the number of elements, at least.

    >>> fg.image.per_image_standardization([[[1.0], [3.0]]]).numpy()[0, :, 0]
    array([-1.,  1.], dtype=float32)

    Args:
      image: images in the last three axes.

    Raises:
      ValueError: where there are fewer axes.
    """
    image = cast(images_of(image), float32)
    count = reduce_prod(shape(image)[-3:])
    mean = reduce_mean(image, [-1, -2, -3], keepdims=True)
    deviation = reduce_std(image, [-1, -2, -3], keepdims=True)
    return (image - mean) / maximum(deviation, rsqrt(cast(count, image.dtype)))
