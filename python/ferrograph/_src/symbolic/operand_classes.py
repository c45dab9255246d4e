"""What stands beside numbers and texts of Python's that the graph chose.

A tensor takes a list for a tensor, element by element, and an integer of NumPy's for a truth beside
a truth; a number or text of Python's does not. An operator of a symbolic tensor asks here what
becomes of it, where what stands beside the tensor is neither a tensor nor a number of Python's.
"""

from __future__ import annotations

import array
import collections
import numbers
import types

from ..context.ownership import is_own_file
from ..heap.parts import is_array
from ..hints import Any
from ..native import _core
from ..values import dtypes
from . import array_aliases, python_numbers, python_strings

SEQUENCES = (
    *(list, tuple, collections.deque, collections.UserList, range, array.array),
    *(bytearray, memoryview, bytes, str),
)
_OF_TENSORS = (_core.Tensor, _core.VariableBase)
_ACTING = f"{__package__.rpartition('.')[0]}.autograph."  # modules that act for the program
_PASSING_ON = f"{__package__}.numpy_promotion"  # whose frames stand between an operator and its own


def stands_apart(value: Any, other: Any, sign: str, frame: types.FrameType) -> bool:
    """Whether the operator of a symbolic tensor at which a frame is leaves it to ``other`` what it
    does, as the number or text does that the tensor stands for. StagingError where that depends on
    what only plain Python knows."""
    while frame.f_globals.get("__name__") == _PASSING_ON and frame.f_back is not None:
        frame = frame.f_back
    if not is_programs(frame):
        return False
    if value.dtype == dtypes.string:
        return _is_foreign(other, (str,)) and python_strings.is_chosen(value)
    if _is_foreign(other, python_numbers.NUMBERS):
        return _is_number(value, f"`{sign}`", other) and _beside_a_number(value, other, sign)
    if value.dtype == dtypes.bool and _dtype_of(other) != dtypes.bool:
        python_numbers.refuse_truth(value, sign)
    may_change = hasattr(type(other), "__iadd__") and is_array(other)
    if may_change and python_numbers.is_chosen(value):
        array_aliases.refuse_in_place(other, frame)
    return False


def _beside_a_number(value: Any, other: Any, sign: str) -> bool:
    if sign == "*" and issubclass(type(other), SEQUENCES):
        python_numbers.refuse(value, "a repetition of a sequence")
    if sign in ("==", "!=") and issubclass(type(other), numbers.Number):
        python_numbers.refuse(value, f"`{sign}` beside a `{type(other).__name__}`")
    return True


def _is_foreign(other: Any, own: tuple[type, ...]) -> bool:
    """Whether what stands beside a number or text is neither of Python's ``own`` classes for these
    nor a tensor, a variable or an array: it alone says then what an operator does."""
    kind = type(other)
    return not issubclass(kind, (*own, *_OF_TENSORS)) and not hasattr(kind, "__array__")


def is_programs(frame: types.FrameType) -> bool:
    """Whether an operator stands in code of the program's, or in what acts for it."""
    if not is_own_file(frame.f_code.co_filename):
        return True
    return frame.f_globals.get("__name__", "").startswith(_ACTING)


def _dtype_of(other: Any) -> Any:
    return getattr(other, "dtype", dtypes.bool) if hasattr(other, "__array__") else dtypes.bool


def number_beside_sequence(value: Any, other: Any) -> bool:
    """Whether ``value`` stands for a number of Python's and ``other`` is a sequence."""
    return issubclass(type(other), SEQUENCES) and _is_number(value, "`==`", other)


def _is_number(value: Any, use: str, other: Any) -> bool:
    """Whether a tensor stands for a number of Python's, refused where that depends on the graph."""
    if not python_numbers.is_chosen(value):
        return False
    if python_numbers.standing(value) is not True:
        python_numbers.refuse(value, f"{use} beside a `{type(other).__name__}`")
    return True


def text_beside_sequence(value: Any, other: Any) -> bool:
    """Whether ``value`` stands for a text and ``other`` is a sequence that is none."""
    is_sequence = issubclass(type(other), SEQUENCES) and not issubclass(type(other), str)
    return is_sequence and python_strings.is_chosen(value)
