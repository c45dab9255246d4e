"""What the operators stage, a function a construct, and all that stands behind them.

Imported when the first construct is met whose operands belong to the graph.
"""

from __future__ import annotations

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
from .loops import Loop, stage_for, stage_while
from .membership import stage_in

__all__ = [
    "Loop",
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
