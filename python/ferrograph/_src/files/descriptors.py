"""Descriptors of message classes and of map entries, for the protobuf library.

``google.protobuf`` reads and writes text and JSON of any message whose class has a descriptor. It
is imported here only where the program has done so itself: descriptors are made then of the fields
that the classes declare, one file for each class in a pool of their own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

__all__ = ["entry_class", "is_asked_for", "of_class"]

_KINDS = {"bytes": "TYPE_BYTES", "float": "TYPE_FLOAT", "int64": "TYPE_INT64"}
_pools: list[Any] = []


def is_asked_for() -> bool:
    """Whether the program uses protobuf's library."""
    return "google.protobuf.descriptor" in sys.modules


def of_class(cls: Any) -> Any:
    """The descriptor of a class of messages."""
    if not _pools:
        _pools.append(import_module("google.protobuf.descriptor_pool").DescriptorPool())
    return _described(cls, _pools[0])


def _described(cls: Any, pool: Any) -> Any:
    full = f"tensorflow.{cls.__name__}"
    try:
        return pool.FindMessageTypeByName(full)
    except KeyError:
        needed = {field.of for field in cls.FIELDS.values() if field.kind != "list"}
        for other in needed:
            _described(other, pool)
        pool.Add(_file(cls, sorted(_name_of(other) for other in needed)))
        return pool.FindMessageTypeByName(full)


def _name_of(cls: Any) -> str:
    return f"ferrograph/{cls.__name__}.proto"


def _file(cls: Any, needed: list[str]) -> Any:
    kinds = import_module("google.protobuf.descriptor_pb2")
    file = kinds.FileDescriptorProto(
        name=_name_of(cls), package="tensorflow", syntax="proto3", dependency=needed
    )
    message = file.message_type.add(name=cls.__name__)
    groups = list(dict.fromkeys(f.oneof for f in cls.FIELDS.values() if f.oneof))
    for group in groups:
        message.oneof_decl.add(name=group)
    codes = kinds.FieldDescriptorProto
    for name, field in cls.FIELDS.items():
        made = message.field.add(name=name, number=field.number)
        made.label = codes.LABEL_OPTIONAL if field.kind == "one" else codes.LABEL_REPEATED
        if field.oneof:
            made.oneof_index = groups.index(field.oneof)
        if field.kind == "list":
            made.type = getattr(codes, _KINDS[field.of])
            continue
        made.type, made.type_name = codes.TYPE_MESSAGE, f".tensorflow.{field.of.__name__}"
        if field.kind == "map":
            entry = message.nested_type.add(name=_entry_name(name))
            entry.options.map_entry = True
            optional = codes.LABEL_OPTIONAL
            entry.field.add(name="key", number=1, label=optional, type=codes.TYPE_STRING)
            value = entry.field.add(name="value", number=2, label=optional, type=made.type)
            value.type_name = made.type_name
            made.type_name = f".tensorflow.{cls.__name__}.{entry.name}"
    return file


def _entry_name(field: str) -> str:
    """The name of the entries of a map, as protobuf's compiler makes it."""
    return "".join(part.capitalize() for part in field.split("_")) + "Entry"


class _Entry:
    """A key and a message of a map, as a message of its own."""

    _of: Any
    DESCRIPTOR: Any

    def __init__(self, key: str = "", value: Any = None):
        self.key, self.value = key, self._of() if value is None else value

    def HasField(self, name: str) -> bool:  # noqa: N802
        """Whether the value was set; keys are always there."""
        return name == "value" and bool(self.value.ListFields())

    def SetInParent(self) -> None:  # noqa: N802
        """Nothing: an entry is put into its map by its reader."""

    def ListFields(self) -> list[tuple[Any, Any]]:  # noqa: N802
        """Key and value."""
        named = self.DESCRIPTOR.fields_by_name
        return [(named["key"], self.key), (named["value"], self.value)]


def entry_class(cls: Any, name: str) -> Any:
    """The class of the entries of a map in a class of messages."""
    descriptor = of_class(cls).fields_by_name[name].message_type
    of = cls.FIELDS[name].of
    return type(descriptor.name, (_Entry,), {"_of": of, "DESCRIPTOR": descriptor})
