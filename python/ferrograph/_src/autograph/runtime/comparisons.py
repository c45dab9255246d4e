"""Comparisons and membership tests, also chained."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from ...context.hooks import hooks
from ...heap.adapters import COMPARED, SEARCHED
from ...heap.trace_context import is_proxy, loud
from ...hints import Any
from ...staging import conditional, tensor_indexing, tensor_lists, variant_proxies
from ...symbolic.values import is_staged
from ...values import errors
from . import equality, shared_iterators
from .arithmetic import compared, same
from .logic import Thunk, and_, not_, or_
from .special_methods import function_of, is_own, iterated, method

__all__ = ["compare", "contained"]

_OPERATORS: dict[str, Callable] = {
    "in": lambda a, b: contained("in", a, b),
    "not_in": lambda a, b: contained("not_in", a, b),
    **{name: functools.partial(compared, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "is_": same,
    "is_not": lambda a, b: not same(a, b),
}


def compare(left: Any, operation: str, right: Thunk, *links: Any) -> Any:
    """A chain such as ``a < b <= c``: an operand is evaluated once, and not after a false link."""
    value = right()
    first = _OPERATORS[operation](left, value)
    return and_(first, lambda: compare(value, *links)) if links else first


def contained(operation: str, value: Any, container: Any) -> Any:
    """``value in container`` and ``value not in container``."""
    if is_proxy(container):
        return variant_proxies.perform(lambda held: contained(operation, value, held), container)
    container = tensor_lists.as_numbers(container)
    if is_own(container) or _are_compared(value, container) or _holds_grown(value, container):
        found = _asked(value, container)
        if found is not NotImplemented:
            return not_(found) if operation == "not_in" else found
    if is_staged(value) or is_staged(container):
        shared_iterators.refuse(shared_iterators.held(container, 1), container, "`in`")
        if shared_iterators.may_act(container):
            found = _among(value, container)
            return not_(found) if operation == "not_in" else found
        found = tensor_indexing.stage_in(value, container)
        return conditional.stage_not(found) if operation == "not_in" else found
    try:
        return value in container if operation == "in" else value not in container
    except errors.OperatorNotAllowedInGraphError:
        if type(container) not in SEARCHED:
            raise
    found = _among(value, iter(container))
    return not_(found) if operation == "not_in" else found


def _are_compared(value: Any, container: Any) -> bool:
    """Whether a user-defined method compares a value with the elements of a list or tuple."""
    if type(container) not in SEARCHED:
        return False
    return any(function_of(type(v), "__eq__") for v in (value, *container))


def _holds_grown(value: Any, container: Any) -> bool:
    """Whether a list that the graph grows is compared with the elements of a container."""
    if not (loud and type(container) in SEARCHED):
        return False
    return any(map(equality.holds_grown, (value, *container)))


def _asked(value: Any, container: Any) -> Any:
    """``value in container`` by the methods of user-defined classes; NotImplemented without
    them."""
    contains = method(container, "__contains__")
    if contains is not None:
        return hooks.callee(bool)(contains(value))
    is_opaque = hasattr(type(container), "__contains__") and type(container) not in SEARCHED
    if is_opaque:
        return NotImplemented
    return _among(value, iter(iterated(container)))


def _rest(value: Any, elements: list) -> Thunk:
    return lambda: _among(value, iter(elements))


def _going_on(value: Any, found: Any, elements: Iterator) -> Any:
    """Whether one of the elements behind is ``value``, unless one was ``found``; each is taken
    where that is reached."""
    turns = shared_iterators.Turns(elements, [])
    reached = turns.reached

    def taken() -> Any:
        ended = False if reached is not None else None
        return turns.take(lambda v: v is value or _equal(v, value), ended)

    return shared_iterators.going_on(turns, found, or_, taken)


def _equal(element: Any, value: Any) -> Any:
    if isinstance(element, COMPARED) and isinstance(value, COMPARED):
        found = equality.of_contents("eq", element, value)
        if found is not NotImplemented:
            return found
    return compared("eq", element, value)


def _among(value: Any, elements: Any) -> Any:
    """Whether one of the elements is ``value``, or equals it."""
    for element in elements:
        same = element is value or _equal(element, value)
        if is_staged(same) and shared_iterators.may_act(elements):
            return _going_on(value, same, elements)
        if is_staged(same):
            return or_(same, _rest(value, list(elements)))  # whose iterator no branch advances
        if same:
            return True
    return False
