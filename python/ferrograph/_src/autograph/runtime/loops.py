"""``while`` and ``for`` statements: unrolled over plain values, staged over tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import ops
from ...context.ownership import is_own_module
from ...heap.adapters import NATIVE_VALUES
from ...heap.liveness import followed
from ...heap.location import State, is_grown
from ...heap.source_location import UnstageableLoopError, diagnostic
from ...heap.trace_context import in_region, is_proxy
from ...hints import Any
from ...native import FG
from ...staging import conditional, iteration, loops, tensor_lists
from ...staging.iteration import is_iterated_staged
from ...staging.write_barriers import advanced
from ...symbolic.values import is_staged
from . import shared_iterators
from .logic import Thunk, not_
from .names import raise_as_local
from .special_methods import has_methods, iterated, opened, truth

__all__ = [
    "begun", "followed", "for_stmt", "rest_of_for", "sets_options", "stopped", "unrolls",
    "while_stmt",
]  # fmt: skip

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
        if given is not stopped and type(given) not in NATIVE_VALUES:
            test = _true(test)
        if given is stopped:
            going = _going_on(test, _stop(broke, returned), dict(facts)["line"], body)
        state = State(names, places, functions).between_iterations()
        loop = loops.Loop(state, broke, returned, options, **dict(facts))
        loops.stage_while(going, test, body, loop)
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
    """Whether a loop that a tensor may have left goes on. What its own test says for now, as Python
    or as a tensor, is asked again by the graph, which carries what that reads."""

    def again() -> Any:
        return loops.boolean(truth(test()), conditional.where(body, line))

    return conditional.stage_choice(stop, lambda: False, again, conditional.where(body, line))


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
            iterable = tensor_lists.elements_of(iterable)
        iterable = iterated(iteration.going_on(iterable))
        if is_iterated_staged(iterable):
            state = State(names, places, (body,)).between_iterations()
            loop = loops.Loop(state, broke, returned, options, **dict(facts))
            loops.stage_for(iterable, body, loop)
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
    may_stop = broke is not None or returned is not None
    kept = shared_iterators.held(iterable, 2) if may_stop else []
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    elements = iter(followed(iterable))
    for element in elements:
        body(element)
        if may_stop:
            stop = _stop(broke, returned)
            if is_staged(stop):
                _rest(elements, kept, body, names, places, facts, broke, returned)
                return
            if stop:
                return


def begun(elements: Any) -> Iterator:
    """What a loop that a tensor may leave takes its elements from, one by one."""
    return iter(elements)


def rest_of_for(
    elements: Iterator,
    body: Callable[[Any], None],
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    facts: tuple[tuple[str, Any], ...],
    *,
    broke: Thunk | None = None,
    options: Thunk | None = None,
) -> None:
    """The rest of a loop over the ``elements`` of a Python iterable that Python has run until a
    tensor decided whether it is left."""
    try:
        kept = shared_iterators.held(elements, 3)
        _rest(elements, kept, body, names, places, dict(facts), broke, None)
    except NameError as e:
        raise_as_local(e)
        raise


_MOST_TURNS = 256  # of a loop that a tensor may leave, each under a condition of its own


def _rest(
    elements: Iterator,
    kept: list,
    body: Callable[[Any], None],
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    facts: dict,
    broke: Thunk | None,
    returned: Thunk | None,
) -> None:
    """What follows in a loop over a Python iterable once a tensor may have left it: an iteration
    does nothing when the running graph has left the loop, and takes no element either, which the
    program might see. Each is traced with the element that Python has for it, under a condition of
    its own, so that all values are what they are in plain Python."""
    what = "a `return` in this loop" if returned is not None else "a `break` in this loop"
    shared_iterators.refuse([], elements, what)
    if not kept and isinstance(elements, iteration.Cursor):
        elements = iter(list(elements))  # whose position is not observable
    turns, n = shared_iterators.Turns(elements, kept), 0
    reached = turns.reached

    def taken() -> None:
        turns.take(body, reached)

    while not turns.is_over:
        if not is_staged(going := not_(_stop(broke, returned))):
            return
        if n == _MOST_TURNS:
            raise _too_long(facts["line"], body)
        n += 1
        state = State(names, places, (body,))
        conditional.stage_if(going, taken, _nothing, state, line=facts["line"], live=facts["live"])


def unrolls(iterable: Any) -> bool:
    """Whether Python runs a loop over ``iterable``."""
    if is_iterated_staged(iterable) or is_grown(iterable):
        return False
    if isinstance(iterable, iteration.Cursor) or is_proxy(iterable):
        return False
    if has_methods(iterable):
        return False
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    return True


def _too_long(line: int, body: Callable) -> UnstageableLoopError:
    return UnstageableLoopError(
        diagnostic(
            conditional.where(body, line),
            "this `for` loop iterates over Python values, so it is unrolled while tracing, but it "
            "is left (`break` or `return`) on the value of a tensor, which is known only when the "
            f"graph runs, and {_MOST_TURNS} further iterations have not come to its end",
            f"Make the loop itself run on a tensor, for example `for i in {FG}.range(n):`.",
        )
    )


def _nothing() -> None:
    pass
