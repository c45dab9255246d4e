"""The heap of staged code: objects, their locations, their changes by regions, and the references
to them. Knows no tensors.

The modules are imported lazily.
"""

from .. import later

_LATE = (
    "aliasing",
    "external_effects",
    "frames",
    "invalidated",
    "liveness",
    "location",
    "own_attributes",
    "reachable",
    "references",
    "snapshot",
    "source_location",
    "structure",
    "trace_context",
    "walk",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
