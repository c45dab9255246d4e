"""What functions that take shapes do with a ``DynamicRaggedShape``, or with ragged values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from .dynamic_shape import DynamicRaggedShape
from .elementwise import aligned
from .tensor import RaggedTensor, is_ragged

__all__ = ["broadcast_shape", "broadcast_to", "filled", "reshape"]


def filled(make: Callable[..., Any], shape: DynamicRaggedShape) -> Any:
    """What ``make`` gives of the inner shape, in the rows of the shape."""
    return _in_rows(make(shape.inner_shape), shape)


def _in_rows(flat: Any, shape: DynamicRaggedShape) -> Any:
    for one in reversed(shape.row_partitions):
        flat = RaggedTensor(flat, one.row_splits(), one.static_uniform_row_length)
    return flat


def reshape(tensor: Any, shape: Any) -> Any:
    """The innermost values in row order with another shape, ragged or not.

    InvalidArgumentError where their number differs.
    """
    flat = tensor.flat_values if is_ragged(tensor) else tensor
    if not isinstance(shape, DynamicRaggedShape):
        return ops.reshape(flat, shape)
    return _in_rows(ops.reshape(flat, shape.inner_shape), shape)


def broadcast_to(value: Any, shape: Any) -> Any:
    """The value, ragged or not, stretched to a shape, ragged or not.

    Raises:
      InvalidArgumentError: where it does not broadcast to the shape.
      ValueError: where it has more axes.
    """
    shape = _as_shape(shape)
    value = value if is_ragged(value) else _core.convert_to_tensor(value)
    if not is_ragged(value) and not shape.row_partitions:
        return ops.broadcast_to(value, shape.inner_shape)
    model = filled(lambda inner: ops.fill(inner, True), shape)
    if value.shape.rank is None or model.shape.rank is None:
        raise ValueError("broadcast_to with ragged shapes needs a known rank")
    if value.shape.rank > model.shape.rank:
        raise ValueError(f"a value of rank {value.shape.rank} does not broadcast to {shape}")
    wrap, (flat, inner) = aligned([value, model])
    return wrap(ops.broadcast_to(flat, ops.shape(inner)))


def broadcast_shape(x: Any, y: Any) -> Any:
    """The shape that two shapes, one or both of which are ragged, broadcast to.

    InvalidArgumentError where they do not.
    """
    x, y = _as_shape(x), _as_shape(y)
    if not x.row_partitions and not y.row_partitions:
        inner = ops.broadcast_dynamic_shape(x.inner_shape, ops.cast(y.inner_shape, x.dtype))
        return DynamicRaggedShape([], inner)
    wrap, flat = aligned([filled(lambda inner: ops.fill(inner, True), s) for s in (x, y)])
    dtype = x.dtype if x.row_partitions else y.dtype
    return DynamicRaggedShape.from_tensor(wrap(ops.logical_and(*flat)), dtype)


def _as_shape(shape: Any) -> DynamicRaggedShape:
    if isinstance(shape, DynamicRaggedShape):
        return shape
    return DynamicRaggedShape([], ops.cast(shape, _dtype(shape)))


def _dtype(shape: Any) -> Any:
    return shape.dtype if isinstance(shape, _core.Tensor) else "int64"
