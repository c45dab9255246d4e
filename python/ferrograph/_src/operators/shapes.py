"""Shapes of operators and of their operands, static where they are known."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..values import dtypes
from ..values.errors import shown
from ..values.tensor_shape import TensorShape

__all__ = ["adjoint_if", "batch_of", "batches_together", "kept", "on_batches", "size_of"]


def kept(value: Any, rank: int, what: str) -> Any:
    """An operator's tensor: a variable stays one. ValueError where its rank is too small."""
    if not isinstance(value, _core.VariableBase):
        value = _core.convert_to_tensor(value)
    if value.shape.rank is not None and value.shape.rank < rank:
        raise ValueError(f"Argument {what} must have at least {rank} dimensions. Found: {value}")
    return value


def size_of(value: Any, what: str) -> tuple[int | None, Any]:
    """A size: as an int where it is known, and as an int32 scalar."""
    tensor = _core.convert_to_tensor(value)
    if tensor.shape.rank not in (0, None) or not tensor.dtype.is_integer:
        raise TypeError(f"{what} must be an integer scalar, got {shown(value)}")
    known = tensor._constant_value()
    size = None if known is None else int(known)
    if size is not None and size < 0:
        raise ValueError(f"{what} must not be negative, got {size}")
    return size, ops.cast(tensor, dtypes.int32)


def batch_of(value: Any) -> tuple[TensorShape, Any]:
    """The shape of a stack: as far as it is known, and as an int32 vector."""
    if value is None or (isinstance(value, (list, tuple)) and not value):
        return TensorShape([]), ops.zeros([0], dtypes.int32)
    if isinstance(value, TensorShape):
        value = value.as_list()
    tensor = ops.cast(_core.convert_to_tensor(value), dtypes.int32)
    known = tensor._constant_value()
    if known is not None:
        return TensorShape(known.numpy().tolist()), tensor
    rank = tensor.shape[0] if tensor.shape.rank == 1 else None
    return TensorShape(None if rank is None else [None] * rank), tensor


def adjoint_if(x: Any, wanted: bool) -> Any:
    """The adjoint of stacked matrices, or they as they are."""
    return ops.matrices.adjoint(x) if wanted else x


def batches_together(*stacks: Any) -> tuple[Any, ...]:
    """Stacks of matrices with their leading axes broadcast to one shape."""
    first = stacks[0].shape[:-2]
    if first.is_fully_defined() and all(s.shape[:-2] == first for s in stacks):
        return stacks
    batch, static = ops.shape(stacks[0])[:-2], first
    for stack in stacks[1:]:
        batch = ops.broadcast_dynamic_shape(batch, ops.shape(stack)[:-2])
        static = ops.broadcast_static_shape(static, stack.shape[:-2])
    return tuple([_broadcast(stack, batch, static) for stack in stacks])


def _broadcast(x: Any, batch: Any, static: TensorShape) -> Any:
    wide = ops.broadcast_to(x, ops.concat([batch, ops.shape(x)[-2:]], axis=0))
    if _core.is_symbolic(wide):
        wide.set_shape(static.concatenate(x.shape[-2:]))
    return wide


def on_batches(x: Any, batch: TensorShape, tensor: Any) -> Any:
    """``x`` broadcast to a batch shape, unless it has it already; ``tensor()`` is that shape."""
    if batch.is_fully_defined() and x.shape.rank is not None:
        static = ops.broadcast_static_shape(x.shape[:-2], batch)
        if static == x.shape[:-2] and static.is_fully_defined():
            return x
    else:
        static = TensorShape(None)
    wide = ops.broadcast_dynamic_shape(ops.shape(x)[:-2], tensor())
    return _broadcast(x, wide, static)
