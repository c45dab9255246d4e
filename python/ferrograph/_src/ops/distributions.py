"""Random numbers of distributions with parameters: gamma, Poisson, binomial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    dtype_or,
    emit,
    float32,
    int32,
    int64,
    is_tensor,
)
from ._dispatch import told
from .arithmetic import divide, maximum
from .arrays import broadcast_dynamic_shape, broadcast_to, concat, shape
from .numeric import cast
from .random_ops import sizes

__all__ = ["keyed_binomial", "reserved"]

_MODULUS = 2**31 - 1
# Blocks of the stream that a sample has for itself.
_BLOCKS = 256


def reserved(kind: str, shape: Tensor, each: int, seed: int | None) -> tuple[Tensor, ...]:
    """The key, the counter and the generator for a draw of that shape, by the program's seed or one
    of the operation's own.

    Args:
      kind: what draws. Draws of one kind with equal seeds of their own go on in one stream.
      shape: the shape of what is drawn.
      each: how many blocks of the stream each number has for itself.
      seed: the seed of the operation's own.
    """
    attrs = {"kind": kind, "each": each}
    if seed is not None:
        attrs |= {"seed2": int(seed) % _MODULUS, "shared": True}
    return (*emit("ReserveRandomBlocks", (shape,), attrs, None), convert(1, int32))


def _behind(each: Any, parameters: Tensor) -> Tensor:
    """The shape of as many samples for each of the parameters."""
    each = sizes(each)
    return concat([each, shape(parameters, each.dtype)], 0)


@public("random.stateless_gamma")
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Samples of gamma distributions, by a seed given as two integers.

    The gradient flows to both parameters.

    >>> fg.random.stateless_gamma([2], seed=[1, 2], alpha=2.0).numpy().round(3)
    array([2.817, 1.924], dtype=float32)

    Args:
      shape: the shape of the samples, which ends with that of the parameters.
      seed: two integers.
      alpha: the shapes of the distributions, above 0.
      beta: their rates, 1 unless given; both broadcast.
      dtype: the dtype of samples and parameters.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``shape`` does not end with the shape of the parameters.
    """
    keyed = emit("StatelessRandomGetKeyCounter", (convert(seed),), None, None)
    state = (*keyed, convert(1, int32))
    return _gamma(sizes(shape), state, *_parameters(alpha, beta, as_dtype(dtype)), name)


