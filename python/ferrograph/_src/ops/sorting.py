"""Sorting, searching and distinct elements."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import (
    DROP,
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    convert_pair,
    dtype_or,
    emit,
    int32,
    is_tensor,
    known_size,
    refined,
    refusal,
    swapped_axes,
)
from ._dispatch import told
from ._numbers import whole
from ._ranks import of_rank
from .arithmetic import greater, greater_equal, less, logical_and, multiply
from .arrays import expand_dims, reshape, shape, transpose
from .elementwise import is_finite
from .numeric import cast, widened
from .reductions import reduce_all, reduce_sum
from .selection import gather

TopKV2 = namedtuple("TopKV2", ["values", "indices"])
Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


@public("math.top_k", "nn.top_k")
def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: Any = int32,
    name: str | None = None,
) -> Any:
    """The ``k`` largest elements along the last axis and their positions; among equals the first
    wins.

    >>> values, indices = fg.math.top_k([1, 9, 3, 9], 2)
    >>> values.numpy(), indices.numpy()
    (array([9, 9], dtype=int32), array([1, 3], dtype=int32))

    Args:
      input: a tensor of numbers of at least one axis.
      k: how many, a scalar.
      sorted: whether they are to come in descending order.
      index_type: the dtype of the positions, int32 or int64.
      name: a name for the operation.

    Returns:
      A named tuple ``(values, indices)``.

    Raises:
      ValueError, InvalidArgumentError: where the axis has fewer elements.
    """
    k = widened(k) if is_tensor(k) else k
    values, indices = emit("TopKV2", (input, k), {"sorted": sorted}, name)
    return TopKV2(values, cast(indices, dtype_or(index_type, int32)))


@public("sort")
@told
def sort(
    values: TensorLike, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements along an axis in order; NaN counts as the greatest.

    >>> fg.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)

    Args:
      values: a tensor of numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      name: a name for the operation.

    Raises:
      ValueError: for another direction.
    """
    return _sorted(convert(values), axis, direction, 0, name)


@public("argsort")
@told
def argsort(
    values: TensorLike,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The positions that would put the elements along an axis in order, as int32. Equals keep
    their order; NaN counts as the greatest.

    >>> fg.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)

    Args:
      values: a tensor of numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      stable: equals always keep their order; this argument changes nothing.
      name: a name for the operation.
    """
    return _sorted(convert(values), axis, direction, 1, name)


def _sorted(values: Any, axis: Any, direction: Any, part: Any, name: Any) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be ASCENDING or DESCENDING, got {shown(direction)}")
    axis = whole(axis, "the axis to sort along", ValueError)
    axes = values.ndim
    if axes is not None and not -axes <= axis < axes:
        raise refusal(f"axis {axis} is outside of a tensor of rank {axes}")
    if axis == -1 or axes is not None and axis == axes - 1:
        return emit("Identity", (_sorted_last(values, direction, part),), None, name)
    order = swapped_axes(values, axis)
    return transpose(_sorted_last(transpose(values, order), direction, part), order, name=name)


def _sorted_last(values: Any, direction: Any, part: Any) -> Any:
    """Sorts the last axis; ``part`` is 0 for the elements, 1 for their positions."""
    sizes = values.shape.as_list() if values.ndim is not None else [None]
    k = shape(values)[-1] if sizes[-1] is None else sizes[-1]
    op = "BottomK" if direction == "ASCENDING" else "TopKV2"
    return emit(op, (values, k), {"sorted": True}, None)[part]


@public("searchsorted")
@told
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Where values would go in sorted rows to keep them sorted, by binary search.

    >>> fg.searchsorted([1.0, 3.0, 5.0], [3.0, 9.0]).numpy()
    array([1, 3], dtype=int32)

    Args:
      sorted_sequence: a tensor whose last axis is sorted.
      values: a tensor with the same axes before the last.
      side: "left" for the first place among equals, "right" for the one after the last.
      out_type: int32 or int64.
      name: a name for the operation.

    Raises:
      ValueError: for another side.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {shown(side)}")
    rows, values = convert_pair(sorted_sequence, values)
    op = "LowerBound" if side == "left" else "UpperBound"
    inputs = (_as_matrix(rows), _as_matrix(values))
    places = emit(op, inputs, {"out_type": dtype_or(out_type, int32)}, None)
    return reshape(places, shape(values), name)


def _as_matrix(x: Tensor) -> Tensor:
    """``x`` with all axes but the last made one."""
    if x.ndim == 2:
        return x
    sizes = shape(x)
    return reshape(x, [emit("Prod", (sizes[:-1], 0), DROP, None), sizes[-1]])


@public("unique")
def unique(x: TensorLike, out_idx: Any = int32, name: str | None = None) -> Any:
    """The distinct elements of a vector in order of first appearance, and where each element went.

    >>> y, idx = fg.unique([4, 1, 4, 2])
    >>> y.numpy(), idx.numpy()
    (array([4, 1, 2], dtype=int32), array([0, 1, 0, 2], dtype=int32))

    Args:
      x: a vector, or what converts to one; of any dtype.
      out_idx: the dtype of ``idx``, int32 (the default) or int64.
      name: a name for the operation.

    Returns:
      A named tuple ``(y, idx)`` with ``y[idx[i]] == x[i]``.

    Raises:
      ValueError, InvalidArgumentError: where ``x`` is no vector.
    """
    return Unique(*emit("Unique", (x,), {"out_idx": as_dtype(out_idx)}, name))


@public("unique_with_counts")
def unique_with_counts(x: TensorLike, out_idx: Any = int32, name: str | None = None) -> Any:
    """As ``unique``, and how often each distinct element occurs.

    >>> fg.unique_with_counts([4, 1, 4]).count.numpy()
    array([2, 1], dtype=int32)

    Args:
      x: a vector, or what converts to one; of any dtype.
      out_idx: the dtype of ``idx`` and ``count``, int32 (the default) or int64.
      name: a name for the operation.

    Returns:
      A named tuple ``(y, idx, count)`` with ``y[idx[i]] == x[i]``.

    Raises:
      ValueError, InvalidArgumentError: where ``x`` is no vector.
    """
    return UniqueWithCounts(*emit("UniqueWithCounts", (x,), {"out_idx": as_dtype(out_idx)}, name))


@public("math.in_top_k", "nn.in_top_k")
def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Whether the class of each row is among its ``k`` largest predictions; ties at the border
    count as in.

    >>> fg.math.in_top_k([0, 1], [[0.9, 0.1], [0.6, 0.4]], 1).numpy()
    array([ True, False])

    Args:
      targets: a vector of classes; those that there are not are out.
      predictions: a matrix with one row for each; rows with one that is not finite are out.
      k: how many.
      name: a name for the operation.
    """
    predictions, targets = of_rank(convert(predictions), 2), of_rank(convert(targets), 1)
    n = cast(shape(predictions)[1], targets.dtype)
    is_class = logical_and(greater_equal(targets, 0), less(targets, n))
    own = gather(predictions, multiply(targets, cast(is_class, targets.dtype)), batch_dims=1)
    above = cast(greater(predictions, expand_dims(own, 1)), int32)
    k = convert(k)
    ahead = less(cast(reduce_sum(above, 1), k.dtype), k)
    is_counted = logical_and(is_class, reduce_all(is_finite(predictions), 1))
    return refined(logical_and(ahead, is_counted, name), known_size(predictions, 0))
