"""Staged conditionals and logical operators."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence

from .. import later, ops
from ..context import ownership
from ..context.thread import Undetermined
from ..heap import frames, liveness, own_attributes, trace_context
from ..heap.adapters import COMPARABLE
from ..heap.location import UNDEFINED, Attribute, Location, State, in_place
from ..heap.source_location import SourceLocation, refusal
from ..heap.trace_context import note_unset
from ..heap.trace_context import thread as _thread
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..symbolic import python_scalars, ranges
from ..symbolic.values import can_be_tensor, is_staged, is_tensor, predicate, truth
from ..values import dtypes
from . import merging, retrace, side_effects, variants
from .regions import Conditional, itself
from .retrace import RetraceForVariables

if TYPE_CHECKING:
    from ..ops import string_ops
else:
    (string_ops,) = later(ops.__name__, "string_ops")

RESULT = "ag__result"
_OUT_OF_BOUNDS = "_ferrograph_out_of_bounds"  # of the error of an index that a tensor does not have
_MARK = "_ferrograph_raised"
_SIDES = ("the `if` branch", "the `else` branch")
_NO_STATE = State(None, None)

Thunk = Callable[[], Any]


def where(function: Callable, line: int | SourceLocation) -> str:
    """The user's file and line, as messages name them; a line may be all of that already."""
    return (
        line
        if line.__class__ is SourceLocation
        else SourceLocation(function.__code__.co_filename, line)
    )


