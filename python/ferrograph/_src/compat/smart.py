"""Conditionals that run as plain Python where the condition is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..control_flow.cond import cond
from ..native import _core

__all__ = ["smart_cond", "where_by_rows"]


def smart_cond(
    pred: Any,
    true_fn: Callable[..., Any] | None = None,
    false_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """``cond``, or the one function where it is known which. TypeError for what is no function."""
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("`true_fn` and `false_fn` must be functions")
    known = _known(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


def where_by_rows(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """``where``, in which a vector of conditions chooses whole rows of tensors of any rank."""
    condition = _core.convert_to_tensor(condition)
    if x is None or y is None:
        return ops.where(condition, x, y, name)
    x = _core.convert_to_tensor(x)
    if condition.shape.rank == 1 and x.shape.rank is not None and x.shape.rank > 1:
        condition = ops.reshape(condition, [-1, *[1] * (x.shape.rank - 1)])
    return ops.where(condition, x, y, name)


def _known(pred: Any) -> bool | None:
    """The value of a condition; None where a graph decides."""
    if isinstance(pred, _core.Tensor):
        value = pred._constant_value()
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    if isinstance(pred, bool):
        return pred
    raise TypeError(f"`pred` must be a tensor, a bool, or 0 or 1, got {pred!r}")
