"""Staging: Python's control flow on tensors becomes the graph's.

Its modules are imported with the first construct whose operands belong to the graph: each when a
name of it is first asked for.
"""

from .. import later

_LATE = (
    "conditional",
    "exceptions",
    "iteration",
    "list_arguments",
    "loop_state",
    "loop_variables",
    "loops",
    "merging",
    "regions",
    "retrace",
    "side_effects",
    "tensor_indexing",
    "tensor_lists",
    "variant_proxies",
    "variants",
    "while_loops",
    "write_barriers",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
