"""Elements of lists of the graph that nobody reads: the graph fails where the list has none there.

An operation that nothing needs is not run. Where it may fail in plain Python, and what it gives is
not needed when its region ends, the graph asks in its place whether there is such an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .. import ops
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core

BEYOND, EMPTY = "IndexError: list index out of range", "IndexError: pop from empty list"
NO_PLACE = "IndexError: list assignment index out of range"


def note(element: Any, exists: Callable[[], Any], message: str) -> None:
    """Note an element, and what tells, in its graph, whether there is one."""
    if _thread.trace is not None and type(element) is _core.SymbolicTensor:
        text = diagnostic(here(), message, "Ask for the length of the list before.")
        found = (element.name, exists, text)
        _thread.trace.containers.elements.setdefault(element._graph_id, []).append(found)


def check(region: Any, outputs: Iterable[Any]) -> None:
    """Let a region, to which operations are added now, fail where it has to."""
    noted = _thread.trace.containers.elements.pop(region.graph_id, ())
    if not noted:
        return
    needed = _needed(region.nodes(), outputs)
    for name, exists, message in noted:
        if _node(name) not in needed:
            ops.Assert(exists(), [message])


def _needed(nodes: list[dict], outputs: Iterable[Any]) -> set[str]:
    """The names of the nodes that some outputs, and what has effects, need."""
    needed = {_node(v.name) for v in outputs if type(v) is _core.SymbolicTensor}
    for node in reversed(nodes):
        if node["writes"] or not node["output"]:
            needed.add(node["name"])
        if node["name"] in needed:
            needed.update(map(_node, (*node["input"], *node["control"])))
    return needed


def _node(name: str) -> str:
    return name.rpartition(":")[0] or name
