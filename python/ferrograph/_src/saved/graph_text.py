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
from ..values.graph_messages import FIELDS
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

# How floats lie in bytes, and the kind of fields of one alone.
_FLOATS = {"float": ("<f", 5), "double": ("<d", 1)}


def _number(kind: str, value: int) -> str:
    if kind == "bool":
        return "true" if value else "false"
    if kind == "unsigned":
        return str(value)
    signed = value - (1 << 64) if value >> 63 else value
    if kind == "type" and 0 <= signed < len(_DTYPES):
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


def _fields_of(kind: str) -> dict[int, tuple[str, str]] | None:
    """The fields of messages of a kind, or of the entries of a map; None of scalars."""
    form, _, of = kind.rpartition(" ")
    if form.startswith("map "):
        return {1: ("key", form[4:]), 2: ("value", of)}
    return FIELDS.get(of)


def _ordered(known: dict[int, tuple[str, str]], content: bytes) -> list[tuple[Any, ...]]:
    """The fields of a message, each run of entries of one mapping by their keys."""

    def place(field: tuple[Any, ...]) -> tuple[Any, ...]:
        number, _, value, _ = field
        if not known.get(number, ("", ""))[1].startswith("map "):
            return ()
        return next((entry[2] for entry in fields(value) if entry[0] == 1), b""), value

    found: list[tuple[Any, ...]] = []
    for _, run in itertools.groupby(fields(content), key=lambda field: field[0]):
        found += sorted(run, key=place)
    return found


def _lines(message: str, content: bytes, indent: str) -> Iterator[str]:
    known, name = _fields_of(message) or {}, message.rpartition(" ")[2]
    for number, wire, value, _ in _ordered(known, content):
        if number not in known:
            raise ValueError(
                f"the graph has a field {number} in a message {name} that text can't be made "
                "of: write it with as_text=False"
            )
        label, kind = known[number]
        if _fields_of(kind) is not None:
            yield f"{indent}{label} {{"
            yield from _lines(kind, value, indent + "  ")
            yield f"{indent}}}"
        else:
            for text in _scalars(kind.rpartition(" ")[2], wire, value):
                yield f"{indent}{label}: {text}"


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
