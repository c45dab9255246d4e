"""Integers of Python's own that the graph carries: it fails where one leaves the range of int32.

A variable of a loop that starts as an integer of Python's, and what branches choose among such
integers, are int32 tensors in the graph, where plain Python has integers without bounds. What
Python's operators make of them alone is checked when the graph runs. What is a tensor in plain
Python, too, wraps there as it does in the graph, and is not checked; nor are steps by one, of which
there would have to be two thousand million.
"""

from __future__ import annotations

from typing import Any

from .. import ops
from ..context.thread import current_region
from ..native import _core
from ..values import dtypes
from .journal import thread as _thread
from .places import Spot, here, say

_SUMS = frozenset({"Add", "AddV2", "Sub"})
_LEAST = -(2**31)
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


def note(tensor: Any) -> Any:
    """``tensor``, noted as one that stands for an integer of Python's own."""
    if _thread.journals and type(tensor) is _core.SymbolicTensor and _may_stand_for_one(tensor):
        root = _thread.journals[0]
        if root.integers is None:
            root.integers, root.bound = _core.Numbers(), _check_function
        root.integers.add(tensor)
    return tensor


def _may_stand_for_one(tensor: Any) -> bool:
    return tensor.dtype == dtypes.int32 and tensor.shape.rank == 0


def forget(tensor: Any) -> None:
    """Take back ``note``: what an iteration leaves is a tensor in plain Python, too."""
    if are_met():
        _thread.journals[0].integers.remove(tensor)


def are_met() -> bool:
    """Whether the trace has met such integers."""
    return bool(_thread.journals) and _thread.journals[0].integers is not None


def n_checks() -> int:
    """How many operations of the trace are checked."""
    return _thread.journals[0].n_checks if _thread.journals else 0


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
        if exact is not None:
            root.n_checks += 1
            ops.Assert(exact, [_message(op, place)])


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
    if abs(step) <= 1:
        return None
    start = inputs[1 - at]
    return ops.greater(output, start) if step > 0 else ops.less(output, start)


def _message(op: str, place: tuple[str, int] | None) -> str:
    spot = Spot(*place) if place is not None else ""
    return say(
        spot,
        "a Python integer that a branch or a loop of the graph carries is beyond the range of "
        f"int32 ({op}): plain Python has integers without bounds, the graph has not",
        "Start with a tensor that holds it, for example `fg.constant(0, fg.int64)`, or with "
        "`fg.constant(0)` where it is to wrap.",
    )
