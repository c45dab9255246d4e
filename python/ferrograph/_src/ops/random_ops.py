"""Random numbers: drawn from seeds of the program, or from seeds given as tensors."""

from __future__ import annotations

from typing import Any

from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    emit,
    executing_eagerly,
    float32,
    int64,
    shape_argument,
)
from ._dispatch import dispatched
from .arithmetic import add, multiply, subtract
from .arrays import expand_dims, stack
from .elementwise import log, negative
from .numeric import cast
from .reductions import argmax

# The seed taken for the program where only an operation gives one.
_DEFAULT_SEED = 87654321
_PHILOX = 1


class _Seeds:
    """The global seed, how many operations drew a seed from it, and how often each operation seed
    did.
    """

    def __init__(self, seed=None):
        self.seed = seed
        self.drawn = 0
        self.repeated = {}


_seeds = _Seeds()


@public("random.set_seed")
def set_seed(seed: Any) -> None:
    """Sets the global seed, from which operations without a seed of their own take theirs.

    What follows draws the same numbers each time that it follows the same ``set_seed``.

    >>> fg.random.set_seed(7)
    >>> a = fg.random.uniform([2])
    >>> fg.random.set_seed(7)
    >>> bool(fg.reduce_all(a == fg.random.uniform([2])))
    True

    Args:
      seed: an integer.
    """
    global _seeds
    _seeds = _Seeds(int(seed))


def _attrs(dtype: Any, seed: Any) -> Any:
    """The attributes of an operation that draws: its dtype, and the global and its own seed."""
    first, second = _seed_pair(seed)
    attrs = {"seed": first, "seed2": second}
    return attrs if dtype is None else {"dtype": dtype, **attrs}


def _seed_pair(seed: Any) -> Any:
    first, second = seed_pair(seed)
    if seed is not None and executing_eagerly():
        # Each eager call is an operation of its own: the seed moves on by what it gave.
        repeated = _seeds.repeated.get(second, 0)
        _seeds.repeated[second] = repeated + 1
        second += repeated << 32
    return first, second


def seed_pair(seed: Any) -> tuple[Any, Any]:
    """The global seed and that of an operation; two zeros ask for a seed from the system."""
    if _seeds.seed is None and seed is None:
        return 0, 0
    first = _DEFAULT_SEED if _seeds.seed is None else _seeds.seed
    if seed is None:
        _seeds.drawn += 1
        second = _seeds.drawn
    else:
        second = int(seed)
    # Two zeros would ask for a seed from the system.
    return (first, second) if first or second else (0, 1 << 31)


def _scaled(numbers: Any, low: Any, high: Any, name: Any) -> Any:
    dtype = numbers.dtype
    low, high = _as(low, dtype), _as(high, dtype)
    return add(multiply(numbers, subtract(high, low)), low, name)


def _as(value: Any, dtype: Any) -> Any:
    return cast(value, dtype) if hasattr(value, "dtype") else convert(value, dtype)


def _shape(shape: Any) -> Any:
    return convert(shape_argument(shape))


@public("random.uniform")
def uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn evenly from ``minval`` up to ``maxval``, which is left out.

    >>> fg.random.uniform([2, 3], minval=0, maxval=10, dtype=fg.int32).shape
    TensorShape([2, 3])

    Args:
      shape: a vector of sizes.
      minval: the lower bound; it broadcasts for floats.
      maxval: the upper bound; 1 for floats unless told, and required for integers.
      dtype: a floating dtype, int32 or int64.
      seed: a seed of the operation; see ``set_seed``.
      name: a name for the operation.

    Raises:
      ValueError: for integers without ``maxval``, or another dtype.
    """
    dtype, shape = as_dtype(dtype), _shape(shape)
    _check_uniform(dtype, maxval)
    if dtype.is_integer:
        bounds = _as(minval, dtype), _as(maxval, dtype)
        return emit("RandomUniformInt", (shape, *bounds), _attrs(None, seed), name)
    numbers = emit("RandomUniform", (shape,), _attrs(dtype, seed), None)
    return _scaled(numbers, minval, 1 if maxval is None else maxval, name)


def _check_uniform(dtype: Any, maxval: Any) -> Any:
    if not (dtype.is_floating or dtype.name in ("int32", "int64", "uint32", "uint64")):
        raise ValueError(f"cannot draw evenly from dtype {dtype.name}")
    if dtype.is_integer and maxval is None:
        raise ValueError("maxval is required to draw integers")


@public("random.normal")
def normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn from the normal distribution with this mean and standard deviation.

    >>> fg.random.normal([2, 3]).shape
    TensorShape([2, 3])

    Args:
      shape: a vector of sizes.
      mean: the mean; it broadcasts.
      stddev: the standard deviation; likewise.
      dtype: a floating dtype.
      seed: a seed of the operation; see ``set_seed``.
      name: a name for the operation.
    """
    numbers = emit("RandomStandardNormal", (_shape(shape),), _attrs(as_dtype(dtype), seed), None)
    return _shifted(numbers, mean, stddev, name)


@public("random.truncated_normal")
def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``normal``, without what lies more than two standard deviations from the mean.

    >>> float(fg.reduce_max(fg.abs(fg.random.truncated_normal([100])))) <= 2.0
    True
    """
    numbers = emit("TruncatedNormal", (_shape(shape),), _attrs(as_dtype(dtype), seed), None)
    return _shifted(numbers, mean, stddev, name)


def _shifted(numbers: Any, mean: Any, stddev: Any, name: Any) -> Any:
    dtype = numbers.dtype
    return add(multiply(numbers, _as(stddev, dtype)), _as(mean, dtype), name)


@public("random.shuffle")
def shuffle(value: TensorLike, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices of a tensor along its first axis in random order.

    >>> fg.sort(fg.random.shuffle([1, 2, 3])).numpy()
    array([1, 2, 3], dtype=int32)
    """
    return emit("RandomShuffle", (value,), _attrs(None, seed), name)


