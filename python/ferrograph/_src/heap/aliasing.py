"""Aliases: objects that are one in plain Python and several in staged code.

The graph merges values, not objects: where the branches of an ``if`` leave two lists in a name, the
name gets a third one. That makes no difference as long as no code changes one of them and reads
another. May-alias sets keep such objects together. A change of one is refused while another one is
live, and so is a comparison by identity. Liveness is found from frames: the names that the rest of
their code loads, and what outlives the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ..hints import Any
from . import frames, liveness
from .adapters import registry
from .location import Variants, variants_of
from .reachable import Walk
from .source_location import here, refusal
from .structure import MergedContainer, containers_in, is_container, memory_of
from .trace_context import TraceContext, TracePart, is_identified
from .trace_context import thread as _thread


class Aliases(TracePart):
    """What a trace knows of objects that may be one, and of their identity."""

    slot = "aliases"

    sets: Any = None  # ``Families``

    def __init__(self) -> None:
        self.identified: dict[int, Any] = {}  # objects whose identity was asked for, by id
        self.copies: dict[int, tuple] = {}  # with what iterations begin, and of what
        self.replaced: list[Any] = []  # containers that loops changed in copies


class MayAliasSet:
    """Objects that are one in plain Python, and what each held when staging made them several."""

    def __init__(self, members: list, label: str, place: str):
        self.members = [(m, held_by(m)) for m in members]
        self.label, self.place = label, place

    def hold(self) -> None:
        """Take what they hold for what each of them is to hold from now on."""
        self.members = [(member, held_by(member)) for member, _ in self.members]

    def refuse(self, line: str) -> None:
        """Refuse that one of them changes."""
        raise refusal(
            f"{self._named()} is changed in place, or one of the objects that were merged into it "
            f"at {self.place}: the merge made a new object, while code that follows still reads "
            "the others",
            "Change it before the merge, make copies there (`list(a)`, `dict(a)`, `a.copy()`), or "
            "make a new object here instead of changing one.",
            line,
        )

    def _named(self) -> str:
        return repr(self.label) if self.label else "the result of an `if` on a tensor"

    def refuse_identity(self, compared: tuple) -> None:
        """Refuse that the identity of one of them is asked for."""
        if len(self.members) > 1 and any(m is v for m, _ in self.members for v in compared):
            raise refusal(
                f"{self._named()} is one of several objects, which were merged at {self.place}, "
                "and this line asks which object it is",
                "Keep a number beside it that says which one was chosen, and compare that.",
            )

    def changed(self) -> Any:
        """The first of them that does not hold what it held; None where all do."""
        for member, held in self.members:
            if differs(member, held):
                return member
        return None

    def is_read_beside(self, member: Any) -> bool:
        """Whether code that follows may read another of them than this one."""
        if len(self.members) == 1:  # it is a tensor in the graph
            return True
        return any(liveness.is_alive(_copies_of(m)) for m, _ in self.members if m is not member)


def differs(member: Any, held: list) -> bool:
    """Whether an object holds something else than it held."""
    for adapter, old in held:
        several = variants_of(member) if adapter.is_content else None
        if several is not None or type(old) is Variants:
            if several is not old:
                return True
        elif adapter.differs(member, old):
            return True
    return False


def held_by(member: Any) -> list:
    """What an object holds, with its adapters."""
    several, found = variants_of(member), []
    for adapter in registry.adapters_of(type(member)):
        held = several if several is not None and adapter.is_content else adapter.hold(member)
        if held is not None:
            found.append((adapter, held))
    return found


class Element(MayAliasSet):
    """A container that was added to a list of the graph, or taken from one, which holds tensors;
    ``is_made`` says that staging made it in place of the object of user code."""

    def __init__(self, made: Any, label: str, place: str, is_made: bool):
        super().__init__([made], label, place)
        self.is_made = is_made

    def refuse(self, line: str) -> None:
        raise refusal(
            f"an element of {self.label} is changed in place: the list, which grows in a staged "
            "branch or loop, holds the tensors that were in it when it was added, or gave a new "
            f"object at {self.place}",
            "Put another element in its place (`items[i] = [*items[i], x]`), change it before it "
            "is added, or keep each part in a list of its own.",
            line,
        )

    def is_read_beside(self, member: Any) -> bool:
        return True

    def refuse_identity(self, compared: tuple) -> None:
        known = self.is_made and any(m is v for m, _ in self.members for v in compared)
        if known and all(map(is_container, compared)):
            raise refusal(
                "this line asks which object a container is that may be an element of "
                f"{self.label}: the list, which grows in a staged branch or loop, holds the "
                f"tensors that were in it, and gave a new object at {self.place}",
                "Keep a number beside it that says which one it is, and compare that.",
            )


def note_element(value: Any, label: str, is_made: bool) -> None:
    """Note what is added to a list of the graph, or taken from it (``is_made``): the containers in
    it are others than those that the program has from now on."""
    if _thread.trace is None:
        return
    root: TraceContext = _thread.trace
    for made in containers_in(value):
        if any(made is copy for copy, _ in Aliases.of_trace().copies.values()):
            Element(made, label, here(), is_made).refuse(here())  # each iteration changes it
        _families(root).all.append(Element(made, label, here(), is_made))


def known_sets() -> list[MayAliasSet]:
    """The may-alias sets of the trace."""
    sets = _thread.trace.aliases.sets if _thread.trace is not None else None
    return [] if sets is None else [*sets.all]


def restore_sets(known: list[MayAliasSet]) -> None:
    """Let the trace know these sets only, where it has some."""
    if _thread.trace is not None and _thread.trace.aliases.sets is not None:
        _thread.trace.aliases.sets.all = [*known]


class Families:
    """Those of one trace."""

    def __init__(self) -> None:
        self.all: list[MayAliasSet] = []

    def _leave(self, family: MayAliasSet) -> None:
        """Forget a set of which no other member is live, except for comparisons by identity."""
        if any(is_identified(member) for member, _ in family.members):
            family.hold()
            return
        self.all = [other for other in self.all if other is not family]

    def element(self, value: Any) -> Element | None:
        """What says that an object may be an element of a list of the graph; None where it is
        none."""
        found = (f for f in self.all if isinstance(f, Element) and f.members[0][0] is value)
        return next(found, None)

    def written(self, target: Any) -> None:
        """Refuse that ``target`` is changed, if that would be seen through another object."""
        for family in list(self.all):
            if any(_shows(member, target) for member, _ in family.members):
                if family.is_read_beside(target):
                    family.refuse(here())
                self._leave(family)

    def watched(self, target: Any, callee: Any) -> Any:
        """``callee``, a method of ``target`` or a function: refused where it changes one of them
        that would be seen through another."""

        def call(*args: Any, **kwargs: Any) -> Any:
            result = callee(*args, **kwargs)
            self.check(here())
            return result

        return call if any(_shows(m, target) for f in self.all for m, _ in f.members) else callee

    def refuse_identity(self, *compared: Any) -> None:
        """Refuse a comparison by identity of merged objects."""
        for family in self.all:
            family.refuse_identity(compared)

    def refuse_deep_copy(self, value: Any) -> None:
        """Refuse to copy all that a value holds where that are several of objects which may be one:
        whether it is one is what such a copy asks."""
        walk = Walk()
        walk.run((), [value])
        for family in self.all:
            held = [member for member, _ in family.members if id(member) in walk.seen]
            if len(held) > 1:
                family.refuse_identity(tuple(held))

    def check(self, line: str = "", only: Callable[[Any], bool] | None = None) -> None:
        """Refuse where one of the objects was changed, by whatever means, of those that are
        ``only`` so."""
        for family in list(self.all):
            if only is not None and not any(only(member) for member, _ in family.members):
                continue
            changed = family.changed()
            if changed is not None:
                if not line or family.is_read_beside(changed):
                    family.refuse(line or family.place)
                self._leave(family)


def _shows(member: Any, target: Any) -> bool:
    """Whether an object is another one, or an array that shows its memory."""
    return any(m is target for m in memory_of(member))


def _copies_of(value: Any) -> list:
    """An object, and its copies in the iterations that are being traced."""
    found = [value]
    for made, source in Aliases.of_trace().copies.values():  # of loops around first
        if any(source is one for one in found):
            found.append(made)
    return found


def keep(alive: list, made: Any, label: str, place: str) -> None:
    """Note objects of which at least one was there before, and what staging has made of them."""
    if alive:
        members = [*alive, made] if registry.adapters_of(type(made)) else alive
        _families(_thread.trace).all.append(MayAliasSet(members, label, place))


def _families(root: TraceContext) -> Families:
    """Those of a trace, which from now on asks what changes."""
    if Aliases.of_trace().sets is None:
        Aliases.of_trace().sets = Families()
        root.watch()
    found: Families = Aliases.of_trace().sets
    return found


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
            alive = [s for s in found if is_identified(s) or liveness.is_alive([s], held=[result])]
            is_held = len(alive) < len(found) and frames.are_held()
            keep(found if is_held else alive, join.made, label, place)
        _keep_element(join, place)


def _keep_element(join: MergedContainer, place: str) -> None:
    """Note what may be an element of a list of the graph under another name."""
    known = _thread.trace.aliases.sets
    if known is not None:
        found = next(filter(None, map(known.element, join.sources)), None)
        if found is not None:
            known.all.append(Element(join.made, found.label, place, True))


def _name_of_result() -> str:
    """The name to which the program assigns what is staged; "" where a library's code stages it."""
    frame = next(frames.frames(), None)
    return frames.stored_next(frame) if frame is not None else ""


def relatives(found: Iterable[Any], own: Collection[int] = ()) -> list:
    """Objects, and those that may be one of them in plain Python: what staging has made of several,
    and containers with which iterations begin, but for those of a loop, whose ids are ``own``."""
    root = _thread.trace
    groups = [[member for member, _ in family.members] for family in known_sets()]
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
    groups = [{id(m) for m, _ in family.members} for family in known_sets()]
    return first is second or any({id(first), id(second)} <= group for group in groups)


def distinct(found: list) -> list:
    return list({id(v): v for v in found}.values())
