"""How far sequences are from one another."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..context.hooks import hooks
from ..ops._base import refusal
from ..ops._dispatch import told
from ..ops._numbers import check_flags
from ..ops.segments import unsorted_segment_min, unsorted_segment_sum
from ..values.dtypes import float32, int32, int64
from ..values.public import public
from .places import strides
from .tensor import SparseTensor, is_sparse

__all__ = ["edit_distance"]


@public("edit_distance")
@told
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance"
) -> Any:
    """How many values must be put in, taken out or changed to make one sequence of another.

    A sequence is what a sparse tensor stores along its last axis, in order; where the values stand
    on it does not matter.

    >>> hypothesis = fg.sparse.from_dense([["k", "i", "t"], ["a", "", ""]])
    >>> truth = fg.sparse.from_dense([["s", "i", "t", "s"], ["a", "", "", ""]])
    >>> fg.edit_distance(hypothesis, truth, normalize=False).numpy()
    array([2., 0.], dtype=float32)

    Args:
      hypothesis: the sequences to change, a sparse tensor of rank 2 or more.
      truth: what they should become, one of the same rank and dtype.
      normalize: whether each distance is divided by the length of the truth: infinity where that is
        empty and the hypothesis is not.
      name: of no effect.

    Returns:
      floats, for the axes before the last; along each it has the larger of the two sizes.

    Raises:
      TypeError: for what is no sparse tensor.
      InvalidArgumentError: for other ranks, or tensors of two dtypes.
    """
    check_flags("edit_distance", normalize=normalize)
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not is_sparse(value):
            raise TypeError(f"{what} must be a SparseTensor.")
    if hypothesis.dtype != truth.dtype:
        raise refusal(f"the two dtypes differ: {hypothesis.dtype.name} and {truth.dtype.name}")
    ranks = {value.dense_shape.shape[0] for value in (hypothesis, truth)} - {None}
    if len(ranks) > 1 or ranks & {0, 1}:
        raise refusal(f"both must have one rank, of 2 or more, got the ranks {sorted(ranks)}")
    sizes = ops.maximum(hypothesis.dense_shape, truth.dense_shape)[:-1]
    before, before_lengths = _rows(hypothesis, sizes)
    after, after_lengths = _rows(truth, sizes)
    found = ops.cast(_distances(before, before_lengths, after, after_lengths), float32)
    if normalize:
        length = ops.cast(after_lengths, float32)
        none = ops.cast(ops.equal(before_lengths, 0), float32)
        empty = ops.where(ops.equal(none, 1.0), 0.0, float("inf"))
        found = ops.where(ops.equal(length, 0.0), empty, found / ops.maximum(length, 1.0))
    return ops.reshape(found, sizes)


def _rows(value: SparseTensor, sizes: Any) -> tuple[Any, Any]:
    """The sequences as rows of a matrix, one column at least, and their lengths."""
    n_rows = ops.reduce_prod(sizes)
    rows = ops.reduce_sum(value.indices[:, :-1] * strides(sizes), 1)
    number = ops.range(ops.size(rows, int64))
    lengths = unsorted_segment_sum(ops.ones_like(number), rows, n_rows)
    column = number - ops.gather(unsorted_segment_min(number, rows, n_rows), rows)
    width = ops.reduce_max(ops.concat([[1], lengths], 0))
    shape = ops.stack([n_rows, width])
    held = ops.scatter_nd(ops.stack([rows, column], 1), number + 1, shape)
    filled = ops.concat([ops.zeros([1], value.dtype), value.values], 0)
    return ops.gather(filled, held), lengths


def _distances(before: Any, before_lengths: Any, after: Any, after_lengths: Any) -> Any:
    """Levenshtein's distances of rows: diagonals of the table of prefixes, one after the other.

    The ``i``-th column of diagonal ``d`` is the distance of the first ``i`` values of a row before
    and the first ``d - i`` of the row after.
    """
    n_rows, width = ops.unstack(ops.shape(before), 2)
    height = ops.shape(after)[1]
    columns = ops.range(width + 1)
    first = ops.zeros([n_rows, width + 1], int32)
    ends = ops.cast(before_lengths + after_lengths, int32)
    at = ops.one_hot(before_lengths, width + 1, dtype=int32)

    def step(d: Any, last: Any, one_before: Any, found: Any) -> Any:
        places = ops.clip_by_value(d - 1 - columns[1:], 0, height - 1)
        changed = ops.cast(ops.not_equal(before, ops.gather(after, places, axis=1)), int32)
        moved = ops.minimum(last[:, 1:], last[:, :-1]) + 1
        inner = ops.minimum(moved, one_before[:, :-1] + changed)
        edge = ops.fill([n_rows, 1], d)
        now = ops.concat([edge, inner], 1)
        now = ops.where(ops.equal(columns, d), d, now)  # nothing of the row after
        here = ops.reduce_sum(now * at, 1)
        return d + 1, now, last, ops.where(ops.equal(ends, d), here, found)

    start = (ops.ones([], int32), first, first, ops.zeros([n_rows], int32))
    most = ops.reduce_max(ops.concat([[0], ends], 0))
    return hooks.while_loop(lambda d, *_: ops.less_equal(d, most), step, start)[3]
