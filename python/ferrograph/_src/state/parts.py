"""Assigning a part of a variable: ``v[1:3].assign(value)``."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from .variable import Variable

__all__ = ["assign_part"]


def assign_part(variable: Variable, key: Any, value: Any) -> Any:
    """Replace what ``key`` picks of a variable by a value that broadcasts to it; the variable.

    ValueError for a tensor of another dtype, ValueError or InvalidArgumentError for a value of a
    shape that does not broadcast.
    """
    if isinstance(value, _core.Tensor) and value.dtype != variable.dtype:
        raise ValueError(
            f"Variable {variable.name} is {variable.dtype.name}, a {value.dtype.name} tensor "
            "cannot be assigned to a part of it"
            + _core.explain_dtype("value", value, variable.dtype)
        )
    whole = variable.read_value()
    shape = ops.shape(whole)
    places = ops.reshape(ops.range(ops.size(whole)), shape)[key]
    values = ops.broadcast_to(_core.convert_to_tensor(value, variable.dtype), ops.shape(places))
    flat = ops.tensor_scatter_nd_update(
        ops.reshape(whole, [-1]),
        ops.expand_dims(ops.reshape(places, [-1]), -1),
        ops.reshape(values, [-1]),
    )
    return variable.assign(ops.reshape(flat, shape))
