"""``raw_ops``: batch normalisation."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..native import _core
from ..ops._numbers import check_flags
from ..values.errors import shown
from ..values.public import public
from .raw_values import by_keyword

__all__ = ["FusedBatchNormV2", "FusedBatchNormV3"]


class Normed(NamedTuple):
    """The normalised values, the statistics to go on with, and those of this batch."""

    y: Any
    batch_mean: Any
    batch_variance: Any
    reserve_space_1: Any
    reserve_space_2: Any


class NormedV3(NamedTuple):
    """The normalised values, the statistics to go on with, those of this batch, and nothing."""

    y: Any
    batch_mean: Any
    batch_variance: Any
    reserve_space_1: Any
    reserve_space_2: Any
    reserve_space_3: Any


@public("raw_ops.FusedBatchNormV2")
@by_keyword
def FusedBatchNormV2(
    *,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> Normed:
    """Values with a mean of ``offset`` and a deviation of ``scale`` in each channel.

    >>> x = fg.reshape(fg.constant([1.0, 3.0]), [2, 1, 1, 1])
    >>> found = fg.raw_ops.FusedBatchNormV2(
    ...     x=x, scale=[1.0], offset=[5.0], mean=[], variance=[], epsilon=0.0)
    >>> found.y.numpy().ravel(), found.batch_mean.numpy(), found.batch_variance.numpy()
    (array([4., 6.], dtype=float32), array([2.], dtype=float32), array([2.], dtype=float32))

    Args:
      x: ``[batch, height, width, channels]``, or as ``data_format`` says; float16, bfloat16 or
        float32.
      scale: a float32 vector, one number a channel.
      offset: a float32 vector, one number a channel.
      mean: the mean of each channel where it is not training, else what the new one is mixed with,
        empty where ``exponential_avg_factor`` is 1.
      variance: the variance of each channel, in the same way.
      epsilon: added to the variance.
      exponential_avg_factor: the share of this batch in ``batch_mean`` and ``batch_variance``.
      data_format: ``"NHWC"``, ``"NCHW"``, ``"NDHWC"`` or ``"NCDHW"``.
      is_training: whether the statistics are those of this batch.
      name: a name for the operation.

    Raises:
      ValueError: for another ``data_format``.
    """
    check_flags("FusedBatchNormV2", is_training=is_training)
    x, float32 = _core.convert_to_tensor(x), "float32"
    scale, offset, mean, variance = (
        _core.convert_to_tensor(v, None if isinstance(v, _core.Tensor) else float32)
        for v in (scale, offset, mean, variance)
    )
    axes, each = _axes(data_format)
    wide = ops.cast(x, float32)
    used, spread = mean, variance
    if is_training:
        used = ops.reduce_mean(wide, axes)
        centred = wide - ops.reshape(used, each)
        spread = ops.reduce_mean(ops.square(centred), axes)
        count = ops.cast(ops.size(x) // ops.maximum(ops.size(used), 1), float32)
        unbiased = spread * (count / ops.maximum(count - 1.0, 1.0))
        mean = _mixed(mean, used, exponential_avg_factor)
        variance = _mixed(variance, unbiased, exponential_avg_factor)
    inverse = ops.reshape(scale / ops.sqrt(spread + epsilon), each)
    y = (wide - ops.reshape(used, each)) * inverse + ops.reshape(offset, each)
    return Normed(ops.cast(y, x.dtype, name=name), mean, variance, used, spread)


@public("raw_ops.FusedBatchNormV3")
@by_keyword
def FusedBatchNormV3(
    *,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> NormedV3:
    """As ``FusedBatchNormV2``, with one more output, which is empty.

    >>> x = fg.ones([2, 1, 1, 1])
    >>> found = fg.raw_ops.FusedBatchNormV3(x=x, scale=[1.0], offset=[5.0], mean=[], variance=[])
    >>> found.y.numpy().ravel()
    array([5., 5.], dtype=float32)

    Args:
      x: as there, like the other arguments.
      scale: as there.
      offset: as there.
      mean: as there.
      variance: as there.
      epsilon: as there.
      exponential_avg_factor: as there.
      data_format: as there.
      is_training: as there.
      name: a name for the operation.
    """
    check_flags("FusedBatchNormV3", is_training=is_training)
    return NormedV3(
        *FusedBatchNormV2(
            x=x,
            scale=scale,
            offset=offset,
            mean=mean,
            variance=variance,
            epsilon=epsilon,
            exponential_avg_factor=exponential_avg_factor,
            data_format=data_format,
            is_training=is_training,
            name=name,
        ),
        ops.zeros([0]),
    )


def _axes(data_format: str) -> tuple[list[int], list[int]]:
    """The axes that are averaged, and the shape in which a vector of channels meets the values."""
    if data_format not in ("NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(
            f"data_format must be NHWC, NCHW, NDHWC or NCDHW, got {shown(data_format)}"
        )
    channels = data_format.index("C")
    axes = [i for i in range(len(data_format)) if i != channels]
    return axes, [-1 if i == channels else 1 for i in range(len(data_format))]


def _mixed(old: Any, new: Any, share: float) -> Any:
    """The statistics to go on with."""
    return new if share == 1 else (1 - share) * old + share * new
