"""Objects that code holds twice, where staging leaves a copy in one of the places.

The graph chooses between values, not between objects: where the branches of an ``if`` leave two
lists in a name, the name gets a third, made of what the graph chooses. That is the same as long as
nobody changes one of them who reads another. ``note`` keeps the objects that would be one in plain
Python; what changes one of them afterwards is refused, if another may still be read.

Who may still read an object is told from the frames of the trace: the names that the rest of their
code loads, and what outlives the trace.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Container, Iterable, Iterator

from .. import later
from ..context import ownership
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..values import errors
from . import kinds, values
from .frames import (
    adds_in_place,
    augmented,
    frames,
    is_read_by_name,
    live_values,
    read_later,
    stored_next,
)
from .journal import Journal, is_identified
from .journal import thread as _thread
from .parts import keys_of, part_of, put_part
from .places import here, say
from .snapshot import Walk
from .state import Place, Versions, versions_of

if TYPE_CHECKING:
    from . import operands
else:
    (operands,) = later(__package__, "operands")


class Join:
    """A container that staging made in place of others, which stood at the same place."""

    __slots__ = ("label", "made", "sources")

    def __init__(self, sources: tuple, made: Any, label: str):
        self.sources, self.made, self.label = sources, made, label

    def of(self, sources: Iterable[Any]) -> Join:
        """The same of other sources."""
        return Join(tuple(sources), self.made, self.label)


class Joins:
    """The containers that one construct makes; those made of the same objects are one, unless they
    are told ``apart``."""

    def __init__(self, stands_for: dict[int, list] | None = None, apart: bool = False):
        self._apart = apart
        self._known: dict[tuple, Join] = {}
        self.within: list[tuple] = []  # containers within others that are no lists or dicts
        self._stands_for = stands_for or {}  # by the ids of containers what each may be

    def __iter__(self) -> Iterator[Join]:
        return iter(self._known.values())

    def join(self, label: str, sources: tuple, made: Any) -> Any:
        """``made``, of the structure of each of ``sources``, with containers that are known."""
        if type(made) is _core.SymbolicTensor:
            return made
        if self._stands_for:
            sources = tuple(o for s in sources for o in self._stands_for.get(id(s), (s,)))
        first = sources[0]
        kind = type(made)
        if len(sources) > 1 and is_container(first) and all(s is first for s in sources):
            return first
        if not is_container(made):
            return self._tuple(label, sources, made) if isinstance(made, tuple) else made
        key = (*map(id, sources), *([id(made)] if self._apart else []))
        known = self._known.get(key)
        if known is not None:
            return known.made
        self._known[key] = Join(sources, made, label)
        keys = keys_of(made)
        if keys is not None and all(type(s) is kind and keys_of(s) == keys for s in sources):
            for key in keys:
                parts = tuple(part_of(s, key) for s in sources)
                put_part(made, key, self.join(label, parts, part_of(made, key)))
        else:
            self._inside(label, sources, made)
        return made

    def _inside(self, label: str, sources: tuple, made: Any) -> None:
        """Keep the containers within one of another class: those stay the ones that were made."""
        columns = [containers_in(one)[1:] for one in (*sources, made)]
        if len({len(column) for column in columns}) == 1:
            for *parts, inner in zip(*columns, strict=True):
                self.within.append(tuple(parts))
                key = (*map(id, parts), id(inner))
                self._known.setdefault(key, Join(tuple(parts), inner, label))

    def _tuple(self, label: str, sources: tuple, made: tuple) -> tuple:
        if not all(isinstance(s, tuple) and len(s) == len(made) for s in sources):
            return made
        parts = [self.join(label, parts, m) for parts, m in _columns(sources, made)]
        if all(a is b for a, b in zip(parts, made, strict=True)):
            return made
        return type(made)(*parts) if hasattr(made, "_fields") else tuple(parts)


def _columns(sources: tuple, made: Any) -> Iterable:
    return [(tuple(parts), m) for *parts, m in zip(*sources, made, strict=True)]


def is_container(value: Any) -> bool:
    """Whether staging copies an object, in which what it holds can be changed."""
    kind = type(value)
    if kind is list or kind is dict:
        return True
    if isinstance(value, (tuple, _core.Tensor, str, bytes)) or hasattr(kind, "_component_list"):
        return False
    if not kinds.facets_of(kind) or values.is_object(kind):
        return False
    leaves = values.leaves_of(value)
    return len(leaves) != 1 or leaves[0] is not value


def is_array(value: Any) -> bool:
    """Whether a value is an array that can be changed in place, and that a tensor stands for."""
    kind = type(value)
    if isinstance(value, (_core.Tensor, _core.VariableBase)) or not kinds.facets_of(kind):
        return False
    return hasattr(kind, "__array__") and hasattr(kind, "__setitem__") and hasattr(value, "dtype")


class Copies:
    """The containers of a loop's variables at the beginning of an iteration, made like those from
    before the loop."""

    def __init__(self) -> None:
        self._joins = Joins()
        self._all: list[Joins] = []
        self._begun: dict[int, tuple[Join, list, list]] = {}  # by the ids of the copies

    def given(self, label: str, before: Any, start: Any, alone: bool = False) -> Any:
        """``start``, made like ``before``, with one container for each one in that and in others;
        those of one that is ``alone`` are told apart, also from one another."""
        joins = self._joins if not alone else Joins(apart=True)
        self._all.append(joins)
        return joins.join(label, (before,), start)

    def begin(self) -> None:
        """The iteration is traced from here on."""
        found = {id(j.made): j for joins in self._all for j in joins}.values()
        self._begun = {id(j.made): (j, _held(j.made), values.leaves_of(j.made)) for j in found}
        if self._begun:
            copies = {key: (j.made, j.sources[0]) for key, (j, *_) in self._begun.items()}
            _thread.journals[0].copies.update(copies)

    def are_made(self) -> bool:
        """Whether the loop's variables hold containers."""
        return bool(self._begun)

    def changed(self, held: Any) -> bool:
        """Whether the iteration changed one of the containers that it began with in place."""
        begun = self._begun.get(id(held))
        return begun is not None and _is_changed(*begun)

    def changed_within(self, held: Any) -> bool:
        """Whether it changed one of those in a value that it began with."""
        return bool(self._begun) and any(map(self.changed, containers_in(held)))

    def settled(self, moved: dict[int, Any], functions: tuple, place: str) -> Joins:
        """For what the loop leaves: a container that no iteration changes is one of those from
        before. One that an iteration changes is refused where others may read those.

        ``moved`` are what the iteration leaves in the places of the containers that it began with,
        by the ids of these.
        """
        known = {key: join for key, (join, *_) in self._begun.items()}
        changed = {key for key, begun in self._begun.items() if _is_changed(*begun)}
        stands_for = {}
        for join in known.values():
            path, end = _followed(join, known, moved)
            before = [j.sources[0] for j in path]
            if id(join.made) in changed:
                others = relatives(before, known)
                if is_alive([*others, *_copied(others, known, before)], functions):
                    Family([], join.label, place).refuse(place)
                _thread.journals[0].replaced += before
            elif len(path) == 1 and not end:
                stands_for[id(join.made)] = before
            else:
                own = [] if all(b is before[0] for b in before) and not end else [join.made]
                stands_for[id(join.made)] = _distinct([*before, *end, *own])
        return Joins(stands_for)


