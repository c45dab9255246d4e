"""Dropout: a random part of the elements becomes 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, is_tensor
from ._dispatch import dispatched
from ._numbers import real, several
from .arithmetic import divide, greater_equal, multiply, subtract
from .arrays import shape
from .random_ops import stateless_uniform, uniform

__all__ = ["dropout", "general_dropout", "stateless_dropout"]


@public("nn.dropout", ragged="flat")
@dispatched
def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """``x`` with a random part ``rate`` of its elements set to 0, the others divided by ``1 -
    rate``.

    >>> fg.nn.dropout([1.0, 2.0], rate=0.0).numpy()
    array([1., 2.], dtype=float32)

    Args:
      x: a tensor of floats.
      rate: the probability of an element to be dropped, in [0, 1).
      noise_shape: the shape of what is drawn, which broadcasts to that of ``x``; None in it is the
        size that ``x`` has there.
      seed: a seed of the operation; see ``fg.random.set_seed``.
      name: a name for the operation.

    Raises:
      ValueError: where ``rate`` is outside of [0, 1), or ``x`` is not of floats.
    """
    return _dropped(x, rate, noise_shape, partial(uniform, seed=seed), name)


@public("nn.experimental.stateless_dropout", ragged="flat")
@dispatched
def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Any = "auto_select",
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``dropout``, the same elements for the same seed wherever it is called.

    >>> x = fg.ones([6])
    >>> fg.nn.experimental.stateless_dropout(x, rate=0.5, seed=[1, 0]).numpy()
    array([2., 0., 2., 0., 0., 0.], dtype=float32)

    Args:
      x: a tensor of floats.
      rate: the probability of an element to be dropped, in [0, 1).
      seed: two integers.
      rng_alg: the algorithm of the numbers, as ``random.stateless_uniform`` takes it.
      noise_shape: as ``dropout`` takes it.
      name: a name for the operation.

    Raises:
      ValueError: where ``rate`` is outside of [0, 1), or ``x`` is not of floats.
    """
    draw = partial(stateless_uniform, seed=seed, alg=rng_alg)
    return _dropped(x, rate, noise_shape, draw, name)


@public("nn.experimental.general_dropout", ragged="flat")
@dispatched
def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Callable[..., Any],
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``dropout``, by numbers that a function draws.

    >>> halves = lambda shape, dtype: fg.constant([0.1, 0.9], dtype)
    >>> fg.nn.experimental.general_dropout([1.0, 2.0], 0.5, halves).numpy()
    array([0., 4.], dtype=float32)

    Args:
      x: a tensor of floats.
      rate: the probability of an element to be dropped, in [0, 1).
      uniform_sampler: a function of ``shape`` and ``dtype``, which gives numbers of [0, 1).
      noise_shape: as ``dropout`` takes it.
      name: a name for the operation.

    Raises:
      ValueError: where ``rate`` is outside of [0, 1), or ``x`` is not of floats.
    """
    return _dropped(x, rate, noise_shape, uniform_sampler, name)


def _dropped(
    x: Any, rate: Any, noise_shape: Any, draw: Callable[..., Any], name: str | None
) -> Tensor:
    x = convert(x)
    if not x.dtype.is_floating:
        raise ValueError(f"dropout needs floats, got dtype {x.dtype.name}")
    if not is_tensor(rate):
        rate = real(rate, "dropout: rate", ValueError)
        if not 0 <= rate < 1:
            raise ValueError(f"the rate of a dropout must be in [0, 1), got {rate}")
        if rate == 0:
            return x
    if not callable(draw):
        raise TypeError(f"general_dropout: uniform_sampler must be a function, got {shown(draw)}")
    # As precise as the rate is said, whatever the dtype.
    scale = None if is_tensor(rate) else convert(1.0 / (1.0 - rate), x.dtype)
    rate = convert(rate, x.dtype)
    kept = greater_equal(draw(shape=_noise_shape(x, noise_shape), dtype=x.dtype), rate)
    scaled = multiply(x, divide(1.0, subtract(1.0, rate)) if scale is None else scale)
    return emit("SelectV2", (kept, scaled, convert(0, x.dtype)), None, name)


def _noise_shape(x: Any, given: Any) -> Any:
    """The shape of what is drawn."""
    if given is None:
        return shape(x)
    if is_tensor(given):
        return given
    sizes = several(given, "noise_shape")
    if None in sizes and x.shape.rank == len(sizes):
        known, whole = x.shape.as_list(), shape(x)
        unsaid = [whole[i] if n is None else n for i, n in enumerate(known)]
        sizes = [n if said is None else said for said, n in zip(sizes, unsaid, strict=True)]
    return sizes
