"""What converted code calls: each operator looks at its operands, and does as Python or stages.

Staging happens where a condition or an iterable is a tensor of the graph under construction, or any
tensor or variable while a graph is under construction. Everything else takes the plain Python path,
with Python's own evaluation order and short circuits.
"""

from __future__ import annotations

import operator as python_operators
import sys
import types
from collections.abc import Callable
from typing import Any

from ... import ops
from ...staging import conditional, lists, loops
from ...staging.conditional import is_staged
from ...staging.effects import (
    advanced,
    bound,
    cells,
    container,
    fresh,
    in_place,
    in_region,
    names_of_module,
    owner,
)
from ...staging.errors import UnstageableLoopError
from ...staging.iteration import has_elements, is_iterated_staged
from ...staging.lists import loaded
from ...staging.places import here, say
from ...staging.state import State, attribute, global_name, item
from ...values import errors
from ...values.errors import OperatorNotAllowedInGraphError
from .callees import fn
from .logic import Thunk, and_, not_, or_
from .matching import match

__all__ = [
    "stopped",
    "unrolls",
    "plain",
    "left",
    "match",
    "certain",
    "catching",
    "owner",
    "names_of_module",
    "loaded",
    "in_place",
    "fresh",
    "container",
    "cells",
    "and_",
    "assert_stmt",
    "attribute",
    "bind",
    "compare",
    "contained",
    "elements",
    "fn",
    "for_stmt",
    "global_name",
    "if_exp",
    "if_stmt",
    "item",
    "not_",
    "or_",
    "raised",
    "unpacked",
    "while_stmt",
]

_UNTESTED = object()
stopped = type("Stopped", (), {})()  # the test of a loop that a tensor may have left


def if_stmt(
    test: Any,
    then: Thunk,
    orelse: Thunk | None,
    names: Thunk | None,
    places: Thunk | None,
    **facts: Any,
) -> None:
    """Run ``then`` where ``test`` holds, else ``orelse``."""
    try:
        if type(test) is list:
            test = lists.truth(test)
        if is_staged(test):
            conditional.stage_if(test, then, orelse or _nothing, State(names, places), **facts)
        elif test:
            then()
        elif orelse is not None:
            orelse()
    except NameError as e:
        _raise_as_local(e)
        raise


plain = frozenset({bool, int, float, str, bytes, type(None), tuple, dict, set, frozenset})


def unrolls(iterable: Any) -> bool:
    """Whether Python runs a loop over ``iterable``."""
    if is_iterated_staged(iterable) or lists.is_grown(iterable):
        return False
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    return True


def left(kind: str, place: Callable, line: int) -> None:
    """Refuse a loop over Python values that is left on the value of a tensor."""
    raise _left_on_a_tensor(kind, line, place)


def while_stmt(
    test: Thunk,
    body: Thunk,
    names: Thunk | None,
    places: Thunk | None,
    *,
    broke: Thunk | None = None,
    returned: Thunk | None = None,
    options: Thunk | None = None,
    first: Any = _UNTESTED,
    **facts: Any,
) -> None:
    """Run ``body`` while ``test`` holds; staged from the first tensor that ``test`` gives.

    ``first`` is what ``test`` has just given.
    """
    try:
        given = test() if first is _UNTESTED else first
        while given is not stopped and not is_staged(going := lists.truth(given)):
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
        if given is stopped:
            going = _going_on(test, _stop(broke, returned), facts["line"], body)
        loop = loops.Loop(State(names, places), broke, returned, options, **facts)
        loops.stage_while(going, test, body, loop)
    except NameError as e:
        _raise_as_local(e)
        raise


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
        found = lists.truth(test())
        if not is_staged(found):
            raise _left_on_a_tensor("while", line, body)
        return conditional.predicate(found, conditional.where(body, line))

    return conditional.stage_choice(stop, lambda: False, again, conditional.where(body, line))


def for_stmt(
    iterable: Any,
    body: Callable[[Any], None],
    names: Thunk | None,
    places: Thunk | None,
    *,
    broke: Thunk | None = None,
    returned: Thunk | None = None,
    options: Thunk | None = None,
    **facts: Any,
) -> None:
    """Run ``body`` for each element of ``iterable``."""
    try:
        iterable = lists.elements_of(iterable)
        if is_iterated_staged(iterable):
            loop = loops.Loop(State(names, places), broke, returned, options, **facts)
            loops.stage_for(iterable, body, loop)
        else:
            _unroll(iterable, body, names, places, broke, returned, facts)
    except NameError as e:
        _raise_as_local(e)
        raise


def _unroll(
    iterable: Any,
    body: Callable[[Any], None],
    names: Thunk | None,
    places: Thunk | None,
    broke: Thunk | None,
    returned: Thunk | None,
    facts: dict,
) -> None:
    """The loop over a Python iterable."""
    step = body
    if in_region() and hasattr(iterable, "__next__"):
        advanced(iterable)
    for element in iterable:
        step(element)
        if broke is not None:
            stop = broke()
            if is_staged(stop):
                raise _left_on_a_tensor("for", facts["line"], body)
            if stop:
                return
        if returned is not None:
            stop = returned()
            if is_staged(stop):
                step = _unless(returned, body, names, places, facts)
            elif stop:
                return


