"""What a symbolic tensor represents: Python numbers, strings, arrays and variables.

Each module is imported when a name of it is first asked for.
"""

from .. import later

_LATE = (
    "aliases",
    "merged_values",
    "numpy_promotion",
    "python_scalars",
    "ranges",
    "values",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
