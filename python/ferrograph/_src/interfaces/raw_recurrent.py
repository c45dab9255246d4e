"""``raw_ops``: recurrent layers."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import ops
from ..control_flow.functional import scan
from ..native import _core
from ..ops._numbers import check_flags
from ..ops.indexing import newaxis
from ..values import dtypes
from ..values.errors import shown
from ..values.public import public
from .raw_values import by_keyword

__all__ = ["BlockLSTMV2", "CudnnRNN"]


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
    >>> found.cs[:, 0, 0].numpy().round(4)
    array([0.5568, 0.9638], dtype=float32)

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
    check_flags("BlockLSTMV2", use_peephole=use_peephole)
    x, cs_prev, h_prev, w, b = (_core.convert_to_tensor(v) for v in (x, cs_prev, h_prev, w, b))
    peep: list[Any] = [_core.convert_to_tensor(v, w.dtype) for v in (wci, wcf, wco)]
    peep = peep if use_peephole else [None] * 3
    nothing = ops.zeros_like(cs_prev)

    def step(before: tuple[Any, ...], inputs: Any) -> tuple[Any, ...]:
        return _step(inputs, before[1], before[6], w, b, peep, cell_clip)

    start = (nothing, cs_prev, nothing, nothing, nothing, nothing, h_prev)
    found = scan(step, x, start)
    made = ops.range(ops.shape(x, dtypes.int64)[0]) < ops.cast(seq_len_max, dtypes.int64)
    made = made[:, newaxis, newaxis]
    return BlockLSTMV2Parts(*(ops.where(made, part, ops.zeros_like(part)) for part in found))


class CudnnRNNParts(NamedTuple):
    """The output of each step, the last output and cells, and nothing."""

    output: Any
    output_h: Any
    output_c: Any
    reserve_space: Any


@public("raw_ops.CudnnRNN")
@by_keyword
def CudnnRNN(
    *,
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0,
    seed: int = 0,
    seed2: int = 0,
    is_training: bool = True,
    name: str | None = None,
) -> CudnnRNNParts:
    """One layer of an LSTM over all steps, with its weights in one vector.

    >>> found = fg.raw_ops.CudnnRNN(
    ...     input=fg.ones([2, 1, 1]), input_h=[[[0.0]]], input_c=[[[0.0]]],
    ...     params=fg.concat([fg.zeros([8]), fg.ones([4]), fg.zeros([4])], 0))
    >>> found.output_c.numpy().ravel().round(4)
    array([0.9638], dtype=float32)

    Args:
      input: ``[time, batch, inputs]``.
      input_h: the outputs before the first step, ``[1, batch, units]``.
      input_c: the cells before it, ``[1, batch, units]``.
      params: for each of the gates i, f, the candidates and o a matrix ``[units, inputs]``, then
        for each a matrix ``[units, units]``, then the two biases of all, each ``[4 * units]``.
      rnn_mode: ``"lstm"``.
      input_mode: ``"linear_input"``.
      direction: ``"unidirectional"``.
      dropout: changes nothing where there is but one layer.
      seed: that of the dropout.
      seed2: that of the dropout.
      is_training: whether gradients are wanted; they flow all the same.
      name: a name for the operation.

    Raises:
      ValueError: for another mode or direction, for several layers, and where the number of inputs
        or of units is unknown.
    """
    wanted = {"rnn_mode": "lstm", "input_mode": "linear_input", "direction": "unidirectional"}
    given = {"rnn_mode": rnn_mode, "input_mode": input_mode, "direction": direction}
    for argument, value in given.items():
        if value != wanted[argument]:
            raise ValueError(
                f"{argument} of raw_ops.CudnnRNN must be {wanted[argument]!r}, got {shown(value)}"
            )
    x, h, c, params = (_core.convert_to_tensor(v) for v in (input, input_h, input_c, params))
    layers, inputs, units = h.shape[0], x.shape[2], h.shape[2]
    if layers != 1 or inputs is None or units is None:
        raise ValueError(
            "raw_ops.CudnnRNN needs one layer, and known numbers of inputs and units, "
            f"got input of shape {x.shape} and input_h of shape {h.shape}"
        )
    parts = ops.split(params, [4 * units * inputs, 4 * units * units, 4 * units, 4 * units])
    of_x, of_h = (ops.reshape(part, [4 * units, -1]) for part in parts[:2])
    nothing = ops.zeros([units], x.dtype)
    found = BlockLSTMV2(
        seq_len_max=ops.shape(x, dtypes.int64)[0],
        x=x,
        cs_prev=c[0],
        h_prev=h[0],
        w=ops.concat([ops.transpose(of_x), ops.transpose(of_h)], 0),
        wci=nothing,
        wcf=nothing,
        wco=nothing,
        b=parts[2] + parts[3],
    )
    return CudnnRNNParts(found.h, found.h[-1:], found.cs[-1:], ops.zeros([0], x.dtype))


def _step(
    x: Any, cs: Any, h: Any, w: Any, b: Any, peep: list[Any], cell_clip: float
) -> tuple[Any, ...]:
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
