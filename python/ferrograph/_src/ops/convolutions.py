"""Convolutions: filters slid over sequences, images and volumes.

Channels are the last axis, or the second where ``data_format`` says so (``"NCHW"`` and its like).
``strides`` and ``dilations`` are a number for all axes, one for each, or one for each axis of the
tensor; ``padding`` is ``"VALID"``, ``"SAME"`` or a list of how many places stand before and after,
for each axis of the tensor.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, convert_pair, emit
from ._dispatch import told
from ._numbers import int32_of, several, whole
from .arrays import concat, expand_dims, reshape, shape, squeeze, transpose
from .selection import gather

__all__ = ["channels_first", "entries", "moved_back", "moved_last", "paddings"]

_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def channels_first(n: int, data_format: Any) -> bool:
    """Whether channels are the second axis of tensors with ``n`` axes between batch and channels.

    ValueError for another format.
    """
    if data_format in (None, _LAST[n]):
        return False
    if data_format == _FIRST[n]:
        return True
    raise ValueError(f"data_format must be {_LAST[n]!r} or {_FIRST[n]!r}, got {shown(data_format)}")


def entries(value: Any, n: int, what: str, first: bool = False) -> list[int]:
    """An entry for each axis of the tensor, with the channels last, of a number or a list.

    ValueError for a list of another length than 1, ``n`` or ``n + 2``.
    """
    is_one = isinstance(value, int) or not getattr(value, "ndim", 1)
    given = [1] if value is None else [value] if is_one else several(value, what)
    given = [whole(v, what) for v in given]
    if len(given) == n + 2:
        return [given[0], *given[2:], given[1]] if first else given
    if len(given) not in (1, n):
        raise ValueError(
            f"{what} must be a number, or 1, {n} or {n + 2} of them, got {shown(value)}"
        )
    return [1, *(given * n if len(given) == 1 else given), 1]


def paddings(padding: Any, n: int, first: bool = False) -> tuple[str, list[int]]:
    """The kind of padding and, where it is explicit, its numbers with the channels last.

    ValueError for a list that has no pair for each axis.
    """
    if isinstance(padding, str):
        return padding, []
    if not hasattr(padding, "__iter__"):
        raise TypeError(f"padding must be a string or pairs of numbers, got {shown(padding)}")
    # No more is read than tells that there is too much.
    pairs = [[int(v) for v in islice(pair, 3)] for pair in islice(padding, n + 3)]
    if len(pairs) != n + 2 or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"padding must be {n + 2} pairs of numbers, got {shown(padding)}")
    if first:
        pairs = [pairs[0], *pairs[2:], pairs[1]]
    return "EXPLICIT", [v for pair in pairs for v in pair]


def moved_last(x: Any, n: int) -> Any:
    """The second axis moved to the end."""
    return transpose(x, [0, *range(2, n + 2), 1])


def moved_back(x: Any, n: int) -> Any:
    """The last axis moved to be the second."""
    return transpose(x, [0, n + 1, *range(1, n + 1)])


def _attributes(
    n: int, strides: Any, padding: Any, dilations: Any, first: bool, explicit: bool = True
) -> dict[str, Any]:
    """The attributes of an operation that slides windows."""
    kind, pairs = paddings(padding, n, first)
    attrs = {
        "strides": entries(strides, n, "strides", first),
        "dilations": entries(dilations, n, "dilations", first),
        "padding": kind,
    }
    if explicit and n < 3:
        attrs["explicit_paddings"] = pairs
    elif kind == "EXPLICIT":
        raise ValueError(f'padding must be "VALID" or "SAME" here, got {shown(padding)}')
    return attrs


def _batched(x: Any, n: int, f: Any) -> Any:
    """``f`` of ``x`` with all its leading axes made one."""
    rank = x.shape.rank
    if rank is None or rank <= n + 2:
        return f(x)
    lead, rest = shape(x)[: rank - n - 1], shape(x)[rank - n - 1 :]
    out = f(reshape(x, concat([[-1], rest], 0)))
    return reshape(out, concat([lead, shape(out)[1:]], 0))


def _convolved(
    n: int, x: Any, filters: Any, attrs: dict[str, Any], first: bool, name: str | None
) -> Any:
    op = "Conv3D" if n == 3 else "Conv2D"
    if first:
        return moved_back(emit(op, (moved_last(x, n), filters), attrs, name), n)
    return _batched(x, n, lambda x: emit(op, (x, filters), attrs, name))


@public("nn.conv2d")
@told
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Filters ``[height, width, in, out]`` slid over images ``[..., height, width, channels]``.

    Each output is the sum of the products of a window and a filter. Where ``in`` divides the number
    of channels these are in groups, each with its part of the filters.

    >>> x = fg.reshape(fg.range(9.0), [1, 3, 3, 1])
    >>> fg.nn.conv2d(x, fg.ones([2, 2, 1, 1]), 1, "VALID").numpy()[0, :, :, 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)

    Args:
      input: images of floats.
      filters: filters of the same dtype.
      strides: how far windows are apart.
      padding: "VALID", "SAME" or pairs, see above.
      data_format: "NHWC" or "NCHW".
      dilations: how far the elements of a window are apart.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where channels do not fit the filters, or windows the image; ValueError
        while tracing.
    """
    input, filters = convert_pair(input, filters)
    first = channels_first(2, data_format)
    attrs = _attributes(2, strides, padding, dilations, first)
    return _convolved(2, input, filters, attrs, first, name)


