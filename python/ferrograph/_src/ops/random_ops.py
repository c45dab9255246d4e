"""Random numbers: drawn from seeds of the program, or from seeds given as tensors."""

from __future__ import annotations

import builtins
from typing import Any

from ..native import _core
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    dtype_or,
    emit,
    float32,
    int64,
    shape_argument,
)
from ._dispatch import dispatched, told
from ._numbers import int32_of, whole
from .arithmetic import add, multiply, subtract
from .arrays import stack
from .numeric import cast

_PHILOX, _AUTO_SELECT = 1, 3
# Seeds count modulo this number.
_MODULUS = 2**31 - 1


@public("random.set_seed")
@told
def set_seed(seed: Any) -> None:
    """Sets the global seed, from which operations without a seed of their own take theirs.

    What follows draws the same numbers each time that it follows the same ``set_seed``. An
    operation without a seed takes the next one from the global seed whenever it runs, eagerly or
    in a traced function; operations with equal seeds of their own go on in one stream. So a traced
    function draws what its body would draw eagerly.

    Eager numbers are those that tensorflow draws eagerly for the same calls: of ``uniform``,
    ``normal``, ``truncated_normal``, ``categorical``, ``shuffle`` and the orders of
    ``Dataset.shuffle``. Its traced functions begin anew from the global seed and draw others. The
    ``stateless_...`` functions give the same numbers everywhere.

    >>> fg.random.set_seed(7)
    >>> a = fg.random.uniform([2])
    >>> fg.random.set_seed(7)
    >>> bool(fg.reduce_all(a == fg.random.uniform([2])))
    True

    Args:
      seed: an integer; None for numbers that differ from run to run.
    """
    if seed is None:
        _core.set_global_seed(None, [])
        return
    seed = int(seed)
    size, words = builtins.abs(seed), list[int]()
    while size or not words:
        size, word = divmod(size, 2**32)
        words.append(word)
    _core.set_global_seed(seed % _MODULUS, words)


def _attrs(dtype: Any, seed: Any) -> Any:
    """The attributes of an operation that draws: its dtype, and its own seed beside the global."""
    attrs = {} if dtype is None else {"dtype": dtype}
    if seed is not None:
        attrs |= {"seed2": int(seed) % _MODULUS, "shared": True}
    return attrs


def operation_seeds(seed: Any) -> list[Tensor]:
    """The global seed and that of an operation, when it runs; two zeros where neither is given."""
    attrs = {} if seed is None else {"own": int(seed) % _MODULUS, "given": True}
    return emit("OperationSeeds", (), attrs, None)


def scaled(numbers: Any, low: Any, high: Any, name: Any) -> Any:
    """Numbers of [0, 1) as such between the bounds."""
    dtype = numbers.dtype
    low, high = as_dtype_of(low, dtype), as_dtype_of(high, dtype)
    return add(multiply(numbers, subtract(high, low)), low, name)


def as_dtype_of(value: Any, dtype: Any) -> Any:
    """A parameter of a distribution in the dtype of its numbers."""
    return cast(value, dtype) if hasattr(value, "dtype") else convert(value, dtype)


def sizes(shape: Any) -> Any:
    """The shape of a draw as a tensor."""
    return convert(shape_argument(shape))


@public("random.uniform")
@told
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
    dtype, shape = as_dtype(dtype), sizes(shape)
    _check_uniform(dtype, maxval)
    if dtype.is_integer:
        bounds = as_dtype_of(minval, dtype), as_dtype_of(maxval, dtype)
        return emit("RandomUniformInt", (shape, *bounds), _attrs(None, seed), name)
    numbers = emit("RandomUniform", (shape,), _attrs(dtype, seed), None)
    return scaled(numbers, minval, 1 if maxval is None else maxval, name)


def _check_uniform(dtype: Any, maxval: Any) -> Any:
    if not (dtype.is_differentiable or dtype.name in ("int32", "int64", "uint32", "uint64")):
        raise ValueError(f"cannot draw evenly from dtype {dtype.name}")
    if dtype.is_integer and maxval is None:
        raise ValueError("maxval is required to draw integers")


@public("random.normal")
@told
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
    numbers = emit("RandomStandardNormal", (sizes(shape),), _attrs(as_dtype(dtype), seed), None)
    return shifted(numbers, mean, stddev, name)


@public("random.truncated_normal")
@told
def truncated_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """As ``normal``, without what is more than two standard deviations from the mean.

    >>> float(fg.reduce_max(fg.abs(fg.random.truncated_normal([100])))) <= 2.0
    True

    Args:
      shape: the shape, a vector of sizes, or one int for a vector.
      mean: the mean, a number or a tensor that broadcasts; 0.0 by default.
      stddev: the standard deviation, likewise; 1.0 by default.
      dtype: the dtype, a floating one; float32 by default.
      seed: a seed of the operation, an int; see ``set_seed``. None (the default) for the global
        seed alone.
      name: a name for the operation.

    Returns:
      A tensor of ``dtype`` and this shape.

    Raises:
      InvalidArgumentError: for a negative size, and for another dtype.
    """
    numbers = emit("TruncatedNormal", (sizes(shape),), _attrs(as_dtype(dtype), seed), None)
    return shifted(numbers, mean, stddev, name)


def shifted(numbers: Any, mean: Any, stddev: Any, name: Any) -> Any:
    """Numbers of mean 0 and deviation 1 as such of the mean and deviation."""
    dtype = numbers.dtype
    return add(multiply(numbers, as_dtype_of(stddev, dtype)), as_dtype_of(mean, dtype), name)


