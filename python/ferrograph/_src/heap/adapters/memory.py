"""Arrays and memory, compared by their bytes, large ones by hashes of these; and what opaque
objects show of their memory and of their positions.
"""

from __future__ import annotations

import array
import sys
import types
from collections.abc import Iterable

from ...hints import Any
from .base import Aside, Found, State, Through, TypeAdapter, Whole
from .builtin_classes import ITEM_SEQUENCES

# Sequences with operators of their own, those of memory among them.
SEQUENCES = (*ITEM_SEQUENCES, array.array, bytearray, memoryview, bytes, str)
MOST_COPIED = 1 << 20  # bytes of an array; a larger one is compared by its fingerprint


def generators(random: Any) -> dict[type, TypeAdapter]:
    """How generators of ``numpy.random`` are compared."""
    return {random.Generator: _Generator(), random.RandomState: _Generator()}


class Array(TypeAdapter):
    """An ``ndarray``: its bytes; of one with objects these, of a large one a fingerprint."""

    is_content = True

    def hold(self, owner: Any) -> Any:
        return array_state(owner)

    def parts(self, owner: Any, held: Any) -> Iterable:
        if type(owner.base).__name__ != "mmap":  # whose memory is the array's
            yield owner.base
        if held.copy is not None:
            yield from held.copy.ravel().tolist()

    def differs(self, owner: Any, held: Any) -> bool:
        return array_state(owner) != held

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield self.place(owner, label), held

    def place(self, owner: Any, label: str) -> Whole:
        put = None if owner.nbytes > MOST_COPIED else _put
        return Whole(label, owner, array_state, put, "elements")


class _ArrayState:
    """The shape and the bytes of an array, and a copy that keeps the objects whose places these
    are."""

    def __init__(self, shape: tuple, data: bytes, copy: Any):
        self.shape, self.data, self.copy = shape, data, copy

    def __eq__(self, other: object) -> bool:
        same = type(other) is _ArrayState and other.shape == self.shape
        return same and other.data == self.data

    __hash__ = None  # type: ignore[assignment]


def array_state(array: Any) -> _ArrayState:
    """What is compared of an ``ndarray``."""
    plain = sys.modules["numpy"].ndarray
    if type(array) is not plain:  # which may have methods of its own
        array = plain.view(array, plain)
    if array.dtype.hasobject:
        return _ArrayState(array.shape, array.tobytes(), array.copy())
    data = array.tobytes() if array.nbytes <= MOST_COPIED else _fingerprint(array)
    return _ArrayState(array.shape, data, None)


def _put(array: Any, state: _ArrayState) -> None:
    """Put back the elements of an array that was copied."""
    numpy = sys.modules["numpy"]
    if array.shape != state.shape:
        array.shape = state.shape
    kept = numpy.frombuffer(state.data, array.dtype) if state.copy is None else state.copy
    numpy.ndarray.view(array, numpy.ndarray)[...] = kept.reshape(state.shape)


def _fingerprint(array: Any) -> bytes:
    """Hashes of the bytes of an array, in the order in which it keeps them."""
    data = array.ravel(order="K").view("u1")
    return b"".join(_hash(data[i : i + MOST_COPIED]) for i in range(0, data.size, MOST_COPIED))


def _hash(data: Any) -> bytes:
    return hash(data.tobytes()).to_bytes(8, "little", signed=True)


class _Told:
    """The state of a generator of random numbers, compared by its text."""

    def __init__(self, state: Any):
        self.state, self._text = state, repr(state)

    def __eq__(self, other: object) -> bool:
        return type(other) is _Told and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


class _Generator(State):
    """A generator of random numbers, which others are made of by a seed that it holds."""

    def __init__(self) -> None:
        super().__init__(lambda owner: _Told(_bits(owner).state), _put_bits)

    def parts(self, owner: Any, held: Any) -> Iterable:
        seed = getattr(_bits(owner), "seed_seq", None)
        return () if seed is None else (seed,)


def _bits(owner: Any) -> Any:
    return getattr(owner, "bit_generator", None) or owner._bit_generator


def _put_bits(owner: Any, told: _Told) -> None:
    _bits(owner).state = told.state


def _shown(owner: Any) -> tuple:
    """What an object of native code shows whose methods are opaque: its memory, of much memory a
    hash, and how far a file is read or written."""
    return _bytes(owner), _position(owner)


def behind(owner: Any) -> Iterable:
    """The arrays that a record or an iterator of NumPy shows, where the collector does not look."""
    try:
        return (getattr(owner, "base", None), *getattr(owner, "operands", ()))
    except ValueError:  # it is closed
        return ()


def _bytes(owner: Any) -> bytes:
    try:
        view = memoryview(owner)
    except (TypeError, ValueError, BufferError):  # it shows none, or is closed
        return b""
    with view:
        return view.tobytes() if view.nbytes <= MOST_COPIED else _hash(view)


def _position(file: Any) -> Any:
    """How far a file is read or written; None where it cannot tell, or belongs to the screen."""
    is_screen = any(file is s for s in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    tells = type(getattr(type(file), "tell", None)) is types.MethodDescriptorType
    if is_screen or not tells:
        return None
    try:
        return file.tell()
    except (OSError, ValueError):  # it is closed, has no positions, or none during iteration
        buffer = getattr(file, "buffer", None)
        return None if buffer is None or buffer is file else _position(buffer)


def own_bytes(owner: Any) -> bytes:
    """The memory of a native object whose state cannot be read otherwise, without its header, which
    has the reference count."""
    import ctypes

    head = object.__basicsize__
    return ctypes.string_at(id(owner) + head, type(owner).__basicsize__ - head)


class Views(Aside):
    """Whether something whose length can change has views, while which it cannot."""

    cure = (
        "Make and end the view in the same place, as in `with memoryview(x) as view:`, or read a "
        "copy, `bytes(x)`."
    )

    def __init__(self) -> None:
        super().__init__(_keeps_length, "views")


def growing(kind: type) -> type | None:
    """The base of a class whose length views keep from changing; None of other classes."""
    is_one = lambda base: (base.__module__, base.__name__) in _VIEWED  # noqa: E731
    return next(filter(is_one, kind.__mro__), None)


_VIEWED = frozenset({("builtins", "bytearray"), ("array", "array"), ("_io", "BytesIO")})


def _keeps_length(owner: Any) -> bool:
    base: Any = growing(type(owner))
    try:
        if hasattr(base, "getbuffer"):
            base.write(owner, b"")
        else:
            base.append(owner, 0) if base is bytearray else base.frombytes(owner, _item(owner))
            base.pop(owner)
    except BufferError:
        return True
    except ValueError:  # it is closed
        return False
    return False


def _item(owner: array.array) -> bytes:
    return bytes(owner.itemsize)


SHOWN, VIEWS, BEHIND = Aside(_shown, "bytes or position"), Views(), Through(behind)
OWN_POSITION = Aside(own_bytes, "position")
