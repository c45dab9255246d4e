"""Staging: control flow of Python on tensors becomes control flow of the graph. The modules are
imported lazily, with the first construct whose operands are symbolic.
"""

from .. import later

_LATE = (
    "conditional",
    "iteration",
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
