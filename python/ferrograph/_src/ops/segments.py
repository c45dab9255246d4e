"""Segments, counting and partitions."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, TypeVar

from ..values.composite import CompositeInput
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    TensorShape,
    convert,
    dtype_or,
    emit,
    executing_eagerly,
    float64,
    int32,
    int64,
    rank_of,
    refined,
    refusal,
    static_value,
)
from ._dispatch import ask, asks, dispatched, told
from ._emits import dressed
from ._numbers import check_flags, int32_of, several, whole
from ._ranks import of_rank, split_shape
from .arithmetic import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    less,
    logical_and,
    maximum,
    minimum,
    multiply,
    subtract,
)
from .arrays import concat, ensure_shape, expand_dims, rank, reshape, shape
from .creation import ones, ones_like, range, zeros, zeros_like
from .debug import Assert, assert_equal
from .elementwise import floor, sqrt
from .numeric import cast
from .reductions import reduce_all, reduce_max
from .selection import boolean_mask, tensor_scatter_nd_update

F = TypeVar("F", bound=Callable[..., Any])


def _unsorted(op: str) -> Callable[[F], F]:
    """The body of a function that is the operation ``op`` on segments in any order."""

    def make(declared: F) -> F:
        def segment(data, segment_ids, num_segments, name=None):
            return emit(op, (data, segment_ids, num_segments), None, name)

        return dressed(dispatched(segment), declared)

    return make


def _sorted(op: str) -> Callable[[F], F]:
    """The body of a function that is the operation ``op`` on sorted segments."""

    def make(declared: F) -> F:
        def segment(data, segment_ids, name=None):
            try:
                return emit(op, (data, segment_ids), None, name)
            except CompositeInput as e:
                return ask(segment, (data, segment_ids), {}, e)

        return asks(dressed(segment, declared))

    return make


@public("math.unsorted_segment_sum")
@_unsorted("UnsortedSegmentSum")
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sums of the slices of ``data`` with each id; negative ids are dropped.

    Empty segments give 0.

    >>> fg.math.unsorted_segment_sum([1, 2, 3], [0, 1, 0], 2).numpy()
    array([4, 2], dtype=int32)

    Args:
      data: a tensor of numbers, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose axes of ``segment_ids`` are one axis of size
        ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """


@public("math.unsorted_segment_prod")
@_unsorted("UnsortedSegmentProd")
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The products of the slices of ``data`` with each id; negative ids are dropped.

    Empty segments give 1.

    >>> fg.math.unsorted_segment_prod([1, 2, 3], [0, 1, 0], 2).numpy()
    array([3, 2], dtype=int32)

    Args:
      data: a tensor of numbers, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose axes of ``segment_ids`` are one axis of size
        ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """


@public("math.unsorted_segment_max")
@_unsorted("UnsortedSegmentMax")
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The maxima of the slices of ``data`` with each id; negative ids are dropped.

    Empty segments give the least finite number.

    >>> fg.math.unsorted_segment_max([1, 2, 3], [0, 1, 0], 2).numpy()
    array([3, 2], dtype=int32)

    Args:
      data: a tensor of real numbers, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose axes of ``segment_ids`` are one axis of size
        ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """


@public("math.unsorted_segment_min")
@_unsorted("UnsortedSegmentMin")
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The minima of the slices of ``data`` with each id; negative ids are dropped.

    Empty segments give the greatest finite number.

    >>> fg.math.unsorted_segment_min([1, 2, 3], [0, 1, 0], 2).numpy()
    array([1, 2], dtype=int32)

    Args:
      data: a tensor of real numbers, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose axes of ``segment_ids`` are one axis of size
        ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """


@public("math.segment_sum")
@_sorted("SegmentSum")
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sums of the slices of ``data`` with each id, ids being sorted.

    Ids left out give 0.

    >>> fg.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)

    Args:
      data: a tensor of numbers, or what converts to one; of rank 1 or more.
      segment_ids: a sorted vector of int32 or int64 from 0 up, one for each slice along the first
        axis.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose first axis has a place for each id up to the last
        one.

    Raises:
      InvalidArgumentError: where the ids are not sorted, negative, or not as many as slices, and
        for other dtypes.
    """


