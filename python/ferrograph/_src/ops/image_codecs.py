"""Pictures read from the contents of files, and written."""

from __future__ import annotations

from typing import Any

from ..values.dtypes import as_dtype, dtype_or, uint8
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, int32, string
from ._dispatch import told
from ._numbers import int32_of
from .arithmetic import equal
from .image_colors import convert_image_dtype
from .string_ops import substr

__all__: list[str] = []


@public("image.decode_png", "io.decode_png")
def decode_png(
    contents: TensorLike, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """The picture in a PNG file, as ``[height, width, channels]``. Other formats are read, too.

    >>> file = fg.io.encode_png(fg.constant([[[7], [9]]], fg.uint8))
    >>> fg.io.decode_png(file).numpy()[..., 0]
    array([[7, 9]], dtype=uint8)

    Args:
      contents: the contents of the file, a scalar string.
      channels: 1 for gray, 3 for RGB, 4 for RGB with opacity; 0 for as many as there are.
      dtype: uint8 or uint16.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the contents are no such file.
    """
    attrs = {"channels": channels, "dtype": dtype_or(dtype, uint8)}
    return emit("DecodePng", (contents,), attrs, name)


def _jpeg_attrs(
    channels: int, ratio: int, fancy: Any, recover: Any, fraction: Any, method: str
) -> dict[str, Any]:
    return {
        "channels": channels,
        "ratio": ratio,
        "fancy_upscaling": fancy,
        "try_recover_truncated": recover,
        "acceptable_fraction": float(fraction),
        "dct_method": method,
    }


@public("image.decode_jpeg", "io.decode_jpeg")
@told
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: Any = True,
    try_recover_truncated: Any = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The picture in a JPEG file, as ``[height, width, channels]``. Other formats are read, too.

    The pixels are those of libjpeg-turbo, and so of tensorflow.

    >>> file = fg.io.encode_jpeg(fg.fill([4, 4, 1], fg.constant(100, fg.uint8)))
    >>> int(fg.io.decode_jpeg(file)[0, 0, 0])
    100

    Args:
      contents: the contents of the file, a scalar string.
      channels: 1 for gray, 3 for RGB; 0 for as many as there are.
      ratio: by how much the picture is made smaller: 1, 2, 4 or 8.
      fancy_upscaling: whether colours of fewer samples are interpolated rather than repeated.
      try_recover_truncated: whether what the file lacks is made up for.
      acceptable_fraction: how much of the picture has to be there; what is made up for counts.
      dct_method: the transform: ``"INTEGER_FAST"``, which the default means, or
        ``"INTEGER_ACCURATE"``.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the contents are no such file.
    """
    attrs = _jpeg_attrs(
        channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    )
    return emit("DecodeJpeg", (contents,), attrs, name)


@public("image.decode_and_crop_jpeg", "io.decode_and_crop_jpeg")
@told
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: Any = True,
    try_recover_truncated: Any = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of the picture in a JPEG file.

    As in tensorflow, interpolated colours of the first and last column may differ from those of
    the whole picture: they have no neighbours beyond the part.

    >>> file = fg.io.encode_jpeg(fg.fill([4, 4, 1], fg.constant(100, fg.uint8)))
    >>> fg.io.decode_and_crop_jpeg(file, [1, 0, 2, 3]).shape
    TensorShape([2, 3, 1])

    Args:
      contents: the contents of the file, a scalar string.
      crop_window: the first row and column of the part, its height and its width.
      channels: as in ``decode_jpeg``, like all that follow.
      ratio: as there.
      fancy_upscaling: as there.
      try_recover_truncated: as there.
      acceptable_fraction: as there.
      dct_method: as there.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the contents are no such file, or the part is not in the picture.
    """
    attrs = _jpeg_attrs(
        channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    )
    return emit("DecodeAndCropJpeg", (contents, int32_of(crop_window)), attrs, name)


@public("image.decode_gif", "io.decode_gif")
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """All frames of a GIF file. Other formats have one.

    >>> file = fg.io.encode_png(fg.zeros([2, 3, 3], fg.uint8))
    >>> fg.io.decode_gif(file).shape
    TensorShape([1, 2, 3, 3])

    Args:
      contents: the contents of the file, a scalar string.
      name: a name for the operation.

    Returns:
      A uint8 tensor ``[frames, height, width, 3]``.

    Raises:
      InvalidArgumentError: where the contents are no such file.
    """
    return emit("DecodeGif", (contents,), None, name)


@public("image.decode_bmp", "io.decode_bmp")
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The picture in a BMP file without compression, as ``[height, width, channels]``.

    >>> sizes = [54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
    >>> fg.io.decode_bmp(b"BM" + bytes(8) + bytes(sizes) + bytes(24) + b"123 ").numpy().ravel()
    array([51, 50, 49], dtype=uint8)

    Args:
      contents: the contents of the file, a scalar string.
      channels: 3 for RGB, 4 for RGB with opacity; 0 for as many as there are.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the contents are no such file.
    """
    return emit("DecodeBmp", (contents,), {"channels": channels}, name)


@public("image.decode_image", "io.decode_image")
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: Any = True,
) -> Tensor:
    """The picture in a PNG, JPEG, GIF or BMP file.

    >>> file = fg.io.encode_png(fg.fill([1, 1, 1], fg.constant(255, fg.uint8)))
    >>> fg.io.decode_image(file, channels=3, dtype=fg.float32).numpy()
    array([[[1., 1., 1.]]], dtype=float32)

    Args:
      contents: the contents of the file, a scalar string.
      channels: 1 for gray, 3 for RGB, 4 for RGB with opacity; by default as many as there are.
      dtype: uint8, uint16, or a floating dtype for numbers from 0 to 1.
      name: a name for the operation.
      expand_animations: whether a GIF file gives all of its frames, in a new first axis, rather
        than the first one. The rank of the result is then unknown while tracing.

    Raises:
      InvalidArgumentError: where the contents are no such file.
    """
    dtype = as_dtype(dtype)
    read = dtype if dtype.name in ("uint8", "uint16", "float32") else as_dtype("uint16")
    attrs = {
        "channels": 0 if channels is None else channels,
        "dtype": read,
        "expand_animations": expand_animations,
    }
    return convert_image_dtype(emit("DecodeImage", (contents,), attrs, name), dtype)


def _bytes(image: TensorLike) -> Tensor:
    """A picture as it is; numbers of Python are bytes."""
    return convert(image) if hasattr(image, "dtype") else convert(image, uint8)


@public("image.encode_png", "io.encode_png")
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """Pictures as the contents of PNG files, a string each.

    >>> fg.io.encode_png(fg.zeros([2, 2, 3], fg.uint8)).numpy()[1:4]
    b'PNG'

    Args:
      image: uint8 or uint16, ``[..., height, width, channels]`` of one to four channels.
      compression: how much work is spent to make it small, from 0 to 9; -1 for the usual.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where a shape, a dtype or the compression is another one.
    """
    return emit("EncodePng", (_bytes(image),), {"compression": compression}, name)


@public("image.encode_jpeg", "io.encode_jpeg")
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: Any = False,
    optimize_size: Any = False,
    chroma_downsampling: Any = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """A picture as the contents of a JPEG file.

    >>> bool(fg.io.is_jpeg(fg.io.encode_jpeg(fg.zeros([2, 2, 3], fg.uint8))))
    True

    Args:
      image: uint8, ``[height, width, channels]`` of one or three channels.
      format: ``"grayscale"``, ``"rgb"``, or empty for what the channels say.
      quality: from 0 to 100; 0 is written as 1.
      progressive: whether it can be shown while it comes.
      optimize_size: whether work is spent to make it small without loss.
      chroma_downsampling: whether colours have half the pixels of brightness.
      density_unit: ``"in"`` or ``"cm"``, what the density counts by.
      x_density: pixels in a unit, along a row.
      y_density: pixels in a unit, along a column.
      xmp_metadata: what the file says about itself.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where a shape or a setting is another one.
    """
    attrs = {
        "format": format,
        "quality": quality,
        "progressive": progressive,
        "optimize_size": optimize_size,
        "chroma_downsampling": chroma_downsampling,
        "density_unit": density_unit,
        "x_density": x_density,
        "y_density": y_density,
        "xmp_metadata": xmp_metadata,
    }
    return emit("EncodeJpeg", (_bytes(image),), attrs, name)


@public("image.extract_jpeg_shape", "io.extract_jpeg_shape")
def extract_jpeg_shape(
    contents: TensorLike, output_type: Any = int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, without reading its pixels.

    >>> fg.io.extract_jpeg_shape(fg.io.encode_jpeg(fg.zeros([2, 5, 3], fg.uint8))).numpy()
    array([2, 5, 3], dtype=int32)

    Args:
      contents: the contents of the file, a scalar string.
      output_type: the dtype of the result, int32 (the default) or int64.
      name: a name for the operation.

    Returns:
      A vector of three numbers, of ``output_type``.

    Raises:
      InvalidArgumentError: where the contents are no such file, and for another ``output_type``.
    """
    attrs = {"output_type": dtype_or(output_type, int32)}
    return emit("ExtractJpegShape", (contents,), attrs, name)


@public("image.is_jpeg", "io.is_jpeg")
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether a file begins as JPEG files do.

    >>> bool(fg.io.is_jpeg(b"GIF89a"))
    False

    Args:
      contents: the contents of files, a tensor of strings, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of bools of the shape of ``contents``.

    Raises:
      TypeError: for what are no strings.
    """
    return equal(substr(convert(contents, string), 0, 3), b"\xff\xd8\xff", name)


@public("image.adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """A picture as it comes out of a JPEG file of this quality.

    >>> fg.image.adjust_jpeg_quality(fg.fill([8, 8, 3], 0.5), 75).shape
    TensorShape([8, 8, 3])

    Args:
      image: ``[height, width, channels]`` of one or three channels, of any dtype of images.
      jpeg_quality: from 0 to 100.
      dct_method: the transform, as in ``decode_jpeg``.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the quality is out of range, or the shape is another one.
    """
    image = convert(image)
    channels = image.shape[-1] if image.ndim else None
    coded = convert_image_dtype(image, uint8, saturate=True)
    file = emit("EncodeJpegVariableQuality", (coded, int32_of(jpeg_quality)), None, None)
    out = decode_jpeg(file, channels=channels or 0, dct_method=dct_method)
    return convert_image_dtype(out, image.dtype, saturate=True, name=name)
