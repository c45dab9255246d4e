"""Whether expressions that are under way hold values for themselves: operands and arguments that
are evaluated already. They are on the stacks of frames, which nobody can look into; that there are
some is told from bytecode.
"""

from __future__ import annotations

import functools
import types

from ...hints import Any
from . import frames

# What is on a stack, the last one on top: whether it belongs to a block, as the iterator of a loop.
_Stack = tuple[bool, ...]
_ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD"})
_JUMPS_BACK = ("JUMP_BACKWARD", "JUMP_ABSOLUTE")


def are_held() -> bool:
    """Whether code of the trace that is running has such values."""
    return any(map(_holds, frames.frames()))


def _holds(frame: types.FrameType) -> bool:
    """Whether a frame has some below the result of the call that it makes; True of what cannot be
    told."""
    stacks = _stacks(frame.f_code)
    at = max((offset for offset in stacks if offset <= frame.f_lasti), default=None)
    if at is None:
        return True
    instruction, before = stacks[at]
    return not all(_after(instruction, before, False)[:-1])


_CALLS = frozenset({"CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW"})


def call_of(frame: types.FrameType) -> tuple[str, int, int]:
    """The call that a frame makes, as Python before 3.11 writes calls: the instruction, its number
    of arguments and how much is on the stack; "" where it makes none."""
    instruction, before = _stacks(frame.f_code).get(frame.f_lasti, (None, ()))
    if instruction is None or instruction.opname not in _CALLS:
        return "", 0, 0
    return instruction.opname, instruction.arg, len(before)


@functools.lru_cache(maxsize=512)
def _stacks(code: types.CodeType) -> dict[int, tuple[Any, _Stack]]:
    """The instructions that are reached but for handlers of exceptions, with the stacks before
    them."""
    import dis

    found = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    following = {i.offset: n for i, n in zip(found, found[1:], strict=False)}
    by_offset = {i.offset: i for i in found}
    known: dict[int, tuple[Any, _Stack]] = {}
    pending: list[tuple[Any, _Stack]] = [(found[0], ())]
    while pending:
        instruction, before = pending.pop()
        if instruction.offset in known:
            continue
        known[instruction.offset] = instruction, before
        name, target = instruction.opname, instruction.argval
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            pending.append((by_offset[target], _after(instruction, before, True)))
        more = following.get(instruction.offset)
        if more is not None and name not in _ENDS and not name.startswith(_JUMPS_BACK):
            pending.append((more, _after(instruction, before, False)))
    return known


def _after(instruction: Any, before: _Stack, jumps: bool) -> _Stack:
    """The stack after an instruction."""
    import dis

    name = instruction.opname
    if name == "GET_ITER":
        return (*before[:-1], True)
    if name == "BEFORE_WITH":
        return (*before[:-1], True, False)
    has_argument = instruction.opcode >= dis.HAVE_ARGUMENT
    argument = instruction.arg if has_argument else None
    effect = dis.stack_effect(instruction.opcode, argument, jump=jumps)
    if effect < 0:
        return before[:effect]
    return before + (False,) * effect
