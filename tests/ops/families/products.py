"""Products of matrices."""

import numpy as np
from table import NUMBERS, Vary, row

A, B = Vary(3, 4), Vary(4, 3, seed=1)
EMPTY = {
    "no rows": [Vary(0, 4), Vary(4, 3, seed=1)],
    "no inner": [Vary(3, 0), Vary(0, 2)],
    "one": [Vary(1, 1), Vary(1, 1, seed=1)],
}
row(
    "MatMul",
    lambda fg, a, b: fg.matmul(a, b),
    [A, B],
    np.matmul,
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
    forms={**EMPTY, "wide": [Vary(17, 33), Vary(33, 9, seed=1)]},
)
for ta, tb in ((True, False), (False, True), (True, True)):
    row(
        "MatMul",
        lambda fg, a, b, t=ta, u=tb: fg.matmul(a, b, transpose_a=t, transpose_b=u),
        [Vary(*((4, 3) if ta else (3, 4))), Vary(*((2, 4) if tb else (4, 2)), seed=1)],
        lambda a, b, t=ta, u=tb: (a.T if t else a) @ (b.T if u else b),
        (0, 1),
        dtypes=NUMBERS,
        tol=4,
    )
row(
    "MatMul",
    lambda fg, a, b: fg.matmul(a, b, adjoint_a=True, transpose_b=True),
    [Vary(4, 3), Vary(2, 4, seed=1)],
    lambda a, b: np.conj(a.T) @ b.T,
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
)
row(
    "BatchMatMulV2",
    lambda fg, a, b: fg.matmul(a, b),
    [Vary(2, 3, 4), Vary(2, 4, 2, seed=1)],
    np.matmul,
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
    forms={
        "broadcast": [Vary(2, 1, 3, 4), Vary(3, 4, 2, seed=1)],
        "no batch": [Vary(0, 3, 4), Vary(0, 4, 2)],
        "no inner": [Vary(2, 3, 0), Vary(2, 0, 2)],
    },
)
row(
    "BatchMatMulV2",
    lambda fg, a, b: fg.matmul(a, b, transpose_b=True),
    [Vary(2, 3, 4), Vary(3, 4, seed=1)],
    lambda a, b: a @ b.T,
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
)
row(
    "BatchMatMulV2",
    lambda fg, a, b: fg.matmul(a, b, adjoint_a=True, adjoint_b=True),
    [Vary(2, 4, 3), Vary(2, 2, 4, seed=1)],
    lambda a, b: np.conj(a.swapaxes(1, 2)) @ np.conj(b.swapaxes(1, 2)),
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
)
PLACES = np.array([[0, 2], [1, 0], [1, 2]])


def of_places(values):
    matrix = np.zeros((2, 3), values.dtype)
    matrix[tuple(PLACES.T)] = values
    return matrix


for adjoint in (False, True):
    row(
        "SparseTensorDenseMatMul",
        lambda fg, v, b, a=adjoint: fg.sparse.sparse_dense_matmul(
            fg.SparseTensor(PLACES, v, [2, 3]), b, a
        ),
        [Vary(3), Vary(2 if adjoint else 3, 2, seed=1)],
        lambda v, b, a=adjoint: np.matmul(np.conj(of_places(v).T) if a else of_places(v), b),
        (0, 1),
        dtypes=NUMBERS,
        tol=4,
    )
