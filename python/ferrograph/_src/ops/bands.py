"""Band matrices: products with them, and solvers."""

from __future__ import annotations

from typing import Any

from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, convert_pair, emit, int32
from ._dispatch import told
from ._numbers import check_flags, flag
from ._numbers import real as real_number
from .arithmetic import greater, less_equal, logical_and
from .arrays import broadcast_to, concat, pad, rank, shape, squeeze, stack
from .creation import zeros
from .factorisations import eigh
from .matrices import diag, diag_part, matrix_transpose
from .numeric import cast, conj, real
from .selection import boolean_mask

__all__ = ["COMPACT", "FORMATS", "SEQUENCE", "tridiagonal_matrix"]

COMPACT, SEQUENCE, MATRIX = "compact", "sequence", "matrix"
FORMATS = (COMPACT, SEQUENCE, MATRIX)


def _three(diagonals: Any, diagonals_format: str) -> list[Any]:
    """The diagonals above, on and below the main one, each as long as that: padded by zeros."""
    if diagonals_format == COMPACT:
        held = convert(diagonals)
        _check_compact(held)
        above, middle, below = (held[..., i, :] for i in range(3))
        return [_shifted(above, -1), middle, _shifted(below, 1)]
    if diagonals_format == SEQUENCE:
        if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
            raise ValueError(f"expected a list or tuple of 3 diagonals, got {shown(diagonals)}")
        above, middle, below = (convert(d) for d in diagonals)
        return [_full(above, middle, 1), middle, _full(below, middle, 0)]
    if diagonals_format == MATRIX:
        held = convert(diagonals)
        above, below = diag_part(held, k=1), diag_part(held, k=-1)
        return [_padded(above, 0, 1), diag_part(held), _padded(below, 1, 0)]
    raise ValueError(f"diagonals_format is one of {FORMATS}, got {shown(diagonals_format)}")


def _shifted(x: Any, by: int) -> Tensor:
    """The elements with a zero where none counts: the last for -1, the first for 1."""
    return _padded(x[..., 1:], 1, 0) if by > 0 else _padded(x[..., :-1], 0, 1)


def _padded(x: Any, before: int, after: int) -> Tensor:
    if x.shape.rank is not None:
        return pad(x, [[0, 0]] * (x.shape.rank - 1) + [[before, after]])
    others = zeros(stack([rank(x) - 1, 2]), int32)
    return pad(x, concat([others, [[before, after]]], axis=0))


def _full(x: Any, middle: Any, after: int) -> Tensor:
    """An outer diagonal as long as the main one, whose element without a place counts as zero."""
    if x.shape[-1] == middle.shape[-1]:
        return _shifted(x, -1 if after else 1)
    return _padded(x, 1 - after, after)


def _bands(diagonals: Any, diagonals_format: str) -> Tensor:
    """The diagonals as rows of one tensor, each element at the place of its row."""
    if diagonals_format == COMPACT:
        held = convert(diagonals)
        _check_compact(held)
        return held
    return stack(_three(diagonals, diagonals_format), axis=-2)


def _check_compact(held: Any) -> None:
    if held.shape.rank is not None and (held.shape.rank < 2 or held.shape[-2] not in (3, None)):
        raise ValueError(f"compact diagonals have shape [..., 3, n], got {held.shape}")


def tridiagonal_matrix(diagonals: Any, diagonals_format: str) -> Tensor:
    """The matrices themselves."""
    if diagonals_format == MATRIX:
        return convert(diagonals)
    above, middle, below = _three(diagonals, diagonals_format)
    return diag(stack([above, middle, below], axis=-2), k=(-1, 1), align="LEFT_RIGHT")


