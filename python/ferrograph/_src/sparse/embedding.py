"""Rows of embeddings for sparse ids, combined for each row of them."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import activations, arithmetic, segments
from ..values.public import public
from .places import require
from .tensor import is_sparse

__all__ = ["embedding_lookup_sparse"]


@public("nn.embedding_lookup_sparse")
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """The embeddings of the ids in each row, weighted and combined.

    >>> table = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = fg.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
    >>> fg.nn.embedding_lookup_sparse(table, ids, None).numpy()
    array([[2., 3.],
           [3., 4.]], dtype=float32)

    Args:
      params: a matrix of embeddings, or a list of one.
      sp_ids: a sparse matrix of integers; an empty row gives zeros.
      sp_weights: a sparse matrix of weights at the same coordinates, or None for 1 each.
      combiner: "mean" (the default), "sum", or "sqrtn": the sum by the root of the squared weights.
      max_norm: None, or the largest norm that an embedding may have.

    Raises:
      TypeError: where ids or weights are not sparse.
      ValueError: for another combiner.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sum", "sqrtn"):
        raise ValueError(f'combiner must be "mean", "sum" or "sqrtn", got {combiner!r}')
    if not is_sparse(sp_ids) or not (sp_weights is None or is_sparse(sp_weights)):
        raise TypeError("embedding_lookup_sparse takes SparseTensors of ids and weights")
    rows = sp_ids.indices[:, 0]
    count = ops.reduce_max(ops.concat([[-1], rows], 0)) + 1
    found = activations.embedding_lookup(params, sp_ids.values, max_norm)
    if sp_weights is None:
        weights = ops.ones_like(rows, found.dtype)
    else:
        same = ops.reduce_all(ops.equal(sp_ids.indices, sp_weights.indices))
        require(same, "embedding_lookup_sparse: ids and weights have different coordinates")
        weights = ops.cast(sp_weights.values, found.dtype)
    total = segments.unsorted_segment_sum(found * ops.expand_dims(weights, 1), rows, count)
    if combiner == "sum":
        return total
    if combiner == "mean":
        norm = segments.unsorted_segment_sum(weights, rows, count)
    else:
        norm = ops.sqrt(segments.unsorted_segment_sum(ops.square(weights), rows, count))
    return arithmetic.divide_no_nan(total, ops.expand_dims(norm, 1))