@public("random.categorical")
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Classes drawn with probabilities in proportion to ``exp(logits)``, for each row.

    >>> fg.random.categorical([[0.0, -1e9]], 3).numpy()
    array([[0, 0, 0]])

    Args:
      logits: a matrix of unscaled logarithms of probabilities.
      num_samples: how many to draw for each row.
      dtype: int64 (unless told) or int32.
      seed: a seed of the operation; see ``set_seed``.
      name: a name for the operation.

    Returns:
      A matrix with one row of ``num_samples`` classes for each row.
    """
    logits = convert(logits)
    drawn = uniform(_sample_shape(logits, num_samples), dtype=logits.dtype, seed=seed)
    return _categorical(logits, drawn, dtype, name)


def _sample_shape(logits: Any, num_samples: Any) -> Any:
    rows, classes = emit("Unpack", (emit("Shape", (logits,), None, None),), {"num": 2}, None)
    return stack([rows, _as(num_samples, rows.dtype), classes])


def _categorical(logits: Any, drawn: Any, dtype: Any, name: Any) -> Any:
    # The largest of logits with Gumbel noise is each class with the probability asked for.
    noise = negative(log(negative(log(drawn))))
    output = int64 if dtype is None else as_dtype(dtype)
    return argmax(add(expand_dims(logits, 1), noise), 2, output, name)


def _stateless(op: Any, shape: Any, seed: Any, dtype: Any, *bounds: Any) -> Any:
    key, counter = emit("StatelessRandomGetKeyCounter", (seed,), None, None)
    attrs = None if bounds else {"dtype": dtype}
    return emit(op, (_shape(shape), key, counter, _PHILOX, *bounds), attrs, None)


@public("random.stateless_uniform")
def stateless_uniform(
    shape: TensorLike,
    seed: Any,
    minval: TensorLike = 0,
    maxval: TensorLike = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """As ``uniform``, the same numbers for the same seed wherever they are drawn.

    >>> a = fg.random.stateless_uniform([2], seed=[1, 2])
    >>> bool(fg.reduce_all(a == fg.random.stateless_uniform([2], seed=[1, 2])))
    True

    Args:
      shape: a vector of sizes.
      seed: two integers, as a vector or tensor.
      minval: the lower bound; None with ``maxval=None`` draws integers from all there are.
      maxval: the upper bound, which is left out.
      dtype: a floating or integer dtype.
      name: a name for the operation.
      alg: the generator: "philox", which "auto_select" means as well.

    Raises:
      ValueError: for integers with one bound alone.
    """
    _check_alg(alg)
    dtype = as_dtype(dtype)
    if dtype.is_integer and minval is None and maxval is None:
        numbers = _stateless("StatelessRandomUniformFullIntV2", shape, seed, dtype)
        return emit("Identity", (numbers,), None, name)
    _check_uniform(dtype, maxval)
    if dtype.is_integer:
        bounds = _as(minval, dtype), _as(maxval, dtype)
        numbers = _stateless("StatelessRandomUniformIntV2", shape, seed, dtype, *bounds)
        return emit("Identity", (numbers,), None, name)
    numbers = _stateless("StatelessRandomUniformV2", shape, seed, dtype)
    return _scaled(numbers, minval, 1 if maxval is None else maxval, name)


def _check_alg(alg: Any) -> Any:
    if alg not in ("auto_select", "philox", _PHILOX):
        raise ValueError(f"the generator must be 'philox' or 'auto_select', got {alg!r}")


@public("random.stateless_normal")
def stateless_normal(
    shape: TensorLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """As ``normal``, the same numbers for the same seed; see ``stateless_uniform``.

    >>> fg.random.stateless_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    _check_alg(alg)
    numbers = _stateless("StatelessRandomNormalV2", shape, seed, as_dtype(dtype))
    return _shifted(numbers, mean, stddev, name)


@public("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: TensorLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """As ``truncated_normal``, the same numbers for the same seed; see ``stateless_uniform``.

    >>> fg.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    _check_alg(alg)
    numbers = _stateless("StatelessTruncatedNormalV2", shape, seed, as_dtype(dtype))
    return _shifted(numbers, mean, stddev, name)


@public("random.stateless_categorical")
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: Any,
    dtype: Any = int64,
    name: str | None = None,
) -> Tensor:
    """As ``categorical``, the same classes for the same seed.

    >>> fg.random.stateless_categorical([[0.0, 100.0]], 3, seed=[1, 2]).numpy()
    array([[1, 1, 1]])
    """
    logits = convert(logits)
    drawn = stateless_uniform(_sample_shape(logits, num_samples), seed, dtype=logits.dtype)
    return _categorical(logits, drawn, dtype, name)


@public("random.split")
@dispatched
def split(seed: Any, num: Any = 2, alg: str = "auto_select") -> Tensor:
    """Several seeds, independent of one another, derived from one.

    >>> fg.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


@public("random.fold_in")
def fold_in(seed: Any, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """A seed derived from a seed and a number, such as the count of steps.

    >>> fg.random.fold_in([1, 2], 5).shape
    TensorShape([2])
    """
    data = convert(data)
    first = stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return stack([first, data])