@public("linalg.tridiagonal_matmul")
@told
def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = COMPACT, name: str | None = None
) -> Tensor:
    """The product of tridiagonal matrices with others.

    >>> rows = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]]
    >>> fg.linalg.tridiagonal_matmul(rows, [[1.0], [1.0], [1.0]]).numpy()
    array([[3.],
           [6.],
           [5.]], dtype=float32)

    Args:
      diagonals: the diagonals above, on and below the main one, in the form of
        ``diagonals_format``: ``[..., 3, n]``, a list of three ``[..., n]``, or ``[..., n, n]``; of
        float32, float64, complex64 or complex128, or what converts to them. In the first form the
        last element of the first row and the first element of the last do not count; as tensors the
        outer ones may be one element shorter instead.
      rhs: matrices ``[..., n, k]`` of the same dtype.
      diagonals_format: "compact" (the default) for the rows of one tensor, "sequence" for three
        tensors, "matrix" for whole matrices.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[..., n, k]``.

    Raises:
      ValueError: for another format, or diagonals that are not of it.
      InvalidArgumentError: where shapes do not fit, and for another dtype.
    """
    bands, rhs = convert_pair(_bands(diagonals, diagonals_format), rhs)
    return emit("BandedMatMul", (_beside(bands, rhs), rhs), {"upper": 1}, name)


