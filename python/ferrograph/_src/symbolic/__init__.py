"""What a symbolic tensor represents: Python numbers, strings, arrays and variables.

Each module is imported when a name of it is first asked for.
"""

from .. import later

_LATE = (
    "array_aliases",
    "division_checks",
    "identities",
    "merged_arrays",
    "merged_variables",
    "numpy_promotion",
    "operand_classes",
    "operands",
    "origins",
    "overflow_checks",
    "provenance",
    "python_numbers",
    "python_strings",
    "scalar_checks",
    "value_ranges",
    "values",
)

globals().update(zip(_LATE, later(__name__, *_LATE), strict=True))
