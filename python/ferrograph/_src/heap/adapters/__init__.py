"""One type adapter a Python type: how its objects are held, compared, told apart and put back."""

from ... import later

_LATE = (
    "arrays",
    "memory",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
