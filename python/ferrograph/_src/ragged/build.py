"""Ragged tensors from nested lists, ranges, stacks and masks."""

from __future__ import annotations

import builtins
from typing import Any

from .. import ops
from ..native import FG, _core
from ..ops import elementwise, partition, segments
from ..ops._dispatch import told
from ..ops._numbers import several, whole
from ..ops._ranks import of_rank
from ..values import constants, dtypes
from ..values.public import public
from .arrays import concat
from .tensor import RaggedTensor, is_ragged

__all__ = ["boolean_mask", "constant", "range", "stack", "stack_dynamic_partitions"]


@public("ragged.constant")
@told
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = None,
) -> Any:
    """A ragged tensor of nested lists.

    All numbers must have the same depth. Lists without depth give a tensor.

    >>> fg.ragged.constant([[1, 2], [], [3]])
    <fg.RaggedTensor [[1, 2], [], [3]]>

    Args:
      pylist: nested lists, tuples or arrays of what converts to a tensor.
      dtype: the dtype; by default the one that the values suggest, float32 without any.
      ragged_rank: an int, how many axes are partitioned: by default all but the innermost; with
        inner_shape those above that shape.
      inner_shape: an int or a list of ints, the shape of the innermost values; None by default.
      name: of no effect.
      row_splits_dtype: int64, the default, or int32.

    Returns:
      A ``RaggedTensor``, or a tensor where ragged_rank is 0.

    Raises:
      ValueError: where values have different depths, or do not fit ragged_rank or inner_shape.
    """
    scalars, deepest = _depths(pylist)
    if scalars is not None and deepest > scalars:
        raise ValueError(f"values stand at depth {scalars}, but there are lists at {deepest}")
    if scalars is None and dtype is None:
        dtype = dtypes.float32
    inner = None if inner_shape is None else _as_shape(inner_shape)
    if ragged_rank is None:
        ragged_rank = max(0, deepest - 1 - len(inner or ()))
    splits_dtype = dtypes.int64 if row_splits_dtype is None else dtypes.as_dtype(row_splits_dtype)
    if ragged_rank == 0 and (inner is None or deepest == 0):
        return _core.convert_to_tensor(_listed(pylist), dtype)
    if ragged_rank >= max(1, deepest) and deepest > 0:
        raise ValueError(f"ragged_rank {ragged_rank} is not below the depth {deepest}")
    nested, flat = [], _listed(pylist)
    for level in builtins.range(ragged_rank):
        if not all(isinstance(row, list) for row in flat):
            raise ValueError(f"a value stands at depth {level + 1}, a list is expected there")
        nested.append([len(row) for row in flat])
        flat = [item for row in flat for item in row]
    values = _flat_values(flat, dtype, inner, scalars, deepest - ragged_rank - 1)
    lengths = [constants.constant(n, splits_dtype, [len(n)]) for n in nested]
    return RaggedTensor.from_nested_row_lengths(values, lengths, validate=False)


def _flat_values(
    flat: list[Any], dtype: Any, inner: tuple[Any, ...] | None, scalars: Any, depth: int
) -> Any:
    if flat:
        made = _core.convert_to_tensor(flat, dtype)
        if inner is not None and tuple(made.shape.as_list()[1:]) != inner:
            raise ValueError(f"the inner values have shape {made.shape[1:]}, not {inner}")
        return made
    tail = inner if inner is not None else (0,) * max(0, depth)
    return ops.zeros([0, *tail], dtypes.float32 if dtype is None else dtype)


def _as_shape(inner_shape: Any) -> tuple[Any, ...]:
    if isinstance(inner_shape, int):
        return (inner_shape,)
    what = "ragged.constant: inner_shape"
    return tuple(whole(size, what) for size in several(inner_shape, what))


def _listed(value: Any) -> Any:
    """Lists and arrays as lists, all the way down."""
    if isinstance(value, _core.EagerTensor):
        value = value.numpy()
    if hasattr(value, "tolist"):
        return _listed(value.tolist()) if getattr(value, "ndim", 0) else value
    if isinstance(value, (list, tuple)):
        return [_listed(v) for v in value]
    return value


