"""Objects that a restoration waits for: attributes, list elements and keys that are set later.

Classes whose instances have attributes get a setter while any restoration waits for attributes, and
lose it when none does, so that programs that do not wait pay nothing. A list or dictionary that is
waited for becomes one of a class that tells when something is added to it.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..context import thread
from . import trackable

__all__ = ["arrived", "is_newest", "replace", "tracked", "wait"]


class _Watched:
    """An object that is waited for: a weak reference to it, and what it lacks."""

    def __init__(self, value: Any):
        number = id(value)
        self.reference = weakref.ref(value, lambda _: _forget(number))
        # By name: the restoration, and the number of the object in its checkpoint.
        self.missing: dict[str, tuple[Any, int]] = {}


_watched: dict[int, _Watched] = {}
# The orders of the restorations that gave objects their values last, by the objects' identities.
_restored: dict[int, tuple[weakref.ref, int]] = {}


def is_newest(restoration: Any, value: Any, has_values: bool) -> bool:
    """Whether no later restoration gave an object its value; notes that this one does."""
    if not has_values:
        return True
    number = id(value)
    known = _restored.get(number)
    if known is not None and known[1] > restoration.order:
        return False
    forget = weakref.ref(value, lambda _: _restored.pop(number, None))
    _restored[number] = (forget, restoration.order)
    return True


def wait(restoration: Any, value: Any, missing: dict[str, int]) -> None:
    """Have a restoration wait for these children of an object."""
    if isinstance(value, (TrackedList, TrackedDict)):
        value._restoration = restoration
        value._missing = missing
    elif missing and isinstance(value, tuple(trackable.with_attributes)):
        watched = _watched.setdefault(id(value), _Watched(value))
        for name, child in missing.items():
            known = watched.missing.get(name)
            if known is None or known[0].order <= restoration.order:
                watched.missing[name] = (restoration, child)
        _install()


def _forget(number: int) -> None:
    _watched.pop(number, None)
    if not _watched:
        _remove()


class _Setter:
    """The ``__setattr__`` of a class while a restoration waits for attributes."""

    def __get__(self, value: Any, owner: Any = None) -> Any:
        if value is None:
            return object.__setattr__
        return lambda name, found: _set(value, name, found)


def _set(value: Any, name: str, found: Any) -> None:
    object.__setattr__(value, name, arrived(value, name, found))


def arrived(value: Any, name: str, found: Any) -> Any:
    """Restore an attribute that was waited for; what is to be kept under its name."""
    watched = _watched.get(id(value))
    if watched is None or name not in watched.missing or not trackable.is_trackable(found):
        return found
    restoration, child = watched.missing.pop(name)
    if not watched.missing:
        _forget(id(value))
    with thread.init_scope():
        return restoration.bind(child, found)


def _install() -> None:
    for kind in trackable.with_attributes:
        if "__setattr__" not in vars(kind):
            kind.__setattr__ = _Setter()  # type: ignore[assignment]


def _remove() -> None:
    for kind in trackable.with_attributes:
        if isinstance(vars(kind).get("__setattr__"), _Setter):
            del kind.__setattr__


def tracked(restoration: Any, number: int, value: Any) -> Any:
    """What is to stand in the place of an object, so that the restoration hears of new children."""
    names = [name for _, name in restoration.saved.nodes[number].children]
    if type(value) is list and len(names) > len(value):
        return TrackedList(value)
    if type(value) is dict and any(name not in value for name in names):
        return TrackedDict(value)
    return value


def replace(holder: Any, name: str, value: Any) -> None:
    """Put an object in the place of one that its holder has under a name."""
    if isinstance(holder, list):
        list.__setitem__(holder, int(name), value)
    elif isinstance(holder, dict):
        dict.__setitem__(holder, name, value)
    elif isinstance(holder, tuple(trackable.with_attributes)):
        object.__setattr__(holder, name, value)


class _Container:
    """What lists and dictionaries that are waited for share."""

    _restoration: Any = None
    _missing: dict[str, int] = {}

    def _look(self) -> None:
        """Restore what is there by now of what is waited for."""
        found = trackable.children_of(self) if self._missing else {}
        for name in [name for name in self._missing if name in found]:
            with thread.init_scope():
                kept = self._restoration.bind(self._missing.pop(name), found[name])
            if kept is not found[name]:
                replace(self, name, kept)


class TrackedList(_Container, list):
    """A list whose new elements a restoration waits for."""

    def append(self, value: Any) -> None:
        """As of a list."""
        super().append(value)
        self._look()

    def extend(self, values: Any) -> None:
        """As of a list."""
        super().extend(values)
        self._look()

    def insert(self, at: Any, value: Any) -> None:
        """As of a list."""
        super().insert(at, value)
        self._look()

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]
        super().extend(values)
        self._look()
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({list(self)!r})"

    def __reduce__(self) -> Any:
        return list, (list(self),)


class TrackedDict(_Container, dict):
    """A dictionary whose new keys a restoration waits for."""

    _is_tracked_mapping = True

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._look()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """As of a dictionary."""
        super().update(*args, **kwargs)
        self._look()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """As of a dictionary."""
        super().setdefault(key, default)
        self._look()
        return self[key]

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        super().update(other)
        self._look()
        return self

    def __repr__(self) -> str:
        return f"DictWrapper({dict(self)!r})"

    def __reduce__(self) -> Any:
        return dict, (dict(self),)
