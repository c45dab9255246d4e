"""``while_loop``: a staged loop made of two functions.

Side effects of its functions on objects from outside are carried as in a ``while`` statement. Those
that cannot be carried stay as tracing left them where no later code reads them, as documented, and
are refused where code of the trace does.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

from ..context import ownership
from ..heap import aliasing, frames
from ..heap.adapters import is_function
from ..heap.adapters.base import cell_contents
from ..heap.invalidated import Invalidated
from ..heap.liveness import is_read
from ..heap.location import Location, State
from ..heap.references import is_lazily_made
from ..heap.source_location import refusal
from ..heap.trace_context import RegionLog
from ..hints import Any
from . import loop_state, merging, retrace, side_effects, write_barriers
from .loop_state import OWN
from .loop_variables import Slot, Variables
from .loops import Loop, boolean, carry, carry_values, check_effects, iterate, leave_results
from .merging import Chosen, GrownList
from .retrace import Memory, RetraceLoop

_WHERE = "while_loop"
_MAX_TRACES = 8


class _WhileLoop:
    """A call of ``while_loop``."""

    def __init__(
        self, condition: Callable, body: Callable, given: list, shapes: list | None, limit: Any
    ):
        self.condition, self.body, self.given, self.shapes = condition, body, given, shapes
        self.options = loop_state.LoopOptions()
        self.options.maximum_iterations = limit
        anchors = users_functions((condition, body))
        self.loop = Loop(State(None, None), None, None, None, line=0, anchors=anchors)

    def slots(self, variables: Variables) -> list[Slot]:
        """A slot for each variable of the call."""
        found = []
        for i, value in enumerate(self.given):
            shapes = self.shapes and loop_state.leaf_shapes(value, self.shapes[i])
            found.append(variables.slot(f"{OWN}{i}", value, shapes or None))
        return found


def users_functions(functions: Iterable[Any]) -> tuple[types.FunctionType, ...]:
    """The functions that are not this package's among some and what they close over: what those of
    the package keep for themselves is not the program's."""
    found: list[types.FunctionType] = []
    pending, seen = list(functions), set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_function(value):
            if ownership.is_own_file(value.__code__.co_filename):
                pending.extend(map(cell_contents, value.__closure__ or ()))
            else:
                found.append(value)
        elif type(value) in (list, tuple):
            pending.extend(value)
        elif callable(value):
            found.append(_holding(value))
    return tuple(found)


def _holding(value: Any) -> Any:
    """A function that reaches an object that can be called."""
    return lambda: value


def stage_while_loop(
    condition: Callable, body: Callable, loop_vars: Any, shapes: list | None, limit: Any
) -> Any:
    """``while_loop`` in a graph."""
    given = list(loop_vars)
    if shapes is not None and len(shapes) != len(given):
        raise ValueError(
            f"while_loop: {len(shapes)} shape_invariants were given for {len(given)} loop variables"
        )
    call, memory = _WhileLoop(condition, body, given, shapes, limit), Memory()
    for _ in range(_MAX_TRACES):
        try:
            with retrace.attempt(memory):
                final = _stage(call, memory)
            break
        except RetraceLoop as again:
            memory.learn(again)
            carry(call.loop.state, again.places)
    else:
        raise refusal(
            "what an iteration of this `while_loop` changes differs each time it is traced",
            "Keep the state of the loop in its loop variables.",
            _WHERE,
        )
    return type(loop_vars)(final) if type(loop_vars) in (list, tuple) else type(loop_vars)(*final)


def _stage(call: _WhileLoop, memory: Memory) -> list:
    """Trace both functions, emit the loop, and leave what else it changes; its last variables."""
    state = call.loop.state
    before = state.read()
    write_barriers.touch_carried(state.places)
    try:
        with Variables(_WHERE, memory, before, call.options) as variables:
            if call.options.maximum_iterations is not None:
                variables.count()
            own = call.slots(variables)
            carry_values(call.loop, variables)
            more, log = _condition(call, own, variables)
            after, reached = _body(call, own, variables, log)
            outputs = variables.emit(more)
    except BaseException:
        state.write(before)
        raise
    leave_results(call.loop, variables, after, {}, outputs)
    aliasing.note(variables.joins, reached, _WHERE)
    return [variables.packed(slot, outputs) for slot in own]


