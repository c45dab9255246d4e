"""Containers in fields of messages: lists of numbers or bytes, lists of messages, maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

from ..values.errors import shown
from ..values.wire import Scalar

__all__ = ["Composites", "Messages", "Scalars"]


class _List(MutableSequence[Any]):
    """A list in a message, which is notified when it changes."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, changed: Callable[[], None]):
        self._items: list[Any] = []
        self._changed = changed

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __getitem__(self, where: Any) -> Any:
        return self._items[where]

    def __delitem__(self, where: Any) -> None:
        del self._items[where]
        self._changed()

    def __eq__(self, other: Any) -> bool:
        return self._items == (other._items if isinstance(other, _List) else other)

    def __repr__(self) -> str:
        return repr(self._items)

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Puts the elements in order."""
        self._items.sort(key=key, reverse=reverse)

    def reverse(self) -> None:
        """Turns the order of the elements round."""
        self._items.reverse()

    def clear(self) -> None:
        """Takes all elements out."""
        self._items.clear()
        self._changed()

    def MergeFrom(self, other: Iterable[Any]) -> None:  # noqa: N802 - the name that lists have
        """Adds the elements of another list."""
        self.extend(other)

    def __copy__(self) -> list[Any]:
        return list(self._items)

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return [type(i).__deepcopy__(i, memo) if hasattr(i, "MergeFrom") else i for i in self]


class Scalars(_List):
    """A list of integers, floats or bytes."""

    def __init__(self, changed: Callable[[], None], kind: Scalar):
        super().__init__(changed)
        self._kind = kind

    def __setitem__(self, where: Any, value: Any) -> None:
        if isinstance(where, slice):
            self._items[where] = self._kind.checked(value)
        else:
            self._items[where] = self._kind.checked([value])[0]
        self._changed()

    def insert(self, where: int, value: Any) -> None:
        """Adds an element in front of that place."""
        self._items.insert(where, self._kind.checked([value])[0])
        self._changed()

    def append(self, value: Any) -> None:
        """Adds an element."""
        self._items.append(self._kind.checked([value])[0])
        self._changed()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements."""
        if isinstance(values, (int, float)):
            raise TypeError("must assign iterable")
        self._items += self._kind.checked(values)
        self._changed()


class Messages(_List):
    """A list of messages of one class, which are copied as they come in."""

    def __init__(self, changed: Callable[[], None], cls: Any):
        super().__init__(changed)
        self._class = cls

    def _copied(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._class(**value)
        if not isinstance(value, self._class):
            raise TypeError(f"Expected a message object, but got {shown(value)}.")
        copied = self._class()
        copied.CopyFrom(value)
        return copied

    def add(self, **fields: Any) -> Any:
        """Adds a new message of these fields, and gives it."""
        made = self._class(**fields)
        self._items.append(made)
        self._changed()
        return made

    def __setitem__(self, where: Any, value: Any) -> None:
        self._items[where]  # noqa: B018 - IndexError where there is none
        raise TypeError("messages of a list are not assigned; change them, or delete and insert")

    def insert(self, where: int, value: Any) -> None:
        """Adds a copy of a message in front of that place."""
        self._items.insert(where, self._copied(value))
        self._changed()

    def append(self, value: Any) -> None:
        """Adds a copy of a message."""
        self.insert(len(self), value)

    def extend(self, values: Iterable[Any]) -> None:
        """Adds copies of messages."""
        self._items += [self._copied(value) for value in values]
        self._changed()


class Composites(MutableMapping[Any, Any]):
    """A map from names to messages of one class, which are made when they are asked for."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, changed: Callable[[], None], cls: Any, entry: Callable[[], Any]):
        self._items: dict[str, Any] = {}
        self._changed, self._class, self._entry = changed, cls, entry

    @staticmethod
    def _key(key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(f"the keys of this map are str, got {shown(key)}")
        return key

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, key: Any) -> bool:
        return self._key(key) in self._items

    def __getitem__(self, key: str) -> Any:
        if self._key(key) not in self._items:
            self._items[key] = self._class()
            self._changed()
        return self._items[key]

    get_or_create = __getitem__

    def GetEntryClass(self) -> Any:  # noqa: N802 - the name that maps have
        """The class of a key with its message, for protobuf's own library."""
        return self._entry()

    def __setitem__(self, key: str, value: Any) -> None:
        raise ValueError("Message objects may not be assigned")

    def __delitem__(self, key: str) -> None:
        if self._key(key) not in self._items:
            raise KeyError("Key not present in map")
        del self._items[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The message of that name, or the default; none is made."""
        return self._items.get(self._key(key), default)

    def pop(self, key: str, *default: Any) -> Any:
        """Takes the message of that name out, and gives it."""
        return self._items.pop(self._key(key), *default)

    def clear(self) -> None:
        """Takes all messages out."""
        self._items.clear()

    def __eq__(self, other: Any) -> bool:
        return self._items == (other._items if isinstance(other, Composites) else other)

    def __repr__(self) -> str:
        return repr(self._items)

    def MergeFrom(self, other: Any) -> None:  # noqa: N802 - the name that maps have
        """Takes copies of another map's messages over, in place of those of their names."""
        for key, value in other.items():
            self[key].CopyFrom(value)

    def _update(self, given: Any) -> None:
        for key, value in given.items():
            own = self[key]
            if isinstance(value, dict):
                own.CopyFrom(self._class(**value))
            elif isinstance(value, self._class):
                own.CopyFrom(value)
            else:
                raise TypeError(f"expected {self._class.__name__}, got {shown(value)}")
