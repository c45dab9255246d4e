"""Rarely used functions: approximate top-k, patches of volumes, rows of ragged tensors."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from .. import ops
from ..native import _core
from ..ops import activations, debug, numeric, segments, selection, sorting
from ..ops._base import axis_error
from ..ops._dispatch import told
from ..ops._numbers import check_flags, flag, real, several, whole
from ..ops.factorisations import eig, eigvals
from ..values import dtypes
from ..values.composite import IndexedSlices
from ..values.errors import shown
from ..values.public import public

__all__ = [
    "approx_max_k",
    "approx_min_k",
    "approx_top_k",
    "batch_norm_with_global_normalization",
    "eig",
    "eigvals",
    "extract_volume_patches",
    "mask",
    "ragged_fill_empty_rows",
    "ragged_fill_empty_rows_grad",
    "required_space_to_batch_paddings",
]


# Names of the top level of what stands among the factorisations.
PUBLIC = {
    "eig": ("eig",),
    "eigvals": ("eigvals",),
}


class ApproxTopK(NamedTuple):
    """The elements found, and where they are."""

    values: Any
    indices: Any


class RaggedFillEmptyRows(NamedTuple):
    """Rows without empty ones, which were empty, and where the values went."""

    output_value_rowids: Any
    output_values: Any
    empty_row_indicator: Any
    reverse_index_map: Any


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The gradients by the values and by the default value."""

    d_values: Any
    d_default_value: Any


@public("approx_top_k")
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis, or the smallest, and where they are.

    They are exact, whatever ``recall_target`` allows.

    >>> fg.approx_top_k([1.0, 5.0, 3.0], 2).values.numpy()
    array([5., 3.], dtype=float32)

    Args:
      input: a tensor of real numbers, or what converts to one; of known rank, 1 or more.
      k: an integer scalar, at most the size of the axis.
      reduction_dimension: an int, the axis; the last one by default.
      recall_target: a float above 0, at most 1; 0.95 by default.
      is_max_k: a bool; False gives the smallest, for dtypes with a sign. True by default.
      reduction_input_size_override, aggregate_to_topk: accepted, and change nothing.
      name: of no effect.

    Returns:
      A pair of ``values``, of the dtype of input, and ``indices``, of int32, of the shape of input
        with k at the axis.

    Raises:
      InvalidArgumentError: for another dtype, k, or axis.
      ValueError: for another recall_target, and for an unknown rank.
    """
    whole(reduction_input_size_override, "approx_top_k: reduction_input_size_override")
    check_flags("approx_top_k", is_max_k=is_max_k, aggregate_to_topk=aggregate_to_topk)
    recall = real(recall_target, "approx_top_k: recall_target")
    reduction_dimension = whole(reduction_dimension, "approx_top_k: reduction_dimension")
    if not 0 < recall <= 1:
        raise ValueError(f"recall_target must be in (0, 1], got {recall}")
    x = _core.convert_to_tensor(input)
    rank = x.shape.rank
    if rank is None:
        raise ValueError("approx_top_k needs a tensor of known rank")
    order = list(range(rank))
    if not -rank <= reduction_dimension < rank:
        raise axis_error(reduction_dimension, x.shape)
    axis = order[reduction_dimension]
    order[axis], order[-1] = order[-1], order[axis]
    moved = ops.transpose(x if is_max_k else -x, order)
    values, indices = sorting.top_k(moved, k)
    values, indices = ops.transpose(values, order), ops.transpose(indices, order)
    return ApproxTopK(values if is_max_k else -values, indices)


@public("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis, and where they are: see ``fg.approx_top_k``.

    >>> fg.math.approx_max_k([1.0, 5.0, 3.0], 2).indices.numpy()
    array([1, 2], dtype=int32)

    Args:
      operand: a tensor of real numbers, or what converts to one; of known rank, 1 or more.
      k: an integer scalar, at most the size of the axis.
      reduction_dimension: an int, the axis; the last one by default.
      recall_target: a float above 0, at most 1; 0.95 by default.
      reduction_input_size_override, aggregate_to_topk: accepted, and change nothing.
      name: of no effect.

    Returns:
      A pair of ``values``, of the dtype of operand, and ``indices``, of int32, of the shape of
        operand with k at the axis.

    Raises:
      InvalidArgumentError: for another dtype, k, or axis.
      ValueError: for another recall_target, and for an unknown rank.
    """
    whole(reduction_input_size_override, "approx_max_k: reduction_input_size_override")
    check_flags("approx_max_k", aggregate_to_topk=aggregate_to_topk)
    return approx_top_k(operand, k, reduction_dimension, recall_target, True)


