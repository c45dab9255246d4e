"""Products of matrices with ragged sides."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition, segments
from ..values.composite import CompositeInput
from .elementwise import same_splits
from .tensor import RaggedTensor, is_ragged

__all__ = ["matmul"]


def matmul(a: Any, b: Any, transposed: tuple[Any, ...], product: Any) -> Any:
    """``product`` of matrices of different sizes, which ``a``, ``b`` or both hold in their rows.

    ``transposed`` says of each whether the product takes its matrices transposed. Matrices are
    filled up with zeros, multiplied, and cut to the sizes that they have. The columns of the result
    are partitioned where those of ``b`` are; two tensors of rank 2 give a tensor.

    Raises:
      ValueError: for values of unknown or different rank.
      InvalidArgumentError: where matrices do not fit, or rows of one matrix differ in length.
    """
    a, b = (v if is_ragged(v) else _converted(v) for v in (a, b))
    rank = a.shape.rank
    if rank is None or rank != b.shape.rank or rank < 2:
        raise ValueError(
            f"matmul of ragged tensors needs two of one rank, got {rank} and {b.shape}"
        )
    if rank > 3:
        outer, other = (v if is_ragged(v) else RaggedTensor.from_tensor(v) for v in (a, b))
        same_splits(outer.row_splits, other.row_splits)
        outer = outer if is_ragged(a) else other
        inner = matmul(_values(a), _values(b), transposed, product)
        return outer.with_values(inner)
    if rank == 2:
        made = matmul(ops.expand_dims(a, 0), ops.expand_dims(b, 0), transposed, product)
        return made.to_tensor()[0]
    return _batch(a, b, transposed, product)


def _converted(value: Any) -> Any:
    if hasattr(value, "_type_spec") and not isinstance(value, (_core.Tensor, _core.VariableBase)):
        raise CompositeInput(f"matmul of a ragged tensor takes no {type(value).__name__}")
    return _core.convert_to_tensor(value)


def _values(value: Any) -> Any:
    """The matrices of all rows."""
    return value.values if is_ragged(value) else RaggedTensor.from_tensor(value).values


def _batch(a: Any, b: Any, transposed: tuple[Any, ...], product: Any) -> RaggedTensor:
    (rows, shared), (others, columns) = (
        _sizes(v, turned) for v, turned in zip((a, b), transposed, strict=True)
    )
    partition.require(
        ops.equal(ops.size(rows), ops.size(columns)), "matmul: the batches differ in number"
    )
    fit = ops.reduce_all(ops.equal(shared, ops.cast(others, shared.dtype)))
    partition.require(
        fit, "matmul: the columns of a matrix are not as many as the rows of the other"
    )
    made = product(*(v.to_tensor() if is_ragged(v) else v for v in (a, b)))
    lengths = [rows]
    if is_ragged(b) and b.ragged_rank > (0 if transposed[1] else 1):
        lengths.append(ops.repeat(ops.cast(columns, rows.dtype), rows))
    found = RaggedTensor.from_tensor(made, lengths=lengths, row_splits_dtype=rows.dtype)
    inner = found.values
    if is_ragged(inner):
        inner = RaggedTensor(inner.values, inner.row_splits, b.shape[1 if transposed[1] else 2])
    return RaggedTensor(inner, found.row_splits, a.shape[2 if transposed[0] else 1])


def _sizes(value: Any, turned: bool) -> tuple[Any, ...]:
    """The number of rows and of columns of each matrix, as the product takes it."""
    if not is_ragged(value):
        sizes = ops.shape(value, "int64")
        found = (ops.fill(sizes[:1], sizes[1]), ops.fill(sizes[:1], sizes[2]))
        return found[::-1] if turned else found
    rows, inner = value.row_lengths(), value.values
    if is_ragged(inner):
        numbers = value.value_rowids()
        widths = ops.cast(inner.row_lengths(), rows.dtype)
        columns = ops.maximum(segments.unsorted_segment_max(widths, numbers, value.nrows()), 0)
        alike = ops.reduce_all(ops.equal(widths, ops.gather(columns, numbers)))
        partition.require(alike, "matmul: the rows of a matrix differ in length")
    else:
        columns = ops.fill(ops.shape(rows), ops.shape(inner, rows.dtype)[1])
    return (columns, rows) if turned else (rows, columns)
