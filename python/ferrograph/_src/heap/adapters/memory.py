"""Arrays and memory, compared by their bytes, large ones by a fingerprint; and the positions of
files and iterators that have no method for it.
"""

from __future__ import annotations

import array
import functools
import sys
from collections.abc import Callable, Iterable

from ...hints import Any
from .base import Aside, Found, Refused, State, Through, TypeAdapter, Whole
from .builtin_classes import ITEM_SEQUENCES

# Sequences with operators of their own, those of memory among them.
SEQUENCES = (*ITEM_SEQUENCES, array.array, bytearray, memoryview, bytes, str)
MOST_COPIED = 1 << 20  # bytes of an array; a larger one is compared by its fingerprint
_WORDS = 1 << 17  # of eight bytes, in a block of a fingerprint


def generators(random: Any) -> dict[type, TypeAdapter]:
    """How generators of ``numpy.random`` are compared."""
    return {
        random.Generator: _Generator(_generator, _put_generator),
        random.RandomState: State(_old_generator, _put_old_generator),
    }


def shown(kind: type) -> Through | None:
    """How to reach the arrays that an object of NumPy shows as something else: a record, an
    iterator. It holds them where the collector does not look."""
    numpy = sys.modules["numpy"]
    if issubclass(kind, (numpy.void, numpy.flatiter)):
        return Through(lambda held: (held.base,))
    return Through(_operands) if issubclass(kind, numpy.nditer) else None


def _operands(iterator: Any) -> Iterable:
    try:
        return tuple(iterator.operands)
    except ValueError:  # it is closed
        return ()


class Array(TypeAdapter):
    """An ``ndarray``: its bytes; of one with objects these, of a large one a fingerprint."""

    is_content = True

    def hold(self, owner: Any) -> Any:
        return array_state(owner)

    def parts(self, owner: Any, held: Any) -> Iterable:
        if type(owner.base).__name__ != "mmap":  # whose memory is the array's
            yield owner.base
        if owner.dtype.hasobject:
            yield from held[1]

    def differs(self, owner: Any, held: Any) -> bool:
        return not _agree(array_state(owner), held)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield self.place(owner, label), held

    def place(self, owner: Any, label: str) -> Whole:
        put = None if owner.nbytes > MOST_COPIED else put_array_state
        return Whole(label, owner, array_state, put, "elements")


def _agree(new: tuple, old: tuple) -> bool:
    if new[0] != old[0] or type(new[1]) is not type(old[1]):
        return False
    if type(new[1]) is bytes:
        return new[1] == old[1]
    return len(new[1]) == len(old[1]) and all(map(_is_same, new[1], old[1]))


def _is_same(new: Any, old: Any) -> bool:
    return new is old or (type(new) is bytes and type(old) is bytes and new == old)


def array_state(array: Any) -> tuple:
    """What is compared of an ``ndarray``: its shape and its elements."""
    array = _plain(array)
    if array.dtype.hasobject:
        return array.shape, [part for leaf in _leaves(array) for part in _parts(leaf)]
    if array.nbytes <= MOST_COPIED:
        return array.shape, array.tobytes()
    return array.shape, _fingerprint(array)


def _plain(array: Any) -> Any:
    """An array, without the methods that its class may have."""
    plain = sys.modules["numpy"].ndarray
    return array if type(array) is plain else plain.view(array, plain)


def _leaves(array: Any) -> Iterable:
    """The fields of an array that have none themselves, as arrays; itself where it has none."""
    if array.dtype.names is None:
        yield array
        return
    plain = array.view(sys.modules["numpy"].ndarray)
    for name in array.dtype.names:
        yield from _leaves(plain[name])


def _parts(leaf: Any) -> list:
    return list(leaf.flat) if leaf.dtype.hasobject else [leaf.tobytes()]


def put_array_state(array: Any, state: tuple) -> None:
    """Put back the elements of an array that was copied."""
    shape, elements = state
    if array.shape != shape:
        array.shape = shape
    array = _plain(array)
    if type(elements) is bytes:
        _put_bytes(array, elements)
        return
    at = 0
    for leaf in _leaves(array):
        if not leaf.dtype.hasobject:
            _put_bytes(leaf, elements[at])
            at += 1
            continue
        for i in range(leaf.size):
            leaf.flat[i] = elements[at + i]
        at += leaf.size


def _put_bytes(array: Any, elements: bytes) -> None:
    found = sys.modules["numpy"].frombuffer(elements, array.dtype)
    array[...] = found.reshape(array.shape)


@functools.lru_cache(maxsize=1)
def _weights() -> Any:
    """Odd numbers, one for each word of a block."""
    numpy = sys.modules["numpy"]
    made = numpy.arange(_WORDS, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    return (made ^ (made >> numpy.uint64(29))) | numpy.uint64(1)


def _fingerprint(array: Any) -> bytes:
    """A number for each block of the bytes of an array, which depends on each word in it."""
    if not array.flags.c_contiguous:
        parts = array.T if array.flags.f_contiguous else array
        if parts is array:
            return b"".join(array_state(part)[1] for part in array)
        array = parts
    numpy, data = sys.modules["numpy"], array.reshape(-1).view("u1")
    n_blocks = data.size // (8 * _WORDS)
    head = data[: n_blocks * 8 * _WORDS].view(numpy.uint64).reshape(n_blocks, _WORDS)
    sums = [numpy.dot(block, _weights()) for block in head]
    return numpy.array(sums, numpy.uint64).tobytes() + data[n_blocks * 8 * _WORDS :].tobytes()


class _Told:
    """The state of a generator of random numbers, compared by its text."""

    def __init__(self, state: Any):
        self.state, self._text = state, repr(state)

    def __eq__(self, other: object) -> bool:
        return type(other) is _Told and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


class _Generator(State):
    """A generator of random numbers, which others are made of by a seed that it holds."""

    def parts(self, owner: Any, held: Any) -> Iterable:
        seed = getattr(owner.bit_generator, "seed_seq", None)
        return () if seed is None else (seed,)


def _generator(owner: Any) -> _Told:
    return _Told(owner.bit_generator.state)


def _put_generator(owner: Any, told: _Told) -> None:
    owner.bit_generator.state = told.state


def _old_generator(owner: Any) -> _Told:
    return _Told(owner.get_state())


def _put_old_generator(owner: Any, told: _Told) -> None:
    owner.set_state(told.state)


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
    """The memory of a native object whose state cannot be read otherwise, without its header, which
    has the reference count."""
    import ctypes

    head = object.__basicsize__
    return ctypes.string_at(id(owner) + head, type(owner).__basicsize__ - head)


def _position(file: Any) -> Any:
    """How far a file is read or written; None where it cannot tell, or belongs to the screen."""
    if file.closed or file in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        return file.closed
    try:
        return file.tell()
    except (OSError, ValueError):  # it has no positions, or none during iteration
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
