"""How far from zero an integer of Python's that the graph carries may be, as far as tracing tells.

``bounds`` checks in the graph what this cannot rule out.
"""

from __future__ import annotations

from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import dtypes
from .provenance import key_of

SUMS = frozenset({"Add", "AddV2", "Sub"})
_NO_LARGER = frozenset({"Identity", "Maximum", "Minimum", "Neg", "Abs"})
_DEEPEST = 100  # operations in a row to look through


class Fact:
    """What is known of a tensor that stands for an integer of Python's."""

    __slots__ = ("flag", "large", "most")

    def __init__(self, large: bool, flag: Any, most: int | None):
        self.large = large  # whether steps by one may bring it to the bounds of its dtype
        self.flag = flag  # whether it does stand for one: True, a tensor, or a ``bounds.Told``
        self.most = most  # how far from zero it is at most where it does; None if that is not known


def limit(dtype: Any) -> int:
    """The largest number of an integer dtype of 32 or 64 bits."""
    return int(2**63 - 1 if dtype == dtypes.int64 else 2**31 - 1)


def constant(tensor: Any) -> int | None:
    """The value of an integer tensor that is a number in the text; None of others."""
    value = tensor._constant_value()
    return int(value) if value is not None and value.shape.rank == 0 else None


# Operations that compute a number or a truth of others, and do nothing else.
_PLAIN = frozenset(
    {"Const", "Identity", "Cast", "Reshape", "Equal", "NotEqual", "Less", "LessEqual", "Greater"}
    | {"GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "AddV2", "Sub", "Mul", "FloorMod"}
    | {"FloorDiv", "Neg", "Abs", "Maximum", "Minimum", "StopGradient", "SelectV2"}
)
_MOST_BEHIND = 64


def truth(tensor: Any) -> bool | None:
    """Whether a scalar tensor of the graph is true, where that depends on constants alone."""
    known = tensor._constant_value()
    if known is None and _is_of_constants(tensor):
        known = tensor._value_so_far()
    return None if known is None or known.shape.rank != 0 else bool(known)


def _is_of_constants(tensor: Any) -> bool:
    pending, n = [tensor], 0
    while pending and n < _MOST_BEHIND:
        made = _core.made_by(pending.pop())
        if made is None or made[0] not in _PLAIN:
            return False
        pending.extend(made[1])
        n += 1
    return not pending


def is_held(tensor: Any) -> bool:
    """Whether its dtype certainly holds what an integer tensor stands for."""
    found = most(tensor)
    return found is not None and found <= limit(tensor.dtype)


def most(leaf: Any, depth: int = 0) -> int | None:
    """How far from zero an integer is at most where it stands for one of Python's; None where
    tracing does not tell."""
    if type(leaf) is int:
        return abs(leaf)
    if type(leaf) is not _core.SymbolicTensor or depth > _DEEPEST:
        return None
    fact = (_thread.trace.checks.facts or {}).get(key_of(leaf))
    if fact is not None:
        return fact.most
    value = constant(leaf)
    if value is not None:
        return abs(value)
    made = _core.made_by(leaf)
    return None if made is None else _most_made(*made, depth + 1)


def _most_made(op: str, inputs: list, depth: int) -> int | None:
    """The same of what an operation gives."""
    if op in ("FloorMod", "Mod"):
        return most(inputs[1], depth)
    if op == "FloorDiv":
        return most(inputs[0], depth)
    if op == "SelectV2":
        inputs = inputs[1:]
    elif op not in SUMS and op not in _NO_LARGER and op != "Mul":
        return None
    parts = [most(part, depth) for part in inputs]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return 0 if op == "Mul" and 0 in known else None
    if op in SUMS:
        return sum(known)
    return known[0] * known[1] if op == "Mul" else max(known)


def is_large(leaf: Any) -> bool:
    """Whether an integer may be so near the bounds of its dtype that steps by one reach them."""
    if type(leaf) is int:
        return abs(leaf) >= 2**30
    facts = _thread.trace.checks.facts or {}
    pending, seen = [leaf], set()
    while pending:
        tensor = pending.pop()
        key = key_of(tensor)
        if key in seen:
            continue
        seen.add(key)
        if key in facts:
            if facts[key].large:
                return True
            continue
        value, made = constant(tensor), _core.made_by(tensor)
        if value is not None:
            if abs(value) > limit(tensor.dtype) // 2:
                return True
        elif made is None or (parts := _no_larger_than(*made)) is None:
            return True
        else:
            pending += parts
    return False


def _no_larger_than(op: str, inputs: list) -> list | None:
    """The inputs of an operation of which one is at least as large as its result, but for a step by
    one; None where that cannot be said."""
    if op in SUMS:
        steps = [c is not None and abs(c) <= 1 for c in map(constant, inputs)]
        return inputs if any(steps) else None
    if op in ("FloorMod", "Mod"):
        return inputs[1:]
    if op == "FloorDiv":
        return inputs[:1]
    if op == "SelectV2":
        return inputs[1:]
    return inputs if op in _NO_LARGER else None
