"""The abstract value of a merged tensor: what it represents in plain Python.

A merge joins the values of its sides (``join``, or ``summary`` where it does not know which side an
element comes from) and notes the result on its output (``attach``). A loop carries the value of
each of its variables, and widens it by what an iteration leaves (``widen``). A variable is merged
by its value: using that after the variable may have been assigned is refused.

Adding a fact about a value touches two files: the module of the fact in ``symbolic``, which notes
it of a tensor and tells it of a value, and this one, whose functions join and attach it; a new
field of ``AbstractValue`` is one more line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .. import ops
from ..context.thread import current_region
from ..heap.source_location import SourceLocation, diagnostic, here, refusal
from ..heap.trace_context import NOTHING
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..values import dtypes
from . import merged_objects, python_scalars, ranges
from .values import AbstractValue, is_symbolic, known, noted

# How an iteration may widen what is known of a variable at the start of its loop.
WIDENINGS = (
    "chosen",  # tensors that iterations make Python numbers
    "mixed",  # numbers before some iterations alone
    "doubted",  # numbers that may be tensors in any iteration
    "loosened",  # integers that iterations make something else
    "flagged",  # integers that some iterations alone have
    "large",  # integers that grow by more than steps of one
)


def is_plain(*leaves: Any) -> bool:
    """Whether values are symbolic tensors of a trace that has noted nothing of any."""
    trace = _thread.trace
    if trace is not None and not trace.values is trace.checks is NOTHING:
        return False
    return {_core.SymbolicTensor}.issuperset(map(type, leaves))


def summary(leaves: Sequence) -> AbstractValue:
    """What a tensor represents that is one of some leaves: as a text or an integer, or a number
    of whatever class."""
    found = AbstractValue()
    found.is_text = all(map(python_scalars.is_text, leaves))
    if any(map(python_scalars.is_number, leaves)):
        found.number = python_scalars.Number()
    if any(map(ranges.is_integer, leaves)):
        found.integer = ranges.Fact(large=True)
    return found


def join(
    leaves: Sequence,
    kinds: Callable[..., Any] | None,
    is_number: bool = False,
    label: str | None = None,
    flags: Callable[[Callable], Any] | None = None,
    unread: Sequence = (),
) -> AbstractValue:
    """What a tensor represents that is one of the ``leaves`` that the sides of a merge give.

    ``kinds`` finds the classes of numbers; ``is_number`` says that iterations leave one. ``flags``
    makes a flag of a question about each side, such as ``python_scalars.standing``; nobody reads
    what an ``unread`` side gives. ``label`` names one of several variables.
    """
    found = summary(leaves)
    found.integer = None
    if any(map(merged_objects.stands_for_array, leaves)):
        found.arrays = leaves
    found.label, found.handles = label, handles_of(*leaves)
    if found.number is not None or is_number:
        found.number = python_scalars.Number(kinds and kinds(*leaves))
    else:
        found.is_foreign = all(map(python_scalars.is_foreign, leaves))
    if flags is None:
        return found
    if found.number is not None:
        found.number.known = python_scalars.known_among(leaves)
        found.number.flag = flags(python_scalars.standing)
    read = [leaf for leaf, is_unread in zip(leaves, unread, strict=True) if not is_unread]
    if integers := [leaf for leaf in read if ranges.is_integer(leaf)]:
        found.integer = ranges.joined(integers, flags(ranges.standing))
    return found


def widen(value: AbstractValue, start: Any, left: Any) -> None:
    """Widen the value of a variable of a loop to that of its output: it is the ``start`` of an
    iteration, or what one has ``left``."""
    value.is_foreign = value.is_foreign and python_scalars.is_foreign(left)
    if value.arrays:
        value.arrays = (start, left)


def attach(tensor: Any, value: AbstractValue, outputs: Sequence = (), place: Any = None) -> Any:
    """``tensor``, noted as what represents a value, in a merge with these outputs at a place."""
    if value.is_text:
        python_scalars.mark_string(tensor)
    if value.arrays:
        merged_objects.mark_array(tensor, *value.arrays)
    if value.label is not None and value.handles:
        note_variable(tensor, value.label, place, value.handles)
    if (number := value.number) is not None:
        python_scalars.mark_number(tensor, number.kinds, number.known)
        if (flag := _flag(number, outputs)) is not True:
            python_scalars.doubt(tensor, flag)
    elif value.is_foreign:
        python_scalars.mark_foreign(tensor)
    if (fact := value.integer) is not None and (flag := _flag(fact, outputs)) is not False:
        ranges.note(tensor, fact.large, flag, fact.made_of, fact.most)
    return tensor


def _flag(fact: python_scalars.Number | ranges.Fact, outputs: Sequence) -> Any:
    return fact.flag(outputs) if callable(fact.flag) else fact.flag


def note_variable(tensor: Any, label: str, place: Any, handles: set, ran: Any = None) -> None:
    """Note a tensor that represents a merged variable: what a loop begins with, an output of a
    conditional or a loop, or an element selected by a tensor.

    ``handles`` tell which variables it may be; for the initial value of a loop ``ran`` says whether
    there was an iteration.
    """
    if _thread.trace is not None:
        value = noted(tensor)
        value.tensor, value.label, value.handles, value.ran = tensor, label, handles, ran
        value.place = place if isinstance(place, SourceLocation) else here()
        _thread.trace.values.variables = True


def follow_variable(made: Any, sources: Iterable[Any], label: str = "") -> None:
    """Note a tensor that is one of some sources, or holds them, where these are variables."""
    if handles := handles_of(*sources):
        note_variable(made, label, here(), handles)


def handles_of(*leaves: Any) -> set:
    """What tells the variables that some values are, or may be, from others."""
    found: set = set()
    for leaf in leaves:
        if isinstance(leaf, _core.VariableBase):
            found.add(_identity(leaf.handle))
        elif is_symbolic(leaf) and (value := known(leaf)) is not None:
            found |= value.handles
    return found


def _identity(handle: Any) -> Any:
    return (handle._graph_id, handle.name) if is_symbolic(handle) else handle._id


def check_variables(region: Any, outputs: Iterable[Any]) -> None:
    """Refuse a traced region with these outputs where it uses the value of a merged variable after
    the variable may have been assigned."""
    if not _thread.trace.values.variables:
        return
    every = _thread.trace.values.known.items()
    own = [value for (graph, _), value in every if value.handles and graph == region.graph_id]
    nodes = region.nodes() if own else []
    given = {v.name for v in outputs if is_symbolic(v) and v._graph_id == region.graph_id}
    for one in own:
        name, handles = one.tensor.name, _names(region, one.handles)
        made = next(i for i, n in enumerate(nodes) if n["name"] == name.rpartition(":")[0])
        is_grown = nodes[made]["op"].endswith("While") and one.tensor.dtype == dtypes.variant
        if (is_grown and _writes(nodes[made], handles)) or _is_used_late(
            nodes[made + 1 :], name, handles, name in given
        ):
            _refuse_late(one)


def _names(region: Any, handles: set) -> set[str]:
    """The names that variables have in a region, by which it or those around it capture them."""
    found = set(handles)
    for around in (current_region(), *(traced.region for traced in _thread.regions), region):
        if around is None:
            continue
        outer = around.captured()
        inputs = [n["name"] for n in around.nodes() if n["op"] == "Placeholder"]
        names = [n for n in inputs if n.rpartition("/")[2].partition("_")[0] == "capture"]
        # Those that the program calls so are arguments, which come first.
        for name, handle in zip(names[len(names) - len(outer) :], outer, strict=True):
            if _identity(handle) in found:
                found.add((around.graph_id, f"{name}:0"))
    return {one[1] for one in found if isinstance(one, tuple) and one[0] == region.graph_id}


def _writes(node: dict, handles: set[str]) -> bool:
    return bool(node["writes"]) and not handles.isdisjoint(node["input"])


def _is_used_late(nodes: list[dict], name: str, handles: set[str], at_end: bool) -> bool:
    """Whether a value is used, or ``at_end`` is, after a handle may be written; what takes both
    into a graph of its own may use it late there."""
    written = False
    for node in nodes:
        is_used = name in node["input"]
        if written and is_used:
            return True
        if _writes(node, handles) and not (is_used and node["op"] == "AssignVariableOp"):
            if is_used and node["regions"]:
                return True
            written = True
    return written and at_end


def _refuse_late(one: AbstractValue) -> None:
    """Refuse it; where that depends on whether a loop ran, the graph fails in its place."""
    if one.ran is not None:
        problem = (
            f"{one.label!r} is a variable before this loop, which had no iteration, and that is "
            "assigned before it is read again: the graph has its value at the loop"
        )
        cure = f"Write `{FG}.identity(variable)` before the loop to keep the value."
        ops.Assert(one.ran, [diagnostic(one.place, problem, cure)])
        return
    called = repr(one.label) if one.label else "what a branch or loop, an index or an order gives"
    raise refusal(
        f"{called} is one of several variables, which are merged here, and that one may be "
        "assigned before it is read again: the graph has its value at this merge",
        "Choose and read in one place (`y = a * x if c else b * x`), assign before the choice, "
        f"or keep a copy of the value with `{FG}.identity(variable)`.",
        one.place,
    )
