"""Integers of Python's own that the graph carries: it fails where one leaves the range of int32.

A variable of a loop that starts as an integer of Python's, and what branches choose among such
integers, are int32 tensors in the graph, where plain Python has integers without bounds. What
Python's operators make of them alone is checked when the graph runs. What is a tensor in plain
Python, too, wraps there as it does in the graph, and is not checked. Where one branch leaves an
integer and the other a tensor, a flag of the graph says which it is. Steps by one are checked only
from numbers that may be large: from others there would have to be a thousand million of them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from .. import ops
from ..context.thread import current_region
from ..native import _core
from ..values import dtypes
from .journal import thread as _thread
from .places import Spot, here, say
from .provenance import key_of

_SUMS = frozenset({"Add", "AddV2", "Sub"})
_LEAST = -(2**31)
_LARGE = 2**30  # so far from the bounds of int32 that no steps by one reach them
_WIDER = (
    dtypes.float64,
    dtypes.float32,
    dtypes.bfloat16,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


def is_integer(leaf: Any) -> bool:
    """Whether plain Python has an integer of its own where a trace has ``leaf``."""
    if type(leaf) is int:
        return True
    if not _thread.journals or type(leaf) is not _core.SymbolicTensor:
        return False
    known = _thread.journals[0].integers
    return known is not None and _may_stand_for_one(leaf) and known.holds(leaf)


def note(tensor: Any, large: bool = False, flag: Any = True, made_of: Iterable = ()) -> Any:
    """``tensor``, noted as one that stands for an integer of Python's own, which may be ``large``.

    ``flag`` says what ``standing`` says of it; ``made_of`` are the keys of integers of which it is
    one, or is made.
    """
    if _thread.journals and type(tensor) is _core.SymbolicTensor and _may_stand_for_one(tensor):
        root = _thread.journals[0]
        if root.integers is None:
            root.integers, root.bound = _core.Numbers(), _check_function
        root.integers.add(tensor)
        root.integer_facts[key_of(tensor)] = large, flag
        root.integers_made_of[key_of(tensor)] = set(made_of)
        root.has_flags = root.has_flags or flag is not True
    return tensor


def _may_stand_for_one(tensor: Any) -> bool:
    return tensor.dtype == dtypes.int32 and tensor.shape.rank == 0


def forget(tensor: Any) -> None:
    """Take back ``note``: what an iteration leaves is a tensor in plain Python, too."""
    if are_met():
        _thread.journals[0].integers.remove(tensor)
        _thread.journals[0].integer_facts.pop(key_of(tensor), None)


def standing(leaf: Any) -> Any:
    """Whether plain Python has an integer of its own where a trace has ``leaf``: True or False, or
    a tensor where the graph decides, made in the graph under construction."""
    if not is_integer(leaf):
        return False
    flags = _flags_of(leaf)
    return functools.reduce(ops.logical_and, flags) if flags else True


def _flags_of(leaf: Any) -> list:
    """The flags of the integers that an integer is made of."""
    if type(leaf) is int or not _thread.journals[0].has_flags:
        return []
    facts = _thread.journals[0].integer_facts
    flags = [facts[key][1] for key in noted_in(leaf)]
    return list({key_of(flag): flag for flag in flags if flag is not True}.values())


def noted_in(leaf: Any) -> set:
    """The keys of the noted integers that a value is made of."""
    if type(leaf) is not _core.SymbolicTensor or not are_met():
        return set()
    facts = _thread.journals[0].integer_facts
    pending, seen, found = [leaf], set(), set()
    while pending:
        tensor = pending.pop()
        key = key_of(tensor)
        if key in seen:
            continue
        seen.add(key)
        if key in facts:
            found.add(key)
        elif (made := _core.made_by(tensor)) is not None:
            pending += made[1]
    return found


def used(*regions: Any) -> set:
    """The keys of the noted integers of which integers beyond int32 may be made: those of which
    such ones are made in graphs under construction, or were in what these hold."""
    if not are_met():
        return set()
    root = _thread.journals[0]
    pending = list(root.integers_checked)
    for region in regions:
        for op, inputs, output, _ in root.integers.arithmetic(region):
            if output.shape.rank == 0 and _may_leave(op, inputs):
                pending += noted_in(output)
    found: set = set()
    while pending:
        key = pending.pop()
        if key not in found:
            found.add(key)
            pending += root.integers_made_of.get(key, ())
    return found


def _may_leave(op: str, inputs: list) -> bool:
    """Whether what an operation makes of integers may be beyond int32."""
    constants = [None if c is None else int(c) for c in map(_constant, inputs)]
    known = [c for c in constants if c is not None]
    if op in _SUMS and known:
        at = 0 if constants[0] is not None else 1
        return known[0] != 0 and (abs(known[0]) > 1 or is_large(inputs[1 - at]))
    if op == "Mul":
        return {0, 1}.isdisjoint(known)
    if op in ("Neg", "Abs"):
        return is_large(inputs[0])
    return op != "FloorDiv" or constants[1] in (None, -1)


def note_chosen(tensor: Any, test: Any, first: Any, second: Any) -> None:
    """Note a tensor that is the ``first`` of two values where a test holds, else the second."""
    if not (is_integer(first) or is_integer(second)):
        return
    flags = standing(first), standing(second)
    are_both = all(flag is True for flag in flags)
    flag = are_both or ops.where(test, *map(_core.convert_to_tensor, flags))
    note(tensor, True, flag, noted_in(first) | noted_in(second))


def is_large(leaf: Any) -> bool:
    """Whether an integer may be so near the bounds of int32 that steps by one reach them."""
    if type(leaf) is int:
        return abs(leaf) >= _LARGE
    facts = _thread.journals[0].integer_facts
    pending, seen = [leaf], set()
    while pending:
        tensor = pending.pop()
        key = key_of(tensor)
        if key in seen:
            continue
        seen.add(key)
        if key in facts:
            if facts[key][0]:
                return True
            continue
        value, made = _constant(tensor), _core.made_by(tensor)
        if value is not None:
            if abs(int(value)) >= _LARGE:
                return True
        elif made is None or (parts := _no_larger_than(*made)) is None:
            return True
        else:
            pending += parts
    return False


def _no_larger_than(op: str, inputs: list) -> list | None:
    """The inputs of an operation of which one is at least as large as its result, but for a step by
    one; None where that cannot be said."""
    if op in _SUMS:
        steps = [c is not None and abs(int(c)) <= 1 for c in map(_constant, inputs)]
        return inputs if any(steps) else None
    if op in ("FloorMod", "Mod"):
        return inputs[1:]
    if op == "FloorDiv":
        return inputs[:1]
    if op == "SelectV2":
        return inputs[1:]
    return inputs if op in _NO_LARGER else None


_NO_LARGER = frozenset({"Identity", "Maximum", "Minimum", "Neg", "Abs"})


def are_met() -> bool:
    """Whether the trace has met such integers."""
    return bool(_thread.journals) and _thread.journals[0].integers is not None


def n_checks() -> int:
    """How many operations of the trace are checked."""
    return _thread.journals[0].n_checks if _thread.journals else 0


def n_unchecked() -> int:
    """How many steps by one of the trace are not checked."""
    return _thread.journals[0].n_unchecked if _thread.journals else 0


def are_made_in(region: Any) -> bool:
    """Whether a graph under construction has operations on such integers that may be checked."""
    return are_met() and bool(_thread.journals[0].integers.arithmetic(region))


def _check_function() -> None:
    region = current_region()
    if region is not None:
        check(region)


def check(region: Any) -> None:
    """Let the graph, to which operations are added now, fail where one of its operations on such
    integers has a result that int32 does not hold."""
    if not are_met():
        return
    root = _thread.journals[0]
    for op, inputs, output, place in root.integers.arithmetic(region):
        exact = _exact(op, inputs, output) if output.shape.rank == 0 else None
        if exact is None:
            continue
        root.n_checks += 1
        root.integers_checked |= noted_in(output)
        for flag in _flags_of(output):
            exact = ops.logical_or(exact, ops.logical_not(flag))
        ops.Assert(exact, [_message(op, Spot(*place) if place is not None else "")])


def total(values: Any) -> Any:
    """The sum of the elements of a tensor, which stand for integers of Python's own."""
    wide = ops.reduce_sum(ops.cast(values, dtypes.int64), axis=0)
    found = ops.cast(wide, dtypes.int32)
    ops.Assert(ops.equal(ops.cast(found, dtypes.int64), wide), [_message("Sum", here())])
    return note(found, large=True)


