"""Checks of gradients against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..native import _core
from ..values.public import public
from .tape import GradientTape

__all__ = ["compute_gradient"]


@public("test.compute_gradient")
def compute_gradient(f: Callable, x: Sequence, delta: float | None = None) -> tuple[list, list]:
    """The Jacobians of ``f(*x)`` by each of ``x``: as computed, and by central differences.

    Each is an array with a row for each element of the result and a column for each element of the
    argument. ``delta`` is how far the differences reach, 1/1024 by default.

    >>> computed, measured = fg.test.compute_gradient(fg.square, [fg.constant([3.0, 1.0])])
    >>> computed[0]
    array([[6., 0.],
           [0., 2.]], dtype=float32)
    >>> bool(abs(computed[0] - measured[0]).max() < 1e-2)
    True
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"x must be a list or tuple of arguments, got {type(x).__name__}")
    arguments = [_core.convert_to_tensor(value) for value in x]
    step = 1.0 / 1024 if delta is None else delta
    return _computed(f, arguments), [_measured(f, arguments, i, step) for i in range(len(x))]


def _computed(f: Callable, arguments: list) -> list:
    with GradientTape() as tape:
        tape.watch(arguments)
        result = _core.convert_to_tensor(f(*arguments))
    size = result.shape.num_elements()
    found = tape.jacobian(result, arguments, unconnected_gradients="zero")
    pairs = zip(found, arguments, strict=True)
    return [j.numpy().reshape(size, a.shape.num_elements()) for j, a in pairs]


def _measured(f: Callable, arguments: list, place: int, step: float) -> Any:
    import numpy as np

    value = arguments[place].numpy()
    if value.dtype.kind != "f":
        raise NotImplementedError(f"differences are taken of floating arguments, got {value.dtype}")
    columns = []
    for i in range(value.size):
        results = []
        for moved in (step, -step):
            changed = value.copy()
            changed.flat[i] += moved
            given = [*arguments]
            given[place] = _core.convert_to_tensor(changed)
            result: Any = _core.convert_to_tensor(f(*given))
            results.append(result.numpy().ravel())
        columns.append((results[0] - results[1]) / (2 * step))
    return np.stack(columns, axis=1)
