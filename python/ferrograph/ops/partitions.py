"""Sorting, segments and counting."""

import builtins
from collections import namedtuple

from ._base import (
    as_dtype,
    convert,
    emit,
    int32,
    int64,
    static_value,
)
from .arrays import concat, expand_dims, rank, reshape, shape, size, transpose
from .creation import ones, ones_like, range, zeros_like
from .debug import Assert
from .elementwise import (
    add,
    divide,
    equal,
    floor,
    greater,
    greater_equal,
    invert,
    is_finite,
    less,
    logical_and,
    maximum,
    minimum,
    multiply,
    negative,
    sqrt,
    subtract,
)
from .numeric import cast
from .reductions import reduce_all, reduce_max, reduce_sum
from .selection import boolean_mask, gather, tensor_scatter_nd_update

TopKV2 = namedtuple("TopKV2", ["values", "indices"])
Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


def top_k(input, k=1, sorted=True, index_type=int32, name=None):
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
    values, indices = emit("TopKV2", (input, k), {"sorted": sorted}, name)
    return TopKV2(values, cast(indices, index_type))


def sort(values, axis=-1, direction="ASCENDING", name=None):
    """The elements along an axis in order.

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


def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """The positions that would put the elements along an axis in order, as int32. Equals keep
    their order.

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


def _sorted(values, axis, direction, part, name):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be ASCENDING or DESCENDING, got {direction!r}")
    axis = int(static_value(axis))
    axes = values.shape.rank
    if axes is not None and not -axes <= axis < axes:
        raise ValueError(f"axis {axis} is outside of a tensor of rank {axes}")
    if axis == -1 or axes is not None and axis == axes - 1:
        return emit("Identity", (_sorted_last(values, direction, part),), None, name)
    if axes is None:
        raise ValueError("sorting along an axis other than -1 needs a tensor of known rank")
    order = list(builtins.range(axes))
    order[axis], order[-1] = order[-1], order[axis]
    return transpose(_sorted_last(transpose(values, order), direction, part), order, name=name)


def _sorted_last(values, direction, part):
    """Sorts the last axis; ``part`` is 0 for the elements, 1 for their positions."""
    flip = None
    if direction == "ASCENDING":
        # Flipping the bits of an integer reverses the order without overflow, signed or not.
        flip = invert if values.dtype.is_integer else negative
    keys = flip(values) if flip else values
    sizes = values.shape.as_list() if values.shape.rank is not None else [None]
    k = shape(values)[-1] if sizes[-1] is None else sizes[-1]
    out = emit("TopKV2", (keys, k), {"sorted": True}, None)[part]
    return flip(out) if flip and part == 0 else out


def unique(x, out_idx=int32, name=None):
    """The distinct elements of a vector in order of first appearance, and where each element went.

    >>> y, idx = fg.unique([4, 1, 4, 2])
    >>> y.numpy(), idx.numpy()
    (array([4, 1, 2], dtype=int32), array([0, 1, 0, 2], dtype=int32))

    Returns:
      A named tuple ``(y, idx)`` with ``y[idx[i]] == x[i]``; ``idx`` has dtype ``out_idx``.

    Raises:
      ValueError, InvalidArgumentError: where ``x`` is no vector.
    """
    return Unique(*emit("Unique", (x,), {"out_idx": as_dtype(out_idx)}, name))


def unique_with_counts(x, out_idx=int32, name=None):
    """As ``unique``, and how often each distinct element occurs.

    >>> fg.unique_with_counts([4, 1, 4]).count.numpy()
    array([2, 1], dtype=int32)
    """
    y, idx = unique(x, out_idx, name)
    return UniqueWithCounts(y, idx, unsorted_segment_sum(ones_like(idx), idx, size(y)))


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """The sums of the slices of ``data`` with each id; negative ids are dropped, empty segments
    are 0.

    >>> fg.math.unsorted_segment_sum([5, 6, 7], [1, 0, 1], 3).numpy()
    array([ 6, 12,  0], dtype=int32)

    Args:
      data: a tensor of numbers.
      segment_ids: an integer for each element of so many first axes of ``data``.
      num_segments: the number of segments, a scalar.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``.
    """
    return emit("UnsortedSegmentSum", (data, segment_ids, num_segments), None, name)