@public("random.shuffle")
@told
def shuffle(value: TensorLike, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices of a tensor along its first axis in random order.

    >>> fg.sort(fg.random.shuffle([1, 2, 3])).numpy()
    array([1, 2, 3], dtype=int32)

    Args:
      value: a tensor, or what converts to one; of any dtype and shape.
      seed: a seed of the operation, an int; see ``set_seed``. None (the default) for the global
        seed alone.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``value``.
    """
    return emit("RandomShuffle", (value,), _attrs(None, seed), name)


@public("random.categorical")
@told
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
    attrs = {"output_dtype": int64 if dtype is None else as_dtype(dtype), **_attrs(None, seed)}
    return emit("Multinomial", (logits, int32_of(num_samples)), attrs, name)


def _stateless(op: Any, shape: Any, seed: Any, dtype: Any, *bounds: Any) -> Any:
    key, counter = emit("StatelessRandomGetKeyCounter", (seed,), None, None)
    attrs = None if bounds else {"dtype": dtype}
    return emit(op, (sizes(shape), key, counter, _PHILOX, *bounds), attrs, None)


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
    check_alg(alg)
    dtype = as_dtype(dtype)
    if dtype.is_integer and minval is None and maxval is None:
        numbers = _stateless("StatelessRandomUniformFullIntV2", shape, seed, dtype)
        return emit("Identity", (numbers,), None, name)
    _check_uniform(dtype, maxval)
    if dtype.is_integer:
        bounds = as_dtype_of(minval, dtype), as_dtype_of(maxval, dtype)
        numbers = _stateless("StatelessRandomUniformIntV2", shape, seed, dtype, *bounds)
        return emit("Identity", (numbers,), None, name)
    numbers = _stateless("StatelessRandomUniformV2", shape, seed, dtype)
    return scaled(numbers, minval, 1 if maxval is None else maxval, name)


def check_alg(alg: Any) -> Any:
    if not isinstance(alg, str):
        alg = whole(alg, "the generator", ValueError)
    if alg not in ("auto_select", "philox", _PHILOX, _AUTO_SELECT):
        raise ValueError(f"the generator must be 'philox' or 'auto_select', got {shown(alg)}")


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

    Args:
      shape: the shape, a vector of sizes, or one int for a vector.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      mean: the mean, a number or a tensor that broadcasts; 0.0 by default.
      stddev: the standard deviation, likewise; 1.0 by default.
      dtype: the dtype, a floating one; float32 by default.
      name: a name for the operation.
      alg: the generator: "auto_select" (the default) or "philox", which are the same.

    Returns:
      A tensor of ``dtype`` and this shape.

    Raises:
      ValueError: for another generator.
      InvalidArgumentError: where ``seed`` is no two integers, for a negative size, and for another
        dtype.
    """
    check_alg(alg)
    numbers = _stateless("StatelessRandomNormalV2", shape, seed, dtype_or(dtype, float32))
    return shifted(numbers, mean, stddev, name)


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

    Args:
      shape: the shape, a vector of sizes, or one int for a vector.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      mean: the mean, a number or a tensor that broadcasts; 0.0 by default.
      stddev: the standard deviation, likewise; 1.0 by default.
      dtype: the dtype, a floating one; float32 by default.
      name: a name for the operation.
      alg: the generator: "auto_select" (the default) or "philox", which are the same.

    Returns:
      A tensor of ``dtype`` and this shape.

    Raises:
      ValueError: for another generator.
      InvalidArgumentError: where ``seed`` is no two integers, for a negative size, and for another
        dtype.
    """
    check_alg(alg)
    dtype = dtype_or(dtype, float32)
    numbers = _stateless("StatelessTruncatedNormalV2", shape, seed, dtype)
    return shifted(numbers, mean, stddev, name)


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

    Args:
      logits: a matrix of unscaled logarithms of probabilities: of real numbers, or what converts to
        one.
      num_samples: how many to draw for each row, a scalar of integers.
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      dtype: the dtype of the result, int64 (the default) or int32.
      name: a name for the operation.

    Returns:
      A matrix of ``dtype`` with one row of ``num_samples`` classes for each row.

    Raises:
      InvalidArgumentError: where ``seed`` is no two integers, ``logits`` is no matrix,
        ``num_samples`` is negative, and for other dtypes.
    """
    attrs = {"output_dtype": dtype_or(dtype, int64)}
    return emit("StatelessMultinomial", (logits, int32_of(num_samples), seed), attrs, name)


@public("random.split", "random.experimental.stateless_split")
@dispatched
def split(seed: Any, num: Any = 2, alg: str = "auto_select") -> Tensor:
    """Several seeds, independent of one another, derived from one.

    >>> fg.random.split([1, 2], 3).shape
    TensorShape([3, 2])

    Args:
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      num: how many seeds, a scalar of integers; 2 by default.
      alg: the generator: "auto_select" (the default) or "philox", which are the same.

    Returns:
      A matrix ``[num, 2]`` of the dtype of ``seed``.

    Raises:
      ValueError: for another generator.
      InvalidArgumentError: where ``seed`` is no two integers.
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


@public("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: TensorLike, alg: str = "auto_select") -> Tensor:
    """A seed derived from a seed and a number, such as the count of steps.

    >>> fg.random.fold_in([1, 2], 5).shape
    TensorShape([2])

    Args:
      seed: two integers, a vector of int32, int64, uint32 or uint64, or what converts to one.
      data: the number, a scalar of int32, int64, uint32 or uint64, or what converts to one.
      alg: the generator: "auto_select" (the default) or "philox", which are the same.

    Returns:
      A vector of two numbers of the dtype of ``data``.

    Raises:
      ValueError: for another generator, and for floats.
      InvalidArgumentError: where ``seed`` is no two integers, or ``data`` no scalar.
    """
    data = convert(data)
    first = stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return stack([first, data])
