"""The heap as staged code sees it: objects and their locations, what a region changed in
them, who refers to them. Knows no tensors.

Modules that few programs need are imported when a name of theirs is first asked for.
"""

from .. import later

_LATE = (
    "aliasing",
    "attribute_order",
    "attribute_presence",
    "branch_results",
    "escaping",
    "library_states",
    "may_alias",
    "memos",
    "merged_containers",
    "nested",
    "process_settings",
    "parts",
    "pure_reads",
    "reach",
    "user_hashing",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
