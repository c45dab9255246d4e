"""How often numbers occur, where most of them do not."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import segments
from ..ops._numbers import check_flags, whole
from ..ops.debug import Assert
from ..values import dtypes
from ..values.public import public
from .places import combined
from .tensor import SparseTensor, is_sparse, made

__all__ = ["bincount", "dense_counts"]


@public("sparse.bincount")
def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number from 0 up occurs, as a sparse tensor.

    >>> counts = fg.sparse.bincount([[1, 2, 2], [0, 1, 1]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 1], [0, 2], [1, 0], [1, 1]], [1, 2, 1, 2])

    Args:
      values: integers that are not negative: a tensor, a sparse or a ragged one.
      weights: of the kind and shape of ``values``: what each occurrence counts, 1 unless told.
      axis: 0 or None to count all together, -1 to count in each row of a matrix.
      minlength: the least length of the last axis of the result.
      maxlength: its greatest length; larger numbers are not counted.
      binary_output: whether to tell 1 for all that occurs, however often.
      name: a name for the operation.

    Raises:
      ValueError: for another axis, or where ``binary_output`` comes with weights.
      InvalidArgumentError: for a negative number.
    """
    check_flags("bincount", binary_output=binary_output)
    number = axis if axis is None else whole(axis, "sparse.bincount: axis", ValueError)
    if number not in (None, 0, -1):
        raise ValueError(f"sparse.bincount: axis must be None, 0 or -1, got {number}")
    axis = number
    if binary_output and weights is not None:
        raise ValueError("binary_output is for counts without weights")
    numbers, rows, n_rows = _laid_out(values, axis)
    Assert(
        ops.reduce_all(ops.greater_equal(numbers, 0)),
        ["bincount needs numbers that are not negative"],
    )
    counted = ops.ones_like(numbers, values.dtype if hasattr(values, "dtype") else dtypes.int32)
    if weights is not None:
        counted = _laid_out(weights, axis)[0]
    numbers = ops.cast(numbers, dtypes.int64)
    length = ops.reduce_max(ops.concat([[-1], numbers], 0)) + 1
    if minlength is not None:
        length = ops.maximum(length, ops.cast(minlength, dtypes.int64))
    if maxlength is not None:
        length = ops.minimum(length, ops.cast(maxlength, dtypes.int64))
        kept = ops.less(numbers, length)
        numbers, rows, counted = (ops.boolean_mask(t, kept) for t in (numbers, rows, counted))
    place, sums = combined(rows * length + numbers, counted, segments.unsorted_segment_sum)
    sums = ops.ones_like(sums) if binary_output else sums
    if n_rows is None:
        return made(ops.expand_dims(place, 1), sums, ops.expand_dims(length, 0))
    width = ops.maximum(length, 1)
    coordinates = ops.stack([place // width, place % width], 1)
    return made(coordinates, sums, ops.stack([n_rows, length]))


def _laid_out(values: Any, axis: int | None) -> tuple[Any, ...]:
    """The numbers in one row, the number of the row that each stands in, and how many rows."""
    if is_sparse(values):
        flat, rows, n_rows = values.values, values.indices[:, 0], values.dense_shape[0]
        matrix = values.shape.rank != 1
    elif hasattr(values, "row_splits"):
        flat, rows, n_rows = values.flat_values, values.value_rowids(), values.nrows()
        matrix = True
    else:
        values = _core.convert_to_tensor(values)
        matrix = values.shape.rank != 1
        flat, n_rows = ops.reshape(values, [-1]), ops.shape(values, dtypes.int64)[0]
        width = ops.size(values, dtypes.int64) // ops.maximum(n_rows, 1)
        rows = ops.range(ops.size(values, dtypes.int64)) // ops.maximum(width, 1)
    if axis == -1 and matrix:
        return flat, ops.cast(rows, dtypes.int64), ops.cast(n_rows, dtypes.int64)
    return flat, ops.zeros_like(flat, dtypes.int64), None


def dense_counts(
    arr: SparseTensor,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """``math.bincount`` of the stored elements of a sparse tensor."""
    if axis != -1 or arr.shape.rank == 1:
        flat = weights.values if is_sparse(weights) else weights
        return segments.bincount(
            arr.values, flat, minlength, maxlength, dtype, binary_output=binary_output
        )
    counts = bincount(arr, weights, -1, minlength, maxlength, binary_output)
    values = counts.values if weights is not None else ops.cast(counts.values, dtype)
    return ops.scatter_nd(counts.indices, values, counts.dense_shape)
