"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..numpy_like import arrangement, products
from ..ops import matrices, numeric
from .arrays import array, axes_of, promoted

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def matmul(x1: Any, x2: Any, /) -> Any:
    """The products of matrices; vectors count as a row before, as a column behind."""
    return arrangement.matmul(x1, x2)


def matrix_transpose(x: Any, /) -> Any:
    """The matrices with their last two axes exchanged."""
    return matrices.matrix_transpose(array(x))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """The sums of products over axes: so many, the last and the first, or two lists of them."""
    return products.tensordot(x1, x2, axes if isinstance(axes, int) else list(map(list, axes)))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The inner products of vectors along an axis, the first of them conjugated."""
    x1, x2 = promoted(x1, x2)
    x1 = numeric.conj(x1) if x1.dtype.is_complex else x1
    return ops.reduce_sum(ops.multiply(x1, x2), axes_of(axis))
