"""Events of a run, read from the records of event files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from ..data.files import TFRecordDataset
from ..values import wire
from .messages import PluginData, SummaryMetadata

__all__ = ["Event", "Summary", "tf_record_iterator"]

# The kinds of values of a summary, by the number of their field.
_KINDS = {2: "simple_value", 3: "obsolete_old_style_histogram", 4: "image", 5: "histo", 6: "audio"}
_KINDS[8] = "tensor"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


class Summary:
    """What was written at a step: ``value``."""

    class Value:
        """One value: its tag, its metadata, and what kind it is, with that kind's bytes."""

        def __init__(self) -> None:
            self.tag, self.node_name, self.metadata = "", "", SummaryMetadata()
            self._kind: str | None = None

        def WhichOneof(self, oneof_group: str) -> str | None:
            """The kind of the value; None for one without. ValueError for another group."""
            if oneof_group != "value":
                raise ValueError(f"a value of a summary has the group 'value', got {oneof_group!r}")
            return self._kind

        def HasField(self, field_name: str) -> bool:
            """Whether the value is of that kind."""
            return field_name == self._kind

        def _take(self, number: int, value: Any) -> None:
            if number == 1:
                self.tag = _text(value)
            elif number == 7:
                self.node_name = _text(value)
            elif number == 9:
                self.metadata = _metadata(value)
            elif number in _KINDS:
                self._kind = _KINDS[number]
                is_number = number == 2
                setattr(self, self._kind, struct.unpack("<f", value)[0] if is_number else value)

    def __init__(self) -> None:
        self.value: list[Summary.Value] = []

    def __bool__(self) -> bool:
        return bool(self.value)


def _metadata(content: bytes) -> SummaryMetadata:
    found = SummaryMetadata()
    for number, _, value, _ in wire.fields(content):
        if number == 1:
            plugin = {n: v for n, _, v, _ in wire.fields(value)}
            found.plugin_data = PluginData(_text(plugin.get(1, b"")), plugin.get(2, b""))
        elif number == 2:
            found.display_name = _text(value)
        elif number == 3:
            found.summary_description = _text(value)
        elif number == 4:
            found.data_class = value
    return found


class Event:
    """A record of an event file: ``wall_time``, ``step``, and one of ``file_version``,
    ``graph_def`` (bytes) and ``summary``.
    """

    def __init__(self) -> None:
        self.wall_time, self.step, self.file_version, self.graph_def = 0.0, 0, "", b""
        self.summary = Summary()

    @classmethod
    def FromString(cls, s: bytes) -> Event:
        """The event of these bytes. DecodeError for bytes that are none."""
        made = cls()
        for number, _, value, _ in wire.fields(bytes(s)):
            if number == 1:
                (made.wall_time,) = struct.unpack("<d", value)
            elif number == 2:
                made.step = value
            elif number == 3:
                made.file_version = _text(value)
            elif number == 4:
                made.graph_def = value
            elif number == 5:
                for _, _, content, _ in wire.fields(value):
                    made.summary.value.append(_value(content))
        return made


def _value(content: bytes) -> Summary.Value:
    made = Summary.Value()
    for number, _, value, _ in wire.fields(content):
        made._take(number, value)
    return made


def tf_record_iterator(path: str, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after the other. ``options`` names a compression."""
    for record in TFRecordDataset(path, compression_type=options):
        yield record.numpy()
