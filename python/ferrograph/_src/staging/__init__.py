"""Staging: Python's control flow on tensors becomes the graph's.

What the operators stage is imported with the first construct whose operands belong to the graph.
"""

from typing import TYPE_CHECKING

from .. import lazy

if TYPE_CHECKING:
    from .constructs import (
        Loop,
        Method,
        elements_of,
        left_region,
        mark_raised,
        marked,
        perform,
        printed,
        refuse_opaque,
        rows,
        stage_assert,
        stage_both,
        stage_choice,
        stage_either,
        stage_for,
        stage_if,
        stage_in,
        stage_not,
        stage_while,
        where,
    )

_NAMES = (
    "Loop", "Method", "elements_of", "left_region", "mark_raised", "marked", "perform",
    "printed", "refuse_opaque", "rows", "stage_assert", "stage_both", "stage_choice",
    "stage_either", "stage_for", "stage_if", "stage_in", "stage_not", "stage_while", "where",
)  # fmt: skip

__getattr__ = lazy(__name__, dict.fromkeys(_NAMES, "constructs"))
