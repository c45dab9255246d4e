"""Slices, gathers and scatters."""

import operator

import numpy as np
from table import ALL, NUMBERS, REAL, Vary, row

X = Vary(3, 4)
INDEX = np.array([2, 0, 2], np.int32)
PLACES = np.array([[0, 1], [2, 3], [0, 1]], np.int32)
NO_INDEX, NO_PLACES = np.zeros(0, np.int32), np.zeros((0, 2), np.int32)

row(
    "Slice",
    lambda fg, x: fg.slice(x, [1, 0], [2, -1]),
    [X],
    lambda x: x[1:],
    (0,),
    dtypes=ALL,
    empty=[Vary(3, 0)],
)
row(
    "Slice",
    lambda fg, x, b: fg.slice(x, b, [2, 2]),
    [X, np.array([0, 1], np.int64)],
    lambda x, b: x[:2, 1:3],
    (0,),
    dtypes=ALL,
)
KEYS = (
    np.s_[1],
    np.s_[-1, 1:],
    np.s_[::2, ::-1],
    np.s_[..., 2],
    np.s_[:, None, 1:3],
    np.s_[-2:, :-1],
    np.s_[2:1],
    np.s_[1, 2],
    np.s_[::-2, 3:0:-2],
)
for key in KEYS:
    row(
        "StridedSlice",
        lambda fg, x, k=key: x[k],
        [X],
        lambda x, k=key: np.asarray(x[k], x.dtype),
        (0,),
        dtypes=ALL,
    )
row("StridedSlice", lambda fg, x: x[1:, ::2], [Vary(3, 0)], lambda x: x[1:, ::2], (0,), dtypes=ALL)
row(
    "StridedSlice",
    lambda fg, x, i: x[i : i + 2, i],
    [X, np.int32(1)],
    lambda x, i: x[1:3, 1],
    (0,),
    dtypes=ALL,
)
for axis in (0, 1, -1):
    row(
        "GatherV2",
        lambda fg, x, i, a=axis: fg.gather(x, i, axis=a),
        [X, INDEX],
        lambda x, i, a=axis: np.take(x, i, a),
        (0,),
        dtypes=ALL,
        empty=[X, NO_INDEX],
        scalar=[X, np.int64(1)],
        forms={"matrix": [X, INDEX.reshape(3, 1).astype(np.int64)]},
    )
row(
    "GatherV2",
    lambda fg, x, i: fg.gather(x, i, batch_dims=1),
    [X, np.array([[0, 3], [1, 1], [2, 0]], np.int32)],
    lambda x, i: np.take_along_axis(x, i, 1),
    (0,),
    dtypes=ALL,
    empty=[Vary(0, 4), np.zeros((0, 2), np.int32)],
)
row(
    "GatherNd",
    lambda fg, x, i: fg.gather_nd(x, i),
    [X, PLACES],
    lambda x, i: x[i[:, 0], i[:, 1]],
    (0,),
    dtypes=ALL,
    empty=[X, NO_PLACES],
)
row(
    "GatherNd",
    lambda fg, x, i: fg.gather_nd(x, i),
    [X, np.array([[2], [0]], np.int64)],
    lambda x, i: x[i[:, 0]],
    (0,),
    dtypes=ALL,
)
row(
    "GatherNd",
    lambda fg, x, i: fg.gather_nd(x, i, batch_dims=1),
    [X, np.array([[2], [0], [1]], np.int32)],
    lambda x, i: np.take_along_axis(x, i, 1)[:, 0],
    (0,),
    dtypes=ALL,
)


def scattered(x, i, u, how):
    x = x.copy()
    for place, value in zip(i, u, strict=True):
        x[tuple(place)] = how(x[tuple(place)], value)
    return x


def newest(old, new):
    return new


def nothing(shape, like):
    """Zeros; empty strings among strings."""
    return np.full(shape, b"" if like.dtype == object else 0, like.dtype)


for index in (np.int32, np.int64):
    row(
        "ScatterNd",
        lambda fg, i, u: fg.scatter_nd(i, u, [3, 4]),
        [PLACES.astype(index), Vary(3, low=-1.0, high=1.0)],
        lambda i, u: scattered(nothing((3, 4), u), i, u, operator.add),
        (1,),
        dtypes=(*NUMBERS, "string"),
        empty=[NO_PLACES.astype(index), Vary(0)],
    )
row(
    "ScatterNd",
    lambda fg, i, u: fg.scatter_nd(i, u, [3, 4]),
    [PLACES[:2], Vary(2)],
    lambda i, u: scattered(nothing((3, 4), u), i, u, newest),
    dtypes=("bool",),
)
row(
    "ScatterNd",
    lambda fg, i, u: fg.scatter_nd(i, u, [3, 2]),
    [np.array([[2], [0]], np.int32), Vary(2, 2)],
    lambda i, u: scattered(nothing((3, 2), u), i, u, newest),
    (1,),
    dtypes=(*NUMBERS, "string", "bool"),
)
for op, name, how, dtypes in [
    ("TensorScatterUpdate", "update", newest, ALL),
    ("TensorScatterAdd", "add", np.add, NUMBERS),
    ("TensorScatterSub", "sub", np.subtract, NUMBERS),
    ("TensorScatterMax", "max", np.maximum, REAL),
    ("TensorScatterMin", "min", np.minimum, REAL),
]:
    row(
        op,
        lambda fg, x, i, u, n=name: getattr(fg, f"tensor_scatter_nd_{n}")(x, i, u),
        [X, PLACES[:2], Vary(2, seed=2)],
        lambda x, i, u, h=how: scattered(x, i, u, h),
        (0, 2),
        dtypes=dtypes,
        empty=[X, NO_PLACES, Vary(0)],
        forms={"rows": [X, np.array([[2], [0]], np.int64), Vary(2, 4, seed=2)]},
    )


def merged(condition, yes, no):
    """The next row of either, as the condition says."""
    parts = {True: iter(yes), False: iter(no)}
    rows = [next(parts[bool(c)]) for c in condition]
    return np.stack(rows) if rows else yes


row(
    "MergeRows",
    lambda fg, c, yes, no: fg._core.emit("MergeRows", (c, yes, no), None, None),
    [np.array([True, False, False, True]), Vary(2, 3), Vary(2, 3, seed=1)],
    merged,
    (1, 2),
    dtypes=ALL,
    empty=[np.zeros(0, bool), Vary(0, 3), Vary(0, 3)],
    hidden="joins the branches of a condition that vectorized_map runs for many rows",
)
