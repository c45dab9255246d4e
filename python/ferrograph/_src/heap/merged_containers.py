"""The containers that staging makes in place of others: of what the graph chooses among, or of what
an iteration begins with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..hints import Any
from ..native import _core
from . import walk
from .parts import containers_in, is_container, keys_of, part_of, put_part


class MergedContainer:
    """A container that staging made in place of others, which stood at the same place."""

    __slots__ = ("label", "made", "sources")

    def __init__(self, sources: tuple, made: Any, label: str):
        self.sources, self.made, self.label = sources, made, label

    def of(self, sources: Iterable[Any]) -> MergedContainer:
        """The same of other sources."""
        return MergedContainer(tuple(sources), self.made, self.label)


class MergedContainers:
    """The containers that one construct makes; those made of the same objects are one, unless they
    are told ``apart``."""

    def __init__(self, stands_for: dict[int, list] | None = None, apart: bool = False):
        self._apart = apart
        self._known: dict[tuple, MergedContainer] = {}
        self.within: list[tuple] = []  # containers within others that are no lists or dicts
        self._stands_for = stands_for or {}  # by the ids of containers what each may be

    def __iter__(self) -> Iterator[MergedContainer]:
        return iter(self._known.values())

    def join(self, label: str, sources: tuple, made: Any) -> Any:
        """``made``, of the structure of each of ``sources``, with containers that are known."""
        if type(made) is _core.SymbolicTensor:
            return made
        if self._stands_for:
            sources = tuple(o for s in sources for o in self._stands_for.get(id(s), (s,)))
        first = sources[0]
        kind = type(made)
        if len(sources) > 1 and is_container(first) and all(s is first for s in sources):
            return first
        if not is_container(made):
            return self._tuple(label, sources, made) if issubclass(type(made), tuple) else made
        key = (*map(id, sources), *([id(made)] if self._apart else []))
        known = self._known.get(key)
        if known is not None:
            return known.made
        self._known[key] = MergedContainer(sources, made, label)
        keys = keys_of(made)
        if keys is not None and all(type(s) is kind and keys_of(s) == keys for s in sources):
            for key in keys:
                parts = tuple(part_of(s, key) for s in sources)
                put_part(made, key, self.join(label, parts, part_of(made, key)))
        else:
            self._inside(label, sources, made)
        return made

    def _inside(self, label: str, sources: tuple, made: Any) -> None:
        """Keep the containers within one of another class: those stay the ones that were made."""
        columns = [containers_in(one)[1:] for one in (*sources, made)]
        if len({len(column) for column in columns}) == 1:
            for *parts, inner in zip(*columns, strict=True):
                self.within.append(tuple(parts))
                key = (*map(id, parts), id(inner))
                self._known.setdefault(key, MergedContainer(tuple(parts), inner, label))

    def _tuple(self, label: str, sources: tuple, made: tuple) -> tuple:
        length = tuple.__len__(made)
        if not all(isinstance(s, tuple) and tuple.__len__(s) == length for s in sources):
            return made
        parts = [self.join(label, parts, m) for parts, m in _columns(sources, made)]
        if all(a is b for a, b in zip(parts, tuple.__iter__(made), strict=True)):
            return made
        return tuple.__new__(type(made), parts) if hasattr(made, "_fields") else tuple(parts)


def _columns(sources: tuple, made: Any) -> Iterable:
    columns = map(walk.elements, (*sources, made))
    return [(tuple(parts), m) for *parts, m in zip(*columns, strict=True)]