def _segment_counts(data, segment_ids, num_segments):
    """How many slices each segment has, shaped to divide the segments of ``data``."""
    data, segment_ids = convert(data), convert(segment_ids)
    one_each = ones(shape(segment_ids), data.dtype)
    counts = unsorted_segment_sum(one_each, segment_ids, num_segments)
    extra = emit("Sub", (rank(data), rank(segment_ids)), None, None)
    tail = emit("Fill", (expand_dims(extra, 0), 1), None, None)
    counts = reshape(counts, concat([shape(counts), tail], 0))
    return maximum(counts, convert(1, data.dtype))


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The means of the slices with each id, 0 for empty segments; see ``unsorted_segment_sum``.

    >>> fg.math.unsorted_segment_mean([5.0, 6.0, 8.0], [1, 0, 1], 3).numpy()
    array([6. , 6.5, 0. ], dtype=float32)
    """
    counts = _segment_counts(data, segment_ids, num_segments)
    return divide(unsorted_segment_sum(data, segment_ids, num_segments), counts, name)


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sums of the slices with each id, divided by the square root of their number."""
    counts = _segment_counts(data, segment_ids, num_segments)
    return divide(unsorted_segment_sum(data, segment_ids, num_segments), sqrt(counts), name)


def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=int32,
    name=None,
    axis=None,
    binary_output=False,
):
    """How often each number from 0 up occurs.

    >>> fg.math.bincount([1, 3, 1]).numpy()
    array([0, 2, 0, 1], dtype=int32)

    Args:
      arr: a tensor of non-negative integers.
      weights: of the shape of ``arr``: what each occurrence counts, 1 unless told.
      minlength: the least length of the result.
      maxlength: the greatest length; larger numbers are not counted.
      dtype: the dtype of the result, where there are no weights.
      name: a name for the operation.
      axis: -1 to count in each row of a matrix; the flattened ``arr`` unless told.
      binary_output: whether to tell 1 for all that occurs, however often.

    Raises:
      ValueError: for another axis.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount knows axis None, 0 and -1, got {axis}")
    arr = convert(arr)
    length = _above(reshape(arr, [-1]))
    if minlength is not None:
        length = maximum(length, cast(minlength, arr.dtype))
    if maxlength is not None:
        length = minimum(length, cast(maxlength, arr.dtype))
    counted = ones_like(arr, dtype) if weights is None else convert(weights)
    if arr.shape.rank == 2 and axis == -1:
        rows = shape(arr, arr.dtype)[0]
        place = expand_dims(range(rows), 1)
        bins = emit("AddV2", (multiply(place, length), arr), None, None)
        total = multiply(rows, length)
    else:
        rows, bins, total = None, arr, length
    bins = emit("SelectV2", (less(arr, length), bins, convert(-1, arr.dtype)), None, None)
    counts = unsorted_segment_sum(counted, bins, total)
    if binary_output:
        counts = cast(greater(counts, zeros_like(counts)), counts.dtype)
    return counts if rows is None else reshape(counts, [rows, length], name)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=int32, name=None):
    """The bin of each value among ``nbins`` equal ones; what lies outside goes to the bin at that
    end.

    >>> fg.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 5.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 4], dtype=int32)
    """
    values = convert(values)
    low, high = emit("Unpack", (convert(value_range, values.dtype),), {"num": 2, "axis": 0}, None)
    scaled = multiply(divide(subtract(values, low), subtract(high, low)), cast(nbins, values.dtype))
    # Clipped as floats: what is far outside would not fit an integer.
    last = cast(subtract(nbins, 1), values.dtype)
    return cast(minimum(maximum(floor(scaled), convert(0, values.dtype)), last), dtype, name)


def histogram_fixed_width(values, value_range, nbins=100, dtype=int32, name=None):
    """How many values fall into each of ``nbins`` equal bins; see ``histogram_fixed_width_bins``.

    >>> fg.histogram_fixed_width([-1.0, 0.0, 1.5, 5.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 0, 0, 1], dtype=int32)
    """
    bins = reshape(histogram_fixed_width_bins(values, value_range, nbins, int32), [-1])
    return unsorted_segment_sum(ones_like(bins, dtype), bins, nbins, name)


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32, name=None):
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


def in_top_k(targets, predictions, k, name=None):
    """Whether the class of each row is among its ``k`` largest predictions; ties at the border
    count as in.

    >>> fg.math.in_top_k([0, 1], [[0.9, 0.1], [0.6, 0.4]], 1).numpy()
    array([ True, False])

    Args:
      targets: a vector of classes.
      predictions: a matrix with one row for each; rows whose prediction is not finite are out.
      k: how many.
      name: a name for the operation.
    """
    predictions = convert(predictions)
    own = gather(predictions, targets, batch_dims=1)
    above = cast(greater(predictions, expand_dims(own, 1)), int32)
    ahead = less(reduce_sum(above, 1), cast(k, int32))
    return logical_and(ahead, is_finite(own), name)


def segment_sum(data, segment_ids, name=None):
    """The sums of the slices of ``data`` with each id, ids being sorted; ids left out give 0.

    >>> fg.math.segment_sum([1, 2, 3], [0, 0, 2]).numpy()
    array([3, 0, 3], dtype=int32)

    Args:
      data: a tensor of numbers.
      segment_ids: a sorted vector of integers, one for each slice along the first axis.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the ids are not sorted or negative.
    """
    ids, segments = _sorted_segments(segment_ids)
    return unsorted_segment_sum(data, ids, segments, name)


def segment_mean(data, segment_ids, name=None):
    """The means of the slices of ``data`` with each id, ids being sorted; see ``segment_sum``.

    >>> fg.math.segment_mean([1.0, 2.0, 3.0], [0, 0, 2]).numpy()
    array([1.5, 0. , 3. ], dtype=float32)
    """
    ids, segments = _sorted_segments(segment_ids)
    return unsorted_segment_mean(data, ids, segments, name)


def _sorted_segments(segment_ids):
    """Checked ids, and how many segments they make."""
    ids = convert(segment_ids)
    before = concat([convert([0], ids.dtype), ids], 0)
    Assert(
        reduce_all(greater_equal(ids, before[:-1])), ["segment ids must be sorted, from 0 up", ids]
    )
    return ids, _above(ids)


def _above(numbers):
    """One more than the largest of a vector of integers; 0 where it is empty."""
    floor_of = convert([-1], numbers.dtype)
    return add(reduce_max(concat([floor_of, numbers], 0)), 1)


def dynamic_partition(data, partitions, num_partitions, name=None):
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
    inside = logical_and(greater_equal(partitions, 0), less(partitions, num_partitions))
    Assert(reduce_all(inside), [f"partitions must be in [0, {num_partitions})", partitions])
    masks = [equal(partitions, i) for i in builtins.range(num_partitions)]
    return [boolean_mask(data, mask) for mask in masks]


def dynamic_stitch(indices, data, name=None):
    """The slices of several tensors merged into one, each at its index; the last wins where
    several meet.

    >>> fg.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)

    Args:
      indices: a list of integer tensors.
      data: a list of tensors, each of the shape of its indices and one common shape of slices.
      name: a name for the operation.
    """
    indices, data = [convert(i) for i in indices], [convert(d) for d in data]
    flat = concat([reshape(i, [-1]) for i in indices], 0)
    tail = shape(data[0])[indices[0].shape.rank :]
    rows = concat([reshape(d, concat([[-1], tail], 0)) for d in data], 0)
    length = _above(flat)
    empty = emit(
        "Fill", (concat([expand_dims(length, 0), tail], 0), convert(0, rows.dtype)), None, None
    )
    return tensor_scatter_nd_update(empty, expand_dims(flat, 1), rows, name)