def _copied(found: list, known: dict[int, Join], but: list) -> list:
    """What an iteration begins with in place of some containers, ``but`` of some of these."""
    wanted = {id(v) for v in found} - {id(v) for v in but}
    return [join.made for join in known.values() if id(join.sources[0]) in wanted]


def _followed(join: Join, known: dict[int, Join], moved: dict[int, Any]) -> tuple[list, list]:
    """Where what a container of an iteration stands for was in the iterations before: containers
    that these began with, and what the first of them made or found, if anything."""
    path = [join]
    while True:
        left = moved.get(id(path[-1].made), path[-1].made)
        found = known.get(id(left))
        if found is None:
            return path, [left]
        if found in path:
            return path, []
        path.append(found)


def _is_changed(join: Join, held: list, leaves: list) -> bool:
    """Whether a container that a loop made is another one than it was, or is replaced by one in a
    loop inside that changes it."""
    now = values.leaves_of(join.made)
    as_before = len(now) == len(leaves) and all(map(operator.is_, now, leaves))
    if not as_before or _differs(join.made, held):
        return True
    return any(join.made is one for one in _thread.journals[0].replaced)


class Family:
    """Objects that are one in plain Python, and what each held when staging made them several."""

    def __init__(self, members: list, label: str, place: str):
        self.members = [(m, _held(m)) for m in members]
        self.label, self.place = label, place

    def refuse(self, line: str) -> None:
        """Refuse that one of them changes."""
        raise errors.StagingError(
            say(
                line,
                f"{self._named()} is changed in place, or one of those among which the graph "
                f"chose it at {self.place}: that made a new object, while code that follows still "
                "reads the others",
                "Change it before that choice, make copies there (`list(a)`, `dict(a)`, "
                "`a.copy()`), or make a new object here instead of changing one.",
            )
        )

    def _named(self) -> str:
        return repr(self.label) if self.label else "the result of an `if` on a tensor"

    def refuse_identity(self, compared: tuple) -> None:
        """Refuse that the identity of one of them is asked for."""
        if len(self.members) > 1 and any(m is v for m, _ in self.members for v in compared):
            raise errors.StagingError(
                say(
                    here(),
                    f"{self._named()} is one of several objects, among which the graph chose "
                    f"at {self.place}, and this line asks which object it is",
                    "Keep a number beside it that says which one was chosen, and compare that.",
                )
            )

    def changed(self) -> Any:
        """The first of them that does not hold what it held; None where all do."""
        for member, held in self.members:
            if _differs(member, held):
                return member
        return None

    def end(self, among: list[Family]) -> None:
        """From now on one of them may change: nobody reads another one, but for who asks which
        object it is."""
        if any(is_identified(member) for member, _ in self.members):
            self.members = [(member, _held(member)) for member, _ in self.members]
        else:
            among.remove(self)

    def is_read_beside(self, member: Any) -> bool:
        """Whether code that follows may read another of them than this one."""
        if len(self.members) == 1:  # a tensor stands for it
            return not self.label.isidentifier() or any(
                self.label in read_later(frame) for frame in frames()
            )
        return any(is_alive(_copies_of(m)) for m, _ in self.members if m is not member)


