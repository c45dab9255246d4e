"""``is`` and ``id`` of values that the graph holds.

A name to which branches, iterations, lists and arguments give one object in plain Python has a
tensor of its own for each of them. What tensors stand for is asked for its value alone.
"""

from __future__ import annotations

from typing import Any

from ...native import _core
from ...staging.journal import thread
from ...staging.places import here, say
from ...staging.values import leaves_of
from ...values import errors
from ...values.composite import CompositeTensor


def refuse(left: Any, right: Any) -> None:
    """Refuse to say whether two values are one object, where the graph chose among values and
    holds one of them, and plain Python may have the other one in its place."""
    if not (thread.journals and thread.journals[0].has_chosen):
        return
    if _may_be(left, right) and (_is_of_graph(left) or _is_of_graph(right)):
        raise _unknown("asks whether two values are one object (`is`)")


def refuse_id(value: Any) -> None:
    """Refuse the ``id`` of a value that the graph holds, where it chose among values."""
    if thread.journals and thread.journals[0].has_chosen and _is_of_graph(value):
        raise _unknown("asks for the `id` of a value")


def _is_of_graph(value: Any) -> bool:
    if type(value) is _core.SymbolicTensor:
        return True
    kind = type(value)
    if not (issubclass(kind, (tuple, CompositeTensor)) or hasattr(kind, "_component_list")):
        return False
    return any(type(leaf) is _core.SymbolicTensor for leaf in leaves_of(value))


def _may_be(left: Any, right: Any) -> bool:
    """Whether two values may be one object in plain Python, by their kinds."""
    if issubclass(type(left), tuple):
        return type(left) is type(right) and len(left) == len(right)
    return type(left) is type(right) or (_is_one_tensor(left) and _is_one_tensor(right))


def _is_one_tensor(value: Any) -> bool:
    """Whether one tensor of the graph can stand for a value that is no number of Python's."""
    kind = type(value)
    if issubclass(kind, (_core.Tensor, str, bytes)):
        return True
    return hasattr(kind, "__array__") and hasattr(kind, "dtype")


def _unknown(what: str) -> errors.StagingError:
    return errors.StagingError(
        say(
            here(),
            f"this line {what} that the graph holds: each branch, iteration, list and argument has "
            "tensors of its own, which may stand for one object",
            "Compare values (`fg.reduce_all(a == b)`), or keep a number that says which one it is.",
        )
    )
