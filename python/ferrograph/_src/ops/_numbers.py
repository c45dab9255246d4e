"""Arguments that are one number, a flag or a list: what else is given in their place is named."""

from __future__ import annotations

from ..hints import Any
from ._base import emit, is_tensor, known_size, static_value

__all__ = ["flag", "real", "several", "whole"]


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


def flag(value: Any, what: str) -> bool:
    """Whether an argument holds: anything but tensors and arrays that are not one known number.

    Raises:
      ValueError: for those; ``what`` names function and argument.
    """
    if not is_tensor(value) and not getattr(value, "ndim", 0):
        return bool(value)
    known = _scalar(value)
    if known is None:
        raise ValueError(f"{what} must be True or False, got {_shown(value)}")
    return bool(known)


def several(value: Any, what: str) -> list:
    """The values of an argument that is a list, or the slices of a tensor along its first axis.

    Raises:
      TypeError: for all else, a scalar tensor too; ``what`` names function and argument.
      ValueError: for a tensor that does not say how many there are.
    """
    if isinstance(value, (list, tuple)):
        return list(value)
    if is_tensor(value) and value.shape.rank != 0:
        count = known_size(value, 0)
        if count is None:
            raise ValueError(f"{what} must say how many it has, got {_shown(value)}")
        slices = emit("Unpack", (value,), {"num": count, "axis": 0}, None)
        return list(slices) if isinstance(slices, (list, tuple)) else [slices]
    plain = not is_tensor(value) and not isinstance(value, (str, bytes))
    if plain and getattr(value, "ndim", None) != 0 and hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{what} must be a list, got {_shown(value)}")


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
