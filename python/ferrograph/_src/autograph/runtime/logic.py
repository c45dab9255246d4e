"""``and``, ``or`` and ``not`` of converted code, lazy also when the graph runs."""

from __future__ import annotations

from collections.abc import Callable

from ...hints import Any
from ...staging import conditional
from ...symbolic.values import is_staged
from .special_methods import truth

__all__ = ["Thunk", "and_", "not_", "or_"]

Thunk = Callable[[], Any]


def and_(first: Any, *others: Thunk) -> Any:
    """``first and other() and ...``, lazily, also when the graph runs."""
    return _lazily(
        first, others, lambda value, rest: conditional.stage_both(value, rest), stop_on=False
    )


def or_(first: Any, *others: Thunk) -> Any:
    """``first or other() or ...``, lazily, also when the graph runs."""
    return _lazily(
        first, others, lambda value, rest: conditional.stage_either(value, rest), stop_on=True
    )


def _lazily(value: Any, others: tuple[Thunk, ...], stage: Callable, stop_on: bool) -> Any:
    for i, other in enumerate(others):
        if is_staged(value):
            return _staged_rest(value, others[i:], stage, stop_on)
        decides = truth(value)
        if decides is not value and is_staged(decides):
            return _chosen(value, decides, others[i:], stop_on)
        if bool(decides) is stop_on:
            return value
        value = other()
    return value


def _chosen(value: Any, decides: Any, others: tuple[Thunk, ...], stop_on: bool) -> Any:
    """The same where a method of the class of ``value`` gave the tensor that ``decides``."""

    def rest() -> Any:
        return (or_ if stop_on else and_)(others[0](), *others[1:])

    sides = (lambda: value, rest) if stop_on else (rest, lambda: value)
    return conditional.stage_choice(decides, *sides, "`or`" if stop_on else "`and`")


_MOST_NESTED = 16


def _staged_rest(value: Any, others: tuple[Thunk, ...], stage: Callable, stop_on: bool) -> Any:
    """The rest within the branch that decides whether it is asked for; of many, which would nest
    too deep, one after the other: ``a and (b and c)`` is ``(a and b) and c``."""
    if len(others) > _MOST_NESTED:
        for other in others:
            value = stage(value, other)
        return value
    return stage(value, lambda: _lazily(others[0](), others[1:], stage, stop_on))


def not_(value: Any) -> Any:
    """``not value``."""
    value = truth(value)
    return conditional.stage_not(value) if is_staged(value) else not value
