"""Which object something is, as a program asks by ``is`` and ``id``.

The graph chooses between values: what a branch or a loop leaves is a new tensor, or a new tuple of
such, where plain Python has one of the objects that were there. A question that may be answered
otherwise there is refused, also where the program knows the identity from before.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..heap import may_alias, structure
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import errors
from ..values.composite import CompositeTensor
from . import python_numbers, python_strings
from .provenance import key_of

_SYMBOLIC = _core.SymbolicTensor


def note(value: Any) -> None:
    """Note an object of which the program is told the identity, where it may not be told of another
    one that the graph chose."""
    if _thread.trace is None:
        return
    python_numbers.refuse(value, "`id`")
    python_strings.refuse(value)
    root = _thread.trace
    if root.aliases.identified is None:
        may_alias.of_trace().identified = {}
    if type(value) is _SYMBOLIC or isinstance(value, tuple):
        refuse((value, known) for known in root.aliases.identified.values())
    may_alias.of_trace().identified[id(value)] = value


def refuse(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Refuse that code asks whether two values are one object where the graph may have chosen one
    of them for the other."""
    if _thread.trace is not None:
        may_alias.of_trace().compares = True
    if any(a is not b and _may_be_one(a, b) for a, b in pairs):
        raise errors.StagingError(
            diagnostic(
                here(),
                "this line asks which object a value is that a branch, a loop or a list of the "
                "graph may have chosen: that made a new one",
                "Keep a number beside it that says which one was chosen, and compare that.",
            )
        )


def _may_be_one(first: Any, second: Any) -> bool:
    """Whether two different values may be one object in plain Python: one is of the graph, which
    chose among values, and the other is of a kind for which it can stand."""
    if not (
        _thread.trace is not None and _thread.trace.effects.has_merged and _are_alike(first, second)
    ):
        return False
    if type(first) is type(second) is _SYMBOLIC:
        are_new = is_new(first), is_new(second)
        if all(are_new):
            return False
        # What is made anew is nothing that was there before, whichever that is.
        return not (
            (are_new[0] and _was_before(second, first))
            or (are_new[1] and _was_before(first, second))
        )
    return _is_of_graph(first) or _is_of_graph(second)


def _are_alike(first: Any, second: Any) -> bool:
    """Whether two values may be one object by their kinds."""
    if issubclass(type(first), tuple):
        return type(first) is type(second) and len(first) == len(second)
    return type(first) is type(second) or (_is_one_tensor(first) and _is_one_tensor(second))


def _is_one_tensor(value: Any) -> bool:
    """Whether one tensor of the graph can stand for a value."""
    kind = type(value)
    if kind in python_numbers.NUMBERS or issubclass(kind, (_core.Tensor, str, bytes)):
        return True
    return hasattr(kind, "__array__") and hasattr(kind, "dtype")


def _is_of_graph(value: Any) -> bool:
    kind = type(value)
    if kind is _SYMBOLIC:
        return True
    if not (issubclass(kind, (tuple, CompositeTensor)) or hasattr(kind, "_component_list")):
        return False
    return any(type(leaf) is _SYMBOLIC for leaf in structure.leaves_of(value))


# The operations that give one of what they are given, as an object of its own.
_CHOICES = frozenset(
    {"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase", "SelectV2"}
    | {"TensorListGetItem", "TensorListPopBack", "GatherV2", "Unpack"}
    | {"Maximum", "Minimum", "Max", "Min"}
)


def is_new(tensor: Any) -> bool:
    """Whether a tensor was made by what makes one in plain Python, too."""
    if type(tensor) is not _SYMBOLIC:
        return False
    known = _thread.trace.aliases.made_anew
    if known and key_of(tensor) in known:
        return True
    made = _core.made_by(tensor)
    if made is None or made[0] in _CHOICES:
        return False
    return made[0] != "Placeholder" or tensor._graph_id not in _graphs()  # a variable of a loop


def _graphs() -> list[int]:
    """The graphs of the regions under construction, the innermost last."""
    return [region.region.graph_id for region in _thread.regions]


def note_new(tensor: Any) -> None:
    """Note a tensor that plain Python makes anew, whatever operation gives it: a function of the
    program's, or the last iteration of a loop that certainly has one."""
    root = _thread.trace
    if root.aliases.made_anew is None:
        may_alias.of_trace().made_anew = set()
    may_alias.of_trace().made_anew.add(key_of(tensor))


def _was_before(first: Any, second: Any) -> bool:
    """Whether one tensor was there when another one was made: earlier in the same graph, or in one
    around it, to which nothing is added meanwhile."""
    graphs = _graphs()
    if first._graph_id == second._graph_id:
        return bool(first._id < second._id)
    if second._graph_id not in graphs:
        return False
    at = graphs.index(second._graph_id)
    return first._graph_id not in graphs or graphs.index(first._graph_id) < at