@public("math.segment_mean")
@_sorted("SegmentMean")
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The means of the slices of ``data`` with each id, ids being sorted.

    Ids left out give 0.

    >>> fg.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 1]).numpy()
    array([1.5, 3. ], dtype=float32)

    Args:
      data: a tensor of numbers, or what converts to one; of rank 1 or more.
      segment_ids: a sorted vector of int32 or int64 from 0 up, one for each slice along the first
        axis.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose first axis has a place for each id up to the last
        one.

    Raises:
      InvalidArgumentError: where the ids are not sorted, negative, or not as many as slices, and
        for other dtypes.
    """


@public("math.segment_prod")
@_sorted("SegmentProd")
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The products of the slices of ``data`` with each id, ids being sorted.

    Ids left out give 1.

    >>> fg.math.segment_prod([1, 2, 3], [0, 0, 1]).numpy()
    array([2, 3], dtype=int32)

    Args:
      data: a tensor of numbers, or what converts to one; of rank 1 or more.
      segment_ids: a sorted vector of int32 or int64 from 0 up, one for each slice along the first
        axis.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose first axis has a place for each id up to the last
        one.

    Raises:
      InvalidArgumentError: where the ids are not sorted, negative, or not as many as slices, and
        for other dtypes.
    """


@public("math.segment_max")
@_sorted("SegmentMax")
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The maxima of the slices of ``data`` with each id, ids being sorted.

    Ids left out give 0.

    >>> fg.math.segment_max([1, 2, 3], [0, 0, 1]).numpy()
    array([2, 3], dtype=int32)

    Args:
      data: a tensor of real numbers, or what converts to one; of rank 1 or more.
      segment_ids: a sorted vector of int32 or int64 from 0 up, one for each slice along the first
        axis.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose first axis has a place for each id up to the last
        one.

    Raises:
      InvalidArgumentError: where the ids are not sorted, negative, or not as many as slices, and
        for other dtypes.
    """


@public("math.segment_min")
@_sorted("SegmentMin")
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The minima of the slices of ``data`` with each id, ids being sorted.

    Ids left out give 0.

    >>> fg.math.segment_min([1, 2, 3], [0, 0, 1]).numpy()
    array([1, 3], dtype=int32)

    Args:
      data: a tensor of real numbers, or what converts to one; of rank 1 or more.
      segment_ids: a sorted vector of int32 or int64 from 0 up, one for each slice along the first
        axis.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose first axis has a place for each id up to the last
        one.

    Raises:
      InvalidArgumentError: where the ids are not sorted, negative, or not as many as slices, and
        for other dtypes.
    """


