"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

ALIASES = "a name that branches bind to one object or another loses what else refers to it"
CELLS = "names of the function are missing among the variables of a loop in a handler"

FAULTS: dict[str, str] = {
    "chained maps": ALIASES,
    "lists": "items set by slices and beyond the end in code that both branches share",
    "globals": ALIASES,
    "exceptions": CELLS,
    "texts": ALIASES,
}
