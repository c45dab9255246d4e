"""The instructions of code, the same for every Python: those that load or store two names at once,
as Python 3.13 joins them, are read as two.
"""

from __future__ import annotations

import opcode
import types
from collections.abc import Iterator

from ..hints import Any

__all__ = ["in_place", "instructions", "jumps_back", "name_at", "steps"]

_NOTHING = frozenset({"CACHE", "EXTENDED_ARG"})
_PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST_BORROW", "LOAD_FAST_BORROW"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}


def name_at(code: types.CodeType, at: int) -> str:
    """The name of the instruction at an offset; caches belong to what stands before them."""
    text = code.co_code
    while at > 0 and opcode.opname[text[at]] == "CACHE":
        at -= 2
    return opcode.opname[text[at]]


def steps(code: types.CodeType) -> Iterator[tuple[str, int]]:
    """The names and arguments of the instructions of code."""
    names, text, high = opcode.opname, code.co_code, 0
    for op, low in zip(text[::2], text[1::2], strict=True):
        name, arg = names[op], low | high
        high = arg << 8 if name == "EXTENDED_ARG" else 0
        if name in _PAIRS:
            first, second = _PAIRS[name]
            yield first, arg >> 4
            yield second, arg & 15
        elif name not in _NOTHING:
            yield name, arg


def instructions(code: types.CodeType) -> list[Any]:
    """The instructions of code as ``dis`` shows them."""
    import dis

    found: list[Any] = []
    for instruction in dis.get_instructions(code):
        pair = _PAIRS.get(instruction.opname)
        if pair is not None:
            parts = zip(pair, instruction.argval, strict=True)
            found += [instruction._replace(opname=n, argval=v, argrepr=v) for n, v in parts]
        elif instruction.opname not in _NOTHING:
            found.append(instruction)
    return found


def in_place(instruction: Any) -> bool:
    """Whether an instruction of ``dis`` is the operation of an augmented assignment."""
    name = instruction.opname
    return name.startswith("INPLACE_") or (
        name == "BINARY_OP" and instruction.argrepr.endswith("=")
    )


def jumps_back(instruction: Any) -> bool:
    """Whether an instruction of ``dis`` goes on at an earlier one, as loops do."""
    target = instruction.argval if "JUMP" in instruction.opname else None
    return isinstance(target, int) and target < instruction.offset
