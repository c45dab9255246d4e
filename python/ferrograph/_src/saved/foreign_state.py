"""Rules for operations on variables, by their handles: see ``foreign``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import distributions, selection
from ..values.dtypes import int32, int64, uint64
from ..values.tensor_shape import TensorShape

__all__ = ["RULES"]

_emit = _core.emit
# So many places of the counter belong to each number drawn.
_RESERVED = 256
# The words of the counter in a generator's state; its key is behind them.
_COUNTER = 2

Tensors = list[Any]
Attributes = dict[str, Any]


def _read(handle: Any, dtype: Any) -> Any:
    return _emit("ReadVariableOp", (handle,), {"dtype": dtype, "shape": TensorShape(None)})


def _scattered(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(x: Tensors, a: Attributes) -> Any:
        handle, indices, updates = x
        value = function(_read(handle, updates.dtype), indices, updates)
        _emit("AssignVariableOp", (handle, value))
        return ()

    return rule


def _gathered(x: Tensors, a: Attributes) -> Any:
    return ops.gather_nd(_read(x[0], a["dtype"]), x[1])


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _replaced(whole: Any, bounds: Tensors, value: Any, a: Attributes) -> Any:
    """A tensor with what a slice picks of it replaced."""
    shape = ops.shape(whole)
    numbers = ops.reshape(ops.range(ops.size(whole)), shape)
    masks = {name: a.get(name, 0) for name in _MASKS}
    places = _emit("StridedSlice", (numbers, *bounds), masks)
    value = ops.broadcast_to(value, ops.shape(places))
    flat = ops.tensor_scatter_nd_update(
        ops.reshape(whole, [-1]),
        ops.expand_dims(ops.reshape(places, [-1]), -1),
        ops.reshape(value, [-1]),
    )
    return ops.reshape(flat, shape)


def _part_assigned(x: Tensors, a: Attributes) -> Any:
    handle, *bounds, value = x
    whole = _replaced(_read(handle, value.dtype), bounds, value, a)
    _emit("AssignVariableOp", (handle, whole))
    return ()


def _part_updated(x: Tensors, a: Attributes) -> Any:
    return _replaced(x[0], x[1:-1], x[-1], a)


def _skipped(handle: Any, distance: Any) -> Any:
    """The state of a generator, which moves on by so many numbers."""
    before = _read(handle, int64)
    words = _emit("Bitcast", (before,), {"type": uint64})
    step = ops.cast(distance, uint64) * _RESERVED
    low = words[0] + step
    high = words[1] + ops.cast(low < step, uint64)
    after = ops.concat([ops.stack([low, high]), words[_COUNTER:]], 0)
    _emit("AssignVariableOp", (handle, _emit("Bitcast", (after,), {"type": int64})))
    return before


def _skip(x: Tensors, a: Attributes) -> Any:
    return _skipped(x[0], x[2])


def _binomial(x: Tensors, a: Attributes) -> Any:
    handle, algorithm, shape, counts, probs = x

    def state_of(distance: Any) -> tuple[Any, ...]:
        words = _emit("Bitcast", (_skipped(handle, distance),), {"type": uint64})
        return words[_COUNTER:], words[:_COUNTER], ops.cast(algorithm, int32)

    return distributions.keyed_binomial(shape, state_of, counts, probs, a["dtype"], None)


RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    "ResourceGatherNd": ("output", _gathered),
    "ResourceScatterNdAdd": ("", _scattered(selection.tensor_scatter_nd_add)),
    "ResourceScatterNdMax": ("", _scattered(selection.tensor_scatter_nd_max)),
    "ResourceScatterNdMin": ("", _scattered(selection.tensor_scatter_nd_min)),
    "ResourceScatterNdSub": ("", _scattered(selection.tensor_scatter_nd_sub)),
    "ResourceScatterNdUpdate": ("", _scattered(selection.tensor_scatter_nd_update)),
    "ResourceStridedSliceAssign": ("", _part_assigned),
    "RngReadAndSkip": ("value", _skip),
    "StatefulRandomBinomial": ("output", _binomial),
    "TensorStridedSliceUpdate": ("output", _part_updated),
}
