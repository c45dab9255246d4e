"""Views of a finished graph: its operations, its messages, its pictures. Lazily imported."""

from .. import later

_LATE = ("forms", "graph")

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
