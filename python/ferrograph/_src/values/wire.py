"""Values of messages: how they are checked, encoded and printed."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator
from operator import index
from typing import Any

from ..native import _core

__all__ = ["SCALARS", "DecodeError", "Scalar", "fields", "key_of", "part", "quoted", "varint"]

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


class DecodeError(Exception):
    """Bytes are no message of the class that reads them."""


def varint(value: int) -> bytes:
    """A number that is not negative, in seven bits a byte."""
    if value < 128:
        return bytes((value,))
    return _core.pack_varints([value])


def part(number: int, content: bytes) -> bytes:
    """A field of bytes: its key, its length, and they."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def _varint_at(text: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(text) or shift > 63:
            raise DecodeError("a number does not end")
        byte = text[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(text: bytes) -> Iterator[tuple[int, int, Any, bytes]]:
    """Number, kind, value and bytes of every field: an int for numbers, else the bytes."""
    at = 0
    while at < len(text):
        start = at
        key, at = _varint_at(text, at)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == 0:
            value, at = _varint_at(text, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                size, at = _varint_at(text, at)
            if size is None or number == 0 or at + size > len(text):
                raise DecodeError("Wire format was corrupt")
            value, at = text[at : at + size], at + size
        if number == 0:
            raise DecodeError("Wire format was corrupt")
        yield number, kind, value, text[start:at]


_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def quoted(text: bytes | str) -> str:
    """A text in quotes as messages print it: bytes that are no ASCII in octal."""
    if isinstance(text, str):
        return '"' + "".join(_ESCAPES.get(ord(c), c) for c in text) + '"'
    shown = (_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in text)
    return '"' + "".join(shown) + '"'


class Scalar:
    """A kind of values in lists: integers, floats or bytes."""

    def checked(self, values: Iterable[Any]) -> list[Any]:
        """The values as a list holds them; TypeError for those of another type."""
        raise NotImplementedError

    def packed(self, number: int, values: list[Any]) -> bytes:
        """A list as a field of that number."""
        raise NotImplementedError

    def read(self, kind: int, value: Any) -> list[Any]:
        """The values of a field."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """How a value prints."""
        raise NotImplementedError


class _Int64(Scalar):
    def checked(self, values: Iterable[Any]) -> list[int]:
        return [self._one(value) for value in values]

    @staticmethod
    def _one(value: Any) -> int:
        if isinstance(value, bool):
            raise TypeError("Expected an int, got a boolean.")
        number = index(value)
        if not _LEAST <= number <= _MOST:
            raise ValueError(f"Value out of range: {number}")
        return number

    def packed(self, number: int, values: list[int]) -> bytes:
        return part(number, _core.pack_varints(values))

    def read(self, kind: int, value: Any) -> list[int]:
        if kind == 0:
            return [value - (1 << 64) if value >> 63 else value]
        if kind != 2:
            raise DecodeError("a list of integers has another kind")
        try:
            return _core.unpack_varints(value)
        except ValueError as e:
            raise DecodeError(str(e)) from None

    def text(self, value: int) -> str:
        return str(value)


class _Float(Scalar):
    def checked(self, values: Iterable[Any]) -> list[float]:
        return array("f", values).tolist()

    def packed(self, number: int, values: list[float]) -> bytes:
        return part(number, struct.pack(f"<{len(values)}f", *values))

    def read(self, kind: int, value: Any) -> list[float]:
        if kind not in (2, 5) or len(value) % 4:
            raise DecodeError("a list of floats has another kind")
        return list(struct.unpack(f"<{len(value) // 4}f", value))

    def text(self, value: float) -> str:
        short = f"{value:.6g}"
        same = array("f", [float(short)])[0] == value or value != value
        return short if same else f"{value:.9g}"


class _Bytes(Scalar):
    def checked(self, values: Iterable[Any]) -> list[bytes]:
        held = list(values)
        for value in held:
            if not isinstance(value, bytes):
                raise TypeError(f"expected bytes, {type(value).__name__} found")
        return held

    def packed(self, number: int, values: list[bytes]) -> bytes:
        return b"".join(part(number, value) for value in values)

    def read(self, kind: int, value: Any) -> list[bytes]:
        if kind != 2:
            raise DecodeError("a list of bytes has another kind")
        return [value]

    def text(self, value: bytes) -> str:
        return quoted(value)


SCALARS: dict[str, Scalar] = {"int64": _Int64(), "float": _Float(), "bytes": _Bytes()}


def key_of(value: bytes) -> str:
    """The key of a map."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise DecodeError("a key is no UTF-8") from None
