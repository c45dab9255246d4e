"""Which objects code that follows may still read, and who holds them: told from frames, bytecode
and counts of references. The one place that asks the interpreter for these.
"""

from ... import later

_LATE = (
    "counts",
    "frames",
    "holders",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
