"""Operators that are zero off the diagonal: of a diagonal, multiples of the identity, and zeros."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import debug, elementwise, matrices, numeric
from ..values.dtypes import as_dtype, float32
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given
from .shapes import adjoint_if, batch_of, kept, on_batches, size_of

__all__ = [
    "LinearOperatorDiag",
    "LinearOperatorIdentity",
    "LinearOperatorScaledIdentity",
    "LinearOperatorZeros",
]


def _self_adjoint(dtype: Any, hint: bool | None) -> bool | None:
    """What is known of a diagonal matrix of that dtype: a real one is its own adjoint."""
    if dtype.is_complex:
        return hint
    if hint is False:
        raise ValueError("A real diagonal operator is always self adjoint.")
    return True


@public("linalg.LinearOperatorDiag")
class LinearOperatorDiag(LinearOperator):
    """The operator of a diagonal, or of a stack of diagonals ``[..., n]``.

    >>> operator = fg.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.to_dense().numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ):
        parameters = given(locals())
        self._diag = kept(diag, 1, "diag")
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        dtype = self._diag.dtype
        super().__init__(
            dtype,
            None,
            is_non_singular,
            _self_adjoint(dtype, is_self_adjoint),
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def diag(self) -> Any:
        """The diagonals."""
        return self._diag

    def _shape(self) -> TensorShape:
        shape = self._diag.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = ops.shape(self._diag)
        return ops.concat([shape, shape[-1:]], axis=0)

    def _factor(self, adjoint: bool) -> Any:
        diagonal = _core.convert_to_tensor(self._diag)
        return numeric.conj(diagonal) if adjoint else diagonal

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._factor(adjoint)[..., None] * adjoint_if(x, adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._factor(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(rhs, adjoint_arg) / self._factor(adjoint)[..., None]

    def _to_dense(self) -> Any:
        return matrices.diag(self._diag_part())

    def _diag_part(self) -> Any:
        return self._factor(False)

    def _add_to_tensor(self, x: Any) -> Any:
        return x + self._to_dense()

    def _determinant(self) -> Any:
        return ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> Any:
        sizes = ops.reduce_sum(elementwise.log(ops.abs(self._diag_part())), axis=-1)
        return numeric.cast(sizes, self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        sizes = ops.abs(self._diag_part())
        return ops.reduce_max(sizes, axis=-1) / ops.reduce_min(sizes, axis=-1)

    def _assert_non_singular(self) -> Any:
        diagonal = self._diag_part()
        message = "Singular operator:  Diagonal contained zero values."
        return debug.assert_none_equal(diagonal, ops.zeros_like(diagonal), message=message)

    def _assert_positive_definite(self) -> Any:
        diagonal = self._diag_part()
        real = numeric.real(diagonal) if self.dtype.is_complex else diagonal
        return debug.assert_positive(real, message="Matrix was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        diagonal = self._diag_part()
        imaginary = numeric.imag(diagonal) if self.dtype.is_complex else ops.zeros_like(diagonal)
        message = "This diagonal operator contained non-zero imaginary values."
        return debug.assert_equal(imaginary, ops.zeros_like(imaginary), message=message)


class _Sized(LinearOperator):
    """An operator that is known by its numbers of rows and columns and the shape of its stack."""

    _rows: Any
    _columns: Any
    _batch: Any

    def _shape(self) -> TensorShape:
        sizes = [size_of(n, "dimensions")[0] for n in (self._rows, self._columns)]
        return batch_of(self._batch)[0].concatenate(sizes)

    def _shape_tensor(self) -> Any:
        sizes = ops.stack([size_of(n, "dimensions")[1] for n in (self._rows, self._columns)])
        return ops.concat([batch_of(self._batch)[1], sizes], axis=0)

    def _broadcast(self, x: Any) -> Any:
        return on_batches(x, self.batch_shape, self.batch_shape_tensor)


@public("linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(_Sized):
    """The operator of the identity, with ``num_rows`` rows, in a stack of shape ``batch_shape``.

    >>> fg.linalg.LinearOperatorIdentity(2).matvec([3.0, 4.0]).numpy()
    array([3., 4.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ):
        parameters = given(locals())
        if not is_self_adjoint or not is_non_singular or not is_positive_definite:
            raise ValueError("An identity operator is self-adjoint, non-singular and positive.")
        if not is_square:
            raise ValueError("An identity operator is always square.")
        size_of(num_rows, "num_rows")
        self._rows = self._columns = num_rows
        self._batch = batch_shape
        super().__init__(as_dtype(dtype or float32), None, True, True, True, True, name, parameters)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._broadcast(adjoint_if(x, adjoint_arg))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        batch = self.batch_shape_tensor()
        return ops.eye(self.domain_dimension_tensor(), batch_shape=batch, dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ops.ones(self.shape_tensor()[:-1], self.dtype)

    def _determinant(self) -> Any:
        return ops.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return self._determinant()

    def _trace(self) -> Any:
        return numeric.cast(self.domain_dimension_tensor(), self.dtype) * self._determinant()


@public("linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(_Sized):
    """The operator of a multiple of the identity, of a number for each matrix of the stack.

    >>> operator = fg.linalg.LinearOperatorScaledIdentity(2, multiplier=3.0)
    >>> operator.to_dense().numpy()
    array([[3., 0.],
           [0., 3.]], dtype=float32)
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ):
        parameters = given(locals())
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        size_of(num_rows, "num_rows")
        self._multiplier = kept(multiplier, 0, "multiplier")
        self._rows = self._columns = num_rows
        dtype = self._multiplier.dtype
        super().__init__(
            dtype,
            None,
            is_non_singular,
            _self_adjoint(dtype, is_self_adjoint),
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def multiplier(self) -> Any:
        """The numbers on the diagonals."""
        return self._multiplier

    @property
    def _batch(self) -> Any:
        shape = self._multiplier.shape
        return shape.as_list() if shape.is_fully_defined() else ops.shape(self._multiplier)

    def _factor(self, adjoint: bool) -> Any:
        factor = _core.convert_to_tensor(self._multiplier)
        return (numeric.conj(factor) if adjoint else factor)[..., None, None]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._factor(adjoint) * adjoint_if(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return adjoint_if(rhs, adjoint_arg) / self._factor(adjoint)

    def _to_dense(self) -> Any:
        return self._factor(False) * ops.eye(self.domain_dimension_tensor(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        factor = self._factor(False)[..., 0]
        return factor * ops.ones([self.domain_dimension_tensor()], self.dtype)

    def _count(self) -> Any:
        return numeric.cast(self.domain_dimension_tensor(), self.dtype)

    def _determinant(self) -> Any:
        return ops.pow(_core.convert_to_tensor(self._multiplier), self._count())

    def _log_abs_determinant(self) -> Any:
        logs = numeric.cast(elementwise.log(ops.abs(self._multiplier)), self.dtype)
        return self._count() * logs

    def _trace(self) -> Any:
        return self._count() * self._multiplier

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        factor = _core.convert_to_tensor(self._multiplier)
        nan = ops.ones_like(factor) * float("nan")
        return ops.where(ops.equal(factor, ops.zeros_like(factor)), nan, ops.ones_like(factor))

    def _assert_non_singular(self) -> Any:
        size = ops.abs(self._multiplier)
        return debug.assert_positive(size, message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        factor = _core.convert_to_tensor(self._multiplier)
        real = numeric.real(factor) if self.dtype.is_complex else factor
        return debug.assert_positive(real, message="LinearOperator was not positive definite.")


@public("linalg.LinearOperatorZeros")
class LinearOperatorZeros(_Sized):
    """The operator of zeros: ``num_rows`` rows, and as many columns unless told otherwise.

    >>> fg.linalg.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ):
        parameters = given(locals())
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is singular, and not positive definite.")
        columns = num_rows if num_columns is None else num_columns
        rows_known, columns_known = size_of(num_rows, "rows")[0], size_of(columns, "columns")[0]
        if is_square and None not in (rows_known, columns_known) and rows_known != columns_known:
            raise ValueError("LinearOperatorZeros initialized as is_square=True, but it is not.")
        self._rows, self._columns, self._batch = num_rows, columns, batch_shape
        super().__init__(
            as_dtype(dtype or float32),
            None,
            False,
            is_self_adjoint,
            False,
            is_square,
            name,
            parameters,
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = self._broadcast(adjoint_if(x, adjoint_arg))
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        shape = ops.shape(x)
        return ops.zeros(ops.concat([shape[:-2], ops.stack([rows, shape[-1]])], axis=0), x.dtype)

    def _to_dense(self) -> Any:
        return ops.zeros(self.shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        sizes = ops.stack([self.range_dimension_tensor(), self.domain_dimension_tensor()])
        shape = ops.concat([self.batch_shape_tensor(), ops.reduce_min(sizes)[None]], axis=0)
        return ops.zeros(shape, self.dtype)

    def _determinant(self) -> Any:
        return ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return elementwise.log(self._determinant())

    def _trace(self) -> Any:
        return self._determinant()

    def _eigvals(self) -> Any:
        return self._diag_part()
