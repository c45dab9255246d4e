"""What operation made a tensor, in the graph of the function or in a region under construction."""

from __future__ import annotations

import re
from typing import Any

from .journal import thread as _thread

_CAPTURE = r"capture(_\d+)?"  # the names of what stands in a region for tensors from outside


def made_by(tensor: Any) -> tuple[str, list] | None:
    """The type of the operation that made a tensor, and its inputs; None where nobody can tell.

    What a region has from outside is made of the tensor outside.
    """
    try:
        operation = tensor.op
    except AttributeError:  # of a region, or of a graph that is finished
        return _in_region(tensor)
    return operation.type, list(operation.inputs)


def _in_region(tensor: Any) -> tuple[str, list] | None:
    graph = tensor._graph_id
    traced = next((t for t in reversed(_thread.regions) if t.region.graph_id == graph), None)
    if traced is None:
        return None
    name = tensor.name
    if name not in traced.made_by:
        traced.made_by = _table(traced.region)
    return traced.made_by.get(name)


def _table(region: Any) -> dict[str, tuple[str, list]]:
    """What made each tensor of a region so far, by its name."""
    nodes, outer = region.nodes(), iter(region.captured())
    tensors = {t.name: t for made in region.tensors() for t in made}
    found = {}
    for node in nodes:
        inputs = [tensors[name] for name in node["input"]]
        if node["op"] == "Placeholder" and re.fullmatch(_CAPTURE, node["name"]):
            found[f"{node['name']}:0"] = "Identity", [next(outer)]
            continue
        made = node["op"], inputs
        found.update((f"{node['name']}:{i}", made) for i in range(len(node["output"])))
    return found
