"""Elementwise functions of one or two arguments, with NumPy's promotion."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..ops import elementwise
from ..ops._base import known_rank
from ..ops._dispatch import told
from ..values.public import public
from .promotion import as_bools, inexact, joined, promoted

__all__: list[str] = []


@public("experimental.numpy.add")
@told
def add(x1: Any, x2: Any) -> Any:
    """The sum; of bools, whether one holds; strings are joined.

    >>> fg.experimental.numpy.add([1, 2], 0.5).numpy()
    array([1.5, 2.5])

    Args:
      x1, x2: tensors of numbers, bools or strings, or what converts to such, whose shapes
        broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    x1, x2 = promoted(x1, x2)
    return ops.logical_or(x1, x2) if x1.dtype.is_bool else ops.add(x1, x2)


@public("experimental.numpy.subtract")
def subtract(x1: Any, x2: Any) -> Any:
    """The difference.

    >>> fg.experimental.numpy.subtract([3, 2], [1, 1]).numpy()
    array([2, 1])

    Args:
      x1, x2: tensors of numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return ops.subtract(*promoted(x1, x2))


@public("experimental.numpy.multiply")
@told
def multiply(x1: Any, x2: Any) -> Any:
    """The product; of bools, whether both hold.

    >>> fg.experimental.numpy.multiply([1, 2], 3).numpy()
    array([3, 6])

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    x1, x2 = promoted(x1, x2)
    return ops.logical_and(x1, x2) if x1.dtype.is_bool else ops.multiply(x1, x2)


@public("experimental.numpy.maximum")
@told
def maximum(x1: Any, x2: Any) -> Any:
    """The larger of two numbers; of bools, whether one holds.

    >>> fg.experimental.numpy.maximum([1, 5], 2).numpy()
    array([2, 5])

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    x1, x2 = promoted(x1, x2)
    return ops.logical_or(x1, x2) if x1.dtype.is_bool else ops.maximum(x1, x2)


@public("experimental.numpy.minimum")
@told
def minimum(x1: Any, x2: Any) -> Any:
    """The smaller of two numbers; of bools, whether both hold.

    >>> fg.experimental.numpy.minimum([1, 5], 2).numpy()
    array([1, 2])

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    x1, x2 = promoted(x1, x2)
    return ops.logical_and(x1, x2) if x1.dtype.is_bool else ops.minimum(x1, x2)


@public("experimental.numpy.clip")
@told
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """The numbers, those outside of the bounds replaced by the bound.

    >>> fg.experimental.numpy.clip([1, 5, 9], 2, 8).numpy()
    array([2, 5, 8])

    Args:
      a: a tensor of real numbers, or what converts to one; of any shape.
      a_min, a_max: tensors of real numbers that broadcast with a, or None for no bound.

    Returns:
      A tensor of the dtype that NumPy gives them together and the shape that they broadcast to.

    Raises:
      ValueError: where both bounds are None.
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    if a_min is None and a_max is None:
        raise ValueError("clip needs a_min or a_max")
    if a_max is None:
        return ops.maximum(*promoted(a, a_min))
    if a_min is None:
        return ops.minimum(*promoted(a, a_max))
    a, low, high = promoted(a, a_min, a_max)
    return ops.maximum(ops.minimum(a, high), low)


@public("experimental.numpy.exp")
def exp(x: Any) -> Any:
    """The exponential.

    >>> fg.experimental.numpy.exp([0.0]).numpy().tolist()
    [1.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.exp(inexact(x))


@public("experimental.numpy.log")
def log(x: Any) -> Any:
    """The natural logarithm.

    >>> fg.experimental.numpy.log([1]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return elementwise.log(inexact(x))


@public("experimental.numpy.sqrt")
def sqrt(x: Any) -> Any:
    """The square root.

    >>> fg.experimental.numpy.sqrt([4, 9]).numpy().tolist()
    [2.0, 3.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.sqrt(inexact(x))


@public("experimental.numpy.sin")
def sin(x: Any) -> Any:
    """The sine of radians.

    >>> fg.experimental.numpy.sin([0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.sin(inexact(x))


@public("experimental.numpy.cos")
def cos(x: Any) -> Any:
    """The cosine of radians.

    >>> fg.experimental.numpy.cos([0]).numpy().tolist()
    [1.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.cos(inexact(x))


@public("experimental.numpy.tanh")
def tanh(x: Any) -> Any:
    """The hyperbolic tangent.

    >>> fg.experimental.numpy.tanh([0]).numpy().tolist()
    [0.0]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    return ops.tanh(inexact(x))


@public("experimental.numpy.true_divide", "experimental.numpy.divide")
@told
def true_divide(x1: Any, x2: Any) -> Any:
    """The quotient with its fraction.

    >>> fg.experimental.numpy.true_divide([1, 2], 2).numpy()
    array([0.5, 1. ])

    Args:
      x1, x2: tensors of numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the shape that x1 and x2 broadcast to and the dtype that NumPy gives both
        together; for integers of 8 and 16 bits float32, for others and bools float64.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    x1, x2 = promoted(x1, x2)
    if x1.dtype.is_integer or x1.dtype.is_bool:
        small = x1.dtype.is_integer and x1.dtype.size <= 2
        x1, x2 = (ops.cast(x, np.float32 if small else np.float64) for x in (x1, x2))
    return ops.divide(x1, x2)


@public("experimental.numpy.where")
@told
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """``x`` where the condition holds, else ``y``; all three broadcast.

    Without x and y, the places where it holds, a vector for each axis.

    >>> fg.experimental.numpy.where([True, False], 1, 2.5).numpy()
    array([1. , 2.5])

    Args:
      condition: a tensor of numbers or bools, or what converts to one; of known rank where it
        stands alone.
      x, y: tensors, or what converts to such, which broadcast with each other and the condition;
        None, the default, for both or for neither.

    Returns:
      A tensor of the dtype that NumPy gives x and y together and the shape that all three broadcast
        to; without x and y a list of int64 vectors.

    Raises:
      ValueError: where one of x and y alone is given.
      InvalidArgumentError: for shapes that do not broadcast.
    """
    condition = as_bools(condition)
    if x is None and y is None:
        # A scalar counts as a vector of one.
        condition = ops.reshape(condition, [-1]) if condition.shape.rank == 0 else condition
        return ops.unstack(ops.where(condition), known_rank(condition, "where"), axis=1)
    if x is None or y is None:
        raise ValueError("where() takes both x and y, or neither")
    return ops.where(condition, *joined(x, y))
