"""Merges of the values that two branches leave in a location: attributes, items and whole
containers.

Where iterations replace a list from before the loop by lists of other lengths, the graph carries
its elements, as it does where an iteration grows the list. The contents that a branch leaves in
containers and arrays are copied before the branch is undone.
"""

from __future__ import annotations

import collections
import copy
import functools
from collections.abc import Callable, Iterator

from ..heap import frames, references, structure, trace_context
from ..heap.adapters import COMPARED, registry
from ..heap.adapters.base import Whole
from ..heap.liveness import refuse_running
from ..heap.location import (
    UNDEFINED,
    Container,
    Location,
    State,
    Variants,
    is_grown,
    item_location,
    values_of,
)
from ..heap.snapshot import reached_ids
from ..heap.source_location import here, refusal
from ..heap.structure import is_array
from ..heap.trace_context import is_proxy, proxy_of, really, record_of, thread
from ..heap.walk import are_same_keys
from ..hints import Any
from ..symbolic import values
from ..values import errors
from . import tensor_lists, variants
from .regions import Conditional
from .retrace import RetraceLoop, in_loop, in_nest

Setter = Callable[[Iterator], None]
_MOST_GROWN = 4  # how often an iteration may leave contents that were not known


def merge(conditional: Conditional, place: Location, first: Any, second: Any, where: str) -> Setter:
    """Add a location to the conditional; how to leave the result in it."""
    if not isinstance(place, (Container, Whole)):
        return _scalar(conditional, place, first, second, where)
    both = {type(first), type(second)}
    if both <= {dict} and are_same_keys(first, second) and _fit(first.values(), second.values()):
        return _parts(conditional, place, first, second)
    if isinstance(place, Container) and both in ({list}, {collections.deque}):
        if is_grown(first) or is_grown(second) or (len(first) != len(second) and _must_grow(place)):
            return _lists(conditional, place, first, second)
        if len(first) == len(second) and _fit(first, second):
            return _parts(conditional, place, first, second)
    if is_grown(first) or is_grown(second):
        return _lists(conditional, place, first, second)  # the other one has variants
    return variants.merge(conditional, place, first, second, where)


def _must_grow(place: Location) -> bool:
    """Whether the graph is to hold the elements of a list whose length branches change."""
    record = record_of(place.owner)
    if type(place.owner) is not list or place.in_library or (record and record.is_used):
        return False
    return in_loop() or trace_context.is_filled(place.owner) or not references.can_substitute(place)


def _fit(first: Any, second: Any) -> bool:
    """Whether values can be merged one by one, or fail in a way that concerns one of them."""
    return all(
        a is b or really(a) is really(b) or not _is_container(a, b) or _can_be_chosen(a, b)
        for a, b in zip(first, second, strict=True)
    )


def _can_be_chosen(first: Any, second: Any) -> bool:
    """Whether two containers can be merged part by part."""
    if isinstance(first, (set, bytearray)):
        return False
    return not (
        structure.check_same_structure(first, second) or structure.other_order(first, second)
    )


def objects_left(
    conditional: Conditional, was: tuple[Any, Any], first: Any, second: Any
) -> list | None:
    """The containers that branches leave in a location where one object can replace both, and which
    cannot be merged part by part; None where they can, or where no object can.

    ``was`` are the key of the location and what it held before."""
    if really(first) is really(second):
        return None
    if not (is_proxy(first) or is_proxy(second) or _is_container(first, second)):
        return None
    pair = [left(v) for left, v in zip(conditional.as_left, (first, second), strict=True)]
    by_parts = not (is_proxy(first) or is_proxy(second) or any(map(is_grown, pair)))
    if by_parts and _fit(pair[:1], pair[1:]):
        return None
    return pair if variants.can_be_one(conditional, pair, was) else None


def objects(conditional: Conditional, label: str, pair: list, where: str) -> Callable:
    """Add two objects that `versions.can_be_one`; how to take the one for both of them."""
    first, second = (registry.content_place(really(v)) for v in pair)
    assert first is not None
    assert second is not None
    kept = second if id(first.owner) in conditional.changed else first
    kept.label = label
    held = [
        left[id(place.owner)] if id(place.owner) in left else place.get()
        for left, place in zip(conditional.contents, (first, second), strict=True)
    ]
    take = merge(conditional, kept, held[0], held[1], where)

    def give(results: Iterator) -> Any:
        take(results)
        return proxy_of(trace_context.fresh(kept.owner))

    return give


