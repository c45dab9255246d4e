"""The extension ``linalg``: factorisations, solutions, norms."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

from .. import ops
from ..numpy_like import products
from ..ops import factorisations, matrices
from ..values.errors import shown
from . import arrays, elementwise, statistics
from .arrays import array, dtype_given, inexact, number, promoted
from .data_types import finfo
from .linear import matmul, matrix_transpose, tensordot, vecdot
from .table import table

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EigResult(NamedTuple):
    """Eigenvalues and their eigenvectors, the columns."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """Eigenvalues of symmetric matrices, rising, and their eigenvectors, the columns."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    """The signs of determinants, and the logarithms of their sizes."""

    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    """Left singular vectors, singular values, and right singular vectors as rows."""

    U: Any
    S: Any
    Vh: Any


def cholesky(x: Any, /, *, upper: bool = False) -> Any:
    """The lower triangular factors of positive definite matrices, or the upper ones."""
    lower = factorisations.cholesky(inexact(x))
    return matrices.adjoint(lower) if upper else lower


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The cross products of vectors of three elements along an axis."""
    x1, x2 = promoted(x1, x2)
    if any(x.shape[axis] not in (3, None) for x in (x1, x2)):
        raise ValueError(f"cross takes vectors of 3 elements, got shapes {x1.shape}, {x2.shape}")
    (a, b, c), (d, e, f) = (ops.unstack(x, 3, axis=axis) for x in (x1, x2))
    return ops.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis)


def det(x: Any, /) -> Any:
    """The determinants."""
    return factorisations.det(inexact(x))


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The elements of the matrices' diagonals; ``offset`` counts upwards from the main one."""
    return products.diagonal(x, offset, -2, -1)


def eig(x: Any, /) -> EigResult:
    """The eigenvalues and eigenvectors of square matrices, as complex numbers."""
    return EigResult(*factorisations.eig(inexact(x)))


def eigh(x: Any, /) -> EighResult:
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    values, vectors = factorisations.eigh(inexact(x))
    return EighResult(elementwise.real(values), vectors)


def eigvals(x: Any, /) -> Any:
    """The eigenvalues of square matrices, as complex numbers."""
    return factorisations.eigvals(inexact(x))


def eigvalsh(x: Any, /) -> Any:
    """The eigenvalues of symmetric or Hermitian matrices, rising."""
    return elementwise.real(factorisations.eigvalsh(inexact(x)))


def inv(x: Any, /) -> Any:
    """The inverses of square matrices."""
    return factorisations.inv(inexact(x))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norms of matrices: "fro", "nuc", 1, 2, inf, and the negative of these numbers.

    Raises:
      ValueError: for another norm.
    """
    x = inexact(x)
    sizes = elementwise.abs(x)
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        sums = statistics.sum(sizes, axis=-2 if ord in (1, -1) else -1, keepdims=True)
        found = (statistics.max if ord > 0 else statistics.min)(sums, axis=(-2, -1), keepdims=True)
    elif ord in ("nuc", 2, -2):
        values = svdvals(x)
        reduce = {"nuc": statistics.sum, 2: statistics.max, -2: statistics.min}[ord]
        found = ops.expand_dims(reduce(values, axis=-1, keepdims=True), -1)
    else:
        raise ValueError(f"matrix_norm knows 'fro', 'nuc', 1, 2 and inf, got ord={shown(ord)}")
    return found if keepdims else ops.squeeze(found, [-2, -1])


def matrix_power(x: Any, n: int, /) -> Any:
    """The square matrices multiplied ``n`` times; a negative ``n`` multiplies their inverses."""
    x = inexact(x) if n < 0 else array(x)
    if n < 0:
        x, n = inv(x), -n
    if n == 0:
        one = ops.eye(ops.shape(x)[-1], dtype=x.dtype)
        return ops.broadcast_to(one, arrays.sizes(x))
    made = None
    while n:
        if n % 2:
            made = x if made is None else ops.matmul(made, x)
        n //= 2
        x = ops.matmul(x, x) if n else x
    return made


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    """How many singular values are above ``rtol`` times the largest one."""
    x = inexact(x)
    values = svdvals(x)
    limit = statistics.max(values, axis=-1, keepdims=True) * _tolerance(x, rtol, values)
    return statistics.count_nonzero(values > limit, axis=-1)


def _tolerance(x: Any, rtol: Any, values: Any) -> Any:
    """The relative tolerance, with an axis for the singular values."""
    if rtol is not None:
        return ops.expand_dims(ops.cast(array(rtol), values.dtype), -1)
    most = ops.reduce_max(ops.shape(x)[-2:])
    return ops.cast(most, values.dtype) * finfo(values.dtype).eps


def outer(x1: Any, x2: Any, /) -> Any:
    """The products of each element of one vector with each of the other, a matrix."""
    x1, x2 = promoted(x1, x2)
    return ops.multiply(ops.expand_dims(x1, -1), ops.expand_dims(x2, -2))


def pinv(x: Any, /, *, rtol: Any = None) -> Any:
    """The pseudo-inverses, by the singular values above ``rtol`` times the largest one."""
    x = inexact(x)
    u, s, vh = svd(x, full_matrices=False)
    limit = statistics.max(s, axis=-1, keepdims=True) * _tolerance(x, rtol, s)
    inverse = ops.where(s > limit, 1.0 / s, ops.zeros_like(s))
    scaled = ops.multiply(ops.expand_dims(ops.cast(inverse, x.dtype), -1), matrices.adjoint(u))
    return ops.matmul(matrices.adjoint(vh), scaled)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """A product of orthonormal columns and an upper triangle: "reduced" or "complete".

    Raises:
      ValueError: for another mode.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode must be 'reduced' or 'complete', got {shown(mode)}")
    return QRResult(*factorisations.qr(inexact(x), full_matrices=mode == "complete"))


