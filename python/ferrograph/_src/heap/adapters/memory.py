"""Memory, and files, as staged code compares them: the bytes of objects of C and of maps of memory,
and how far a file or an iterator that does not tell it is read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from ...hints import Any
from .base import Aside, Refused, State, Whole

MOST_COPIED = 1 << 20  # bytes that a view shows; of more the hash of each so many


class OfC(State):
    """An object of ``ctypes``: its bytes. What it shows of others, or points to, is reached."""

    def __init__(self, ctypes: Any):
        def put(owner: Any, memory: bytes) -> None:
            ctypes.memmove(ctypes.addressof(owner), memory, len(memory))

        super().__init__(bytes, put, "memory")

    def parts(self, owner: Any, held: Any) -> Iterable:
        kept = owner._objects
        yield owner._b_base_
        for value in kept.values() if isinstance(kept, dict) else (kept,):
            yield value.obj if type(value) is memoryview else value


def fingerprint(view: memoryview) -> tuple:
    """What is compared of the memory that a view shows: its bytes, of much memory hashes."""
    if view.nbytes <= MOST_COPIED:
        return (view.tobytes(),)
    flat = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
    return tuple(hash(bytes(flat[i : i + MOST_COPIED])) for i in range(0, len(flat), MOST_COPIED))


def _of_map(mapped: Any) -> tuple:
    """What is compared of a map of memory: its bytes, and how far it is read."""
    if mapped.closed:
        return ()
    with memoryview(mapped) as view:
        return mapped.tell(), *fingerprint(view)


def own_bytes(owner: Any) -> bytes:
    """The memory of an object written in C that tells nothing of itself, but for its head, which
    counts references to it."""
    import ctypes

    head = object.__basicsize__
    return ctypes.string_at(id(owner) + head, type(owner).__basicsize__ - head)


def _position(file: Any) -> Any:
    """How far a file is read or written; None where it cannot tell, or belongs to the screen."""
    if file.closed or file in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        return file.closed
    try:
        return file.tell()
    except (OSError, ValueError):  # it has no positions, or none while it is run over
        buffer = getattr(file, "buffer", None)
        return None if buffer is None or buffer is file else _position(buffer)


class Views(Refused):
    """Whether something whose length can change has views, while which it cannot."""

    is_content = False

    def __init__(self, are_there: Callable[[Any], bool]):
        super().__init__(are_there, None, "views")

    def place(self, owner: Any, label: str) -> Whole:
        place = super().place(owner, label)
        place.key = "views", id(owner)
        place.cure = (
            "Make and end the view in the same place, as in `with memoryview(x) as view:`, or read "
            "a copy, `bytes(x)`."
        )
        return place


def views_of(kind: type) -> Views:
    """What compares the views of instances of a class whose length can change."""
    if issubclass(kind, bytearray):
        return Views(_keeps_length_of_bytes)
    is_file = issubclass(kind, sys.modules["io"].BytesIO)
    return Views(_keeps_length_of_file if is_file else _keeps_length_of_array)


def _keeps_length_of_bytes(owner: bytearray) -> bool:
    try:
        bytearray.append(owner, 0)
    except BufferError:
        return True
    bytearray.pop(owner)
    return False


def _keeps_length_of_array(owner: Any) -> bool:
    array = sys.modules["array"].array
    try:
        array.frombytes(owner, bytes(owner.itemsize))
    except BufferError:
        return True
    array.pop(owner)
    return False


def _keeps_length_of_file(owner: Any) -> bool:
    if owner.closed:
        return False
    try:
        sys.modules["io"].BytesIO.write(owner, b"")
    except BufferError:
        return True
    return False


OF_MAP = Aside(_of_map, "bytes")
OWN_POSITION = Aside(own_bytes, "position")
POSITION_OF_FILE = Aside(_position, "position in the file")
