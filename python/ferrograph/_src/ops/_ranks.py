"""Operations along an axis of tensors whose rank is known only when the graph runs."""

from __future__ import annotations

from ..hints import Any
from ._base import TensorShape, convert, emit, int32, rank_of

__all__ = ["in_three", "of_one_shape", "of_rank", "places_of", "split_shape", "to_front"]


def of_rank(x: Any, rank: int) -> Any:
    """A tensor of unknown rank as one of this rank, which is checked when the graph runs."""
    if x.ndim is not None:
        return x
    return emit("EnsureShape", (x,), {"shape": TensorShape([None] * rank)}, None)


def of_one_shape(operands: Any) -> list[Any]:
    """Operands that broadcast: those of unknown rank are repeated to the shape of the others, which
    is checked when the graph runs.
    """
    known = [x for x in operands if x.ndim]
    if not known or all(x.ndim is not None for x in operands):
        return list(operands)
    sizes, *others = [emit("Shape", (x,), None, None) for x in known]
    for other in others:
        sizes = emit("BroadcastArgs", (sizes, other), None, None)
    return [emit("BroadcastTo", (x, sizes), None, None) if x.ndim is None else x for x in operands]


def places_of(axes: list[int], rank: Any) -> Any:
    """Axes, some counted from the last, as a vector of numbers from 0 on, for a rank of the graph.

    One that there is not is refused when the graph runs.
    """
    if not axes:
        return convert([], int32)
    counted = [emit("AddV2", (rank, axis), None, None) if axis < 0 else axis for axis in axes]
    places = emit("Pack", [convert(axis, int32) for axis in counted], {"axis": 0}, None)
    each = emit("Range", (0, rank, 1), None, None)
    return emit("GatherV2", (each, places, 0), {"batch_dims": 0}, None)


def split_shape(x: Any, axis: int, n: int = 1) -> tuple[Any, Any, Any]:
    """The sizes of a tensor before an axis, of ``n`` axes from it on, and behind them."""
    sizes = emit("Shape", (x,), None, None)
    first = axis if axis >= 0 else rank_of(x) + axis
    return sizes[:first], sizes[first : first + n], sizes[first + n :]


def in_three(x: Any, axis: int) -> tuple[Any, Any, Any]:
    """A tensor with the axes before and behind ``axis`` as one each, and the sizes of those."""
    before, size, behind = split_shape(x, axis)
    ends = [emit("Prod", (part, [0]), None, None) for part in (before, behind)]
    shape = emit("Pack", [ends[0], size[0], ends[1]], {"axis": 0}, None)
    return emit("Reshape", (x, shape), None, None), before, behind


def to_front(x: Any, axes: list[int]) -> tuple[Any, Any]:
    """The order of axes with these in front, and the one that puts them back."""
    if x.ndim is not None:
        order = axes + [i for i in range(x.ndim) if i not in axes]
        return order, [order.index(i) for i in range(x.ndim)]
    rank = rank_of(x)
    places = places_of(axes, rank)
    each = emit("Range", (0, rank, 1), None, None)
    here = emit("UnsortedSegmentSum", (places * 0 + 1, places, rank), None, None)
    rest = emit("Where", (emit("Equal", (here, 0), None, None),), None, None)
    rest = emit("GatherV2", (each, emit("Reshape", (rest, [-1]), None, None), 0), None, None)
    order = emit("ConcatV2", (places, rest, 0), None, None)
    return order, emit("InvertPermutation", (order,), None, None)
