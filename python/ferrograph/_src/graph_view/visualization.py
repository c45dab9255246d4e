"""Drawings of graphs: as DOT for Graphviz, and as HTML for notebooks.

Both show nodes in program order with their types and the lines that they come from, and the graphs
that a node holds inside it. Names come from the program, so that all text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..hints import Any

__all__ = ["to_dot", "to_html"]

_STYLE = (
    "table.fg{border-collapse:collapse;font:12px monospace}"
    "table.fg td,table.fg th{padding:1px 8px;text-align:left;vertical-align:top}"
    "table.fg tr:nth-child(even){background:#8882}"
)


def to_dot(source: Any) -> str:
    """The graph of a handle in the DOT language: a box a node, a cluster a graph that one holds."""
    lines = [
        f"digraph {_quoted(source.name)} {{",
        "  node [shape=box, fontname=monospace, fontsize=10]",
        "  edge [fontname=monospace, fontsize=8]",
        *_body(source, "n", "  "),
        "}",
    ]
    return "\n".join(lines)


def _body(source: Any, prefix: str, indent: str) -> Iterator[str]:
    """The nodes and edges of a graph; ``prefix`` tells its nodes from those of others."""
    nodes = source.nodes()
    ids = {node["name"]: f"{prefix}{i}" for i, node in enumerate(nodes)}
    types = {node["name"]: node["output"] for node in nodes}
    for node in nodes:
        yield from _box(node, ids[node["name"]], indent)
    for node in nodes:
        yield from _edges(node, types, ids, indent)


def _box(node: dict, name: str, indent: str) -> Iterator[str]:
    label = f"{node['op']}\n{node['name']}" if node["op"] != node["name"] else node["op"]
    box = f"{indent}{name} [label={_quoted(label)}, tooltip={_quoted(_line(node))}]"
    if not node["regions"]:
        yield box
        return
    yield f"{indent}subgraph cluster_{name} {{"
    yield f"{indent}  style=rounded"
    yield f"  {box}"
    for i, region in enumerate(node["regions"]):
        yield f"{indent}  subgraph cluster_{name}_{i} {{"
        yield f"{indent}    label={_quoted(region.name)}"
        yield from _body(region, f"{name}_{i}_", indent + "    ")
        yield f"{indent}  }}"
    yield f"{indent}}}"


def _edges(node: dict, types: dict[str, list], ids: dict[str, str], indent: str) -> Iterator[str]:
    to = ids[node["name"]]
    for taken in node["input"]:
        name, _, output = taken.rpartition(":")
        label = _quoted(_type(types[name][int(output)]))
        yield f"{indent}{ids[name]} -> {to} [label={label}]"
    for name in node["control"]:
        yield f"{indent}{ids[name]} -> {to} [style=dotted]"


def to_html(source: Any) -> str:
    """The graph of a handle as a table without anything from elsewhere: a row a node."""
    head = f"graph {source.name}"
    return f"<style>{_STYLE}</style><div><b>{escape(head)}</b>{_table(source)}</div>"


def _table(source: Any) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("name", "operation", "inputs", "gives", "line"))
    rows = "".join(map(_row, source.nodes()))
    returned = escape(", ".join(source.output_names()))
    return f'<table class="fg"><tr>{heads}</tr>{rows}</table><div>returns {returned}</div>'


def _row(node: dict) -> str:
    inputs = [*node["input"], *(f"after {name}" for name in node["control"])]
    cells = (
        node["name"],
        node["op"],
        ", ".join(inputs),
        ", ".join(map(_type, node["output"])),
        _line(node),
    )
    row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr>{row}</tr>" + "".join(map(_held, node["regions"]))


def _held(region: Any) -> str:
    return (
        f'<tr><td colspan="5"><details><summary>{escape(region.name)}</summary>'
        f"{_table(region)}</details></td></tr>"
    )


def _type(output: tuple) -> str:
    dtype, shape = output
    dims = "?" if shape.rank is None else ", ".join("?" if d is None else str(d) for d in shape)
    return f"{dtype.name} [{dims}]"


def _line(node: dict) -> str:
    if node["origin"] is None:
        return ""
    file, line, function = node["origin"]
    return f"{file}:{line} in {function}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
