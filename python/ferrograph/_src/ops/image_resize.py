"""Resizing images, and cutting boxes and patches out of them."""

from __future__ import annotations

from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    emit,
    float32,
    float64,
    int32,
    is_tensor,
    known_size,
    static_value,
)
from ._dispatch import told
from ._numbers import check_flags, flag, int32_of, several, whole
from .arithmetic import divide, maximum, minimum
from .arrays import concat, expand_dims, reshape, shape, squeeze, stack
from .elementwise import floor, round
from .image_shapes import image_of, pad_to_bounding_box, size_of
from .numeric import cast

__all__: list[str] = []


@public("image.ResizeMethod")
class ResizeMethod:
    """The methods that ``image.resize`` knows.

    >>> fg.image.ResizeMethod.BILINEAR
    'bilinear'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


# What each method weighs neighbours by where images are antialiased.
_KERNELS = {
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}
_OPS = {
    "bilinear": ("ResizeBilinear", {"half_pixel_centers": True}),
    "bicubic": ("ResizeBicubic", {"half_pixel_centers": True}),
    "nearest": ("ResizeNearestNeighbor", {"half_pixel_centers": True}),
    "area": ("ResizeArea", None),
}


@public("image.resize")
@told
def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    >>> fg.image.resize([[[1.0], [3.0]]], [1, 4]).numpy()[0, :, 0]
    array([1. , 1.5, 2.5, 3. ], dtype=float32)

    Args:
      images: an image, or a stack of images.
      size: the new height and width, a vector of two int32.
      method: one of ``ResizeMethod``. ``"nearest"`` keeps the dtype, the others give float32.
      preserve_aspect_ratio: whether ``size`` only bounds the new size, so that nothing is
        distorted.
      antialias: whether more neighbours count where images shrink. ``"nearest"`` and ``"area"`` do
        without.
      name: a name for the operation.

    Raises:
      ValueError: for another method or rank, or a size that is not two integers.
      InvalidArgumentError: where a size is not positive, or an image is empty.
    """
    check_flags("resize", antialias=antialias)
    images = image_of(images, "images")
    size = _size(size)
    antialias = flag(antialias, "resize: antialias")
    if flag(preserve_aspect_ratio, "resize: preserve_aspect_ratio"):
        size = _bounded(images, size)
    if images.ndim is None:
        sizes = shape(images)
        stacked = reshape(images, concat([[-1], sizes[-3:]], 0))
        out = _resized(stacked, size, method, antialias, name)
        return reshape(out, concat([sizes[:-3], size, sizes[-1:]], 0))
    if images.ndim == 3:
        out = _resized(expand_dims(images, 0), size, method, antialias, name)
        return squeeze(out, [0])
    return _resized(images, size, method, antialias, name)


def _size(size: TensorLike) -> Tensor:
    try:
        size = convert(size, int32)
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if size.dtype != int32:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if size.ndim not in (1, None) or known_size(size, 0) not in (2, None):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size


def _bounded(images: Tensor, size: Tensor) -> Tensor:
    """The largest size within ``size`` that has the proportions of the images."""
    if (known := static_value(size)) is not None and not any(map(is_tensor, size_of(images))):
        import numpy as np

        sides = np.array(size_of(images), np.float32)
        factor = (known.astype(np.float32) / sides).min() if sides.all() else None
        if factor is not None:
            return convert(np.round(sides * factor).astype(np.int32))
    own = cast(stack(list(size_of(images))), float32)
    ratio = divide(cast(size, float32), own)
    scale = minimum(ratio[0], ratio[1])
    return cast(round(own * scale), int32)


def _resized(images: Tensor, size: Tensor, method: Any, antialias: bool, name: Any) -> Tensor:
    if method not in _OPS and method not in _KERNELS:
        raise ValueError(
            f"Resize method is not implemented: {method}; "
            f"it must be one of {sorted({*_OPS, *_KERNELS})}"
        )
    if method in _OPS and (not antialias or method not in _KERNELS):
        op, attrs = _OPS[method]
        return emit(op, (images, size), attrs, name)
    scale = divide(cast(size, float32), cast(stack(list(size_of(images))), float32))
    kernel: dict[str, Any] = {"kernel_type": _KERNELS[method], "antialias": antialias}
    return emit("ScaleAndTranslate", (images, size, scale, [0.0, 0.0]), kernel, name)