def check_cast(value: Any) -> None:
    """Let the graph fail where ``int`` of a tensor is no number that int32 holds."""
    if value.dtype not in _WIDER:
        return
    wide = ops.cast(value, dtypes.float64)
    held = ops.logical_and(ops.greater(wide, _LEAST - 1.0), ops.less(wide, -1.0 * _LEAST))
    ops.Assert(
        ops.reduce_all(held),
        [
            say(
                here(),
                "`int` of a tensor gives a number here that int32 does not hold, which it has in "
                "the graph: plain Python has integers without bounds",
                "Write `fg.cast(x, fg.int64)`.",
            )
        ],
    )


def _exact(op: str, inputs: list, output: Any) -> Any:
    """Whether an operation gave what it gives on integers without bounds; None where it always
    does."""
    first, *rest = inputs
    constants = [None if c is None else int(c) for c in map(_constant, inputs)]
    if op in _SUMS and (constants[0] is not None or constants[1] is not None):
        return _exact_step(op, inputs, constants, output)
    if op == "Mul" and not {0, 1}.isdisjoint(constants):
        return None
    if op in ("Neg", "Abs"):
        return ops.not_equal(first, _LEAST)
    if op == "FloorDiv":
        if constants[1] not in (None, -1):
            return None
        return ops.logical_or(ops.not_equal(first, _LEAST), ops.not_equal(rest[0], -1))
    wide = dtypes.float64 if op in ("Pow", "LeftShift") else dtypes.int64
    a, b = (ops.cast(value, wide) for value in inputs)
    return ops.equal(ops.cast(output, wide), _UNBOUNDED[op](a, b))


