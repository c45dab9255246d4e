"""The message of a graph as objects with the documented fields: nodes, attributes, functions."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from ..hints import Any
from ..values.dtypes import as_dtype

__all__ = ["AttrValue", "Message", "graph_message"]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = data[at]
        found |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return found, at


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The numbers and values of the fields of a message: integers, and bytes for all others."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value: Any
            value, at = _varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(kind)
            if length is None:
                length, at = _varint(data, at)
            value, at = data[at : at + length], at + length
        yield key >> 3, value


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _packed(item: Callable, size: int) -> Callable:
    """The items of a list, which stand one by one or together."""

    def read(value: Any) -> list:
        if isinstance(value, int):
            return [item(value)]
        if size:
            return [item(value[i : i + size]) for i in range(0, len(value), size)]
        found, at = [], 0
        while at < len(value):
            number, at = _varint(value, at)
            found.append(item(number))
        return found

    return read


def _float(value: bytes) -> float:
    return struct.unpack("<f", value)[0]


def _same(value: Any) -> Any:
    return value


class Message:
    """A message with its fields as attributes; those that are missing have their defaults."""

    # Of each field by its number: its name, and its kind.
    FIELDS: dict[int, tuple[str, str]] = {}

    def __init__(self, data: bytes = b""):
        self._data = data
        self._given: set[str] = set()
        for name, kind in self.FIELDS.values():
            setattr(self, name, _DEFAULTS.get(kind, _nothing)(kind))
        for number, value in _fields(data):
            if number in self.FIELDS:
                self._read(*self.FIELDS[number], value)

    def _read(self, name: str, kind: str, value: Any) -> None:
        self._given.add(name)
        if kind.startswith("map "):
            entry = dict(_fields(value))
            item = _READERS[kind.removeprefix("map ")]
            getattr(self, name)[entry.get(1, b"").decode()] = item(entry.get(2, b""))
        elif kind.startswith("list "):
            getattr(self, name).append(_READERS[kind.removeprefix("list ")](value))
        elif kind.startswith("packed "):
            getattr(self, name).extend(_PACKED[kind](value))
        else:
            setattr(self, name, _READERS[kind](value))

    def HasField(self, name: str) -> bool:
        """Whether the message says that field. ValueError for a field that it does not have."""
        if all(name != known for known, _ in self.FIELDS.values()):
            raise ValueError(f"{type(self).__name__} has no field {name!r}")
        return name in self._given

    def SerializeToString(self) -> bytes:
        """The bytes of the message."""
        return self._data

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._data == self._data

    def __hash__(self) -> int:
        return hash(self._data)

    def __repr__(self) -> str:
        said = (f"{n}={getattr(self, n)!r}" for n, _ in self.FIELDS.values() if n in self._given)
        return f"{type(self).__name__}({', '.join(said)})"


class ShapeDim(Message):
    """A dimension: ``size``, -1 for an unknown one, and ``name``."""

    FIELDS = {1: ("size", "int"), 2: ("name", "text")}


class TensorShapeProto(Message):
    """A shape: ``dim``, ``unknown_rank``."""

    FIELDS = {2: ("dim", "list ShapeDim"), 3: ("unknown_rank", "bool")}


class TensorProto(Message):
    """A constant: ``dtype``, ``tensor_shape``, and its elements, mostly ``tensor_content``."""

    FIELDS = {
        1: ("dtype", "int"),
        2: ("tensor_shape", "TensorShapeProto"),
        4: ("tensor_content", "bytes"),
        8: ("string_val", "list bytes"),
    }


class NameAttrList(Message):
    """A function: ``name``, ``attr``."""

    FIELDS = {1: ("name", "text"), 2: ("attr", "map AttrValue")}


class ListValue(Message):
    """A list of values of one kind."""

    FIELDS = {
        2: ("s", "list bytes"),
        3: ("i", "packed int"),
        4: ("f", "packed float"),
        5: ("b", "packed bool"),
        6: ("type", "packed int"),
        7: ("shape", "list TensorShapeProto"),
        8: ("tensor", "list TensorProto"),
        9: ("func", "list NameAttrList"),
    }


class AttrValue(Message):
    """The value of an attribute, in the field of its kind."""

    FIELDS = {
        1: ("list", "ListValue"),
        2: ("s", "bytes"),
        3: ("i", "int"),
        4: ("f", "float"),
        5: ("b", "bool"),
        6: ("type", "int"),
        7: ("shape", "TensorShapeProto"),
        8: ("tensor", "TensorProto"),
        9: ("placeholder", "text"),
        10: ("func", "NameAttrList"),
    }

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
        given = self.list
        name = next(iter(given._given), None)
        items = [] if name is None else list(getattr(given, name))
        return [as_dtype(item) for item in items] if name == "type" else items


class NodeDef(Message):
    """A node: ``name``, ``op``, ``input``, ``device``, ``attr``."""

    FIELDS = {
        1: ("name", "text"),
        2: ("op", "text"),
        3: ("input", "list text"),
        4: ("device", "text"),
        5: ("attr", "map AttrValue"),
    }


class ArgDef(Message):
    """An argument or a result of a function: ``name``, ``type``."""

    FIELDS = {1: ("name", "text"), 2: ("description", "text"), 3: ("type", "int")}


class Signature(Message):
    """What a function takes and gives: ``name``, ``input_arg``, ``output_arg``."""

    FIELDS = {
        1: ("name", "text"),
        2: ("input_arg", "list ArgDef"),
        3: ("output_arg", "list ArgDef"),
        17: ("is_stateful", "bool"),
    }


class FunctionDef(Message):
    """A function of a library: ``signature``, ``node_def``, ``ret``, ``attr``."""

    FIELDS = {
        1: ("signature", "Signature"),
        3: ("node_def", "list NodeDef"),
        4: ("ret", "map text"),
        5: ("attr", "map AttrValue"),
        6: ("control_ret", "map text"),
    }


class GradientDef(Message):
    """The gradient of a function of a library: ``function_name``, ``gradient_func``."""

    FIELDS = {1: ("function_name", "text"), 2: ("gradient_func", "text")}


class RegisteredGradient(Message):
    """The gradient of a kind of operation: ``gradient_func``, ``registered_op_type``."""

    FIELDS = {1: ("gradient_func", "text"), 2: ("registered_op_type", "text")}


class FunctionDefLibrary(Message):
    """The functions that nodes refer to: ``function``, and their gradients."""

    FIELDS = {
        1: ("function", "list FunctionDef"),
        2: ("gradient", "list GradientDef"),
        3: ("registered_gradients", "list RegisteredGradient"),
    }


class VersionDef(Message):
    """For which readers a graph is written: ``producer``, ``min_consumer``."""

    FIELDS = {1: ("producer", "int"), 2: ("min_consumer", "int")}


class _Graph(Message):
    FIELDS = {
        1: ("node", "list NodeDef"),
        2: ("library", "FunctionDefLibrary"),
        4: ("versions", "VersionDef"),
    }


def _nothing(kind: str) -> Any:
    """The default of a field that is a list, a mapping or a message."""
    if kind.startswith(("list ", "packed ")):
        return []
    if kind.startswith("map "):
        return {}
    return _READERS[kind](b"")


_DEFAULTS: dict[str, Callable[[str], Any]] = {
    "int": lambda _: 0,
    "float": lambda _: 0.0,
    "bool": lambda _: False,
    "text": lambda _: "",
    "bytes": lambda _: b"",
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "int": _signed,
    "float": _float,
    "bool": bool,
    "text": bytes.decode,
    "bytes": _same,
    **{
        kind.__name__: kind
        for kind in (
            ArgDef,
            AttrValue,
            FunctionDef,
            FunctionDefLibrary,
            GradientDef,
            ListValue,
            NameAttrList,
            NodeDef,
            RegisteredGradient,
            ShapeDim,
            Signature,
            TensorProto,
            TensorShapeProto,
            VersionDef,
        )
    },
}
_PACKED: dict[str, Callable[[Any], list]] = {
    "packed int": _packed(_signed, 0),
    "packed bool": _packed(bool, 0),
    "packed float": _packed(_float, 4),
}


def graph_message(data: bytes) -> Any:
    """The message of a graph in these bytes: ``node``, ``library``, ``versions``."""
    return _Graph(data)
