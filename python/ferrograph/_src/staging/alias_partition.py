"""Which of the places that a loop carries hold one object, before an iteration and after it.

A loop is traced for one iteration, which stands for all: what is one object under two names in the
first iteration has to be one in the next. Where an iteration changes that, the objects may be told
apart from the beginning, unless it changes one of them in place as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..heap import region_log, walk
from ..heap.parts import containers_in, is_container, keys_of, part_of
from ..heap.source_location import diagnostic
from ..hints import Any
from ..values import errors
from .retrace import RetraceLoop

Position = tuple[Any, ...]


def check(
    names: dict[int, str],
    start: list,
    after: list,
    changes: Callable[[Any], bool],
    place: str,
) -> None:
    """Start again, or refuse, where the places of a loop share other objects after an iteration
    than at its ``start``. ``names`` are their labels by their numbers; ``changes`` says whether the
    iteration changes an object in place."""
    pairs = _pairs(names, start, after)
    split = _unlike(pairs)
    merged = _unlike([(b, a, label) for a, b, label in pairs])
    if not (split or merged):
        return
    involved = [(a, label) for a, _, label in pairs if label in split or label in merged]
    for held, label in involved:
        if changes(held):
            refuse(label, place)
    if split:
        raise RetraceLoop(split=split)


def moved(places: Iterable[int], start: list, after: list) -> dict[int, Any]:
    """What an iteration leaves in the places of the containers that it began with, by their ids."""
    pairs = _pairs(dict.fromkeys(places, ""), start, after)
    return {id(before): left for before, left, _ in pairs}


def check_others(
    label: str,
    start: Any,
    after: Any,
    owners: set[int],
    changes: Callable[[Any], bool],
    place: str,
) -> None:
    """Refuse that an iteration leaves in a place what is held outside of the loop, where it changes
    what the place held at the ``start``, or that: one of ``owners``."""
    snapshot, held = region_log.current_snapshot(), dict(_positions(start))
    for path, left in _positions(after):
        if snapshot is None or left is held.get(path) or not snapshot.knows(left):
            continue
        if id(left) in owners or (path in held and changes(held[path])):
            refuse(label, place)


def _pairs(names: dict[int, str], start: list, after: list) -> list[tuple[Any, Any, str]]:
    """The containers before and after an iteration at the positions that have one both times."""
    found = []
    for i, label in names.items():
        before = dict(_positions(start[i]))
        left = dict(_positions(after[i]))
        found += [(before[p], left[p], label) for p in before if p in left]
    return found


def _positions(value: Any, path: Position = ()) -> Iterator[tuple[Position, Any]]:
    """The containers in a value, by the keys that lead to them."""
    if is_container(value):
        yield path, value
    if isinstance(value, tuple):
        for i, part in enumerate(walk.elements(value)):
            yield from _positions(part, (*path, i))
    elif (keys := keys_of(value)) is not None:
        for key in keys:
            yield from _positions(part_of(value, key), (*path, key))
    elif is_container(value):
        inner = (part for part in containers_in(value)[1:] if is_container(part))
        yield from (((*path, i), part) for i, part in enumerate(inner))


def _unlike(pairs: list[tuple[Any, Any, str]]) -> set[str]:
    """The labels of the positions that share one of the first objects, but none of the second."""
    shared: dict[int, list[tuple[Any, str]]] = {}
    for first, second, label in pairs:
        shared.setdefault(id(first), []).append((second, label))
    found = set()
    for group in shared.values():
        if len({id(second) for second, _ in group}) > 1:
            found |= {label for _, label in group}
    return found


def refuse(label: str, place: str) -> None:
    """Refuse that names are one object in some iterations alone, which changes in place."""
    raise errors.StagingError(
        diagnostic(
            place,
            f"{label!r} and another name are one object in some iterations of this loop of the "
            "graph and several in others, and an iteration changes it in place",
            "Make copies before the loop (`list(a)`, `dict(a)`), make a new object instead of "
            "changing one, or put another object under both names.",
        )
    )
