"""The heap of staged code: objects, their locations, their changes by regions, and the references
to them. Knows no tensors.

The modules are imported lazily.
"""

from .. import later

_LATE = (
    "active_iterators",
    "aliasing",
    "external_effects",
    "invalidated",
    "location",
    "own_attributes",
    "reachable",
    "references",
    "region_log",
    "snapshot",
    "source_location",
    "structure",
    "substitution",
    "trace_context",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
