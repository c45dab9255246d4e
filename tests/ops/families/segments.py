"""Sums and other reductions of segments."""

import numpy as np
from table import FLOATS, NUMBERS, REAL, Vary, row

X = Vary(3, 4, low=-1.5, high=1.5, ints=(-4, 5))
# Unsorted and sorted segments, of which the last list leaves out number 1.
UNSORTED, SORTED, GAP = (np.array(s, np.int32) for s in ([1, 0, 1], [0, 0, 1], [0, 2, 2]))


def floor_mean(x):
    """The mean; of integers rounded towards zero."""
    total = x.sum(0)
    if x.dtype.kind not in "iu":
        return total / max(len(x), 1)
    return np.sign(total) * (np.abs(total) // max(len(x), 1))


KINDS = [
    ("Sum", "sum", lambda x: x.sum(0), NUMBERS),
    ("Prod", "prod", lambda x: x.prod(0), NUMBERS),
    ("Max", "max", lambda x: x.max(0), REAL),
    ("Min", "min", lambda x: x.min(0), REAL),
]


def by_segment(x, s, n, reduce):
    return np.stack([reduce(x[s == k]) for k in range(n)])


for op, name, expect, dtypes in KINDS:
    row(
        f"UnsortedSegment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"unsorted_segment_{n}")(x, s, 2),
        [X, UNSORTED],
        lambda x, s, e=expect: by_segment(x, s, 2, e),
        (0,),
        dtypes=dtypes,
        tol=2,
        forms={"int64": [X, UNSORTED.astype(np.int64)], "vector": [X.of(3), SORTED]},
    )
for op, name, expect, dtypes in [*KINDS, ("Mean", "mean", floor_mean, NUMBERS)]:
    row(
        f"Segment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"segment_{n}")(x, s),
        [X, SORTED],
        lambda x, s, e=expect: by_segment(x, s, 2, e),
        (0,),
        dtypes=dtypes,
        tol=2,
        forms={"int64": [X, SORTED.astype(np.int64)], "vector": [X.of(3), SORTED]},
    )
for op, name, neutral in (("Sum", "sum", 0), ("Prod", "prod", 1)):
    row(
        f"UnsortedSegment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"unsorted_segment_{n}")(x, s, 3),
        [X, np.array([2, -1, 2])],
        lambda x, s, e=neutral: np.stack(
            [np.full(x.shape[1], e), np.full(x.shape[1], e), x[0] + x[2] if e == 0 else x[0] * x[2]]
        ),
        (0,),
        dtypes=NUMBERS,
        tol=2,
        forms={"thin": [Vary(3, 0), np.array([2, -1, 2])]},
    )
    row(
        f"UnsortedSegment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"unsorted_segment_{n}")(x, s, 2),
        [Vary(0, 4), np.zeros(0, np.int32)],
        lambda x, s, e=neutral: np.full((2, 4), e),
        (0,),
        dtypes=NUMBERS,
    )
for op, name, missing in (
    ("Sum", "sum", 0),
    ("Prod", "prod", 1),
    ("Mean", "mean", 0),
    ("Max", "max", 0),
    ("Min", "min", 0),
):
    kinds = {"Sum": np.sum, "Prod": np.prod, "Mean": np.mean, "Max": np.max, "Min": np.min}
    row(
        f"Segment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"segment_{n}")(x, s),
        [Vary(3, 2), GAP],
        lambda x, s, m=missing, f=kinds[op]: np.stack(
            [f(x[:1], axis=0), np.full(2, m), f(x[1:], axis=0)]
        ),
        (0,),
        dtypes=FLOATS,
        tol=2,
    )
    row(
        f"Segment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"segment_{n}")(x, s),
        [Vary(0, 2), np.zeros(0, np.int64)],
        lambda x, s: x,
        (0,),
        dtypes=REAL,
    )
