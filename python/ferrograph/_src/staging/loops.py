"""Staged loops, from converted code and from ``while_loop``.

A staged loop carries the locations of its state that are read later or in a next iteration, leaf by
leaf. The body is traced once. A location that is unset, or None, before the loop and set in the
body is added to the loop after that trace, with an initial placeholder; a flag for whether the body
ever ran guards it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .. import ops
from ..heap import aliasing, references, structure
from ..heap.adapters import LITERALS
from ..heap.liveness import changed_while_running
from ..heap.location import UNDEFINED, Location, State, Together, in_place, is_grown
from ..heap.source_location import LoopShapeError, refusal
from ..heap.structure import arrays_in
from ..heap.trace_context import RegionLog, has_variants, note_unset, really
from ..hints import Any
from ..native import FG, _core
from ..symbolic import merged_objects, ranges, values
from ..values import constants, dtypes
from ..values.errors import shown
from . import loop_state, merging, retrace, side_effects, tensor_lists, write_barriers
from .conditional import RESULT, stage_choice, where
from .iteration import source_of
from .loop_state import Copies
from .loop_variables import Slot, Variables
from .retrace import Memory, RetraceLoop

Thunk = Callable[[], Any]
_MAX_TRACES = 12
_NO_ARRAYS = LITERALS | {_core.SymbolicTensor, type(UNDEFINED)}


class Loop:
    """What a loop statement knows of itself.

    ``live`` names are read later, ``entry`` ones by an iteration before it sets them, ``after``
    ones after the loop, ``soft`` ones may be; ``targets`` are those that a ``for`` statement sets;
    ``extended`` ones keep their object where that is a list.
    """

    def __init__(
        self,
        state: State,
        broke: Thunk | None,
        returned: Thunk | None,
        options: Thunk | None,
        *,
        line: int,
        live: tuple[str, ...] = (),
        entry: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
        soft: tuple[str, ...] = (),
        targets: tuple[str, ...] = (),
        is_for: bool = False,
        extended: tuple[str, ...] = (),
        anchors: tuple = (),
    ):
        self.state, self.line = state, line
        self.broke, self.returned, self.options = broke, returned, options
        self.live, self.entry, self.after, self.soft = live, entry, after, soft
        self.targets, self.is_for, self.anchors = targets, is_for, anchors
        self.extended = extended
        self.runs: Thunk | None = None  # see ``Variables``
        self.has_begun = False  # whether its first iteration was traced by itself

    def carries(self, i: int) -> bool:
        if i >= self.state.n_names:
            return True
        label = self.state.places[i].label
        if label in self.extended and isinstance(self.state.places[i].get(), list):
            return False
        return label in self.live or label in self.soft

    def carried(self, before: list) -> list[tuple[Location, Any]]:
        """The locations that it carries, with what they held ``before``."""
        pairs = enumerate(zip(self.state.places, before, strict=True))
        return [pair for i, pair in pairs if self.carries(i)]

    def stopped(self) -> Any:
        """Whether the loop was left, as Python or as a tensor."""
        found: Any = False
        for left in (self.broke, self.returned):
            stop = left() if left is not None else False
            if values.is_staged(stop):
                found = stop if found is False else ops.logical_or(found, stop)
            elif stop:
                return True
        return found


class Control:
    """What decides whether a loop goes on: a variable, its first one, which iterations set."""

    def __init__(
        self,
        label: str,
        start: Any,
        step: Callable[[Any], Any],
        going: Callable[[Any], Any],
        is_known_to_run: Callable[[], bool],
    ):
        self.label, self.start = label, start
        self.step = step  # an iteration, which gives what the variable is after it
        self.going = going  # whether there is another iteration
        self.is_known_to_run = is_known_to_run  # whether there is a first one


def stage_while(going: Any, test: Thunk, body: Thunk, loop: Loop) -> None:
    """The loop whose test gave the tensor ``going`` in the present state."""
    place = where(body, loop.line)
    loop.anchors = (test, body)
    start = values.predicate(going, place)

    def step(_: Any) -> Any:
        body()
        stop = loop.stopped()
        if values.is_staged(stop):
            again = stage_choice(stop, lambda: False, lambda: boolean(test(), place), place)
        else:
            again = not stop and test()
        return boolean(again, place)

    def is_known_to_run() -> bool:
        return ranges.truth(start) is True

    loop.runs = lambda: start
    control = Control("the condition", start, step, lambda more: more, is_known_to_run)
    _run(loop, place, control, retrace.memory_of(loop))


def boolean(value: Any, place: str) -> Any:
    value = tensor_lists.truth(value) if is_grown(value) else value
    return (
        values.predicate(value, place)
        if values.is_staged(value)
        else constants.constant(bool(value))
    )


def stage_for(iterable: Any, body: Callable[[Any], None], loop: Loop) -> None:
    """The loop over a tensor."""
    place = where(body, loop.line)
    loop.is_for = True
    source = source_of(iterable, place)
    loop.anchors = (body, *getattr(source, "anchors", ()))
    loop.runs = source.runs if source.is_counted() else None

    def going(position: Any) -> Any:
        stop = loop.stopped()
        return source.has_more(position, stop if values.is_staged(stop) else None)

    def step(position: Any) -> Any:
        body(source.element(position))
        return source.following(position)

    memory = retrace.memory_of(loop)
    relaxed = memory.relaxed
    control = Control("the position", source.start, step, going, source.is_known_to_run)
    while True:
        try:
            _run(loop, place, control, memory)
            if source.has_changed():
                raise changed_while_running(place)
            return
        except LoopShapeError as e:
            if not source.relaxes or e.index in relaxed and relaxed[e.index] == e.general:
                raise
            relaxed[e.index] = e.general


def _run(loop: Loop, place: str, control: Control, memory: Memory) -> None:
    """Stage the loop, with everything that an iteration is found to change.

    Where an iteration needs what only the one before it sets, and the first one certainly runs,
    that is traced by itself before: the others find what it has set.
    """
    carry(loop.state, memory.known_places(loop.anchors))
    for _ in range(_MAX_TRACES):
        try:
            with retrace.attempt(memory):
                _stage(loop, place, control, memory)
            return
        except RetraceLoop as again:
            memory.learn(again)
            carry(loop.state, again.places)
        except ValueError as e:
            if loop.has_begun or not retrace.is_unset(e) or not control.is_known_to_run():
                raise
            loop.has_begun, loop.runs = True, None
            with retrace.first_iteration():
                control.start = control.step(control.start)
    raise refusal(
        "what an iteration of this loop changes differs each time it is traced",
        "Keep the state of the loop in names, attributes and items that exist before it.",
        place,
    )


def carry(state: State, places: list[Location]) -> None:
    """Add locations to those that a loop carries; of a list that grows it carries the whole, and of
    what a location holds nothing by itself."""
    known = {p.key for p in state.places}
    for found in places:
        if found.key in known:
            continue
        if found.is_derived and isinstance(found, (merging.Chosen, merging.GrownList)):
            names, others = state.places[: state.n_names], state.places[state.n_names :]
            state.places = names + [p for p in others if p.owner is not found.owner]
            found.start()
            if isinstance(found, merging.GrownList):
                merging.name_itself(state, found.owner)
        elif not found.is_whole:
            _drop_items_of(found.get(), state)
        state.places.append(found)


def _drop_items_of(held: Any, state: State) -> None:
    """Carry no items of a container that an iteration replaces, which is carried itself."""
    names, others = state.places[: state.n_names], state.places[state.n_names :]
    state.places = names + [p for p in others if not (_is_item(p) and p.owner is held)]


def _stage(loop: Loop, place: str, control: Control, memory: Memory) -> None:
    """Trace one iteration, emit the loop, and leave its results in the state."""
    state, options = loop.state, loop_state.collect_options(loop.options)
    before = state.read()
    for spot, value in zip(state.places, before, strict=True):
        if value is UNDEFINED:
            note_unset(spot.label)  # which an iteration before may set
    write_barriers.touch_carried(state.places[state.n_names :])
    if len(state.places) > state.n_names:
        pairs = [*zip(state.places, before, strict=True)][state.n_names :]
        side_effects.note_changed(p.below() if p.is_derived else (p, old) for p, old in pairs)
        changed = [p for p, _ in pairs]
        merged_objects.refuse_replaced(loop.carried(before), changed, place)
    try:
        with Variables(place, memory, before, options) as variables:
            variables.runs = loop.runs if options.maximum_iterations is None else None
            variables.add(control.label, control.start)
            if options.maximum_iterations is not None:
                variables.count()
            merged_objects.refuse_arrays(loop.carried(before), loop.anchors, place)
            slots = carry_values(loop, variables)
            with side_effects.region(loop.anchors, repeats=True, own=state.places) as log:
                for value in before:
                    in_place(value)
                after = iterate(loop, variables, control.step)
                if len(state.places) > state.n_names:
                    write_barriers.check_own(state.places[i] for i in slots)
            has_arrays = not _NO_ARRAYS.issuperset(map(type, (*before, *after)))
            may_stay = has_arrays and any(merged_objects.may_stay(after[i]) for i in slots)
            reached = log.snapshot
            check_effects(loop, log, variables)
            if variables.promotions:
                raise RetraceLoop(promoted=variables.promotions)
            late = _join_late(loop, variables, after)
            with variables.condition, side_effects.logged():
                inputs = variables.inputs[0]
                state.write(variables.located(inputs))
                try:
                    more = control.going(inputs[0])
                except Exception as e:
                    variables.met(e)
                    raise
                if variables.counter is not None:
                    more = variables.within_limit(more)
            outputs = variables.emit(more)
    except BaseException:
        state.write(before)
        raise
    leave_results(loop, variables, after, late, outputs)
    side_effects.substitute_again()
    if variables.joins:
        aliasing.note(variables.joins, reached, place)
    if has_arrays:
        pairs = loop.carried(after)
        if loop.runs is None or loop.runs() is not True or may_stay:
            pairs += loop.carried(before)  # which stay where there was no iteration
        arrays = [(spot.label, array) for spot, v in pairs for array in arrays_in(v)]
        merged_objects.note_arrays(arrays, reached, place)


def check_effects(
    loop: Loop,
    log: RegionLog,
    variables: Variables,
    alone: Callable[[RegionLog], Iterable[Any]] | None = None,
    check: Callable[[Location, list[Location]], None] | None = None,
) -> None:
    """Start again where an iteration changes locations that the loop does not carry yet: those that
    ``check`` lets it carry for one. ``alone`` gives the keys of those that stay as they are."""
    state = loop.state
    own = frozenset([id(place.owner) for place in state.places[: state.n_names]])
    left, contents = state.read(), side_effects.contents(log, own)
    skipped = frozenset(alone(log) if alone is not None else ())
    state.write(variables.before)
    direct = frozenset(place.key for place in state.places)
    known = direct | {(all_, id(p.owner)) for p in state.places if _is_item(p) for all_ in _ALL}
    found = []
    with variables.body:
        for change in side_effects.changes(
            log, loop.anchors, known, skipped, left=contents, repeats=True
        ):
            new = [p for p in merging.expand(change) if p.key not in direct]
            if check is not None:
                check(change.place, new)
            found += new
    if found or log.spoiled:
        raise RetraceLoop(found)
    state.write(left)


_ALL = ("all", "whole")  # the keys of locations that are all of an object


def _is_item(place: Location) -> bool:
    return isinstance(place.key, tuple) and place.key[0] in ("item", "grown", "versions")


def carry_values(loop: Loop, variables: Variables) -> dict[int, Slot]:
    """A slot for each location that is carried and has a value before the loop."""
    slots = variables.slots
    for i, spot in enumerate(loop.state.places):
        value = variables.before[i]
        if loop.carries(i) and value is not UNDEFINED and value is not None:
            slots[i] = variables.slot(spot.label, value, variables.options.shapes_of(value))
    variables.integers.add_flags()
    return slots


def iterate(loop: Loop, variables: Variables, step: Callable[[Any], Any]) -> list:
    """Trace one iteration into the body; what each location holds after it. ``step`` is given the
    first variable, and gives what that is then, or None."""
    inputs, before, slots = variables.inputs[1], variables.before, variables.slots
    start, copies = variables.located(inputs), Copies()
    for i, slot in slots.items():
        start[i] = copies.given(slot.label, before[i], start[i], slot.label in variables.split)
    copies.begin()
    given = {i: structure.leaves_of(start[i]) for i in slots}
    with variables.body:
        loop.state.write(start)
        try:
            following = step(inputs[0] if inputs else None)
        except Exception as e:
            variables.met(e)
            if isinstance(e, NameError):
                _refuse_early(e, loop, before, variables.place)
            retrace.mark_left(e)
            raise
        after = loop.state.read()
        has_copies, moved = copies.are_made(), {}
        if has_copies:
            labels = {i: slot.label for i, slot in slots.items()}
            pairs = loop_state.container_pairs(labels, start, after)
            loop_state.check_partition(pairs, copies.changed, variables.place)
            _check_outer_partitions(loop, variables, start, after, copies)
            moved = {id(held): left for held, left, _ in pairs}
        variables.joins = copies.settled(moved, loop.anchors, variables.place)
        counted = None if variables.counter is None else inputs[variables.counter] + 1
    if following is not None:
        variables.result(0, following)
    if variables.counter is not None:
        variables.result(variables.counter, counted)
    for i, slot in slots.items():
        if after[i] is UNDEFINED and is_grown(loop.state.places[i].owner):
            continue  # an item of a list that turns out to grow
        if after[i] is UNDEFINED and i >= loop.state.n_names:
            raise _removed(loop.state.places[i].label, variables.place)
        is_other = type(after[i]) is not type(start[i])
        if is_other and isinstance(after[i], Together) and not isinstance(start[i], Together):
            continue  # an element of a list that turns out to grow: the loop is traced again
        is_left = after[i] is start[i] and _same_leaves(given[i], start[i])
        is_left = is_left and not (has_copies and copies.changed_within(start[i]))
        if is_left or after[i] is UNDEFINED:
            variables.results(slot, start[i])
            after[i] = before[i] if after[i] is not UNDEFINED else UNDEFINED
        else:
            left = after[i]
            if left.__class__ is not _core.SymbolicTensor and really(left).__class__ is list:
                with variables.body:
                    after[i] = merging.fitted(slot.label, before[i], left)
            variables.results(slot, after[i])
    return after


def _check_outer_partitions(
    loop: Loop, variables: Variables, start: list, after: list, copies: Copies
) -> None:
    """Check that an iteration leaves nothing in a location that it changes elsewhere."""
    place, slots, before = variables.place, variables.slots, variables.before
    owners = {
        id(spot.owner)
        for i, spot in enumerate(loop.state.places)
        if i >= loop.state.n_names and _is_item(spot) and after[i] is not start[i]
    }
    for i, slot in slots.items():
        if i < loop.state.n_names and slot.label not in loop.entry:
            continue
        if id(before[i]) in owners and after[i] is not before[i]:
            loop_state.refuse_partition(slot.label, place)
        loop_state.check_other_partitions(
            slot.label, start[i], after[i], owners, copies.changed, place
        )


def _removed(label: str, place: str) -> Exception:
    return refusal(
        f"{label} is removed in this staged loop, whose later iterations would miss it",
        "Put another value there, or a flag that says that it is gone.",
        place,
    )


def _same_leaves(given: list, value: Any) -> bool:
    """Whether a value still has the leaves that it was given."""
    leaves = structure.leaves_of(value)
    return len(leaves) == len(given) and all(a is b for a, b in zip(leaves, given, strict=True))


def _refuse_early(e: NameError, loop: Loop, before: list, place: str) -> None:
    """Refuse that an iteration reads a name which the one before it may have set."""
    unset = {s.label for s, v in zip(loop.state.places, before, strict=True) if v is UNDEFINED}
    name = getattr(e, "name", None)
    if name in unset:
        problem = f"{name!r} is read in this loop before anything sets it"
        cure = f"Set {name!r} before the loop, for example to `{FG}.zeros([])`."
        raise retrace.unset(problem, cure, place) from e


def _join_late(loop: Loop, variables: Variables, after: list) -> dict[int, Slot]:
    """Slots for locations unset or None before that the body sets, and the flag that guards
    them."""
    late: dict[int, Slot] = {}
    before, works = variables.before, _works(variables)
    for i, spot in enumerate(loop.state.places):
        unset = before[i] is UNDEFINED or before[i] is None
        if i in variables.slots or not unset or not loop.carries(i) or after[i] is before[i]:
            continue
        if not _may_join(loop, spot.label, before[i], i, variables.place, works):
            after[i] = before[i]
            note_unset(spot.label)
            continue
        late[i] = variables.late_slot(spot.label, after[i])
        variables.results(late[i], after[i])
    if any(loop.state.places[i].label != RESULT for i in late):
        ran = variables.add("whether the loop ran", constants.constant(False))
        variables.result(ran, True)
    return late


def _works(variables: Variables) -> bool:
    """Whether iterations do more than rebind names: they carry values, or use variables."""
    captured = variables.body.region.captured()
    return bool(variables.slots) or any(value.dtype == dtypes.resource for value in captured)


def _may_join(loop: Loop, label: str, value: Any, i: int, place: str, works: bool) -> bool:
    if label == RESULT:
        return True
    named = i < loop.state.n_names
    if named and label not in loop.after:
        if label in loop.entry:
            problem = f"{label!r} is {shown(value)} before this loop and a value in it"
            raise retrace.unset(problem, f"Give {label!r} a tensor before the loop.", place)
        return label in loop.soft
    if label in loop.entry or not named:
        raise retrace.unset(
            f"{label!r} is {shown(value)} before this loop, but an iteration reads what the one "
            "before it set",
            f"Give {label!r} a tensor before the loop.",
            place,
        )
    if loop.is_for and value is UNDEFINED and label not in loop.targets and not works:
        raise refusal(
            f"{label!r} is first set in this loop and used after it, but the loop may run no "
            "iteration at all",
            f"Set {label!r} before the loop, for example to `{FG}.zeros([])`.",
            place,
            kind=ValueError,
        )
    return True


def leave_results(
    loop: Loop, variables: Variables, after: list, late: dict[int, Slot], outputs: list
) -> None:
    """Leave in the locations what they hold after the loop."""
    state, before, slots = loop.state, variables.before, variables.slots
    guarded = [state.places[i].label for i in late if state.places[i].label != RESULT]
    if guarded:
        text = (
            f"{variables.place}: the loop ran no iteration, so {', '.join(guarded)} was never set"
        )
        ops.Assert(outputs[-1], [text])
    results = list(before)
    for name in loop.targets:
        note_unset(name)
    for i, slot in slots.items():
        if after[i] is not before[i]:
            results[i] = UNDEFINED if after[i] is UNDEFINED else variables.packed(slot, outputs)
            results[i] = variables.joins.join(slot.label, (before[i], after[i]), results[i])
    set_by_now = {i for i in slots if late and after[i] is not before[i]}
    for i, slot in late.items():  # where one is set, there was an iteration
        twin = next((j for j in set_by_now if after[j] is after[i]), None)
        if twin is None:
            made = variables.packed(slot, outputs)
            results[i] = variables.joins.join(slot.label, (after[i],), made)
        else:
            results[i] = results[twin]
        set_by_now.add(i)
    state.write(results)
    if has_variants():
        references.substitute_again()
