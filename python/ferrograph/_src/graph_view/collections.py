"""Collections of a graph: values under names, reserved names, and what is excluded from lookups."""

from __future__ import annotations

import weakref
from collections.abc import Iterable

from ..context.hooks import hooks
from ..hints import Any

__all__ = ["Collections", "Notes", "notes_of", "pass_on"]


class Notes:
    """What was noted of one graph."""

    def __init__(self) -> None:
        self.collections: dict[Any, list] = {}
        self.names: set[str] = set()
        self.unfetched: set[str] = set()
        self.unfed: set[str] = set()


# Of regions that are being traced, and of the concrete functions that were made of them.
_notes: weakref.WeakKeyDictionary[Any, Notes] = weakref.WeakKeyDictionary()


def notes_of(holder: Any) -> Notes:
    """The notes on the graph of a region or concrete function."""
    return _notes.setdefault(holder, Notes())


def pass_on(region: Any, concrete: Any) -> None:
    """What was noted while a graph was traced is known of the finished one."""
    if region in _notes:
        _notes[concrete] = _notes[region]


hooks.finished = pass_on


class Collections:
    """A graph's named lists of values, which are the program's own: nothing here reads them."""

    _own: Notes

    @property
    def collections(self) -> list:
        """The names of the lists that are there."""
        return list(self._own.collections)

    def get_all_collection_keys(self) -> list[str]:
        """Those of the names that are strings."""
        return [name for name in self._own.collections if isinstance(name, str)]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append a value to the list of that name."""
        self._own.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append a value to the lists of those names; a string is one name."""
        single = isinstance(names, str) or not isinstance(names, Iterable)
        for name in [names] if single else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list:
        """The list of that name itself, which is made where there is none."""
        return self._own.collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list:
        """A copy of the list of that name; of values whose own names begin as ``scope`` does."""
        found = self._own.collections.get(name, [])
        if scope is None:
            return list(found)
        import re

        begins = re.compile(scope)
        return [value for value in found if begins.match(getattr(value, "name", None) or "")]

    def clear_collection(self, name: Any) -> None:
        """Forget the list of that name."""
        self._own.collections.pop(name, None)
