"""Jacobians from a tape: the gradients of all elements of the target at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..control_flow.functional import map_fn
from ..native import _core
from ..values.errors import UnimplementedError
from ..values.tensor_spec import TensorSpec
from .batched import RowFunction

__all__ = ["batch_jacobian", "jacobian"]

Rows = Callable[[Any], list[Any]]


def jacobian(
    gradients: Rows, target: Any, sources: list[Any], fill: bool, at_once: bool = True
) -> list[Any]:
    """The derivative of each element of ``target`` by each source.

    ``gradients(seed)`` gives the gradients of ``target`` weighted by ``seed``. A source that the
    target does not depend on gives None, or zeros where ``fill`` is set. Without ``at_once`` the
    gradients are taken one after the other.
    """
    shape = ops.shape(target)
    known = target.shape.num_elements() if target.shape.rank is not None else None
    size = ops.size(target) if known is None else known
    rows = _Seeded(lambda row: gradients(ops.reshape(row, shape)), target.dtype, sources)
    found = rows.stacked(size, at_once)
    results: list[Any] = []
    for rows, source in zip(found, sources, strict=True):
        if rows is None and not fill:
            results.append(None)
            continue
        dims = ops.concat([shape, ops.shape(source)], axis=0)
        empty = ops.zeros(dims, source.dtype) if rows is None else ops.reshape(rows, dims)
        results.append(_with_shape(empty, target.shape, source.shape))
    return results


def batch_jacobian(gradients: Rows, target: Any, source: Any, at_once: bool = True) -> Any:
    """The derivative of each row of ``target`` by the same row of ``source``; zeros for none."""
    shape = ops.shape(target)
    known = target.shape[1:].num_elements() if target.shape.rank is not None else None
    size = ops.reduce_prod(shape[1:]) if known is None else known
    across = ops.stack([shape[0], size])

    def row(seed: Any) -> list[Any]:
        return gradients(ops.reshape(ops.broadcast_to(seed, across), shape))

    (rows,) = _Seeded(row, target.dtype, [source]).stacked(size, at_once)
    dims = ops.concat([shape, ops.shape(source)[1:]], axis=0)
    if rows is None:
        return ops.zeros(dims, source.dtype)
    order = ops.concat([[1, 0], ops.range(2, ops.rank(rows))], axis=0)
    result = ops.reshape(ops.transpose(rows, order), dims)
    return _with_shape(result, target.shape, source.shape[1:])


class _Seeded:
    """What ``gradients`` gives for rows of the identity matrix: zeros for what never is."""

    def __init__(self, gradients: Rows, dtype: Any, sources: list[Any]):
        self._gradients, self._dtype, self._sources = gradients, dtype, sources
        self._connected = [False] * len(sources)

    def stacked(self, size: Any, at_once: bool) -> list[Any]:
        """The gradients for the identity matrix of that size; None for what never is."""
        if not self._sources:
            return []
        rows = self._at_once(size) if at_once else None
        if rows is None:
            rows = self._one_by_one(size)
        return [row if known else None for row, known in zip(rows, self._connected, strict=True)]

    def _row(self, seed: Any) -> list[Any]:
        found = self._gradients(seed)
        for i, gradient in enumerate(found):
            self._connected[i] = self._connected[i] or gradient is not None
        pairs = zip(found, self._sources, strict=True)
        return [ops.zeros_like(s) if g is None else _core.convert_to_tensor(g) for g, s in pairs]

    def _at_once(self, size: Any) -> list[Any] | None:
        """All rows at once; None where they have to be taken one by one."""
        spec = TensorSpec([size if isinstance(size, int) else None], self._dtype)
        function = RowFunction(lambda inputs: self._row(inputs[0]), [spec], "jacobian")
        try:
            results = function.over([ops.eye(size, dtype=self._dtype)], [True], size)
        except UnimplementedError:
            return None
        return results()

    def _one_by_one(self, size: Any) -> list[Any]:
        if not _core.executing_eagerly():
            specs = [TensorSpec(source.shape, source.dtype) for source in self._sources]
            seeds = ops.eye(size, dtype=self._dtype)
            return map_fn(self._row, seeds, fn_output_signature=specs)
        by_row = [self._row(ops.one_hot(i, size, dtype=self._dtype)) for i in range(size)]
        if by_row:
            return [ops.stack(rows) for rows in zip(*by_row, strict=True)]
        self._connected = [True] * len(self._sources)
        return [ops.zeros([0, *s.shape.as_list()], s.dtype) for s in self._sources]


def _with_shape(tensor: Any, first: Any, second: Any) -> Any:
    """``tensor`` with what is known of its shape, that of ``first`` and then that of ``second``."""
    if _core.is_symbolic(tensor):
        tensor.set_shape(first.concatenate(second))
    return tensor
