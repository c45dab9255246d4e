"""Symbolic arrays and variables: tensors for arrays and variables that a staged branch or loop
merged.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from .. import ops
from ..context import tracebacks
from ..context.locals import locals_of
from ..context.thread import current_region
from ..heap.frames import frames, read_later, stored_next, values_in, words_of
from ..heap.reachable import Walk
from ..heap.source_location import SourceLocation, diagnostic, here
from ..heap.structure import is_array, memory_of
from ..heap.trace_context import TracePart, watch_operators
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import dtypes, errors
from .values import is_made_of, is_symbolic, key_of, stands_for_variable

# Operations that give views; regions read tensors of what is around them by the last one.
_VIEWS = frozenset({"StridedSlice", "Reshape", "Transpose", "ExpandDims", "Squeeze", "Identity"})


class Arrays(TracePart):
    """The tensors of a trace that represent NumPy arrays."""

    slot = "arrays"

    def __init__(self) -> None:
        self.tensors: dict[Any, Any] = {}
        self.memory: dict[Any, Any] = {}  # whose memory is whose


def mark_array(tensor: Any, *sources: Any) -> None:
    """Mark a tensor as a symbolic array, which may be one of ``sources``."""
    root = _thread.trace
    if root is not None and is_symbolic(tensor):
        Arrays.of_trace().tensors[key_of(tensor)] = tensor
        if not root.containers.are_grown:
            root.watch()
        for source in sources:
            _refuse_class(source)
            if stands_for_array(source):
                Arrays.of_trace().memory[_memory(source)] = _memory(tensor)
        watch_operators(root)


def refuse_array_text(tensor: Any) -> None:
    """Refuse to print a symbolic array or NumPy scalar."""
    raise errors.StagingError(
        diagnostic(
            here(),
            "a NumPy array from a staged branch or loop, or an element of one, is printed or "
            "formatted here: it is a tensor while tracing, which prints otherwise",
            "Print a tensor, `fg.identity(a)`, or print before the branch or loop.",
        )
    )


def _refuse_class(array: Any) -> None:
    """Refuse to merge an array of a class whose operators may differ."""
    numpy = sys.modules.get("numpy")
    is_numpys = numpy is not None and isinstance(array, numpy.ndarray)
    if is_numpys and type(array).__name__ not in AS_TENSORS:
        raise errors.StagingError(
            diagnostic(
                here(),
                f"a `{type(array).__name__}` is merged by a staged branch or loop: the merged "
                "value would be a tensor, whose operators differ",
                "Choose between plain arrays, `np.asarray(a)`, or between tensors.",
            )
        )


# The classes of arrays with the operators that tensors have.
AS_TENSORS = frozenset({"ndarray", "memmap", "recarray"})


def is_symbolic_array(value: Any) -> bool:
    """Whether a value is a symbolic array, or is made of such ones."""
    known = _thread.trace.arrays.tensors if _thread.trace is not None else None
    if not known or not is_symbolic(value) or is_made_of(value, known, _made_of) is not True:
        return False
    known[key_of(value)] = value
    return True


def _made_of(tensor: Any) -> list | None:
    """The tensors of which a tensor is made; None where it is no array of NumPy in plain Python."""
    if key_of(tensor) in (_thread.trace.scalars.tensors or ()):
        return None
    made = _core.made_by(tensor)
    if made is None:
        return None
    return [] if made[0] == "Const" else made[1]


def refuse_beside(tensor: Any, name: str) -> None:
    """Refuse to change a symbolic array in place, under a name or, for "", inside an object, if it
    is read elsewhere."""
    memory = _memory(tensor)
    names, held = (sum(_memory(v) == memory for v in found) for found in _read(name))
    if names or held > (0 if name else 1):
        raise errors.StagingError(
            diagnostic(
                here(),
                f"{repr(name) if name else 'an element'} is an array from a staged branch or "
                "loop, and an augmented assignment changes it in place, while code that follows "
                "reads it elsewhere: it is a tensor while tracing, and the graph would make "
                "another one",
                "Write `a = a + ...`, or make a copy before, `a = a.copy()`.",
            )
        )


def _memory(value: Any) -> Any:
    """What tells a tensor or an array, its views, and what it may be, from others."""
    if is_symbolic(value):
        while (made := _core.made_by(value)) is not None and made[0] in _VIEWS:
            value = made[1][0]
        key: Any = key_of(value)
    else:
        array = memory_of(value)[-1]
        key = id(array)
        Arrays.of_trace().tensors[key] = array  # which keeps its place
    same = Arrays.of_trace().memory
    while (further := same.get(key, key)) != key:
        key = further
    return key


def _read(name: str) -> tuple[list, list]:
    """The tensors that code which follows may read under names, each as often as it may, but for a
    name of the innermost function; and those that objects hold which it may read, or, without a
    name, which it has."""
    live: list[Any] = []
    more: list[Any] = []
    own = {name}
    for running in frames():
        own = own | {stored_next(running)}
        names = read_later(running) - own
        named = locals_of(running)
        live += [named[n] for n in names if n in named]
        live += [running.f_globals[w] for w in words_of(running.f_code) & set(running.f_globals)]
        more += [] if name else values_in(running)
        own = own if running.f_code in tracebacks.parts else set()
    walk = Walk()
    walk.run((), [_thread.roots, *live, *more])
    held = [part for adapter, owner, held in walk.entries for part in adapter.parts(owner, held)]
    held += [part for value in walk.seen.values() if type(value) is tuple for part in value]
    return _tensors(live), _tensors(held)


def _tensors(found: list) -> list:
    """Those that are tensors or arrays."""
    return [v for v in found if is_symbolic(v) or is_array(v)]


def stands_for_array(value: Any) -> bool:
    """Whether a value is such an array, or a symbolic one."""
    return is_symbolic_array(value) if is_symbolic(value) else is_array(value)


class MergedVariables(TracePart):
    """The tensors of a trace that represent variables, and regions that make some."""

    slot = "variables"

    built: Any = None  # see ``retrace``, locations by the depths of regions

    def __init__(self) -> None:
        self.tensors: dict[Any, Any] = {}


class Noted:
    """A tensor that represents a merged variable, with its name and location."""

    __slots__ = ("label", "outer", "place", "ran", "tensor")

    def __init__(self, tensor: Any, label: str, place: str, ran: Any, outer: Any):
        self.tensor, self.label, self.place, self.ran = tensor, label, place, ran
        self.outer = outer


def note_variable(
    tensor: Any, label: str, place: str, ran: Any = None, outer: set[str] | None = None
) -> None:
    """Note a tensor that represents a merged variable: an output of a conditional or a loop, or an
    element selected by a tensor. For the initial value of a loop ``ran`` says whether there was an
    iteration; for the input of an iteration ``outer`` has the handles around the loop."""
    if _thread.trace is not None:
        place = place if isinstance(place, SourceLocation) else here()
        MergedVariables.of_trace().tensors[key_of(tensor)] = Noted(tensor, label, place, ran, outer)


def follow_variable(made: Any, sources: Iterable[Any], label: str = "") -> None:
    """Note a tensor that is one of some sources, or holds them, where these are variables."""
    if any(map(stands_for_variable, sources)):
        note_variable(made, label, here())


def refuse_variable_identity(compared: Iterable[Any]) -> None:
    """Refuse a comparison of the identity of a merged variable."""
    if any(is_symbolic(v) and stands_for_variable(v) for v in compared):
        raise errors.StagingError(
            diagnostic(
                here(),
                "this line asks which object a variable from a staged branch or loop is (`is`, "
                "`id`): the graph has only its value",
                "Keep a number beside it that says which one was chosen, and compare that.",
            )
        )


def check_variables(region: Any, outputs: Iterable[Any]) -> None:
    """Refuse a traced region with these outputs where it uses the value of a merged variable after
    the variable may have been assigned."""
    own = [noted for key, noted in _noted() if key[0] == region.graph_id]
    if not own:
        return
    nodes, known_inputs = region.nodes(), _inputs(region)
    given = {key_of(v) for v in outputs if is_symbolic(v)}
    for noted in own:
        name = noted.tensor.name
        handles = _handles(nodes, name, known_inputs)
        if not handles:
            continue
        made = next(i for i, n in enumerate(nodes) if n["name"] == name.rpartition(":")[0])
        used = key_of(noted.tensor) in given
        is_grown = nodes[made]["op"].endswith("While") and noted.tensor.dtype == dtypes.variant
        if is_grown and _writes_within(nodes[made], handles):
            _refuse(noted)
        if _is_used_late(nodes[made + 1 :], {name}, handles, used):
            _refuse(noted)


def _refuse(noted: Noted) -> None:
    """Refuse it; where that depends on whether a loop ran, the graph fails in its place."""
    if noted.ran is not None:
        ops.Assert(noted.ran, [_begun(noted)])
        return
    label = noted.label
    called = (
        f"{label!r} is"
        if label
        else "what a branch or loop, a tensor index or an order gives here is"
    )
    raise errors.StagingError(
        diagnostic(
            noted.place,
            f"{called} one of several variables, which are merged here, and that one may be "
            "assigned before it is read again: the graph has its value at this merge",
            "Choose and read in one place (`y = a * x if c else b * x`), assign before the choice, "
            "or keep a copy of the value with `fg.identity(variable)`.",
        )
    )


def _begun(noted: Noted) -> str:
    return diagnostic(
        noted.place,
        f"{noted.label!r} is a variable before this loop, which had no iteration, and that is "
        "assigned before it is read again: the graph has its value at the loop",
        "Write `fg.identity(variable)` before the loop to keep the value.",
    )


# Operations whose results are, or hold, what they are given.
_HOLDING = frozenset(
    {"Identity", "Cast", "Pack", "Unpack", "GatherV2", "SelectV2", "ConcatV2", "StridedSlice"}
    | {"Reshape", "ReverseV2", "Maximum", "Minimum"}
    | {"TensorListPushBack", "TensorListPopBack", "TensorListSetItem", "TensorListGetItem"}
    | {"TensorListStack", "TensorListFromTensor", "TensorListConcatV2"}
)


def handles_of(tensor: Any) -> set[str]:
    """The handles of which a tensor that a loop begins with is a read, by their names around the
    loop, and as what is captured there."""
    regions = [traced.region for traced in _thread.regions] + [current_region()]
    for region in regions:
        if region is not None and region.graph_id == tensor._graph_id:
            found = _handles(region.nodes(), tensor.name, _inputs(region))
            captures = _captures(region)
            return found | {captures[name] for name in found if name in captures}
    return set()


def _captures(region: Any) -> dict[str, str]:
    """The inputs of a region that are captured, with what says which tensor each is."""
    outer = [t.name if _core.is_symbolic(t) else f"eager {t._id}" for t in region.captured()]
    inputs = [n["name"] for n in region.nodes() if n["op"] == "Placeholder"]
    names = [n for n in inputs if n.rpartition("/")[2].partition("_")[0] == "capture"]
    # Those that the program calls so are arguments, which come first.
    captured = names[len(names) - len(outer) :]
    return {f"{name}:0": known for name, known in zip(captured, outer, strict=True)}


def _inputs(region: Any) -> dict[str, set[str]]:
    """The inputs of a region that represent variables, with their handles in it."""
    noted = [n for key, n in _noted() if key[0] == region.graph_id and n.outer is not None]
    if not noted:
        return {}
    inner = {captured: name for name, captured in _captures(region).items()}
    return {n.tensor.name: {inner[h] for h in n.outer if h in inner} for n in noted}


def _noted() -> list[tuple[tuple, Noted]]:
    return list(MergedVariables.of_trace().tensors.items()) if _thread.trace is not None else []


def _handles(nodes: list[dict], name: str, inputs: dict[str, set[str]]) -> set[str]:
    """The handles, by the names that they have among these nodes, of which a value is a read; those
    of which ``inputs`` are, are known."""
    if name in inputs:
        return inputs[name]
    named = {node["name"]: node for node in nodes}
    maker, _, index = name.rpartition(":")
    node = named.get(maker)
    if node is None:
        return set()
    if node["op"] == "ReadVariableOp":
        return {node["input"][0]}
    if node["op"] in _HOLDING:
        return set().union(*(_handles(nodes, source, inputs) for source in node["input"]))
    found: set[str] = set()
    for region, outer in _regions(node):
        within = region.output_names()
        if len(within) != len(node["output"]):
            continue  # the condition of a loop
        inner = within[int(index)]
        if inner in outer:
            found |= _handles(nodes, outer[inner], inputs)
        found |= {outer[h] for h in _handles(region.nodes(), inner, {}) if h in outer}
    if node["op"].endswith("While"):
        found |= _handles(nodes, node["input"][int(index)], inputs)
    return found


def _is_used_late(nodes: list[dict], values: set[str], handles: set[str], at_end: bool) -> bool:
    """Whether one of some values is used, or ``at_end`` is, after a handle may be written."""
    written = False
    for node in nodes:
        is_used = not values.isdisjoint(node["input"])
        if written and is_used:
            return True
        if not node["writes"] or handles.isdisjoint(node["input"]):
            continue
        if node["op"] == "AssignVariableOp" and node["input"][1] in values:
            continue  # it then holds that value
        if is_used and any(_is_used_within(node, *r, values, handles) for r in _regions(node)):
            return True
        written = True
    return written and at_end


def _writes_within(node: dict, handles: set[str]) -> bool:
    """Whether an iteration of a loop may write one of some handles."""
    for graph, outer in _regions(node):
        within = {name for name, source in outer.items() if source in handles}
        if any(n["writes"] and not within.isdisjoint(n["input"]) for n in graph.nodes()):
            return True
    return False


def _regions(node: dict) -> list[tuple[Any, dict[str, str]]]:
    """The regions of an operation, each with what feeds its inputs, by their names in it."""
    found = []
    for graph, fed in zip(node["regions"], node["region_inputs"], strict=True):
        given = (node["input"][i] for i in fed)
        found.append((graph, dict(zip(graph.input_names(), given, strict=False))))
    return found


def _is_used_within(
    node: dict, graph: Any, outer: dict[str, str], values: set[str], handles: set[str]
) -> bool:
    """The same of a region of an operation; of a loop's whatever the order is."""
    inner = {name for name, source in outer.items() if source in values}
    within = {name for name, source in outer.items() if source in handles}
    nodes = graph.nodes()
    if node["op"].endswith("While"):
        writes = any(n["writes"] and not within.isdisjoint(n["input"]) for n in nodes)
        return writes and any(not inner.isdisjoint(n["input"]) for n in nodes)
    return _is_used_late(nodes, inner, within, not inner.isdisjoint(graph.output_names()))
