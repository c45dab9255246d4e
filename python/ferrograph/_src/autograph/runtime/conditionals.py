"""``if`` statements and conditional expressions."""

from __future__ import annotations

from ...heap.location import State
from ...hints import Any
from ...staging import conditional
from ...symbolic.values import is_staged
from .logic import Thunk
from .names import raise_as_local
from .special_methods import truth

__all__ = ["if_exp", "if_stmt"]


def if_stmt(
    test: Any,
    then: Thunk,
    orelse: Thunk | None,
    names: Thunk | tuple[str, ...] | None,
    places: tuple[tuple, ...] | None,
    facts: tuple[tuple[str, Any], ...],
) -> None:
    """Run ``then`` where ``test`` holds, else ``orelse``."""
    try:
        test = truth(test)
        if is_staged(test):
            state = State(names, places, (then, orelse))
            conditional.stage_if(test, then, orelse or _nothing, state, **dict(facts))
        elif test:
            then()
        elif orelse is not None:
            orelse()
    except NameError as e:
        raise_as_local(e)
        raise


def if_exp(test: Any, then: Thunk, orelse: Thunk, *, line: int) -> Any:
    """``then() if test else orelse()``."""
    try:
        test = truth(test)
        if is_staged(test):
            return conditional.stage_choice(test, then, orelse, conditional.where(then, line))
        return then() if test else orelse()
    except NameError as e:
        raise_as_local(e)
        raise


def _nothing() -> None:
    pass
