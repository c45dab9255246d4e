"""Side effects of staged code on objects: found by comparison when a region ends, undone, merged.

While a region is traced its ``RegionLog`` has a snapshot of what its functions can reach
(``heap.snapshot``), and the locations that write barriers noted before they were set: those of
objects that are not in the snapshot. When the region ends, locations that differ are restored, so
that a branch is undone before the other one is traced, and become results of the region.

Changes of objects made inside the region are not undone. Objects that code outside the traced
function can reach are handled by ``heap.references``.
"""

from __future__ import annotations

import collections
import contextlib
import operator
import sys
import weakref
from collections.abc import Iterable, Iterator

from ..context.thread import variables_made
from ..heap import (
    liveness,
    own_attributes,
    references,
    snapshot,
    structure,
    trace_context,
    walk,
)
from ..heap.adapters import ASSIGNABLE, COMPARABLE, is_class
from ..heap.adapters.base import Order, Whole, not_followed
from ..heap.adapters.registry import is_opaque
from ..heap.invalidated import Invalidated, Left, behind
from ..heap.location import UNDEFINED, Attribute, Container, Location, Remembered, Together
from ..heap.snapshot import Snapshot
from ..heap.source_location import here, refusal
from ..heap.trace_context import RegionLog, TraceContext, loud, original, really, record_of
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG
from ..symbolic.values import has_tensor
from ..values import errors
from . import retrace
from .retrace import RetraceLoop


class Change:
    """A location, what it held before a region, and what the region left in it."""

    __slots__ = ("new", "old", "place")

    def __init__(self, place: Location, old: Any, new: Any):
        self.place, self.old, self.new = place, old, new

    def __iter__(self) -> Iterator[Any]:
        return iter((self.place, self.old, self.new))


class logged:
    """A block that traces a region; what it sets is in the log afterwards."""

    _is_alone = False  # whether a graph alone is made, without a function

    def __enter__(self) -> RegionLog:
        made = RegionLog()
        loud[id(made)] = made
        trace = _thread.trace
        if trace is None:
            trace = TraceContext()
            _thread.enter(trace)
            self._is_alone = True
        trace.effects.has_merged = True
        if trace.callees.has_kept:
            trace.callees.forget()
        trace.logs.append(made)
        return made

    def __exit__(self, *exception: Any) -> None:
        made = _thread.logs.pop()
        loud.leave(made)
        trace_context.outlived(made)
        if self._is_alone:
            _thread.enter(None)


_HOLDING_LOCATIONS = frozenset({Attribute, Container})


class region(logged):
    """``logged`` with a copy of what the functions of the region can reach, which are ``anchors``.

    ``like`` is the log of a region of the same functions that has just ended: where it left nothing
    changed its copy serves again. One that ``repeats`` is an iteration of a loop. ``own`` are the
    locations that the construct puts back itself, whatever happens.
    """

    def __init__(
        self,
        anchors: Iterable[Any],
        like: RegionLog | None = None,
        *,
        repeats: bool = False,
        own: Iterable[Location] = (),
    ):
        self._anchors, self._like, self._repeats, self._own = anchors, like, repeats, own

    def __enter__(self) -> RegionLog:
        like = self._like
        shared = like is not None and not like.landed
        before = like.snapshot if like and shared else Snapshot(self._anchors)
        made = super().__enter__()
        made.snapshot, made.began = before, len(_thread.trace.effects.stale)
        made.repeats, made.n_variables = self._repeats, variables_made.n
        return made

    def __exit__(self, *exception: Any) -> None:
        made = _thread.logs[-1]
        super().__exit__(*exception)
        if exception[0] is not None:
            if isinstance(exception[1], Exception) or type(exception[1]) is RetraceLoop:
                _put_back(noted(made))
            return
        around = _thread.trace  # none where a graph alone is made, without a function
        makes = made.n_variables != variables_made.n
        if around is not None and (makes or around.effects.built):
            retrace.check_lazy_variables(made, self._own, changed_so_far(made))
        if made.nested:
            snapshot.refuse_nested_names(made.nested, self._own)
        if self._repeats and made.snapshot is not None and (made.born or made.iterators):
            snapshot.refuse_finalizers_left(
                (*made.born.values(), *made.iterators.values()), made.snapshot
            )
        if made.snapshot is not None and made.snapshot.has_lost():
            changed = list(made.snapshot.changes())
            # Names alone are no memos, which costs most regions nothing.
            kept = [c for c in changed if c[0].__class__ in _HOLDING_LOCATIONS]
            if kept and snapshot.settle(kept, made.snapshot, made.graphs):
                made.landed, changed = True, list(made.snapshot.changes())
            try:
                snapshot.refuse_finalizers(changed)
            except errors.StagingError:
                undo(made)
                raise