def slogdet(x: Any, /) -> SlogdetResult:
    """The signs of the determinants, and the logarithms of their sizes."""
    sign, size = factorisations.slogdet(inexact(x))
    return SlogdetResult(sign, elementwise.real(size))


def solve(x1: Any, x2: Any, /) -> Any:
    """The solutions of linear equations; a vector on the right counts as one column."""
    x1, x2 = (inexact(x) for x in promoted(x1, x2))
    if x2.shape.rank == 1:
        column = _in_batches(x1, ops.expand_dims(x2, -1))
        return ops.squeeze(factorisations.solve(*column), [-1])
    return factorisations.solve(*_in_batches(x1, x2))


def _in_batches(a: Any, b: Any) -> tuple[Any, Any]:
    """Stacks of matrices whose axes before the last two are the same."""
    one, other = ops.shape(a), ops.shape(b)
    if a.shape[:-2] == b.shape[:-2]:
        return a, b
    batch = ops.broadcast_dynamic_shape(one[:-2], other[:-2])
    return (
        ops.broadcast_to(a, ops.concat([batch, one[-2:]], 0)),
        ops.broadcast_to(b, ops.concat([batch, other[-2:]], 0)),
    )


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decompositions."""
    s, u, v = factorisations.svd(inexact(x), full_matrices=full_matrices)
    return SVDResult(u, elementwise.real(s), matrices.adjoint(v))


def svdvals(x: Any, /) -> Any:
    """The singular values, falling."""
    return elementwise.real(factorisations.svd(inexact(x), compute_uv=False))


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the matrices' diagonals: of integers in 64 bits unless ``dtype`` says another."""
    return statistics.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype_given(dtype))


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The norms of vectors along axes: any number, inf and -inf among them; 0 counts elements."""
    sizes = elementwise.abs(inexact(x))
    given = {"axis": axis, "keepdims": keepdims}
    if ord == math.inf:
        return statistics.max(sizes, **given)
    if ord == -math.inf:
        return statistics.min(sizes, **given)
    if ord == 0:
        return ops.cast(statistics.count_nonzero(sizes, **given), sizes.dtype)
    if ord == 1:
        return statistics.sum(sizes, **given)
    power = number(ord, sizes.dtype)
    if ord == 2:
        return ops.sqrt(statistics.sum(ops.multiply(sizes, sizes), **given))
    return ops.pow(statistics.sum(ops.pow(sizes, power), **given), 1.0 / power)


# As ``array_api.names`` does it.
names, find = table("array_api.linalg", sys.modules[__name__])
