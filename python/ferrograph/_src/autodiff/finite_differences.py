"""Checks of gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..native import _core
from ..ops._dispatch import told
from ..values.public import public
from .tape import GradientTape

__all__ = ["compute_gradient"]


@public("test.compute_gradient")
@told
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """The Jacobians of ``f(*x)`` by each of ``x``: as computed, and by central differences.

    Each is an array with a row for each element of the result and a column for each element of the
    argument; a complex element is two, its real and its imaginary part.

    >>> computed, measured = fg.test.compute_gradient(fg.square, [fg.constant([3.0, 1.0])])
    >>> computed[0]
    array([[6., 0.],
           [0., 2.]], dtype=float32)
    >>> bool(abs(computed[0] - measured[0]).max() < 1e-2)
    True

    Args:
      f: a function of as many arguments as x has that gives one tensor.
      x: a list or tuple of arguments, tensors of real or complex floating dtypes and of any shape.
      delta: a float, how far the differences reach; 1/1024 by default.

    Returns:
      Two lists of NumPy arrays, one array for each of x: the computed and the measured Jacobians.

    Raises:
      ValueError: where x is no list or tuple, or f gives more than one tensor.
      TypeError: for an argument that is neither real nor complex floating.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"x must be a list or tuple of arguments, got {type(x).__name__}")
    arguments = [_argument(value, place) for place, value in enumerate(x)]
    step = 1.0 / 1024 if delta is None else delta
    places = range(len(arguments))
    return (
        [_computed(f, arguments, place) for place in places],
        [_measured(f, arguments, place, step) for place in places],
    )


def _argument(value: Any, place: int) -> Any:
    tensor = _core.convert_to_tensor(value)
    if not tensor.dtype.is_differentiable:
        raise TypeError(
            f"derivatives are taken by floating and complex arguments; argument {place} is "
            f"{tensor.dtype.name}"
        )
    return tensor


def _result(f: Callable[..., Any], arguments: list[Any]) -> Any:
    found = f(*arguments)
    if isinstance(found, (list, tuple, dict)):
        raise ValueError(f"f must give one tensor, got a {type(found).__name__}")
    return _core.convert_to_tensor(found)


def _real_parts(array: Any) -> Any:
    """The elements of an array in a row, of a complex one their real and imaginary parts."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _dense(gradient: Any, argument: Any) -> Any:
    if gradient is None:
        return _core.emit("ZerosLike", (argument,))
    return _core.convert_to_tensor(gradient)


def _computed(f: Callable[..., Any], arguments: list[Any], place: int) -> Any:
    """One row of gradients for each real number of the result."""
    import numpy as np

    argument = arguments[place]
    with GradientTape(persistent=True) as tape:
        tape.watch(argument)
        result = _result(f, arguments)
    seed = np.zeros(result.shape.as_list(), result.dtype.as_numpy_dtype)
    columns = _real_parts(np.asarray(argument))
    parts = _real_parts(seed)
    jacobian = np.zeros((parts.size, columns.size), columns.dtype)
    for row in range(parts.size):
        parts[row] = 1
        found = tape.gradient(result, argument, _core.convert_to_tensor(seed))
        jacobian[row] = _real_parts(np.asarray(_dense(found, argument)))
        parts[row] = 0
    return jacobian


def _measured(f: Callable[..., Any], arguments: list[Any], place: int, step: float) -> Any:
    """One column of differences for each real number of the argument."""
    import numpy as np

    value = np.array(arguments[place])
    numbers = _real_parts(value)
    rows = _real_parts(np.asarray(_result(f, arguments)))
    jacobian = np.zeros((rows.size, numbers.size), rows.dtype)
    for column in range(numbers.size):
        kept, results = numbers[column], []
        for moved in (step, -step):
            numbers[column] = kept + np.asarray(moved, numbers.dtype)
            given = [*arguments]
            given[place] = _core.convert_to_tensor(value)
            results.append(_real_parts(np.asarray(_result(f, given))))
        numbers[column] = kept
        jacobian[:, column] = (results[0] - results[1]) / np.asarray(2 * step, rows.dtype)
    return jacobian