def _differs(member: Any, held: list) -> bool:
    """Whether an object holds something else than it held."""
    for facet, old in held:
        several = versions_of(member) if facet.is_content else None
        if several is not None or type(old) is Versions:
            if several is not old:
                return True
        elif facet.differs(member, old):
            return True
    return False


def _held(member: Any) -> list:
    """What an object holds, with its facets."""
    several, found = versions_of(member), []
    for facet in kinds.facets_of(type(member)):
        held = several if several is not None and facet.is_content else facet.hold(member)
        if held is not None:
            found.append((facet, held))
    return found


class Element(Family):
    """A container that was added to a list of the graph, or taken from one, which holds tensors;
    ``is_made`` says that staging made it in place of the program's own."""

    def __init__(self, made: Any, label: str, place: str, is_made: bool):
        super().__init__([made], label, place)
        self.is_made = is_made

    def refuse(self, line: str) -> None:
        raise errors.StagingError(
            say(
                line,
                f"an element of {self.label} is changed in place: the list, which grows in a "
                "branch or a loop of the graph, holds the tensors that were in it where it was "
                f"added, or gave a new object at {self.place}",
                "Put another element in its place (`items[i] = [*items[i], x]`), change it before "
                "it is added, or keep each part in a list of its own.",
            )
        )

    def is_read_beside(self, member: Any) -> bool:
        return True

    def refuse_identity(self, compared: tuple) -> None:
        known = self.is_made and any(m is v for m, _ in self.members for v in compared)
        if known and all(map(is_container, compared)):
            raise errors.StagingError(
                say(
                    here(),
                    "this line asks which object a container is that may be an element of "
                    f"{self.label}: the list, which grows in a branch or a loop of the graph, "
                    f"holds the tensors that were in it, and gave a new object at {self.place}",
                    "Keep a number beside it that says which one it is, and compare that.",
                )
            )


def note_element(value: Any, label: str, is_made: bool) -> None:
    """Note what is added to a list of the graph, or taken from it (``is_made``): the containers in
    it are others than those that the program has from now on."""
    if not _thread.journals:
        return
    root: Journal = _thread.journals[0]
    for made in containers_in(value):
        if any(made is copy for copy, _ in root.copies.values()):
            Element(made, label, here(), is_made).refuse(here())  # each iteration changes it
        if root.families is None:
            root.families = Families()
            root.watch()
        root.families.all.append(Element(made, label, here(), is_made))


def containers_in(value: Any) -> list:
    """The containers and arrays in a value, itself among them, in a fixed order."""
    found: dict[int, Any] = {}
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif id(part) not in found and is_container(part):
            found[id(part)] = part
            pending += _parts(part)
        elif is_array(part):
            found[id(part)] = part
    return list(found.values())


def arrays_in(value: Any) -> list:
    """The arrays in a value, itself among them."""
    return [part for part in containers_in(value) if is_array(part)]


