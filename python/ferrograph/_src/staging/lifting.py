"""What a branch leaves where the other one raises: its tensors become results of the conditional.

Nothing is to be chosen then. Objects that the branch has made stay as they are, and the tensors in
them, which are of the region, are replaced by those that come out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..heap import escaping, structure
from ..heap.adapters import registry
from ..heap.adapters.base import Through
from ..heap.location import Location, Together, Variants, held_by
from ..hints import Any
from ..native import _core
from . import variants
from .iterator_cursors import Cursor
from .regions import Conditional

Take = Callable[[Iterator], Any]


class Lifting:
    """The values that one branch of a conditional leaves, each object looked into once."""

    def __init__(self, conditional: Conditional, side: int):
        self._conditional, self.side = conditional, side
        self._region = conditional.branches[side].region
        self._seen: dict[int, Any] = {}

    def change(self, place: Location, value: Any) -> Callable[[Iterator], None]:
        """How to leave in a place what the branch left there."""
        label = f"the values of {place.label!r}"
        if not place.is_whole:
            take = self.value(label, value)
            return lambda results: place.put(take(results))
        take = (
            self._several(label, value) if type(value) is Variants else self._content(label, value)
        )
        return lambda results: place.put(take(results))

    def value(self, label: str, value: Any) -> Take:
        """How to take a value of the branch, with tensors from outside of it."""
        if isinstance(value, (_core.Tensor, Together)) or hasattr(type(value), "_component_list"):
            return self._leaf(label, value)
        if isinstance(value, tuple):
            takes = [self.value(label, part) for part in value]
            return lambda results: _tuple_like(value, [take(results) for take in takes])
        setters = list(self._inside(label, value))

        def fill(results: Iterator) -> Any:
            for setter in setters:
                setter(results)
            return value

        return fill

    def _leaf(self, label: str, value: Any) -> Take:
        graph = self._region.graph_id
        if not any(
            getattr(leaf, "_graph_id", None) == graph for leaf in structure.leaves_of(value)
        ):
            return lambda results: value
        first, second = (value, None) if self.side == 0 else (None, value)
        self._conditional.merge(label, first, second, (self.side == 1, self.side == 0))
        return next

    def _content(self, label: str, content: Any) -> Take:
        """A content of a container, which compares by what it holds."""
        items = held_by(content)
        takes = [self.value(label, item) for item in items]
        if not items:
            return lambda results: content
        return lambda results: variants.with_values(content, [take(results) for take in takes])

    def _several(self, label: str, held: Variants) -> Take:
        index = self.value(label, held.index)
        takes = [self._content(label, content) for content in held.contents]
        return lambda results: Variants(index(results), [take(results) for take in takes])

    def _inside(self, label: str, value: Any) -> Iterator[Callable[[Iterator], None]]:
        """How to leave what an object holds that the branch has made."""
        snapshot = self._conditional.snapshot
        if id(value) in self._seen or (snapshot is not None and snapshot.knows(value)):
            return
        adapters = (
            (registry.FIELDS,) if type(value) is Cursor else registry.adapters_of(type(value))
        )
        if adapters:
            self._seen[id(value)] = value
        for adapter in adapters:
            held = adapter.hold(value)
            if isinstance(adapter, Through) and adapter is not registry.OF_CLASS:
                for part in adapter.parts(value, held):
                    yield from self._inside(label, part)
            for key, inner in _pairs(adapter, held):
                place = escaping.location_of(adapter, value, key)
                yield self._setter(place, inner, self.value(label, inner))

    def _setter(self, place: Location, inner: Any, take: Take) -> Callable[[Iterator], None]:
        def put(results: Iterator) -> None:
            made = take(results)
            if made is not inner:
                place.put(made)

        return put


def _pairs(adapter: Any, held: Any) -> Iterator[tuple[Any, Any]]:
    """What an object holds one by one, under the keys of its places."""
    if adapter is registry.CELL:
        yield None, held[0]
    elif isinstance(held, dict):
        yield from held.items()
    elif isinstance(held, list):
        yield from enumerate(held)


def _tuple_like(value: tuple, parts: list) -> tuple:
    if all(a is b for a, b in zip(value, parts, strict=True)):
        return value
    return tuple.__new__(type(value), parts)
