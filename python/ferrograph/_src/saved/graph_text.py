"""``write_graph``: a graph in a file, as bytes or as text that people read."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterator
from typing import Any

from ..checkpoint.paths import file_errors, path_text
from ..graph_view.graph import Graph
from ..native import _core
from ..ops._dispatch import told
from ..values.errors import shown
from ..values.public import public
from ..values.wire import fields, quoted

__all__ = ["write_graph"]

# The names of dtypes by their numbers.
_DTYPES = [
    "INVALID",
    "FLOAT",
    "DOUBLE",
    "INT32",
    "UINT8",
    "INT16",
    "INT8",
    "STRING",
    "COMPLEX64",
    "INT64",
    "BOOL",
    "QINT8",
    "QUINT8",
    "QINT32",
    "BFLOAT16",
    "QINT16",
    "QUINT16",
    "UINT16",
    "COMPLEX128",
    "HALF",
    "RESOURCE",
    "VARIANT",
    "UINT32",
    "UINT64",
]

# Of each message its fields by their numbers: their names, and their kinds or the messages that
# they are; `map_K_V` is one entry of a mapping.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "Graph": {
        1: ("node", "Node"),
        2: ("library", "Library"),
        3: ("version", "int"),
        4: ("versions", "Versions"),
    },
    "Versions": {1: ("producer", "int"), 2: ("min_consumer", "int"), 3: ("bad_consumers", "int")},
    "Library": {
        1: ("function", "Function"),
        2: ("gradient", "Gradient"),
        3: ("registered_gradients", "RegisteredGradient"),
    },
    "Gradient": {1: ("function_name", "text"), 2: ("gradient_func", "text")},
    "RegisteredGradient": {1: ("gradient_func", "text"), 2: ("registered_op_type", "text")},
    "Function": {
        1: ("signature", "Op"),
        3: ("node_def", "Node"),
        4: ("ret", "map_text_text"),
        5: ("attr", "map_text_Attr"),
        6: ("control_ret", "map_text_text"),
        7: ("arg_attr", "map_int_ArgAttrs"),
        8: ("resource_arg_unique_id", "map_int_int"),
    },
    "ArgAttrs": {1: ("attr", "map_text_Attr")},
    "Op": {
        1: ("name", "text"),
        2: ("input_arg", "Arg"),
        3: ("output_arg", "Arg"),
        4: ("attr", "AttrDef"),
        5: ("summary", "text"),
        6: ("description", "text"),
        16: ("is_aggregate", "bool"),
        17: ("is_stateful", "bool"),
        18: ("is_commutative", "bool"),
        19: ("allows_uninitialized_input", "bool"),
        20: ("control_output", "text"),
        21: ("is_distributed_communication", "bool"),
    },
    "AttrDef": {
        1: ("name", "text"),
        2: ("type", "text"),
        3: ("default_value", "Attr"),
        4: ("description", "text"),
        5: ("has_minimum", "bool"),
        6: ("minimum", "int"),
        7: ("allowed_values", "Attr"),
    },
    "Arg": {
        1: ("name", "text"),
        2: ("description", "text"),
        3: ("type", "dtype"),
        4: ("type_attr", "text"),
        5: ("number_attr", "text"),
        6: ("type_list_attr", "text"),
        16: ("is_ref", "bool"),
        17: ("experimental_full_type", "FullType"),
    },
    "FullType": {1: ("type_id", "int"), 2: ("args", "FullType"), 3: ("s", "text"), 4: ("i", "int")},
    "Node": {
        1: ("name", "text"),
        2: ("op", "text"),
        3: ("input", "text"),
        4: ("device", "text"),
        5: ("attr", "map_text_Attr"),
        6: ("experimental_debug_info", "NodeOrigin"),
        7: ("experimental_type", "FullType"),
    },
    "NodeOrigin": {1: ("original_node_names", "text"), 2: ("original_func_names", "text")},
    "Attr": {
        1: ("list", "AttrList"),
        2: ("s", "bytes"),
        3: ("i", "int"),
        4: ("f", "float"),
        5: ("b", "bool"),
        6: ("type", "dtype"),
        7: ("shape", "Shape"),
        8: ("tensor", "Tensor"),
        9: ("placeholder", "text"),
        10: ("func", "Called"),
    },
    "AttrList": {
        2: ("s", "bytes"),
        3: ("i", "int"),
        4: ("f", "float"),
        5: ("b", "bool"),
        6: ("type", "dtype"),
        7: ("shape", "Shape"),
        8: ("tensor", "Tensor"),
        9: ("func", "Called"),
    },
    "Called": {1: ("name", "text"), 2: ("attr", "map_text_Attr")},
    "Shape": {2: ("dim", "Dim"), 3: ("unknown_rank", "bool")},
    "Dim": {1: ("size", "int"), 2: ("name", "text")},
    "Tensor": {
        1: ("dtype", "dtype"),
        2: ("tensor_shape", "Shape"),
        3: ("version_number", "int"),
        4: ("tensor_content", "bytes"),
        5: ("float_val", "float"),
        6: ("double_val", "double"),
        7: ("int_val", "int"),
        8: ("string_val", "bytes"),
        9: ("scomplex_val", "float"),
        10: ("int64_val", "int"),
        11: ("bool_val", "bool"),
        12: ("dcomplex_val", "double"),
        13: ("half_val", "int"),
        16: ("uint32_val", "unsigned"),
        17: ("uint64_val", "unsigned"),
        18: ("float8_val", "bytes"),
    },
}

for _key, _value in [("text", "text"), ("text", "Attr"), ("int", "ArgAttrs"), ("int", "int")]:
    _MESSAGES[f"map_{_key}_{_value}"] = {1: ("key", _key), 2: ("value", _value)}

# How floats lie in bytes, and the kind of fields of one alone.
_FLOATS = {"float": ("<f", 5), "double": ("<d", 1)}


def _number(kind: str, value: int) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if kind == "unsigned":
        return str(value)
    signed = value - (1 << 64) if value >> 63 else value
    if kind == "dtype" and 0 <= signed < len(_DTYPES):
        return f"DT_{_DTYPES[signed]}"
    return str(signed)


def _float(form: str, content: bytes) -> Iterator[str]:
    for (value,) in struct.iter_unpack(form, content):
        yield repr(value)


def _scalars(kind: str, wire: int, value: Any) -> Iterator[str]:
    """The values of a field as text: one, or all of a packed list."""
    if kind in ("text", "bytes"):
        yield quoted(value)
    elif kind in _FLOATS:
        yield from _float(_FLOATS[kind][0], value)
    elif wire == 2:
        for number in _core.unpack_varints(value):
            yield _number(kind, number & (1 << 64) - 1)
    else:
        yield _number(kind, value)


def _ordered(message: str, content: bytes) -> list[tuple[Any, ...]]:
    """The fields of a message, each run of entries of one mapping by their keys."""
    known = _MESSAGES[message]

    def place(field: tuple[Any, ...]) -> tuple[Any, ...]:
        number, _, value, _ = field
        if not known.get(number, ("", ""))[1].startswith("map_"):
            return ()
        return next((entry[2] for entry in fields(value) if entry[0] == 1), b""), value

    found: list[tuple[Any, ...]] = []
    for _, run in itertools.groupby(fields(content), key=lambda field: field[0]):
        found += sorted(run, key=place)
    return found


def _lines(message: str, content: bytes, indent: str) -> Iterator[str]:
    known = _MESSAGES[message]
    for number, wire, value, _ in _ordered(message, content):
        if number not in known:
            raise ValueError(
                f"the graph has a field {number} in a message {message} that text can't be made "
                "of: write it with as_text=False"
            )
        name, kind = known[number]
        if kind in _MESSAGES:
            yield f"{indent}{name} {{"
            yield from _lines(kind, value, indent + "  ")
            yield f"{indent}}}"
        else:
            for text in _scalars(kind, wire, value):
                yield f"{indent}{name}: {text}"


@public("io.write_graph")
@told
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph to a file; its path.

    The file has the bytes of a GraphDef, or the same as text. It is written beside its place first:
    what has that name is whole at any moment.

    >>> import tempfile
    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32, "x"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.io.write_graph(f.graph, folder, "graph.pbtxt")
    ...     print(open(path).read()[:38])
    node {
      name: "x"
      op: "Placeholder"

    Args:
      graph_or_graph_def: a `Graph`, what its ``as_graph_def`` gives, or another such message with
        ``SerializeToString``.
      logdir: the folder, which is made where it is not there.
      name: the name of the file in it.
      as_text: whether to write text rather than bytes.

    Raises:
      TypeError: for another argument than a graph.
      UnimplementedError: for an operation that no message can hold.
    """
    graph = graph_or_graph_def
    message = graph.as_graph_def() if isinstance(graph, Graph) else graph
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"graph_or_graph_def must be a Graph or a GraphDef, got {shown(graph)}")
    content = message.SerializeToString()
    if as_text:
        content = "".join(f"{line}\n" for line in _lines("Graph", content, "")).encode()
    path = os.path.join(path_text(logdir), name)
    draft = f"{path}.tmp{os.getpid()}"
    with file_errors():
        os.makedirs(path_text(logdir), exist_ok=True)
        try:
            with open(draft, "wb") as file:
                file.write(content)
            os.replace(draft, path)
        finally:
            if os.path.exists(draft):
                os.remove(draft)
    return path
