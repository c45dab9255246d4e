"""Products, adjoints, inverses and factors of operators, which are operators again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ops
from ..native import _core
from ..ops import factorisations, numeric
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given, late
from .blocks import (
    LinearOperatorBlockDiag,
    LinearOperatorKronecker,
    agreed,
    all_square,
    batch_tensor,
    common_dtype,
    static_batch,
)
from .dense import LinearOperatorLowerTriangular
from .diagonal import LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity
from .structured import LinearOperatorHouseholder

__all__ = ["LinearOperatorAdjoint", "LinearOperatorComposition", "LinearOperatorInversion"]


@public("linalg.LinearOperatorComposition")
class LinearOperatorComposition(LinearOperator):
    """The product of operators, the last of which acts first.

    >>> two = fg.linalg.LinearOperatorDiag([2.0, 2.0])
    >>> sum_up = fg.linalg.LinearOperatorFullMatrix([[1.0, 1.0], [0.0, 1.0]])
    >>> fg.linalg.LinearOperatorComposition([two, sum_up]).matvec([1.0, 2.0]).numpy()
    array([6., 4.], dtype=float32)
    """

    def __init__(
        self,
        operators: Sequence[Any],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ):
        parameters = given(locals())
        self._operators = list(operators)
        dtype = common_dtype(self._operators)
        for left, right in zip(self._operators[:-1], self._operators[1:], strict=True):
            sizes = (left.domain_dimension, right.range_dimension)
            if None not in sizes and sizes[0] != sizes[1]:
                raise ValueError(f"{shown(left)} and {shown(right)} do not go together")
        super().__init__(
            dtype,
            None,
            agreed(self._operators, "is_non_singular", is_non_singular),
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def operators(self) -> list[Any]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        sizes = [self._operators[0].range_dimension, self._operators[-1].domain_dimension]
        return static_batch(self._operators).concatenate(sizes)

    def _shape_tensor(self) -> Any:
        rows = self._operators[0].range_dimension_tensor()
        sizes = ops.stack([rows, self._operators[-1].domain_dimension_tensor()])
        return ops.concat([batch_tensor(self._operators), sizes], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators if adjoint else self._operators[::-1]
        x = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators[::-1] if adjoint else self._operators
        rhs = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Any:
        if not all_square(self._operators):
            return super()._determinant()
        found = self._operators[0].determinant()
        for operator in self._operators[1:]:
            found = found * operator.determinant()
        return found

    def _log_abs_determinant(self) -> Any:
        if not all_square(self._operators):
            return super()._log_abs_determinant()
        return sum(o.log_abs_determinant() for o in self._operators)


class _OfOne(LinearOperator):
    """An operator that is something of another one, with its hints."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ):
        parameters = given(locals())
        self._operator = operator
        hints = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint}
        hints |= {"is_positive_definite": is_positive_definite, "is_square": is_square}
        for hint, value in hints.items():
            known = getattr(operator, hint)
            if value is not None and known is not None and value != known:
                raise ValueError(f"The operator has {hint}={known}, but {value} was given.")
            hints[hint] = known if value is None else value
        super().__init__(operator.dtype, None, **hints, name=name, parameters=parameters)

    @property
    def operator(self) -> LinearOperator:
        """The operator that this one is made of."""
        return self._operator


@public("linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator.

    >>> operator = fg.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> fg.linalg.LinearOperatorAdjoint(operator).to_dense().numpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        shape = self._operator.shape_tensor()
        return ops.concat([shape[:-2], shape[-1:], shape[-2:-1]], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _adjoint(self) -> LinearOperator:
        return self._operator

    def _to_dense(self) -> Any:
        return ops.matrices.adjoint(self._operator.to_dense())

    def _diag_part(self) -> Any:
        return numeric.conj(self._operator.diag_part())

    def _determinant(self) -> Any:
        return numeric.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return numeric.conj(self._operator.trace())

    def _cond(self) -> Any:
        return self._operator.cond()


@public("linalg.LinearOperatorInversion")
class LinearOperatorInversion(_OfOne):
    """The inverse of an operator, which solves where that one multiplies.

    >>> operator = fg.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> fg.linalg.LinearOperatorInversion(operator).matvec([2.0, 4.0]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ):
        if is_non_singular is False or operator.is_non_singular is False:
            raise ValueError("operator and supplied hints must have `is_non_singular` True or None")
        super().__init__(operator, True, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _inverse(self) -> LinearOperator:
        return self._operator

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _cond(self) -> Any:
        return self._operator.cond()


def _hints(operator: LinearOperator) -> dict[Any, Any]:
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": True,
    }


def adjoint(operator: LinearOperator) -> LinearOperator:
    """The adjoint of an operator that is not known to be self-adjoint."""
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(numeric.conj(operator.diag), **_hints(operator))
    if isinstance(operator, LinearOperatorBlockDiag):
        return LinearOperatorBlockDiag([o.adjoint() for o in operator.operators])
    if isinstance(operator, LinearOperatorKronecker):
        return LinearOperatorKronecker([o.adjoint() for o in operator.operators])
    return LinearOperatorAdjoint(operator)


def inverse(operator: LinearOperator) -> LinearOperator:
    """The inverse of an operator."""
    if isinstance(operator, (LinearOperatorIdentity, LinearOperatorHouseholder)):
        return operator
    hints = _hints(operator) | {"is_non_singular": True}
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(1.0 / operator.diag, **hints)
    if isinstance(operator, LinearOperatorScaledIdentity):
        rows = operator.parameters["num_rows"]
        return LinearOperatorScaledIdentity(rows, 1.0 / operator.multiplier, **hints)
    if not isinstance(operator, (LinearOperatorBlockDiag, LinearOperatorKronecker)):
        return LinearOperatorInversion(operator)
    if not all_square(operator.operators):
        return LinearOperatorInversion(operator)
    return type(operator)([o.inverse() for o in operator.operators])


def cholesky(operator: LinearOperator) -> LinearOperator:
    """The lower triangular factor of a positive definite operator."""
    if isinstance(operator, LinearOperatorIdentity):
        return operator
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(ops.sqrt(operator.diag), is_non_singular=True)
    if isinstance(operator, LinearOperatorScaledIdentity):
        rows = operator.parameters["num_rows"]
        root = ops.sqrt(operator.multiplier)
        return LinearOperatorScaledIdentity(rows, root, is_non_singular=True)
    if isinstance(operator, (LinearOperatorBlockDiag, LinearOperatorKronecker)):
        factors = [o for o in operator.operators if o.is_positive_definite and o.is_self_adjoint]
        if len(factors) == len(operator.operators):
            return type(operator)([o.cholesky() for o in factors])
    factor = factorisations.cholesky(operator.to_dense())
    return LinearOperatorLowerTriangular(factor, is_non_singular=True)


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators."""
    if isinstance(left, LinearOperatorIdentity) and left.batch_shape.rank == 0:
        return right
    if isinstance(right, LinearOperatorIdentity) and right.batch_shape.rank == 0:
        return left
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorDiag):
        both = _core.convert_to_tensor(left.diag) * right.diag
        regular = left.is_non_singular and right.is_non_singular
        return LinearOperatorDiag(both, is_non_singular=regular or None)
    return LinearOperatorComposition([left, right])


late.adjoint = adjoint
late.inverse = inverse
late.cholesky = cholesky
late.product = product
