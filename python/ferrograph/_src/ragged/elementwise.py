"""Operators and elementwise functions on ragged tensors: values in the same rows, or broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..values import dtypes, errors, nest
from ..values.errors import shown
from ..values.public import public
from .tensor import RaggedTensor, is_ragged

__all__ = ["aligned", "map_flat_values", "same_rows", "same_splits"]


@public("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``op`` of the innermost values, in the rows of the ragged arguments.

    The ragged tensors among the arguments, also in lists, are replaced by their innermost values.

    >>> r = fg.ragged.constant([[1, 2], [3]])
    >>> fg.ragged.map_flat_values(fg.square, r).to_list()
    [[1, 4], [9]]

    Args:
      op: a function of tensors that gives a tensor, of as many values as it gets.
      *args: arguments of op; ragged tensors among them have the same rows.
      **kwargs: more of them, by name.

    Returns:
      A ``RaggedTensor`` with these rows; what op gives where no argument is ragged.

    Raises:
      InvalidArgumentError: where rows differ.
      ValueError: where ragged ranks differ, or op gives another number of values.
      TypeError: where op cannot be called.
    """
    if not callable(op):
        raise TypeError(f"map_flat_values: op must be a function, got {shown(op)}")
    found = [v for v in nest.flatten([list(args), kwargs]) if is_ragged(v)]
    if not found:
        return op(*args, **kwargs)
    for other in found[1:]:
        same_rows(found[0], other)
    args, kwargs = nest.map_structure(
        lambda v: v.flat_values if is_ragged(v) else v, [list(args), kwargs]
    )
    result = op(*args, **kwargs)
    if not isinstance(result, _core.Tensor):
        result = _core.convert_to_tensor(result)
    before, after = found[0].flat_values.shape[:1], result.shape[:1]
    if result.shape.rank == 0 or not before.is_compatible_with(after):
        raise ValueError(
            f"map_flat_values: the function made values of shape {result.shape} of "
            f"{before[0]} values"
        )
    return found[0].with_flat_values(result)


def same_rows(a: RaggedTensor, b: RaggedTensor) -> None:
    """InvalidArgumentError unless the rows of both have the same lengths at all levels."""
    if a.ragged_rank != b.ragged_rank:
        raise ValueError(
            f"the ragged tensors have different ragged ranks, {a.ragged_rank} and {b.ragged_rank}"
        )
    for x, y in zip(a.nested_row_splits, b.nested_row_splits, strict=True):
        same_splits(x, y)


def same_splits(x: Any, y: Any) -> None:
    """InvalidArgumentError unless two vectors of splits are equal."""
    if x is y:
        return
    y = ops.cast(y, x.dtype)
    message = "the rows of the ragged tensors have different lengths"
    if not x.shape.is_compatible_with(y.shape):
        raise errors.InvalidArgumentError(None, None, message)
    same_count = ops.equal(ops.size(x), ops.size(y))
    if same_count._constant_value() is None:
        n = ops.minimum(ops.size(x), ops.size(y))
        same = ops.logical_and(same_count, ops.reduce_all(ops.equal(x[:n], y[:n])))
    else:
        partition.require(same_count, message)
        same = ops.reduce_all(ops.equal(x, y))
    partition.require(same, message)


