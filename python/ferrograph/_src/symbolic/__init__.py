"""What a symbolic tensor stands for: Python numbers, strings, arrays and variables.

Modules that few programs need are imported when a name of theirs is first asked for.
"""

from .. import later

_LATE = (
    "array_aliases",
    "division_checks",
    "identities",
    "merged_arrays",
    "merged_variables",
    "numpy_promotion",
    "origins",
    "scalar_checks",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
