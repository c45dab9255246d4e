"""What the operators stage, a function a construct, and all that stands behind them.

Imported when the first construct is met whose operands belong to the graph.
"""

from __future__ import annotations

from ..hints import Any
from .attempts import printed
from .conditional import (
    mark_raised,
    marked,
    rows,
    stage_assert,
    stage_both,
    stage_choice,
    stage_either,
    stage_if,
    stage_not,
    where,
)
from .effects import refuse_opaque
from .late import membership
from .loops import Loop, boolean, stage_for, stage_while

__all__ = [
    "Loop",
    "boolean",
    "mark_raised",
    "marked",
    "printed",
    "refuse_opaque",
    "rows",
    "stage_assert",
    "stage_both",
    "stage_choice",
    "stage_either",
    "stage_for",
    "stage_if",
    "stage_in",
    "stage_not",
    "stage_while",
    "where",
]


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    return membership.stage_in(value, container)
