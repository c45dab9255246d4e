"""Quotients and powers of Python's numbers among which the graph chooses.

Plain Python fails where such a number is divided by zero, and makes a complex number of a
fractional power of a negative one; a graph has infinities and NaN. The graph fails in their place.
What is a tensor in plain Python, too, divides as tensors do, and is not checked; what a loop makes
a tensor of is checked as long as it is none.
"""

from __future__ import annotations

from .. import ops
from ..context.thread import current_region
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import dtypes
from . import overflow_checks
from .python_numbers import NUMBERS, is_number, standing


def divided(tensor: Any, other: Any, sign: str, swapped: bool) -> None:
    """Hear of an operator of a tensor, the right one of the two where they are ``swapped``."""
    if not (is_number(tensor) and is_number(other)):
        return
    left, right = (other, tensor) if swapped else (tensor, other)
    if _never_fails(left, right, sign):
        return
    checks = overflow_checks.of_trace()
    checks.n_quotients += 1
    checks.quotients.setdefault(_core.current_graph_id(), []).append((left, right, sign, here()))


def _never_fails(left: Any, right: Any, sign: str) -> bool:
    if type(right) not in NUMBERS:
        return sign == "**" and type(left) in NUMBERS and _is_positive(left)
    if sign != "**":
        return bool(right != 0)
    return type(right) is not complex and right >= 0 and right % 1 == 0


def _is_positive(number: Any) -> bool:
    return type(number) is not complex and number > 0


def n_heard() -> int:
    """How many there have been in the trace."""
    return (_thread.trace.checks.n_quotients or 0) if _thread.trace is not None else 0


def check(region: Any) -> None:
    """Let the graph, to which operations are added now, fail where one of its quotients and powers
    of such numbers fails in plain Python."""
    for left, right, sign, place in overflow_checks.of_trace().quotients.pop(region.graph_id, ()):
        holds = _holds(left, right, sign)
        flags = [_stands(left), _stands(right)]
        if holds is None or any(flag is False for flag in flags):
            continue
        for flag in flags:
            if flag is not True:
                holds = ops.logical_or(holds, ops.logical_not(flag))
        ops.Assert(holds, [_message(sign, place)])


def check_function() -> None:
    """The same of a function that has just run."""
    region = current_region()
    if region is not None:
        check(region)


def _stands(leaf: Any) -> Any:
    """Whether plain Python has a number of its own where a trace has ``leaf``: True or False, or a
    tensor where the graph decides."""
    if type(leaf) in NUMBERS:
        return True
    return overflow_checks.standing(leaf) if overflow_checks.is_integer(leaf) else standing(leaf)


def _holds(left: Any, right: Any, sign: str) -> Any:
    """Whether an operation has a result in plain Python that the graph has, too; None where the
    operation itself fails, or has one for all numbers."""
    whole = _is_integer(left) and _is_integer(right)
    if sign != "**":
        return None if whole and sign != "/" else ops.not_equal(right, ops.zeros_like(right))
    if whole or _is_complex(left) or _is_complex(right):
        return None
    left, right = ops.cast(left, dtypes.float64), ops.cast(right, dtypes.float64)
    return ops.where(
        ops.equal(left, 0.0),
        ops.greater_equal(right, 0.0),
        ops.logical_or(ops.greater(left, 0.0), ops.equal(right, ops.floor(right))),
    )


def _is_integer(leaf: Any) -> bool:
    return type(leaf) in (bool, int) if type(leaf) in NUMBERS else leaf.dtype.is_integer


def _is_complex(leaf: Any) -> bool:
    return type(leaf) is complex if type(leaf) in NUMBERS else leaf.dtype.is_complex


def _message(sign: str, place: Any) -> str:
    problem = "is divided by zero here, where plain Python raises ZeroDivisionError"
    if sign == "**":
        problem = (
            "is zero here to a negative power, or negative to one with a fraction, where plain "
            "Python raises ZeroDivisionError, or gives a complex number"
        )
    return diagnostic(
        place,
        f"a Python number that the graph chose {problem}",
        "Compare it before, or start with a tensor, which has infinities and NaN.",
    )