def _segment_counts(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """How many slices each segment has, shaped to divide the segments of ``data``."""
    data, segment_ids = convert(data), convert(segment_ids)
    one_each = ones(shape(segment_ids), data.dtype)
    counts = unsorted_segment_sum(one_each, segment_ids, num_segments)
    extra = emit("Sub", (rank(data), rank(segment_ids)), None, None)
    tail = emit("Fill", (expand_dims(extra, 0), 1), None, None)
    counts = reshape(counts, concat([shape(counts), tail], 0))
    return maximum(counts, convert(1, data.dtype))


@public("math.unsorted_segment_mean")
@dispatched
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The means of the slices with each id, 0 for empty segments; negative ids are dropped.

    >>> fg.math.unsorted_segment_mean([5.0, 6.0, 8.0], [1, 0, 1], 3).numpy()
    array([6. , 6.5, 0. ], dtype=float32)

    Args:
      data: a tensor of real numbers, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor whose axes of ``segment_ids`` are one axis of size ``num_segments``, of the dtype of
        ``data``; float32 for integers of 8 and 16 bits, float64 for others.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """
    counts = _segment_counts(data, segment_ids, num_segments)
    return divide(unsorted_segment_sum(data, segment_ids, num_segments), counts, name)


@public("math.unsorted_segment_sqrt_n")
@dispatched
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sums of the slices with each id, divided by the square root of their number; negative ids
    are dropped.

    >>> fg.math.unsorted_segment_sqrt_n([1.0, 3.0], [0, 0], 1).numpy().round(4)
    array([2.8284], dtype=float32)

    Args:
      data: a tensor of floats, or what converts to one.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``data``.
      num_segments: the number of segments, a scalar of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``data``, whose axes of ``segment_ids`` are one axis of size
        ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """
    counts = _segment_counts(data, segment_ids, num_segments)
    return divide(unsorted_segment_sum(data, segment_ids, num_segments), sqrt(counts), name)


@public("math.bincount")
@dispatched
def bincount(
    arr: TensorLike,
    weights: TensorLike = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each number from 0 up occurs.

    >>> fg.math.bincount([1, 3, 1]).numpy()
    array([0, 2, 0, 1], dtype=int32)

    Args:
      arr: a tensor of numbers that are not negative; floats lose their fraction, True is 1.
      weights: of the shape of ``arr``: what each occurrence counts, 1 unless told.
      minlength: the least length of the result.
      maxlength: the greatest length; larger numbers are not counted.
      dtype: the dtype of the result, where there are no weights.
      name: a name for the operation.
      axis: -1 to count in each row of a matrix; the flattened ``arr`` unless told.
      binary_output: whether to tell 1 for all that occurs, however often.

    Raises:
      ValueError: for another axis, and for ``binary_output`` with weights.
      InvalidArgumentError: for a negative number, more than two axes, weights of another shape.
    """
    check_flags("bincount", binary_output=binary_output)
    axis = axis if axis is None else whole(axis, "bincount: axis")
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount knows axis None, 0 and -1, got {shown(axis)}")
    if binary_output and weights is not None:
        raise ValueError("bincount takes binary_output or weights, not both")
    arr = convert(arr)
    if arr.dtype not in (int32, int64):
        arr = cast(arr, int64 if arr.dtype.name in ("uint32", "uint64") else int32)
    are_positions = reduce_all(greater_equal(arr, 0))
    length = _length_of_counts(arr, minlength, maxlength)
    shortened = maxlength is not None
    counted = ones_like(arr, dtype) if weights is None else _weights_of(arr, weights)
    lead = None
    if axis == -1 and arr.ndim not in (0, 1):
        # Vectors and matrices are one where the rank is not known.
        lead, arr, counted = _in_rows(arr, counted)
        rows = shape(arr, arr.dtype)[0]
        place = expand_dims(range(rows), 1)
        bins = emit("AddV2", (multiply(place, length), arr), None, None)
        total = multiply(rows, length)
    else:
        bins, total = arr, length
    if shortened:
        bins = emit("SelectV2", (less(arr, length), bins, convert(-1, arr.dtype)), None, None)
    Assert(are_positions, ["bincount needs numbers that are not negative"])
    counts = unsorted_segment_sum(counted, bins, total)
    if binary_output:
        counts = cast(greater(counts, zeros_like(counts)), counts.dtype)
    if lead is None:
        return refined(counts, None)
    return reshape(counts, concat([lead, reshape(cast(length, int32), [1])], 0), name)


def _length_of_counts(arr: Tensor, least: Any, most: Any) -> Tensor:
    """How many numbers are counted: all that occur, at least and at most so many."""
    known = [static_value(n) for n in (least, most) if n is not None]
    numbers = [int(n) for n in known if n is not None and n.ndim == 0 and n.dtype.kind in "iu"]
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        return cast(most, arr.dtype)  # whatever occurs
    length = _above(reshape(arr, [-1]))
    if least is not None:
        length = maximum(length, cast(least, arr.dtype))
    return length if most is None else minimum(length, cast(most, arr.dtype))


def _weights_of(arr: Tensor, weights: Any) -> Tensor:
    """The weights of what is counted. InvalidArgumentError where they are of another shape."""
    weights = convert(weights)
    if not weights.shape.is_compatible_with(arr.shape):
        raise refusal(f"bincount: weights have shape {weights.shape}, arr has {arr.shape}")
    if weights.shape.rank is None or arr.shape.rank is None:
        assert_equal(shape(weights), shape(arr), "bincount: weights must have the shape of arr")
    return weights


def _in_rows(arr: Tensor, counted: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The sizes before the last axis, and two tensors of one shape as matrices."""
    if arr.ndim is not None and arr.ndim > 2:
        raise refusal(f"bincount counts in the rows of a matrix at most, got shape {arr.shape}")
    if arr.ndim is None:
        Assert(less(rank_of(arr), 3), ["bincount counts in the rows of a matrix at most"])
    lead, n, _ = split_shape(arr, -1)
    sizes = concat([reshape(emit("Prod", (lead, [0]), None, None), [1]), n], 0)
    return lead, reshape(arr, sizes), reshape(counted, sizes)


@public("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """The bin of each value among equal ones; what is outside goes to the bin at that end.

    >>> fg.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 5.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 4], dtype=int32)

    Args:
      values: a tensor of floats, or what converts to one; of any shape.
      value_range: where the first bin begins and the last one ends, two numbers that convert to the
        dtype of ``values``.
      nbins: the number of bins, a scalar; 100 by default.
      dtype: the dtype of the result, of numbers; int32 by default.
      name: a name for the operation.

    Returns:
      A tensor of ``dtype`` and the shape of ``values``.

    Raises:
      InvalidArgumentError: for another dtype, and where the range is not of two numbers.
    """
    values = convert(values)
    low, high = emit("Unpack", (convert(value_range, values.dtype),), {"num": 2, "axis": 0}, None)
    scaled = multiply(divide(subtract(values, low), subtract(high, low)), cast(nbins, values.dtype))
    # Clipped as floats: what is far outside would not fit an integer.
    last = cast(subtract(nbins, 1), values.dtype)
    bins = minimum(maximum(floor(scaled), convert(0, values.dtype)), last)
    return cast(bins, dtype_or(dtype, int32), name)


@public("histogram_fixed_width")
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of several equal bins; what is outside counts in the bin at
    that end. Bins are found in double precision.

    >>> fg.histogram_fixed_width([-1.0, 0.0, 1.5, 5.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 0, 0, 1], dtype=int32)

    Args:
      values: a tensor of numbers, or what converts to one; of any shape.
      value_range: where the first bin begins and the last one ends, two numbers, which must rise.
      nbins: the number of bins, a scalar; 100 by default.
      dtype: the dtype of the counts, of numbers; int32 by default.
      name: a name for the operation.

    Returns:
      A vector of ``dtype`` with a count for each bin.

    Raises:
      InvalidArgumentError: for a NaN, an empty range, or no bins.
    """
    values = cast(reshape(convert(values), [-1]), float64)
    bounds = cast(convert(value_range), float64)
    low, high = emit("Unpack", (bounds,), {"num": 2, "axis": 0}, None)
    nbins = int32_of(nbins)
    Assert(less(low, high), ["value_range must rise", bounds])
    Assert(greater(nbins, 0), ["nbins must be positive", nbins])
    count = cast(nbins, float64)
    places = divide(subtract(maximum(values, low), low), divide(subtract(high, low), count))
    # Clipped as floats: what is far outside would not fit an integer.
    places = minimum(places, subtract(count, 1.0))
    bins = cast(places, int32)
    Assert(reduce_all(equal(places, places)), ["histogram_fixed_width got a NaN"])
    return unsorted_segment_sum(ones_like(bins, dtype), bins, nbins, name)


@public("math.confusion_matrix")
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike = None,
    weights: TensorLike = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """How often each label (row) was predicted as each class (column).

    >>> fg.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]

    Args:
      labels: a vector of integers.
      predictions: likewise.
      num_classes: the number of classes; one more than the largest number unless told.
      weights: what each pair counts; 1 unless told.
      dtype: the dtype of the result.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for a negative number, or one that is not below ``num_classes``.
    """
    labels, predictions = cast(labels, int64), cast(predictions, int64)
    if num_classes is None:
        num_classes = _above(concat([labels, predictions], 0))
    num_classes = cast(num_classes, int64)
    for numbers in (labels, predictions):
        inside = logical_and(greater_equal(numbers, 0), less(numbers, num_classes))
        Assert(reduce_all(inside), ["labels and predictions must be in [0, num_classes)", numbers])
    counted = ones_like(predictions, dtype) if weights is None else cast(weights, dtype)
    places = emit("Pack", (labels, predictions), {"axis": 1}, None)
    sizes = emit("Pack", (num_classes, num_classes), {"axis": 0}, None)
    return emit("ScatterNd", (places, counted, sizes), None, name)


def _above(numbers: Any) -> Any:
    """One more than the largest of a vector of integers; 0 where it is empty."""
    return add(maximum(reduce_max(numbers), -1), 1)


@public("dynamic_partition")
@dispatched
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: Any, name: str | None = None
) -> list[Tensor]:
    """The slices of ``data`` sorted into ``num_partitions`` tensors, the order kept within each.

    >>> [t.numpy().tolist() for t in fg.dynamic_partition([10, 20, 30], [1, 0, 1], 2)]
    [[20], [10, 30]]

    Args:
      data: a tensor.
      partitions: an integer for each slice (each element of so many first axes of ``data``).
      num_partitions: how many tensors to make.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for a partition that is not in ``range(num_partitions)``.
    """
    data, partitions = convert(data), convert(partitions)
    num_partitions = whole(num_partitions, "dynamic_partition: num_partitions")
    inside = logical_and(greater_equal(partitions, 0), less(partitions, num_partitions))
    Assert(reduce_all(inside), [f"partitions must be in [0, {num_partitions})", partitions])
    if partitions.ndim is None or partitions.ndim == 0:
        behind = shape(data)[rank_of(partitions) :]
        partitions = reshape(partitions, [-1])
        data = reshape(data, concat([shape(partitions), behind], 0))
    masks = [equal(partitions, i) for i in builtins.range(num_partitions)]
    return [boolean_mask(data, mask) for mask in masks]