@public("nn.conv3d")
@told
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Filters slid over volumes, as ``conv2d`` does over images.

    >>> x = fg.ones([1, 2, 2, 2, 1])
    >>> float(fg.nn.conv3d(x, fg.ones([2, 2, 2, 1, 1]), 1, "VALID")[0, 0, 0, 0, 0])
    8.0

    Args:
      input: volumes of floats, or what converts to them: ``[..., depth, height, width, channels]``,
        or with channels second ``[batch, channels, depth, height, width]``.
      filters: filters ``[depth, height, width, in, out]`` of the same dtype, where ``in`` divides
        the number of channels.
      strides: how far windows are apart: an int, a list of three for depth, height and width, or of
        5 for each axis of the tensor.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" (the default), or "NCDHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of three for depth,
        height and width, or of 5 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[..., depth, height, width, out]``, or with channels second
        ``[batch, out, depth, height, width]``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where channels do not fit the filters, or windows the volume, and for
        another dtype; ValueError and TypeError while tracing.
    """
    input, filters = convert_pair(input, filters)
    first = channels_first(3, data_format)
    attrs = _attributes(3, strides, padding, dilations, first)
    return _convolved(3, input, filters, attrs, first, name)


@public("nn.conv1d")
@told
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Filters slid over sequences, as ``conv2d`` does over images.

    >>> x = fg.reshape(fg.range(4.0), [1, 4, 1])
    >>> fg.nn.conv1d(x, fg.ones([2, 1, 1]), 1, "VALID").numpy()[0, :, 0]
    array([1., 3., 5.], dtype=float32)

    Args:
      input: sequences of floats, or what converts to them: ``[..., width, channels]``, or with
        channels second ``[batch, channels, width]``.
      filters: filters ``[width, in, out]`` of the same dtype, where ``in`` divides the number of
        channels.
      stride: how far windows are apart: an int, a list of one for the width, or of 3 for each axis
        of the tensor.
      padding: "VALID" or "SAME", or a list of 3 pairs: how many zeros come before and after along
        each axis of the tensor.
      data_format: "NWC" (the default), or "NCW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of one for the width, or
        of 3 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[..., width, out]``, or with channels second
        ``[batch, out, width]``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where channels do not fit the filters, or windows the sequence, and for
        another dtype; ValueError and TypeError while tracing.
    """
    input, filters = convert_pair(input, filters)
    first = channels_first(1, data_format)
    if first:
        return moved_back(
            conv1d(moved_last(input, 1), filters, stride, padding, "NWC", dilations), 1
        )
    attrs = _wide(_attributes(1, stride, padding, dilations, False))
    x, filters = expand_dims(input, -3), expand_dims(filters, 0)
    return squeeze(_convolved(2, x, filters, attrs, False, name), [-3])


