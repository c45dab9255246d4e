"""Rows of embeddings for sparse ids, combined for each row of them."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import activations, arithmetic, segments
from ..ops._dispatch import told
from ..values import dtypes
from ..values.errors import shown
from ..values.public import public
from . import build
from .places import require
from .tensor import is_sparse

__all__ = ["embedding_lookup_sparse", "safe_embedding_lookup_sparse"]


@public("nn.embedding_lookup_sparse")
@told
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
      sp_ids: a sparse or ragged matrix of integers; an empty row gives zeros.
      sp_weights: a matrix of weights at the same coordinates, or None for 1 each.
      combiner: "mean" (the default), "sum", or "sqrtn": the sum by the root of the squared weights.
      max_norm: None, or the largest norm that an embedding may have.

    Raises:
      TypeError: where ids or weights are neither sparse nor ragged.
      ValueError: for another combiner.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sum", "sqrtn"):
        raise ValueError(f'combiner must be "mean", "sum" or "sqrtn", got {shown(combiner)}')
    sp_ids, sp_weights = _sparse(sp_ids), _sparse(sp_weights)
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
    # A weight goes with a whole embedding, which is a vector, a scalar, or has more axes.
    each = ops.concat([[-1], ops.ones([ops.rank(found) - 1], dtypes.int32)], 0)
    weighed = found * ops.reshape(weights, each)
    total = segments.unsorted_segment_sum(weighed, rows, count)
    if combiner == "sum":
        return total
    if combiner == "mean":
        norm = segments.unsorted_segment_sum(weights, rows, count)
    else:
        norm = ops.sqrt(segments.unsorted_segment_sum(ops.square(weights), rows, count))
    return arithmetic.divide_no_nan(total, ops.reshape(norm, each))


def _sparse(value: Any) -> Any:
    return value.to_sparse() if hasattr(value, "row_splits") else value


@public("nn.safe_embedding_lookup_sparse")
@told
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """``embedding_lookup_sparse`` that takes negative ids and empty rows.

    Ids below 0 are left out, and weights that are not above 0, unless the combiner is "sum".

    >>> table = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = fg.SparseTensor([[0, 0], [1, 0]], fg.constant([1, -1], fg.int64), [2, 2])
    >>> fg.nn.safe_embedding_lookup_sparse(table, ids).numpy()
    array([[3., 4.],
           [0., 0.]], dtype=float32)

    Args:
      embedding_weights: a matrix of embeddings, or a list of one.
      sparse_ids: a sparse or ragged tensor of integers of rank 2 or more.
      sparse_weights: weights at the same coordinates, or None for 1 each.
      combiner: "mean", "sum", or "sqrtn".
      default_id: the id that an empty row has; unless given, its result is zeros.
      max_norm: None, or the largest norm that an embedding may have.
      name: a name for the operation.

    Returns:
      A tensor of the axes of ``sparse_ids`` but for the last one, then that of the embeddings.
    """
    ids, weights = _sparse(sparse_ids), _sparse(sparse_weights)
    if not is_sparse(ids):
        kind = type(sparse_ids).__name__
        raise TypeError(f"safe_embedding_lookup_sparse: sparse_ids must be sparse, got {kind}")
    outer = ids.dense_shape[:-1]
    flat = ops.stack([ops.reduce_prod(outer), ids.dense_shape[-1]])
    ids = build.reshape(ids, flat)
    kept = ops.greater_equal(ids.values, 0)
    if weights is not None:
        weights = build.reshape(weights, flat)
        if combiner != "sum":
            kept = ops.logical_and(kept, ops.greater(weights.values, 0))
        weights = build.retain(weights, kept)
        weights, _ = build.fill_empty_rows(weights, 1.0)
    ids = build.retain(ids, kept)
    filler = ops.cast(0 if default_id is None else default_id, ids.dtype)
    ids, is_empty = build.fill_empty_rows(ids, filler)
    found = embedding_lookup_sparse(embedding_weights, ids, weights, combiner, max_norm)
    if default_id is None:
        found = ops.where(ops.expand_dims(is_empty, 1), ops.zeros_like(found), found)
    width = ops.shape(found, dtypes.int64)[1:]
    return ops.reshape(found, ops.concat([outer, width], 0), name)
