"""Jacobians from a tape: one gradient for each element of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..control_flow.functional import map_fn
from ..native import _core
from ..values.tensor_spec import TensorSpec

__all__ = ["batch_jacobian", "jacobian"]

Rows = Callable[[Any], list]


def jacobian(gradients: Rows, target: Any, sources: list, fill: bool) -> list:
    """The derivative of each element of ``target`` by each source.

    ``gradients(seed)`` gives the gradients of ``target`` weighted by ``seed``. A source that the
    target does not depend on gives None, or zeros where ``fill`` is set.
    """
    shape = ops.shape(target)
    known = target.shape.num_elements() if target.shape.rank is not None else None
    size = ops.size(target) if known is None else known
    found = _stacked(lambda row: gradients(ops.reshape(row, shape)), target.dtype, size, sources)
    results: list = []
    for rows, source in zip(found, sources, strict=True):
        if rows is None and not fill:
            results.append(None)
            continue
        dims = ops.concat([shape, ops.shape(source)], axis=0)
        empty = ops.zeros(dims, source.dtype) if rows is None else ops.reshape(rows, dims)
        results.append(_with_shape(empty, target.shape, source.shape))
    return results


def batch_jacobian(gradients: Rows, target: Any, source: Any, fill: bool) -> Any:
    """The derivative of each row of ``target`` by the same row of ``source``."""
    shape = ops.shape(target)
    known = target.shape[1:].num_elements() if target.shape.rank is not None else None
    size = ops.reduce_prod(shape[1:]) if known is None else known
    across = ops.stack([shape[0], size])

    def row(seed: Any) -> list:
        return gradients(ops.reshape(ops.broadcast_to(seed, across), shape))

    (rows,) = _stacked(row, target.dtype, size, [source])
    if rows is None and not fill:
        return None
    dims = ops.concat([shape, ops.shape(source)[1:]], axis=0)
    if rows is None:
        return ops.zeros(dims, source.dtype)
    order = ops.concat([[1, 0], ops.range(2, ops.rank(rows))], axis=0)
    result = ops.reshape(ops.transpose(rows, order), dims)
    return _with_shape(result, target.shape, source.shape[1:])


def _stacked(gradients: Rows, dtype: Any, size: Any, sources: list) -> list:
    """What ``gradients`` gives for each row of the identity matrix; None for what never is."""
    connected = [False] * len(sources)

    def rows_for(seed: Any) -> list:
        found = gradients(seed)
        for i, gradient in enumerate(found):
            connected[i] = connected[i] or gradient is not None
        pairs = zip(found, sources, strict=True)
        return [ops.zeros_like(s) if g is None else _core.convert_to_tensor(g) for g, s in pairs]

    if not sources:
        return []
    if _core.executing_eagerly():
        by_row = [rows_for(ops.one_hot(i, size, dtype=dtype)) for i in range(size)]
        stacked = [ops.stack(rows) for rows in zip(*by_row, strict=True)] or [
            ops.zeros([0, *source.shape.as_list()], source.dtype) for source in sources
        ]
        connected = connected if size else [True] * len(sources)
    else:
        specs = [TensorSpec(source.shape, source.dtype) for source in sources]
        stacked = map_fn(rows_for, ops.eye(size, dtype=dtype), fn_output_signature=specs)
    return [rows if known else None for rows, known in zip(stacked, connected, strict=True)]


def _with_shape(tensor: Any, first: Any, second: Any) -> Any:
    """``tensor`` with what is known of its shape, that of ``first`` and then that of ``second``."""
    if _core.is_symbolic(tensor):
        tensor.set_shape(first.concatenate(second))
    return tensor
