"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

ALIASES = "a name that branches bind to one object or another loses what else refers to it"
CELLS = "names of the function are missing among the variables of a loop in a handler"

VIEWS = "a view that is still alive keeps an array from getting another length while it is put back"
SHAPES = "an attribute of an array is set that a tensor stands for"

FAULTS: dict[str, str] = {
    "arrays of the standard library": VIEWS,
    "numpy arrays": SHAPES,
    "globals": ALIASES,
    "exceptions": CELLS,
    "texts": ALIASES,
}
