"""Factorisations of matrices, solvers, and functions of matrices. Matrices are in the last two
axes; the leading axes are batches. They are float32, float64, complex64 or complex128.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from ..context.hooks import hooks
from ..values.dtypes import complex64, complex128
from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, convert_pair, emit, float32, float64, int32, refusal
from ._numbers import flag
from .arithmetic import divide, greater, greater_equal, multiply
from .arrays import concat, ensure_shape, invert_permutation, reshape, shape
from .elementwise import log
from .matrices import diag_part, set_diag
from .numeric import cast, real
from .products import matmul
from .reductions import reduce_max, reduce_prod, reduce_sum
from .selection import gather, where
from .sorting import argsort

__all__ = ["LogMatrixDeterminant", "Lu", "Qr", "SelfAdjointEigV2"]


class LogMatrixDeterminant(NamedTuple):
    """Signs of determinants, and logarithms of their absolute values."""

    sign: Tensor
    log_abs_determinant: Tensor


class Lu(NamedTuple):
    """``L`` and ``U`` in one, and the rows in their order."""

    lu: Tensor
    p: Tensor


class Qr(NamedTuple):
    """Orthonormal columns and an upper triangular factor."""

    q: Tensor
    r: Tensor


class SelfAdjointEigV2(NamedTuple):
    """Eigenvalues, and eigenvectors in columns."""

    e: Tensor
    v: Tensor


@public("linalg.cholesky")
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular ``L`` with positive diagonal and ``L @ adjoint(L) == input``.

    Only the lower triangles of the matrices ``[..., n, n]`` are read. Where one is not positive
    definite its factor is NaN.

    >>> fg.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: where matrices are not square, and for another dtype; ValueError and
        TypeError while tracing.
    """
    return emit("Cholesky", (input,), None, name)


