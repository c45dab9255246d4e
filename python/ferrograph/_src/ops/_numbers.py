"""Checks of arguments that are one number, a flag or a list."""

from __future__ import annotations

from .. import later
from ..hints import Any
from ..native import _core
from ._base import (
    TensorShape,
    as_dtype,
    convert,
    emit,
    int32,
    is_symbolic,
    is_tensor,
    known_size,
    static_value,
)

__all__ = [
    "attribute",
    "check_flags",
    "flag",
    "int32_of",
    "real",
    "refused",
    "several",
    "whole",
    "wholes",
]


[arguments] = later(f"{__package__.rpartition('.')[0]}.context", "arguments")


def whole(value: Any, what: str, error: type[Exception] = TypeError) -> int:
    """The integer that an argument is: a number, or a scalar whose value is known.

    Raises:
      TypeError, or what ``error`` says: for all else; ``what`` names function and argument.
    """
    known = _scalar(value)
    if known is None or isinstance(known, complex) or known != known or known in _INFINITE:
        raise error(refused(what, value, "be an integer"))
    if known != int(known):
        raise error(refused(what, value, "be an integer"))
    return int(known)


def wholes(value: Any, what: str) -> list[int]:
    """The integers that an argument is: one, or a list, an array or a known tensor of them.

    Raises:
      TypeError: for all else; ``what`` names function and argument.
    """
    if is_tensor(value) and (known := static_value(value)) is not None:
        value = known.tolist()
    if not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0:
        return [whole(value, what)]
    if isinstance(value, (str, bytes, dict)):
        raise TypeError(refused(what, value, "be integers"))
    return [whole(item, what) for item in several(value, what)]


def real(value: Any, what: str, error: type[Exception] = TypeError) -> float:
    """The number that an argument is, likewise."""
    known = _scalar(value)
    if known is None or isinstance(known, complex):
        raise error(refused(what, value, "be a number"))
    return float(known)


def flag(value: Any, what: str) -> bool:
    """Whether an argument holds: anything but tensors and arrays that are not one known number.

    Raises:
      ValueError: for those; ``what`` names function and argument.
      TypeError: for dicts and functions.
    """
    if not is_tensor(value) and not getattr(value, "ndim", 0):
        if isinstance(value, dict) or callable(value):
            raise TypeError(refused(what, value, "be True or False"))
        return bool(value)
    known = _scalar(value)
    if known is None:
        raise ValueError(refused(what, value, "be True or False"))
    return bool(known)


def check_flags(function: str, **flags: Any) -> None:
    """Refuse what is neither truth value nor number, nor None, in arguments of a function.

    Raises:
      TypeError: for it.
      ValueError: for tensors and arrays that are not one known number.
    """
    for name, value in flags.items():
        if value is True or value is False or value is None:
            continue
        what = f"{function}: {name}"
        is_array = is_tensor(value) or getattr(value, "ndim", 0)
        if not is_array and _scalar(value) is None:
            raise TypeError(refused(what, value, "be True or False"))
        flag(value, what)


def several(value: Any, what: str) -> list[Any]:
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
            raise ValueError(refused(what, value, "say how many it has"))
        slices = emit("Unpack", (value,), {"num": count, "axis": 0}, None)
        return list(slices) if isinstance(slices, (list, tuple)) else [slices]
    plain = not is_tensor(value) and not isinstance(value, (str, bytes, dict))
    if plain and getattr(value, "ndim", None) != 0 and hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(refused(what, value, "be a list"))


def int32_of(value: Any) -> Any:
    """A size as an int32 tensor: also a known one of int64 that int32 holds."""
    if is_tensor(value) and value.dtype.name == "int64":
        known = static_value(value)
        if known is not None and abs(known).max(initial=0) < 1 << 31:
            return convert(known, int32)
    return convert(value, int32)


def attribute(value: Any, kind: str, what: str) -> Any:
    """The value of an operation's attribute that is not written as its kind is: NumPy's numbers,
    arrays and tensors whose values are known become plain ones.

    Raises:
      TypeError: for what is none; ``what`` names operation and attribute.
    """
    if kind in _READERS:
        return _READERS[kind](value, what)
    item = _READERS[kind.removesuffix("s")]
    if is_tensor(value) and (known := static_value(value)) is not None:
        value = known
    if is_tensor(value) or getattr(value, "ndim", 1) != 1:
        raise TypeError(refused(what, value, "be a list whose items are known"))
    return [item(part, what) for part in several(value, what)]


def _dtype(value: Any, what: str) -> Any:
    return as_dtype(value)


def _shape(value: Any, what: str) -> Any:
    return TensorShape(value)


def _truth(value: Any, what: str) -> bool:
    known = _scalar(value)
    if known not in (0, 1):
        raise TypeError(refused(what, value, "be True or False"))
    return bool(known)


def _text(value: Any, what: str) -> Any:
    known = static_value(value) if is_tensor(value) else value
    if getattr(known, "ndim", None) == 0:
        known = known.item()
    if not isinstance(known, (str, bytes)):
        raise TypeError(refused(what, value, "be a string"))
    return known


_READERS: dict[str, Any] = {
    "int": whole,
    "float": real,
    "bool": _truth,
    "str": _text,
    "dtype": _dtype,
    "shape": _shape,
}
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


def refused(what: str, value: Any, wanted: str) -> str:
    """The message that an argument must ``wanted``; ``what`` names function and argument."""
    return f"{arguments.named(what, value)} must {wanted}, got {_shown(value)}"


def _shown(value: Any) -> str:
    if not is_tensor(value):
        return _core.described(value)
    text = f"a {value.dtype.name} tensor of shape {value.shape}"
    return f"{text} that has no value while the function is traced" if is_symbolic(value) else text