@public("linalg.tridiagonal_solve")
@told
def tridiagonal_solve(
    diagonals: Any,
    rhs: TensorLike,
    diagonals_format: str = COMPACT,
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The ``x`` with ``A @ x == rhs``, of tridiagonal matrices.

    It takes time and memory in proportion to the diagonals.

    >>> rows = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]]
    >>> fg.linalg.tridiagonal_solve(rows, [3.0, 6.0, 5.0]).numpy().round(3)
    array([1., 1., 1.], dtype=float32)

    Args:
      diagonals: the diagonals above, on and below the main one, as ``tridiagonal_matmul`` has them;
        of float32, float64, complex64 or complex128, or what converts to them.
      rhs: right-hand sides of the same dtype, ``[..., n]``, or ``[..., n, k]`` (``[..., k, n]`` if
        ``transpose_rhs``), the latter where a trace does not know the ranks.
      diagonals_format: "compact" (the default), "sequence" or "matrix", as for
        ``tridiagonal_matmul``.
      transpose_rhs: whether to transpose ``rhs`` first, a bool; False by default.
      conjugate_rhs: whether to take complex conjugates of ``rhs`` first, a bool; False by default.
      name: a name for the operation.
      partial_pivoting: a bool, which changes nothing: rows are always pivoted.
      perturb_singular: False, the default.

    Returns:
      A tensor of that dtype: ``[..., n]`` or ``[..., n, k]``.

    Raises:
      ValueError: for another format, diagonals that are not of it, where ``perturb_singular`` is
        set, and where ``transpose_rhs`` is set for vectors.
      InvalidArgumentError: where a matrix has no inverse, where shapes do not fit, and for another
        dtype.
    """
    check_flags(
        "tridiagonal_solve", partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    )
    if flag(perturb_singular, "tridiagonal_solve: perturb_singular"):
        raise ValueError("perturb_singular is not supported: a singular matrix is an error")
    bands, rhs = convert_pair(_bands(diagonals, diagonals_format), rhs)
    rhs = conj(rhs) if conjugate_rhs else rhs
    attrs = {"upper": 1}
    ranks = (bands.shape.rank, rhs.shape.rank)
    if None not in ranks and ranks[1] == ranks[0] - 1:
        if transpose_rhs:
            raise ValueError("transpose_rhs needs a right-hand side of matrices")
        return squeeze(emit("BandedSolve", (bands, rhs[..., None]), attrs), [-1], name)
    rhs = matrix_transpose(rhs) if transpose_rhs else rhs
    return emit("BandedSolve", (_beside(bands, rhs), rhs), attrs, name)


def _beside(bands: Tensor, rhs: Tensor) -> Tensor:
    """Three diagonals for each right-hand side, where their rank is unknown and that of ``rhs`` is
    not.
    """
    if bands.ndim is not None or rhs.ndim is None or rhs.ndim < 2:
        return bands
    sizes = shape(rhs)
    return broadcast_to(bands, concat([sizes[:-2], [3], sizes[-2:-1]], 0))


@public("linalg.banded_triangular_solve")
def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """The ``x`` with ``A @ x == rhs``, of triangular matrices with few diagonals.

    >>> bands = [[2.0, 2.0, 2.0], [0.0, 1.0, 1.0]]
    >>> fg.linalg.banded_triangular_solve(bands, [[2.0], [3.0], [3.0]]).numpy()
    array([[1.],
           [1.],
           [1.]], dtype=float32)

    Args:
      bands: the diagonals ``[..., k, n]``, of float32, float64, complex64 or complex128, or what
        converts to them. Of lower triangular matrices the main one comes first and those below it
        follow; of upper ones it comes last, and those above it come before it. Each element is at
        the place of its row.
      rhs: right-hand sides ``[..., n, m]`` of the same dtype.
      lower: whether the matrices are lower triangular, a bool; True by default.
      adjoint: whether to take the adjoints of the matrices, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of that dtype: ``[..., n, m]``.

    Raises:
      InvalidArgumentError: where a matrix has no inverse, where shapes do not fit, and for another
        dtype.
      TypeError: where ``lower`` is no bool.
    """
    check_flags("banded_triangular_solve", lower=lower)
    bands, rhs = convert_pair(bands, rhs)
    attrs = {
        "upper": 0 if flag(lower, "banded_triangular_solve: lower") else -1,
        "adjoint": adjoint,
    }
    return emit("BandedSolve", (bands, rhs), attrs, name)


@public("linalg.eigh_tridiagonal")
@told
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues of a Hermitian tridiagonal matrix.

    >>> fg.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(3)
    array([1., 3.], dtype=float32)

    Args:
      alpha: the diagonal, a vector of float32, float64, complex64 or complex128, or what converts
        to one.
      beta: what is above it, a vector of the same dtype, one element shorter.
      eigvals_only: whether eigenvectors are left out, a bool; True by default.
      select: "a" (the default) for all eigenvalues, "v" for those in an interval, "i" for those
        from one index to another.
      select_range: for "v" the ends ``(low, high]`` of the interval, for "i" the first and the last
        index; None for "a".
      tol: None (the default) or a number, which changes nothing.
      name: not used.

    Returns:
      A vector of eigenvalues in rising order, of float32 or float64; unless ``eigvals_only`` also a
        matrix of eigenvectors in columns, of the dtype of ``alpha``.

    Raises:
      ValueError: for another ``select``, without its range, and where ``alpha`` or ``beta`` is no
        vector.
      TypeError: where ``tol`` is no number.
      InvalidArgumentError: where the lengths do not fit, and for another dtype.
    """
    if tol is not None:
        real_number(tol, "eigh_tridiagonal: tol")
    if select not in ("a", "v", "i"):
        raise ValueError(f"'select' must have a value in 'a', 'i', 'v', got {shown(select)}")
    if select != "a" and select_range is None:
        raise ValueError(f"select={shown(select)} needs a select_range")
    diagonal, above = convert_pair(alpha, beta)
    for what, given in (("alpha", diagonal), ("beta", above)):
        if given.shape.rank not in (1, None):
            raise ValueError(f"eigh_tridiagonal: {what} must be a vector, got shape {given.shape}")
    below = conj(above)
    matrix = tridiagonal_matrix((above, diagonal, below), SEQUENCE)
    values, vectors = eigh(matrix)
    values = real(values) if values.dtype.is_complex else values
    if select == "i":
        first, last = select_range
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    elif select == "v":
        low, high = (cast(convert(limit), values.dtype) for limit in select_range)
        within = logical_and(greater(values, low), less_equal(values, high))
        values, vectors = boolean_mask(values, within), boolean_mask(vectors, within, axis=1)
    return values if eigvals_only else (values, vectors)
