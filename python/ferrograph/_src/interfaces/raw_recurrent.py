"""Recurrent layers under the names of their kernels, called by keyword."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..control_flow.functional import scan
from ..native import _core
from ..ops.indexing import newaxis
from ..values import dtypes
from ..values.public import public
from .raw_values import by_keyword

__all__ = ["BlockLSTMV2"]


class BlockLSTMV2Parts(NamedTuple):
    """Gates, states and outputs of each step, ``[time, batch, units]``."""

    i: Any
    cs: Any
    f: Any
    o: Any
    ci: Any
    co: Any
    h: Any


@public("raw_ops.BlockLSTMV2")
@by_keyword
def BlockLSTMV2(
    *,
    seq_len_max: Any,
    x: Any,
    cs_prev: Any,
    h_prev: Any,
    w: Any,
    wci: Any,
    wcf: Any,
    wco: Any,
    b: Any,
    cell_clip: float = 0,
    use_peephole: bool = False,
    name: str | None = None,
) -> BlockLSTMV2Parts:
    """An LSTM over all steps: the input gates ``i``, the cells ``cs``, the forget gates ``f``, the
    output gates ``o``, the candidates ``ci``, ``co = tanh(cs)`` and the outputs ``h``.

    >>> found = fg.raw_ops.BlockLSTMV2(
    ...     seq_len_max=2, x=fg.ones([2, 1, 1]), cs_prev=[[0.0]], h_prev=[[0.0]],
    ...     w=fg.zeros([2, 4]), wci=[0.0], wcf=[0.0], wco=[0.0], b=fg.ones([4]))
    >>> found.cs[:, 0, 0].numpy()
    array([0.5567699, 0.9637996], dtype=float32)

    Args:
      seq_len_max: how many steps are made; what is behind them is zero.
      x: ``[time, batch, inputs]``.
      cs_prev: the cells before the first step, ``[batch, units]``.
      h_prev: the outputs before it, ``[batch, units]``.
      w: ``[inputs + units, 4 * units]``, for the gates i, f, the candidates and o, in this order.
      wci: the weights of the cells in the input gates, where ``use_peephole``.
      wcf: those in the forget gates.
      wco: those in the output gates.
      b: ``[4 * units]``, in the order of ``w``.
      cell_clip: cells are kept between this and its negative, where it is positive.
      use_peephole: whether the gates look at the cells.
      name: a name for the operation.
    """
    x, cs_prev, h_prev, w, b = (_core.convert_to_tensor(v) for v in (x, cs_prev, h_prev, w, b))
    peep = [_core.convert_to_tensor(v, w.dtype) if use_peephole else None for v in (wci, wcf, wco)]
    nothing = ops.zeros_like(cs_prev)

    def step(before: tuple, inputs: Any) -> tuple:
        return _step(inputs, before[1], before[6], w, b, peep, cell_clip)

    start = (nothing, cs_prev, nothing, nothing, nothing, nothing, h_prev)
    found = scan(step, x, start)
    made = ops.range(ops.shape(x, dtypes.int64)[0]) < ops.cast(seq_len_max, dtypes.int64)
    made = made[:, newaxis, newaxis]
    return BlockLSTMV2Parts(*(ops.where(made, part, ops.zeros_like(part)) for part in found))


def _step(x: Any, cs: Any, h: Any, w: Any, b: Any, peep: list, cell_clip: float) -> tuple:
    gates = ops.matmul(ops.concat([x, h], 1), w) + b
    i, f, ci, o = ops.split(gates, 4, 1)
    wci, wcf, wco = peep
    i = ops.sigmoid(i if wci is None else i + wci * cs)
    f = ops.sigmoid(f if wcf is None else f + wcf * cs)
    ci = ops.tanh(ci)
    cs = ci * i + cs * f
    if cell_clip > 0:
        cs = ops.clip_by_value(cs, -cell_clip, cell_clip)
    o = ops.sigmoid(o if wco is None else o + wco * cs)
    co = ops.tanh(cs)
    return i, cs, f, o, ci, co, co * o