def _wide(attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a convolution over one axis as those of one over images of one row."""
    made = {"padding": attrs["padding"], "explicit_paddings": attrs["explicit_paddings"]}
    if made["explicit_paddings"]:
        made["explicit_paddings"] = [0, 0, 0, 0, *made["explicit_paddings"][2:]]
    for what in ("strides", "dilations"):
        batch, step, channels = attrs[what]
        made[what] = [batch, 1, step, channels]
    return made


@public("nn.convolution")
@told
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """``conv1d``, ``conv2d`` or ``conv3d``, as the rank of the filters says.

    >>> fg.nn.convolution(fg.ones([1, 4, 1]), fg.ones([2, 1, 1])).shape
    TensorShape([1, 3, 1])

    Args:
      input: sequences, images or volumes of floats, or what converts to them, as ``conv1d``,
        ``conv2d`` and ``conv3d`` take them.
      filters: filters of the same dtype, of rank 3 for sequences, 4 for images, 5 for volumes.
      strides: how far windows are apart: an int, or a list of one for each axis that windows move
        along, or for each axis of the tensor; 1 unless told.
      padding: "VALID" (the default) or "SAME", or for sequences and images a list of pairs: how
        many zeros come before and after along each axis of the tensor.
      data_format: "NWC", "NHWC" or "NDHWC" (unless told), or "NCW", "NCHW" or "NCDHW" where
        channels come second.
      dilations: how far the elements of a window are apart, like ``strides``.
      name: a name for the operation.

    Returns:
      A tensor of that dtype, with ``out`` channels.

    Raises:
      ValueError: where the filters have another rank than 3, 4 or 5, for another format, or another
        count of strides, dilations or paddings.
      InvalidArgumentError: where channels do not fit the filters, or windows the input, and for
        another dtype; ValueError and TypeError while tracing.
    """
    filters = convert(filters)
    by_rank = {3: conv1d, 4: conv2d, 5: conv3d}
    if filters.ndim not in by_rank:
        raise ValueError(f"filters must have rank 3, 4 or 5, got shape {filters.shape}")
    n = filters.ndim - 2
    strides = 1 if strides is None else strides
    form = _LAST[n] if data_format in (None, "") else data_format
    return by_rank[filters.ndim](input, filters, strides, padding, form, dilations, name)


@public("nn.conv2d_transpose")
@told
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of ``conv2d``: each element of the input spreads a filter over the output.

    >>> x, filters = fg.ones([1, 2, 2, 1]), fg.ones([2, 2, 1, 1])
    >>> fg.nn.conv2d_transpose(x, filters, [1, 4, 4, 1], 2).numpy().sum()
    np.float32(16.0)

    Args:
      input: images of floats, or what converts to them: ``[batch, height, width, in]``, or with
        channels second ``[batch, in, height, width]``.
      filters: filters ``[height, width, out, in]`` of the same dtype.
      output_shape: the shape of the output, 4 integers in the order of ``data_format``: that of
        what ``conv2d`` with these arguments would make ``input`` of.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor; "SAME" by default.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of ``output_shape``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    return _transposed(
        2, input, filters, output_shape, strides, padding, data_format, dilations, name
    )


@public("nn.conv3d_transpose")
@told
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``conv2d_transpose``, of volumes.

    >>> x, filters = fg.ones([1, 1, 1, 1, 1]), fg.ones([2, 2, 2, 1, 1])
    >>> fg.nn.conv3d_transpose(x, filters, [1, 2, 2, 2, 1], 2).numpy().sum()
    np.float32(8.0)

    Args:
      input: volumes of floats, or what converts to them: ``[batch, depth, height, width, in]``, or
        with channels second ``[batch, in, depth, height, width]``.
      filters: filters ``[depth, height, width, out, in]`` of the same dtype.
      output_shape: the shape of the output, 5 integers in the order of ``data_format``: that of
        what ``conv3d`` with these arguments would make ``input`` of.
      strides: how far windows are apart: an int, a list of three for depth, height and width, or of
        5 for each axis of the tensor.
      padding: "VALID" or "SAME"; "SAME" by default.
      data_format: "NDHWC" (the default), or "NCDHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of three for depth,
        height and width, or of 5 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of ``output_shape``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    return _transposed(
        3, input, filters, output_shape, strides, padding, data_format, dilations, name
    )


@public("nn.conv1d_transpose")
@told
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``conv2d_transpose``, of sequences.

    >>> x, filters = fg.ones([1, 2, 1]), fg.ones([2, 1, 1])
    >>> fg.nn.conv1d_transpose(x, filters, [1, 4, 1], 2).numpy()[0, :, 0]
    array([1., 1., 1., 1.], dtype=float32)

    Args:
      input: sequences of floats, or what converts to them: ``[batch, width, in]``, or with channels
        second ``[batch, in, width]``.
      filters: filters ``[width, out, in]`` of the same dtype.
      output_shape: the shape of the output, 3 integers in the order of ``data_format``: that of
        what ``conv1d`` with these arguments would make ``input`` of.
      strides: how far windows are apart: an int, a list of one for the width, or of 3 for each axis
        of the tensor.
      padding: "VALID" or "SAME", or a list of 3 pairs: how many zeros come before and after along
        each axis of the tensor; "SAME" by default.
      data_format: "NWC" (the default), or "NCW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of one for the width, or
        of 3 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of ``output_shape``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    return _transposed(
        1, input, filters, output_shape, strides, padding, data_format, dilations, name
    )


def _transposed(
    n: int,
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    dilations: Any,
    name: Any,
) -> Any:
    input, filters = convert_pair(input, filters)
    first = channels_first(n, data_format)
    attrs = _attributes(n, strides, padding, dilations, first)
    sizes = int32_of(output_shape)
    if first:
        input = moved_last(input, n)
        sizes = gather(sizes, [0, *range(2, n + 2), 1])
    if n == 1:
        input, filters, attrs = expand_dims(input, 1), expand_dims(filters, 0), _wide(attrs)
        sizes = concat([sizes[:1], [1], sizes[1:]], 0)
    op = "Conv3DBackpropInputV2" if n == 3 else "Conv2DBackpropInput"
    out = emit(op, (sizes, filters, input), attrs, name)
    if n == 1:
        out = squeeze(out, [1])
    return moved_back(out, n) if first else out


@public("nn.conv_transpose")
@told
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transposed convolution that the rank of the filters says.

    >>> fg.nn.conv_transpose(fg.ones([1, 2, 1]), fg.ones([2, 1, 1]), [1, 4, 1], 2).shape
    TensorShape([1, 4, 1])

    Args:
      input: sequences, images or volumes of floats, or what converts to them, as
        ``conv1d_transpose``, ``conv2d_transpose`` and ``conv3d_transpose`` take them.
      filters: filters of the same dtype, of rank 3 for sequences, 4 for images, 5 for volumes.
      output_shape: the shape of the output, integers in the order of ``data_format``.
      strides: how far windows are apart: an int, or a list of one for each axis that windows move
        along, or for each axis of the tensor.
      padding: "SAME" (the default) or "VALID", or for sequences and images a list of pairs: how
        many zeros come before and after along each axis of the tensor.
      data_format: "NWC", "NHWC" or "NDHWC" (unless told), or "NCW", "NCHW" or "NCDHW" where
        channels come second.
      dilations: how far the elements of a window are apart, like ``strides``; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of ``output_shape``.

    Raises:
      ValueError: where the filters have another rank than 3, 4 or 5, for another format, or another
        count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    filters = convert(filters)
    if filters.ndim not in (3, 4, 5):
        raise ValueError(f"filters must have rank 3, 4 or 5, got shape {filters.shape}")
    n = filters.ndim - 2
    form = _LAST[n] if data_format in (None, "") else data_format
    return _transposed(n, input, filters, output_shape, strides, padding, form, dilations, name)


@public("nn.atrous_conv2d")
@told
def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """``conv2d`` with the elements of windows apart, and strides of 1.

    >>> fg.nn.atrous_conv2d(fg.ones([1, 5, 5, 1]), fg.ones([2, 2, 1, 1]), 2, "VALID").shape
    TensorShape([1, 3, 3, 1])

    Args:
      value: images of floats, or what converts to them: ``[..., height, width, channels]``.
      filters: filters ``[height, width, in, out]`` of the same dtype, where ``in`` divides the
        number of channels.
      rate: how many places the elements of a window are apart, an int.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[..., height, width, out]``.

    Raises:
      InvalidArgumentError: where channels do not fit the filters, or windows the image, and for
        another dtype; ValueError and TypeError while tracing.
    """
    return conv2d(value, filters, 1, padding, dilations=rate, name=name)


@public("nn.atrous_conv2d_transpose")
@told
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """``conv2d_transpose`` with the elements of windows apart, and strides of 1.

    >>> x, filters = fg.ones([1, 3, 3, 1]), fg.ones([2, 2, 1, 1])
    >>> fg.nn.atrous_conv2d_transpose(x, filters, [1, 5, 5, 1], 2, "VALID").shape
    TensorShape([1, 5, 5, 1])

    Args:
      value: images of floats, or what converts to them: ``[batch, height, width, in]``.
      filters: filters ``[height, width, out, in]`` of the same dtype.
      output_shape: the shape of the output, 4 integers.
      rate: how many places the elements of a window are apart, an int.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of ``output_shape``.

    Raises:
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate, name=name)


