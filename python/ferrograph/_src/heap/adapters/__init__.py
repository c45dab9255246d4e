"""Type adapters: how the objects of each Python type are copied, compared and restored."""

from ... import later

_LATE = ("memory",)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
