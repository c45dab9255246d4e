"""What a symbolic tensor represents: Python scalars, strings, arrays and variables. Lazily
imported.
"""

from .. import later

_LATE = (
    "abstract_value",
    "merged_objects",
    "python_scalars",
    "ranges",
    "values",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
