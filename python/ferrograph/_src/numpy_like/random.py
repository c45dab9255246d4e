"""``experimental.numpy.random``: random numbers with NumPy's names and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..ops import distributions, random_ops
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..values.errors import shown
from ..values.public import public
from .promotion import array, dtype_of

__all__: list[str] = []


def _sizes(size: Any) -> Any:
    if size is None:
        return []
    if isinstance(size, _core.Tensor):
        return ops.reshape(size, [-1]) if size.ndim == 0 else size
    is_one = isinstance(size, int) or getattr(size, "ndim", 1) == 0
    return [whole(size, "size")] if is_one else size


@public("experimental.numpy.random.seed")
@told
def seed(s: int) -> None:
    """Seed the generator of this thread, as ``random.set_seed`` does.

    >>> fg.experimental.numpy.random.seed(1)

    Args:
      s: an int, or what ``int`` makes one of.

    Raises:
      ValueError: for anything else.
    """
    try:
        number = int(s)
    except TypeError:
        raise ValueError(f"the seed must be an integer, got {shown(s)}") from None
    random_ops.set_seed(number)


@public("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Numbers of the normal distribution of mean 0 and deviation 1.

    >>> fg.experimental.numpy.random.standard_normal([2]).shape
    TensorShape([2])

    Args:
      size: an int or a list of ints, the shape; None, the default, for a scalar.

    Returns:
      A float64 tensor.

    Raises:
      InvalidArgumentError: for a negative size.
    """
    return random_ops.normal(_sizes(size), dtype=np.float64)


@public("experimental.numpy.random.randn")
def randn(*args: int) -> Any:
    """Numbers of the normal distribution of mean 0 and deviation 1.

    >>> fg.experimental.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])

    Args:
      *args: ints, the sizes of the axes; none for a scalar.

    Returns:
      A float64 tensor.

    Raises:
      InvalidArgumentError: for a negative size.
    """
    return standard_normal(list(args))


@public("experimental.numpy.random.uniform")
@told
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers between ``low`` and ``high``.

    >>> fg.experimental.numpy.random.uniform(1.0, 2.0, 3).shape
    TensorShape([3])

    Args:
      low, high: tensors of real numbers, or what converts to such, whose shapes broadcast; 0.0 and
        1.0 by default.
      size: an int or a list of ints, the shape, to which they broadcast; None, the default, for
        their own.

    Returns:
      A float64 tensor.

    Raises:
      InvalidArgumentError: for a negative size, and shapes that do not broadcast.
    """
    low, high = array(low, np.dtype(float)), array(high, np.dtype(float))
    shape = ops.broadcast_dynamic_shape(ops.shape(low), ops.shape(high))
    shape = shape if size is None else _sizes(size)
    return random_ops.uniform(shape, dtype=np.float64) * (high - low) + low


@public("experimental.numpy.random.random")
def random(size: Any = None) -> Any:
    """Numbers between 0 and 1.

    >>> fg.experimental.numpy.random.random([2]).shape
    TensorShape([2])

    Args:
      size: an int or a list of ints, the shape; None, the default, for a scalar.

    Returns:
      A float64 tensor.

    Raises:
      InvalidArgumentError: for a negative size.
    """
    return uniform(0.0, 1.0, size)


@public("experimental.numpy.random.rand")
def rand(*size: int) -> Any:
    """Numbers between 0 and 1.

    >>> fg.experimental.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])

    Args:
      *size: ints, the sizes of the axes; none for a scalar.

    Returns:
      A float64 tensor.

    Raises:
      InvalidArgumentError: for a negative size.
    """
    return uniform(0.0, 1.0, list(size))


@public("experimental.numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Numbers of Poisson distributions.

    >>> fg.experimental.numpy.random.poisson(3.0, [2]).shape
    TensorShape([2])

    Args:
      lam: a tensor of real numbers, or what converts to one: the rates, 0 or more. 1.0 by default.
      size: an int or a list of ints, the shape, to which lam broadcasts; None, the default, for
        that of lam.

    Returns:
      An int64 tensor.

    Raises:
      InvalidArgumentError: for a negative size, and where lam does not broadcast.
    """
    lam = array(lam, np.dtype(float))
    shape = ops.shape(lam) if size is None else _sizes(size)
    made = distributions.poisson([], ops.broadcast_to(lam, shape), np.float64)
    return ops.cast(made, np.int64)


@public("experimental.numpy.random.randint")
@told
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Integers from a least one up to a largest one, which is left out.

    >>> fg.experimental.numpy.random.randint(1, 3, [2]).shape
    TensorShape([2])

    Args:
      low: an integer scalar, the least; the largest where high is not given, and 0 the least.
      high: an integer scalar, the largest; None by default.
      size: an int or a list of ints, the shape; None, the default, for a scalar.
      dtype: an integer dtype, int64 by default.

    Returns:
      A tensor of that dtype.

    Raises:
      ValueError: for another dtype.
      InvalidArgumentError: where high is not above low, and for a negative size.
    """
    if not np.issubdtype(dtype_of(dtype), np.integer):
        raise ValueError(f"randint makes integers, got dtype {dtype}")
    low, high = (0, low) if high is None else (low, high)
    made = random_ops.uniform(_sizes(size), low, high, np.int64)
    return ops.cast(made, dtype_of(dtype))
