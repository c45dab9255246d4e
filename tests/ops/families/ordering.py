"""Sorting, searching, picking out."""

import numpy as np
from table import PLAIN, REAL, WRITTEN, Vary, row

for index in (np.int32, np.int64):
    row(
        "InvertPermutation",
        lambda fg, x: fg.math.invert_permutation(x),
        [np.array([2, 0, 1], index)],
        np.argsort,
        out=np.dtype(index).name,
        empty=[np.zeros(0, index)],
    )


def found(side):
    def expect(x, v):
        n = int(np.prod(v.shape[:-1]))
        pairs = zip(x.reshape(n, x.shape[-1]), v.reshape(n, v.shape[-1]), strict=True)
        return np.stack([np.searchsorted(a, b, side) for a, b in pairs]).reshape(v.shape)

    return expect


for op, side in (("LowerBound", "left"), ("UpperBound", "right")):
    for out in ("int32", "int64"):
        row(
            op,
            lambda fg, x, v, s=side, o=out: fg.searchsorted(x, v, s, getattr(fg, o)),
            [
                Vary(values=[[1, 3, 3, 5], [0, 0, 7, 9]]),
                Vary(values=[[3, 9, 0, 1, 5], [0, 0, 8, 9, 100]]),
            ],
            found(side),
            dtypes=REAL,
            out=out,
            empty=[Vary(2, 0), Vary(2, 3)],
        )
    row(
        op,
        lambda fg, x, v, s=side: fg.searchsorted(x, v, s),
        [Vary(values=[1, 3, 3, 5]), Vary(values=[3, 9, 0])],
        found(side),
        dtypes=REAL,
        out="int32",
        empty=[Vary(0), Vary(3)],
        forms={"cube": [Vary(values=[[[1, 3], [2, 4]]]), Vary(values=[[[3], [3]]])]},
    )
row(
    "Where",
    lambda fg, c: fg.where(c),
    [Vary(3, 4, ints=(-1, 2))],
    lambda c: np.argwhere(c),
    dtypes=PLAIN,
    out="int64",
    empty=[Vary(0, 4)],
)
row(
    "TopKV2",
    lambda fg, x: tuple(fg.math.top_k(x, 2)),
    [Vary(3, 4, ints=(-4, 5))],
    lambda x: (
        np.take_along_axis(x, order(x)[:, :2], 1),
        order(x)[:, :2],
    ),
    (0,),
    dtypes=REAL,
    out=("T", "int32"),
    empty=[Vary(0, 4)],
)
for size in ((3, 4), (9,)):
    row(
        "BottomK",
        lambda fg, x: (fg.sort(x), fg.argsort(x)),
        [Vary(*size, ints=(-4, 5))],
        lambda x: (np.sort(x), np.argsort(x, kind="stable").astype(np.int32)),
        (0,),
        dtypes=REAL,
        out=("T", "int32"),
        empty=[Vary(0, size[-1])],
    )
row(
    "TopKV2",
    lambda fg, x: tuple(fg.math.top_k(x, 9)),
    [Vary(9, ints=(-2, 3))],
    lambda x: (x[order(x)], order(x)),
    (0,),
    dtypes=REAL,
    out=("T", "int32"),
)


def order(x):
    """The places from the greatest down, the earlier of equal ones first."""
    if x.dtype.kind == "u":
        x = x.astype(np.float64)
    return np.argsort(-x, -1, kind="stable")


def distinct(x):
    """The values in the order of their first place, and where each place has its own."""
    values = list(dict.fromkeys(x.tolist()))
    places = [values.index(v) for v in x.tolist()]
    counts = [places.count(i) for i in range(len(values))]
    return np.array(values, x.dtype), np.array(places, np.int64), np.array(counts, np.int64)


for out in ("int32", "int64"):
    row(
        "Unique",
        lambda fg, x, o=out: tuple(fg.unique(x, getattr(fg, o))),
        [Vary(9, low=-1.0, high=1.0, ints=(-2, 3))],
        lambda x: distinct(x)[:2],
        (0,),
        dtypes=WRITTEN,
        out=("T", out),
        empty=[Vary(0)],
    )
    row(
        "UniqueWithCounts",
        lambda fg, x, o=out: tuple(fg.unique_with_counts(x, getattr(fg, o))),
        [Vary(9, low=-1.0, high=1.0, ints=(-2, 3))],
        distinct,
        (0,),
        dtypes=WRITTEN,
        out=("T", out, out),
        empty=[Vary(0)],
    )
    row(
        "Unique",
        lambda fg, x, o=out: tuple(fg.unique(x, getattr(fg, o))),
        [np.array([4, 1, 4, 2, 1], np.int32)],
        lambda x: distinct(x)[:2],
        out=("int32", out),
    )
