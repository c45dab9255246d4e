"""Rearrangements between space, channels and batch, and reversed prefixes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, contains_tensor, convert, emit, refusal, static_value
from ._dispatch import told
from ._numbers import whole
from ._ranks import of_rank, to_front
from .arithmetic import less, subtract
from .arrays import concat, expand_dims, pad, reshape, shape, transpose
from .creation import range
from .selection import gather


def _sizes(x: Any) -> Any:
    """The size of each axis: a number where known, else a scalar tensor."""
    static = x.shape.as_list()
    if None not in static:
        return static
    dynamic = shape(x)
    return [dynamic[i] if n is None else n for i, n in enumerate(static)]


def _check_layout(x: Any, data_format: Any, block_size: Any) -> Any:
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be 'NHWC' or 'NCHW', got {shown(data_format)}")
    if block_size < 2:
        raise ValueError(f"block_size must be 2 or more, got {block_size}")
    if x.ndim != 4:
        raise ValueError(f"a tensor of rank 4 is needed, got shape {x.shape}")


@public("nn.space_to_depth")
@told
def space_to_depth(
    input: TensorLike, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Square blocks of places moved into the channels.

    >>> fg.nn.space_to_depth(fg.reshape(fg.range(4), [1, 2, 2, 1]), 2).numpy().tolist()
    [[[[0, 1, 2, 3]]]]

    Args:
      input: images of any dtype, or what converts to them: ``[batch, height, width, channels]``, or
        ``[batch, channels, height, width]``.
      block_size: the side of a block, an int from 2 up.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input``, with ``block_size ** 2`` times as many channels.

    Raises:
      ValueError: for another rank, block or format, and while tracing where height and width are
        known not to be multiples; InvalidArgumentError for these when it runs.
      TypeError: where ``block_size`` is no integer.
    """
    x, n = of_rank(convert(input), 4), whole(block_size, "block_size")
    _check_layout(x, data_format, n)
    if data_format == "NCHW":
        inner = space_to_depth(transpose(x, [0, 2, 3, 1]), n)
        return transpose(inner, [0, 3, 1, 2], name=name)
    batch, height, width, channels = _sizes(x)
    if any(isinstance(side, int) and side % n for side in (height, width)):
        raise refusal(f"height and width of {x.shape} are no multiples of {n}")
    cut = reshape(x, [batch, height // n, n, width // n, n, channels])
    moved = transpose(cut, [0, 1, 3, 2, 4, 5])
    return reshape(moved, [batch, height // n, width // n, channels * (n * n)], name)


@public("nn.depth_to_space")
@told
def depth_to_space(
    input: TensorLike, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Channels moved out into square blocks of places: undoes ``space_to_depth``.

    >>> fg.nn.depth_to_space(fg.reshape(fg.range(4), [1, 1, 1, 4]), 2).shape
    TensorShape([1, 2, 2, 1])

    Args:
      input: images of any dtype, or what converts to them: ``[batch, height, width, channels]``, or
        ``[batch, channels, height, width]``.
      block_size: the side of a block, an int from 2 up.
      data_format: "NHWC" (the default), or "NCHW" where channels come second.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input``, ``block_size`` times as high and as wide.

    Raises:
      ValueError: for another rank, block or format, and while tracing where the channels are known
        not to be a multiple of the block; InvalidArgumentError for these when it runs.
      TypeError: where ``block_size`` is no integer.
    """
    x, n = of_rank(convert(input), 4), whole(block_size, "block_size")
    _check_layout(x, data_format, n)
    if data_format == "NCHW":
        inner = depth_to_space(transpose(x, [0, 2, 3, 1]), n)
        return transpose(inner, [0, 3, 1, 2], name=name)
    batch, height, width, channels = _sizes(x)
    if isinstance(channels, int) and channels % (n * n):
        raise refusal(f"the channels of {x.shape} are no multiple of {n * n}")
    cut = reshape(x, [batch, height, width, n, n, channels // (n * n)])
    moved = transpose(cut, [0, 1, 3, 2, 4, 5])
    return reshape(moved, [batch, height * n, width * n, channels // (n * n)], name)


@public("nn.space_to_batch", "space_to_batch", "space_to_batch_nd")
def space_to_batch(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Places ``block_shape`` apart along the axes after the first moved into the batch.

    >>> fg.space_to_batch(fg.reshape(fg.range(4), [1, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1, 1])

    Args:
      input: a tensor whose first axis is the batch.
      block_shape: the block, a vector.
      paddings: how many zeros to put before and after each of those axes first.
      name: a name for the operation.
    """
    x = convert(input)
    block = _block(block_shape, "space_to_batch")
    rank = x.ndim
    if rank is None:
        return _by_first(x, len(block) + 1, lambda flat: space_to_batch(flat, block, paddings))
    quiet = [[0, 0]] * (rank - 1 - len(block))
    x = pad(x, concat([[[0, 0]], paddings, *([quiet] if quiet else [])], 0))
    batch, *sizes = _sizes(x)
    k = len(block)
    cut = [batch]
    for side, n in zip(sizes, block, strict=False):
        cut += [side // n, n]
    order = [2 * i + 2 for i in builtins.range(k)] + [0]
    order += [2 * i + 1 for i in builtins.range(k)]
    order += builtins.range(2 * k + 1, rank + k)
    moved = transpose(reshape(x, cut + sizes[k:]), order)
    for n in block:
        batch = batch * n
    inner = [side // n for side, n in zip(sizes, block, strict=False)]
    return reshape(moved, [batch, *inner, *sizes[k:]], name)


@public("batch_to_space")
def batch_to_space(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """Undoes ``space_to_batch``.

    >>> fg.batch_to_space(fg.zeros([4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([1, 2, 2, 1])

    Args:
      input: a tensor, or what converts to one, of any dtype; the first axis is the batch, a
        multiple of the places of a block.
      block_shape: the block, a vector of integers above 0, which must be known.
      crops: how much to cut off before and after each of these axes, a matrix of integers with a
        row for each.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input``.

    Raises:
      ValueError: where ``block_shape`` is unknown or no vector.
      InvalidArgumentError: where it is not positive, or the batch is no multiple of it; ValueError
        while tracing.
    """
    x = convert(input)
    block = _block(block_shape, "batch_to_space")
    if x.ndim is None:
        return _by_first(x, len(block) + 1, lambda flat: batch_to_space(flat, block, crops))
    batch, *sizes = _sizes(x)
    k = len(block)
    for n in block:
        batch = batch // n
    order = [k]
    for i in builtins.range(k):
        order += [k + 1 + i, i]
    order += builtins.range(2 * k + 1, x.ndim + k)
    moved = transpose(reshape(x, [*block, batch, *sizes]), order)
    whole = [side * n for side, n in zip(sizes, block, strict=False)]
    out = reshape(moved, [batch, *whole, *sizes[k:]])
    key = [slice(None)]
    crops = convert(crops)
    known = static_value(crops)
    ends = crops if known is None or known.shape != (k, 2) else known.tolist()
    for i, side in enumerate(whole):
        first, last = (ends[i][0], ends[i][1]) if ends is not crops else (crops[i, 0], crops[i, 1])
        key.append(slice(first, side - last))
    if known is not None and not known.any():
        return emit("Identity", (out,), None, name)
    return emit("Identity", (out[tuple(key)],), None, name)


def _by_first(x: Tensor, n: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """``function`` of a tensor of unknown rank, whose axes behind the first ``n`` are one there."""
    sizes = shape(x)
    rest = emit("Prod", (sizes[n:], [0]), None, None)
    leading = [sizes[i] for i in builtins.range(n)]
    out = function(reshape(x, [*leading, rest]))
    return reshape(out, concat([shape(out)[:n], sizes[n:]], 0))


def _block(value: Any, function: str) -> list[int]:
    """The sizes of a block, a vector that is known."""
    what = f"{function}: block_shape"
    known = static_value(convert(value) if contains_tensor(value) else value)
    if known is None:
        raise ValueError(f"{what} must be known while tracing")
    if known.ndim != 1:
        raise ValueError(f"{what} must be a vector, got shape {known.shape}")
    sizes = [whole(n, what) for n in known]
    if any(n < 1 for n in sizes):
        raise refusal(f"{what} must be positive, got {sizes}")
    return sizes


def _axis(axis: Any, rank: int | None, what: str) -> int:
    number = whole(axis, f"reverse_sequence: {what}")
    if rank is None:
        return number
    if not -rank <= number < rank:
        raise ValueError(f"reverse_sequence: {what} {number} is not in [{-rank}, {rank})")
    return number % rank


@public("reverse_sequence")
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Tensor:
    """The first ``seq_lengths[i]`` places along ``seq_axis`` reversed in the i-th slice along
    ``batch_axis``.

    >>> fg.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]

    Args:
      input: a tensor.
      seq_lengths: a vector of integers.
      seq_axis: the axis reversed.
      batch_axis: the axis of the sequences; 0 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where a length is more than the axis has.
    """
    x, lengths = convert(input), of_rank(convert(seq_lengths), 1)
    batch_axis = 0 if batch_axis is None else _axis(batch_axis, x.ndim, "batch_axis")
    seq_axis = _axis(seq_axis, x.ndim, "seq_axis")
    order, back = to_front(x, [batch_axis, seq_axis])
    places = expand_dims(range(shape(x, lengths.dtype)[seq_axis]), 0)
    lengths = expand_dims(lengths, 1)
    turned = subtract(subtract(lengths, 1), places)
    picks = emit("SelectV2", (less(places, lengths), turned, places), None, None)
    out = gather(transpose(x, order), picks, batch_dims=1)
    return transpose(out, back, name=name)
