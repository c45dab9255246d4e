"""Aliases: objects that code holds twice, where staging leaves a copy in one of the places.

The graph chooses between values, not between objects: where the branches of an ``if`` leave two
lists in a name, the name gets a third, made of what the graph chooses. That is the same as long as
nobody changes one of them who reads another. ``note`` keeps the objects that would be one in plain
Python; what changes one of them afterwards is refused, if another may still be read.

Who may still read an object is told from the frames of the trace: the names that the rest of their
code loads, and what outlives the trace.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from ..hints import Any
from . import may_alias
from .adapters import registry
from .liveness import frames, reading, stacks
from .merged_containers import MergedContainer
from .trace_context import is_identified
from .trace_context import thread as _thread


def note(joins: Iterable[MergedContainer], snapshot: Any, place: str, result: Any = None) -> None:
    """Keep what staging made of objects that ``snapshot`` knows, or that it may have made of one
    under two names, where those may still be read, by code that follows or within a ``result``.

    Graphs that no function is traced for have no program whose objects these could be.
    """
    if _thread.trace is None:
        return
    joins = list(joins)
    for join in joins:
        sources, same = relatives(join.sources), _made_of_same(join, joins)
        if snapshot is None or same or any(map(snapshot.knows, sources)):
            label = join.label or _name_of_result()
            found = distinct([*sources, *same])
            alive = [s for s in found if is_identified(s) or reading.is_alive([s], held=[result])]
            is_held = len(alive) < len(found) and stacks.are_held()
            may_alias.keep(found if is_held else alive, join.made, label, place)
        _keep_element(join, place)


def _keep_element(join: MergedContainer, place: str) -> None:
    """Note what may be an element of a list of the graph under another name."""
    known = _thread.trace.aliases.sets
    if known is not None:
        found = next(filter(None, map(known.element, join.sources)), None)
        if found is not None:
            known.add(may_alias.Element(join.made, found.label, place, True))


def _name_of_result() -> str:
    """The name to which the program assigns what is staged; "" where a library's code stages it."""
    frame = next(frames.frames(), None)
    return frames.stored_next(frame) if frame is not None else ""


def relatives(found: Iterable[Any], own: Container[int] = ()) -> list:
    """Objects, and those that may be one of them in plain Python: what staging has made of several,
    and containers with which iterations begin, but for those of a loop, whose ids are ``own``."""
    root = _thread.trace
    groups = [
        [member for member, _ in f.members]
        for f in (root.aliases.sets.all if root.aliases.sets else ())
    ]
    groups += [list(pair) for key, pair in (root.aliases.copies or {}).items() if key not in own]
    pending, seen = list(found), {}
    while pending:
        value = pending.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            for group in groups:
                if any(member is value for member in group):
                    pending += group
    return list(seen.values())


def _made_of_same(join: MergedContainer, joins: list[MergedContainer]) -> list:
    """What else a construct made that may be, after one of its branches, what ``join`` made."""
    others = [j for j in joins if j is not join and any(map(_may_be_one, j.sources, join.sources))]
    return [j.made for j in others if registry.adapters_of(type(j.made))]


def _may_be_one(first: Any, second: Any) -> bool:
    """Whether two containers are one, or may be one in plain Python."""
    known = _thread.trace.aliases.sets
    groups = [{id(m) for m, _ in family.members} for family in known.all] if known else []
    return first is second or any({id(first), id(second)} <= group for group in groups)


def distinct(found: list) -> list:
    return list({id(v): v for v in found}.values())
