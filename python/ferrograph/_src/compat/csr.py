"""Sparse matrices by rows, for products of two of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..sparse.build import from_dense, to_dense
from ..sparse.tensor import SparseTensor

__all__ = [
    "csr_sparse_matrix_to_sparse_tensor",
    "sparse_matrix_sparse_mat_mul",
    "sparse_tensor_to_csr_sparse_matrix",
]


class Parts(NamedTuple):
    """A sparse tensor's parts."""

    indices: Any
    values: Any
    dense_shape: Any


def sparse_tensor_to_csr_sparse_matrix(indices: Any, values: Any, dense_shape: Any) -> SparseTensor:
    """A sparse matrix, or a batch of them, of these parts."""
    return SparseTensor(indices, values, dense_shape)


def sparse_matrix_sparse_mat_mul(a: SparseTensor, b: SparseTensor, type: Any) -> SparseTensor:
    """The product of two sparse matrices, computed densely: its elements that are not zero."""
    return from_dense(ops.cast(ops.matmul(to_dense(a), to_dense(b)), type))


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: SparseTensor, type: Any) -> Parts:
    """The parts of a sparse matrix."""
    return Parts(sparse_matrix.indices, sparse_matrix.values, sparse_matrix.dense_shape)
