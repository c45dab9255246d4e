"""``while_loop``: a staged loop made of two functions.

Side effects of its functions on objects from outside are carried as in a ``while`` statement. Those
that cannot be carried stay as tracing left them where no later code reads them, as documented, and
are refused where code of the trace does.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

from ..context import ownership
from ..heap import frames
from ..heap.adapters.base import cell_contents
from ..heap.adapters.builtin_classes import is_function
from ..heap.invalidated import Invalidated
from ..heap.liveness import is_read
from ..heap.location import Location, State
from ..heap.references import is_lazily_made
from ..heap.source_location import diagnostic
from ..heap.trace_context import RegionLog
from ..hints import Any
from ..values import errors
from . import merging, side_effects
from .loop_state import OWN, leaf_shapes, record_options
from .loops import Loop, boolean, run
from .merging import Chosen, GrownList
from .retrace import Memory

_WHERE = "while_loop"


class _Call(Loop):
    """A call of ``while_loop``."""

    def __init__(self, functions: tuple[Callable, Callable], limit: Any):
        options, anchors = lambda: record_options(limit, ()), users_functions(functions)
        super().__init__(State((), ()), None, None, options, line=0, anchors=anchors)

    def left_alone(self, log: RegionLog) -> frozenset:
        """The keys of locations that stay as tracing left them: the loop cannot carry their
        changes, and they are not read later; or variables are made there, once."""
        noted = [(p, old) for p, old in side_effects.noted(log) if p.key not in log.nested]
        found = [(p, old, p.get()) for p, old in noted]
        changed = [c for c in found if c[1] is not c[2] and type(c[2]) is not Invalidated]
        making = {id(p.owner) for p, old, new in changed if is_lazily_made(old, new)}
        return frozenset(
            place.key
            for place, old, new in changed
            if id(place.owner) in making
            or not (merging.can_carry(place, old, new) or is_read(place))
        )

    def check_carried(self, change: side_effects.Change, places: list[Location]) -> None:
        if any(isinstance(p, Chosen) for p in places):
            raise _not_carried(change.place, "an iteration leaves other members in it")
        if any(not isinstance(p, GrownList) and merging.is_unset(p.get()) for p in places):
            raise _not_carried(change.place, "an iteration sets it first")
        if any(isinstance(p, GrownList) for p in places) and not frames.is_converted_code():
            raise _not_carried(change.place, "code that is not converted reads its length")


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
    call = _Call((condition, body), limit)

    def going(values: list) -> Any:
        own = call.state.places
        with side_effects.region(call.anchors, repeats=True, own=own) as log:
            more = boolean(condition(*values), _WHERE)
        skipped = call.left_alone(log) | {place.key for place in own}
        for change in side_effects.changes(log, call.anchors, skipped=skipped):
            raise _not_carried(change.place, "the condition changes it")
        return more

    def step(values: list) -> list:
        made = body(*values)
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        if len(results) != len(given):
            problem = f"`body` gives {len(results)} values for {len(given)} variables"
            rewrite = "Return one value from `body` for each of `loop_vars`."
            raise ValueError(diagnostic(_WHERE, problem, rewrite))
        return results

    kept = [shapes and leaf_shapes(value, shapes[i]) or None for i, value in enumerate(given)]
    extras = [(f"{OWN}{i}", value, kept[i]) for i, value in enumerate(given)]
    final = run(call, _WHERE, extras, going, step, Memory(), list, lambda: False)
    return type(loop_vars)(final) if type(loop_vars) in (list, tuple) else type(loop_vars)(*final)


def _not_carried(place: Location, reason: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            _WHERE,
            f"{place.label!r} is changed in this `while_loop` (`map_fn`, `scan` and folds are "
            f"loops, too) and read outside of it, but {reason}: the graph cannot carry it",
            "Make it a loop variable, or set it before the loop.",
        )
    )
