"""Activations, normalisation, dropout and lookups of neural networks."""

from __future__ import annotations

import builtins
from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    axis_error,
    convert,
    convert_pair,
    emit,
    float32,
    rank_of,
    swapped_axes,
)
from ._dispatch import dispatched, told
from ._numbers import real, whole
from ._ranks import of_rank
from .arithmetic import add, divide, divide_no_nan, multiply, pow, squared_difference, subtract
from .arrays import concat, pad, reshape, shape
from .elementwise import erfc, negative, relu, rsqrt, sigmoid, square, tanh
from .numeric import cast, clip_by_norm
from .reductions import reduce_mean, reduce_sum
from .selection import gather


@public("nn.leaky_relu", ragged="flat")
@dispatched
def leaky_relu(features: TensorLike, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """``features`` where positive, else ``alpha * features``.

    >>> fg.nn.leaky_relu([-5.0, 2.0]).numpy()
    array([-1.,  2.], dtype=float32)

    Args:
      features: a tensor of real numbers, or what converts to one; of any shape. Integers become
        float32.
      alpha: the slope below 0, a number; 0.2 by default.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``features``, and of its dtype where that is floating.

    Raises:
      TypeError: where ``alpha`` is no number.
      InvalidArgumentError: for another dtype.
    """
    features = convert(features)
    if features.dtype.is_integer:
        features = cast(features, float32)
    return emit("LeakyRelu", (features,), {"alpha": real(alpha, "leaky_relu: alpha")}, name)


@public("nn.crelu")
@told
def crelu(features: TensorLike, axis: Any = -1, name: str | None = None) -> Tensor:
    """``relu(features)`` and ``relu(-features)`` joined along an axis.

    >>> fg.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)

    Args:
      features: a tensor of floats or signed integers, or what converts to one; of rank 1 or more.
      axis: the axis to join along, the last one by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``features``, twice as long along the axis.

    Raises:
      InvalidArgumentError: for another dtype, and where the axis is outside of the rank.
    """
    features = convert(features)
    return relu(concat([features, negative(features)], axis), name)


@public("nn.gelu", ragged="flat")
@dispatched
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """``x * Phi(x)``, Phi being the distribution function of the normal distribution.

    >>> fg.nn.gelu([0.0, 1.0]).numpy().round(3)
    array([0.   , 0.841], dtype=float32)

    Args:
      features: a tensor of floats, or what converts to one; of any shape.
      approximate: whether to take ``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`` for
        it, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``features``.

    Raises:
      ValueError: for another dtype.
    """
    x = convert(features)
    if not x.dtype.is_floating:
        raise ValueError(f"gelu needs floats, got dtype {x.dtype.name}")
    if approximate:
        cubed = multiply(multiply(x, x), x)
        inner = multiply(0.7978845608028654, add(x, multiply(0.044715, cubed)))
        phi = add(1.0, tanh(inner))
    else:
        phi = erfc(multiply(x, -0.7071067811865476))
    return multiply(multiply(0.5, x), phi, name)


@public("nn.silu", "nn.swish", ragged="flat")
@dispatched
def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """``features * sigmoid(beta * features)``.

    >>> fg.nn.silu([0.0, 2.0]).numpy().round(3)
    array([0.   , 1.762], dtype=float32)

    Args:
      features: a tensor of floats or complex numbers, or what converts to one; of any shape.
      beta: a tensor of the same dtype, or what converts to one, whose shape broadcasts with that of
        ``features``; 1.0 by default.

    Returns:
      A tensor of that dtype and of the shape that both broadcast to.

    Raises:
      TypeError: for integers.
    """
    features, beta = convert_pair(features, beta)
    return multiply(features, sigmoid(multiply(beta, features)))


swish = silu


def _along(op: Any, logits: Any, axis: Any, name: Any) -> Any:
    logits = convert(logits)
    axes = logits.ndim
    axis = -1 if axis is None else whole(axis, f"{op}: axis")
    if axes is not None and not -axes <= axis < axes:
        raise axis_error(axis, logits.shape)
    if axis == -1 or axes is not None and axis == axes - 1:
        return emit(op, (logits,), None, name)
    order = swapped_axes(logits, axis)
    turned = emit(op, (emit("Transpose", (logits, order), None, None),), None, None)
    return emit("Transpose", (turned, order), None, name)


@public("math.softmax", "nn.softmax")
@dispatched
def softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """``exp(logits) / sum(exp(logits))`` along an axis, without overflow.

    >>> fg.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)

    Args:
      logits: a tensor of floats, or what converts to one; of rank 1 or more.
      axis: the axis, an int; the last one unless told, negative ones count from the end.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``logits``.

    Raises:
      ValueError, InvalidArgumentError: where the axis is outside of the rank, while tracing and
        when run.
    """
    return _along("Softmax", logits, axis, name)


@public("math.log_softmax", "nn.log_softmax")
@dispatched
def log_softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """``logits - log(sum(exp(logits)))`` along an axis, without overflow.

    >>> fg.nn.log_softmax([0.0, 0.0]).numpy().round(4)
    array([-0.6931, -0.6931], dtype=float32)

    Args:
      logits: a tensor of floats, or what converts to one; of rank 1 or more.
      axis: the axis, an int; the last one unless told, negative ones count from the end.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``logits``.

    Raises:
      ValueError, InvalidArgumentError: where the axis is outside of the rank, while tracing and
        when run.
    """
    return _along("LogSoftmax", logits, axis, name)


@public("nn.l2_loss")
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares, ``sum(t^2) / 2``.

    >>> fg.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)

    Args:
      t: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A scalar of the dtype of ``t``.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return emit("L2Loss", (t,), None, name)


