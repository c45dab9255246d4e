"""Staging: Python's control flow on tensors becomes the graph's.

What the operators stage is imported with the first construct whose operands belong to the graph.
"""

from .. import lazy
from ..hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .constructs import (
        Loop,
        boolean,
        mark_raised,
        marked,
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
    from .elements import elements_of
    from .failures import may_handle
    from .fronts import Method, perform
    from .function_def import function_def
    from .graph import Graph
    from .outside import takes_no_choice
    from .pictures import to_dot, to_html
    from .standing import can_stand_in, is_alone, stand_in, stand_in_again

_CONSTRUCTS = (
    "Loop", "boolean", "mark_raised", "marked", "printed", "refuse_opaque", "rows",
    "stage_assert", "stage_both", "stage_choice", "stage_either", "stage_for", "stage_if",
    "stage_in", "stage_not", "stage_while", "where",
)  # fmt: skip

__getattr__ = lazy(
    __name__,
    {
        **dict.fromkeys(_CONSTRUCTS, "constructs"),
        "elements_of": "elements",
        "may_handle": "failures",
        **dict.fromkeys(("Method", "perform"), "fronts"),
        "function_def": "function_def",
        "Graph": "graph",
        **dict.fromkeys(("to_dot", "to_html"), "pictures"),
        **dict.fromkeys(("can_stand_in", "is_alone", "stand_in", "stand_in_again"), "standing"),
        "takes_no_choice": "outside",
    },
)
