"""Which dtype a value has to NumPy, and which several have together."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..values import nest

__all__ = ["array", "inexact", "prefer_float32", "promoted", "summed", "truths"]

# Python's scalars take the dtype of what they meet, unless it is of a lesser kind.
_KINDS = (bool, int, float, complex)
_DEFAULTS = list(map(np.dtype, ("bool", "int64", "float64", "complex128")))
_LETTERS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def prefer_float32(preferred: bool) -> None:
    """Let Python's floats be float32, or float64."""
    kinds = ("float32", "complex64") if preferred else ("float64", "complex128")
    _DEFAULTS[2:] = map(np.dtype, kinds)


def _narrowed(dtype: Any) -> Any:
    """The dtype for Python's numbers that NumPy gives ``dtype``."""
    return _DEFAULTS[_LETTERS[dtype.kind]] if dtype.kind in "fc" else dtype


def array(value: Any, dtype: Any = None) -> Any:
    """The value as a tensor: Python's integers as int64, its floats as float64."""
    if dtype is None and not hasattr(value, "dtype"):
        leaves = nest.flatten(value)
        if leaves and not any(hasattr(leaf, "dtype") for leaf in leaves):
            dtype = _narrowed(np.asarray(value).dtype)
        elif not leaves:
            dtype = _DEFAULTS[2]
    made = _core.convert_to_tensor(value, None if hasattr(value, "dtype") else dtype)
    return made if dtype is None or made.dtype == dtype else ops.cast(made, dtype)


def promoted(*values: Any) -> list[Any]:
    """The values as tensors of the dtype that NumPy gives them together."""
    made = [v if _kind(v) is not None else array(v) for v in values]
    strong = [np.dtype(m.dtype.as_numpy_dtype) for m in made if _kind(m) is None]
    weak = [k for k in map(_kind, made) if k is not None]
    dtype = _together(strong, weak)
    return [array(m, dtype) for m in made]


def _kind(value: Any) -> int | None:
    """The kind of a Python scalar; None for all else."""
    return _KINDS.index(type(value)) if type(value) in _KINDS else None


def _together(strong: list, weak: list) -> Any:
    least = max(weak, default=0)
    if not strong:
        return _DEFAULTS[least]
    dtype = np.result_type(*strong)
    if least <= _LETTERS[dtype.kind]:
        return dtype
    if least == 3 and dtype in (np.dtype(np.float16), np.dtype(np.float32)):
        return np.dtype(np.complex64)
    return np.result_type(dtype, _DEFAULTS[least])


def inexact(value: Any) -> Any:
    """The value as a tensor with fractions: integers and bools as float64."""
    made = array(value)
    floating = made.dtype.is_floating or made.dtype.is_complex
    return made if floating else ops.cast(made, np.float64)


def summed(value: Any, dtype: Any) -> Any:
    """The value in the dtype of its sums: that given, else 64 bits for integers and bools."""
    made = array(value)
    if dtype is None and (made.dtype.is_integer or made.dtype.is_bool):
        unsigned = made.dtype.name.startswith("u")
        dtype = np.uint64 if unsigned else np.int64
    return made if dtype is None else ops.cast(made, dtype)


def truths(value: Any) -> Any:
    """Whether each element is other than zero."""
    made = array(value)
    return made if made.dtype.is_bool else ops.cast(made, "bool")
