"""Losses of neural networks."""

from __future__ import annotations

import builtins
from typing import Any

from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    axis_error,
    convert,
    convert_pair,
    emit,
    float32,
    is_tensor,
    rank_of,
    refusal,
)
from ._dispatch import dispatched
from ._numbers import whole
from .arithmetic import add, divide, greater_equal, less_equal, logical_and, multiply, subtract
from .arrays import concat, rank, reshape, shape, transpose
from .debug import assert_equal
from .elementwise import abs, exp, log, log1p, negative, relu
from .numeric import cast
from .reductions import reduce_sum

_ONE_SHAPE = "the shapes of labels and logits do not fit"


@public("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: Any = -1, name: str | None = None
) -> Tensor:
    """``-sum(labels * log_softmax(logits))`` along the axis of the classes.

    >>> fg.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)

    Args:
      labels: probabilities, of the shape of ``logits``.
      logits: unscaled logarithms of probabilities; half precision is computed as float32.
      axis: the axis of the classes.
      name: a name for the operation.

    Returns:
      A tensor without that axis.
    """
    logits = convert(logits)
    labels = convert(labels, logits.dtype) if not hasattr(labels, "dtype") else convert(labels)
    labels = cast(labels, logits.dtype)
    narrow = logits.dtype if logits.dtype.name in ("float16", "bfloat16") else None
    if narrow is not None:
        logits, labels = cast(logits, float32), cast(labels, float32)
    axes = logits.ndim
    axis = whole(axis, "the axis of the classes", ValueError)
    if axes == 0:
        raise refusal("the classes need an axis: logits have rank 1 or more, got shape []")
    if axis not in (-1, axes and axes - 1):
        order = _moved_last(logits, axis)
        logits, labels = transpose(logits, order), transpose(labels, order)
    outer = None
    if axes != 2:
        outer = shape(logits)[:-1]
        logits, labels = _as_matrix(logits), _as_matrix(labels)
    cost = emit("SoftmaxCrossEntropyWithLogits", (logits, labels), None, name)[0]
    if outer is not None:
        cost = reshape(cost, outer)
    return cost if narrow is None else cast(cost, narrow)


def _moved_last(tensor: Any, axis: int) -> Any:
    """The order of axes in which ``axis`` comes last and the others stay as they are."""
    rank = rank_of(tensor)
    if not is_tensor(rank):
        if not -rank <= axis < rank:
            raise axis_error(axis, tensor.shape)
        order = list(builtins.range(rank))
        order.append(order.pop(axis))
        return order
    axes = emit("Range", (0, rank, 1), None, None)
    place = axis if axis >= 0 else add(rank, axis)
    return concat([axes[:place], axes[place + 1 :], axes[place : place + 1]], 0)


def _as_matrix(tensor: Any) -> Any:
    return reshape(tensor, [-1, shape(tensor)[-1]])