@public("nn.depthwise_conv2d")
@told
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Filters slid over images, ``m`` over each channel alone.

    Output ``c * m + q`` is of channel ``c`` and filter ``q``.

    >>> x = fg.reshape(fg.range(8.0), [1, 2, 2, 2])
    >>> fg.nn.depthwise_conv2d(x, fg.ones([2, 2, 2, 1]), [1, 1, 1, 1], "VALID").numpy()[0, 0, 0]
    array([12., 16.], dtype=float32)

    Args:
      input: images of floats, or what converts to them: ``[batch, height, width, channels]``, or
        ``[batch, channels, height, width]``.
      filter: filters ``[height, width, channels, m]`` of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor.
      data_format: "NHWC" (unless told), or "NCHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype, with ``channels * m`` channels.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the channels are not those of the filter, or windows do not fit
        the image, and for another dtype; ValueError and TypeError while tracing.
    """
    input, filter = convert_pair(input, filter)
    first = channels_first(2, data_format)
    attrs = _attributes(2, strides, padding, dilations, first)
    if first:
        made = emit("DepthwiseConv2dNative", (moved_last(input, 2), filter), attrs, name)
        return moved_back(made, 2)
    return emit("DepthwiseConv2dNative", (input, filter), attrs, name)


@public("nn.depthwise_conv2d_backprop_input")
@told
def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of the input of ``depthwise_conv2d``, of that of its output.

    >>> filter, grad = fg.ones([2, 2, 1, 1]), fg.ones([1, 1, 1, 1])
    >>> fg.nn.depthwise_conv2d_backprop_input(
    ...     [1, 2, 2, 1], filter, grad, [1, 1, 1, 1], "VALID").numpy().sum()
    np.float32(4.0)

    Args:
      input_sizes: the shape of the input, 4 integers in the order of ``data_format``.
      filter: filters ``[height, width, channels, m]`` of floats, or what converts to them.
      out_backprop: the gradient of the output, of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape ``input_sizes``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    filter, out_backprop = convert_pair(filter, out_backprop)
    attrs = _attributes(2, strides, padding, dilations, channels_first(2, data_format))
    sizes = int32_of(input_sizes)
    if not channels_first(2, data_format):
        inputs = (sizes, filter, out_backprop)
        return emit("DepthwiseConv2dNativeBackpropInput", inputs, attrs, name)
    inputs = (gather(sizes, [0, 2, 3, 1]), filter, moved_last(out_backprop, 2))
    return moved_back(emit("DepthwiseConv2dNativeBackpropInput", inputs, attrs, name), 2)


@public("nn.depthwise_conv2d_backprop_filter")
@told
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of the filter of ``depthwise_conv2d``, of that of its output.

    >>> x, grad = fg.ones([1, 2, 2, 1]), fg.ones([1, 1, 1, 1])
    >>> fg.nn.depthwise_conv2d_backprop_filter(
    ...     x, [2, 2, 1, 1], grad, [1, 1, 1, 1], "VALID").numpy().sum()
    np.float32(4.0)

    Args:
      input: the input, images of floats, or what converts to them.
      filter_sizes: the shape of the filter, 4 integers ``[height, width, channels, m]``.
      out_backprop: the gradient of the output, of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor; 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape ``filter_sizes``.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where the shapes do not fit together, and for another dtype; ValueError
        and TypeError while tracing.
    """
    input, out_backprop = convert_pair(input, out_backprop)
    attrs = _attributes(2, strides, padding, dilations, channels_first(2, data_format))
    if channels_first(2, data_format):
        input, out_backprop = moved_last(input, 2), moved_last(out_backprop, 2)
    inputs = (input, int32_of(filter_sizes), out_backprop)
    return emit("DepthwiseConv2dNativeBackpropFilter", inputs, attrs, name)


