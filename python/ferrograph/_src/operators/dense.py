"""Operators with dense matrices: full and lower triangular ones."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import debug, factorisations, matrices, products
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given
from .shapes import adjoint_if, batches_together, kept

__all__ = ["LinearOperatorFullMatrix", "LinearOperatorLowerTriangular"]


class _Held(LinearOperator):
    """An operator with a matrix in ``_matrix``."""

    _matrix: Any

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _shape_tensor(self) -> Any:
        return ops.shape(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return products.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return _core.convert_to_tensor(self._matrix)


@public("linalg.LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(_Held):
    """The operator of a matrix, or of a stack of matrices ``[..., rows, columns]``.

    >>> operator = fg.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ):
        parameters = given(locals())
        self._matrix = kept(matrix, 2, "matrix")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def matrix(self) -> Any:
        """The matrices."""
        return self._matrix


@public("linalg.LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(_Held):
    """The operator of the lower triangle of a matrix, whose other elements count as zero.

    >>> operator = fg.linalg.LinearOperatorLowerTriangular([[2.0, 9.0], [1.0, 4.0]])
    >>> operator.solvevec([2.0, 9.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ):
        parameters = given(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._matrix = kept(tril, 2, "tril")
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def tril(self) -> Any:
        """The matrices as they were given."""
        return self._matrix

    def _to_dense(self) -> Any:
        return matrices.band_part(_core.convert_to_tensor(self._matrix), -1, 0)

    def _diag_part(self) -> Any:
        return matrices.diag_part(_core.convert_to_tensor(self._matrix))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        matrix, rhs = batches_together(self._to_dense(), adjoint_if(rhs, adjoint_arg))
        return factorisations.triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Any:
        return ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> Any:
        return ops.reduce_sum(ops.elementwise.log(ops.abs(self._diag_part())), axis=-1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Diagonal contained zero values."
        diagonal = self._diag_part()
        return debug.assert_none_equal(diagonal, ops.zeros_like(diagonal), message=message)
