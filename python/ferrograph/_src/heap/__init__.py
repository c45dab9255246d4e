"""The heap as staged code sees it: objects and their locations, what a region changed in
them, who refers to them. Knows no tensors.

Each module is imported when a name of it is first asked for.
"""

from .. import later

_LATE = (
    "aliasing",
    "invalidated",
    "location",
    "memos",
    "own_attributes",
    "process_settings",
    "reachable",
    "references",
    "region_log",
    "snapshot",
    "source_location",
    "structure",
    "substitution",
    "trace_context",
    "user_hashing",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