@public("image.resize_with_pad")
@told
def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:
    """Images of another size without distortion: zeros around fill what is left.

    >>> fg.image.resize_with_pad([[[1.0], [1.0]]], 2, 2).numpy()[..., 0]
    array([[1., 1.],
           [0., 0.]], dtype=float32)

    Args:
      image: an image, or a stack of images.
      target_height: how many rows there are then.
      target_width: how many columns there are then.
      method: one of ``ResizeMethod``.
      antialias: as in ``image.resize``.

    Raises:
      ValueError: where a size is not positive, or for another method or rank.
    """
    image = image_of(image)
    targets = [
        _positive(n, what) for n, what in ((target_height, "height"), (target_width, "width"))
    ]
    sizes = [cast(n, float64) for n in size_of(image)]
    tall, wide = (s / cast(t, float64) for s, t in zip(sizes, targets, strict=True))
    ratio = maximum(tall, wide)
    inner = [s / ratio for s in sizes]
    gaps = [cast(t, float64) - n for t, n in zip(targets, inner, strict=True)]
    before = [cast(floor(maximum(gap / 2.0, 0.0)), int32) for gap in gaps]
    size = stack([cast(floor(n), int32) for n in inner])
    out = resize(image, size, method=method, antialias=antialias)
    return pad_to_bounding_box(out, *before, *targets)


def _positive(size: TensorLike, what: str) -> Any:
    if is_tensor(size) and static_value(size) is None:
        return cast(size, int32)
    known = whole(size, f"target_{what}", ValueError)
    if known <= 0:
        raise ValueError(f"target_{what} must be > 0, got {known}")
    return known


@public("image.crop_and_resize")
@told
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes of images, each resized to one size. Images and boxes have gradients.

    >>> image = fg.reshape(fg.range(4.0), [1, 2, 2, 1])
    >>> fg.image.crop_and_resize(image, [[0.0, 0.0, 1.0, 0.5]], [0], [2, 2]).numpy()[0, ..., 0]
    array([[0. , 0.5],
           [2. , 2.5]], dtype=float32)

    Args:
      image: a stack of images.
      boxes: a row ``[y1, x1, y2, x2]`` a box: 0 is the middle of the first pixel, 1 that of the
        last. Boxes may be turned over, and may go beyond the image.
      box_indices: of which image each box is.
      crop_size: height and width of the results.
      method: ``"bilinear"`` or ``"nearest"``.
      extrapolation_value: the value of pixels beyond the image.
      name: a name for the operation.

    Returns:
      A float32 tensor, an image for each box.

    Raises:
      InvalidArgumentError: where a size is not positive, or for another method; OutOfRangeError
        where an index is outside of the stack.
    """
    attrs = {"method": method, "extrapolation_value": float(extrapolation_value)}
    inputs = (image, convert(boxes, float32), box_indices, int32_of(crop_size))
    return emit("CropAndResize", inputs, attrs, name)


@public("image.extract_patches")
@told
def extract_patches(
    images: TensorLike,
    sizes: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Windows of images, each laid out as the channels of one pixel.

    >>> x = fg.reshape(fg.range(9), [1, 3, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> fg.image.extract_patches(x, [1, 2, 2, 1], ones, ones, "VALID").numpy()[0, 0]
    array([[0, 1, 3, 4],
           [1, 2, 4, 5]], dtype=int32)

    Args:
      images: a stack of images.
      sizes: the size of windows, ``[1, rows, columns, 1]``.
      strides: how far windows are apart, ``[1, rows, columns, 1]``.
      rates: how far the pixels of a window are apart, ``[1, rows, columns, 1]``.
      padding: ``"VALID"`` for windows within the image, or ``"SAME"``, with zeros beyond.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for other sizes, strides, rates or paddings; ValueError while tracing.
    """
    if not isinstance(padding, str):
        raise ValueError(f'padding must be "VALID" or "SAME", got {shown(padding)}')
    attrs = {
        "ksizes": [whole(n, "sizes") for n in several(sizes, "sizes")],
        "strides": [whole(n, "strides") for n in several(strides, "strides")],
        "rates": [whole(n, "rates") for n in several(rates, "rates")],
        "padding": padding.upper(),
    }
    return emit("ExtractImagePatches", (images,), attrs, name)
