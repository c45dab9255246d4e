"""Conditionals that are plain where the condition is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.cond import cond
from ..native import _core

__all__ = ["smart_cond"]


def smart_cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """``cond``, or the one function where it is known which. TypeError for what is no function."""
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("`true_fn` and `false_fn` must be functions")
    known = _known(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


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
