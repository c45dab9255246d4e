"""What a region of the graph can reach, copied when it begins and compared when it ends.

Staged code is a closed world: how something was changed, by a statement, an operator, a method of
a library or a function written in C, makes no difference, since nothing is intercepted. When the
trace of a branch or a loop begins, everything is copied that can be reached from the names of its
functions: what they close over, the names of their module that they read, the attributes, items and
elements of all that, and the same for the functions that they may call. When it ends, what differs
is a place like any other: put back, merged, carried, or refused.

Objects made in the region are not in the copy, so they are its own. What is reached, and how it is
compared, is said in ``kinds`` and ``adapters``.
"""

from __future__ import annotations

import types
from collections.abc import Container, Iterable, Iterator

from ..context import ownership
from ..context.ownership import MACHINERY
from ..hints import Any
from ..native import _core
from .adapters import registry
from .adapters.base import Fields, Names, TypeAdapter, cell_contents, fields_of
from .code_names import words_of
from .liveness import native_readers
from .location import Attribute, Location, Variants, variants_of
from .reachable import Walk
from .trace_context import has_variants, own_listeners, record_of

_SYMBOLIC = _core.SymbolicTensor


class Snapshot:
    """What the objects hold that functions can reach."""

    def __init__(self, anchors: Iterable[Any]):
        self.anchors = tuple(a for a in anchors if type(a) is types.FunctionType)
        walk = Walk()
        walk.run(self.anchors, own_listeners())
        self._entries, self._seen = walk.entries, walk.seen
        if has_variants():
            self._entries = [(f, o, _versions(f, o) or held) for f, o, held in walk.entries]

    def knows(self, owner: Any) -> bool:
        """Whether an object was there when the region began."""
        return id(owner) in self._seen

    def take_in(self, value: Any) -> Iterable[int]:
        """Hold an object, and what is reached through it, as well; which they are, by id."""
        walk = Walk()
        walk.run((), [value])
        self._entries += [e for e in walk.entries if id(e[1]) not in self._seen]
        self._seen.update(walk.seen)
        return walk.seen

    def knows_fields(self, held: Any) -> bool:
        """Whether ``held`` is the ``__dict__`` of an object that was there."""
        if type(held) is not dict:
            return False
        owners = (owner for f, owner, _ in self._entries if isinstance(f, Fields))
        return any(fields_of(owner) is held for owner in owners)

    def compares(self, place: Location) -> bool:
        """Whether a change of a place shows in the copy, however it is made."""
        if place.is_module and isinstance(place.key, tuple):
            return self._compares_name(*place.key[1:])
        if isinstance(place.owner, types.ModuleType) and isinstance(place, Attribute):
            return self._compares_name(id(ownership.names_of(place.owner)), place.key[2])
        return place.is_stored and self.knows(place.owner)

    def _compares_name(self, namespace: int, name: str) -> bool:
        return any(
            adapter.knows(held, name)
            for adapter, owner, held in self._entries
            if isinstance(adapter, Names) and id(owner) == namespace
        )

    def is_in_library(self, owner: Any) -> bool:
        """Whether an object of a library's class holds this one, as ``queue.Queue`` its items."""
        return any(
            any(value is owner for value in held.values())
            for adapter, holder, held in self._entries
            if isinstance(adapter, Fields) and registry.has_library_fields(type(holder))
        )

    def seen(self) -> Iterable[Any]:
        """The objects that were there when the region began, as far as they are compared."""
        return self._seen.values()

    def entries(self) -> Iterable[tuple[TypeAdapter, Any, Any]]:
        """How each of them was held."""
        return self._entries

    def accept(self, owner: Any, name: str | None) -> None:
        """Take what an attribute of an object, or all of a container, holds now for what it held
        when the region began."""
        for i, (adapter, holder, held) in enumerate(self._entries):
            if holder is not owner:
                continue
            now = adapter.hold(owner)
            if name is None and adapter.is_content:
                self._entries[i] = adapter, owner, now
            elif name is not None and isinstance(held, dict) and isinstance(now, dict):
                names = [n for n in now if n in held or n == name]
                names += [n for n in held if n not in now]
                kept = {n: (now if n == name else held)[n] for n in names}
                self._entries[i] = adapter, owner, kept

    def changes(self, own: Container[int] = ()) -> Iterator[tuple[Location, Any]]:
        """The places that differ from what they held, with that; but for the cells of ``own``
        names, whose ids these are, which others put back."""
        if has_variants():
            yield from self._chosen()
            return
        changed = [e for e in self._entries if e[0].differs(e[1], e[2])]
        for adapter, owner, held in changed:
            if id(owner) not in own:
                yield from self._changes_of(adapter, owner, held)

    def has_lost(self) -> bool:
        """Whether a place may not hold any more what it held, other than a tensor in a name."""
        if has_variants():
            return True
        for adapter, owner, held in self._entries:
            is_tensor = type(held) is tuple and len(held) == 1 and type(held[0]) is _SYMBOLIC
            if not is_tensor and adapter.differs(owner, held):
                return True
        return False

    def _changes_of(
        self, adapter: TypeAdapter, owner: Any, held: Any
    ) -> Iterator[tuple[Location, Any]]:
        label = label_of(owner, self.anchors)
        if adapter.ends_iterators:
            native_readers.refuse_iterated(owner, label)
        yield from adapter.changes(owner, held, label)

    def _chosen(self) -> Iterator[tuple[Location, Any]]:
        """``changes`` where the graph chooses what some objects hold."""
        for adapter, owner, held in self._entries:
            now = _versions(adapter, owner)
            if now is None and type(held) is not Variants:
                if adapter.differs(owner, held):
                    yield from self._changes_of(adapter, owner, held)
            elif now is not held:
                place = record_of(owner).place
                if type(held) is Variants:
                    yield place, held
                else:
                    yield from ((place, old) for _, old in adapter.changes(owner, held, ""))


def _versions(adapter: TypeAdapter, owner: Any) -> Variants | None:
    return variants_of(owner) if adapter.is_content else None


def label_of(owner: Any, anchors: Iterable[types.FunctionType]) -> str:
    """How the user's code calls an object: by a name, or a name and an attribute or a key."""
    if issubclass(type(owner), type):
        return owner.__name__
    if type(owner) is types.CellType and (name := _name_of_cell(owner, anchors)):
        return name
    for name, value in _names_in(anchors):
        if value is owner or (type(owner) is types.CellType and value is owner):
            return name
        found = _below(name, value, owner)
        if found:
            return found
    return f"a {type(owner).__name__}"


def _name_of_cell(owner: types.CellType, anchors: Iterable[types.FunctionType]) -> str:
    """The name under which functions themselves close over a cell."""
    for function in anchors:
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if cell is owner:
                return name
    return ""


def _names_in(anchors: Iterable[types.FunctionType]) -> Iterator[tuple[str, Any]]:
    for function in anchors:
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            if name not in MACHINERY:
                yield name, cell
                yield name, cell_contents(cell)
        for name in words_of(function.__code__):
            if name in function.__globals__:
                yield name, function.__globals__[name]


def _below(name: str, value: Any, owner: Any) -> str:
    held = value
    if type(value) is not dict:
        try:
            held = fields_of(value)
        except AttributeError:
            return ""
    if type(held) is not dict or len(held) > 1000:
        return ""
    for key, inner in held.items():
        if inner is owner and key == "_ferrograph_target":
            return name
        if inner is owner:
            return f"{name}[{key!r}]" if held is value else f"{name}.{key}"
    return ""