def _parameters(alpha: Any, beta: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """The shapes of gamma distributions, for each of their rates, and these."""
    alpha, rate = convert(alpha, dtype), convert(1 if beta is None else beta, dtype)
    if beta is not None:
        alpha = broadcast_to(alpha, broadcast_dynamic_shape(_shape(alpha), _shape(rate)))
    return alpha, rate


def _gamma(
    size: Tensor, state: tuple[Tensor, ...], alpha: Tensor, rate: Tensor, name: Any
) -> Tensor:
    """Samples from where a generator stands: at a key and a counter."""
    samples = emit("StatelessRandomGammaV3", (size, *state, alpha), None, name)
    return maximum(convert(_tiny(alpha.dtype), alpha.dtype), divide(samples, rate))


def _shape(x: Tensor) -> Tensor:
    return shape(x)


def _tiny(dtype: Any) -> float:
    """The smallest normal number of a floating dtype."""
    return {"float16": 2.0**-14, "float64": 2.0**-1022}.get(dtype.name, 2.0**-126)


@public("random.gamma")
@told
def gamma(
    shape: Any,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples of gamma distributions: ``shape`` of them for each of the parameters.

    The gradient flows to both parameters. Eager numbers are those that tensorflow draws eagerly for
    the same seeds; ``stateless_gamma`` draws the same everywhere.

    >>> fg.random.gamma([5], [0.5, 2.0]).shape
    TensorShape([5, 2])

    Args:
      shape: the shape of the samples of each distribution.
      alpha: the shapes of the distributions, above 0.
      beta: their rates, 1 unless given; both broadcast.
      dtype: the dtype of samples and parameters.
      seed: a seed of the operation's own, beside the global one.
      name: a name for the operation.
    """
    alpha, rate = _parameters(alpha, beta, as_dtype(dtype))
    size = _behind(shape, alpha)
    kind = f"RandomGamma {size.dtype.name} {alpha.dtype.name}"
    return _gamma(size, reserved(kind, size, _BLOCKS, seed), alpha, rate, name)


@public("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: TensorLike, dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Samples of Poisson distributions, by a seed given as two integers.

    >>> fg.random.stateless_poisson([3], seed=[1, 2], lam=4.0).numpy()
    array([6, 5, 6], dtype=int32)

    Args:
      shape: the shape of the samples, which ends with that of the rates.
      seed: two integers.
      lam: the rates; NaN where one is no rate, 0 for integers.
      dtype: the dtype of the samples.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``shape`` does not end with the shape of ``lam``.
    """
    inputs = (sizes(shape), convert(seed), convert(lam))
    return emit("StatelessRandomPoisson", inputs, {"dtype": as_dtype(dtype)}, name)


@public("random.poisson")
@told
def poisson(
    shape: Any,
    lam: TensorLike,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Samples of Poisson distributions: ``shape`` of them for each of the rates ``lam``.

    Eager numbers are those that tensorflow draws eagerly for the same seeds;
    ``stateless_poisson`` draws the same everywhere.

    >>> fg.random.poisson([5], [0.5, 20.0]).shape
    TensorShape([5, 2])

    Args:
      shape: the shape of the samples of each distribution.
      lam: the rates.
      dtype: the dtype of the samples.
      seed: a seed of the operation's own, beside the global one.
      name: a name for the operation.
    """
    lam = convert(lam)
    dtype, size = dtype_or(dtype, int64), _behind(shape, lam)
    kind = f"RandomPoissonV2 {size.dtype.name} {lam.dtype.name} {dtype.name}"
    inputs = (size, *reserved(kind, size, _BLOCKS, seed), lam)
    return emit("StatelessRandomPoissonV2", inputs, {"dtype": dtype}, name)


@public("math.sobol_sample")
def sobol_sample(
    dim: TensorLike,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Points of the Sobol sequence, which fill the unit cube evenly: ``num_results`` rows.

    The point of zeros, with which the sequence begins, is left out. The direction numbers are those
    of Joe and Kuo.

    >>> fg.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)

    Args:
      dim: how many dimensions, up to 1111.
      num_results: how many points.
      skip: how many points to leave out before.
      dtype: float32 or float64.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for other numbers of dimensions or points.
    """
    inputs = [convert(number, int32) for number in (dim, num_results, skip)]
    return emit("SobolSample", inputs, {"dtype": dtype_or(dtype, float32)}, name)


@public("random.stateless_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """How many of ``counts`` trials succeed, by a seed given as two integers.

    >>> fg.random.stateless_binomial([3], seed=[1, 2], counts=100.0, probs=0.25).numpy()
    array([30, 28, 31], dtype=int32)

    Args:
      shape: the shape of the samples, which ends with that of the parameters.
      seed: two integers.
      counts: how many trials there are.
      probs: the probabilities of success; both broadcast.
      output_dtype: the dtype of the samples.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``shape`` does not end with the shape of the parameters.
    """
    inputs = (sizes(shape), convert(seed), *_binomial_parameters(counts, probs))
    dtype = dtype_or(output_dtype, int64)
    return emit("StatelessRandomBinomial", inputs, {"dtype": dtype}, name)


def _binomial_parameters(counts: TensorLike, probs: TensorLike) -> tuple[Tensor, Tensor]:
    """Counts and probabilities of one dtype. TypeError where the latter are no floats."""
    counts = convert(counts)
    probs = convert(probs) if is_tensor(probs) else convert(probs, dtype_hint=float32)
    if not probs.dtype.is_floating:
        raise TypeError(f"probs must be floats, got {probs.dtype.name}")
    if counts.dtype != probs.dtype:
        counts = cast(counts, probs.dtype)
    return counts, probs


def keyed_binomial(
    size: Tensor,
    state_of: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]],
    counts: TensorLike,
    probs: TensorLike,
    dtype: Any,
    name: str | None,
) -> Tensor:
    """Samples of shape ``size`` by the key, counter and algorithm that ``state_of`` gives.

    ``state_of`` gets how far the draw moves the state: 200 numbers for a sample, and for three more
    of every place, of which a quarter are counted.
    """
    counts, probs = _binomial_parameters(counts, probs)
    flat = {"keep_dims": False}
    parameters = broadcast_dynamic_shape(shape(counts), shape(probs))
    places = emit("Prod", (parameters, [0]), flat)
    samples = emit("Prod", (cast(size, int32), [0]), flat) // maximum(places, 1)
    state = state_of(cast(places, int64) * 200 * (cast(samples, int64) + 3) // 4)
    inputs = (size, *state, counts, probs)
    return emit("StatelessRandomBinomialV2", inputs, {"dtype": as_dtype(dtype)}, name)
