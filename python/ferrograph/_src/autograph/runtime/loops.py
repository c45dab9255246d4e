"""``while`` and ``for`` statements: unrolled over plain values, staged over tensors."""

from __future__ import annotations

from collections.abc import Callable

from ... import later, ops, staging
from ...context.ownership import is_own_module
from ...hints import TYPE_CHECKING, Any
from ...staging.errors import UnstageableLoopError
from ...staging.iteration import is_iterated_staged
from ...staging.journal import is_front
from ...staging.late import lists
from ...staging.notes import advanced, in_region
from ...staging.places import say
from ...staging.running import followed
from ...staging.state import State, is_grown
from ...staging.values import is_staged, predicate
from .logic import Thunk, not_
from .names import raise_as_local
from .specials import PLAIN, has_methods, iterated, opened, truth

if TYPE_CHECKING:
    from ...staging import cursors
    from . import shared
else:
    (cursors,) = later(staging.__name__, "cursors")
    (shared,) = later(__package__, "shared")

__all__ = ["followed", "for_stmt", "left", "sets_options", "stopped", "unrolls", "while_stmt"]

_UNTESTED = object()
stopped = type("Stopped", (), {})()  # the test of a loop that a tensor may have left


def sets_options(callee: Any) -> bool:
    """Whether what a program calls ``set_loop_options`` is that function of this package."""
    return is_own_module(getattr(callee, "__module__", None) or "")


def while_stmt(
    test: Thunk,
    body: Thunk,
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    facts: tuple[tuple[str, Any], ...],
    *,
    broke: Thunk | None = None,
    returned: Thunk | None = None,
    options: Thunk | None = None,
    first: Any = _UNTESTED,
) -> None:
    """Run ``body`` while ``test`` holds; staged from the first tensor that ``test`` gives.

    ``first`` is what ``test`` has just given.
    """
    functions = body, test
    try:
        given = test() if first is _UNTESTED else first
        while given is not stopped and not is_staged(going := truth(given)):
            if not going:
                return
            body()
            stop = _stop(broke, returned)
            if is_staged(stop):
                given = stopped
            elif stop:
                return
            else:
                given = test()
        if given is not stopped and type(given) not in PLAIN:
            test = _true(test)
        if given is stopped:
            going = _going_on(test, _stop(broke, returned), dict(facts)["line"], body)
        state = State(names, places, functions).between_iterations()
        loop = staging.Loop(state, broke, returned, options, **dict(facts))
        staging.stage_while(going, test, body, loop)
    except NameError as e:
        raise_as_local(e)
        raise


def _true(test: Thunk) -> Thunk:
    """``test`` with what decides whether its objects are true."""
    return lambda: truth(test())


def _stop(broke: Thunk | None, returned: Thunk | None) -> Any:
    """Whether a loop was left, as Python or as a tensor."""
    found: Any = False
    for left in (broke, returned):
        stop = left is not None and left()
        if is_staged(stop):
            found = stop if found is False else ops.logical_or(found, stop)
        elif stop:
            return True
    return found


def _going_on(test: Thunk, stop: Any, line: int, body: Callable) -> Any:
    """Whether a loop that a tensor may have left goes on: its own test must be a tensor by then."""

    def again() -> Any:
        found = truth(test())
        if not is_staged(found):
            raise _left_on_a_tensor("while", line, body)
        return predicate(found, staging.where(body, line))

    return staging.stage_choice(stop, lambda: False, again, staging.where(body, line))


def for_stmt(
    iterable: Any,
    body: Callable[[Any], None],
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    facts: tuple[tuple[str, Any], ...],
    *,
    broke: Thunk | None = None,
    returned: Thunk | None = None,
    options: Thunk | None = None,
) -> None:
    """Run ``body`` for each element of ``iterable``."""
    try:
        iterable = opened(iterable)
        if is_grown(iterable):
            iterable = lists.elements_of(iterable)
        iterable = iterated(cursors.going_on(iterable))
        if is_iterated_staged(iterable):
            state = State(names, places, (body,)).between_iterations()
            loop = staging.Loop(state, broke, returned, options, **dict(facts))
            staging.stage_for(iterable, body, loop)
        else:
            _unroll(iterable, body, names, places, broke, returned, dict(facts))
    except NameError as e:
        raise_as_local(e)
        raise


def _unroll(
    iterable: Any,
    body: Callable[[Any], None],
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    broke: Thunk | None,
    returned: Thunk | None,
    facts: dict,
) -> None:
    """The loop over a Python iterable."""
    kept = shared.held(iterable, 2) if returned is not None else []
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    elements = iter(followed(iterable))
    for element in elements:
        body(element)
        if broke is not None:
            stop = broke()
            if is_staged(stop):
                raise _left_on_a_tensor("for", facts["line"], body)
            if stop:
                return
        if returned is not None:
            stop = returned()
            if is_staged(stop):
                shared.refuse([], elements, "a `return` in this loop")
                if not kept and isinstance(elements, cursors.Cursor):
                    elements = iter(list(elements))  # whose position nobody sees
                turns = shared.Turns(elements, kept)
                _go_on(turns, returned, body, lambda: State(names, places, (body,)), facts)
                return
            if stop:
                return


def _go_on(
    turns: shared.Turns,
    returned: Thunk,
    body: Callable[[Any], None],
    state: Callable[[], State],
    facts: dict,
) -> None:
    """The rest of a loop that does nothing once the running graph has returned from the function,
    and takes no element either, which the program might see."""
    reached = turns.reached

    def taken() -> None:
        turns.take(body, reached)

    while not turns.is_over:
        if not is_staged(going := not_(returned())):
            return
        line, live = facts["line"], facts["live"]
        staging.stage_if(going, taken, _nothing, state(), line=line, live=live)


def unrolls(iterable: Any) -> bool:
    """Whether Python runs a loop over ``iterable``."""
    if is_iterated_staged(iterable) or is_grown(iterable):
        return False
    if isinstance(iterable, cursors.Cursor) or is_front(iterable):
        return False
    if has_methods(iterable):
        return False
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    return True


def left(kind: str, place: Callable, line: int) -> None:
    """Refuse a loop over Python values that is left on the value of a tensor."""
    raise _left_on_a_tensor(kind, line, place)


def _left_on_a_tensor(kind: str, line: int, body: Callable) -> UnstageableLoopError:
    head = "`while fg.constant(True):`" if kind == "while" else "`for i in fg.range(n):`"
    return UnstageableLoopError(
        say(
            staging.where(body, line),
            f"this `{kind}` loop runs on Python values, so it is unrolled while tracing, but it is "
            "left (`break` or `return`) on the value of a tensor, which is known only when the "
            "graph runs",
            f"Make the loop itself run on a tensor, for example {head}.",
        )
    )


def _nothing() -> None:
    pass
