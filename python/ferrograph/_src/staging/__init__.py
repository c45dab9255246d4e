"""Staging: Python's control flow on tensors becomes the graph's.

Its modules are imported with the first construct whose operands belong to the graph: each when a
name of it is first asked for.
"""

from .. import later

_LATE = (
    "alias_partition",
    "conditional",
    "contents",
    "elements",
    "exceptions",
    "iteration",
    "iterator_cursors",
    "lazy_variables",
    "lifting",
    "list_arguments",
    "loop_containers",
    "loop_variables",
    "loops",
    "membership",
    "merging",
    "options",
    "regions",
    "replaced_lists",
    "retrace",
    "row_slices",
    "side_effects",
    "tensor_indexing",
    "tensor_lists",
    "unused_reads",
    "variant_proxies",
    "variants",
    "while_loops",
    "write_barriers",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
