"""Merging what two branches leave in one place: attributes, items and whole containers."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

from ..values import errors
from . import frames, lists, values
from .facets import Whole, not_followed
from .places import here, say
from .regions import Conditional
from .state import UNDEFINED, Container, Place, item_place

Setter = Callable[[Iterator], None]


def merge(conditional: Conditional, place: Place, first: Any, second: Any, where: str) -> Setter:
    """Add a place to the conditional; how to leave the result in it."""
    if isinstance(place, Whole):
        if first == second:
            return lambda results: place.put(first)
        raise not_followed(place, where)
    if not isinstance(place, Container):
        return _scalar(conditional, place, first, second, where)
    if isinstance(first, (list, collections.deque)):
        if len(first) == len(second) and not _grows(first, second):
            return _items(conditional, place, list(first), list(second))
        if isinstance(first, list):
            return _lists(conditional, place, first, second)
    elif isinstance(first, dict):
        return _mapping(conditional, place, first, second, where)
    elif first == second:
        return lambda results: place.put(first)
    raise TypeError(
        say(
            where,
            f"{_called(place)} holds other elements after the `if` branch than after the `else` "
            "branch of this `if` on a tensor",
            "Only lists can grow in the graph.",
        )
    )


def _reordered(place: Place, where: str) -> Exception:
    return errors.StagingError(
        say(
            where,
            f"{_called(place)} has its keys in another order after this branch or loop",
            "Order them where the function needs them in order.",
        )
    )


def fill(conditional: Conditional, place: Place, pair: list) -> Setter:
    """Add a name that one branch sets: who reads it after the other one fails in plain Python."""
    filled = pair[0] is UNDEFINED, pair[1] is UNDEFINED
    conditional.merge(f"the values of {place.label!r}", pair[0], pair[1], filled)
    return lambda results: place.put(next(results))


def _called(place: Place) -> str:
    return f"the {type(place.owner).__name__} {place.label!r}"


def _grows(first: list, second: list) -> bool:
    return any(type(v) is lists.Grown for v in (*first, *second))


def _scalar(conditional: Conditional, place: Place, first: Any, second: Any, where: str) -> Setter:
    if first is second:
        return lambda results: place.put(first)
    if first is UNDEFINED or second is UNDEFINED:
        raise _one_sided(place.label, first is UNDEFINED, where)
    conditional.merge(f"the values of {place.label!r}", first, second)
    return lambda results: place.put(next(results))


def _one_sided(label: str, in_else: bool, where: str) -> ValueError:
    sides = ("the `else` branch", "the `if` branch")
    set_in, unset_in = sides if in_else else sides[::-1]
    return ValueError(
        say(
            where,
            f"{label!r} is set in {set_in} of this `if` on a tensor but not in {unset_in}",
            "Set it before the `if`, or in both branches.",
        )
    )


def _items(conditional: Conditional, place: Place, first: list, second: list) -> Setter:
    made = list(first)
    differing = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a is not b]
    for i in differing:
        conditional.merge(f"the values of {place.label}[{i}]", first[i], second[i])

    def put(results: Iterator) -> None:
        for i in differing:
            made[i] = next(results)
        place.put(made)

    return put


def _mapping(
    conditional: Conditional, place: Place, first: dict, second: dict, where: str
) -> Setter:
    for key in {**first, **second}:
        if key not in first or key not in second:
            raise _one_sided(f"{place.label}[{key!r}]", key not in first, where)
    if list(first) != list(second):
        raise _reordered(place, where)
    keys = [key for key in first if first[key] is not second[key]]
    for key in keys:
        conditional.merge(f"the values of {place.label}[{key!r}]", first[key], second[key])

    def put(results: Iterator) -> None:
        place.put({**first, **{key: next(results) for key in keys}})

    return put


def _lists(conditional: Conditional, place: Place, first: list, second: list) -> Setter:
    elements = lists.merged(f"the list {place.label!r}", first, second)
    grown = []
    for branch, items in zip(conditional.branches, (first, second), strict=True):
        with branch:
            grown.append(lists.Grown.of(elements, items))
    conditional.merge(f"the list {place.label!r}", *grown)
    return lambda results: place.put([next(results)])


def expand(change: Any) -> list[Place]:
    """The places that a loop carries because an iteration changes ``change.place``."""
    place, old, new = change
    if isinstance(place, Whole):
        raise not_followed(place, here())
    if not isinstance(place, Container):
        return [place]
    if isinstance(old, (list, collections.deque)):
        if len(old) == len(new) and not _grows(old, new):
            found = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a is not b]
            return [_item(place, i) for i in found]
        if isinstance(old, list):
            return [GrownList(place, lists.merged(f"the list {place.label!r}", old, new))]
    elif isinstance(old, dict):
        keys = [k for k in {**old, **new} if old.get(k, UNDEFINED) is not new.get(k, UNDEFINED)]
        if not keys and list(old) != list(new):
            raise _reordered(place, here())
        return [_item(place, k) for k in keys]
    raise errors.StagingError(
        say(
            here(),
            f"{_called(place)} holds other elements after an iteration of a loop of the graph than "
            "before it",
            "Only lists can grow in the graph.",
        )
    )


def can_carry(place: Place, old: Any, new: Any) -> bool:
    """Whether the graph can carry what a place held before and after, or after two branches."""
    if is_unset(old) or new is UNDEFINED:
        return False
    if isinstance(old, dict) and (old.keys() != new.keys() or any(map(is_unset, old.values()))):
        return False
    if isinstance(place, Container) and not frames.is_converted_code() and len(old) != len(new):
        return False
    try:
        expand((place, old, new))
    except (errors.StagingError, TypeError, ValueError):
        return False
    return all(values.can_be_tensor(leaf) for leaf in values.leaves_of((old, new)))


def is_unset(value: Any) -> bool:
    """Whether a value is none that a tensor can stand for before it is set."""
    return value is UNDEFINED or value is None


def _item(place: Container, key: Any) -> Place:
    return item_place(f"{place.label}[{key!r}]", place.owner, key)


class GrownList(Place):
    """A list that an iteration makes longer or shorter."""

    def __init__(self, place: Container, elements: Any):
        super().__init__(place.label, self._get, self._put, place.owner, ("grown", id(place.owner)))
        self._elements = elements

    def start(self) -> None:
        """Give the list the form in which it grows, in the graph under construction."""
        if not (len(self.owner) == 1 and type(self.owner[0]) is lists.Grown):
            self._put(lists.Grown.of(self._elements, list(self.owner)))

    def _get(self) -> Any:
        return lists.whole(self.owner)

    def _put(self, value: Any) -> None:
        list.__setitem__(self.owner, slice(None), [value])
