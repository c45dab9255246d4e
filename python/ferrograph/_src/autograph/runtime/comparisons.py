"""Comparisons and membership, in chains too."""

from __future__ import annotations

import operator as python_operators
from typing import Any

from ...staging import conditional, lists
from ...staging.conditional import is_staged
from .logic import Thunk, and_

__all__ = ["compare", "contained"]

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