def refuse_opaque(target: Any, method: str) -> None:
    """Refuse a method call on an opaque object from outside the region."""
    before = trace_context.current_snapshot()
    if before is None or not is_opaque(type(target)) or not before.knows(target):
        return
    if target is sys.stdout or target is sys.stderr:
        return
    raise refusal(
        f"{method!r} of a {type(target).__name__} is called in a staged branch or loop: it runs "
        "once, while tracing, and what it changes cannot be undone",
        f"Call it outside of the branch or loop, or in `{FG}.py_function`.",
    )


def changes(
    made: RegionLog,
    anchors: Iterable[Any],
    direct: frozenset = frozenset(),
    skipped: frozenset = frozenset(),
    left: dict[Any, Any] | None = None,
    repeats: bool = False,
) -> list[Change]:
    """The changes that the region of ``made`` made to locations that outlive it; these are undone.

    ``anchors`` are the functions of the region: what they reach was there before. ``direct`` are
    the keys of locations that the construct itself sets; ``skipped`` those that are handled
    elsewhere. ``left`` are the contents of locations that were put back already. A region that
    ``repeats`` is traced again where an iteration would read what an earlier one changed outside.
    """
    found, of_traces = [], []
    for place, old in noted(made):
        if place.key in skipped:
            continue
        if place.key in made.nested:
            of_traces.append(Change(place, old, place.get()))
            continue
        new = left[place.key] if left and place.key in left else place.get()
        if not _is_kept(place, old, new):
            found.append(Change(place, old, new))
        elif old is new and isinstance(place, Attribute):
            own_attributes.note_default(place, old, new)
    if of_traces:
        _leave_to_traces(made, of_traces)
    if not found and not made.iterators:
        return found
    if found:
        _check_families(made)
        note_changed((change.place, change.old) for change in found)
    for change in reversed(found):
        _undo(change)
    refuse_shadowed(found)
    _refuse_keys(found)
    for change in found:
        if change.place.is_derived and isinstance(change.place, Order):
            raise own_attributes.unsure_order(change.place.label)
    iterators = [held() if type(held) is weakref.ref else held for held in made.iterators.values()]
    owners = [change.place.owner for change in found] + iterators
    known = _there(made, list(anchors), owners)
    _refuse_iterators(iterators, known)
    owned = snapshot.reached([_thread.roots], [c.place.owner for c in found])
    lazy = {id(c.place.owner) for c in found if references.is_lazily_made(c.old, c.new)}
    kept = []
    for change in found:
        there = id(change.place.owner) in known or change.place.is_shared
        outer = id(change.place.owner) in owned or change.place.is_module or change.place.is_shared
        is_stale = id(change.place.owner) in _thread.trace.effects.stale
        is_ours = not outer or change.place.key in direct or _is_state(change)
        if there and is_ours and not is_stale:
            _note_library(made, change)
            kept.append(change)
        elif there and id(change.place.owner) not in lazy:
            _leave_outside(made, change, kept, repeats)
        else:
            change.place.put(change.new)
            made.landed = True
    for change in kept:
        own_attributes.note_default(change.place, change.old, change.new)
    substitute_again()
    return kept


def _check_families(made: RegionLog) -> None:
    """Refuse that a region changed an array which is read elsewhere, by whatever means."""
    families = _thread.trace.aliases.sets if _thread.trace is not None else None
    if families is None:
        return
    try:
        families.check(here(), only=structure.is_array)
    except errors.StagingError:
        undo(made)
        raise


def changed_so_far(made: RegionLog) -> list[tuple[Location, Any]]:
    """The locations that a region has changed, with what they held before."""
    return [(place, old) for place, old in noted(made) if not _is_kept(place, old, place.get())]


def undo(made: RegionLog) -> None:
    """Put back all that the region of ``made`` changed."""
    for place, old in reversed(list(noted(made))):
        _undo(Change(place, old, None))


def note_changed(held: Iterable[tuple[Location, Any]]) -> None:
    """Note locations that a region changes which no other one is around, with what they hold."""
    if _thread.logs:
        return
    known = _thread.trace.effects.changed
    for place, old in held:
        known.setdefault(place.key, (_remembered(place, known), old))


def _remembered(place: Location, among: dict) -> Location:
    """A location ``among`` others, which keeps no object alive that the program releases."""
    if not isinstance(place, Attribute):
        return place
    key = place.key
    try:
        return Remembered(place, lambda _: among.pop(key, None))
    except TypeError:  # nothing refers weakly to it
        return place


