"""One type adapter a Python type: how its objects are held, compared, told apart and put back."""

from ... import later

_LATE = ("memory",)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