def _is_container(*held: Any) -> bool:
    return all(isinstance(v, (list, dict, set, collections.deque, bytearray)) for v in held)


def fill(conditional: Conditional, place: Location, pair: list) -> Setter:
    """Add a name that one branch sets: who reads it after the other one fails in plain Python."""
    filled = pair[0] is UNDEFINED, pair[1] is UNDEFINED
    conditional.merge(f"the values of {place.label!r}", pair[0], pair[1], filled)
    return lambda results: place.put(next(results))


def _called(place: Location) -> str:
    return f"the {type(place.owner).__name__} {place.label!r}"


def _scalar(
    conditional: Conditional, place: Location, first: Any, second: Any, where: str
) -> Setter:
    if really(first) is really(second):
        return lambda results: place.put(first)
    if first is UNDEFINED or second is UNDEFINED:
        raise _one_sided(place.label, first is UNDEFINED, where)
    pair = objects_left(conditional, (place.key, place.get()), first, second)
    if pair is not None:
        take = objects(conditional, place.label, pair, where)
        return lambda results: place.put(take(results))
    conditional.merge(f"the values of {place.label!r}", first, second)
    return lambda results: place.put(next(results))


def _one_sided(label: str, in_else: bool, where: str) -> Exception:
    sides = ("the `else` branch", "the `if` branch")
    set_in, unset_in = sides if in_else else sides[::-1]
    return refusal(
        f"{label!r} is set in {set_in} of this `if` on a tensor but not in {unset_in}",
        "Set it before the `if`, or in both branches.",
        where,
        kind=ValueError,
    )


def _parts(conditional: Conditional, place: Location, first: Any, second: Any) -> Setter:
    """Add the values that two contents have under the same keys."""
    held, others = values_of(first) or [], values_of(second) or []
    pairs = enumerate(zip(held, others, strict=True))
    differing = {i: (a, b) for i, (a, b) in pairs if a is not b and really(a) is not really(b)}
    keys = list(first) if isinstance(first, dict) else range(len(held))
    for i, pair in differing.items():
        conditional.merge(f"the values of {place.label}[{keys[i]!r}]", *pair)

    def put(results: Iterator) -> None:
        made = [next(results) if i in differing else v for i, v in enumerate(held)]
        place.put(variants.with_values(first, made))

    return put


def _lists(conditional: Conditional, place: Location, first: Any, second: Any) -> Setter:
    elements = elements_of(place, first, second)
    refuse_running(place.owner)
    grown = []
    for branch, held in zip(conditional.branches, (first, second), strict=True):
        with branch:
            grown.append(_grown(elements, held))
    conditional.merge(f"the list {place.label!r}", *grown)
    return lambda results: place.put([next(results)])


def expand(change: Any) -> list[Location]:
    """The locations that a loop carries because an iteration changes ``change.place``."""
    place, old, new = change
    if not isinstance(place, (Container, Whole)):
        return [place]
    both = {type(old), type(new)}
    is_sequence = isinstance(place, Container) and both in ({list}, {collections.deque})
    if is_sequence and len(old) == len(new) and not (is_grown(old) or is_grown(new)):
        found = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a is not b]
        return [_item(place, i) for i in found]
    has_variants = Variants in both
    are_few = not (is_grown(old) or is_grown(new)) and (in_nest() or not _gets_longer(old, new))
    if has_variants and are_few:
        return [Chosen(place, variants.union_of(*map(variants.contents_of, (old, new))))]
    if isinstance(place, Container) and isinstance(place.owner, list) and not place.in_library:
        return [GrownList(place, elements_of(place, old, new))]
    if both == {dict} and are_same_keys(old, new):
        pairs = zip(old.items(), new.values(), strict=True)
        return [_item(place, key) for (key, held), value in pairs if held is not value]
    return [Chosen(place, variants.union_of(*map(variants.contents_of, (old, new))))]


def _gets_longer(old: Any, new: Any) -> bool:
    """Whether an iteration leaves a list with a length that it had not before."""
    before, after = (variants.contents_of(held) for held in (old, new))
    if not isinstance(after[0], list):
        return False
    return not {len(c) for c in after} <= {len(c) for c in before}


