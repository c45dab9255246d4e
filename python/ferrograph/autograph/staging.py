"""Conditionals and logic on tensors: from converted code to the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ferrograph as fg

from .branches import Conditional
from .state import UNDEFINED, State
from .values import can_be_tensor, is_eager, is_staged, predicate

__all__ = [
    "is_eager",
    "is_staged",
    "stage_assert",
    "stage_both",
    "stage_choice",
    "stage_either",
    "stage_if",
    "stage_in",
    "stage_not",
    "where",
]

RESULT = "ag__result"
_SIDES = ("the `if` branch", "the `else` branch")

Thunk = Callable[[], Any]


def where(function: Callable, line: int) -> str:
    """The user's file and line, as messages name them."""
    return f"{function.__code__.co_filename}:{line}"


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
    """Trace both branches and leave in ``state`` what the graph chooses.

    ``live`` names are read later; ``soft`` ones may be; ``unread[i]`` are those that nobody reads
    after branch ``i``, which jumps away. Other names keep what they were before.
    """
    place = where(then, line)
    condition = predicate(test, place)
    before = state.read()
    with Conditional(condition, place, _SIDES) as conditional:
        after = [
            _run_branch(b, f, state, before)
            for b, f in zip(conditional.branches, (then, orelse), strict=True)
        ]
        chosen = {}
        for i, spot in enumerate(state.places):
            sides = after[0][i], after[1][i]
            named = i < state.n_names
            if (sides[0] is before[i] and sides[1] is before[i]) or (
                named and spot.label not in live and spot.label not in soft
            ):
                continue
            merge = _merge_soft if named and spot.label not in live else _merge
            skipped = spot.label in unread[0], spot.label in unread[1]
            if merge(conditional, spot.label, sides, skipped, place):
                chosen[i] = len(chosen)
        results = conditional.emit()
    for i, index in chosen.items():
        before[i] = results[index]
    state.write(before)


def _run_branch(branch: Any, function: Thunk, state: State, before: list) -> list:
    """What ``state`` holds after ``function``, traced into ``branch``; ``state`` is put back."""
    try:
        with branch:
            function()
        return state.read()
    finally:
        state.write(before)


def _merge(
    conditional: Conditional, label: str, sides: tuple, unread: tuple[bool, bool], place: str
) -> bool:
    """Add one place to the conditional; False where it is to stay as it was."""
    if all(unread):
        return False
    missing = tuple(s is UNDEFINED for s in sides)
    if all(missing):
        conditional.keep(UNDEFINED)
        return True
    if label.startswith("ag__") and type(sides[0]) is bool and sides[0] is sides[1]:
        conditional.keep(sides[0])
        return True
    filled = tuple(u or (m and label == RESULT) for u, m in zip(unread, missing, strict=True))
    if any(m and not f for m, f in zip(missing, filled, strict=True)):
        set_in, unset_in = (_SIDES[1], _SIDES[0]) if missing[0] else _SIDES
        raise ValueError(
            f"{place}: {label!r} is set in {set_in} of this `if` on a tensor but not in "
            f"{unset_in}, and is used later. Set it before the `if`, or in both branches."
        )
    conditional.merge(_named(label), *sides, filled=filled)
    return True


def _merge_soft(
    conditional: Conditional, label: str, sides: tuple, unread: tuple[bool, bool], place: str
) -> bool:
    """``_merge`` for a name that only a nested function may read: where it cannot, unset it."""
    try:
        return _merge(conditional, label, sides, unread, place)
    except (TypeError, ValueError):
        conditional.keep(UNDEFINED)
        return True


def _named(label: str) -> str:
    return "the values returned" if label == RESULT else f"the values of {label!r}"


def stage_choice(
    test: Any, then: Thunk, orelse: Thunk, place: str, sides: tuple[str, str] = _SIDES
) -> Any:
    """``then()`` or ``orelse()``, as the graph decides."""
    condition = predicate(test, place)
    with Conditional(condition, place, sides) as conditional:
        found = []
        for branch, function in zip(conditional.branches, (then, orelse), strict=True):
            with branch:
                found.append(function())
        conditional.merge("the results", *found)
        return conditional.emit()[0]


def stage_both(first: Any, rest: Thunk) -> Any:
    """``first and rest()``, where ``rest`` runs only if ``first`` is true."""
    return stage_choice(first, rest, lambda: first, "`and`", ("the right side", "the left side"))


def stage_either(first: Any, rest: Thunk) -> Any:
    """``first or rest()``, where ``rest`` runs only if ``first`` is false."""
    return stage_choice(first, lambda: first, rest, "`or`", ("the left side", "the right side"))


def stage_not(value: Any) -> Any:
    """``not value``, elementwise; ValueError where its dtype is not bool."""
    tensor = fg.convert_to_tensor(value)
    if tensor.dtype != fg.bool:
        raise ValueError(f"`not` of a tensor needs dtype bool, got {tensor.dtype.name}")
    return fg.logical_not(tensor)


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    if is_staged(container):
        return fg.reduce_any(fg.equal(container, value))
    found: Any = False
    for element in container:
        if can_be_tensor(element):
            same = fg.reduce_all(fg.equal(value, element))
            found = same if found is False else fg.logical_or(found, same)
    return fg.convert_to_tensor(found)


def stage_assert(test: Any, message: Thunk | None) -> None:
    """Fail when the graph runs and ``test`` is false."""
    data = [message()] if message is not None else ["assertion failed"]
    fg.debugging.Assert(test, data)
