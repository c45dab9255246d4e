"""Checks of the results of user-defined special methods, where Python requires one class: symbolic
Python scalars are checked, too. A tensor of the program is not of that class, here as in plain
Python.
"""

from __future__ import annotations

import operator

from ... import ops
from ...heap.adapters import NO_ITERATORS
from ...hints import Any
from ...native import _core
from ...symbolic import python_scalars
from ...symbolic.values import is_staged
from ...values import dtypes


def truth(given: Any) -> Any:
    """What ``__bool__`` gives."""
    if type(given) is bool:
        return given
    if python_scalars.is_symbolic_number(given):
        if given.dtype.is_bool:
            return given
        raise TypeError("__bool__ should return bool, returned a number")
    raise TypeError(f"__bool__ should return bool, returned {_class_of(given)}")


def length(given: Any) -> Any:
    """What ``__len__`` gives."""
    if python_scalars.is_symbolic_number(given):
        if not (given.dtype.is_integer or given.dtype.is_bool):
            raise TypeError("'float' object cannot be interpreted as an integer")
        if given.dtype.is_bool:
            return python_scalars.mark_integer(ops.cast(given, dtypes.int32), large=False)
        ops.Assert(given >= 0, [f"ValueError: {_NEGATIVE}"])
        return given
    if is_staged(given):
        if given.dtype.is_integer:
            ops.Assert(given >= 0, [f"ValueError: {_NEGATIVE}"])
        return given
    if (number := operator.index(given)) < 0:
        raise ValueError(_NEGATIVE)
    return number


_NEGATIVE = "__len__() should return >= 0"


def integer(given: Any) -> Any:
    """What ``__int__`` gives."""
    if python_scalars.is_symbolic_number(given):
        if given.dtype.is_floating:
            raise TypeError("__int__ returned non-int (type float)")
    elif not isinstance(given, int):
        raise TypeError(f"__int__ returned non-int (type {_class_of(given)})")
    return given


def real(given: Any) -> Any:
    """What ``__float__`` gives."""
    if python_scalars.is_symbolic_number(given):
        if not given.dtype.is_floating:
            raise TypeError("__float__ returned non-float (type int)")
    elif not isinstance(given, float):
        raise TypeError(f"__float__ returned non-float (type {_class_of(given)})")
    return given


def _class_of(value: Any) -> str:
    return "Tensor" if isinstance(value, _core.Tensor) else type(value).__name__


def iterator(given: Any) -> Any:
    """What ``__iter__`` gives."""
    if isinstance(given, NO_ITERATORS):
        raise TypeError(f"iter() returned non-iterator of type {type(given).__name__!r}")
    return given
