"""The names of ``compat`` and ``compat.v1`` that documented programs use."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..autodiff.symbolic import gradients as gradients_of
from ..autodiff.tape import UnconnectedGradients
from ..function.callbacks import numpy_function
from ..interfaces.initializers import random_uniform_initializer
from ..ops import cast
from ..values.dtypes import float32
from ..values.tensor_shape import TensorShape

__all__ = [
    "assign",
    "dimension_value",
    "glorot_uniform_initializer",
    "gradients",
    "py_func",
    "to_float",
]


def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """Give a variable a value; the variable."""
    return ref.assign(value, name=name)


def dimension_value(dimension: Any) -> int | None:
    """A size of a static shape, which is a number, or None."""
    return dimension


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: Any = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> list[Any]:
    """The gradients of the sum of ``ys`` by each of ``xs``, inside traced functions."""
    how = UnconnectedGradients.NONE if unconnected_gradients is None else unconnected_gradients
    return gradients_of(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, how
    )


def py_func(
    func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: Any = None
) -> Any:
    """Call ``func`` with NumPy arrays each time the graph runs; its results as tensors."""
    return numpy_function(func, inp, Tout, stateful, name)


def to_float(x: Any, name: str | None = "ToFloat") -> Any:
    """``x`` as float32."""
    return cast(x, float32, name)


class glorot_uniform_initializer:
    """Draws evenly between plus and minus the root of 6 by the units that a kernel joins."""

    def __init__(self, seed: int | None = None, dtype: Any = float32):
        self.seed, self.dtype = seed, dtype

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Numbers of that shape."""
        sizes: list[Any] = TensorShape(shape).as_list()
        joined = sum(sizes[-2:]) * math.prod(sizes[:-2]) if len(sizes) > 1 else 2 * sum(sizes)
        limit = math.sqrt(6 / max(1.0, joined))
        draw = random_uniform_initializer(-limit, limit, self.seed)
        return draw(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[Any, Any]:
        """The arguments that the initialiser was made of."""
        return {"seed": self.seed, "dtype": self.dtype.name}
