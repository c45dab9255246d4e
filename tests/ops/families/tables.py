"""Hash tables. Each row empties its table first, so that it may run any number of times."""

from pathlib import Path

import numpy as np
from table import ALL, INTS, Vary, row

KEYS = np.array([b"a", b"b", b"c"], object)
# The last and the first of the keys, and one between them that is not there.
ASKED = np.array([b"c", b"?", b"a"], object)
X = Vary(3)
ROWS_OF_TWO = Vary(3, 2)
MADE_OUTSIDE = "a table is made outside of graphs"


def nothing(x, *shape):
    """Zeros or empty strings."""
    return np.full(shape, b"" if x.dtype == object else 0, x.dtype)


def found(x):
    """The values of ``ASKED`` where ``x`` are those of ``KEYS``."""
    return np.array([x[2], nothing(x, *x.shape[1:]), x[0]], x.dtype)


def mutable(fg, x, *_):
    zero = fg.zeros(x.shape[1:], x.dtype)
    return fg.lookup.experimental.MutableHashTable(fg.string, x.dtype, default_value=zero)


def filled(table, x):
    table.remove(table.export()[0])
    table.insert(KEYS, x)
    return table


def looked_up(fg, table, x):
    filled(table, x)
    return table.lookup(ASKED)


def removed(fg, table, x):
    filled(table, x).remove(ASKED)
    return table.size(), table.lookup(KEYS)


for argument in (X, ROWS_OF_TWO):
    for op in ("LookupTableFindV2", "LookupTableInsertV2"):
        row(op, looked_up, [argument], found, None, dtypes=ALL, state=mutable)
row(
    "LookupTableRemoveV2",
    removed,
    [X],
    lambda x: (1, np.array([nothing(x), x[1], nothing(x)], x.dtype)),
    None,
    dtypes=ALL,
    out=("int64", "T"),
    state=mutable,
)
row(
    "LookupTableSizeV2",
    lambda fg, table, x: filled(table, x).size(),
    [X],
    lambda x: 3,
    dtypes=ALL,
    out="int64",
    state=mutable,
)
row(
    "LookupTableExportV2",
    lambda fg, table, x: filled(table, x).export(),
    [X],
    lambda x: (KEYS, x),
    None,
    dtypes=ALL,
    out=("string", "T"),
    state=mutable,
)


def numbered(fg, table, keys):
    """The values of integers as keys, which were given in another order."""
    table.remove(table.export()[0])
    table.insert(keys[::-1], [3, 2, 1])
    return table.lookup(keys)


row(
    "LookupTableFindV2",
    numbered,
    [Vary(3, values=[5, 7, 9])],
    lambda keys: np.array([1, 2, 3]),
    dtypes=INTS,
    out="int32",
    state=lambda fg, keys: fg.lookup.experimental.MutableHashTable(keys.dtype, fg.int32, 0),
    about="keys",
)


def imported(fg, table, x):
    fg._core.emit("LookupTableImportV2", (table.resource_handle, KEYS, x))
    return table.lookup(ASKED)


row(
    "LookupTableImportV2",
    imported,
    [X],
    found,
    None,
    dtypes=ALL,
    state=mutable,
    hidden="a static table takes one set of contents, which no row that runs again has",
)


def made(op, extra=(), **attrs):
    """A row that makes a table in the graph itself, and looks up in it."""

    def call(fg, x):
        given = {"value_dtype": x.dtype, **attrs}
        if not extra:
            given["key_dtype"] = fg.string
        if "value_shape" in given:
            given["value_shape"] = fg.TensorShape(given["value_shape"])
        handle = fg._core.emit(op, tuple(fg.constant(key) for key in extra), given)
        fg._core.emit("LookupTableImportV2", (handle, KEYS, x))
        shape = given.get("value_shape", fg.TensorShape([]))
        zero = fg.zeros(shape, x.dtype)
        return fg._core.emit("LookupTableFindV2", (handle, ASKED, zero), {"_value_shape": shape})

    x = ROWS_OF_TWO if attrs else X
    row(op, call, [x], found, None, dtypes=ALL, hidden=MADE_OUTSIDE)


made("HashTableV2")
made("MutableHashTableV2")
made("MutableHashTableOfTensorsV2", value_shape=[2])
made("MutableDenseHashTableV2", (b"empty", b"deleted"), value_shape=[2])


def lines(fg, table, path):
    fg._core.emit(
        "InitializeTableFromTextFileV2",
        (table.resource_handle, path),
        {"key_index": -2, "value_index": -1},
    )
    return table.lookup(["AnonymousIteratorV3", "nothing of it"]), table.size() > 100


row(
    "InitializeTableFromTextFileV2",
    lines,
    [np.array(str(Path(__file__).parent.parent / "batching.txt").encode(), object)],
    lambda path: (np.array([0, -1]), True),
    out=("int64", "bool"),
    state=lambda fg, path: fg.lookup.experimental.MutableHashTable(fg.string, fg.int64, -1),
    hidden="a traced function reads files that it knows the names of when it is traced",
)