def put_back_changed(root: TraceContext) -> None:
    """Put back what the regions of a trace changed where the trace is never run: it failed, or
    another one follows."""
    _put_back(root.effects.changed.values())


def _put_back(held: Iterable[tuple[Location, Any]]) -> None:
    """Let locations hold again what they held, but for positions and sizes that cannot be put back:
    an error is on its way, and tells more than they do."""
    for place, old in reversed(list(held)):
        with contextlib.suppress(errors.StagingError, ValueError, BufferError):
            if not _holds(place, old):
                _undo(Change(place, old, None))


def _holds(place: Location, value: Any) -> bool:
    try:
        return place.get() is value
    except RetraceLoop:  # a content that the location does not know
        return False


def substitute_again() -> None:
    """Replace the references to objects that the graph cannot follow."""
    if _thread.trace is not None and _thread.trace.effects.stale:
        references.substitute_invalidated()


def standing(found: list) -> list:
    """Values that branches leave, with objects that the graph cannot follow replaced."""
    is_stale = _thread.trace is not None and _thread.trace.effects.stale
    return references.standing(found) if is_stale else found


def _note_library(made: RegionLog, change: Change) -> None:
    """Note that a list may get longer or shorter whose length a library's code reads."""
    place = change.place
    if isinstance(place, Container) and isinstance(place.owner, list) and made.snapshot is not None:
        in_module = liveness.is_in_library_module(place.owner)
        place.in_library = in_module or made.snapshot.is_in_library(place.owner)


def _leave_outside(made: RegionLog, change: Change, kept: list[Change], repeats: bool) -> None:
    """Leave a change of what is seen from outside: followed by the graph, or else stale."""
    _at_end()
    root = _thread.trace
    made.landed = True
    if references.can_follow(*change):
        references.follow(*change)
        kept.append(change)
        return
    began = made.began if repeats else len(root.effects.stale)
    change.place.put(change.new)
    if references.invalidate(change.place, made.anchors, began) and repeats:
        made.spoiled = True
        if isinstance(change.place, (Container, Whole)):
            change.place.put(change.old)


def _leave_to_traces(made: RegionLog, changes: list[Change]) -> None:
    """Leave what functions did that were traced within a region: who reads it later is refused,
    but for what makes variables."""
    _at_end()
    lazy = {id(c.place.owner) for c in changes if references.is_lazily_made(c.old, c.new)}
    made.landed = True
    others = [
        c for c in changes if id(c.place.owner) not in lazy and type(c.new) is not Invalidated
    ]
    root = _thread.trace
    root.effects.anchors += made.anchors
    if others and root.effects.left is None:
        root.effects.left = Left()
    for change in others:
        references.invalidate(change.place, made.anchors, 0)
        if type(change.place.get()) is Invalidated:
            root.effects.left.add(change.place)
    if others:  # an iteration may have read before what it reads as stale from now on
        for around in (made, *_thread.logs):
            around.spoiled = around.spoiled or around.repeats


def _at_end() -> None:
    """Have the trace restore the replaced references when it ends."""
    root = _thread.trace
    if not root.effects.at_end:
        root.effects.at_end.append(references.restore)
        root.effects.explain = references.explain


def _refuse_keys(found: list[Change]) -> None:
    """Refuse a change of a dict or set whose keys have user-defined hashing or comparison that may
    have side effects."""
    for place, old, new in found:
        keyed = (
            isinstance(place, Container)
            and isinstance(held, (dict, set))
            and walk.have_effects(held)
            for held in (old, new)
        )
        if any(keyed):
            walk.refuse_keys(place.label, place.owner)


def refuse_shadowed(found: list[Change]) -> None:
    """Refuse that an attribute is set in an object and, under the same name, in its class: the
    object shows that of the class until it has one of its own."""
    in_classes = {c.place.key for c in found if is_class(c.place.owner)}
    for place in (c.place for c in found if in_classes):
        if isinstance(place, Attribute) and place.class_default is not UNDEFINED:
            keys = {("attribute", id(b), place.key[2]) for b in type(place.owner).__mro__}
            if not keys.isdisjoint(in_classes):
                raise refusal(
                    f"{place.label!r} is set in an object and in its class, in staged branches or "
                    "a staged loop: whether the object itself has it or inherits it is known only "
                    "when the graph runs",
                    "Give the object the attribute before the branch or loop, or change only one "
                    "of both there.",
                )


