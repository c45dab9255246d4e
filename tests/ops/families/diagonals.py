"""Diagonals and bands of matrices."""

import numpy as np
from table import ALL, DENSE, Vary, row

X = Vary(3, 4)


def nothing(x):
    return b"" if x.dtype == object else 0


def band(x, below, above):
    """``x`` where its place is within the diagonals, zeros elsewhere."""
    i, j = np.indices(x.shape[-2:])
    kept = ((below < 0) | (i - j <= below)) & ((above < 0) | (j - i <= above))
    return np.where(kept, x, nothing(x))


def diagonal(v, k):
    n = len(v) + abs(k)
    out = np.full((n, n), nothing(v), v.dtype)
    for i, value in enumerate(v):
        out[i - min(k, 0), i + max(k, 0)] = value
    return out


def replaced(x, v):
    out = x.copy()
    for i, value in enumerate(v):
        out[i, i] = value
    return out


for below, above in ((0, -1), (-1, 0), (1, 1), (0, 0)):
    row(
        "MatrixBandPart",
        lambda fg, x, b=below, a=above: fg.linalg.band_part(x, b, a),
        [X],
        lambda x, b=below, a=above: band(x, b, a),
        (0,),
        dtypes=ALL,
        empty=[Vary(0, 4)],
        forms={"batch": [Vary(2, 3, 3)]},
    )
for k in (0, 1, -2):
    row(
        "MatrixDiagV3",
        lambda fg, v, k=k: fg.linalg.diag(v, k=k),
        [Vary(4)],
        lambda v, k=k: diagonal(v, k),
        (0,),
        dtypes=DENSE,
    )
row(
    "MatrixDiagV3",
    lambda fg, v: fg.linalg.diag(v),
    [Vary(2, 3)],
    lambda v: np.stack([diagonal(line, 0) for line in v]),
    (0,),
    dtypes=DENSE,
)
row(
    "MatrixDiagPartV3",
    lambda fg, x: fg.linalg.diag_part(x),
    [X],
    lambda x: np.diagonal(x, axis1=-2, axis2=-1),
    (0,),
    dtypes=DENSE,
    forms={"batch": [Vary(2, 3, 3)], "tall": [Vary(4, 2)]},
)
row(
    "MatrixDiagPartV3",
    lambda fg, x: fg.linalg.diag_part(x, k=1),
    [X],
    lambda x: np.diagonal(x, 1),
    (0,),
    dtypes=DENSE,
)
row(
    "MatrixSetDiagV3",
    lambda fg, x, v: fg.linalg.set_diag(x, v),
    [X, Vary(3, seed=1)],
    replaced,
    (0, 1),
    dtypes=ALL,
)
row(
    "MatrixDiagV3",
    lambda fg, v: fg.linalg.diag(v, padding_value=b"-"),
    [Vary(2)],
    lambda v: np.array([[v[0], b"-"], [b"-", v[1]]], object),
    dtypes=("string",),
)
row(
    "MatrixDiagPartV3",
    lambda fg, x: fg.linalg.diag_part(x, k=(0, 1), padding_value=b"-"),
    [Vary(2, 2)],
    lambda x: np.array([[b"-", x[0, 1]], [x[0, 0], x[1, 1]]], object),
    dtypes=("string",),
)
