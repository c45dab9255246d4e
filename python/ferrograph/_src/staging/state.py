"""The places that staged control flow carries: names of functions and modules, attributes, items.

A name is read and set through its closure cell, so one that is unset stays unset, and Python itself
reports a read of it.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterable, MutableMapping, MutableSequence
from typing import Any

from ..context.ownership import OPERATORS
from .journal import has_lists


class _Undefined:
    """What a place holds that is not set."""

    def __repr__(self) -> str:
        return "<not set>"


UNDEFINED: Any = _Undefined()


class Together:
    """What stands in a list for all its elements, where the graph holds them."""


def is_grown(value: Any) -> bool:
    """Whether a value is a list with elements of the graph in it."""
    return has_lists() and isinstance(value, list) and any(isinstance(v, Together) for v in value)


class Place:
    """Somewhere that a value can be.

    ``owner`` is the object that holds it and ``key`` says which place of which object it is.
    """

    is_shared = False  # whether it outlives the function that sets it by its kind
    is_module = False

    def __init__(
        self,
        label: str,
        get: Callable[[], Any],
        put: Callable[[Any], None],
        owner: Any = None,
        key: Any = None,
    ):
        self.label = label
        self.get = get
        self.put = put
        self.owner = owner
        self.key = key


def name_places(names: Callable[[], Any] | None) -> list[Place]:
    """A place for each name in the closure of ``names``."""
    if names is None:
        return []
    return [
        cell_place(name, cell)
        for name, cell in zip(names.__code__.co_freevars, names.__closure__ or (), strict=True)
        if name != OPERATORS
    ]


def cell_place(label: str, cell: types.CellType) -> Place:
    """The place of a name that is kept in ``cell``."""

    def get() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return UNDEFINED

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            cell.cell_contents = value
        elif get() is not UNDEFINED:
            del cell.cell_contents

    return Place(label, get, put, cell, ("cell", id(cell)))


def attribute(label: str, base: Callable[[], Any], name: str) -> Place | None:
    """The attribute ``name`` of what ``base`` gives now; None where there is no such object.

    An attribute behind a property is no place: its property decides what is set.
    """
    owner = _evaluate(base)
    if owner is UNDEFINED or type(getattr(type(owner), name, None)) is property:
        return None
    return attribute_place(label, owner, name)


def attribute_place(label: str, owner: Any, name: str) -> Place:
    """The attribute ``name`` of ``owner``."""

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            setattr(owner, name, value)
        elif hasattr(owner, name):
            delattr(owner, name)

    key = ("attribute", id(owner), name)
    return Place(label, lambda: getattr(owner, name, UNDEFINED), put, owner, key)


def item(label: str, base: Callable[[], Any], key: Callable[[], Any]) -> Place | None:
    """The item of a Python container; None where ``base`` is something else, such as a tensor."""
    owner, index = _evaluate(base), _evaluate(key)
    if index is UNDEFINED or not isinstance(owner, (MutableMapping, MutableSequence)):
        return None
    if isinstance(owner, MutableSequence):
        if is_grown(owner):
            return None  # its elements are carried together
        if not isinstance(index, int) or not -len(owner) <= index < len(owner):
            return None
        index %= len(owner)
    return item_place(label, owner, index)


def item_place(label: str, owner: Any, index: Any) -> Place:
    """The item of a list or a mapping under ``index``."""

    def get() -> Any:
        try:
            return owner[index]
        except (KeyError, IndexError):
            return UNDEFINED

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            owner[index] = value
        elif get() is not UNDEFINED:
            del owner[index]

    return Place(label, get, put, owner, ("item", id(owner), index))


def global_name(name: str, reader: types.FunctionType) -> Place:
    """A name of the module that ``reader`` reads."""
    namespace = reader.__globals__

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            namespace[name] = value
        else:
            namespace.pop(name, None)

    key = ("global", id(namespace), name)
    place = Place(name, lambda: namespace.get(name, UNDEFINED), put, namespace, key)
    place.is_shared = place.is_module = True
    return place


class Container(Place):
    """All that a list, dict, set, deque or bytearray holds, as a copy of it."""

    def __init__(self, label: str, owner: Any):
        super().__init__(label, self._get, self._put, owner, ("all", id(owner)))

    def _get(self) -> Any:
        for kind in (list, dict, set, bytearray):
            if isinstance(self.owner, kind):
                return kind(self.owner)
        return collections.deque(self.owner)

    def _put(self, value: Any) -> None:
        owner = self.owner
        if isinstance(owner, list):
            list.__setitem__(owner, slice(None), value)
        elif isinstance(owner, dict):
            dict.clear(owner)
            dict.update(owner, value)
        elif isinstance(owner, set):
            set.clear(owner)
            set.update(owner, value)
        else:
            owner.clear()
            owner.extend(value)


class Attributes(Place):
    """What the ``__dict__`` of an object holds, as a copy of it."""

    def __init__(self, owner: Any, held: dict):
        super().__init__(
            type(owner).__name__, self._get, held.update, owner, ("attributes", id(owner))
        )
        self.owner_dict = held

    def _get(self) -> dict:
        return dict(self.owner_dict)


def _evaluate(thunk: Callable[[], Any]) -> Any:
    try:
        return thunk()
    except (NameError, AttributeError, LookupError, TypeError):
        return UNDEFINED


class State:
    """All places that one construct may change."""

    def __init__(
        self,
        names: Callable[[], Any] | None,
        others: Callable[[], Iterable[Place | None]] | None,
    ):
        found = name_places(names)
        self.n_names = len(found)
        extra = others() if others is not None else ()
        self.places = found + [place for place in extra if place is not None]

    def read(self) -> list[Any]:
        return [place.get() for place in self.places]

    def write(self, values: list[Any]) -> None:
        for place, value in zip(self.places, values, strict=True):
            if place.get() is not value:
                place.put(value)

    def names(self) -> State:
        """The names alone."""
        made = State(None, None)
        made.places, made.n_names = self.places[: self.n_names], self.n_names
        return made