_UNBOUNDED: dict[str, Any] = {
    "Add": lambda a, b: a + b,
    "AddV2": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Pow": lambda a, b: a**b,
    "LeftShift": lambda a, b: a * 2.0**b,
}


def _constant(tensor: Any) -> Any:
    """The value of a tensor that is a number in the text; None of others."""
    value = tensor._constant_value()
    return value if value is not None and value.shape.rank == 0 else None


def _exact_step(op: str, inputs: list, constants: list, output: Any) -> Any:
    """The same of a sum or a difference one side of which is known."""
    if op == "Sub" and constants[0] is not None:
        wide = [ops.cast(value, dtypes.int64) for value in (*inputs, output)]
        return ops.equal(wide[2], wide[0] - wide[1])
    at = 1 if constants[1] is not None else 0
    step = constants[at] if op != "Sub" else -constants[at]
    start = inputs[1 - at]
    if step == 0:
        return None
    if abs(step) == 1 and not is_large(start):
        _thread.journals[0].n_unchecked += 1
        return None
    return ops.greater(output, start) if step > 0 else ops.less(output, start)


def _message(op: str, spot: str) -> str:
    return say(
        spot,
        "a Python integer that a branch or a loop of the graph carries is beyond the range of "
        f"int32 ({op}): plain Python has integers without bounds, the graph has not",
        "Start with a tensor that holds it, for example `fg.constant(0, fg.int64)`, or with "
        "`fg.constant(0)` where it is to wrap.",
    )
