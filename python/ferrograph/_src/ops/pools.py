"""Pools: the largest elements and the means of windows, and what grows and shrinks images.

Arguments are as in ``convolutions``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..values.dtypes import float64, int64
from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, convert_pair, emit
from ._dispatch import told
from ._numbers import several, whole
from ._ranks import of_rank
from .arithmetic import maximum, realdiv
from .arrays import concat, expand_dims, pad, reshape, reverse, shape, squeeze, stack, transpose
from .convolutions import (
    channels_first,
    depthwise_conv2d,
    entries,
    moved_back,
    moved_last,
    paddings,
)
from .creation import range as range_
from .numeric import cast
from .reductions import argmax
from .selection import gather

__all__: list[str] = []


def _pooled(
    kind: str, n: int, x: Any, ksize: Any, strides: Any, padding: Any, form: Any, name: Any
) -> Any:
    x = convert(x)
    if kind == "MaxPool" and n < 3 and x.dtype.is_integer:
        floats, numbers = _as_floats(x)
        return numbers(_pooled(kind, n, floats, ksize, strides, padding, form, name))
    first = channels_first(n, form)
    sort, pairs = paddings(padding, n, first)
    attrs: dict[str, Any] = {
        "ksize": entries(ksize, n, "ksize", first),
        "strides": entries(strides, n, "strides", first),
        "padding": sort,
    }
    if kind == "MaxPool" and n < 3:
        attrs["explicit_paddings"] = pairs
    elif sort == "EXPLICIT":
        raise ValueError(f'padding must be "VALID" or "SAME" here, got {shown(padding)}')
    x = moved_last(x, n) if first else x
    if n == 1:
        for what in ("ksize", "strides"):
            attrs[what].insert(1, 1)
        if pairs:
            attrs["explicit_paddings"] = [0, 0, 0, 0, *pairs[2:]]
        x = expand_dims(x, 1)
    out = emit(kind + "3D" * (n == 3), (x,), attrs, name)
    out = squeeze(out, [1]) if n == 1 else out
    return moved_back(out, n) if first else out


def _as_floats(x: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Floats in the order of integers, and what makes the integers of them again."""
    if x.dtype.size < 8:
        return cast(x, float64), lambda floats: cast(floats, x.dtype)
    # Places in the row of all numbers are smaller than the numbers, so that floats hold them.
    row = reshape(x, [1, -1])
    falling, _ = emit("TopKV2", (row, shape(row)[1]), {"sorted": True}, None)
    rising = reverse(falling, [1])
    places = reshape(emit("LowerBound", (rising, row), {"out_type": int64}, None), shape(x))
    return cast(places, float64), lambda floats: gather(rising[0], cast(floats, int64))


def _axes(x: Any, data_format: Any) -> int:
    """How many axes windows move along, as the format or the rank says."""
    count = len(data_format) - 2 if data_format else (convert(x).ndim or 0) - 2
    if count not in (1, 2, 3):
        raise ValueError(f"a pool needs a tensor of rank 3, 4 or 5, got shape {convert(x).shape}")
    return count