def _is_kept(place: Location, old: Any, new: Any) -> bool:
    """Whether a location holds what it held, apart from proxies of objects."""
    if old is new:
        return True
    if (
        type(old) is Invalidated
        and type(new) is not Invalidated
        and place.key in _thread.trace.effects.stale
    ):
        return False
    if not (place.is_whole or place.is_derived):
        return _is_alike(_really(old), _really(new))
    return same(old, new) or _is_stale(old, new)


def _is_stale(old: Any, new: Any) -> bool:
    """Whether contents differ only by replacements of invalidated objects."""
    if not (_thread.trace.effects.stale or _thread.trace.variants.records):
        return False
    if type(old) is not type(new) or type(old) not in ASSIGNABLE or len(old) != len(new):
        return _really(new) is _really(old)
    pairs = zip(old, new, strict=True)
    if isinstance(old, dict):
        pairs = zip((*old, *old.values()), (*new, *new.values()), strict=True)
    return all(_really(a) is _really(b) for a, b in pairs)


def _really(value: Any) -> Any:
    """``value``, or the object behind a replacement."""
    return really(original(behind(value)))


def _undo(change: Change) -> None:
    """Put back what a location held; refused where that cannot be done."""
    place = change.place
    if isinstance(place, Whole) and (not place.can_undo or place.what == "position"):
        if place.what != "position":
            place.put(change.old)
        raise not_followed(place, here())
    place.put(change.old)


def _there(made: RegionLog, anchors: list, owners: list) -> set[int]:
    """The ids of those ``owners`` that were there when the region began."""
    if made.snapshot is None:
        return snapshot.reached(anchors, owners)
    known = {id(o) for o in owners if made.snapshot.knows(o)}
    others = [o for o in owners if id(o) not in known]
    return known | snapshot.reached(anchors, others) if others else known


def contents(made: RegionLog, own: frozenset[int] = frozenset()) -> dict[Any, Any]:
    """What the lists, dicts and sets of a log hold now, by the keys of their locations. ``own`` are
    the ids of the cells that the construct itself puts back.
    """
    made.compared = list(made.snapshot.changes(own)) if made.snapshot is not None else []
    touched = [place for place, _ in (*made.touched.values(), *made.compared)]
    return {p.key: p.get() for p in touched if isinstance(p, Container)}


def noted(made: RegionLog) -> Iterator[tuple[Location, Any]]:
    """The locations that code announced, and those that differ from what the region began with."""
    if made.snapshot is None:
        yield from list(made.touched.values())
        return
    compared = set()
    found = made.snapshot.changes() if made.compared is None else made.compared
    for place, old in found:
        compared.add(place.key)
        yield place, old
    for key, (place, old) in list(made.touched.items()):
        if key in compared or made.snapshot.compares(place):
            continue
        if not made.snapshot.knows_fields(place.owner):
            yield place, old


def _is_state(change: Change) -> bool:
    """Whether a change of something that is seen from outside belongs to the graph."""
    old, new = change.old, change.new
    if record_of(change.place.owner) is not None:
        return True
    if isinstance(old, list) and isinstance(change.place, Container):
        if any(isinstance(v, Together) for v in old):
            return True
        return len(old) == len(new) and has_tensor([old, new])
    return has_tensor([old, new])


def same(old: Any, new: Any) -> bool:
    """Whether two contents are the same objects, one by one."""
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, (list, collections.deque)):
        return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
    if isinstance(old, dict):
        return len(old) == len(new) and all(
            map(operator.is_, (*old, *old.values()), (*new, *new.values()))
        )
    if isinstance(old, set):
        if len(old) == len(new) and set(map(id, old)) == set(map(id, new)):
            return True
        if not (walk.are_plain_keys(old) and walk.are_plain_keys(new)):
            return False
        return {(type(v), v) for v in old} == {(type(v), v) for v in new}
    return _is_alike(old, new) or (isinstance(old, bytearray) and old == new)


def _is_alike(old: Any, new: Any) -> bool:
    """Whether two values are indistinguishable: the same object, or equal atoms."""
    if old is new:
        return True
    if type(old) is not type(new) or not isinstance(old, COMPARABLE):
        return False
    return repr(old) == repr(new) if isinstance(old, float) else bool(old == new)


def _refuse_iterators(iterators: list, known: set[int]) -> None:
    for iterator in iterators:
        if id(iterator) in known:
            raise refusal(
                f"side effect on a Python iterator ({type(iterator).__name__}) from outside this "
                "staged branch or loop: it would be advanced once, at trace time",
                "Take its elements before, or iterate over a tensor.",
            )