def elements_of(place: Location, old: Any, new: Any) -> Any:
    """What the elements of a list are that branches or iterations make longer or shorter."""
    items = [[v for c in variants.contents_of(held) for v in c] for held in (old, new)]
    return tensor_lists.merged(f"the list {place.label!r}", *items)


def _grown(elements: Any, held: Any) -> Any:
    """What a list holds, with its elements in the graph under construction."""
    if type(held) is Variants:
        return variants.chosen(held, lambda content: tensor_lists.Grown.of(elements, content))
    return tensor_lists.Grown.of(elements, held)


def can_carry(place: Location, old: Any, new: Any) -> bool:
    """Whether the graph can carry what a location held before and after, or after two branches."""
    if is_unset(old) or new is UNDEFINED:
        return False
    if isinstance(old, dict) and (old.keys() != new.keys() or any(map(is_unset, old.values()))):
        return False
    if isinstance(place, Container) and not frames.is_converted_code() and len(old) != len(new):
        return False
    try:
        found = expand((place, old, new))
    except (errors.StagingError, TypeError, ValueError):
        return False
    if any(isinstance(p, Chosen) for p in found):
        return False
    return all(values.can_be_tensor(leaf) for leaf in structure.leaves_of((old, new)))


def is_unset(value: Any) -> bool:
    """Whether a value is unset, so that no tensor can represent it yet."""
    return value is UNDEFINED or value is None


def _item(place: Container, key: Any) -> Location:
    return item_location(f"{place.label}[{key!r}]", place.owner, key)


class GrownList(Location):
    """A list that an iteration makes longer or shorter."""

    is_derived = True

    def __init__(self, place: Container, elements: Any):
        super().__init__(place.label, self._get, self._put, place.owner, ("grown", id(place.owner)))
        self._elements, self._whole = elements, place

    def below(self) -> tuple[Location, Any]:
        return self._whole, self._whole.get()

    def start(self) -> None:
        """Give the list the form in which it grows, in the graph under construction."""
        held = self._whole.get()
        if not (isinstance(held, list) and _has_form(held)):
            refuse_running(self.owner)
            self._put(_grown(self._elements, held))

    def _get(self) -> Any:
        return tensor_lists.whole(self.owner)

    def _put(self, value: Any) -> None:
        self._whole.put([value])


class Chosen(Location):
    """The location of an object with variants, or of one that an iteration leaves with another
    variant. Its value is the number of the current variant, followed by the tensors of each
    variant.
    """

    is_derived = True

    def __init__(self, place: Location, contents: list):
        key = ("versions", id(place.owner))
        super().__init__(place.label, self._get, self._put, place.owner, key)
        self._whole, self._contents = place, contents
        self._read: tuple[Any, list] | None = None
        self._n_grown = 0

    def below(self) -> tuple[Location, Any]:
        return self._whole, self._whole.get()

    def start(self) -> None:
        """Nothing is to be prepared."""

    def _get(self) -> Any:
        held = self._whole.get()
        known = self._read
        if known is not None and known[0] is held and len(known[1]) == len(self._contents) + 1:
            return known[1]
        union = variants.union_of(self._contents, variants.contents_of(held))
        if len(union) > len(self._contents):
            self._n_grown += 1
            if self._n_grown > _MOST_GROWN or len(union) > variants.MOST_VERSIONS:
                raise variants.too_many(self._whole, here())
            self._contents = union
            raise RetraceLoop()
        found = variants.as_tensors(held, union)
        self._read = held, found
        return found

    def _put(self, value: Any) -> None:
        index, *leaves = value
        pairs = zip(self._contents, leaves, strict=False)
        contents = [variants.with_tensors(c, v) for c, v in pairs]
        made = Variants(index, contents)
        self._read = made, value
        self._whole.put(made)


def fitted(label: str, before: Any, after: Any) -> Any:
    """What an iteration leaves where ``before`` was before the loop, in the form in which the loop
    carries that: started again where lists from before the loop are to have that form.

    Called in the region of the loop's body.
    """
    before, made = really(before), really(after)
    if type(before) is not list or type(made) is not list:
        return after
    if not is_grown(before):
        if _have_one_content(before, made) and len(before) == len(made) and not is_grown(made):
            return after
        raise RetraceLoop([_growing(label, before, (before, made))])
    if _has_form(made):
        return made
    original = (thread.trace.aliases.copies or {}).get(id(made), (made, made))[1]
    snapshot = trace_context.current_snapshot()
    grown = _growing(label, original, (before, made))
    if original is not made or (snapshot is not None and snapshot.knows(made)):
        raise RetraceLoop([grown])
    grown.start()
    return made