def _condition(call: _WhileLoop, own: list[Slot], variables: Variables) -> tuple[Any, RegionLog]:
    """Trace the condition; whether the loop continues, and what it could reach."""
    inputs, state = variables.inputs[0], call.loop.state
    with variables.condition:
        with side_effects.region(call.loop.anchors, repeats=True, own=state.places) as log:
            state.write(variables.located(inputs))
            more = call.condition(*(variables.packed(slot, inputs) for slot in own))
            more = boolean(more, _WHERE)
        state.write(variables.before)
        if not _is_untouched(log):
            skipped = frozenset(_left_alone(log)) | {place.key for place in state.places}
            for change in side_effects.changes(log, call.loop.anchors, skipped=skipped):
                raise _not_carried(change.place, "the condition changes it")
        if variables.counter is not None:
            more = variables.within_limit(more)
    return more, log


def _body(
    call: _WhileLoop, own: list[Slot], variables: Variables, like: RegionLog
) -> tuple[list, Any]:
    """Trace the body; what the carried locations hold after it, and what it could reach."""
    results: list = []
    inputs = variables.inputs[1]

    def step(_: Any) -> None:
        made = call.body(*(variables.packed(slot, inputs) for slot in own))
        results.extend(made if isinstance(made, (list, tuple)) else [made])

    places = call.loop.state.places
    with side_effects.region(call.loop.anchors, like, repeats=True, own=places) as log:
        after = iterate(call.loop, variables, step)
    reached = log.snapshot
    if len(results) != len(own):
        problem = f"`body` gives {len(results)} values for {len(own)} variables"
        rewrite = "Return one value from `body` for each of `loop_vars`."
        raise refusal(
            problem,
            rewrite,
            _WHERE,
            kind=ValueError,
        )
    if places or not _is_untouched(log):
        check_effects(call.loop, log, variables, _left_alone, _check_carried)
    for slot, value in zip(own, results, strict=True):
        variables.results(slot, value)
    if variables.promotions:
        raise RetraceLoop(promoted=variables.promotions)
    return after, reached


def _check_carried(place: Location, carried: list[Location]) -> None:
    """Refuse the locations that a change makes a loop carry where functions cannot."""
    grown = [isinstance(p, GrownList) for p in carried]
    if any(isinstance(p, Chosen) for p in carried):
        raise _not_carried(place, "an iteration leaves other members in it")
    if any(merging.is_unset(p.get()) for p, grows in zip(carried, grown, strict=True) if not grows):
        raise _not_carried(place, "an iteration sets it first")
    if any(grown) and not frames.is_converted_code():
        raise _not_carried(place, "code that is not converted reads its length")


def _is_untouched(log: RegionLog) -> bool:
    """Whether a region changed nothing that was there before."""
    return not log.iterators and next(side_effects.noted(log), None) is None


def _left_alone(log: RegionLog) -> list[Any]:
    """The keys of locations that stay as tracing left them: the loop cannot carry their changes,
    and they are not read later; or variables are made there, once."""
    noted = [(p, old) for p, old in side_effects.noted(log) if p.key not in log.nested]
    found = [(p, old, p.get()) for p, old in noted]
    changed = [c for c in found if c[1] is not c[2] and type(c[2]) is not Invalidated]
    making = {id(p.owner) for p, old, new in changed if is_lazily_made(old, new)}
    return [
        place.key
        for place, old, new in changed
        if id(place.owner) in making or not (merging.can_carry(place, old, new) or is_read(place))
    ]


def _not_carried(place: Location, reason: str) -> Exception:
    return refusal(
        f"{place.label!r} is changed in this `while_loop` (`map_fn`, `scan` and folds are loops, "
        f"too) and read outside of it, but {reason}: the graph cannot carry it",
        "Make it a loop variable, or set it before the loop.",
        _WHERE,
    )