@public("nn.bias_add")
@told
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """``value`` with one number of ``bias`` added to each channel.

    >>> fg.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0]).numpy().tolist()
    [[11.0, 22.0], [13.0, 24.0]]

    Args:
      value: a tensor of rank 2 or more.
      bias: a vector of the size of the channel axis.
      data_format: "N...C" or None where channels are last, "NC..." where they come second.
      name: a name for the operation.

    Raises:
      ValueError: for another format, and while tracing where the sizes differ.
      InvalidArgumentError: where the sizes differ, when run.
    """
    if data_format is not None and not data_format.startswith("N"):
        raise ValueError(f"data_format must be 'N...C' or 'NC...', got {shown(data_format)}")
    value, bias = convert_pair(value, bias)
    first = data_format is not None and data_format.startswith("NC")
    return emit("BiasAdd", (value, bias), {"data_format": "NCHW" if first else "NHWC"}, name)


@public("nn.moments")
def moments(
    x: TensorLike,
    axes: Any,
    shift: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The mean and the variance (of the population) over axes.

    >>> mean, variance = fg.nn.moments([1.0, 3.0], axes=[0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))

    Args:
      x: a tensor of floats; half precision is summed as float32.
      axes: the axes to reduce.
      shift: not used.
      keepdims: whether reduced axes stay, with size 1.
      name: a name for the operation.
    """
    x = convert(x)
    narrow = x.dtype if x.dtype.name in ("float16", "bfloat16") else None
    y = x if narrow is None else cast(x, float32)
    mean = reduce_mean(y, axes, True)
    variance = reduce_mean(squared_difference(y, mean), axes, keepdims)
    if not keepdims:
        mean = reshape(mean, shape(variance))
    return (mean, variance) if narrow is None else (cast(mean, narrow), cast(variance, narrow))


@public("nn.weighted_moments")
def weighted_moments(
    x: TensorLike,
    axes: Any,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """The mean and the variance (of the population) over axes with a weight for each element.

    Both are 0 where the weights sum up to 0.

    >>> [float(m) for m in fg.nn.weighted_moments([1.0, 3.0], 0, [1.0, 3.0])]
    [2.5, 0.75]

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      axes: the axes to reduce, an int or a list of them; negative ones count from the end.
      frequency_weights: the weights, a tensor of the same dtype whose shape broadcasts with that of
        ``x``.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      The mean and the variance, tensors of the dtype of ``x``.

    Raises:
      InvalidArgumentError: for another dtype, and where the shapes do not broadcast.
    """
    x, weights = convert_pair(x, frequency_weights)
    zeros = emit("ZerosLike", (weights,), None, None)
    weights = add(weights, emit("ZerosLike", (x,), None, None))
    x = add(x, zeros)
    total = reduce_sum(weights, axes, True)
    mean = divide_no_nan(reduce_sum(multiply(weights, x), axes, True), total)
    spread = multiply(weights, squared_difference(x, mean))
    variance = divide_no_nan(reduce_sum(spread, axes, True), total)
    if keepdims:
        return mean, variance
    sizes = shape(reduce_sum(x, axes))
    return reshape(mean, sizes), reshape(variance, sizes)


@public("nn.sufficient_statistics")
def sufficient_statistics(
    x: TensorLike,
    axes: Any,
    shift: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Any:
    """What moments are computed from: the count, the sum and the sum of squares of ``x - shift``.

    >>> [float(m) for m in fg.nn.sufficient_statistics([1.0, 3.0], [0])[:3]]
    [2.0, 4.0, 10.0]

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      axes: the axes to reduce, an int or a list of them; negative ones count from the end.
      shift: what to take from ``x`` first, a tensor of its dtype that broadcasts to it; nothing
        unless told.
      keepdims: whether reduced axes stay in the sums, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      ``(count, sum, sum of squares, shift)``, of the dtype of ``x``: the count a scalar, the shift
        None where none is given.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """
    x = convert(x)
    counted = reduce_sum(emit("OnesLike", (x,), None, None), axes)
    count = reshape(counted, [-1])[0]
    apart = x if shift is None else subtract(x, shift)
    sums = reduce_sum(apart, axes, keepdims), reduce_sum(square(apart), axes, keepdims)
    return count, *sums, None if shift is None else convert(shift, x.dtype)


@public("nn.normalize_moments")
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike,
    name: str | None = None,
) -> Any:
    """The mean and the variance from what ``sufficient_statistics`` gives.

    >>> [float(m) for m in fg.nn.normalize_moments(2.0, 4.0, 10.0, None)]
    [2.0, 1.0]

    Args:
      counts: the count, a scalar of floats or complex numbers, or what converts to one.
      mean_ss: the sum, a tensor of the same dtype; of any shape.
      variance_ss: the sum of squares, of the dtype and the shape of ``mean_ss``.
      shift: what was taken from the elements, of the same dtype and a shape that broadcasts; or
        None.
      name: a name for the operation.

    Returns:
      The mean and the variance, tensors of that dtype.
    """
    part = divide(1.0, convert(counts))
    around = multiply(mean_ss, part)
    mean = around if shift is None else add(around, shift)
    return mean, subtract(multiply(variance_ss, part), square(around), name)


@public("nn.batch_normalization")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike,
    scale: TensorLike,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """``scale * (x - mean) / sqrt(variance + variance_epsilon) + offset``.

    >>> fg.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)

    Args:
      x: a tensor of floats, whose dtype the result has.
      mean: a tensor that broadcasts to it; the others are of its dtype.
      variance: likewise.
      offset: likewise, or None for none.
      scale: likewise, or None for none.
      variance_epsilon: a small number against division by zero.
      name: a name for the operation.
    """
    x = convert(x)
    mean, variance = convert(mean, dtype_hint=x.dtype), convert(variance, dtype_hint=x.dtype)
    factor = rsqrt(add(variance, variance_epsilon))
    if scale is not None:
        factor = multiply(factor, scale)
    moved = multiply(negative(mean), factor)
    if offset is not None:
        moved = add(convert(offset, dtype_hint=moved.dtype), moved)
    return add(multiply(x, cast(factor, x.dtype)), cast(moved, x.dtype), name)


@public("nn.embedding_lookup")
@dispatched
def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of a table with these ids.

    >>> fg.nn.embedding_lookup(fg.constant([[1.0], [2.0], [3.0]]), [2, 0]).numpy().tolist()
    [[3.0], [1.0]]

    Args:
      params: the table: a tensor or variable, or a list of its parts, one below the other.
      ids: integers of any shape.
      max_norm: where given, rows are scaled down to have at most this Euclidean norm.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for an id outside of the table.
    """
    if isinstance(params, (list, tuple)):
        params = params[0] if len(params) == 1 else concat(params, 0)
    rows = gather(params, ids, name=name)
    if max_norm is None:
        return rows
    ids = convert(ids)
    axes = emit("Range", (rank_of(ids), rank_of(rows), 1), None, None)
    return clip_by_norm(rows, max_norm, axes, name)


@public("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: TensorLike,
    depth_radius: Any = 5,
    bias: TensorLike = 1,
    alpha: Any = 1,
    beta: TensorLike = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each element divided by ``(bias + alpha * s)^beta``, s being the sum of squares of near
    channels.

    >>> fg.nn.lrn([[[[1.0, 2.0]]]], depth_radius=1).shape
    TensorShape([1, 1, 1, 2])

    Args:
      input: a tensor of rank 4 with channels last.
      depth_radius: how many channels on either side count.
      bias: as in the formula.
      alpha: as in the formula.
      beta: as in the formula.
      name: a name for the operation.
    """
    x = of_rank(convert(input), 4)
    radius = whole(depth_radius, "local_response_normalization: depth_radius")
    squares = pad(square(x), [[0, 0], [0, 0], [0, 0], [radius, radius]])
    channels = shape(x)[3] if x.shape.as_list()[3] is None else x.shape.as_list()[3]
    total = squares[..., :channels]
    for i in builtins.range(1, 2 * radius + 1):
        total = add(total, squares[..., i : i + channels])
    return divide(x, pow(add(multiply(total, alpha), bias), beta), name)


lrn = local_response_normalization
