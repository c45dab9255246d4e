"""The heap as staged code sees it: objects and their locations, what a region changed in
them, who refers to them. Knows no tensors.

Each module is imported when a name of it is first asked for.
"""

from .. import later

_LATE = (
    "active_iterators",
    "aliasing",
    "attribute_order",
    "attribute_presence",
    "branch_results",
    "code_names",
    "errors",
    "escaping",
    "finalizers",
    "immutable_holders",
    "invalidated",
    "library_states",
    "location",
    "may_alias",
    "memos",
    "merged_containers",
    "nested",
    "parts",
    "process_settings",
    "pure_reads",
    "reach",
    "reachable",
    "region_log",
    "setters",
    "snapshot",
    "source_location",
    "structure",
    "substitution",
    "trace_context",
    "user_hashing",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
