"""``LinearOperator``: the methods of every operator, by default based on its matrix product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import debug, factorisations, matrices
from ..state.module import Module
from ..values import constants, dtypes
from ..values.composite import CompositeTensor
from ..values.dtypes import as_dtype
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .shapes import adjoint_if, batches_together
from .spec import spec_of

__all__ = ["LinearOperator", "given", "late"]

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class _Late:
    """What methods of operators make of other classes of operators; ``algebra`` fills it in."""

    adjoint: Callable[[Any], Any]
    inverse: Callable[[Any], Any]
    cholesky: Callable[[Any], Any]
    product: Callable[[Any, Any], Any]


late = _Late()


def given(arguments: dict[Any, Any]) -> dict[Any, Any]:
    """The arguments of a constructor, from its ``locals()``."""
    return {k: v for k, v in arguments.items() if k not in ("self", "__class__")}


def _is_followed(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_is_followed, value))
    return isinstance(value, (_core.VariableBase, Module))


@public("linalg.LinearOperator")
class LinearOperator(CompositeTensor, Module):
    """A matrix, or a stack of them, known by what it does.

    Subclasses give ``_shape``, ``_shape_tensor`` and ``_matmul``; each other method has a form with
    an underscore, which a subclass overrides where it knows better. The hints ``is_non_singular``,
    ``is_self_adjoint``, ``is_positive_definite`` and ``is_square`` are None where nothing is known;
    what they promise is not checked, but relied on.

    An operator is a ``Module``: the variables that it was made of are among those of the module
    that has it, and in its checkpoints.

    >>> operator = fg.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> isinstance(operator, fg.linalg.LinearOperator)
    True
    >>> (operator @ [[1.0], [1.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[Any, Any] | None = None,
    ):
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        is_non_singular = True if is_positive_definite else is_non_singular
        if is_square is False and (is_non_singular or is_self_adjoint):
            kind = "non-singular" if is_non_singular else "self-adjoint"
            raise ValueError(f"A {kind} matrix is always square.")
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._square = True if is_non_singular or is_self_adjoint else is_square
        self._hints = (is_non_singular, is_self_adjoint, is_positive_definite)
        self._name = name or type(self).__name__
        self._parameters = dict(parameters or {})

    # What an operator is.

    def _trackable_children(self, save_type: str = "checkpoint") -> dict[str, Any]:
        """What a checkpoint follows: the arguments that are or hold variables."""
        return {f"_{name}": v for name, v in self._parameters.items() if _is_followed(v)}

    @property
    def _type_spec(self) -> Any:
        return spec_of(self)

    @property
    def parameters(self) -> dict[Any, Any]:
        """The arguments that the operator was made of."""
        return self._parameters

    @property
    def graph_parents(self) -> list[Any]:
        """Empty: what an operator depends on is in its ``parameters``."""
        return []

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def is_non_singular(self) -> bool | None:
        """Whether the matrix has an inverse, where that is known."""
        return self._hints[0]

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether the matrix is its own adjoint, where that is known."""
        return self._hints[1]

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether ``x^H A x`` is positive for every ``x`` but zero, where that is known."""
        return self._hints[2]

    @property
    def is_square(self) -> bool | None:
        """Whether there are as many rows as columns, where that is known."""
        rows, columns = self.range_dimension, self.domain_dimension
        if rows is not None and columns is not None:
            return rows == columns
        return self._square

    # Shapes.

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__}._shape")

    def _shape_tensor(self) -> Any:
        known = self.shape
        if known.is_fully_defined():
            return _int32(known.as_list())
        raise NotImplementedError(f"{type(self).__name__}._shape_tensor")

    @property
    def shape(self) -> TensorShape:
        """The static shape, ``[..., rows, columns]``."""
        return self._shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The static shape of the stack."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the dense form, where it is known."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> int | None:
        """How many columns there are, where that is known."""
        return None if self.shape.rank is None else self.shape[-1]

    @property
    def range_dimension(self) -> int | None:
        """How many rows there are, where that is known."""
        return None if self.shape.rank is None else self.shape[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """The shape as an int32 vector."""
        if self.shape.is_fully_defined():
            return _int32(self.shape.as_list())
        return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """The shape of the stack as an int32 vector."""
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """The rank of the dense form."""
        return ops.size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """How many columns there are."""
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """How many rows there are."""
        return self.shape_tensor()[-2]

    # Products.

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._matmul")

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """``A @ x``, of the adjoint of either where asked for; of an operator an operator."""
        if isinstance(x, LinearOperator):
            left, right = _adjoint_if(self, adjoint), _adjoint_if(x, adjoint_arg)
            _check_inner(left.domain_dimension, right.range_dimension)
            return late.product(left, right)
        x = self._argument(x, -1 if adjoint_arg else -2, adjoint)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._matmul(x[..., None], adjoint=adjoint)[..., 0]

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """``A @ x`` for vectors in the last axis of ``x``."""
        return self._matvec(self._argument(x, -1, adjoint), adjoint=adjoint)

    def _argument(self, x: Any, axis: int, adjoint: bool) -> Any:
        """What is multiplied, as a tensor; ValueError where its size does not fit."""
        x = _core.convert_to_tensor(x, self.dtype)
        size = None if x.shape.rank is None else x.shape[axis]
        _check_inner(self.range_dimension if adjoint else self.domain_dimension, size)
        return x

    # Solving.

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_if(rhs, adjoint_arg)
        if self._has_cholesky():
            return _solve_batched(_of_factor, factorisations.cholesky(self.to_dense()), rhs)
        return _solve_batched(factorisations.solve, self.to_dense(), rhs, adjoint=adjoint)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The ``x`` with ``A @ x == rhs``; of an operator an operator.

        NotImplementedError where the operator is known to be singular or not square.
        """
        self._refuse_solving("Exact solve")
        if isinstance(rhs, LinearOperator):
            left, right = _adjoint_if(self, adjoint), _adjoint_if(rhs, adjoint_arg)
            _check_inner(left.domain_dimension, right.range_dimension)
            return late.product(left.inverse(), right)
        rhs = self._argument(rhs, -1 if adjoint_arg else -2, not adjoint)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return self._solve(rhs[..., None], adjoint=adjoint)[..., 0]

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The ``x`` with ``A @ x == rhs`` for vectors in the last axis of ``rhs``."""
        self._refuse_solving("Exact solve")
        return self._solvevec(self._argument(rhs, -1, not adjoint), adjoint=adjoint)

    def _refuse_solving(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"{what} of an operator that is not square: {self.name}")
        if self.is_non_singular is False:
            raise NotImplementedError(f"{what} of an operator that is singular: {self.name}")

    def _has_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    # Other operators.

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the adjoint matrix."""
        return self if self.is_self_adjoint else self._adjoint()

    def _adjoint(self) -> LinearOperator:
        return late.adjoint(self)

    @property
    def H(self) -> LinearOperator:  # noqa: N802 - the documented name
        """The operator of the adjoint matrix."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse. ValueError where it is known that there is none."""
        if self.is_square is False or self.is_non_singular is False:
            kind = "singular" if self.is_square is not False else "not square"
            raise ValueError(f"there is no inverse: the operator {self.name} is {kind}")
        return self._inverse()

    def _inverse(self) -> LinearOperator:
        return late.inverse(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular factor, as an operator.

        ValueError unless the operator is said to be self-adjoint and positive definite.
        """
        if not self._has_cholesky():
            raise ValueError(
                f"the operator {self.name} is not known to be self-adjoint and positive definite"
            )
        return self._cholesky()

    def _cholesky(self) -> LinearOperator:
        return late.cholesky(self)

    # The dense form, and what is read of it.

    def _to_dense(self) -> Any:
        if self.batch_shape.is_fully_defined():
            batch = self.batch_shape.as_list()
        else:
            batch = self.batch_shape_tensor()
        columns = self.domain_dimension
        columns = self.domain_dimension_tensor() if columns is None else columns
        return self._matmul(ops.eye(columns, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrices."""
        return self._to_dense()

    def _diag_part(self) -> Any:
        return matrices.diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonals."""
        return self._diag_part()

    def _trace(self) -> Any:
        return ops.reduce_sum(self.diag_part(), axis=-1)

    def trace(self, name: str = "trace") -> Any:
        """The sums of the diagonals."""
        return self._trace()

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """``A + x``, dense."""
        return self._add_to_tensor(_core.convert_to_tensor(x, self.dtype))

    def _determinant(self) -> Any:
        if self._has_cholesky():
            return ops.exp(self.log_abs_determinant())
        return factorisations.det(self.to_dense())

    def determinant(self, name: str = "det") -> Any:
        """The determinants. NotImplementedError where the operator is known not to be square."""
        self._refuse_determinant()
        return self._determinant()

    def _log_abs_determinant(self) -> Any:
        if self._has_cholesky():
            diagonal = matrices.diag_part(factorisations.cholesky(self.to_dense()))
            return 2 * ops.reduce_sum(ops.elementwise.log(diagonal), axis=-1)
        return factorisations.slogdet(self.to_dense()).log_abs_determinant

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithms of the absolute values of the determinants."""
        self._refuse_determinant()
        return self._log_abs_determinant()

    def _refuse_determinant(self) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"determinant of an operator that is not square: {self.name}")

    def _eigvals(self) -> Any:
        return factorisations.eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues of an operator that is said to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError("eigenvalues of an operator not known to be self-adjoint")
        return self._eigvals()

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            values = ops.abs(self.eigvals())
        else:
            values = factorisations.svd(self.to_dense(), compute_uv=False)
        return ops.reduce_max(values, axis=-1) / ops.reduce_min(values, axis=-1)

    def cond(self, name: str = "cond") -> Any:
        """The condition numbers: the largest singular value over the smallest."""
        return self._cond()

    # Checks.

    def _assert_non_singular(self) -> Any:
        number = self.cond()
        sizes = ops.stack([self.range_dimension_tensor(), self.domain_dimension_tensor()])
        largest = ops.cast(ops.maximum(ops.reduce_max(sizes), 100), number.dtype)
        limit = 1.0 / (largest * _epsilon(number.dtype))
        return debug.assert_less(number, limit, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Fail where a matrix is singular up to rounding."""
        return self._assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assertion on an operator not known to be self-adjoint")
        diagonal = matrices.diag_part(factorisations.cholesky(self.to_dense()))
        return debug.assert_positive(_real(diagonal), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Fail where a matrix is not positive definite."""
        return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        message = "Matrix was not equal to its adjoint."
        return debug.assert_equal(dense, matrices.adjoint(dense), message=message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Fail where a matrix is not its own adjoint."""
        return self._assert_self_adjoint()

    def __repr__(self) -> str:
        shown = f"{type(self).__name__}, shape={self.shape}, dtype={self.dtype}"
        return f"<{shown}>"


def _adjoint_if(operator: LinearOperator, wanted: bool) -> LinearOperator:
    return operator.adjoint() if wanted else operator


def _check_inner(ours: int | None, theirs: int | None) -> None:
    if ours is not None and theirs is not None and ours != theirs:
        raise ValueError(
            f"Dimensions are not compatible: the operator takes size {ours}, got size {theirs}"
        )


def _solve_batched(solve: Callable[..., Any], matrix: Any, rhs: Any, **kwargs: Any) -> Any:
    matrix, rhs = batches_together(matrix, rhs)
    return solve(matrix, rhs, **kwargs)


def _of_factor(factor: Any, rhs: Any) -> Any:
    return factorisations.cholesky_solve(factor, rhs)


def _int32(values: list[Any]) -> Any:
    return constants.constant(values, dtypes.int32)


def _real(x: Any) -> Any:
    return ops.numeric.real(x) if x.dtype.is_complex else x


def _epsilon(dtype: Any) -> float:
    return 2.0 ** {"float16": -10, "float32": -23, "float64": -52}[dtype.name]
