"""Objects in which nothing else can be put: tuples, bound methods, partials, views, iterators.

Where one of them holds an object that is stale, what refers to it refers to another: a tuple with
what stands for the object in it, or else what stands for the whole of it. When the trace ends they
refer to the first one again.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable

from ..context.by_class import ByClass
from ..hints import Any
from . import location
from .adapters import registry
from .adapters.base import Members, Position, Through
from .invalidated import Invalidated, behind
from .trace_context import Proxy, original
from .trace_context import thread as _thread

_holding = ByClass()  # the adapters of a class that hold something for good
_NOT_LOOKED_INTO = (types.FunctionType, types.ModuleType, type, Proxy, Invalidated)


class Replacements:
    """What to put in place of objects that are stale, or hold such ones for good."""

    def __init__(self, stale: dict[int, Invalidated]):
        self._found: dict[int, Any] = dict(stale)
        self._kept: list[Any] = []  # so that no id is that of another object
        arrays = [s for s in stale.values() if _is_memory(behind(s))]
        self._memory = {id(_memory(behind(s))): s for s in arrays}

    def of(self, value: Any) -> Any:
        """What is to stand in place of ``value``: itself where that holds nothing stale."""
        if id(value) in self._found:
            return self._found[id(value)]
        parts = _parts(value)
        if parts is None:
            known = self._memory.get(id(_memory(value))) if self._memory else None
            return value if known is None else Invalidated(value, *known._ferrograph_parts[1:])
        self._found[id(value)] = value
        self._kept.append(value)
        made = [(part, self.of(part)) for part in parts]
        if all(part is other for part, other in made):
            return value
        found = self._found[id(value)] = self._made(value, [other for _, other in made])
        return found

    def has(self, value: Any) -> bool:
        """Whether another is to stand in place of ``value``."""
        return self.of(value) is not value

    def _made(self, value: Any, parts: list) -> Any:
        if isinstance(value, tuple) and not hasattr(value, "__dict__"):
            return _rebuilt(value, parts)
        first = next(self._stale_in(parts))
        _, label, changed = first._ferrograph_parts
        return Invalidated(value, label, changed)

    def _stale_in(self, parts: Iterable) -> Any:
        for part in parts:
            if type(part) is Invalidated:
                yield part
            elif isinstance(part, tuple):
                yield from self._stale_in(part)


def _is_memory(value: Any) -> bool:
    """Whether other objects may show the memory of an object."""
    kind = type(value)
    is_array = hasattr(kind, "__array_interface__") or kind.__module__ == "array"
    return is_array or issubclass(kind, (bytearray, memoryview))


def _memory(value: Any) -> Any:
    """The object whose memory an array or a view of one shows; others themselves."""
    while True:
        if isinstance(value, memoryview):
            value = value.obj
        elif hasattr(type(value), "__array_interface__") and value.base is not None:
            value = value.base
        else:
            return value


def sharing(array: Any, values: Iterable) -> list:
    """Of some values the other arrays of NumPy that may show memory of an array, or what else has
    the state of a generator of random numbers of NumPy's."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return []
    if not isinstance(array, numpy.ndarray):
        state = _bits(array)
        others = values if state is not None else ()
        return [v for v in others if v is not array and (v is state or _bits(v) is state)]
    others = (v for v in values if isinstance(v, numpy.ndarray) and v is not array)
    return [other for other in others if numpy.may_share_memory(array, other)]


def _bits(value: Any) -> Any:
    """The source of a generator of random numbers of NumPy's, which has its state."""
    random = sys.modules.get("numpy.random")
    if random is None or not isinstance(value, (random.Generator, random.RandomState)):
        return None
    return value._bit_generator if isinstance(value, random.RandomState) else value.bit_generator


def _parts(value: Any) -> Iterable | None:
    """What an object holds for good; None of one that holds nothing so."""
    kind = type(value)
    if issubclass(type(value), tuple):
        return list(tuple.__iter__(value))
    adapters = _holding.found.get(id(kind))
    if adapters is None:
        adapters = _holding.keep(kind, _facets_that_hold(kind))
    if not adapters:
        return None
    return [part for adapter in adapters for part in adapter.parts(value, adapter.hold(value))]


def _facets_that_hold(kind: type) -> tuple:
    if issubclass(kind, _NOT_LOOKED_INTO):
        return ()
    found = [f for f in registry.adapters_of(kind) if isinstance(f, (Through, Position, Members))]
    return tuple(f for f in found if f is not registry.OF_CLASS and f is not registry.BY_WORDS)


def _rebuilt(value: tuple, items: list) -> tuple:
    """A tuple like another one, noted as such."""
    made = tuple.__new__(type(value), items)
    root = _thread.trace
    if root.variants.rebuilt is None:
        location.of_trace().rebuilt = {}
    location.of_trace().rebuilt[id(made)] = made, original(value)
    return made


def restored(value: Any) -> Any:
    """A value with what the program had put there, in place of all that stands for something."""
    value = original(behind(value))
    if isinstance(value, tuple) and any(restored(item) is not item for item in value):
        return tuple.__new__(type(value), map(restored, value))
    return value
