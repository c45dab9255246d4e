"""Numbers of Python among which the graph chooses: tensors that code takes for numbers.

What a program asks of a number beyond its value, its class, its text or its identity, a tensor
answers otherwise. Such a question is refused, of what certainly is a tensor in plain Python, too,
it is answered.

Integers have no bounds in Python, and a tensor has; ``bounds`` says what becomes of that.
"""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..values import dtypes, errors
from .journal import chosen, traces
from .journal import thread as _thread
from .places import here, say
from .provenance import is_made_of, key_of

NUMBERS = (bool, int, float, complex)
# The operations that operators and builtins of Python become, and constants.
_PYTHONS = frozenset(
    {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "Pow", "Neg"}
    | {"Abs", "Cast", "Round", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}
    | {"LogicalNot", "LogicalAnd", "LogicalOr", "Maximum", "Minimum", "BitwiseAnd", "BitwiseOr"}
    | {"BitwiseXor", "Invert", "LeftShift", "RightShift", "SelectV2", "Const", "Identity"}
)


def is_number(leaf: Any) -> bool:
    """Whether a value is a number of Python's, or may stand for one."""
    return type(leaf) in NUMBERS or is_chosen(leaf)


def mark(tensor: Any) -> Any:
    """``tensor``, noted as one that stands for a number."""
    if _thread.journals and isinstance(tensor, _core.Tensor) and tensor.shape.rank == 0:
        root = _thread.journals[0]
        root.numbers_chosen[key_of(tensor)] = tensor
        chosen[id(root)] = root
    return tensor


def is_chosen(value: Any) -> bool:
    """Whether a value is a tensor that stands for a number, or is made of such ones alone."""
    if not traces.n or type(value) is not _core.SymbolicTensor or not _thread.journals:
        return False
    known = _thread.journals[0].numbers_chosen
    if not known or value.shape.rank != 0:
        return False
    if value.dtype == dtypes.string or not is_made_of(value, known, _made_of):
        return False
    known[key_of(value)] = value
    return True


def _made_of(tensor: Any) -> list | None:
    """The tensors of which Python's operators make one; None where something else makes it."""
    made = _core.made_by(tensor)
    return made[1] if made is not None and made[0] in _PYTHONS else None


def refuse(value: Any, use: str) -> None:
    """Refuse that code asks of a number that the graph chooses what only Python knows of it."""
    if is_chosen(value):
        raise errors.StagingError(
            say(
                here(),
                f"a Python number that a branch or a loop of the graph chose is used here in {use},"
                " which tells a number of Python from a tensor: while the function is traced it is "
                "a tensor",
                "Ask before the branch or loop, or compare numbers (`==`, `<`); write "
                "`fg.strings.as_string(k)` for its text and `fg.fill([k], 0)` for `[0] * k`.",
            )
        )
