"""The order of strings."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..context.hooks import hooks
from ..ops.string_ops import length
from ..ops.texts import decode_raw
from ..values.dtypes import int32, int64, uint8

__all__ = ["string_ranks"]

# Bytes that one key of int64 takes.
_WIDTH = 7


def string_ranks(strings: Any) -> Any:
    """For each string of a vector how many different ones are less, byte by byte, as int64."""
    lengths = ops.cast(length(strings), int32)
    n_keys = ops.reduce_max(ops.concat([[0], lengths], 0)) // _WIDTH + 1
    text = decode_raw(strings, uint8, fixed_length=n_keys * _WIDTH)
    parts = ops.reshape(ops.cast(text, int64), ops.stack([-1, n_keys, _WIDTH]))
    keys = ops.reduce_sum(parts * [256**i for i in reversed(range(_WIDTH))], 2)

    def step(number: Any, order: Any) -> Any:
        key = ops.gather(ops.gather(keys, number, axis=1), order)
        return number - 1, ops.gather(order, ops.argsort(key, stable=True))

    start = n_keys - 1, ops.argsort(lengths, stable=True)
    order = hooks.while_loop(lambda number, _: ops.greater_equal(number, 0), step, start)[1]
    in_order = ops.gather(strings, order)
    new = ops.concat([[0], ops.cast(ops.not_equal(in_order[1:], in_order[:-1]), int64)], 0)
    new = new[: ops.size(order)]
    ranks = ops.cumsum(ops.cast(new, int64))
    return ops.scatter_nd(ops.expand_dims(order, 1), ranks, ops.expand_dims(ops.size(order), 0))
