"""Operations of the XLA interface that libraries call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import ops
from ..autograph.api import convert_callback
from ..native import _core

__all__ = ["compile", "dynamic_update_slice", "jit_scope"]


def dynamic_update_slice(x: Any, updates: Any, start: Any, name: str | None = None) -> Any:
    """``x`` with the part that begins at ``start`` replaced.

    The start is moved so far that the part lies within ``x``.

    Args:
      x: a tensor of known rank.
      updates: a tensor of the same rank and dtype, no larger along any axis.
      start: for each axis where the part begins, an int32 or int64 vector.
      name: a name for the operation.
    """
    x = _core.convert_to_tensor(x)
    updates = _core.convert_to_tensor(updates, x.dtype)
    start = _core.convert_to_tensor(start)
    if x.shape.rank is None or updates.shape.rank != x.shape.rank:
        raise ValueError(f"`updates` of shape {updates.shape} is no part of shape {x.shape}")
    start = ops.cast(start, "int32")
    size = ops.shape(updates)
    start = ops.clip_by_value(start, 0, ops.shape(x) - size)
    places = [start[axis] + ops.range(size[axis]) for axis in range(x.shape.rank)]
    if not places:
        return ops.identity(updates)
    where = ops.stack(ops.meshgrid(*places, indexing="ij"), axis=-1)
    return _core.emit("TensorScatterUpdate", (x, where, updates), None, name)


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> list[Any]:
    """What a function gives, in a list where it is one value: plans are compiled as they are."""
    found = convert_callback(computation)(*(inputs or ()))
    if found is None:
        return []
    return list(found) if isinstance(found, (list, tuple)) else [found]


@contextlib.contextmanager
def jit_scope(
    compile_ops: bool = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """A block as any other: plans are compiled as they are."""
    yield