def _parts(container: Any) -> list:
    """What a container holds itself."""
    found = []
    for facet in kinds.facets_of(type(container)):
        held = facet.hold(container)
        if held is not None:
            found += facet.parts(container, held)
    return found


class Families:
    """Those of one trace."""

    def __init__(self) -> None:
        self.all: list[Family] = []

    def written(self, target: Any) -> None:
        """Refuse that ``target`` is changed, if that would be seen through another object."""
        for family in list(self.all):
            if any(_shows(member, target) for member, _ in family.members):
                if family.is_read_beside(target):
                    family.refuse(here())
                family.end(self.all)

    def watched(self, target: Any, callee: Any) -> Any:
        """``callee``, a method of ``target`` or a function: refused where it changes one of them
        that would be seen through another."""

        def call(*args: Any, **kwargs: Any) -> Any:
            result = callee(*args, **kwargs)
            self.check(here())
            return result

        return call if any(_shows(m, target) for f in self.all for m, _ in f.members) else callee

    def refuse_identity(self, *compared: Any) -> None:
        """Refuse that the identity of objects is asked for where the graph chose among them."""
        for family in self.all:
            family.refuse_identity(compared)

    def check(self, line: str = "") -> None:
        """Refuse where one of the objects was changed, by whatever means."""
        for family in list(self.all):
            changed = family.changed()
            if changed is not None:
                if not line or family.is_read_beside(changed):
                    family.refuse(line or family.place)
                family.end(self.all)


def _shows(member: Any, target: Any) -> bool:
    """Whether an object is another one, or an array that shows its memory."""
    return any(m is target for m in _memory(member))


def of_trace() -> Families | None:
    """The families of the trace; None where there are none."""
    return _thread.journals[0].families if _thread.journals else None


def note(joins: Iterable[Join], snapshot: Any, place: str, result: Any = None) -> None:
    """Keep what staging made of objects that ``snapshot`` knows, where those may still be read, by
    code that follows or within a ``result``.

    Graphs that no function is traced for have no program whose objects these could be.
    """
    if not _thread.journals:
        return
    joins = list(joins)
    for join in joins:
        sources = relatives(join.sources)
        if snapshot is None or any(map(snapshot.knows, sources)):
            label = join.label or _name_of_result()
            found = _distinct([*sources, *_made_of_same(join, joins)])
            alive = [s for s in found if is_identified(s) or is_alive([s], held=[result])]
            is_held = len(alive) < len(found) and operands.are_held()
            _keep(found if is_held else alive, join.made, label, place)
        _keep_element(join, place)


def _keep_element(join: Join, place: str) -> None:
    """Note what may be an element of a list of the graph under another name."""
    known = _thread.journals[0].families
    elements = [f for f in known.all if isinstance(f, Element)] if known else []
    for element in elements:
        members = [member for member, _ in element.members]
        if any(source is member for source in join.sources for member in members):
            known.all.append(Element(join.made, element.label, place, True))
            return


def _name_of_result() -> str:
    """The name to which the program assigns what is staged; "" where a library's code stages it."""
    frame = next(frames(), None)
    return stored_next(frame) if frame is not None else ""


def _keep(alive: list, made: Any, label: str, place: str) -> None:
    root: Journal = _thread.journals[0]
    if not alive:
        return
    if root.families is None:
        root.families = Families()
        root.watch()
    members = [*alive, made] if kinds.facets_of(type(made)) else alive
    root.families.all.append(Family(members, label, place))


def relatives(found: Iterable[Any], own: Container[int] = ()) -> list:
    """Objects, and those that may be one of them in plain Python: what staging has made of several,
    and containers with which iterations begin, but for those of a loop, whose ids are ``own``."""
    root = _thread.journals[0]
    groups = [
        [member for member, _ in f.members] for f in (root.families.all if root.families else ())
    ]
    groups += [list(pair) for key, pair in root.copies.items() if key not in own]
    pending, seen = list(found), {}
    while pending:
        value = pending.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            for group in groups:
                if any(member is value for member in group):
                    pending += group
    return list(seen.values())


def _copies_of(value: Any) -> list:
    """An object, and what stands for it in the iterations that are being traced."""
    found = [value]
    for made, source in _thread.journals[0].copies.values():  # of loops around first
        if any(source is one for one in found):
            found.append(made)
    return found


def _made_of_same(join: Join, joins: list[Join]) -> list:
    """What else a construct made that may be, after one of its branches, what ``join`` made."""
    others = [j for j in joins if j is not join and any(map(_may_be_one, j.sources, join.sources))]
    return [j.made for j in others if kinds.facets_of(type(j.made))]


