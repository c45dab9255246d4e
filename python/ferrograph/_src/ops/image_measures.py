"""Measures of images and of how alike they are; edges."""

from __future__ import annotations

from typing import Any

from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    float32,
    is_tensor,
    known_rank,
    known_size,
    static_value,
)
from ._dispatch import told
from ._ranks import of_rank
from .activations import relu, softmax
from .arithmetic import pow, squared_difference
from .arrays import concat, pad, reshape, shape, stack, tile
from .convolutions import depthwise_conv2d
from .creation import range, zeros_like
from .elementwise import abs, log, square
from .image_colors import convert_image_dtype
from .image_shapes import images_of, size_of
from .numeric import cast
from .pools import avg_pool2d
from .reductions import reduce_mean, reduce_prod, reduce_sum

__all__: list[str] = []

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@public("image.total_variation")
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the distances between neighbouring pixels of each image.

    >>> float(fg.image.total_variation([[[1.0], [4.0]]]))
    3.0

    Args:
      images: an image, or a stack of images.
      name: a name for the operation.

    Raises:
      ValueError: where ``images`` has another rank than 3 or 4.
    """
    images = convert(images)
    rank = known_rank(images, "total_variation")
    if rank not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes = [-3, -2, -1]
    down = abs(images[..., 1:, :, :] - images[..., :-1, :, :])
    across = abs(images[..., 1:, :] - images[..., :-1, :])
    return reduce_sum(down, axes) + reduce_sum(across, axes)


@public("image.image_gradients")
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """How pixels differ from the next below and from the next to the right; 0 at the ends.

    >>> down, right = fg.image.image_gradients([[[[1], [4]], [[2], [6]]]])
    >>> right.numpy()[0, :, :, 0]
    array([[3, 0],
           [4, 0]], dtype=int32)

    Args:
      image: a stack of images.

    Raises:
      ValueError: where it has another rank than 4.
    """
    image = convert(image)
    if image.ndim not in (4, None):
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    image = of_rank(image, 4)
    down, right = image[:, 1:] - image[:, :-1], image[:, :, 1:] - image[:, :, :-1]
    down = concat([down, zeros_like(image[:, :1])], 1)
    right = concat([right, zeros_like(image[:, :, :1])], 2)
    for change in (down, right):
        change.set_shape(image.shape)
    return down, right


@public("image.sobel_edges")
def sobel_edges(image: TensorLike) -> Tensor:
    """How much pixels change downwards and to the right, by Sobel's weights, in a new last axis.

    >>> image = fg.reshape(fg.constant([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), [1, 3, 3, 1])
    >>> fg.image.sobel_edges(image).numpy()[0, 1, 1, 0]
    array([4., 0.], dtype=float32)

    Args:
      image: a stack of images of floats.

    Raises:
      ValueError: where it has another rank than 4.
    """
    image = convert(image)
    if image.ndim not in (4, None):
        raise ValueError(f"sobel_edges needs images [n, h, w, c], got shape {image.shape}")
    channels = known_size(image, -1)
    down = convert([[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]], image.dtype)
    right = convert([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], image.dtype)
    weights = stack([down, right], -1)[:, :, None, :]
    weights = tile(weights, [1, 1, shape(image)[-1] if channels is None else channels, 1])
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    out = depthwise_conv2d(padded, weights, [1, 1, 1, 1], "VALID")
    return reshape(out, concat([shape(image), [2]], 0))


@public("image.psnr")
def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal to noise ratio of ``b`` against ``a``, in decibels, of each image.

    >>> float(fg.image.psnr(fg.zeros([2, 2, 1]), fg.fill([2, 2, 1], 0.1), 1.0).numpy().round(3))
    20.0

    Args:
      a: images in the last three axes.
      b: images of the same shape.
      max_val: how far values may differ.
      name: a name for the operation.
    """
    a, b = convert(a), convert(b)
    limit = convert_image_dtype(cast(convert(max_val), a.dtype), float32)
    a, b = (convert_image_dtype(x, float32) for x in (a, b))
    error = reduce_mean(squared_difference(a, b), [-3, -2, -1])
    decibels = 10.0 / log(convert(10.0))
    return 2.0 * decibels * log(limit) - decibels * log(error)


def _kernel(size: Any, sigma: Any, channels: Any) -> Tensor:
    """The weights of a window, falling off as a bell, once for each channel."""
    place = range(cast(size, float32)) - (cast(size, float32) - 1.0) / 2.0
    line = square(place) * (-0.5 / square(cast(convert(sigma), float32)))
    weights = softmax(reshape(line[:, None] + line[None, :], [-1]))
    return tile(reshape(weights, [size, size, 1, 1]), [1, 1, channels, 1])


def _likeness(
    a: Tensor, b: Tensor, max_val: Any, size: Any, sigma: Any, k1: Any, k2: Any
) -> tuple[Tensor, Tensor]:
    """The likeness of each window of two images, and the part of contrast and structure in it."""
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    channels = known_size(a, -1)
    weights = _kernel(size, sigma, shape(a)[-1] if channels is None else channels)

    def mean(x: Tensor) -> Tensor:
        flat = reshape(x, concat([[-1], shape(x)[-3:]], 0))
        out = depthwise_conv2d(flat, weights, [1, 1, 1, 1], "VALID")
        return reshape(out, concat([shape(x)[:-3], shape(out)[1:]], 0))

    mean_a, mean_b = mean(a), mean(b)
    both, squares = mean_a * mean_b * 2.0, square(mean_a) + square(mean_b)
    brightness = (both + c1) / (squares + c1)
    products, sums = mean(a * b) * 2.0, mean(square(a) + square(b))
    structure = (products - both + c2) / (sums - squares + c2)
    return brightness * structure, structure


def _pair(a: TensorLike, b: TensorLike, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images as floats, and how far their values may differ."""
    a, b = images_of(a, "img1"), images_of(b, "img2")
    if a.shape[-3:].is_fully_defined() and b.shape[-3:].is_fully_defined():
        a.shape[-3:].assert_is_compatible_with(b.shape[-3:])
    limit = convert_image_dtype(cast(convert(max_val), a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), limit


def _check_windows(image: Tensor, size: Any) -> None:
    known = static_value(size)
    sides = [n for n in size_of(image) if not is_tensor(n)]
    if known is not None and any(n < int(known) for n in sides):
        raise ValueError(
            f"images of shape {image.shape} are smaller than windows of {int(known)} pixels"
        )


@public("image.ssim")
@told
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """How alike images are in structure, from -1 to 1, of each pair.

    >>> float(fg.image.ssim(fg.ones([16, 16, 1]), fg.ones([16, 16, 1]), 1.0))
    1.0

    Args:
      img1: images in the last three axes.
      img2: images of the same shape.
      max_val: how far values may differ.
      filter_size: the size of the windows that are compared.
      filter_sigma: how wide the bell of their weights is.
      k1: how much dark windows count as alike.
      k2: how much even windows count as alike.
      return_index_map: whether the result is for each window.

    Raises:
      ValueError: where images are smaller than windows, or have different sizes.
    """
    a, b, limit = _pair(img1, img2, max_val)
    _check_windows(a, filter_size)
    likeness, _ = _likeness(a, b, limit, filter_size, filter_sigma, k1, k2)
    return reduce_mean(likeness, [-1] if return_index_map else [-3, -2, -1])


@public("image.ssim_multiscale")
@told
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Any = _POWERS,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """How alike images are in structure at several scales, of each pair.

    >>> x = fg.ones([16, 16, 1])
    >>> float(fg.image.ssim_multiscale(x, x, 1.0, power_factors=(0.5, 0.5), filter_size=3))
    1.0

    Args:
      img1: images in the last three axes.
      img2: images of the same shape.
      max_val: how far values may differ.
      power_factors: how much each scale counts, the finest first; each is half of the one before.
      filter_size: the size of the windows that are compared.
      filter_sigma: how wide the bell of their weights is.
      k1: how much dark windows count as alike.
      k2: how much even windows count as alike.

    Raises:
      ValueError: where images are smaller than windows at a scale, or have different sizes.
    """
    a, b, limit = _pair(img1, img2, max_val)
    parts = []
    for i, _ in enumerate(power_factors):
        if i:
            a, b = _halved(a), _halved(b)
        _check_windows(a, filter_size)
        likeness, structure = _likeness(a, b, limit, filter_size, filter_sigma, k1, k2)
        is_last = i == len(power_factors) - 1
        parts.append(relu(reduce_mean(likeness if is_last else structure, [-3, -2])))
    powers = convert(power_factors, float32)
    return reduce_mean(reduce_prod(pow(stack(parts, -1), powers), [-1]), [-1])


def _halved(images: Tensor) -> Tensor:
    """Images of half the size: means of four pixels, those at the end repeated for odd sizes."""
    flat = reshape(images, concat([[-1], shape(images)[-3:]], 0))
    known = [known_size(images, axis) for axis in (-3, -2, -1)]
    flat.set_shape([None, *known])
    height, width = size_of(flat)
    flat = pad(flat, [[0, 0], [0, height % 2], [0, width % 2], [0, 0]], mode="SYMMETRIC")
    out = avg_pool2d(flat, 2, 2, "VALID")
    return reshape(out, concat([shape(images)[:-3], shape(out)[1:]], 0))