def _depths(value: Any) -> tuple[int | None, int]:
    """The depth of the values (None without any), and that of the deepest list.

    ValueError where values stand at different depths.
    """
    value = _listed(value)
    if not isinstance(value, list):
        return 0, 0
    found, deepest = None, 1
    for item in value:
        depth, lists = _depths(item)
        deepest = max(deepest, lists + 1)
        if depth is not None:
            if found is not None and depth + 1 != found:
                raise ValueError(
                    f"all values must stand equally deep, found depths {found} and {depth + 1}"
                )
            found = depth + 1
    return found, deepest


@public("ragged.range")
@told
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = None,
) -> RaggedTensor:
    """Rows that each count from a start, by a step, up to before a limit.

    Scalars go with all rows.

    >>> fg.ragged.range([3, 0, 2]).to_list()
    [[0, 1, 2], [], [0, 1]]

    Args:
      starts: numbers, a vector or a scalar: the first of each row, or the limits where those are
        not given.
      limits: numbers, likewise, before which rows end; None, the default, has rows count from 0 up
        to starts.
      deltas: numbers, likewise, the steps, not 0; 1 by default.
      dtype: the dtype of the result; by default the floating one among those of starts, limits and
        deltas, else that of limits.
      name: of no effect.
      row_splits_dtype: int64, the default, or int32.

    Returns:
      A ``RaggedTensor`` of rank 2.

    Raises:
      InvalidArgumentError: for a step of 0, and for vectors of different lengths.
    """
    if limits is None:
        starts, limits = 0, starts
    parts = [_core.convert_to_tensor(p, dtype) for p in (starts, limits, deltas)]
    kind = dtype or next((p.dtype for p in parts if p.dtype.is_floating), parts[1].dtype)
    starts, limits, deltas = (ops.cast(p, kind) for p in parts)
    zeros = ops.zeros_like(starts + limits + deltas)
    zeros = ops.reshape(zeros, [-1])
    starts, limits, deltas = (p + zeros for p in (starts, limits, deltas))
    partition.require(ops.reduce_all(deltas != 0), "ragged.range needs steps other than 0")
    splits_dtype = dtypes.int64 if row_splits_dtype is None else dtypes.as_dtype(row_splits_dtype)
    if starts.dtype.is_floating:
        counts = elementwise.ceil((limits - starts) / deltas)
    else:
        counts = -((starts - limits) // deltas)
    lengths = ops.maximum(ops.cast(counts, splits_dtype), 0)
    splits = partition.splits_of_lengths(lengths)
    numbers = partition.rowids(splits)
    columns = ops.cast(partition.offsets(splits, numbers), starts.dtype)
    values = ops.gather(starts, numbers) + columns * ops.gather(deltas, numbers)
    return RaggedTensor(values, splits)


@public("ragged.stack")
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors, ragged or not, of one rank along a new axis.

    >>> fg.ragged.stack([[1], [2, 3]]).to_list()
    [[1], [2, 3]]

    Args:
      values: a list or tuple of tensors, or of what converts to such, of one rank and one dtype,
        one at least; what is no list or tuple is one value. Sizes along the axes after the new one
        may differ.
      axis: an int, where the new axis is; a negative one counts from the end. 0 by default.
      name: of no effect.

    Returns:
      A ``RaggedTensor``; a tensor where values are scalars.

    Raises:
      ValueError: without values, or where none of them has a known rank.
      InvalidArgumentError: where ranks, dtypes or other sizes differ, and for an axis out of range.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("ragged.stack needs values to stack")
    axis = whole(axis, "ragged.stack: axis")
    made = [v if is_ragged(v) else _core.convert_to_tensor(v) for v in values]
    rank = next((v.shape.rank for v in made if v.shape.rank is not None), None)
    if rank is None:
        raise ValueError("ragged.stack needs a tensor of known rank among its values")
    made = [v if is_ragged(v) else of_rank(v, rank) for v in made]
    if rank == 0:
        return ops.stack(made)
    axis = axis + rank + 1 if axis < 0 else axis
    if axis == 0 and rank == 1 and not any(is_ragged(v) for v in made):
        lengths = ops.stack([ops.shape(v, dtypes.int64)[0] for v in made])
        return RaggedTensor.from_row_lengths(ops.concat(made, 0), lengths, validate=False)
    return concat([ops.expand_dims(_as_ragged(v, axis), axis) for v in made], axis)


def _as_ragged(value: Any, axis: int) -> Any:
    rank = value.shape.rank
    if is_ragged(value) or rank == 1:
        return value
    return RaggedTensor.from_tensor(value, ragged_rank=rank - 1)


@public("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The values where a mask holds, in the rows they were in.

    >>> fg.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list()
    [[1], [3, 4]]

    Args:
      data: a tensor, ragged or not, or what converts to one.
      mask: bools, a tensor, ragged or not, or what converts to one; of one axis or more, which are
        as the first axes of data.
      name: of no effect.

    Returns:
      A ``RaggedTensor``; a tensor where data is one and mask is a vector.

    Raises:
      TypeError: where mask is not of bools.
      ValueError: for a scalar mask, and one of unknown rank or another size than data.
    """
    mask = mask if is_ragged(mask) else _core.convert_to_tensor(mask)
    data = data if is_ragged(data) else _core.convert_to_tensor(data)
    if mask.dtype != dtypes.bool:
        raise TypeError(f"a mask has dtype bool, got {mask.dtype.name}")
    if not is_ragged(mask) and mask.shape.rank is None:
        raise ValueError(f"ragged.boolean_mask: mask must have a known rank; see {FG}.ensure_shape")
    if is_ragged(mask) or mask.shape.rank != 1:
        return _mask_rows(data, mask)
    if not is_ragged(data):
        return ops.boolean_mask(data, mask)
    flat = data.flat_values
    dense = data.with_flat_values(ops.reshape(flat, ops.shape(flat)))  # as is its gradient
    return ops.gather(dense, ops.reshape(ops.where(mask), [-1]))


def _mask_rows(data: Any, mask: Any) -> Any:
    if mask.shape.rank == 0 and not is_ragged(mask):
        raise ValueError(f"ragged.boolean_mask: mask must have an axis or more, got {mask.shape}")
    if not is_ragged(mask):
        mask = RaggedTensor.from_tensor(mask)
    if not is_ragged(data):
        data = RaggedTensor.from_tensor(data)
    if not is_ragged(mask.values) and mask.values.shape.rank in (1, None):
        ones = ops.cast(mask.values, mask.row_splits.dtype)
        kept = segments.unsorted_segment_sum(ones, mask.value_rowids(), mask.nrows())
        return RaggedTensor.from_row_lengths(boolean_mask(data.values, mask.values), kept)
    return RaggedTensor(boolean_mask(data.values, mask.values), data.row_splits)


@public("ragged.stack_dynamic_partitions")
@told
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Rows of the values with each number, in the order that they stand in.

    Row splits are of the dtype of ``partitions``, of ragged data of that of its own.

    >>> fg.ragged.stack_dynamic_partitions([1, 2, 3], [1, 0, 1], 2).to_list()
    [[2], [1, 3]]

    Args:
      data: a tensor, ragged or not, or what converts to one.
      partitions: int32 or int64 numbers from 0 up to before num_partitions; its shape is that of
        the first axes of data.
      num_partitions: an integer scalar, how many rows there are.
      name: of no effect.

    Returns:
      A ``RaggedTensor`` of num_partitions rows.

    Raises:
      InvalidArgumentError: for a number out of that range.
      ValueError: for partitions of another dtype.
    """
    partitions = _core.convert_to_tensor(partitions)
    order = ops.argsort(ops.reshape(partitions, [-1]), stable=True)
    if not is_ragged(data):
        data = _core.convert_to_tensor(data)
        inner = ops.shape(data)[partitions.shape.rank :]
        data = ops.reshape(data, ops.concat([[-1], inner], 0))
    numbers = ops.gather(ops.reshape(partitions, [-1]), order)
    kind = data.row_splits.dtype if is_ragged(data) else partitions.dtype
    return RaggedTensor.from_value_rowids(
        ops.gather(data, order), ops.cast(numbers, kind), ops.cast(num_partitions, kind)
    )