@public("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` smallest elements along an axis, and where they are: see ``fg.approx_top_k``.

    >>> fg.math.approx_min_k([1.0, 5.0, 3.0], 2).values.numpy()
    array([1., 3.], dtype=float32)

    Args:
      operand: a tensor of floats or signed integers, or what converts to one; of known rank, 1 or
        more.
      k: an integer scalar, at most the size of the axis.
      reduction_dimension: an int, the axis; the last one by default.
      recall_target: a float above 0, at most 1; 0.95 by default.
      reduction_input_size_override, aggregate_to_topk: accepted, and change nothing.
      name: of no effect.

    Returns:
      A pair of ``values``, of the dtype of operand, and ``indices``, of int32, of the shape of
        operand with k at the axis.

    Raises:
      InvalidArgumentError: for another dtype, k, or axis.
      ValueError: for another recall_target, and for an unknown rank.
    """
    whole(reduction_input_size_override, "approx_min_k: reduction_input_size_override")
    check_flags("approx_min_k", aggregate_to_topk=aggregate_to_topk)
    return approx_top_k(operand, k, reduction_dimension, recall_target, False)


@public("extract_volume_patches")
@told
def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Any:
    """Boxes of a volume ``[batch, planes, rows, columns, channels]``, each put into the channels.

    >>> volume = fg.reshape(fg.range(8.0), [1, 2, 2, 2, 1])
    >>> fg.extract_volume_patches(volume, [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 1, 1, 4])

    Args:
      input: a tensor of rank 5, or what converts to one.
      ksizes: five ints, the size of a box along each axis, 1 along the first and last.
      strides: five ints, the steps from box to box, 1 along the first and last.
      padding: ``"VALID"`` or ``"SAME"``.
      name: of no effect.

    Returns:
      A tensor of the dtype of input and of rank 5.

    Raises:
      ValueError: for other ksizes, strides or padding.
    """
    x = _core.convert_to_tensor(input)
    ksizes, strides = _five("ksizes", ksizes), _five("strides", strides)
    for what, sizes in (("ksizes", ksizes), ("strides", strides)):
        if len(sizes) != 5 or sizes[0] != 1 or sizes[4] != 1 or min(sizes) < 1:
            raise ValueError(f"{what} are five sizes of which the first and last are 1: {sizes}")
    if padding not in ("VALID", "SAME"):
        raise ValueError(f"padding is 'VALID' or 'SAME', got {shown(padding)}")
    sides, steps = list(ksizes[1:4]), list(strides[1:4])
    shape = ops.shape(x)
    counts = []
    if padding == "SAME":
        spaces: list[list[Any]] = [[0, 0]]
        for axis, (side, step) in enumerate(zip(sides, steps, strict=True), start=1):
            size = x.shape[axis] if x.shape[axis] is not None else shape[axis]
            count = (size + step - 1) // step
            short = (count - 1) * step + side - size
            short = max(short, 0) if isinstance(short, int) else ops.maximum(short, 0)
            spaces.append([short // 2, short - short // 2])
        x = ops.pad(x, [*spaces, [0, 0]])
        shape = ops.shape(x)
    for axis, (side, step) in enumerate(zip(sides, steps, strict=True), start=1):
        size = x.shape[axis] if x.shape[axis] is not None else shape[axis]
        counts.append((size - side) // step + 1)
    return ops.concat([_box(x, place, counts, steps) for place in _places(sides)], axis=-1)


def _five(what: str, sizes: Any) -> list[Any]:
    what = f"extract_volume_patches: {what}"
    return [whole(size, what) for size in several(sizes, what)]


def _places(sides: list[Any]) -> Any:
    return itertools.product(*(range(side) for side in sides))


def _box(x: Any, place: tuple[Any, ...], counts: list[Any], steps: list[Any]) -> Any:
    """The elements at one place of each box."""
    one, two, three = (
        slice(start, start + (count - 1) * step + 1, step)
        for start, count, step in zip(place, counts, steps, strict=True)
    )
    return x[:, one, two, three, :]


@public("sparse.mask")
def mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """``IndexedSlices`` without the rows at ``mask_indices``.

    >>> rows = fg.IndexedSlices([[1.0], [2.0], [3.0]], [0, 2, 4], [5, 1])
    >>> fg.sparse.mask(rows, [2]).indices.numpy()
    array([0, 4], dtype=int32)

    Args:
      a: ``IndexedSlices``.
      mask_indices: a vector of integers.
      name: of no effect.

    Returns:
      ``IndexedSlices`` with the dense shape of a.

    Raises:
      TypeError: where a is something else.
      ValueError: where mask_indices has more axes.
    """
    if not isinstance(a, IndexedSlices):
        raise TypeError(f"sparse.mask: a must be IndexedSlices, got {type(a).__name__}")
    masked = numeric.cast(_core.convert_to_tensor(mask_indices), a.indices.dtype)
    hit = ops.reduce_any(ops.equal(a.indices[:, None], masked[None, :]), axis=1)
    kept = ops.logical_not(hit)
    values = selection.boolean_mask(a.values, kept)
    return IndexedSlices(values, selection.boolean_mask(a.indices, kept), a.dense_shape)


@public("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """``fg.nn.batch_normalization``, by ``gamma`` only where ``scale_after_normalization`` is set.

    >>> x = fg.constant([[[[1.0, 2.0]]]])
    >>> args = ([0.0, 1.0], [1.0, 4.0], [1.0, 1.0], [2.0, 2.0], 0.0, True)
    >>> fg.nn.batch_norm_with_global_normalization(x, *args).numpy().ravel()
    array([3., 2.], dtype=float32)

    Args:
      input: a tensor of floats, whose dtype the result has.
      mean, variance: tensors of its dtype that broadcast to its shape.
      beta: likewise, what is added in the end, or None.
      gamma: likewise, by what it is multiplied.
      variance_epsilon: a float against division by zero.
      scale_after_normalization: a bool.
      name: of no effect.

    Returns:
      A tensor of the dtype and the shape of input.
    """
    what = "batch_norm_with_global_normalization: scale_after_normalization"
    scale = gamma if flag(scale_after_normalization, what) else None
    return activations.batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


@public("ragged_fill_empty_rows")
@told
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> RaggedFillEmptyRows:
    """The parts of a ragged tensor of ``nrows`` rows with ``default_value`` in each empty row.

    Beside the new parts come which rows were empty, and where each value went.

    >>> filled = fg.ragged_fill_empty_rows([0, 0, 2], [5, 6, 7], 3, -1)
    >>> filled.output_values.numpy(), filled.output_value_rowids.numpy()
    (array([ 5,  6, -1,  7], dtype=int32), array([0, 0, 1, 2]))

    Args:
      value_rowids: an int64 vector, the row of each value, from 0 up to before nrows.
      values: a vector of as many values, of any dtype.
      nrows: an integer scalar.
      default_value: a scalar of the dtype of values.
      name: of no effect.

    Returns:
      A tuple of ``output_value_rowids``, ``output_values``, ``empty_row_indicator``, a bool for
        each row, and ``reverse_index_map``, an int64 for each value.

    Raises:
      InvalidArgumentError: for a row that is not there.
      TypeError: where default_value does not fit the dtype.
    """
    rows = _core.convert_to_tensor(value_rowids, dtypes.int64)
    values = _core.convert_to_tensor(values)
    count = numeric.cast(nrows, dtypes.int64)
    debug.assert_less(rows, count, message="a row of value_rowids is not there")
    sizes = segments.unsorted_segment_sum(ops.ones_like(rows), rows, count)
    empty = ops.equal(sizes, ops.zeros_like(sizes))
    missing = selection.boolean_mask(ops.range(count), empty)
    fillers = ops.fill(ops.shape(missing), _core.convert_to_tensor(default_value, values.dtype))
    all_rows = ops.concat([rows, missing], axis=0)
    order = ops.argsort(all_rows, stable=True)
    where = ops.argsort(order)[: ops.shape(rows)[0]]
    return RaggedFillEmptyRows(
        ops.gather(all_rows, order),
        ops.gather(ops.concat([values, fillers], axis=0), order),
        empty,
        numeric.cast(where, dtypes.int64),
    )


@public("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> RaggedFillEmptyRowsGrad:
    """The gradients of ``fg.ragged_fill_empty_rows`` by its values and its default value.

    >>> found = fg.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 4.0])
    >>> found.d_values.numpy(), found.d_default_value.numpy()
    (array([1., 4.], dtype=float32), np.float32(2.0))

    Args:
      reverse_index_map: the int64 vector that ``ragged_fill_empty_rows`` gave.
      grad_values: a vector of numbers, the gradient of its values.
      name: of no effect.

    Returns:
      A pair of ``d_values``, a vector, and ``d_default_value``, a scalar, of the dtype of
        grad_values.

    Raises:
      InvalidArgumentError: for an index out of range.
    """
    places = _core.convert_to_tensor(reverse_index_map, dtypes.int64)
    upstream = _core.convert_to_tensor(grad_values)
    values = ops.gather(upstream, places)
    return RaggedFillEmptyRowsGrad(values, ops.reduce_sum(upstream) - ops.reduce_sum(values))


@public("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The paddings that make sizes multiples of a block's, and the crops that undo what they add.

    >>> paddings, crops = fg.required_space_to_batch_paddings([5, 7], [2, 3])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1], [0, 2]], [[0, 1], [0, 2]])

    Args:
      input_shape: an int32 vector, the sizes.
      block_shape: an int32 vector of that length, the sizes of a block, 1 or more.
      base_paddings: an int32 matrix with a row of two for each size: the paddings that are there at
        least, zero by default.
      name: of no effect.

    Returns:
      A pair of int32 matrices with a row of two for each size.

    Raises:
      InvalidArgumentError: for vectors of different lengths, and for a block size of 0.
    """
    sizes = _core.convert_to_tensor(input_shape, dtypes.int32)
    block = _core.convert_to_tensor(block_shape, dtypes.int32)
    if base_paddings is None:
        base = ops.zeros([ops.shape(block)[0], 2], dtypes.int32)
    else:
        base = _core.convert_to_tensor(base_paddings, dtypes.int32)
    short = (-(sizes + base[:, 0] + base[:, 1])) % block
    paddings = ops.stack([base[:, 0], base[:, 1] + short], axis=1)
    return paddings, ops.stack([ops.zeros_like(short), short], axis=1)
