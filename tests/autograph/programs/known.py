"""Families whose programs are not all right yet, with the reason; one that is leaves this table."""

MIXED = "a container that one branch replaces and another changes in place is mixed up"
ALIASES = "a name that branches bind to one object or another loses what else refers to it"
STALE = "C code meets what stands for an object from outside, and says so without the line"
VIEWS = "a copy that is kept for comparing holds on to the memory of an array"
CELLS = "names of the function are missing among the variables of a loop in a handler"

FAULTS: dict[str, str] = {
    "buffers": STALE,
    "arrays of the standard library": VIEWS,
    "counters": MIXED,
    "default dicts": MIXED,
    "ordered dicts": STALE,
    "wrapped containers": ALIASES,
    "chained maps": ALIASES,
    "heaps": STALE,
    "lists": "items set by slices and beyond the end in code that both branches share",
    "dicts": MIXED,
    "dicts of lists": MIXED,
    "sorting": MIXED,
    "properties and attributes": ALIASES,
    "class attributes": ALIASES,
    "dataclasses": "copies of the standard library meet a stale object",
    "globals": ALIASES,
    "calls that change": ALIASES,
    "exceptions": CELLS,
    "texts": ALIASES,
}