def _may_be_one(first: Any, second: Any) -> bool:
    """Whether two containers are one, or may be one in plain Python."""
    known = _thread.journals[0].families
    groups = [{id(m) for m, _ in family.members} for family in known.all] if known else []
    return first is second or any({id(first), id(second)} <= group for group in groups)


def _distinct(found: list) -> list:
    return list({id(v): v for v in found}.values())


def note_arrays(
    arrays: Iterable[tuple[str, Any]], snapshot: Any, place: str, changed: Container[int] = ()
) -> None:
    """The same for arrays that a tensor stands for from now on, under names; of objects that were
    ``changed``, by their ids, others stand, too."""
    for label, array in arrays:
        memory = _memory(array)
        known = [m for m in memory if snapshot is None or snapshot.knows(m)]
        if not known or not (is_alive(memory) or operands.are_held()):
            continue
        if any(id(m) in changed for m in known):
            raise _shown_twice(label, array, place)
        for frame in frames():
            label = label or stored_next(frame)
            if label.rpartition(".")[2] in augmented(frame.f_code):
                raise in_place(label, array, place)
        _keep([array], None, label, place)


def _shown_twice(label: str, array: Any, place: str) -> Exception:
    """The refusal to choose an array whose memory a branch changed, and which is read elsewhere."""
    called = repr(label) if label else "what is chosen here"
    return errors.StagingError(
        say(
            place,
            f"{called} is an array ({type(array).__name__}) that shows what a branch of the graph "
            "changed in place, and code that follows reads the same memory under another name, too",
            "Choose a copy (`a.copy()`), or make a tensor of it in the branch with "
            "`fg.constant(a)`.",
        )
    )


def in_place(label: str, array: Any, place: str) -> Exception:
    """The refusal of an augmented assignment to an array that is read elsewhere."""
    return errors.StagingError(
        say(
            place,
            f"{label!r} is an array ({type(array).__name__}) that an augmented assignment changes "
            "in place, and that code reads under another name: the graph would change a tensor "
            "instead, and leave the array as it is",
            f"Write `{label} = {label} + ...`, or make a tensor of it before, with "
            f"`{label} = fg.constant({label})`.",
        )
    )


def refuse_in_place(array: Any, acting: types.FrameType) -> None:
    """Refuse an operator beside a tensor, at which a frame is, that in plain Python changes an
    array in place which others read, too."""
    is_own = ownership.is_own_file(acting.f_code.co_filename)
    frame = next(frames()) if is_own else acting
    if not (acting.f_code.co_name == "augment" if is_own else adds_in_place(frame)):
        return
    walk = Walk()
    walk.run((), [_thread.roots, *live_values(frame)])
    if any(id(m) in walk.seen for m in _memory(array)):
        raise in_place(stored_next(frame) or "the target", array, here())


def refuse_arrays(found: Iterable[tuple[Place, Any]], functions: tuple, place: str) -> None:
    """Refuse places with arrays that a loop's functions change in place, if others read them."""
    for spot, value in found:
        if not is_array(value):
            continue
        name = spot.label.rpartition(".")[2]
        names = {name} if name.isidentifier() else {"[]"}
        changed = any(not names.isdisjoint(augmented(f.__code__)) for f in functions)
        if changed and _is_alive_beside(spot, value, functions):
            raise in_place(spot.label, value, place)


def is_read(place: Place) -> bool:
    """Whether code that follows may read a place."""
    if is_read_by_name(place):
        return True
    return place.is_module or place.is_shared or is_alive([place.owner])


def _is_alive_beside(spot: Place, value: Any, functions: tuple) -> bool:
    """Whether an array is held elsewhere than in a place."""
    spot.put(None)
    try:
        return is_alive(_memory(value), functions)
    finally:
        spot.put(value)


def _memory(array: Any) -> list:
    """An array and those whose memory it shows."""
    found = [array]
    while (base := _shown_by(found[-1])) is not None:
        found.append(base)
    return found


def _shown_by(value: Any) -> Any:
    """What an array or a view of memory shows; None of what has memory of its own."""
    if isinstance(value, memoryview):
        return value.obj
    return getattr(value, "base", None) if is_array(value) else None


def is_alive(wanted: list, functions: tuple = (), held: Iterable[Any] = ()) -> bool:
    """Whether code that follows may read one of some objects, also within what it has ``held``."""
    walk = Walk()
    walk.run(functions, [_thread.roots, *live_values(), *held])
    return any(id(w) in walk.seen for w in wanted)