def stage_if(
    test: Any,
    then: Thunk,
    orelse: Thunk,
    state: State,
    *,
    line: int,
    live: tuple[str, ...],
    soft: tuple[str, ...] = (),
    unread: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> None:
    """Trace both branches and leave the merged values in ``state``.

    ``live`` names are read later; ``soft`` ones may be; ``unread[i]`` are those that are not read
    after branch ``i``, which jumps away. Other names keep what they were before. Everything else
    that the branches set is merged too.
    """
    place = where(then, line)
    test = predicate(test, place)
    if retrace.retraces.is_first and (known := ranges.truth(test)) is not None:
        (then if known else orelse)()
        return
    while True:
        conditional = Conditional(test, place, _SIDES)
        try:
            _stage_if(conditional, then, orelse, state, place, live, soft, unread)
        except Undetermined:
            conditional.other_than_left(then, orelse)()
        except RetraceForVariables:
            continue
        return


def _stage_if(
    conditional: Conditional,
    then: Thunk,
    orelse: Thunk,
    state: State,
    place: str,
    live: tuple[str, ...],
    soft: tuple[str, ...],
    unread: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    others = state.places[state.n_names :]
    state = state.names()
    before = state.read()
    with conditional:
        conditional.promotes = True
        functions = then, orelse
        _, after, failed, found = _trace_branches(
            conditional, functions, place, state, before, others
        )
        read = [i for i, spot in enumerate(state.places) if spot.label in (*live, *soft)]
        conditional.note_left({i: side[i] for i in read} for side in after)
        chosen = []
        for i, spot in enumerate(state.places):
            sides = after[0][i], after[1][i]
            needed = spot.label in live
            if not (needed or spot.label in soft):
                continue
            if all(s is before[i] or f for s, f in zip(sides, failed, strict=True)):
                continue
            skipped = tuple(failed[k] or spot.label in unread[k] for k in (0, 1))
            merge = _merge if needed else _merge_soft
            sides = tuple(side_effects.standing([*sides]))
            if merge(conditional, spot.label, sides, skipped, place, (i, before[i])):
                chosen.append(i)
        settle = _merge_changes(conditional, found, place)
        results = conditional.emit()
    for i, result in zip(chosen, results, strict=False):
        before[i] = result
    state.write(before)
    settle(results[len(chosen) :])
    conditional.note_aliases()


def _trace_branches(
    conditional: Conditional,
    functions: tuple[Thunk, Thunk],
    place: str,
    state: State = _NO_STATE,
    before: Sequence = (),
    others: Sequence[Location] = (),
) -> tuple[list, list[list], list[bool], list[list[side_effects.Change]]]:
    """What each branch gives, what ``state`` holds after it, whether it raises, and what else it
    changes. All of that is put back, and the conditional knows it."""
    outcomes, after, found = [], [], []
    direct = frozenset(place.key for place in others)
    names = frozenset(place.key for place in state.places)
    log = None
    for branch, function in zip(conditional.branches, functions, strict=True):
        try:
            with side_effects.region(functions, log, own=state.places) as log:
                _touch(before, others)
                outcomes.append(_trace(branch, function))
            after.append(state.read())
        except Undetermined:
            side_effects.changes(log, functions, direct, names)
            raise
        finally:
            state.write(before)
        found.append(side_effects.changes(log, functions, direct, names))
        conditional.end_branch()
    assert log is not None
    conditional.snapshot = log.snapshot
    (first, error), (second, other) = outcomes
    _raise_both(conditional, error, other)
    failed = [error is not None, other is not None]
    conditional.join_branches(failed)
    if failed[0] != failed[1]:  # what the other one leaves needs no merge
        conditional.lifting = variants.Lifting(conditional, failed.index(False))
    _leave(conditional, found, place)
    return [first, second], after, failed, found


def _leave(conditional: Conditional, found: list[list[side_effects.Change]], place: str) -> None:
    """Tell a conditional what its branches left in containers that they changed in place."""
    if not any(found):
        return
    copied = conditional.copied
    yes, no = (merging.as_left(changes, place, copied) if changes else itself for changes in found)
    conditional.as_left = yes, no
    conditional.contents = [
        {id(c.place.owner): c.new for c in side if c.place.is_whole} for side in found
    ]
    conditional.changed = {id(change.place.owner) for side in found for change in side}
    was = {c.place.key: c.old for side in found for c in side}
    conditional.left = [{**was, **{c.place.key: c.new for c in side}} for side in found]


def _touch(values: Sequence, others: Sequence[Location]) -> None:
    """Note the containers that names hold, which an augmented assignment changes in place."""
    for value in values:
        in_place(value)
    for place in others:
        if place.is_module:
            trace_context.touch(place)


def _merge_changes(
    conditional: Conditional,
    found: list[list[side_effects.Change]],
    place: str,
    fills: bool = False,
) -> Callable[[list], None]:
    """Add to the conditional what its branches change; how to leave the results in their places.

    With ``fills`` a name that one branch alone sets is a placeholder after the other.
    """
    if not any(found) and conditional.lifting is None:
        return lambda results: side_effects.substitute_again()
    sides = [{c.place.key: c for c in changes} for changes in found]
    side_effects.refuse_shadowed([*found[0], *found[1]])
    if all(any(map(_is_new, changes)) for changes in found):
        own_attributes.check_order(found)
    setters: list[Callable[[Iterator], None]] = []
    lifting = conditional.lifting
    if lifting is not None:
        left = found[lifting.side]
        new = side_effects.standing([change.new for change in left])
        setters += [lifting.change(c.place, value) for c, value in zip(left, new, strict=True)]
        sides = [{}, {}]
    for key in {**sides[0], **sides[1]}:
        known = sides[0].get(key) or sides[1][key]
        pair = side_effects.standing(
            [side[key].new if key in side else known.old for side in sides]
        )
        if fills and known.place.key[0] == "cell" and any(p is UNDEFINED for p in pair):
            setters.append(merging.fill(conditional, known.place, pair))
            continue
        if place == "cond" and _is_left_alone(known.place, pair, place):
            continue
        setters.append(merging.merge(conditional, known.place, pair[0], pair[1], place))

    def settle(results: list) -> None:
        rest = iter(results)
        for setter in setters:
            setter(rest)
        side_effects.substitute_again()

    return settle


def _is_new(change: side_effects.Change) -> bool:
    """Whether a branch gives an object an attribute that it did not have."""
    return isinstance(change.place, Attribute) and not change.place.was_own


def _is_left_alone(spot: Location, pair: list, place: str) -> bool:
    """Whether a location stays as the functions given to ``cond`` left it: its values cannot be
    merged, and it is not read afterwards."""
    if merging.can_carry(spot, *pair):
        return False
    if liveness.is_read(spot):
        if isinstance(pair[0], list) and not frames.is_converted_code():
            raise refusal(
                f"{spot.label!r} gets longer in one of the functions of this `cond`, and code that "
                "is not converted reads it afterwards",
                "Return what they make, or let AutoGraph convert the code around it.",
                place,
            )
        return False
    spot.put(pair[1])
    return True


def _trace(branch: Any, function: Thunk) -> tuple[Any, Exception | None]:
    """The result of ``function`` traced into ``branch``; or the exception with which it ends.

    A branch that ends by a ``raise`` statement of converted code fails when it runs, and so does
    one that reads an element which a tensor of known shape does not have: its condition may be what
    keeps it from that.
    """
    _thread.branches.append(branch)
    try:
        with branch:
            try:
                result = function()
                branch.is_traced = True
                return result, None
            except Exception as e:
                if not (getattr(e, _MARK, False) or getattr(e, _OUT_OF_BOUNDS, False)):
                    retrace.mark_left(e)
                    raise
                if isinstance(e, (StopIteration, IndexError)):
                    _thread.n_ends += 1
                if getattr(e, "_ferrograph_said", None) is not branch:
                    ops.Assert(False, _message(e))
                branch.is_traced = True
                return UNDEFINED, e
    finally:
        _thread.branches.pop()


def _message(exception: Exception) -> list:
    """What ``Assert`` shows of an exception that a branch ends with."""
    suffix = _raised_at(exception)
    head, given = f"{type(exception).__name__}: ", exception.args
    own = isinstance(type(exception).__str__, types.FunctionType)
    if own or not any(is_staged(a) for a in given):
        return [f"{head}{exception}{suffix}"]
    if len(given) == 1 and is_tensor(given[0]) and given[0].dtype == dtypes.string:
        return [string_ops.join([head, given[0], suffix])]
    return [head.rstrip(), *_shown(given), suffix.lstrip()]


def _raised_at(exception: Exception) -> str:
    """Where the user's code raised an exception, for its message."""
    found, traceback = "", exception.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not ownership.is_library_file(code.co_filename):
            found = f" (raised at {code.co_filename}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return found


def _raise_both(
    conditional: Conditional, first: Exception | None, second: Exception | None
) -> None:
    """Where every branch raises, so does the conditional.

    No handler may take one for the other; in a branch around it the graph says which it is.
    """
    if first is None or second is None:
        return
    if not _are_alike(first, second):
        retrace.mark_left(first)
        if _thread.branches:
            conditional.emit()
            first._ferrograph_said = _thread.branches[-1]
    raise first


def _are_alike(first: Exception, second: Exception) -> bool:
    """Whether a handler cannot tell two exceptions apart."""
    if type(first) is not type(second) or len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(
        a is b or (type(a) is type(b) and isinstance(a, COMPARABLE) and a == b) for a, b in pairs
    )


def marked(exception: Any) -> Any:
    """``exception``, which a ``raise`` statement throws, recognisable in the branch around it."""
    if not _thread.branches:
        return exception
    if isinstance(exception, type):
        exception = exception()
    if isinstance(exception, Exception):
        mark_raised(exception)
    return exception


def mark_raised(exception: Exception) -> None:
    """Let the staged branch that an exception ends fail with it when the graph runs."""
    setattr(exception, _MARK, True)


def _merge(
    conditional: Conditional,
    label: str,
    sides: tuple,
    unread: tuple[bool, bool],
    place: str,
    was: tuple[Any, Any],
) -> bool:
    """Add one location to the conditional, ``was`` its number and what it held before; False where
    it is to stay as it was."""
    if all(unread):
        return False
    missing = tuple(s is UNDEFINED for s in sides)
    if all(missing):
        conditional.keep(UNDEFINED)
        return True
    flag = sides[1] if unread[0] else sides[0]
    if label.startswith("ag__") and type(flag) is bool and (any(unread) or flag is sides[1]):
        conditional.keep(flag)
        return True
    filled = tuple(u or (m and label == RESULT) for u, m in zip(unread, missing, strict=True))
    if _add_lifted(conditional, _named(label), sides):
        return True
    if any(m and not f for m, f in zip(missing, filled, strict=True)):
        set_in, unset_in = (_SIDES[1], _SIDES[0]) if missing[0] else _SIDES
        raise retrace.unset(
            f"{label!r} is set in {set_in} of this `if` on a tensor but not in {unset_in}, and is "
            "used later",
            "Set it before the `if`, or in both branches.",
            place,
        )
    is_plain = type(sides[0]) is type(sides[1]) is _core.SymbolicTensor
    pair = None if is_plain or any(filled) else merging.objects_left(conditional, was, *sides)
    if pair is not None:
        conditional.grouped(functools.partial(merging.objects, conditional, label, pair, place))
        return True
    conditional.merge(_named(label), sides[0], sides[1], filled)
    return True


def _add_lifted(conditional: Conditional, label: str, sides: Sequence[Any]) -> bool:
    """Add an object that one branch leaves where the other one raises; whether it is one."""
    lifting = conditional.lifting
    if lifting is None:
        return False
    value = sides[lifting.side]
    if value is UNDEFINED or value is None or can_be_tensor(value):
        return False
    conditional.grouped(lambda: lifting.value(label, value))
    return True


def _merge_soft(conditional: Conditional, *given: Any) -> bool:
    """``_merge`` for a name that only a nested function may read: where it cannot, unset it."""
    try:
        return _merge(conditional, *given)
    except (TypeError, ValueError):
        conditional.keep(UNDEFINED)
        note_unset(given[0])
        return True


def _named(label: str) -> str:
    return "the values returned" if label == RESULT else f"the values of {label!r}"


def stage_choice(
    test: Any,
    then: Thunk,
    orelse: Thunk,
    place: str,
    sides: tuple[str, str] = _SIDES,
    merge: Callable | None = None,
) -> Any:
    """``then()`` or ``orelse()``, as the graph decides.

    ``merge`` adds the pair of results to the conditional, and gives how to take what comes out.
    """
    test, merge = predicate(test, place), merge or _merge_results
    if retrace.retraces.is_first and merge is _merge_results:
        known = ranges.truth(test)
        if known is not None:
            return (then if known else orelse)()
    while True:
        conditional = Conditional(test, place, sides)
        try:
            return _stage_choice(conditional, then, orelse, place, merge)
        except Undetermined:
            return conditional.other_than_left(then, orelse)()
        except RetraceForVariables:
            continue


def _merge_results(
    conditional: Conditional, values: list, failed: tuple[bool, bool], place: str
) -> Callable[[Iterator], Any]:
    if not _add_lifted(conditional, "the results", values):
        conditional.merge("the results", values[0], values[1], failed)
    return next


def _stage_choice(
    conditional: Conditional, then: Thunk, orelse: Thunk, place: str, merge: Callable
) -> Any:
    with conditional:
        results, _, failed, found = _trace_branches(conditional, (then, orelse), place)
        values = side_effects.standing(results)
        conditional.note_left({RESULT: value} for value in values)
        take = merge(conditional, values, (failed[0], failed[1]), place)
        settle = _merge_changes(conditional, found, place, fills=True)
        outputs = iter(conditional.emit())
        chosen = take(outputs)
        settle(list(outputs))
    conditional.note_aliases(chosen)
    return chosen


def stage_both(first: Any, rest: Thunk) -> Any:
    """``first and rest()``, where ``rest`` runs only if ``first`` is true."""
    return stage_choice(first, rest, lambda: first, "`and`", ("the right side", "the left side"))


def stage_either(first: Any, rest: Thunk) -> Any:
    """``first or rest()``, where ``rest`` runs only if ``first`` is false."""
    return stage_choice(first, lambda: first, rest, "`or`", ("the left side", "the right side"))


def stage_not(value: Any) -> Any:
    """``not value``."""
    value = truth(_core.convert_to_tensor(value), "`not`")
    value = value if value.shape.rank == 0 else python_scalars.single_element(value, ValueError)
    return python_scalars.mark_truth(ops.logical_not(value))


def rows(value: Any) -> Any:
    """The rows of a tensor where their number is known, else the tensor."""
    shape = value.shape
    if shape.rank and shape.as_list()[0] is not None:
        return ops.unstack(value)
    return value


def stage_assert(test: Any, message: Thunk | None) -> None:
    """Fail when the graph runs and ``test`` is false; ``message`` gives what to show, if any: what
    that does beside is put back, since a program that continues has not done it."""
    if message is None:
        ops.Assert(test, ["assertion failed"])
        return
    with side_effects.region([message]) as made:
        said = _shown(message())
    side_effects.undo(made)
    ops.Assert(test, said)


def _shown(value: Any) -> list:
    """The parts of the message of an ``assert``, or the arguments of an exception, as tensors."""
    if not isinstance(value, (list, tuple)):
        value = (value,)
    return [v if is_staged(v) or isinstance(v, str) else str(v) for v in value]
