"""NumPy's promotion: the dtype of a value, and the common dtype of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..values import nest
from ..values.errors import shown
from . import lattice

__all__ = [
    "array",
    "common_dtype",
    "dtype_of",
    "inexact",
    "joint_dtype",
    "joined",
    "prefer_float32",
    "promoted",
    "summed",
    "as_bools",
]

# Python's scalars take the dtype of what they meet, unless it is of a lesser kind.
_KINDS = (bool, int, float, complex)
_DEFAULTS = list(map(np.dtype, ("bool", "int64", "float64", "complex128")))
# bfloat16, no float to NumPy, gives way to Python's floats.
_LETTERS: dict[str, int] = {"b": 0, "u": 1, "i": 1, "V": 1, "f": 2, "c": 3}
# What literals are where Python's numbers are weak.
_NARROW = list(map(np.dtype, ("bool", "int32", "float32", "complex128")))


def prefer_float32(preferred: bool) -> None:
    """Let Python's floats be float32, or float64."""
    kinds = ("float32", "complex64") if preferred else ("float64", "complex128")
    _DEFAULTS[2:] = map(np.dtype, kinds)


def _has_weak_numbers() -> bool:
    return lattice.mode() in lattice.MODES


def _literals() -> list[Any]:
    """The dtypes of literals, by their kinds."""
    return _NARROW if _has_weak_numbers() else _DEFAULTS


def _narrowed(dtype: Any) -> Any:
    """The dtype for Python's numbers that NumPy gives ``dtype``."""
    kinds = "ifc" if _has_weak_numbers() else "fc"
    return _literals()[_LETTERS[dtype.kind]] if dtype.kind in kinds else dtype


def array(value: Any, dtype: Any = None) -> Any:
    """The value as a tensor: Python's integers as int64, its floats as float64."""
    if dtype is None and not hasattr(value, "dtype"):
        leaves = nest.flatten(value)
        if leaves and not any(hasattr(leaf, "dtype") for leaf in leaves):
            dtype = _narrowed(np.asarray(value).dtype)
        elif not leaves:
            dtype = _literals()[2]
    made = _core.convert_to_tensor(value, None if hasattr(value, "dtype") else dtype)
    return made if dtype is None or made.dtype == dtype else ops.cast(made, dtype)


def common_dtype(*values: Any) -> Any:
    """The NumPy dtype that numbers have together once they are arrays."""
    if _has_weak_numbers() and (found := lattice.joined(*values)):
        return np.dtype(found[0].as_numpy_dtype)
    return np.dtype(promoted(*values)[0].dtype.as_numpy_dtype)


def dtype_of(dtype: Any) -> Any:
    """The NumPy dtype that an argument names; ``float`` and ``int`` are those of literals."""
    if dtype is int or dtype is float:  # a dtype of the package equals the type it is made from
        return _literals()[_KINDS.index(dtype)]
    if isinstance(dtype, (list, tuple, dict)):  # NumPy makes a record of these
        raise TypeError(f"dtype must name a dtype, got {shown(dtype)}")
    return np.dtype(getattr(dtype, "as_numpy_dtype", dtype))


def promoted(*values: Any) -> list[Any]:
    """The values as tensors of the dtype that NumPy gives them together.

    Python's numbers, and lists of them alone, give way to what else there is; strings stay strings.
    """
    weak = [_kind(v) for v in values]
    made = [array(v) if k is None else v for v, k in zip(values, weak, strict=True)]
    strong = [m.dtype for m, k in zip(made, weak, strict=True) if k is None]
    if any(d.name == "string" for d in strong):
        return [_core.convert_to_tensor(m) for m in made]
    strong = [np.dtype(d.as_numpy_dtype) for d in strong]
    dtype = _together(strong, [k for k in weak if k is not None])
    return [array(m, dtype) for m in made]


def joint_dtype(*values: Any) -> Any:
    """The NumPy dtype that NumPy gives tensors, dtypes and Python's numbers together."""
    kinds = [_KINDS.index(type(v)) for v in values if type(v) in _KINDS]
    strong = [getattr(v, "dtype", v) for v in values if type(v) not in _KINDS]
    return _together([dtype_of(d) for d in strong], kinds)


def joined(*values: Any) -> list[Any]:
    """The values as tensors of the dtype that the mode gives them together."""
    found = lattice.joined(*values) if _has_weak_numbers() else None
    if found is None:
        return promoted(*values)
    return [array(v, np.dtype(found[0].as_numpy_dtype)) for v in values]


def _kind(value: Any) -> int | None:
    """The kind of a Python scalar or of a list of them; None for all else."""
    if type(value) in _KINDS:
        return _KINDS.index(type(value))
    if not isinstance(value, (list, tuple)):
        return None
    kinds = [_KINDS.index(type(n)) if type(n) in _KINDS else None for n in nest.flatten(value)]
    return None if not kinds or None in kinds else max(k for k in kinds if k is not None)


def _together(strong: list[Any], weak: list[Any]) -> Any:
    least = max(weak, default=0)
    if not strong:
        return _DEFAULTS[least]
    dtype = _numpys(*strong)
    if least <= _LETTERS[dtype.kind]:
        return dtype
    if least == 3 and (dtype.kind == "V" or dtype in map(np.dtype, ("float16", "float32"))):
        return np.dtype(np.complex64)
    return _numpys(dtype, _DEFAULTS[least])


def _numpys(*dtypes: Any) -> Any:
    """The dtype that NumPy gives some together."""
    try:
        return np.result_type(*dtypes)
    except TypeError:
        names = " and ".join(map(str, dtypes))
        raise TypeError(f"NumPy has no dtype for {names} together: cast one of them") from None


def inexact(value: Any) -> Any:
    """The value as a tensor with fractions: integers and bools as a literal's floats."""
    made = array(value)
    floating = made.dtype.is_floating or made.dtype.is_complex
    if floating:
        return made
    return ops.cast(made, _literals()[2] if _has_weak_numbers() else np.float64)


def summed(value: Any, dtype: Any) -> Any:
    """The value in the dtype of its sums: that given, else that of literals or a wider one."""
    made = array(value)
    if dtype is None and (made.dtype.is_integer or made.dtype.is_bool):
        unsigned = made.dtype.name.startswith("u")
        bits = max(_literals()[1].itemsize, made.dtype.size) * 8
        dtype = np.dtype(f"{'u' * unsigned}int{bits}")
    return made if dtype is None else ops.cast(made, dtype_of(dtype))


def as_bools(value: Any) -> Any:
    """Whether each element is other than zero."""
    made = array(value)
    return made if made.dtype.is_bool else ops.cast(made, "bool")
