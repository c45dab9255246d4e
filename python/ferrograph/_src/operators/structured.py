"""Operators of matrices with a structure: reflections, permutations, bands, updates of low rank."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import bands, factorisations, matrices, numeric, products
from ..values.dtypes import as_dtype, float32
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given
from .diagonal import LinearOperatorDiag, LinearOperatorIdentity
from .shapes import adjoint_if, batches_together, kept

__all__ = [
    "LinearOperatorHouseholder",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorPermutation",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
]


class _OfVectors(LinearOperator):
    """A square operator that is known by vectors of its size, ``_vector`` among them."""

    _vector: Any

    def _shape(self) -> TensorShape:
        shape = self._vector.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = ops.shape(self._vector)
        return ops.concat([shape, shape[-1:]], axis=0)


@public("linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(_OfVectors):
    """The reflection at the hyperplane orthogonal to ``reflection_axis``.

    >>> operator = fg.linalg.LinearOperatorHouseholder([0.0, 2.0])
    >>> operator.matvec([3.0, 4.0]).numpy()
    array([ 3., -4.], dtype=float32)
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ):
        parameters = given(locals())
        if is_self_adjoint is False or is_non_singular is False or is_square is False:
            raise ValueError("A Householder operator is self-adjoint, non-singular and square.")
        if is_positive_definite:
            raise ValueError("A Householder operator is not positive definite.")
        self._vector = kept(reflection_axis, 1, "reflection_axis")
        super().__init__(self._vector.dtype, None, True, True, False, True, name, parameters)

    @property
    def reflection_axis(self) -> Any:
        """The normals of the hyperplanes, of any length."""
        return self._vector

    def _normal(self) -> Any:
        return numeric.l2_normalize(self._vector, axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_if(x, adjoint_arg)
        normal = self._normal()[..., None]
        return x - 2 * normal * products.matmul(normal, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _diag_part(self) -> Any:
        normal = self._normal()
        return 1 - 2 * normal * numeric.conj(normal)

    def _determinant(self) -> Any:
        return -ops.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Any:
        size = numeric.cast(self.domain_dimension_tensor(), self.dtype)
        return (size - 2) * ops.ones(self.batch_shape_tensor(), self.dtype)

    def _eigvals(self) -> Any:
        ones = ops.ones(self.shape_tensor()[:-1], self.dtype)
        return ops.concat([-ones[..., :1], ones[..., 1:]], axis=-1)

    def _cond(self) -> Any:
        return ops.ones(self.batch_shape_tensor(), self.dtype)


@public("linalg.LinearOperatorPermutation")
class LinearOperatorPermutation(_OfVectors):
    """The operator that puts element ``perm[i]`` of a vector at place ``i``.

    >>> operator = fg.linalg.LinearOperatorPermutation([2, 0, 1])
    >>> operator.matvec([1.0, 2.0, 3.0]).numpy()
    array([3., 1., 2.], dtype=float32)
    """

    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ):
        parameters = given(locals())
        if is_non_singular is False or is_square is False:
            raise ValueError("A Permutation operator is always non-singular and square.")
        self._vector = kept(perm, 1, "perm")
        if not self._vector.dtype.is_integer:
            raise TypeError(f"perm must be integers, got {self._vector.dtype.name}")
        super().__init__(
            as_dtype(dtype),
            None,
            True,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def perm(self) -> Any:
        """Which element comes at each place."""
        return self._vector

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_if(x, adjoint_arg)
        order = _core.convert_to_tensor(self._vector)
        order = ops.argsort(order, axis=-1) if adjoint else order
        column, x = batches_together(order[..., None], x)
        return ops.gather(x, column[..., 0], axis=-2, batch_dims=x.shape.rank - 2)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Any:
        return ops.one_hot(self._vector, self.domain_dimension_tensor(), dtype=self.dtype)

    def _diag_part(self) -> Any:
        here = ops.range(self.domain_dimension_tensor(), dtype=self._vector.dtype)
        return numeric.cast(ops.equal(here, self._vector), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Any:
        return ops.ones(self.batch_shape_tensor(), self.dtype)


@public("linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(_OfVectors):
    """The operator that is constant along diagonals, of its first column and its first row.

    >>> operator = fg.linalg.LinearOperatorToeplitz(col=[1.0, 2.0, 3.0], row=[1.0, 4.0, 5.0])
    >>> operator.to_dense().numpy()
    array([[1., 4., 5.],
           [2., 1., 4.],
           [3., 2., 1.]], dtype=float32)
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ):
        parameters = given(locals())
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        self._vector, self._row = kept(col, 1, "col"), kept(row, 1, "row")
        super().__init__(
            self._row.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def col(self) -> Any:
        """The first columns."""
        return self._vector

    @property
    def row(self) -> Any:
        """The first rows."""
        return self._row

    def _shape(self) -> TensorShape:
        wide = ops.broadcast_static_shape(self._vector.shape, self._row.shape)
        return wide.concatenate(wide[-1:])

    def _shape_tensor(self) -> Any:
        shapes = [ops.shape(self._vector), ops.shape(self._row)]
        wide = ops.broadcast_dynamic_shape(*shapes)
        return ops.concat([wide, wide[-1:]], axis=0)

    def _parts(self) -> tuple[Any, ...]:
        column, row = batches_together(
            _core.convert_to_tensor(self._vector)[..., None],
            _core.convert_to_tensor(self._row)[..., None],
        )
        return column[..., 0], row[..., 0]

    def _to_dense(self) -> Any:
        column, row = self._parts()
        size = self.domain_dimension_tensor()
        band = ops.concat([ops.reverse(column, axis=[-1]), row[..., 1:]], axis=-1)
        places = ops.range(size)
        return ops.gather(band, places[None, :] - places[:, None] + size - 1, axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return products.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _diag_part(self) -> Any:
        column, _ = self._parts()
        return column[..., :1] * ops.ones([self.domain_dimension_tensor()], self.dtype)


@public("linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(LinearOperator):
    """The operator of a matrix with three diagonals.

    ``diagonals`` is as ``fg.linalg.tridiagonal_matmul`` takes it in ``diagonals_format``.

    >>> rows = [[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 3.0]]
    >>> operator = fg.linalg.LinearOperatorTridiag(rows)
    >>> operator.to_dense().numpy()
    array([[2., 1., 0.],
           [3., 2., 1.],
           [0., 3., 2.]], dtype=float32)
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = bands.COMPACT,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ):
        parameters = given(locals())
        if diagonals_format not in bands.FORMATS:
            raise ValueError(f"diagonals_format is one of {bands.FORMATS}, got {diagonals_format}")
        if diagonals_format == bands.SEQUENCE:
            self._diagonals: Any = [kept(d, 1, "diagonals") for d in diagonals]
            parameters["diagonals"] = self._diagonals
        else:
            self._diagonals = kept(diagonals, 2, "diagonals")
        self._format = diagonals_format
        one = self._diagonals[1] if diagonals_format == bands.SEQUENCE else self._diagonals
        super().__init__(
            one.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def diagonals(self) -> Any:
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How they were given."""
        return self._format

    def _middle(self) -> Any:
        if self._format == bands.SEQUENCE:
            return _core.convert_to_tensor(self._diagonals[1])
        held = _core.convert_to_tensor(self._diagonals)
        return held[..., 1, :] if self._format == bands.COMPACT else matrices.diag_part(held)

    def _shape(self) -> TensorShape:
        if self._format == bands.SEQUENCE:
            shape = self._diagonals[1].shape
        else:
            shape = self._diagonals.shape[:-2].concatenate(self._diagonals.shape[-1:])
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = ops.shape(self._middle())
        return ops.concat([shape, shape[-1:]], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_if(x, adjoint_arg)
        if adjoint:
            return products.matmul(self._to_dense(), x, adjoint_a=True)
        return bands.tridiagonal_matmul(self._diagonals, x, self._format)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_if(rhs, adjoint_arg)
        if adjoint:
            matrix, rhs = batches_together(self._to_dense(), rhs)
            return factorisations.solve(matrix, rhs, adjoint=True)
        return bands.tridiagonal_solve(self._diagonals, rhs, self._format)

    def _to_dense(self) -> Any:
        return bands.tridiagonal_matrix(self._diagonals, self._format)

    def _diag_part(self) -> Any:
        return self._middle()


@public("linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(LinearOperator):
    """``L + U D V^H``: an operator and an update of low rank, ``V`` being ``U`` by default.

    ``diag_update`` is the diagonal of ``D``, ones by default. To solve takes no more than to solve
    with ``L`` and with a matrix of the size of ``D``.

    >>> base = fg.linalg.LinearOperatorIdentity(2)
    >>> operator = fg.linalg.LinearOperatorLowRankUpdate(base, u=[[1.0], [2.0]])
    >>> operator.to_dense().numpy()
    array([[2., 2.],
           [2., 5.]], dtype=float32)
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ):
        parameters = given(locals())
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("no diag_update was given, and ones are positive")
            is_diag_update_positive = True
        self._base, self._u = base_operator, kept(u, 2, "u")
        self._v = self._u if v is None else kept(v, 2, "v")
        self._diag = None if diag_update is None else kept(diag_update, 1, "diag_update")
        self._positive, self._symmetric = is_diag_update_positive, v is None
        if self._symmetric and is_diag_update_positive and base_operator.is_positive_definite:
            is_positive_definite = is_self_adjoint = True
        elif self._symmetric and base_operator.is_self_adjoint and is_self_adjoint is None:
            real = self._diag is None or not self._diag.dtype.is_complex
            is_self_adjoint = True if real else None
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def base_operator(self) -> LinearOperator:
        """The operator that is updated."""
        return self._base

    @property
    def u(self) -> Any:
        """The left factor of the update."""
        return self._u

    @property
    def v(self) -> Any:
        """The right factor of the update."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether ``D`` is positive, where that is known."""
        return self._positive

    @property
    def diag_update(self) -> Any:
        """The diagonal of ``D``; None for ones."""
        return self._diag

    @property
    def diag_operator(self) -> LinearOperator:
        """``D`` as an operator."""
        if self._diag is not None:
            return LinearOperatorDiag(self._diag, is_positive_definite=self._positive)
        return LinearOperatorIdentity(ops.shape(self._u)[-1], dtype=self.dtype)

    def _shape(self) -> TensorShape:
        base = self._base.shape
        shapes = [self._u.shape[:-2], self._v.shape[:-2]]
        shapes += [] if self._diag is None else [self._diag.shape[:-1]]
        batch = base[:-2]
        for shape in shapes:
            batch = ops.broadcast_static_shape(batch, shape)
        return batch.concatenate(base[-2:])

    def _shape_tensor(self) -> Any:
        base = self._base.shape_tensor()
        shapes = [ops.shape(self._u)[:-2], ops.shape(self._v)[:-2]]
        shapes += [] if self._diag is None else [ops.shape(self._diag)[:-1]]
        batch = base[:-2]
        for shape in shapes:
            batch = ops.broadcast_dynamic_shape(batch, shape)
        return ops.concat([batch, base[-2:]], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = products.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = products.matmul(left, self.diag_operator.matmul(inner, adjoint=adjoint))
        return self._base.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        # The Woodbury identity.
        rhs = adjoint_if(rhs, adjoint_arg)
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        known = self._base.solve(rhs, adjoint=adjoint)
        capacitance, inner = batches_together(
            self._capacitance(adjoint), products.matmul(right, known, adjoint_a=True)
        )
        inner = factorisations.solve(capacitance, inner)
        correction = self._base.solve(products.matmul(left, inner), adjoint=adjoint)
        return known - correction

    def _capacitance(self, adjoint: bool = False) -> Any:
        """``D^-1 + V^H L^-1 U``."""
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = self._base.solve(_core.convert_to_tensor(left), adjoint=adjoint)
        middle = products.matmul(right, inner, adjoint_a=True)
        inverse = self.diag_operator.inverse()
        return (inverse.adjoint() if adjoint else inverse).add_to_tensor(middle)

    def _determinant(self) -> Any:
        middle = factorisations.det(self._capacitance())
        return middle * self.diag_operator.determinant() * self._base.determinant()

    def _log_abs_determinant(self) -> Any:
        middle = factorisations.slogdet(self._capacitance()).log_abs_determinant
        rest = self.diag_operator.log_abs_determinant() + self._base.log_abs_determinant()
        return middle + rest

    def _diag_part(self) -> Any:
        factors = self.diag_operator.matmul(matrices.adjoint(_core.convert_to_tensor(self._v)))
        rows = ops.reduce_sum(self._u * matrices.matrix_transpose(factors), axis=-1)
        return self._base.diag_part() + rows
