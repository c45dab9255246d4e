"""The heap of staged code: objects, their locations, their changes by regions, and the references
to them. Knows no tensors.

The modules are imported lazily.
"""

from .. import later

_LATE = (
    "aliasing",
    "frames",
    "invalidated",
    "liveness",
    "location",
    "memos",
    "own_attributes",
    "process_settings",
    "reachable",
    "references",
    "snapshot",
    "source_location",
    "structure",
    "trace_context",
    "user_hashing",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