@public("linalg.cholesky_solve")
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The ``x`` with ``A @ x == rhs``, of the Cholesky factor ``chol`` of ``A``.

    >>> chol = fg.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    >>> fg.linalg.cholesky_solve(chol, [[8.0], [12.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      chol: lower triangular factors ``[..., n, n]`` of float32, float64, complex64 or complex128.
      rhs: right-hand sides ``[..., n, k]`` of the same dtype; leading axes broadcast.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape of ``rhs``, with the leading axes that both broadcast
        to.

    Raises:
      InvalidArgumentError: where the shapes do not fit, and for another dtype.
    """
    chol, rhs = convert_pair(chol, rhs)
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True, name=name)


@public("linalg.inv")
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of square matrices, or of their adjoints.

    >>> fg.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      adjoint: whether to invert the adjoints, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: where a matrix has no inverse or is not square, and for another dtype.
    """
    return emit("MatrixInverse", (input,), {"adjoint": adjoint}, name)


@public("linalg.solve")
def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The ``x`` with ``matrix @ x == rhs``, or with the adjoint of ``matrix``.

    >>> fg.linalg.solve([[2.0, 1.0], [0.0, 4.0]], [[4.0], [8.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      matrix: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      rhs: right-hand sides ``[..., n, k]`` of the same dtype and with equal leading axes.
      adjoint: whether to take the adjoints of the matrices, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``rhs``.

    Raises:
      InvalidArgumentError: where a matrix has no inverse or is not square, where the shapes do not
        fit, and for another dtype.
    """
    return emit("MatrixSolve", convert_pair(matrix, rhs), {"adjoint": adjoint}, name)


@public("linalg.triangular_solve")
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """As ``solve``, for triangular matrices, of which the other triangle is not read.

    A zero on the diagonal gives infinities.

    >>> fg.linalg.triangular_solve([[2.0, 9.0], [1.0, 4.0]], [[2.0], [9.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      matrix: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      rhs: right-hand sides ``[..., n, k]`` of the same dtype; leading axes broadcast.
      lower: whether the lower triangles are read, a bool; True by default.
      adjoint: whether to take the adjoints of the triangles, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape of ``rhs``, with the leading axes that both broadcast
        to.

    Raises:
      InvalidArgumentError: where matrices are not square, where the shapes do not fit, and for
        another dtype.
    """
    attrs = {"lower": lower, "adjoint": adjoint}
    return emit("MatrixTriangularSolve", convert_pair(matrix, rhs), attrs, name)


@public("linalg.det")
def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinants of square matrices.

    >>> fg.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(4)
    np.float32(-2.0)

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input``, without the last two axes.

    Raises:
      InvalidArgumentError: where matrices are not square, and for another dtype.
    """
    return emit("MatrixDeterminant", (input,), None, name)


@public("linalg.slogdet")
def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """Signs of determinants, and logarithms of their absolute values.

    The determinant is ``sign * exp(log_abs_determinant)``; of a singular matrix these are 0 and
    -inf. The sign of a complex determinant is a number of modulus 1.

    >>> sign, size = fg.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(size)
    (-1.0, 0.0)

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      name: a name for the operation.

    Returns:
      A named tuple ``(sign, log_abs_determinant)`` of tensors of the dtype of ``input``, without
        the last two axes.

    Raises:
      InvalidArgumentError: where matrices are not square, and for another dtype.
    """
    return LogMatrixDeterminant(*emit("LogMatrixDeterminant", (input,), None, name))


@public("linalg.logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Logarithms of the determinants of self-adjoint positive definite matrices, NaN of others.

    >>> fg.linalg.logdet([[4.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(1.3862944)

    Args:
      matrix: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``matrix`` (for complex numbers, of that of their parts), without the
        last two axes.

    Raises:
      InvalidArgumentError: where matrices are not square, and for another dtype.
    """
    diagonal = real(diag_part(cholesky(matrix)))
    return multiply(reduce_sum(log(diagonal), axis=[-1]), 2.0, name)


@public("linalg.lu")
def lu(input: TensorLike, output_idx_type: Any = int32, name: str | None = None) -> Lu:
    """The LU factorisation of square matrices with exchanges of rows.

    ``lu`` holds ``U`` and, below the diagonal, ``L``, whose diagonal is one; ``p`` says which row
    of the input is which of ``L @ U``.

    >>> lu, p = fg.linalg.lu([[1.0, 2.0], [2.0, 4.5]])
    >>> lu.numpy().tolist(), p.numpy().tolist()
    ([[2.0, 4.5], [0.5, -0.25]], [1, 0])

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      output_idx_type: the dtype of ``p``, int32 (the default) or int64.
      name: a name for the operation.

    Returns:
      A named tuple ``(lu, p)``: ``[..., n, n]`` of the dtype of ``input``, and ``[..., n]``.

    Raises:
      InvalidArgumentError: where a matrix is singular or not square, and for other dtypes.
    """
    return Lu(*emit("Lu", (input,), {"output_idx_type": output_idx_type}, name))


@public("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices of an LU factorisation.

    >>> fg.linalg.lu_reconstruct(*fg.linalg.lu([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      lower_upper: ``lu`` of ``linalg.lu``: ``[..., n, n]``.
      perm: ``p`` of ``linalg.lu``: ``[..., n]``.
      validate_args: not used.
      name: not used.

    Returns:
      A tensor of the dtype and the shape of ``lower_upper``.
    """
    lower, upper = _triangles(lower_upper)
    return _by_row(matmul(lower, upper), perm, inverse=True)


@public("linalg.lu_solve")
def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The ``x`` with ``A @ x == rhs``, of the LU factorisation of ``A``.

    >>> lu, p = fg.linalg.lu([[2.0, 1.0], [0.0, 4.0]])
    >>> fg.linalg.lu_solve(lu, p, [[4.0], [8.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      lower_upper: ``lu`` of ``linalg.lu``: ``[..., n, n]`` of float32, float64, complex64 or
        complex128.
      perm: ``p`` of ``linalg.lu``: ``[..., n]``.
      rhs: right-hand sides ``[..., n, k]`` of the same dtype.
      validate_args: not used.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``rhs``.

    Raises:
      InvalidArgumentError: where the shapes do not fit, and for another dtype.
    """
    lower_upper, rhs = convert_pair(lower_upper, rhs)
    lower, upper = _triangles(lower_upper)
    half = triangular_solve(lower, _by_row(rhs, perm))
    return triangular_solve(upper, half, lower=False, name=name)


@public("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices of that LU factorisation.

    >>> fg.linalg.lu_matrix_inverse(*fg.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Args:
      lower_upper: ``lu`` of ``linalg.lu``: ``[..., n, n]`` of float32, float64, complex64 or
        complex128.
      perm: ``p`` of ``linalg.lu``: ``[..., n]``.
      validate_args: not used.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``lower_upper``.

    Raises:
      InvalidArgumentError: where the shapes do not fit, and for another dtype.
    """
    lower_upper = convert(lower_upper)
    return lu_solve(lower_upper, perm, _identity_like(lower_upper), name=name)


def _identity_like(matrix: Any) -> Any:
    zeros = emit("ZerosLike", (matrix,))
    return set_diag(zeros, emit("OnesLike", (diag_part(matrix),)))


def _triangles(lower_upper: TensorLike) -> tuple[Any, Any]:
    """``L`` and ``U`` apart."""
    lower_upper = convert(lower_upper)
    upper = emit("MatrixBandPart", (lower_upper, 0, -1))
    lower = emit("MatrixBandPart", (lower_upper, -1, 0))
    return set_diag(lower, emit("OnesLike", (diag_part(lower_upper),))), upper


def _by_row(matrix: Any, order: TensorLike, inverse: bool = False) -> Any:
    """Rows of each matrix in that order, or put back out of it."""
    order = convert(order)
    if inverse:
        order = invert_permutation(order) if order.ndim == 1 else argsort(order)
    batch = order.ndim
    if batch is not None:
        return gather(matrix, order, axis=batch - 1, batch_dims=batch - 1)
    outer, sizes = shape(order), shape(matrix)
    n = reduce_prod(outer[:-1], keepdims=True)
    matrices = reshape(matrix, concat([n, sizes[-2:]], 0))
    rows = gather(matrices, reshape(order, concat([n, outer[-1:]], 0)), axis=1, batch_dims=1)
    return reshape(rows, sizes)


@public("linalg.qr")
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """``Q`` with orthonormal columns and upper triangular ``R`` with ``Q @ R == input``.

    The diagonal of ``R`` is real.

    >>> q, r = fg.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> fg.matmul(q, r).numpy().round(4).tolist()
    [[3.0, 1.0], [4.0, 2.0]]

    Args:
      input: matrices ``[..., m, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      full_matrices: whether ``Q`` has all ``m`` columns, a bool; False by default, for
        ``min(m, n)``.
      name: a name for the operation.

    Returns:
      A named tuple ``(q, r)`` of tensors of the dtype of ``input``: ``[..., m, k]`` and
        ``[..., k, n]``, ``k`` being the number of columns of ``Q``.

    Raises:
      InvalidArgumentError: for a rank below 2, and for another dtype.
    """
    return Qr(*emit("Qr", (input,), {"full_matrices": full_matrices}, name))


@public("linalg.svd")
def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Singular values, and ``U`` and ``V``: ``tensor == U @ diag(s) @ adjoint(V)``.

    The values fall. A matrix that is not finite gives NaN.

    >>> s, u, v = fg.linalg.svd([[3.0, 0.0], [0.0, 4.0]])
    >>> s.numpy()
    array([4., 3.], dtype=float32)

    Args:
      tensor: matrices ``[..., m, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      full_matrices: whether ``U`` and ``V`` have all orthonormal columns, a bool; False by default,
        for ``min(m, n)`` of them.
      compute_uv: whether ``U`` and ``V`` are wanted, a bool; True by default.
      name: a name for the operation.

    Returns:
      ``(s, U, V)``, or ``s`` alone without ``compute_uv``: ``s`` is ``[..., min(m, n)]`` and real,
        ``U`` is ``[..., m, k]`` and ``V`` is ``[..., n, k]``, of the dtype of ``tensor``.

    Raises:
      InvalidArgumentError: for a rank below 2, and for another dtype.
    """
    attrs = {"compute_uv": compute_uv, "full_matrices": full_matrices}
    s, u, v = emit("Svd", (tensor,), attrs, name)
    return (real(s), u, v) if compute_uv else real(s)


@public("linalg.eigh")
def eigh(tensor: TensorLike, name: str | None = None) -> SelfAdjointEigV2:
    """Rising eigenvalues and orthonormal eigenvectors, in columns, of self-adjoint matrices.

    Only lower triangles are read.

    >>> e, v = fg.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> e.numpy().round(4).tolist()
    [1.0, 3.0]

    Args:
      tensor: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      name: a name for the operation.

    Returns:
      A named tuple ``(e, v)`` of tensors of the dtype of ``tensor``: ``[..., n]`` and
        ``[..., n, n]``.

    Raises:
      InvalidArgumentError: where a matrix is not finite or not square, and for another dtype.
    """
    return SelfAdjointEigV2(*emit("SelfAdjointEigV2", (tensor,), {"compute_v": True}, name))


@public("linalg.eigvalsh")
def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of ``eigh`` alone.

    >>> fg.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)

    Args:
      tensor: self-adjoint matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or
        what converts to them.
      name: a name for the operation.

    Returns:
      A tensor ``[..., n]`` of the dtype of ``tensor``.

    Raises:
      InvalidArgumentError: where a matrix is not finite or not square, and for another dtype.
    """
    return emit("SelfAdjointEigV2", (tensor,), {"compute_v": False}, name)[0]


@public("linalg.eig")
def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors, in columns of length 1, of square matrices: complex numbers.

    Those of a complex matrix stand by rising absolute value; those of a real one of up to 64 rows
    in the order of the diagonal of its real Schur form, as the QR algorithm of Francis leaves it,
    and those of larger ones in no certain order.

    >>> e, v = fg.linalg.eig([[2.0, 0.0], [0.0, 3.0]])
    >>> e.numpy()
    array([2.+0.j, 3.+0.j], dtype=complex64)

    Args:
      tensor: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      name: a name for the operation.

    Returns:
      The eigenvalues ``[..., n]`` and the eigenvectors ``[..., n, n]``: complex64 for float32 and
        complex64, else complex128.

    Raises:
      InvalidArgumentError: where a matrix is not finite or not square, and for another dtype.
    """
    tensor = convert(tensor)
    e, v = emit("Eig", (tensor,), {"compute_v": True, "Tout": _complex(tensor)}, name)
    return e, v


@public("linalg.eigvals")
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of ``eig`` alone.

    >>> fg.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).numpy().imag.round(4).tolist()
    [1.0, -1.0]

    Args:
      tensor: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      name: a name for the operation.

    Returns:
      A tensor ``[..., n]``: complex64 for float32 and complex64, else complex128.

    Raises:
      InvalidArgumentError: where a matrix is not finite or not square, and for another dtype.
    """
    tensor = convert(tensor)
    return emit("Eig", (tensor,), {"compute_v": False, "Tout": _complex(tensor)}, name)[0]


def _complex(tensor: Any) -> Any:
    return complex64 if tensor.dtype in (float32, complex64) else complex128


@public("linalg.expm")
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponentials of square matrices: the sums of ``input^k / k!``.

    >>> fg.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)

    Args:
      input: matrices ``[..., n, n]`` of float32, float64, complex64 or complex128, or what converts
        to them.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      ValueError: where ``input`` is neither float nor complex.
      InvalidArgumentError: where matrices are not square, and for floats of 16 bits.
    """
    input = convert(input)
    if not (input.dtype.is_floating or input.dtype.is_complex):
        raise ValueError(f"expm does not support matrices of type {shown(input.dtype)}")
    return emit("MatrixExponential", (input,), None, name)


@public("linalg.sqrtm", "matrix_square_root")
def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square roots of square matrices: ``sqrtm(a) @ sqrtm(a) == a``.

    Their eigenvalues lie right of the imaginary axis. A matrix without such a root gives NaN: a
    singular one, and a real one with negative eigenvalues, which as complex numbers has one.

    >>> fg.linalg.sqrtm([[4.0, 5.0], [0.0, 9.0]]).numpy().round(4)
    array([[2., 1.],
           [0., 3.]], dtype=float32)

    Args:
      input: floating or complex matrices in the last two axes.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where matrices are not square; ValueError while tracing.
    """
    return emit("MatrixSquareRoot", (input,), None, name)


@public("linalg.logm")
def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithms of complex square matrices: ``expm(logm(a)) == a``.

    Their eigenvalues have imaginary parts in ``(-pi, pi]``. A singular matrix gives NaN.

    >>> shear = fg.constant([[1.0, 2.0], [0.0, 1.0]], fg.complex128)
    >>> fg.math.real(fg.linalg.logm(shear)).numpy().round(4)
    array([[0., 2.],
           [0., 0.]])

    Args:
      input: complex64 or complex128 matrices in the last two axes.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where matrices are not square; ValueError while tracing.
    """
    return emit("MatrixLogarithm", (input,), None, name)


@public("linalg.lstsq")
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: float = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """The ``x`` of least ``|matrix @ x - rhs|^2 + l2_regularizer |x|^2``, column by column.

    Of matrices with more columns than rows it is the solution of least length.

    >>> fg.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(4)
    array([[2.]], dtype=float32)

    Args:
      matrix: matrices ``[..., m, n]`` of float32, float64, complex64 or complex128, or what
        converts to them.
      rhs: right-hand sides ``[..., m, k]`` of the same dtype.
      l2_regularizer: a number, 0.0 by default; counts only where ``fast``.
      fast: whether to solve the normal equations, which need full rank, rather than to take
        singular values, a bool; True by default.
      name: a name for the operation.

    Returns:
      A tensor ``[..., n, k]`` of that dtype.

    Raises:
      ValueError, InvalidArgumentError: where the rank is below 2 or the shapes do not fit, while
        tracing and when run.
    """
    matrix, rhs = convert_pair(matrix, rhs)
    if not flag(fast, "lstsq: fast"):
        matrix, rhs = _in_batches_of(matrix, rhs), _in_batches_of(rhs, matrix)
        return matmul(pinv(matrix), rhs, name=name)
    if matrix.shape.rank in (0, 1):
        raise refusal(f"lstsq: the matrix must have rank 2 or more, got shape {matrix.shape}")
    rows, columns = (None, None) if matrix.shape.rank is None else matrix.shape[-2:].as_list()
    if rows is None or columns is None:
        sizes = shape(matrix)
        is_tall = greater_equal(sizes[-2], sizes[-1])
        tall, wide = (partial(_normal, matrix, rhs, l2_regularizer, t, name) for t in (True, False))
        return hooks.cond(is_tall, tall, wide)
    return _normal(matrix, rhs, l2_regularizer, rows >= columns, name)


def _in_batches_of(x: Any, other: Any) -> Any:
    """Matrices of unknown rank in the batches of others, which is checked when the graph runs."""
    if x.ndim is not None or other.ndim is None or other.ndim < 2:
        return x
    return ensure_shape(x, other.shape[:-2].concatenate([None, None]))


def _normal(matrix: Any, rhs: Any, l2_regularizer: float, tall: bool, name: Any) -> Tensor:
    """The solution by the normal equations of as many equations as the shorter side has."""
    gram = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if l2_regularizer != 0:
        gram = set_diag(gram, diag_part(gram) + convert(l2_regularizer, gram.dtype))
    chol = cholesky(gram)
    if tall:
        return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True), name=name)
    return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True, name=name)


@public("linalg.pinv")
def pinv(
    a: TensorLike, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose inverses of matrices.

    >>> fg.linalg.pinv([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).numpy()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0. ]], dtype=float32)

    Args:
      a: matrices ``[..., m, n]`` of float32, float64, complex64 or complex128, or what converts to
        them.
      rcond: singular values up to so many times the largest count as zero: a scalar or ``[...]``;
        ten times the longer side times the dtype's epsilon unless told.
      validate_args: not used.
      name: a name for the operation.

    Returns:
      A tensor ``[..., n, m]`` of the dtype of ``a``.

    Raises:
      TypeError: where ``a`` is neither float nor complex.
      InvalidArgumentError: for a rank below 2, and for floats of 16 bits.
    """
    a = convert(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    s, u, v = svd(a)
    if rcond is None:
        rcond = multiply(cast(_longer(a), s.dtype), 10.0 * _epsilon(s.dtype))
    cutoff = multiply(convert(rcond, s.dtype), reduce_max(s, axis=-1))
    kept = greater(s, cutoff[..., None])
    inverse = where(kept, divide(1.0, where(kept, s, 1.0)), 0.0)
    scaled = multiply(v, cast(inverse, a.dtype)[..., None, :])
    return matmul(scaled, u, adjoint_b=True, name=name)


@public("linalg.matrix_rank")
def matrix_rank(
    a: TensorLike, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values of each matrix are larger than a tolerance.

    >>> int(fg.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1

    Args:
      a: matrices ``[..., m, n]`` of float32, float64, complex64 or complex128, or what converts to
        them.
      tol: the tolerance, a number, or a tensor that broadcasts with the singular values; the
        largest of these times the longer side times the dtype's epsilon unless told.
      validate_args: not used.
      name: a name for the operation.

    Returns:
      An int32 tensor ``[...]``.

    Raises:
      InvalidArgumentError: for a rank below 2, and for another dtype.
    """
    a = convert(a)
    s = svd(a, compute_uv=False)
    if tol is None:
        largest = reduce_max(s, axis=-1, keepdims=True)
        tol = multiply(multiply(largest, cast(_longer(a), s.dtype)), _epsilon(s.dtype))
    return reduce_sum(cast(greater(s, tol), int32), axis=-1, name=name)


def _longer(matrix: Any) -> Any:
    """The longer side of matrices."""
    return reduce_max(emit("Shape", (matrix,))[-2:])


def _epsilon(dtype: Any) -> float:
    return 2.0**-52 if dtype == float64 else 2.0**-23
