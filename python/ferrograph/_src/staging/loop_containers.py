"""The containers with which the iterations of a loop begin, in place of those from before it."""

from __future__ import annotations

import operator

from ..heap import may_alias, region_log, structure
from ..heap.aliasing import distinct, relatives
from ..heap.liveness import reading
from ..heap.merged_containers import MergedContainer, MergedContainers
from ..heap.parts import containers_in, is_container
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..values import errors


class Copies:
    """The containers of a loop's variables at the beginning of an iteration, made like those from
    before the loop."""

    def __init__(self) -> None:
        self._joins = MergedContainers()
        self._all: list[MergedContainers] = []
        self._begun: dict[int, tuple[MergedContainer, list, list]] = {}  # by the ids of the copies

    def given(self, label: str, before: Any, start: Any, alone: bool = False) -> Any:
        """``start``, made like ``before``, with one container for each one in that and in others;
        those of one that is ``alone`` are told apart, also from one another."""
        joins = self._joins if not alone else MergedContainers(apart=True)
        self._all.append(joins)
        return joins.join(label, (before,), start)

    def begin(self) -> None:
        """The iteration is traced from here on."""
        found = {id(j.made): j for joins in self._all for j in joins}.values()
        self._begun = {
            id(j.made): (j, may_alias.held_by(j.made), structure.leaves_of(j.made)) for j in found
        }
        if self._begun:
            copies = {key: (j.made, j.sources[0]) for key, (j, *_) in self._begun.items()}
            may_alias.of_trace().copies.update(copies)

    def are_made(self) -> bool:
        """Whether the loop's variables hold containers."""
        return bool(self._begun)

    def changed(self, held: Any) -> bool:
        """Whether the iteration changed one of the containers that it began with in place."""
        begun = self._begun.get(id(held))
        return begun is not None and _is_changed(*begun)

    def changed_within(self, held: Any) -> bool:
        """Whether it changed one of those in a value that it began with."""
        return any(map(self.changed, containers_in(held)))

    def settled(self, moved: dict[int, Any], functions: tuple, place: str) -> MergedContainers:
        """For what the loop leaves: a container that no iteration changes is one of those from
        before. One that an iteration changes is refused where others may read those.

        ``moved`` are what the iteration leaves in the places of the containers that it began with,
        by the ids of these.
        """
        if not self._begun:
            return MergedContainers()
        known = {key: join for key, (join, *_) in self._begun.items()}
        changed = {key for key, begun in self._begun.items() if _is_changed(*begun)}
        stands_for = {}
        snapshot = region_log.current_snapshot()

        def is_outer(value: Any) -> bool:
            return snapshot is None or snapshot.knows(value)

        for join in known.values():
            path, end = _followed(join, known, moved)
            before = [j.sources[0] for j in path]
            if id(join.made) in changed:
                others = relatives([*before, *filter(is_outer, end)], known)
                if reading.is_alive([*others, *_copied(others, known, before)], functions):
                    may_alias.MayAliasSet([], join.label, place).refuse(place)
                may_alias.of_trace().replaced += before
            elif len(path) == 1 and not end:
                stands_for[id(join.made)] = before
            else:
                own = [] if all(b is before[0] for b in before) and not end else [join.made]
                stands_for[id(join.made)] = distinct([*before, *end, *own])
        return MergedContainers(stands_for)


def _copied(found: list, known: dict[int, MergedContainer], but: list) -> list:
    """What an iteration begins with in place of some containers, ``but`` of some of these."""
    wanted = {id(v) for v in found} - {id(v) for v in but}
    return [join.made for join in known.values() if id(join.sources[0]) in wanted]


def _followed(
    join: MergedContainer, known: dict[int, MergedContainer], moved: dict[int, Any]
) -> tuple[list, list]:
    """Where what a container of an iteration stands for may have been in the iterations before:
    containers that these began with, and what else they made or found, if anything."""
    path: list[MergedContainer] = []
    pending, ends = [join], {}
    while pending:
        reached = pending.pop()
        if reached in path:
            continue
        path.append(reached)
        for left in relatives([moved.get(id(reached.made), reached.made)], known):
            found = known.get(id(left))
            if found is None:
                ends[id(left)] = left
            else:
                pending.append(found)
    return path, list(ends.values())


def _is_changed(join: MergedContainer, held: list, leaves: list) -> bool:
    """Whether a container that a loop made is another one than it was, or is replaced by one in a
    loop inside that changes it."""
    now = structure.leaves_of(join.made)
    as_before = len(now) == len(leaves) and all(map(operator.is_, now, leaves))
    if not as_before or may_alias.differs(join.made, held):
        return True
    return any(join.made is one for one in _thread.trace.aliases.replaced or ())


def refuse_copies(*compared: Any) -> None:
    """Refuse that code in a loop asks which object a container is that an iteration begins with:
    the trace stands for all iterations, and each may have another one."""
    copies = (_thread.trace.aliases.copies or {}) if _thread.trace is not None else {}
    if copies and any(id(v) in copies for v in compared) and all(map(is_container, compared)):
        raise errors.StagingError(
            diagnostic(
                here(),
                "this line asks which object a container is that a loop of the graph carries: the "
                "loop is traced once for all iterations, of which each may have another one",
                "Keep a number beside it that says which one it is, and compare that.",
            )
        )
