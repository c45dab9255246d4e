"""Liveness: which objects later code may still read, and what refers to them, found from frames,
bytecode and reference counts. Only this package reads these from the interpreter.
"""

from ... import later

_LATE = (
    "counts",
    "frames",
    "holders",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
