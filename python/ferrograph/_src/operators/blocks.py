"""Operators made of others: products of Kronecker, blocks along a diagonal or below it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from .. import ops
from ..native import _core
from ..ops import numeric
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given
from .shapes import adjoint_if, batches_together, on_batches

__all__ = [
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorKronecker",
]


def agreed(operators: Sequence[Any], hint: str, given_hint: bool | None) -> bool | None:
    """A hint that holds if it does for each operator, where nothing was given."""
    if given_hint is not None:
        return given_hint
    return True if all(getattr(o, hint) for o in operators) else None


def common_dtype(operators: Sequence[Any]) -> Any:
    """The dtype of all operators. TypeError where they differ, ValueError where there is none."""
    if not operators:
        raise ValueError("Expected a non-empty list of operators.")
    if len({o.dtype for o in operators}) > 1:
        found = [(o.name, o.dtype.name) for o in operators]
        raise TypeError(f"Expected all operators to have the same dtype. Found: {found}")
    return operators[0].dtype


def static_batch(operators: Sequence[Any]) -> TensorShape:
    """The batch shape that those of the operators broadcast to."""
    batch = operators[0].batch_shape
    for operator in operators[1:]:
        batch = ops.broadcast_static_shape(batch, operator.batch_shape)
    return batch


def batch_tensor(operators: Sequence[Any]) -> Any:
    """The same as a tensor."""
    batch = operators[0].batch_shape_tensor()
    for operator in operators[1:]:
        batch = ops.broadcast_dynamic_shape(batch, operator.batch_shape_tensor())
    return batch


def _product(sizes: list[Any]) -> Any:
    found = sizes[0]
    for size in sizes[1:]:
        found = None if found is None or size is None else found * size
    return found


def all_square(operators: Sequence[Any]) -> bool:
    """Whether each operator is known to be square."""
    return all(o.is_square for o in operators)


def _total(sizes: list[Any]) -> int | None:
    return None if None in sizes else sum(sizes)


def _columns_apart(x: Any) -> Any:
    """The axes of stacked matrices, of one axis more, with the two before the last exchanged."""
    rank = x.shape.rank
    if rank is not None:
        return [*range(rank - 2), rank - 1, rank - 2, rank]
    rank = ops.rank(x)
    return ops.concat([ops.range(rank - 2), ops.stack([rank - 1, rank - 2, rank])], axis=0)


@public("linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    >>> a = fg.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator = fg.linalg.LinearOperatorKronecker([a, fg.linalg.LinearOperatorIdentity(2)])
    >>> operator.to_dense().numpy()
    array([[1., 0., 2., 0.],
           [0., 1., 0., 2.],
           [3., 0., 4., 0.],
           [0., 3., 0., 4.]], dtype=float32)
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
        hints = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint}
        hints |= {"is_positive_definite": is_positive_definite, "is_square": is_square}
        found = {hint: agreed(self._operators, hint, value) for hint, value in hints.items()}
        super().__init__(dtype, None, **found, name=name, parameters=parameters)

    @property
    def operators(self) -> list[Any]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        rows = _product([o.range_dimension for o in self._operators])
        columns = _product([o.domain_dimension for o in self._operators])
        return static_batch(self._operators).concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        rows = _product([o.range_dimension_tensor() for o in self._operators])
        columns = _product([o.domain_dimension_tensor() for o in self._operators])
        return ops.concat([batch_tensor(self._operators), ops.stack([rows, columns])], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through(x, adjoint, adjoint_arg, "matmul", flipped=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through(rhs, adjoint, adjoint_arg, "solve", flipped=not adjoint)

    def _through(self, x: Any, adjoint: bool, adjoint_arg: bool, act: str, flipped: bool) -> Any:
        """Each factor upon its own axis of the columns of ``x``, one after the other."""
        x = on_batches(adjoint_if(x, adjoint_arg), self.batch_shape, self.batch_shape_tensor)
        order = _columns_apart(x)
        batch, count = ops.shape(x)[:-2], ops.shape(x)[-1]
        for operator in reversed(self._operators):
            size = operator.range_dimension_tensor if flipped else operator.domain_dimension_tensor
            # [..., others, own, count] -> [..., own, others * count]: the last axis first.
            apart = ops.concat([batch, ops.stack([-1, size(), count])], axis=0)
            own = ops.reshape(x, apart)
            own = ops.transpose(own, order)
            others = ops.shape(own)[-2]
            flat = ops.concat([batch, ops.stack([size(), others * count])], axis=0)
            done = getattr(operator, act)(ops.reshape(own, flat), adjoint=adjoint)
            new = ops.shape(done)[-2]
            done = ops.reshape(done, ops.concat([batch, ops.stack([new, others, count])], axis=0))
            x = ops.reshape(done, ops.concat([batch, ops.stack([-1, count])], axis=0))
        return x

    def _diag_part(self) -> Any:
        if not all_square(self._operators):
            return super()._diag_part()
        found = self._operators[0].diag_part()
        for operator in self._operators[1:]:
            pairs = found[..., :, None] * operator.diag_part()[..., None, :]
            found = ops.reshape(pairs, ops.concat([ops.shape(pairs)[:-2], [-1]], axis=0))
        return found

    def _trace(self) -> Any:
        if not all_square(self._operators):
            return super()._trace()
        return _product([o.trace() for o in self._operators])

    def _sizes_without(self) -> list[Any]:
        """For each factor how often its determinant counts."""
        total = self.domain_dimension_tensor()
        return [
            numeric.cast(total // o.domain_dimension_tensor(), self.dtype) for o in self._operators
        ]

    def _determinant(self) -> Any:
        if not all_square(self._operators):
            return super()._determinant()
        pairs = zip(self._operators, self._sizes_without(), strict=True)
        return _product([ops.pow(o.determinant(), n) for o, n in pairs])

    def _log_abs_determinant(self) -> Any:
        if not all_square(self._operators):
            return super()._log_abs_determinant()
        pairs = zip(self._operators, self._sizes_without(), strict=True)
        return sum(o.log_abs_determinant() * n for o, n in pairs)


class _Blocks(LinearOperator):
    """An operator made of blocks, the diagonal ones in ``_diagonal``."""

    _diagonal: list[Any]
    _all: list[Any]

    def _shape(self) -> TensorShape:
        rows = _total([o.range_dimension for o in self._diagonal])
        columns = _total([o.domain_dimension for o in self._diagonal])
        return static_batch(self._all).concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        rows = sum(o.range_dimension_tensor() for o in self._diagonal)
        columns = sum(o.domain_dimension_tensor() for o in self._diagonal)
        return ops.concat([batch_tensor(self._all), ops.stack([rows, columns])], axis=0)

    def _pieces(self, x: Any, domain: bool) -> list[Any]:
        """The rows of ``x``, those of each block apart."""
        sizes = [
            o.domain_dimension_tensor() if domain else o.range_dimension_tensor()
            for o in self._diagonal
        ]
        known = [o.domain_dimension if domain else o.range_dimension for o in self._diagonal]
        return ops.split(x, sizes if None in known else known, axis=-2)

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """``A @ x``; a list of blocks gives a list of blocks."""
        if self._is_blocks(x):
            whole = ops.concat(list(x), axis=-1 if adjoint_arg else -2)
            found = super().matmul(whole, adjoint=adjoint, adjoint_arg=adjoint_arg)
            return self._pieces(found, adjoint)
        return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The ``x`` with ``A @ x == rhs``; a list of blocks gives a list of blocks."""
        if self._is_blocks(rhs):
            whole = ops.concat(list(rhs), axis=-1 if adjoint_arg else -2)
            found = super().solve(whole, adjoint=adjoint, adjoint_arg=adjoint_arg)
            return self._pieces(found, not adjoint)
        return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _is_blocks(self, x: Any) -> bool:
        listed = isinstance(x, (list, tuple)) and len(x) == len(self._diagonal)
        return listed and all(isinstance(part, _core.Tensor) and part.shape.rank for part in x)

    def _together(self, parts: list[Any]) -> Any:
        return ops.concat(batches_together(*parts), axis=-2)

    def _diag_part(self) -> Any:
        if not all_square(self._diagonal):
            return super()._diag_part()
        parts = [o.diag_part()[..., None] for o in self._diagonal]
        return self._together(parts)[..., 0]

    def _determinant(self) -> Any:
        if not all_square(self._diagonal):
            return super()._determinant()
        return _product([o.determinant() for o in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        if not all_square(self._diagonal):
            return super()._log_abs_determinant()
        return sum(o.log_abs_determinant() for o in self._diagonal)


@public("linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(_Blocks):
    """Operators along the diagonal of one that is zero elsewhere.

    >>> a = fg.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator = fg.linalg.LinearOperatorBlockDiag([a, fg.linalg.LinearOperatorIdentity(1)])
    >>> operator.to_dense().numpy()
    array([[1., 2., 0.],
           [3., 4., 0.],
           [0., 0., 1.]], dtype=float32)
    """

    def __init__(
        self,
        operators: Sequence[Any],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ):
        parameters = given(locals())
        self._diagonal = self._all = list(operators)
        dtype = common_dtype(self._all)
        hints = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint}
        hints |= {"is_positive_definite": is_positive_definite}
        found = {hint: agreed(self._all, hint, value) for hint, value in hints.items()}
        super().__init__(
            dtype, None, **found, is_square=is_square, name=name, parameters=parameters
        )

    @property
    def operators(self) -> list[Any]:
        """The blocks."""
        return self._diagonal

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._pieces(adjoint_if(x, adjoint_arg), not adjoint)
        pairs = zip(self._diagonal, parts, strict=True)
        return self._together([o.matmul(part, adjoint=adjoint) for o, part in pairs])

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._pieces(adjoint_if(rhs, adjoint_arg), adjoint)
        pairs = zip(self._diagonal, parts, strict=True)
        return self._together([o.solve(part, adjoint=adjoint) for o, part in pairs])

    def _trace(self) -> Any:
        if not all_square(self._diagonal):
            return super()._trace()
        return sum(o.trace() for o in self._diagonal)

    def _eigvals(self) -> Any:
        return self._together([o.eigvals()[..., None] for o in self._diagonal])[..., 0]


def _row(i: int, operators: Sequence[Any]) -> list[Any]:
    """Row ``i`` of blocks, of which there must be one more than rows above it."""
    row = list(islice(operators, i + 2))
    if len(row) != i + 1:
        many = len(row) if len(row) <= i else f"more than {i + 1}"
        raise ValueError(f"The {i}-th row of operators has {many}, but it needs {i + 1}")
    return row


@public("linalg.LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(_Blocks):
    """Operators in rows, of which row ``i`` has ``i + 1``, the last one on the diagonal.

    >>> one = fg.linalg.LinearOperatorIdentity(1)
    >>> two = fg.linalg.LinearOperatorFullMatrix([[2.0]])
    >>> operator = fg.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]])
    >>> operator.solvevec([1.0, 5.0]).numpy()
    array([1., 3.], dtype=float32)
    """

    def __init__(
        self,
        operators: Sequence[Any],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ):
        parameters = given(locals())
        self._rows = [_row(i, row) for i, row in enumerate(operators)]
        self._diagonal = [row[-1] for row in self._rows]
        self._all = [operator for row in self._rows for operator in row]
        dtype = common_dtype(self._all)
        if not all(o.is_square is not False for o in self._diagonal):
            raise ValueError("the operators on the diagonal must be square")
        super().__init__(
            dtype,
            None,
            agreed(self._diagonal, "is_non_singular", is_non_singular),
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def operators(self) -> list[Any]:
        """The rows of blocks."""
        return self._rows

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._pieces(adjoint_if(x, adjoint_arg), not adjoint)
        results = []
        for i in range(len(self._rows)):
            if adjoint:
                terms = [
                    self._rows[j][i].matmul(parts[j], adjoint=True)
                    for j in range(i, len(self._rows))
                ]
            else:
                terms = [o.matmul(parts[j]) for j, o in enumerate(self._rows[i])]
            results.append(sum(terms[1:], terms[0]))
        return self._together(results)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._pieces(adjoint_if(rhs, adjoint_arg), adjoint)
        n = len(parts)
        found: dict[int, Any] = {}
        for i in reversed(range(n)) if adjoint else range(n):
            left = parts[i]
            for j, solved in found.items():
                off = self._rows[j][i] if adjoint else self._rows[i][j]
                left = left - off.matmul(solved, adjoint=adjoint)
            found[i] = self._diagonal[i].solve(left, adjoint=adjoint)
        return self._together([found[i] for i in range(n)])

    def _eigvals(self) -> Any:
        return self._together([o.eigvals()[..., None] for o in self._diagonal])[..., 0]
