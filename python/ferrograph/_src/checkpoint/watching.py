"""Deferred restoration: attributes, list elements and keys that are set later.

How an added object is noticed:

* its class, where that is one of ``telling``: it calls ``arrived`` for each attribute that is set;
* by a setter that is added to other classes with instance attributes while a restoration waits for
  attributes, and removed afterwards, so that programs that do not wait pay nothing;
* by a list or dictionary itself: a notifying subclass replaces it in its holders, also in tuples,
  which are rebuilt.

A list or dictionary that was replaced may have other references, and additions through these are
not noticed at once: they are taken over when the references of the object are next read.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any

from ..context import thread
from . import trackable

__all__ = ["TrackedDict", "TrackedList", "arrived", "is_newest", "replace", "telling", "tracked"]
__all__ += ["wait"]

# Classes of other layers whose instances call ``arrived`` when an attribute is set.
telling: list[type[Any]] = []


class _Watched:
    """An object that is waited for: a weak reference to it, and what it lacks."""

    def __init__(self, value: Any):
        number = id(value)
        self.reference = weakref.ref(value, lambda _: _forget(number))
        # By name: the restoration, and the number of the object in its checkpoint.
        self.missing: dict[str, tuple[Any, int]] = {}


_watched: dict[int, _Watched] = {}
# The orders of the restorations that gave objects their values last, by the objects' identities.
_restored: dict[int, tuple[weakref.ref[Any], int]] = {}


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
    """Have a restoration wait for these children of an object, where something will tell."""
    has_setter = isinstance(value, tuple(trackable.with_attributes))
    if not missing or not (has_setter or isinstance(value, (_Container, *telling))):
        return
    watched = _watched.setdefault(id(value), _Watched(value))
    for name, child in missing.items():
        known = watched.missing.get(name)
        if known is None or known[0].order <= restoration.order:
            watched.missing[name] = (restoration, child)
    if has_setter:
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
    """Restore a child that was waited for; what is to be kept under its name."""
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
    children = restoration.saved.nodes[number].children
    if isinstance(value, tuple):
        return _tracked_tuple(restoration, {name: child for child, name in children}, value)
    kind = _TRACKED.get(type(value))
    if kind is None:
        return value
    there = trackable.children_of(value)
    return value if all(name in there for _, name in children) else kind.of(value)


def _tracked_tuple(restoration: Any, children: dict[str, int], value: Any) -> Any:
    names = getattr(value, "_fields", None) or tuple(map(str, range(len(value))))
    parts = list(value)
    for i, name in enumerate(names):
        if name in children:
            parts[i] = tracked(restoration, children[name], parts[i])
    if all(a is b for a, b in zip(parts, value, strict=True)):
        return value
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def replace(holder: Any, name: str, value: Any) -> bool:
    """Put an object in the place of one that its holder has under a name; whether it can be."""
    if isinstance(holder, list):
        list.__setitem__(holder, int(name), value)
    elif isinstance(holder, dict):
        dict.__setitem__(holder, name, value)
    elif isinstance(holder, tuple(trackable.with_attributes)):
        object.__setattr__(holder, name, value)
    elif isinstance(holder, tuple(telling)):
        holder._put(name, value)  # type: ignore[attr-defined]
    else:
        return False
    return True


class _Container:
    """What lists and dictionaries that are waited for share."""

    _source: Any = None  # the one whose place it has taken
    _known: Any = None  # what that one and this one held then

    @classmethod
    def of(cls, source: Any) -> Any:
        """One that takes the place of another."""
        made = cls(source)  # type: ignore[call-arg]
        made._source, made._known = source, _items(source)
        return made

    def _trackable_children(self, save_type: str = "checkpoint") -> dict[str, Any]:
        self._take_over()
        return trackable.items_of(self)

    def _take_over(self) -> None:
        """Hold what the one whose place it has taken was given since. ValueError where both have
        changed."""
        source, known = self._source, self._known
        if source is None or _are_same(_items(source), known):
            return
        if not _are_same(_items(self), known):
            raise ValueError(
                f"{source!r} and {self!r}, which has taken its place since a restoration waits for "
                "its elements, have both changed: change what the checkpoint refers to"
            )
        self._known = _items(source)
        stand_ins = {id(part._source): part for part in _parts(self) if hasattr(part, "_source")}
        self._fill([stand_ins.get(id(part), part) for part in _parts(source)])

    def _fill(self, parts: list[Any]) -> None:
        """Hold these elements, or these under the keys that the other one has."""
        raise NotImplementedError

    def _look(self) -> None:
        """Restore what is there by now of what is waited for. What was restored by its former
        place keeps that value."""
        watched = _watched.get(id(self))
        if watched is None:
            return
        there = trackable.items_of(self)
        for name in [name for name in watched.missing if name in there]:
            restoration, _ = watched.missing[name]
            if restoration.has_restored(there[name]):
                continue
            kept = arrived(self, name, there[name])
            if kept is not there[name]:
                replace(self, name, kept)


def _parts(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _items(value: Any) -> list[Any]:
    """The elements, or the keys and then what stands under them."""
    return [*value, *value.values()] if isinstance(value, dict) else list(value)


def _are_same(now: list[Any], known: list[Any]) -> bool:
    """Whether these are the same objects, or those that have taken their places."""

    def same(a: Any, b: Any) -> bool:
        is_key = type(a) is str and a == b
        return a is b or is_key or (isinstance(a, _Container) and a._source is b)

    return len(now) == len(known) and all(map(same, now, known))


class TrackedList(_Container, list[Any]):
    """A list that tells of new elements, for which a restoration may wait."""

    def _fill(self, parts: list[Any]) -> None:
        self[:] = parts

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

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._look()

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]
        super().extend(values)
        self._look()
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({list(self)!r})"

    def __reduce__(self) -> Any:
        return list, (list(self),)


class _Mapping(_Container):
    """What dictionaries that tell of new keys share; before a class of dictionaries."""

    _is_tracked_mapping = True

    def _fill(self: Any, parts: list[Any]) -> None:
        keys = list(self._source)
        self.clear()
        self.update(zip(keys, parts, strict=True))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)  # type: ignore[misc]
        self._look()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """As of a dictionary."""
        super().update(*args, **kwargs)  # type: ignore[misc]
        self._look()

    def setdefault(self: Any, key: Any, default: Any = None) -> Any:
        """As of a dictionary."""
        super().setdefault(key, default)  # type: ignore[misc]
        self._look()
        return self[key]

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __repr__(self: Any) -> str:
        return f"DictWrapper({dict(self)!r})"


class TrackedDict(_Mapping, dict[Any, Any]):
    """A dictionary that tells of new keys, for which a restoration may wait."""

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class _TrackedOrderedDict(_Mapping, OrderedDict[Any, Any]):
    def __reduce__(self) -> Any:
        return OrderedDict, (list(self.items()),)


_TRACKED: dict[type[Any], Any] = {
    list: TrackedList,
    dict: TrackedDict,
    OrderedDict: _TrackedOrderedDict,
}