def _unless(
    returned: Thunk,
    body: Callable[[Any], None],
    names: Thunk | None,
    places: Thunk | None,
    facts: dict,
) -> Callable[[Any], None]:
    """A ``body`` that does nothing once the running graph has returned from the function."""

    def step(element: Any) -> None:
        state = State(names, places)
        live = facts["live"]
        conditional.stage_if(
            not_(returned()), lambda: body(element), _nothing, state, line=facts["line"], live=live
        )

    return step


def _left_on_a_tensor(kind: str, line: int, body: Callable) -> UnstageableLoopError:
    head = "`while fg.constant(True):`" if kind == "while" else "`for i in fg.range(n):`"
    return UnstageableLoopError(
        say(
            conditional.where(body, line),
            f"this `{kind}` loop runs on Python values, so it is unrolled while tracing, but it is "
            "left (`break` or `return`) on the value of a tensor, which is known only when the "
            "graph runs",
            f"Make the loop itself run on a tensor, for example {head}.",
        )
    )


def _nothing() -> None:
    pass


def _raise_as_local(e: NameError) -> None:
    """Raise ``e`` as an UnboundLocalError where the name belongs to the operator's caller."""
    name = getattr(e, "name", None)
    if type(e) is not NameError or name not in sys._getframe(2).f_code.co_cellvars:
        return
    if sys.version_info >= (3, 11):
        text = f"cannot access local variable {name!r} where it is not associated with a value"
    else:
        text = f"local variable {name!r} referenced before assignment"
    raise UnboundLocalError(text).with_traceback(e.__traceback__) from None


def if_exp(test: Any, then: Thunk, orelse: Thunk, *, line: int) -> Any:
    """``then() if test else orelse()``."""
    try:
        if type(test) is list:
            test = lists.truth(test)
        if is_staged(test):
            return conditional.stage_choice(test, then, orelse, conditional.where(then, line))
        return then() if test else orelse()
    except NameError as e:
        _raise_as_local(e)
        raise


_OPERATORS = {
    "in": lambda a, b: contained("in", a, b),
    "not_in": lambda a, b: contained("not_in", a, b),
    **{
        name: getattr(python_operators, name)
        for name in ("eq", "ne", "lt", "le", "gt", "ge", "is_", "is_not")
    },
}


def compare(left: Any, operation: str, right: Thunk, *links: Any) -> Any:
    """A chain such as ``a < b <= c``: an operand is evaluated once, and not after a false link."""
    value = right()
    first = _OPERATORS[operation](left, value)
    return and_(first, lambda: compare(value, *links)) if links else first


def contained(operation: str, value: Any, container: Any) -> Any:
    """``value in container`` and ``value not in container``."""
    container = lists.as_tensors(container)
    if is_staged(value) or is_staged(container):
        found = conditional.stage_in(value, container)
        return conditional.stage_not(found) if operation == "not_in" else found
    return value in container if operation == "in" else value not in container


def bind(cell: Thunk, value: Any) -> Any:
    """``(name := value)`` where ``cell`` is ``lambda: name``."""
    if cell.__closure__:
        bound(cell.__closure__[0], cell.__code__.co_freevars[0])
        cell.__closure__[0].cell_contents = value
    else:
        cell.__globals__[cell.__code__.co_names[0]] = value
    return value


def elements(iterable: Any) -> Any:
    """``iterable`` as a comprehension runs over it: a tensor of known length as its rows."""
    if has_elements(iterable):
        raise OperatorNotAllowedInGraphError(
            "a comprehension over a dataset would never end while a function is traced: write a "
            "`for` statement that fills a TensorArray, or use `dataset.map`"
        )
    iterable = lists.elements_of(iterable)
    return conditional.rows(iterable) if is_staged(iterable) else iterable


def unpacked(value: Any, pattern: tuple) -> Any:
    """``value`` as it unpacks into targets nested like ``pattern``: tensors as their rows."""
    if value.__class__ is tuple and not any(pattern):
        return value
    if is_staged(value):
        value = conditional.rows(value)
    fits = isinstance(value, (list, tuple)) and len(value) == len(pattern)
    if not fits or not any(pattern):
        return value
    return [unpacked(v, p) if p else v for v, p in zip(value, pattern, strict=True)]


def certain(test: Any, what: str) -> Any:
    """``test`` of something that Python alone can do; StagingError where it is a tensor."""
    test = lists.truth(test)
    if is_staged(test):
        raise errors.StagingError(
            say(
                here(),
                f"{what} is decided by a tensor, which has no value while the function is traced",
                "Write a `for` statement with an `if` statement in it, which appends to a list, or "
                "choose between values with `a if test else b`.",
            )
        )
    return test


def catching(kinds: Any) -> Any:
    """What an ``except`` clause catches: nothing of what left a staged branch or loop."""
    return () if conditional.left_region(sys.exc_info()[1]) else kinds


def raised(exception: Any) -> Any:
    """``exception`` as a ``raise`` statement gets it."""
    return conditional.marked(exception)


def assert_stmt(test: Any, message: Thunk | None, *, line: int) -> None:
    """``assert test, message``: of a tensor it is checked when the graph runs."""
    if is_staged(test):
        conditional.stage_assert(test, message)
    elif not test:
        raise AssertionError(message()) if message is not None else AssertionError()


def without_callees() -> Any:
    """The operators for code whose callees stay as they are."""
    chosen = {name: globals()[name] for name in __all__}
    chosen["fn"] = lambda callee: callee
    return types.SimpleNamespace(**chosen)
