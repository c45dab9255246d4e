"""Variants: the contents that branches leave in one object, with a tensor that selects one.

Where the branches of a conditional leave a dict with different keys, a set with different members
or a buffer with different bytes, no tensor can represent the difference. The object then has all of
these contents as variants, and a tensor is the number of the current one. Contents that differ only
in numbers and tensors are one variant with merged tensors.

What one branch alone leaves, since the other one has no such content or raises, needs no merge: its
tensors become results of the conditional, and objects that it made stay as they are.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator

from .. import ops
from ..heap import references, structure
from ..heap.adapters import NUMBERS, registry
from ..heap.adapters.base import Through
from ..heap.location import Location, Together, Variants, held_by, values_of
from ..heap.snapshot import reached
from ..heap.source_location import here, refusal
from ..heap.trace_context import really
from ..heap.walk import are_same_keys, have_effects, with_items
from ..hints import Any
from ..native import _core
from ..symbolic import values
from ..values import constants, dtypes
from .iteration import Cursor
from .regions import Conditional, Traced

MOST_VERSIONS = 12
_MISSING: Any = object()
Take = Callable[[Iterator], Any]


def contents_of(value: Any) -> list:
    """The contents of an object, one where it has one."""
    return value.contents if type(value) is Variants else [value]


def merge(conditional: Conditional, place: Location, first: Any, second: Any, where: str) -> Take:
    """Add the contents that two branches leave in a place; how to leave the result in it."""
    sides = [_distinct(b, v) for b, v in zip(conditional.branches, (first, second), strict=True)]
    union = _union(sides[0].contents, sides[1].contents)
    if len(union) > MOST_VERSIONS:
        raise too_many(place, where)
    takes = [_merged(conditional, place.label, *pair) for pair in union]
    if len(union) > 1:
        numbers = [_renumbered(b, sides[i], union, i) for i, b in enumerate(conditional.branches)]
        conditional.merge(f"which contents {place.label!r} has", *numbers)

    def put(results: Iterator) -> None:
        contents = [take(results) for take in takes]
        place.put(Variants(next(results), contents) if len(union) > 1 else contents[0])

    return put


def can_be_one(conditional: Conditional, pair: list, was: tuple[Any, Any] | None = None) -> bool:
    """Whether one object can replace two, which have no other references than from the same
    locations.

    ``was`` are the key of a location that holds them and what it held before; without it they are
    results, which the branches must have made.
    """
    held = [really(v) for v in pair]
    if type(held[0]) is not type(held[1]) or held[0] is held[1]:
        return False
    if any(isinstance(v, (dict, set)) and have_effects(_members(v)) for v in held):
        return False
    if any(registry.content_place(v) is None or _is_view(v) for v in held):
        return False
    if conditional.changed.issuperset(map(id, held)):
        return False
    if getattr(held[0], "shape", None) != getattr(held[1], "shape", None):
        return False
    if structure.other_settings(*held) or any(map(structure.has_attributes, held)):
        return False
    if not all(_is_alone(conditional, v, was) for v in held):
        return False
    first, second = (_keys(conditional, side, held[side]) for side in (0, 1))
    return first is not None and first == second


def _members(value: Any) -> list:
    """The keys of a dict or the members of a set, by no method of its class."""
    return list((dict if isinstance(value, dict) else set).__iter__(value))


def _is_view(value: Any) -> bool:
    return getattr(value, "base", None) is not None


def _is_alone(conditional: Conditional, value: Any, was: tuple[Any, Any] | None) -> bool:
    """Whether nothing referred to an object before the branches but the location that holds it."""
    value = _original(conditional, value)
    if not conditional.snapshot.knows(value):
        return True
    return was is not None and really(was[1]) is value and references.is_alone(value)


def _keys(conditional: Conditional, side: int, value: Any) -> set | None:
    """The locations in which a branch leaves an object; None where other objects hold it, too."""
    value = _original(conditional, value)
    found = set()
    for key, left in conditional.left[side].items():
        if really(left) is value:
            found.add(key)
        elif reached([left], [value]):
            return None
    return found


def _original(conditional: Conditional, value: Any) -> Any:
    """The object of which ``value`` is a copy, as a branch left it."""
    return conditional.copied.get(id(value), (value, value))[1]


def too_many(place: Location, where: str) -> Exception:
    """The refusal of ever more contents."""
    return refusal(
        f"the {type(place.owner).__name__} {place.label!r} has more than {MOST_VERSIONS} variants "
        "at this merge",
        "Keep what changes in tensors, or in a list or dict with the same members throughout.",
        where,
    )


def union_of(first: list, second: list) -> list:
    """The contents of both, equal ones once."""
    return [a if a is not _MISSING else b for a, b in _union(first, second)]


def _union(first: list, second: list) -> list[tuple[Any, Any]]:
    """The contents of two sides, paired where they are alike."""
    rest, found = list(second), []
    for content in first:
        other = next((i for i, c in enumerate(rest) if is_alike(content, c)), None)
        found.append((content, _MISSING if other is None else rest.pop(other)))
    return found + [(_MISSING, content) for content in rest]


def is_alike(first: Any, second: Any) -> bool:
    """Whether two contents differ in numbers and tensors alone."""
    if type(first) is not type(second):
        return False
    if isinstance(first, (dict, set)):
        if not are_same_keys(first, second):
            return False
        if isinstance(first, set):
            return True
        first, second = list(first.values()), list(second.values())
    elif not isinstance(first, (list, collections.deque)):
        return bool(first == second)
    return len(first) == len(second) and all(map(_fit, first, second))


def _fit(first: Any, second: Any) -> bool:
    """Whether one tensor, or the same object, can represent two values."""
    if really(first) is really(second):
        return True
    if isinstance(first, (str, bytes)) or isinstance(second, (str, bytes)):
        return type(first) is type(second) and first == second
    if not (values.can_be_tensor(first) and values.can_be_tensor(second)):
        return False
    kinds = type(first) in NUMBERS, type(second) in NUMBERS
    if all(kinds):
        return type(first) is type(second)
    if any(kinds):
        number, other = (first, second) if kinds[0] else (second, first)
        return values.fits(number, values.dtype_of(other))
    return values.dtype_of(first) == values.dtype_of(second)


def with_values(content: Any, items: list) -> Any:
    """A content like another, with these values."""
    if isinstance(content, dict):
        return with_items(content, items)
    return type(content)(items)


def _merged(conditional: Conditional, label: str, first: Any, second: Any) -> Take:
    """Add the values of a content that one side or both have; how to make it of the results."""
    sides = [values_of(c) if c is not _MISSING else None for c in (first, second)]
    like = second if first is _MISSING else first
    if sides == [None, None]:
        return lambda results: like
    n = len(sides[0] if sides[0] is not None else sides[1] or ())
    takes = []
    for i in range(n):
        pair = [_MISSING if side is None else side[i] for side in sides]
        takes.append(_value(conditional, f"the values of {label!r}", *pair))
    return lambda results: with_values(like, [take(results) for take in takes])


def _value(conditional: Conditional, label: str, first: Any, second: Any) -> Take:
    if first is _MISSING or second is _MISSING:
        side = 0 if second is _MISSING else 1
        return Lifting(conditional, side).value(label, (first, second)[side])
    if really(first) is really(second) or _is_equal(first, second):
        return lambda results: first
    conditional.merge(label, first, second)
    return next


def _is_equal(first: Any, second: Any) -> bool:
    plain = (*NUMBERS, str, bytes)
    return type(first) is type(second) and type(first) in plain and first == second


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
        return lambda results: with_values(content, [take(results) for take in takes])

    def _several(self, label: str, held: Variants) -> Take:
        index = self.value(label, held.index)
        takes = [self._content(label, content) for content in held.contents]
        return lambda results: Variants(index(results), [take(results) for take in takes])

    def _inside(self, label: str, value: Any) -> Iterator[Callable[[Iterator], None]]:
        """How to leave what an object holds that the branch has made."""
        if id(value) in self._seen or self._conditional.snapshot.knows(value):
            return
        adapters = (
            (registry.FIELDS,) if type(value) is Cursor else registry.adapters_of(type(value))
        )
        if adapters:
            self._seen[id(value)] = value
        for adapter in adapters:
            held = adapter.hold(value)
            if isinstance(adapter, Through):
                for part in adapter.parts(value, held):
                    yield from self._inside(label, part)
            if adapter is registry.ARGUMENTS:
                continue
            for key, inner in adapter.references(value, held):
                place = adapter.reference(value, key)
                yield self._setter(place, inner, self.value(label, inner))

    def _setter(self, place: Location, inner: Any, take: Take) -> Callable[[Iterator], None]:
        def put(results: Iterator) -> None:
            made = take(results)
            if made is not inner:
                place.put(made)

        return put


def _tuple_like(value: tuple, parts: list) -> tuple:
    if all(a is b for a, b in zip(value, parts, strict=True)):
        return value
    return tuple.__new__(type(value), parts)


def _distinct(branch: Traced, value: Any) -> Variants:
    """The distinct contents of a side, where tensors can be merged at once."""
    if type(value) is not Variants:
        return Variants(None, [value])
    contents: list = []
    numbers: list[int] = []
    for content in value.contents:
        number = next((i for i, c in enumerate(contents) if _can_select(c, content)), None)
        if number is None:
            numbers.append(len(contents))
            contents.append(content)
            continue
        with branch:
            held = _chosen(value.index, len(numbers), contents[number], content)
        contents[number] = held
        numbers.append(number)
    with branch:
        return Variants(_mapped(value.index, numbers), contents)


def _can_select(first: Any, second: Any) -> bool:
    """Whether two contents are alike, with tensors of the same shapes."""
    if not is_alike(first, second):
        return False
    pairs = zip(values_of(first) or (), values_of(second) or (), strict=True)
    return all(_shape(a) == _shape(b) and None not in _shape(a) for a, b in pairs)


def _shape(value: Any) -> list:
    if not hasattr(value, "shape"):
        return []
    found = values.static_shape(_core.convert_to_tensor(value))
    return [None] if found is None else found


def _chosen(index: Any, number: int, before: Any, content: Any) -> Any:
    """One content for two that are alike: the second one where ``index`` is ``number``."""
    pairs = values_of(before), values_of(content)
    if pairs[0] is None or pairs[1] is None:
        return before
    is_second = ops.equal(index, number)
    made = []
    for a, b in zip(*pairs, strict=True):
        if really(a) is really(b) or _is_equal(a, b):
            made.append(a)
            continue
        dtype = values.common_dtype([a, b])
        made.append(ops.where(is_second, values.to_tensor(b, dtype), values.to_tensor(a, dtype)))
    return with_values(before, made)


def _mapped(index: Any, numbers: list[int]) -> Any:
    """``index`` where its contents have other numbers."""
    if numbers == list(range(len(numbers))):
        return index
    return ops.gather(constants.constant(numbers, dtypes.int32), index)


def _renumbered(branch: Traced, side: Variants, union: list, i: int) -> Any:
    """The number that the content of a side has in the union."""
    places = [next(n for n, pair in enumerate(union) if pair[i] is c) for c in side.contents]
    if side.index is None:
        return places[0]
    with branch:
        return _mapped(side.index, places)


def chosen(held: Variants, make: Callable[[Any], Any]) -> Any:
    """What ``make`` makes of the content that an object has."""

    def at(number: int) -> Any:
        if number == len(held.contents) - 1:
            return make(held.contents[number])
        with Conditional(ops.equal(held.index, number), here(), ("one", "another")) as conditional:
            with conditional.branches[0]:
                first = make(held.contents[number])
            with conditional.branches[1]:
                second = at(number + 1)
            conditional.merge("the contents", first, second)
            return conditional.emit()[0]

    return at(0)


def as_tensors(held: Any, contents: list) -> list:
    """The number that what an object holds has among ``contents``, and the tensors of each."""
    own = contents_of(held)
    numbers = [next(n for n, c in enumerate(contents) if is_alike(c, mine)) for mine in own]
    index = numbers[0] if type(held) is not Variants else _mapped(held.index, numbers)
    found: list[Any] = [index]
    for n, content in enumerate(contents):
        mine = own[numbers.index(n)] if n in numbers else None
        found.append(_carried(content, mine))
    return found


def _is_carried(value: Any) -> bool:
    return values.can_be_tensor(value) and not isinstance(value, (str, bytes))


def _carried(content: Any, mine: Any) -> list:
    if mine is None:
        return [values.placeholder(v) for v in held_by(content) if _is_carried(v)]
    pairs = zip(held_by(content), held_by(mine), strict=True)
    return [v for like, v in pairs if _is_carried(like)]


def with_tensors(content: Any, leaves: list) -> Any:
    """A content with these tensors in it."""
    rest = iter(leaves)
    items = values_of(content)
    if items is None:
        return content
    return with_values(content, [next(rest) if _is_carried(v) else v for v in items])