@public("nn.max_pool")
@told
def max_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window, of sequences, images or volumes as the rank says.

    >>> fg.nn.max_pool([[[1.0], [3.0], [2.0], [4.0]]], 2, 2, "VALID").numpy()[0, :, 0]
    array([3., 4.], dtype=float32)

    Args:
      input: sequences, images or volumes of real numbers (volumes of floats), or what converts to
        them: of rank 3, 4 or 5.
      ksize: the size of a window: an int, or a list of one for each axis that windows move along,
        or for each axis of the tensor.
      strides: how far windows are apart, like ``ksize``.
      padding: "VALID" or "SAME", or for sequences and images a list of pairs: how many places come
        before and after along each axis of the tensor.
      data_format: "NWC", "NHWC" or "NDHWC" (unless told), or "NCW", "NCHW" or "NCDHW" where
        channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another rank or format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the input, where sizes along batch and channels
        are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    n = _axes(input, data_format)
    return _pooled("MaxPool", n, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool1d")
@told
def max_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of sequences.

    >>> fg.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy()[0, :, 0]
    array([3., 3.], dtype=float32)

    Args:
      input: sequences of real numbers, or what converts to them: ``[batch, width, channels]``, or
        with channels second ``[batch, channels, width]``.
      ksize: the size of a window: an int, a list of one for the width, or of 3 for each axis of the
        tensor.
      strides: how far windows are apart: an int, a list of one for the width, or of 3 for each axis
        of the tensor.
      padding: "VALID" or "SAME", or a list of 3 pairs: how many places come before and after along
        each axis of the tensor.
      data_format: "NWC" (the default), or "NCW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the sequence, where sizes along batch and
        channels are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("MaxPool", 1, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool2d")
@told
def max_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of images.

    What padding adds is never largest; NaN is.

    >>> x = fg.reshape(fg.range(16.0), [1, 4, 4, 1])
    >>> fg.nn.max_pool2d(x, 2, 2, "VALID").numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)

    Args:
      input: images of real numbers, or what converts to them: ``[batch, height, width, channels]``,
        or with channels second ``[batch, channels, height, width]``.
      ksize: the size of a window: an int, a list of two for height and width, or of 4 for each axis
        of the tensor.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many places come before and after along
        each axis of the tensor.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the image, where sizes along batch and channels
        are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("MaxPool", 2, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool3d")
@told
def max_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of volumes.

    >>> fg.nn.max_pool3d(fg.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])

    Args:
      input: volumes of floats, or what converts to them:
        ``[batch, depth, height, width, channels]``, or with channels second
        ``[batch, channels, depth, height, width]``.
      ksize: the size of a window: an int, a list of three for depth, height and width, or of 5 for
        each axis of the tensor.
      strides: how far windows are apart: an int, a list of three for depth, height and width, or of
        5 for each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" (the default), or "NCDHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the volume, where sizes along batch and
        channels are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("MaxPool", 3, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool")
@told
def avg_pool(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, of sequences, images or volumes as the rank says.

    >>> fg.nn.avg_pool([[[1.0], [3.0], [2.0], [4.0]]], 2, 2, "VALID").numpy()[0, :, 0]
    array([2., 3.], dtype=float32)

    Args:
      input: sequences, images or volumes of floats, or what converts to them: of rank 3, 4 or 5.
      ksize: the size of a window: an int, or a list of one for each axis that windows move along,
        or for each axis of the tensor.
      strides: how far windows are apart, like ``ksize``.
      padding: "VALID" or "SAME".
      data_format: "NWC", "NHWC" or "NDHWC" (unless told), or "NCW", "NCHW" or "NCDHW" where
        channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another rank or format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the input, where sizes along batch and channels
        are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    n = _axes(input, data_format)
    return _pooled("AvgPool", n, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool1d")
@told
def avg_pool1d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences.

    >>> fg.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy()[0, :, 0]
    array([2. , 2.5], dtype=float32)

    Args:
      input: sequences of floats, or what converts to them: ``[batch, width, channels]``, or with
        channels second ``[batch, channels, width]``.
      ksize: the size of a window: an int, a list of one for the width, or of 3 for each axis of the
        tensor.
      strides: how far windows are apart: an int, a list of one for the width, or of 3 for each axis
        of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NWC" (the default), or "NCW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the sequence, where sizes along batch and
        channels are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("AvgPool", 1, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool2d")
@told
def avg_pool2d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of images.

    What padding adds is left out of the mean.

    >>> x = fg.reshape(fg.range(4.0), [1, 2, 2, 1])
    >>> fg.nn.avg_pool2d(x, 2, 1, "SAME").numpy()[0, :, :, 0]
    array([[1.5, 2. ],
           [2.5, 3. ]], dtype=float32)

    Args:
      input: images of floats, or what converts to them: ``[batch, height, width, channels]``, or
        with channels second ``[batch, channels, height, width]``.
      ksize: the size of a window: an int, a list of two for height and width, or of 4 for each axis
        of the tensor.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the image, where sizes along batch and channels
        are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("AvgPool", 2, input, ksize, strides, padding, data_format, name)


@public("nn.avg_pool3d")
@told
def avg_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes.

    >>> fg.nn.avg_pool3d(fg.ones([1, 2, 2, 2, 1]), 2, 2, "VALID").shape
    TensorShape([1, 1, 1, 1, 1])

    Args:
      input: volumes of floats, or what converts to them:
        ``[batch, depth, height, width, channels]``, or with channels second
        ``[batch, channels, depth, height, width]``.
      ksize: the size of a window: an int, a list of three for depth, height and width, or of 5 for
        each axis of the tensor.
      strides: how far windows are apart: an int, a list of three for depth, height and width, or of
        5 for each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" (the default), or "NCDHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for another format, or another count of sizes, strides or paddings.
      InvalidArgumentError: where windows do not fit the volume, where sizes along batch and
        channels are not 1, and for another dtype; ValueError and TypeError while tracing.
    """
    return _pooled("AvgPool", 3, input, ksize, strides, padding, data_format, name)


@public("nn.max_pool_with_argmax")
@told
def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``max_pool2d``, and where the elements are in their flattened images.

    >>> x = fg.reshape(fg.range(4.0), [1, 2, 2, 1])
    >>> y, at = fg.nn.max_pool_with_argmax(x, 2, 2, "VALID")
    >>> int(at[0, 0, 0, 0])
    3

    Args:
      input: images of real numbers, or what converts to them: ``[batch, height, width, channels]``.
      ksize: the size of a window: an int, a list of two for height and width, or of 4 for each axis
        of the tensor.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NHWC", the default.
      output_dtype: the dtype of the places, int64 (the default) or int32.
      include_batch_in_index: whether to count places through all images, a bool; False by default.
      name: a name for the operation.

    Returns:
      The elements, of the dtype of ``input``, and their places.

    Raises:
      ValueError: for another format, or another count of sizes or strides.
      InvalidArgumentError: where windows do not fit the image, where sizes along batch and channels
        are not 1, and for other dtypes; ValueError and TypeError while tracing.
    """
    if channels_first(2, data_format):
        raise ValueError("max_pool_with_argmax needs the channels last")
    attrs = {
        "ksize": entries(ksize, 2, "ksize"),
        "strides": entries(strides, 2, "strides"),
        "padding": paddings(padding, 2)[0],
        "Targmax": output_dtype,
        "include_batch_in_index": include_batch_in_index,
    }
    input = convert(input)
    if input.dtype.is_integer:
        floats, numbers = _as_floats(input)
        output, argmax = emit("MaxPoolWithArgmax", (floats,), attrs, name)
        return numbers(output), argmax
    output, argmax = emit("MaxPoolWithArgmax", (input,), attrs, name)
    return output, argmax


@public("nn.pool")
@told
def pool(
    input: TensorLike,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The largest elements or the means of windows along as many axes as ``window_shape`` has.

    >>> fg.nn.pool(fg.ones([1, 4, 1]), [2], "AVG").shape
    TensorShape([1, 3, 1])

    Args:
      input: sequences, images or volumes, or what converts to them: of floats, or for "MAX" of
        sequences and images of real numbers.
      window_shape: the size of a window along each axis that windows move along, a list of one, two
        or three ints.
      pooling_type: "MAX" or "AVG".
      strides: how far windows are apart: an int, or a list of one for each axis that windows move
        along, or for each axis of the tensor; 1 unless told.
      padding: "VALID" (the default) or "SAME", or for "MAX" of sequences and images without
        dilations a list of pairs: how many places come before and after along each axis of the
        tensor.
      data_format: "NWC", "NHWC" or "NDHWC" (unless told), or "NCW", "NCHW" or "NCDHW" where
        channels come second.
      dilations: how far the elements of a window are apart, like ``strides``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: for windows along another count of axes, another type or format, where both
        strides and dilations are above 1, and where dilations are above 1 along other axes than
        those of images.
      InvalidArgumentError: where windows without dilations do not fit the input; ValueError while
        tracing.
    """
    kinds = {"MAX": "MaxPool", "AVG": "AvgPool"}
    if pooling_type not in kinds:
        raise ValueError(f'pooling_type must be "MAX" or "AVG", got {shown(pooling_type)}')
    window = _window(window_shape)
    n = len(window)
    steps = entries(strides, n, "strides")[1:-1]
    rates = entries(dilations, n, "dilations")[1:-1]
    if max(rates) == 1:
        return _pooled(kinds[pooling_type], n, input, window, steps, padding, data_format, name)
    if max(steps) > 1:
        raise ValueError("strides > 1 not supported in conjunction with dilations > 1")
    if n != 2:
        raise ValueError(f"dilations of windows along {n} axes are not supported, only along 2")
    first = channels_first(2, data_format)
    x = moved_last(convert(input), 2) if first else convert(input)
    pooled = _largest if pooling_type == "MAX" else _mean
    out = pooled(x, window, rates, padding)
    return moved_back(out, 2) if first else out


def _window(sizes: Any) -> list[int]:
    """The size of a window along each of one, two or three axes."""
    is_list = not isinstance(sizes, (int, str, bytes)) and getattr(sizes, "ndim", 1) == 1
    found = several(sizes, "window_shape") if is_list else []
    if len(found) not in (1, 2, 3):
        raise ValueError(f"window_shape must be a list of 1, 2 or 3 sizes, got {shown(sizes)}")
    return [whole(size, "window_shape") for size in found]


def _mean(x: Any, window: list[Any], rates: list[Any], padding: Any) -> Any:
    """The means of windows whose elements are apart."""
    ones = emit("OnesLike", (x,))
    filters = emit("Fill", ([*window, shape(x)[-1], 1], convert(1.0, x.dtype)))
    sums = depthwise_conv2d(x, filters, [1, 1, 1, 1], padding, dilations=rates)
    return realdiv(sums, depthwise_conv2d(ones, filters, [1, 1, 1, 1], padding, dilations=rates))


def _largest(x: Any, window: list[Any], rates: list[Any], padding: Any) -> Any:
    """The largest elements of windows whose elements are apart."""
    found = None
    for _, part in _taps(x, window, [1, 1], rates, padding):
        found = part if found is None else maximum(found, part)
    return found


def _largest_of_any(
    x: Any, filters: Any, strides: list[Any], rates: list[Any], padding: Any
) -> Any:
    """The largest sums of windows and filters whose size is known when it runs.

    All windows are laid out; the first of the largest sums of each takes the gradient.
    """
    size = shape(filters)
    for i in (0, 1):
        x = _windows_along(x, 1 + 2 * i, size[i], strides[i], rates[i], padding)
    # [n, rows, height, columns, width, channels], and the places of a window put last.
    sums = x + reshape(filters, stack([size[0], 1, size[1], size[2]]))
    sums = transpose(sums, [0, 1, 3, 5, 2, 4])
    whole = shape(sums)
    sums = reshape(sums, concat([whole[:4], [-1]], 0))
    first = argmax(sums, -1)
    return gather(sums, first, axis=4, batch_dims=4)


def _windows_along(x: Any, axis: int, size: Any, stride: int, rate: int, padding: Any) -> Any:
    """The windows along an axis in its place, and the places in each along an axis behind it."""
    n, reach = shape(x)[axis], (size - 1) * rate + 1
    if padding == "SAME":
        count = (n + stride - 1) // stride
        spare = maximum((count - 1) * stride + reach - n, 0)
        ends: list[Any] = [spare // 2, spare - spare // 2]
    elif padding == "VALID":
        count = maximum((n - reach) // stride + 1, 0)
        ends = [0, 0]
    else:
        raise ValueError(f'padding must be "VALID" or "SAME" here, got {shown(padding)}')
    pads: list[list[Any]] = [[0, 0]] * (4 if axis == 1 else 5)
    pads[axis] = ends
    x = pad(x, pads, constant_values=x.dtype.min)
    places = expand_dims(range_(count) * stride, 1) + range_(size) * rate
    return gather(x, places, axis=axis)


def _taps(x: Any, window: list[Any], strides: list[Any], rates: list[Any], padding: Any) -> Any:
    """For each place in a window of images the elements that stand there, one for each window."""
    x = of_rank(x, 4)
    sizes = x.shape.as_list()[1:3]
    sizes = [shape(x)[i + 1] if n is None else n for i, n in enumerate(sizes)]
    spans, pads = [], []
    for n, size, step, rate in zip(sizes, window, strides, rates, strict=True):
        reach = (size - 1) * rate + 1
        if padding == "SAME":
            count = -(-n // step)
            spare = (count - 1) * step + reach - n
            spare = max(spare, 0) if isinstance(spare, int) else maximum(spare, 0)
            pads.append([spare // 2, spare - spare // 2])
        elif padding == "VALID":
            count = (n - reach) // step + 1
            pads.append([0, 0])
        else:
            raise ValueError(f'padding must be "VALID" or "SAME" here, got {shown(padding)}')
        spans.append((count - 1) * step + 1)
    x = pad(x, [[0, 0], *pads, [0, 0]], constant_values=x.dtype.min)
    (rows, columns), (down, across) = spans, strides
    for i, j in itertools.product(range(window[0]), range(window[1])):
        a, b = i * rates[0], j * rates[1]
        yield (i, j), x[:, a : a + rows : down, b : b + columns : across]


@public("nn.dilation2d")
@told
def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The largest sums of windows of images and filters.

    >>> x = fg.reshape(fg.range(4.0), [1, 2, 2, 1])
    >>> fg.nn.dilation2d(x, fg.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy()
    array([[[[3.]]]], dtype=float32)

    Args:
      input: images of real numbers, or what converts to them: ``[batch, height, width, channels]``.
      filters: filters ``[height, width, channels]`` of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[batch, height, width, channels]``.

    Raises:
      ValueError: for another format or padding, or another count of strides or dilations.
      InvalidArgumentError: where the channels do not fit the filters.
    """
    if data_format != "NHWC":
        raise ValueError(f'data_format must be "NHWC", got {shown(data_format)}')
    input, filters = convert_pair(input, filters)
    steps, rates = entries(strides, 2, "strides"), entries(dilations, 2, "dilations")
    sizes = None if filters.shape.rank is None else filters.shape.as_list()
    if sizes is None or None in sizes[:2]:
        found = _largest_of_any(input, filters, steps[1:-1], rates[1:-1], padding)
        return emit("Identity", (found,), None, name)
    height, width, _ = sizes
    found = None
    for at, part in _taps(input, [height, width], steps[1:-1], rates[1:-1], padding):
        moved = part + filters[at]
        found = moved if found is None else maximum(found, moved)
    return emit("Identity", (found,), None, name)


@public("nn.erosion2d")
@told
def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The smallest differences of windows of images and filters.

    >>> x = fg.reshape(fg.range(1.0, 5.0), [1, 2, 2, 1])
    >>> fg.nn.erosion2d(x, fg.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy()
    array([[[[1.]]]], dtype=float32)

    Args:
      value: images of floats or signed integers, or what converts to them:
        ``[batch, height, width, channels]``.
      filters: filters ``[height, width, channels]`` of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NHWC".
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[batch, height, width, channels]``.

    Raises:
      ValueError: for another format or padding, or another count of strides or dilations.
      InvalidArgumentError: where the channels do not fit the filters.
    """
    value, filters = convert_pair(value, filters)
    turned = reverse(filters, [0, 1])
    grown = dilation2d(-value, turned, strides, padding, data_format, dilations)
    return emit("Neg", (grown,), None, name)
