"""The places that staged control flow carries: names of functions and modules, attributes, items.

A name is read and set through its closure cell, so one that is unset stays unset, and Python itself
reports a read of it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, MutableMapping, MutableSequence
from typing import Any

from . import build


class _Undefined:
    """What a place holds that is not set."""

    def __repr__(self) -> str:
        return "<not set>"


UNDEFINED: Any = _Undefined()


class Place:
    """Somewhere that a value can be."""

    def __init__(self, label: str, get: Callable[[], Any], put: Callable[[Any], None]):
        self.label = label
        self.get = get
        self.put = put


def name_places(names: Callable[[], Any] | None) -> list[Place]:
    """A place for each name in the closure of ``names``."""
    if names is None:
        return []
    return [
        _cell_place(name, cell)
        for name, cell in zip(names.__code__.co_freevars, names.__closure__ or (), strict=True)
        if name != build.OPERATORS
    ]


def _cell_place(label: str, cell: types.CellType) -> Place:
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

    return Place(label, get, put)


def attribute(label: str, base: Callable[[], Any], name: str) -> Place | None:
    """The attribute ``name`` of what ``base`` gives now; None where there is no such object."""
    owner = _evaluate(base)
    if owner is UNDEFINED:
        return None

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            setattr(owner, name, value)
        elif hasattr(owner, name):
            delattr(owner, name)

    return Place(label, lambda: getattr(owner, name, UNDEFINED), put)


def item(label: str, base: Callable[[], Any], key: Callable[[], Any]) -> Place | None:
    """The item of a Python container; None where ``base`` is something else, such as a tensor."""
    owner, index = _evaluate(base), _evaluate(key)
    if index is UNDEFINED or not isinstance(owner, (MutableMapping, MutableSequence)):
        return None

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

    return Place(label, get, put)


def global_name(name: str, reader: types.FunctionType) -> Place:
    """A name of the module that ``reader`` reads."""
    namespace = reader.__globals__

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            namespace[name] = value
        else:
            namespace.pop(name, None)

    return Place(name, lambda: namespace.get(name, UNDEFINED), put)


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
