"""Arguments that are one number: what is given in their place is named where it is none."""

from __future__ import annotations

from typing import Any

from ._base import is_tensor, static_value

__all__ = ["real", "whole"]


def whole(value: Any, what: str, error: type[Exception] = TypeError) -> int:
    """The integer that an argument is: a number, or a scalar whose value is known.

    Raises:
      TypeError, or what ``error`` says: for all else; ``what`` names function and argument.
    """
    known = _scalar(value)
    if known is None or isinstance(known, complex) or known != known or known in _INFINITE:
        raise error(f"{what} must be an integer, got {_shown(value)}")
    if known != int(known):
        raise error(f"{what} must be an integer, got {_shown(value)}")
    return int(known)


def real(value: Any, what: str, error: type[Exception] = TypeError) -> float:
    """The number that an argument is, likewise."""
    known = _scalar(value)
    if known is None or isinstance(known, complex):
        raise error(f"{what} must be a number, got {_shown(value)}")
    return float(known)


_INFINITE = (float("inf"), float("-inf"))


def _scalar(value: Any) -> Any:
    """The Python number that a value is, None where it is none."""
    if type(value) in (int, float, bool):
        return value
    if value is None or isinstance(value, (str, bytes, list, tuple, dict, set)):
        return None
    if is_tensor(value):
        if value.shape.rank != 0 or value.dtype.name == "string":
            return None
        known = static_value(value)
        return None if known is None else known.item()
    if getattr(value, "ndim", 0):
        return None
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        return float(value) if hasattr(value, "__float__") else None


def _shown(value: Any) -> str:
    if is_tensor(value):
        return f"a {value.dtype.name} tensor of shape {value.shape}"
    return f"{value!r}" if len(repr(value)) < 80 else f"a {type(value).__name__}"
