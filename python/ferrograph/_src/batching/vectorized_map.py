"""``vectorized_map``: a function of each row, stacked in the structure that it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context.hooks import hooks
from ..control_flow.functional import Rows, converted, mapped
from ..native import _core
from ..values import nest
from ..values.public import public
from ..values.tensor_spec import TensorSpec

__all__ = ["vectorized_map"]


@public("vectorized_map")
def vectorized_map(
    fn: Callable, elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """``fn`` of each row of ``elems``, stacked in the structure that ``fn`` returns.

    A tensor of a single row goes with every row of the others. Rows are computed one by one; the
    last two arguments are accepted and change nothing.

    ValueError where the rows of two tensors differ in number.

    >>> rows = fg.constant([[1, 2], [3, 4]])
    >>> fg.vectorized_map(lambda row: fg.reduce_sum(row * row), rows).numpy()
    array([ 5, 25], dtype=int32)
    """
    fn = converted(fn, "vectorized_map")
    rows = Rows(elems, "vectorized_map", broadcast=True)
    return mapped(fn, rows, _signature_of(fn, rows))


def _signature_of(fn: Callable, rows: Rows) -> Any:
    """The dtypes and shapes that ``fn`` gives for a row, from a trace that is thrown away."""
    region = _core.Region("rows")
    region.enter()
    try:
        inputs = [
            region.add_input(t.dtype, None if t.shape.rank is None else t.shape[1:], "row")
            for t in rows.tensors
        ]
        result = hooks.converted_callback(fn)(nest.pack_sequence_as(rows.structure, inputs))
        leaves = [_core.convert_to_tensor(leaf) for leaf in nest.flatten(result)]
        return nest.pack_sequence_as(result, [TensorSpec(t.shape, t.dtype) for t in leaves])
    finally:
        region.exit()
        region.abandon()
