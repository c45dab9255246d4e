"""Messages: classes of records that are serialised as protocol buffers are."""

from __future__ import annotations

import functools
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..values import wire
from ..values.errors import shown
from ..values.wire import SCALARS, DecodeError
from . import descriptors
from .containers import Composites, Messages, Scalars

__all__ = ["Field", "Message"]

_M = TypeVar("_M", bound="Message")


class Field(NamedTuple):
    """A field of a class of messages.

    Attributes:
      number: its number on the wire.
      kind: "one" or "many" messages, a "map" of them by name, or "list" of scalars.
      of: the class of the messages, or the name of the scalars.
      oneof: the name of the fields of which there is one at most.
    """

    number: int
    kind: str
    of: Any
    oneof: str = ""


class Descriptor(NamedTuple):
    """What a class of messages is called."""

    name: str
    full_name: str


class _Described:
    """The descriptor of a class: its names, or the whole for programs that use protobuf."""

    def __get__(self, _: Any, cls: Any) -> Any:
        if descriptors.is_asked_for():
            return descriptors.of_class(cls)
        return Descriptor(cls.__name__, f"tensorflow.{cls.__name__}")


class Message:
    """What all messages have. A field that was not set holds its default, and is made by a change.

    Fields are given by their names; ``fields`` are those of the class.
    """

    FIELDS: ClassVar[dict[str, Field]] = {}
    DESCRIPTOR: ClassVar[Any] = _Described()
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *args: Any, **fields: Any):
        if args:
            raise TypeError("No positional arguments allowed")
        put = object.__setattr__
        put(self, "_held", {})
        put(self, "_offered", {})
        put(self, "_unknown", b"")
        put(self, "_owner", None)
        for name, value in fields.items():
            if value is not None:
                self._give(name, value)
            else:
                self._field(name)

    # Fields.

    def _field(self, name: str) -> Field:
        found = self.FIELDS.get(name)
        if found is None:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return found

    def _give(self, name: str, value: Any) -> None:
        """Set a field from an argument: a message or dict, a list, or a map."""
        field = self._field(name)
        held = getattr(self, name)
        if field.kind == "one":
            if isinstance(value, dict):
                value = field.of(**value)
            if not isinstance(value, field.of):
                raise TypeError(
                    "Parameter to initialize message field must be dict or instance of same "
                    f"class: expected {field.of} got {type(value)}."
                )
            held._touch()
            held.CopyFrom(value)
        elif field.kind == "map":
            held._update(value)
        else:
            held.extend(value)

    def __getattr__(self, name: str) -> Any:
        field = type(self).FIELDS.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self._held.get(name)
        if value is None:
            value = self._offered.get(name)
        if value is None:
            value = self._offered[name] = self._made(name, field)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.FIELDS})

    def _made(self, name: str, field: Field) -> Any:
        """The default of a field, which becomes the field's value when it is changed."""
        if field.kind == "one":
            made = field.of()
            object.__setattr__(made, "_owner", (self, name))
            return made
        if field.kind == "list":
            return Scalars(lambda: self._attach(name), SCALARS[field.of])
        if field.kind == "many":
            return Messages(lambda: self._attach(name), field.of)
        entry = functools.partial(descriptors.entry_class, type(self), name)
        return Composites(lambda: self._attach(name), field.of, entry)

    def _attach(self, name: str) -> None:
        """Make the default of a field its value, and this message one that is there."""
        if name in self._offered:
            oneof = self.FIELDS[name].oneof
            for other, field in self.FIELDS.items():
                if oneof and field.oneof == oneof:
                    self._detach(other)
            self._held[name] = self._offered.pop(name)
        self._touch()

    def _touch(self) -> None:
        """Tell the message around that this one was changed."""
        if self._owner is not None:
            owner, name = self._owner
            if owner._held.get(name) is not self:
                owner._attach(name)

    def _detach(self, name: str) -> None:
        value = self._held.pop(name, None)
        if isinstance(value, Message):
            object.__setattr__(value, "_owner", None)

    def __setattr__(self, name: str, value: Any) -> None:
        field = self.FIELDS.get(name)
        if field is None:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        what = "message field" if field.kind == "one" else "map, or repeated field"
        raise AttributeError(
            f'Assignment not allowed to {what} "{name}" in protocol message object.'
        )

    def _present(self) -> list[tuple[str, Field, Any]]:
        """The fields that are there, in the order of their numbers."""
        held = self._held
        found = [(n, f, held[n]) for n, f in self.FIELDS.items() if n in held]
        there = [(n, f, v) for n, f, v in found if f.kind == "one" or len(v)]
        return sorted(there, key=lambda entry: entry[1].number)

    # What the methods of messages are called is given.

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Whether a field that holds a message is there."""
        field = self._field(field_name)
        if field.kind != "one":
            full = f"{self.DESCRIPTOR.full_name}.{field_name}"
            raise ValueError(f"Field {full} does not have presence.")
        return field_name in self._held

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802
        """Which field of a group of alternatives is there."""
        names = [name for name, field in self.FIELDS.items() if field.oneof == oneof_group]
        if not names or not oneof_group:
            raise ValueError(
                f'Protocol message {type(self).__name__} has no "{oneof_group}" field.'
            )
        return next((name for name in names if name in self._held), None)

    def ClearField(self, field_name: str) -> None:  # noqa: N802
        """Takes a field's value, or that of a group of alternatives."""
        names = [name for name, field in self.FIELDS.items() if field.oneof == field_name]
        for name in names if names and field_name else [field_name]:
            self._field(name)
            self._detach(name)

    def Clear(self) -> None:  # noqa: N802
        """Takes the values of all fields."""
        for name in list(self._held):
            self._detach(name)
        object.__setattr__(self, "_unknown", b"")

    def ListFields(self) -> list[tuple[Any, Any]]:  # noqa: N802
        """The descriptors and values of the fields that are there."""
        if descriptors.is_asked_for():
            named = self.DESCRIPTOR.fields_by_name
            return [(named[name], value) for name, _, value in self._present()]
        of = self.DESCRIPTOR.full_name
        return [(Descriptor(n, f"{of}.{n}"), value) for n, _, value in self._present()]

    def SetInParent(self) -> None:  # noqa: N802
        """Makes this message a value of the message around it, as it is."""
        self._touch()

    def IsInitialized(self) -> bool:  # noqa: N802
        """True: there are no fields that must be set."""
        return True

    def FindInitializationErrors(self) -> list[str]:  # noqa: N802
        """Empty: there are no fields that must be set."""
        return []

    def DiscardUnknownFields(self) -> None:  # noqa: N802
        """Forgets the fields that the class does not know."""
        object.__setattr__(self, "_unknown", b"")

    # Other messages.

    def _check_same(self, other: Any, method: str) -> None:
        if not isinstance(other, type(self)):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: "
                f"expected {type(self)} got {type(other)}."
            )

    def CopyFrom(self, other_msg: Message) -> None:  # noqa: N802
        """Makes this message equal to another one."""
        self._check_same(other_msg, "CopyFrom")
        if other_msg is not self:
            self.Clear()
            self.MergeFrom(other_msg)

    def MergeFrom(self, other_msg: Message) -> None:  # noqa: N802
        """Takes the fields of another message over: lists grow, entries of maps are replaced."""
        self._check_same(other_msg, "MergeFrom")
        for name, field, value in other_msg._present():
            own = getattr(self, name)
            if field.kind == "one":
                own._touch()
            own.MergeFrom(value)
        object.__setattr__(self, "_unknown", self._unknown + other_msg._unknown)
        self._touch()

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, type(self)):
            return False
        same = [(n, v) for n, _, v in self._present()] == [(n, v) for n, _, v in other._present()]
        return same and self._unknown == other._unknown

    # Bytes.

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:  # noqa: N802
        """The message in the wire format; entries of maps in the order of their keys."""
        text = b""
        for _, field, value in self._present():
            text += _serialized(field, value)
        return text + self._unknown

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:  # noqa: N802
        """How many bytes the message takes."""
        return len(self.SerializeToString())

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Takes the fields of a serialised message over; gives the number of bytes."""
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, {type(serialized).__name__} found")
        numbers = {field.number: name for name, field in self.FIELDS.items()}
        text = bytes(serialized)
        try:
            for number, kind, value, whole in wire.fields(text):
                self._read(numbers.get(number), kind, value, whole)
        except DecodeError as e:
            name = self.DESCRIPTOR.full_name
            raise DecodeError(f"Error parsing message with type {shown(name)}: {e}") from None
        return len(text)

    def _read(self, name: str | None, kind: int, value: Any, whole: bytes) -> None:
        """Take a field of the wire over."""
        field = self.FIELDS[name] if name else None
        if name is None or field is None or (kind != 2 and field.kind != "list"):
            object.__setattr__(self, "_unknown", self._unknown + whole)
        elif field.kind == "one":
            own = getattr(self, name)
            own._touch()
            own.MergeFromString(value)
        elif field.kind == "many":
            getattr(self, name).add().MergeFromString(value)
        elif field.kind == "list":
            getattr(self, name).extend(SCALARS[field.of].read(kind, value))
        else:
            key, content = "", b""
            for number, inner, entry, _ in wire.fields(value):
                if inner == 2 and number == 1:
                    key = wire.key_of(entry)
                elif inner == 2 and number == 2:
                    content = entry
            message = field.of.FromString(content)
            getattr(self, name)[key].CopyFrom(message)

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Becomes the message that was serialised; gives the number of bytes."""
        self.Clear()
        return self.MergeFromString(serialized)

    @classmethod
    def FromString(cls: type[_M], s: bytes) -> _M:  # noqa: N802
        """The message that was serialised."""
        message = cls()
        message.MergeFromString(s)
        return message

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.SerializeToString())

    def __deepcopy__(self, memo: Any = None) -> Any:
        return _restored(type(self), self.SerializeToString())

    # Text.

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __str__ = __repr__

    def _lines(self) -> list[str]:
        lines: list[str] = []
        for name, field, value in self._present():
            if field.kind == "list":
                lines += [f"{name}: {SCALARS[field.of].text(one)}" for one in value]
            elif field.kind == "map":
                for key in sorted(value):
                    inner = [f"key: {wire.quoted(key)}", *_block("value", value[key]._lines())]
                    lines += _block(name, inner)
            else:
                for one in [value] if field.kind == "one" else value:
                    lines += _block(name, one._lines())
        return lines


def _block(name: str, lines: list[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"]


def _restored(cls: type[Message], serialized: bytes) -> Message:
    return cls.FromString(serialized)


def _serialized(field: Field, value: Any) -> bytes:
    """A field with all that it holds."""
    if field.kind == "list":
        return SCALARS[field.of].packed(field.number, list(value))
    if field.kind == "one":
        return wire.part(field.number, value.SerializeToString())
    if field.kind == "many":
        return b"".join(wire.part(field.number, one.SerializeToString()) for one in value)
    entries = b""
    for key in sorted(value, key=str.encode):
        entry = wire.part(1, key.encode()) + wire.part(2, value[key].SerializeToString())
        entries += wire.part(field.number, entry)
    return entries
