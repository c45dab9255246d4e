"""Control flow of ``compat.v1``: the current functions with the old arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.cond import cond as cond_of
from ..control_flow.functional import foldl, foldr, map_fn, scan
from ..control_flow.loops import while_loop as while_loop_of

__all__ = ["cond", "foldl", "foldr", "map_fn", "scan", "while_loop"]


def cond(
    pred: Any,
    true_fn: Callable[..., Any] | None = None,
    false_fn: Callable[..., Any] | None = None,
    strict: bool = False,
    name: Any = None,
    fn1: Callable[..., Any] | None = None,
    fn2: Callable[..., Any] | None = None,
) -> Any:
    """The result of one of two functions; unless ``strict``, one value in a list is the value."""
    found = cond_of(pred, true_fn or fn1, false_fn or fn2, name)
    is_single = type(found) in (list, tuple) and len(found) == 1
    return found[0] if is_single and not strict else found


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Any = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeat ``body`` while ``cond`` holds.

    A single variable comes as itself, unless ``return_same_structure``.
    """
    found = while_loop_of(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    is_single = type(found) in (list, tuple) and len(found) == 1
    return found[0] if is_single and not return_same_structure else found
