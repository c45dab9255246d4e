"""Arrays of NumPy as staged code compares them: by their bytes, large ones by a fingerprint."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable

from ...hints import Any
from .base import Found, State, Through, TypeAdapter, Whole

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
