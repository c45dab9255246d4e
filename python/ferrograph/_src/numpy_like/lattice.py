"""Promotion where Python scalars have weak types: the modes "safe" and "all".

A weak dtype gives way to any other one of its kind; the result of a function of Python scalars
alone is weak. "safe" allows promotions that keep every value and need no third dtype, "all" every
promotion that is defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..native import FG
from ..values import nest
from ..values.dtypes import DType, as_dtype

__all__ = ["MODES", "WEAK", "joined", "mode", "named", "set_mode"]

# Those whose promotions follow this lattice.
MODES = ("safe", "all")
_current = ["legacy"]
# Kinds in their order: bool, integers, floats, complex.
_BOOL, _INT, _FLOAT, _COMPLEX = range(4)
_PYTHON = {bool: ("bool", False), int: ("int32", True), float: ("float32", True)}
_PYTHON[complex] = ("complex128", True)
WEAK = ("int32", "int64", "float32", "float64", "complex128")
# The bits in which a float counts integers exactly, by its name.
_EXACT = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_EXACT |= {"complex64": 24, "complex128": 53}

Kind = tuple[str, bool]


def mode() -> str:
    """The mode of promotion that is on."""
    return _current[0]


def set_mode(name: str) -> None:
    """Let promotions follow a mode from now on."""
    _current[0] = name


def joined(*values: Any) -> tuple[DType, bool] | None:
    """The dtype of values and dtypes together, and whether it is weak.

    None where one of them is no number: such values are for the function itself to judge.

    Raises:
      TypeError: for two that the mode does not bring together.
      OverflowError: for a Python integer of more than 32 bits.
    """
    kinds = [_kind(leaf) for value in values for leaf in nest.flatten(value)]
    if any(k is None for k in kinds):
        return None
    found: Kind = kinds[0] if kinds else ("float32", True)  # type: ignore[assignment]
    for kind in kinds[1:]:
        found = _checked(found, kind)  # type: ignore[arg-type]
    return as_dtype(found[0]), found[1]


def _kind(value: Any) -> Kind | None:
    """The dtype of one value, and whether it is weak."""
    dtype = value if isinstance(value, (DType, np.dtype)) else getattr(value, "dtype", None)
    if dtype is None or isinstance(value, type):
        return _of_python(value)
    if getattr(value, "_type_spec", None) is not None and not hasattr(value, "_is_weak"):
        return None
    name = named(dtype)
    return None if name is None else (name, getattr(value, "_is_weak", False))


def named(dtype: Any) -> str | None:
    """The name of a dtype of numbers; None for all others."""
    try:
        name = as_dtype(dtype).name
    except TypeError:
        return None
    return name if name == "bool" or _rank(name) is not None else None


def _of_python(value: Any) -> Kind | None:
    if isinstance(value, type):
        known = _PYTHON.get(value)
        name = None if known else named(value)
        return known or (None if name is None else (name, False))
    kind = next((k for k in (bool, int, float, complex) if isinstance(value, k)), None)
    if kind is int and not -(2**31) <= value < 2**31:
        raise OverflowError(
            f"Python int {value} too large to convert to int32, which it is in mode {mode()!r}:"
            " give it a dtype"
        )
    return None if kind is None else _PYTHON[kind]


def _rank(name: str) -> int | None:
    if name == "bool":
        return _BOOL
    if name.startswith(("int", "uint")):
        return _INT
    if name in ("bfloat16", "float16", "float32", "float64"):
        return _FLOAT
    return _COMPLEX if name.startswith("complex") else None


def _checked(a: Kind, b: Kind) -> Kind:
    result = _pair(a, b)
    if mode() == "safe" and not _is_safe(a, b, result):
        shown = " and ".join(f"({name}, weak={weak})" for name, weak in (a, b))
        raise TypeError(
            f"In promotion mode SAFE, implicit dtype promotion between {shown} is disallowed: it"
            f" gives {result[0]}. Cast one of them with {FG}.cast, or use the mode 'all'"
        )
    return result


def _pair(a: Kind, b: Kind) -> Kind:
    """What two kinds give together, in whichever order."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if one[0] == "bool":
            return other
    if a[1] and b[1]:
        return max(a, b, key=lambda k: WEAK.index(k[0]))
    if a[1] or b[1]:
        return _weak_and_strong(a[0], b[0]) if a[1] else _weak_and_strong(b[0], a[0])
    return _strong(a[0], b[0])


def _weak_and_strong(weak: str, strong: str) -> Kind:
    least, own = _rank(weak), _rank(strong)
    assert least is not None and own is not None
    if least <= own:
        return strong, False
    if own == _INT:
        return ("float64" if least == _FLOAT else "complex128"), True
    return ("complex128" if strong == "float64" else "complex64"), False


def _strong(a: str, b: str) -> Kind:
    ranks = {_rank(a): a, _rank(b): b}
    if _INT in ranks and len(ranks) == 2:
        return ranks[max(r for r in ranks if r is not None)], False
    if {a, b} == {"bfloat16", "float16"}:
        return "float32", False
    if "bfloat16" in (a, b):
        return (a if b == "bfloat16" else b), False
    name = np.result_type(a, b).name
    return name, name == "float64" and set(ranks) == {_INT}


def _is_safe(a: Kind, b: Kind, result: Kind) -> bool:
    """Whether the result is the dtype of one of two, in which all values of the other have room."""
    if result[0] not in (a[0], b[0]):
        return False
    exact = _EXACT.get(result[0])
    if exact is None:
        return True
    return all(weak or _bits(name) <= exact for name, weak in (a, b))


def _bits(name: str) -> int:
    """The bits that the magnitudes of an integer dtype take; 0 for all others."""
    if _rank(name) != _INT:
        return 0
    return int(name.removeprefix("u").removeprefix("int")) - (not name.startswith("u"))
