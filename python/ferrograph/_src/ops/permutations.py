"""Random orders by seeds."""

from __future__ import annotations

from typing import Any

from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit
from .arrays import shape
from .creation import range as range_
from .random_ops import check_alg
from .selection import gather

__all__ = ["drawn_order", "stateless_shuffle"]


@public("random.experimental.stateless_shuffle")
def stateless_shuffle(
    value: TensorLike, seed: Any, alg: str = "auto_select", name: str | None = None
) -> Tensor:
    """The slices of a tensor along its first axis in an order that the seed decides.

    The same order for the same seed and number of slices wherever it is drawn.

    >>> fg.random.experimental.stateless_shuffle([1, 2, 3, 4, 5], seed=[8, 9]).numpy()
    array([2, 3, 1, 4, 5], dtype=int32)

    Args:
      value: a tensor; a scalar stays as it is.
      seed: two integers, as a vector or tensor.
      alg: the generator: "philox", which "auto_select" means as well.
      name: a name for the operation.
    """
    check_alg(alg)
    value = convert(value)
    if value.ndim == 0:
        return emit("Identity", (value,), None, name)
    count = shape(value)[0]
    key, counter = emit("StatelessRandomGetKeyCounter", (seed,), None, None)
    found: Tensor = gather(value, drawn_order(count, key, counter), name=name)
    return found


def drawn_order(count: Any, key: Any, counter: Any) -> Tensor:
    """The numbers below ``count`` as Fisher and Yates shuffle them, by Philox at that place."""
    inputs = range_(count), key, counter, convert(1)
    order: Tensor = emit("StatelessShuffle", inputs, None, None)
    return order