def _counted(values: Any, what: str) -> Any:
    """Values that say how many they are, however many; others as a list."""
    says = hasattr(values, "__len__") and not isinstance(values, (str, bytes, Tensor))
    return values if says and getattr(values, "ndim", None) != 0 else several(values, what)


@public("dynamic_stitch")
@told
def dynamic_stitch(indices: TensorLike, data: TensorLike, name: str | None = None) -> Tensor:
    """The slices of several tensors merged into one, each at its index; the last wins where
    several meet.

    >>> fg.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)

    Args:
      indices: a list of integer tensors.
      data: a list of tensors, each of the shape of its indices and one common shape of slices.
      name: a name for the operation.

    Raises:
      ValueError: where there are not as many of one as of the other, or none.
    """
    indices = _counted(indices, "dynamic_stitch: indices")
    data = _counted(data, "dynamic_stitch: data")
    if len(indices) != len(data) or not len(data):
        raise ValueError(f"{len(indices)} indices do not go with {len(data)} tensors of data")
    indices, data = [convert(i) for i in indices], [convert(d) for d in data]
    if not executing_eagerly():
        indices, data = _with_one_tail(indices, data)
    flat = concat([reshape(i, [-1]) for i in indices], 0)
    tail = shape(data[0])[rank_of(indices[0]) :]
    rows = concat([reshape(d, concat([[-1], tail], 0)) for d in data], 0)
    length = _above(flat)
    empty = emit(
        "Fill", (concat([expand_dims(length, 0), tail], 0), zeros([], rows.dtype)), None, None
    )
    return tensor_scatter_nd_update(empty, expand_dims(flat, 1), rows, name)


def _with_one_tail(indices: list[Any], data: list[Any]) -> tuple[list[Any], list[Any]]:
    """Indices and data, of which a trace knows what follows from one shape of slices in all of
    them; it is checked when the graph runs.
    """
    pairs = list(zip(indices, data, strict=True))
    ranks = [d.ndim - i.ndim for i, d in pairs if None not in (i.ndim, d.ndim)]
    if not ranks or min(ranks) < 0:
        return indices, data
    axes = ranks[0]
    pairs = [(of_rank(i, max(d.ndim - axes, 0)) if d.ndim else i, d) for i, d in pairs]
    tail = TensorShape([None] * axes)
    for _, d in pairs:
        if axes and d.ndim:
            tail = tail.merge_with(d.shape[-axes:])
    return [i for i, _ in pairs], [_with_tail(i, d, tail) for i, d in pairs]


def _with_tail(i: Any, d: Any, tail: TensorShape) -> Any:
    """Data with a slice of that shape for each index."""
    if i.ndim is None or d.shape.is_fully_defined():
        return d
    return ensure_shape(d, i.shape.concatenate(tail))