@public("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """``-log_softmax(logits)`` at the class that each label names, the classes being the last axis.

    >>> fg.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy().round(4)
    array([0.6931], dtype=float32)

    Args:
      labels: classes, integers with one axis fewer than ``logits``.
      logits: unscaled logarithms of probabilities.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where the shapes do not fit, or a label is no class.
    """
    labels, logits = convert(labels), convert(logits)
    narrow = logits.dtype if logits.dtype.name in ("float16", "bfloat16") else None
    if narrow is not None:
        logits = cast(logits, float32)
    if not _label_shapes_fit(labels, logits):
        raise ValueError(
            f"labels of shape {labels.shape} do not fit logits of shape {logits.shape}: "
            "they need one axis fewer"
        )
    op = "SparseSoftmaxCrossEntropyWithLogits"
    if logits.ndim == 2:
        cost = emit(op, (logits, labels), None, name)[0]
    else:
        _assert_one_shape(labels, logits, n_beyond=1)
        cost = emit(op, (_as_matrix(logits), reshape(labels, [-1])), None, name)[0]
        cost = reshape(cost, shape(labels))
    return cost if narrow is None else cast(cost, narrow)


def _label_shapes_fit(labels: Any, logits: Any) -> Any:
    if logits.ndim == 0:
        return False
    if labels.ndim is None or logits.ndim is None:
        return True
    return labels.shape.is_compatible_with(logits.shape.as_list()[:-1])


def _assert_one_shape(a: Tensor, b: Tensor, n_beyond: int = 0) -> None:
    """Let the run see to what is not known now: ``a`` has the shape of ``b`` but its last axes."""
    if a.shape.is_fully_defined() and b.shape.is_fully_defined():
        return
    if a.ndim is None or b.ndim is None:
        assert_equal(rank(a) + n_beyond, rank(b), _ONE_SHAPE)
    outer = shape(b)[:-n_beyond] if n_beyond else shape(b)
    assert_equal(shape(a), outer, _ONE_SHAPE)


def _labels_and_logits(labels: Any, logits: Any) -> Any:
    logits, labels = convert_pair(logits, labels)
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"labels and logits must have one shape, got {labels.shape} and {logits.shape}"
        )
    _assert_one_shape(labels, logits)
    return labels, logits


@public("nn.sigmoid_cross_entropy_with_logits", ragged="pair")
@dispatched
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike = None, logits: TensorLike = None, name: str | None = None
) -> Tensor:
    """``-labels * log(p) - (1 - labels) * log(1 - p)`` with ``p = sigmoid(logits)``, element by
    element.

    Computed as ``max(x, 0) - x * z + log(1 + exp(-|x|))``, x being the logits and z the labels,
    which does not overflow.

    >>> fg.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy().round(4)
    array([0.6931], dtype=float32)

    Args:
      labels: a tensor of the dtype and the shape of ``logits``, or what converts to one; numbers
        from 0 to 1. It must be given.
      logits: a tensor of floats, or what converts to one; of any shape. It must be given.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``logits``.

    Raises:
      ValueError: where the shapes differ, or one is not given.
      InvalidArgumentError: for another dtype.
    """
    z, x = _labels_and_logits(labels, logits)
    # Selecting by sign, rather than relu and abs, gives the gradient at 0 its value there.
    zero = convert(0, x.dtype)
    positive = greater_equal(x, zero)
    top = emit("SelectV2", (positive, x, zero), None, None)
    below = emit("SelectV2", (positive, negative(x), x), None, None)
    return add(subtract(top, multiply(x, z)), log1p(exp(below)), name)


@public("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: TensorLike = None,
    logits: TensorLike = None,
    pos_weight: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``sigmoid_cross_entropy_with_logits``, the term of the positive labels times
    ``pos_weight``.

    With ``l = 1 + (pos_weight - 1) * z`` this is
    ``(1 - z) * x + l * (log(1 + exp(-|x|)) + max(-x, 0))``.

    >>> fg.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy().round(4)
    array([1.3863], dtype=float32)

    Args:
      labels: a tensor of the dtype and the shape of ``logits``, or what converts to one; numbers
        from 0 to 1. It must be given.
      logits: a tensor of floats, or what converts to one; of any shape. It must be given.
      pos_weight: what the positive labels count, a number, or a tensor of the same dtype that
        broadcasts to ``logits``. It must be given.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``logits``.

    Raises:
      ValueError: where the shapes differ, or one is not given.
    """
    z, x = _labels_and_logits(labels, logits)
    weight = add(1.0, multiply(subtract(pos_weight, convert(1, x.dtype)), z))
    spread = add(log1p(exp(negative(abs(x)))), relu(negative(x)))
    return add(multiply(subtract(1.0, z), x), multiply(weight, spread), name)


@public("nn.log_poisson_loss")
def log_poisson_loss(
    targets: TensorLike, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """``exp(c) - z * c``, c being the logarithm of the prediction and z the target, by elements.

    >>> fg.nn.log_poisson_loss([1.0], [0.5]).numpy().round(4)
    array([1.1487], dtype=float32)

    Args:
      targets: a tensor of floats, or what converts to one; of any shape.
      log_input: logarithms of predictions, of the same dtype, whose shape broadcasts with that of
        ``targets``.
      compute_full_loss: whether to add Stirling's ``z * log(z) - z + log(2 * pi * z) / 2`` where z
        is above 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape that both broadcast to.

    Raises:
      InvalidArgumentError: for integers, and for shapes that do not broadcast.
    """
    log_input, targets = convert_pair(log_input, targets)
    loss = subtract(exp(log_input), multiply(log_input, targets))
    if not compute_full_loss:
        return emit("Identity", (loss,), None, name)
    whole = multiply(targets, log(targets))
    half = multiply(0.5, log(multiply(6.283185307179586, targets)))
    stirling = add(subtract(whole, targets), half)
    zero = convert(0, targets.dtype)
    small = logical_and(
        greater_equal(targets, zero), less_equal(targets, convert(1, targets.dtype))
    )
    return add(loss, emit("SelectV2", (small, zero, stirling), None, None), name)


@public("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of losses, each times its weight, divided by the size of the batch.

    >>> fg.nn.compute_average_loss([1.0, 3.0]).numpy()
    np.float32(2.0)

    Args:
      per_example_loss: a tensor of numbers, or what converts to one; the first axis is the batch.
      sample_weight: the weights, numbers whose shape broadcasts with that of the losses; 1 unless
        told.
      global_batch_size: the size of the batch, a scalar; the size of the first axis (1 for a
        scalar) unless told.

    Returns:
      A scalar of the dtype of the losses; float32 for integers of 8 and 16 bits, float64 for
        others.

    Raises:
      InvalidArgumentError: for bools and strings.
    """
    losses = convert(per_example_loss)
    if global_batch_size is None:
        global_batch_size = shape(losses)[0] if losses.ndim != 0 else 1
    if sample_weight is not None:
        losses = multiply(losses, cast(sample_weight, losses.dtype))
    return divide(reduce_sum(losses), cast(global_batch_size, losses.dtype))


@public("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of a regularisation loss; one machine takes part.

    >>> fg.nn.scale_regularization_loss([1.0]).numpy()
    np.float32(1.0)

    Args:
      regularization_loss: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A scalar of its dtype.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return reduce_sum(regularization_loss)