def aligned(values: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The innermost values of operands in the same rows, and a function that puts such in them.

    Operands broadcast: those of lower rank against the innermost axes, and axes of size 1 that are
    not ragged against the rows of the others. InvalidArgumentError where rows differ.
    """
    ragged = [v for v in values if is_ragged(v)]
    n_inner = ragged[0].flat_values.shape.rank
    if _are_alike(ragged) and all(is_ragged(v) or _is_inner(v, n_inner) for v in values):
        first, *others = ragged
        for other in others:
            same_rows(first, other)
        return first.with_flat_values, [v.flat_values if is_ragged(v) else v for v in values]
    ranks = [v.shape.rank for v in values]
    if None in ranks:
        raise ValueError("ragged tensors broadcast against tensors of known rank")
    return _rows_aligned(_same_count([_of_rank(v, max(ranks)) for v in values]))


def _are_alike(ragged: list[Any]) -> bool:
    """Whether none of the ragged operands is repeated along an axis to be like the others."""
    (rank, first), *others = [_kind(v) for v in ragged]
    return all(
        (rank, len(first)) == (other_rank, len(other)) and all(map(_fits, first, other))
        for other_rank, other in others
    )


def _kind(value: RaggedTensor) -> tuple[int | None, list[Any]]:
    """The rank of the flat values, and the number of rows and their one lengths at all levels."""
    uniform = [level._uniform for level in value._levels()]
    return value.flat_values.shape.rank, [value.shape[0], *uniform]


def _fits(a: int | None, b: int | None) -> bool:
    return a == b or 1 not in (a, b)


def _is_inner(value: Any, n_inner: int) -> bool:
    """Whether a tensor broadcasts against the innermost axes of values alone."""
    return value.shape.rank is not None and value.shape.rank < n_inner or value.shape.rank == 0


def _of_rank(value: Any, rank: int) -> Any:
    for _ in range(rank - value.shape.rank):
        value = ops.expand_dims(value, 0)
    return value


def _same_count(values: list[Any]) -> list[Any]:
    """The operands with as many rows each: single rows are repeated."""
    counts = [v.shape[0] for v in values]
    single = [n == 1 for n in counts]
    if all(single) or not any(single):
        return values
    rows = next(_n_rows(v) for v, s in zip(values, single, strict=True) if not s)
    zeros = ops.zeros([rows], dtypes.int64)
    return [ops.gather(v, zeros) if s else v for v, s in zip(values, single, strict=True)]


def _n_rows(value: Any) -> Any:
    return value.nrows() if is_ragged(value) else ops.shape(value)[0]


def _rows_aligned(values: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """See ``aligned``; the operands have as many rows each."""
    if not any(is_ragged(v) for v in values):
        return (lambda flat: flat), values
    model = _model(values)
    splits = model.row_splits
    inner = [_values_in(v, model) for v in values]
    wrap, flat = _rows_aligned(inner)
    return (lambda made: RaggedTensor(wrap(made), splits, model._uniform)), flat


def _model(values: list[Any]) -> RaggedTensor:
    """A ragged tensor with the rows of the result."""
    ragged = [v for v in values if is_ragged(v)]
    varying = [v for v in ragged if v._uniform is None]
    widest = varying[0] if varying else max(ragged, key=lambda v: v._uniform)
    wider = [v for v in values if not is_ragged(v) and v.shape[1] != 1]
    if widest._uniform != 1 or not wider:
        return widest
    rows, dtype = widest.nrows(), widest.row_splits.dtype
    length = ops.shape(wider[0], dtype)[1]
    return RaggedTensor(ops.range(rows * length), ops.range(rows + 1) * length, wider[0].shape[1])


def _values_in(value: Any, model: RaggedTensor) -> Any:
    """The values of an operand in the rows of another."""
    if value is model:
        return value.values
    if is_ragged(value):
        if value._uniform != 1:
            same_splits(model.row_splits, value.row_splits)
            return value.values
        return ops.gather(value.values, model.value_rowids())
    size = ops.shape(value, model.row_splits.dtype)
    numbers = model.value_rowids()
    if value.shape[0] is None:
        same = ops.logical_or(ops.equal(size[0], model.nrows()), size[0] == 1)
        partition.require(same, "a ragged tensor and a tensor have different numbers of rows")
        numbers = ops.minimum(numbers, size[0] - 1)
    width = value.shape[1]
    if width == 1:
        return ops.gather(ops.squeeze(value, 1), numbers)
    fits = ops.reduce_all(ops.equal(model.row_lengths(), size[1]))
    if width is None:
        fits = ops.logical_or(fits, size[1] == 1)
    partition.require(fits, "the rows of a ragged tensor do not have the length of a tensor's axis")
    columns = partition.offsets(model.row_splits, model.value_rowids())
    columns = ops.minimum(columns, size[1] - 1)
    flat = ops.reshape(value, ops.concat([[size[0] * size[1]], size[2:]], 0))
    return ops.gather(flat, numbers * size[1] + columns)
