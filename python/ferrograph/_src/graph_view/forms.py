"""Forms of a finished graph: its message as objects with the documented fields, what is declared of
its operations, and drawings as DOT for Graphviz and as HTML for notebooks.

Drawings show nodes in program order with their types and the lines that they come from, and the
graphs that a node holds inside it. Names come from the program, so that all text is escaped.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from html import escape
from typing import NamedTuple

from ..hints import Any
from ..native import _core
from ..values.dtypes import as_dtype
from ..values.graph_messages import FIELDS
from ..values.wire import SCALARS
from ..values.wire import fields as fields_of

__all__ = ["ArgDef", "AttrDef", "GraphDef", "NodeDef", "OpDef"]
__all__ += ["function_def", "graph_message", "op_def", "to_dot", "to_html"]


_FLOATS = {"float": "<f", "double": "<d"}


def _packed(kind: str, form: int, value: Any) -> list:
    """The items of a list of numbers, which stand one by one or together."""
    if kind in _FLOATS:
        return [number for (number,) in struct.iter_unpack(_FLOATS[kind], value)]
    items = SCALARS["int64"].read(form, value)
    return [_READERS[kind](item % 2**64) for item in items]


class Message:
    """A message with its fields as attributes; those that are missing have their defaults."""

    # Of each field by its number: its name, and its kind.
    FIELDS: dict[int, tuple[str, str]] = {}

    def __init__(self, data: bytes = b"", **fields: Any):
        self._data = data
        self._given = set(fields)
        for name, kind in self.FIELDS.values():
            setattr(self, name, fields[name] if name in fields else _default(kind))
        for number, wired, value, _ in fields_of(data):
            if number in self.FIELDS:
                self._read(*self.FIELDS[number], wired, value)

    def _read(self, name: str, kind: str, wired: int, value: Any) -> None:
        self._given.add(name)
        form, _, of = kind.rpartition(" ")
        if form.startswith("map "):
            entry = {number: part for number, _, part, _ in fields_of(value)}
            parts = zip((form[4:], of), (1, 2), strict=True)
            key, held = (_READERS[k](entry[n]) if n in entry else _default(k) for k, n in parts)
            getattr(self, name)[key] = held
        elif form == "list":
            getattr(self, name).append(_READERS[of](value))
        elif form == "packed":
            getattr(self, name).extend(_packed(of, wired, value))
        else:
            setattr(self, name, _READERS[of](value))

    def HasField(self, name: str) -> bool:
        """Whether the message says that field. ValueError for a field that it does not have."""
        if all(name != known for known, _ in self.FIELDS.values()):
            raise ValueError(f"{type(self).__name__} has no field {name!r}")
        return name in self._given

    def SerializeToString(self) -> bytes:
        """The bytes of the message. ValueError for one that was not read from bytes."""
        if self._given and not self._data:
            raise ValueError("this message was made of a function's graph, which has the bytes")
        return self._data

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(self._data)

    def __repr__(self) -> str:
        fields = (field for field in self.FIELDS.values() if field[0] in self._given)
        return "".join(_shown(name, kind, getattr(self, name)) for name, kind in fields)


def _shown(name: str, kind: str, value: Any) -> str:
    """A field in the text form of messages."""
    of = kind.rpartition(" ")[2]
    if isinstance(value, list):
        return "".join(_shown(name, of, item) for item in value)
    if isinstance(value, dict):
        key = kind.split(" ")[1]
        parts = [_shown("key", key, k) + _shown("value", of, v) for k, v in value.items()]
        return "".join(f"{name} {_block(part)}\n" for part in parts)
    if isinstance(value, Message):
        return f"{name} {_block(repr(value))}\n"
    if of == "type":
        value = "DT_" + _TYPES.get(as_dtype(value).name, as_dtype(value).name.upper())
    elif of == "text":
        value = f'"{value}"'
    return f"{name}: {value}\n"


def _block(text: str) -> str:
    return "{\n" + "".join(f"  {line}\n" for line in text.splitlines()) + "}"


_TYPES = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}


class AttrValue(Message):
    """The value of an attribute, in the field of its kind."""

    FIELDS = FIELDS["AttrValue"]

    def WhichOneof(self, group: str) -> str | None:
        """The field that the value is in, for the group ``value``."""
        if group != "value":
            raise ValueError(f"AttrValue has no group {group!r}")
        return next(iter(self._given), None)

    def _plain(self) -> Any:
        """What ``Operation.get_attr`` gives: dtypes as such, lists as lists, else the field."""
        kind = self.WhichOneof("value")
        if kind is None:
            return None
        if kind == "type":
            return as_dtype(self.type)
        if kind != "list":
            return getattr(self, kind)
        name = next(iter(self.list._given), None)
        items = [] if name is None else list(getattr(self.list, name))
        return [as_dtype(item) for item in items] if name == "type" else items


_MESSAGES: dict[str, Any] = {
    name: type(name, (Message,), {"FIELDS": known}) for name, known in FIELDS.items()
}
_READERS: dict[str, Callable[..., Any]] = {
    "int": lambda value: SCALARS["int64"].read(0, value)[0],
    "type": int,
    "unsigned": int,
    **{k: lambda value, how=how: struct.unpack(how, value)[0] for k, how in _FLOATS.items()},
    "bool": bool,
    "text": bytes.decode,
    "bytes": bytes,
    **_MESSAGES,
    "AttrValue": AttrValue,
}
_DEFAULTS = {
    **dict.fromkeys(("int", "type", "unsigned"), 0),
    "float": 0.0,
    "double": 0.0,
    "bool": False,
    "text": "",
    "bytes": b"",
}


def _default(kind: str) -> Any:
    """What a field holds that is missing."""
    if kind in _DEFAULTS:
        return _DEFAULTS[kind]
    form, _, of = kind.rpartition(" ")
    return {} if form.startswith("map ") else [] if form else _READERS[of]()


def graph_message(data: bytes) -> Any:
    """The message of a graph in these bytes: ``node``, ``library``, ``versions``."""
    return _MESSAGES["Graph"](data)


class NodeDef:
    """A node as a GraphDef lists it: ``name``, ``op``, ``input``, ``device``, ``attr``.

    The attributes of a graph that is still being built, or has no message, are text in ``s``.
    """

    def __init__(self, node: dict, attributes: dict[str, Any]):
        self.name: str = node["name"]
        self.op: str = node["op"]
        self.input: list[str] = [i.removesuffix(":0") for i in node["input"]]
        self.input += [f"^{c}" for c in node["control"]]
        self.device = ""
        self.attr: dict[str, Any] = attributes or {
            key: AttrValue(s=str(text).encode()) for key, text in node["attr"].items()
        }

    def __repr__(self) -> str:
        return f"NodeDef(name={self.name!r}, op={self.op!r}, input={self.input!r})"


class GraphDef:
    """A graph as files hold it: ``node``, the functions of its nodes in ``library``, ``versions``.

    Branches and bodies of loops are functions of the library. It is empty while the graph is built.
    """

    def __init__(self, nodes: list[dict], attributes: dict, message: Any, handle: Any = None):
        self.node = [NodeDef(n, attributes.get(n["name"], {})) for n in nodes]
        self.library, self.versions = message.library, message.versions
        self._handle = handle

    def SerializeToString(self) -> bytes:
        """The bytes of the public message, which `graph_util.import_graph_def` reads.

        ValueError for a graph that is still being built, UnimplementedError for an operation that
        no message can hold.
        """
        if self._handle is None:
            raise ValueError("a graph that is still being built has no bytes")
        return _core.graph_def_bytes(self._handle)


def function_def(graph: Any) -> Any:
    """A graph in the form of a function: ``signature``, ``node_def``, and in ``ret`` the tensor of
    each result; arguments are no nodes of it."""
    taken = [_argument_of(tensor.name.partition(":")[0], tensor) for tensor in graph.inputs]
    given = [(f"identity_{i}" if i else "identity", t) for i, t in enumerate(graph.outputs)]
    names = {argument.name for argument in taken}
    nodes = [node for node in graph.as_graph_def().node if node.name not in names]
    for node in nodes:
        node.input = [_source(graph, name, names) for name in node.input]
    results = [_argument_of(*pair) for pair in given]
    signature = _MESSAGES["Signature"](name=graph.name, input_arg=taken, output_arg=results)
    ret = {name: _source(graph, tensor.name, names) for name, tensor in given}
    return _MESSAGES["FunctionDef"](signature=signature, node_def=nodes, ret=ret)


def _argument_of(name: str, tensor: Any) -> Any:
    return _MESSAGES["ArgDef"](name=name, type=tensor.dtype.as_datatype_enum)


def _source(graph: Any, name: str, arguments: set[str]) -> str:
    """Where a value in a function comes from: an argument, or ``node:output:number``."""
    node, _, number = name.partition(":")
    if name.startswith("^") or node in arguments:
        return node
    op, index = graph.get_operation_by_name(node), int(number or 0)
    outputs = op.op_def.output_arg if op.op_def is not None else []
    if len(outputs) == 1:
        return f"{node}:{outputs[0].name}:{index}"
    if len(outputs) == len(op.outputs):
        return f"{node}:{outputs[index].name}:0"
    return f"{node}:output:{index}"


class ArgDef(NamedTuple):
    """An input or output of an operation.

    Attributes:
      name: its name.
      type: the dtype, where there is only one that it may have; else None.
      type_attr: the attribute that says its dtype.
      number_attr: the attribute that says how many tensors of one dtype it is.
      type_list_attr: the attribute that lists the dtypes of its tensors.
    """

    name: str
    type: Any = None
    type_attr: str = ""
    number_attr: str = ""
    type_list_attr: str = ""


class AttrDef(NamedTuple):
    """An attribute.

    Attributes:
      name: its name.
      type: what it holds: ``"int"``, ``"type"``, ``"list(shape)"``.
      default_value: what it holds where it is not said, or None.
    """

    name: str
    type: str
    default_value: Any = None


class OpDef(NamedTuple):
    """An operation as it is declared.

    Attributes:
      name: its public name.
      input_arg: its inputs.
      output_arg: its outputs.
      attr: its attributes, those that say dtypes and numbers of tensors first.
      summary: what it does.
    """

    name: str
    input_arg: tuple[ArgDef, ...]
    output_arg: tuple[ArgDef, ...]
    attr: tuple[AttrDef, ...]
    summary: str


def op_def(name: str) -> OpDef | None:
    """What is declared of the operation of that name; None where there is none."""
    declared = _core.op_declaration(name)
    if declared is None:
        return None
    inputs, attrs, outputs, doc = declared
    ports = [*inputs, *outputs]
    implied = {
        var: "list(type)" if form == "each" else "type" for _, form, _, var, _ in ports if var
    }
    implied.update({count: "int" for *_, count in ports if count})
    made = [AttrDef(var, kind) for var, kind in implied.items()]
    made += [
        AttrDef(attr, _kind(kind), value if has_default else None)
        for attr, kind, has_default, value in attrs
        if attr not in implied
    ]
    taken, given = (tuple(map(_port, declared)) for declared in (inputs, outputs))
    return OpDef(name, taken, given, tuple(made), doc)


def _port(port: tuple) -> ArgDef:
    name, form, dtypes, var, count = port
    if form == "each":
        return ArgDef(name, type_list_attr=var or "")
    only = dtypes[0] if len(dtypes) == 1 and not var else None
    return ArgDef(name, only, var or "", count or "")


_KINDS = {"dtype": "type", "graph": "func", "str": "string"}
_PLURALS = {f"{kind}s": kind for kind in ("bool", "float", "int", "shape", "tensor", *_KINDS)}


def _kind(kind: str) -> str:
    """The public name of a kind of attributes: ``ints`` are a ``list(int)``."""
    one = _PLURALS.get(kind, kind)
    public = _KINDS.get(one, one)
    return public if one == kind else f"list({public})"


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