@public("nn.separable_conv2d")
@told
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """``depthwise_conv2d``, and a ``conv2d`` of its channels.

    >>> x, depthwise = fg.ones([1, 3, 3, 2]), fg.ones([2, 2, 2, 1])
    >>> y = fg.nn.separable_conv2d(x, depthwise, fg.ones([1, 1, 2, 1]), [1, 1, 1, 1], "VALID")
    >>> float(y[0, 0, 0, 0])
    8.0

    Args:
      input: images of floats, or what converts to them: ``[batch, height, width, channels]``, or
        ``[batch, channels, height, width]``.
      depthwise_filter: filters ``[height, width, channels, m]`` of the same dtype.
      pointwise_filter: filters ``[1, 1, channels * m, out]`` of the same dtype.
      strides: how far windows are apart: an int, a list of two for height and width, or of 4 for
        each axis of the tensor; those of ``depthwise_conv2d``.
      padding: "VALID" or "SAME", or a list of 4 pairs: how many zeros come before and after along
        each axis of the tensor; that of ``depthwise_conv2d``.
      data_format: "NHWC" (unless told), or "NCHW" where channels come second.
      dilations: how far the elements of a window are apart: an int, a list of two for height and
        width, or of 4 for each axis of the tensor; 1 unless told. Those of ``depthwise_conv2d``.
      name: a name for the operation.

    Returns:
      A tensor of that dtype, with ``out`` channels.

    Raises:
      ValueError: for another format, or another count of strides, dilations or paddings.
      InvalidArgumentError: where channels do not fit the filters, or windows the image, and for
        another dtype; ValueError and TypeError while tracing.
    """
    middle = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(middle, pointwise_filter, 1, "VALID", data_format or "NHWC", name=name)