def name_itself(state: State, owner: Any) -> None:
    """Replace the proxy of an object that no longer has variants by the object."""
    held = state.read()
    if any(is_proxy(v) and really(v) is owner for v in held):
        state.write([owner if really(v) is owner else v for v in held])


def _have_one_content(*held: list) -> bool:
    records = map(record_of, held)
    return all(r is None or r.versions is None for r in records)


def _has_form(items: list) -> bool:
    return len(items) == 1 and tensor_lists.is_elements(items[0])


def _growing(label: str, items: list, both: tuple[list, list]) -> GrownList:
    """The place of a list that the graph is to grow, with the elements of lists like it."""
    place, *others = (_place(label, v) for v in (items, *both))
    elements = elements_of(place, *(p.get() for p in others))
    plain = [v for p in others for c in variants.contents_of(p.get()) for v in c]
    if plain := [v for v in plain if not tensor_lists.is_elements(v)]:
        elements.join(plain)
    return GrownList(place, elements)


def _place(label: str, items: list) -> Container:
    place = registry.content_place(items)
    assert isinstance(place, Container)  # as that of every list
    place.label = label
    return place


def as_left(changes: list, where: str, copied: dict[int, tuple[Any, Any]]) -> Callable[[Any], Any]:
    """What gives a value as a branch with these changes left it.

    ``copied`` gets each container of which it makes a copy: by its id the copy and that.
    """
    left = {id(c.place.owner): c.new for c in changes if isinstance(c.place, Container)}
    others = {id(c.place.owner) for c in changes if not isinstance(c.place, Container)}
    every = {id(c.place.owner) for c in changes}
    wholes = [c for c in changes if isinstance(c.place, Whole) and type(c.new) is not Variants]

    build = functools.partial(_built, left, wholes, copied, where)

    def give(value: Any) -> Any:
        if is_proxy(value):
            return value
        if is_array(value):
            return build(value)
        if not isinstance(value, COMPARED) and not hasattr(value, "__dict__"):
            return value
        made = build(value)
        is_kept = made is value and type(value) not in COMPARED
        if reached_ids([value], every if is_kept else others):
            raise _mixed(value, where)
        return made

    return give


def _built(left: dict, wholes: list, copied: dict, where: str, value: Any) -> Any:
    """A value as a branch left it, with what it holds."""
    if wholes and is_array(value):
        shown = _shown(value, wholes)
        copied[id(shown)] = shown, value
        return shown
    build = functools.partial(_built, left, wholes, copied, where)
    held = left.get(id(value))
    if type(held) is Variants:
        raise _mixed(value, where)
    if held is not None:
        made = copy.copy(value)
        Container("a copy", made).put(_each(held, build))
        copied[id(made)] = made, value
        return made
    return _each(value, build) if type(value) in COMPARED else value


def _shown(array: Any, changes: list) -> Any:
    """What an array shows while objects hold what a branch left in them: a copy where that differs
    from what it shows now."""
    now = array.tobytes()
    for change in changes:
        change.place.put(change.new)
    try:
        return array.copy() if array.tobytes() != now else array
    finally:
        for change in changes:
            change.place.put(change.old)


def _each(value: Any, build: Callable[[Any], Any]) -> Any:
    """A plain container of what ``build`` gives, itself where that changes nothing."""
    items = list(value.values()) if isinstance(value, dict) else list(value)
    made = [build(item) for item in items]
    if all(a is b for a, b in zip(items, made, strict=True)):
        return value
    if isinstance(value, dict):
        return dict(zip(value, made, strict=True))
    return type(value)(made) if type(value) in COMPARED else list(made)


def _mixed(value: Any, where: str) -> Exception:
    return refusal(
        f"one branch of this `if` on a tensor changes a {type(value).__name__} in place, where the "
        "other one puts another object in its place",
        "Change it in place in both branches, or make a new one in both.",
        where,
    )
