"""Older forms of operations. Saved graphs have them; programs get the newer ones."""

import numpy as np
from table import ALL, INEXACT, NUMBERS, REAL, Vary, row

LEGACY = "an older form that saved graphs have; programs get the newer one"
X, Y = Vary(3, 4), Vary(3, 4, seed=1)
NONE = Vary(3, 0)


def older(op, args, expect, grad, **fields):
    """A row of an operation that only graphs name."""
    row(
        op,
        lambda fg, *inputs: fg._core.emit(op, inputs, None, None),
        args,
        expect,
        grad,
        hidden=LEGACY,
        **fields,
    )


def quotient(x, y):
    """Division; of integers rounded towards zero."""
    if x.dtype.kind not in "iu":
        return x / y
    whole = np.abs(x) // np.abs(y)
    return np.where((x < 0) != (y < 0), -whole.astype(x.dtype), whole)


PAIRED = {
    "broadcast": [Vary(3, 1), Vary(4, seed=1)],
    "empty": [NONE, NONE],
    "scalar": [Vary(), Vary(seed=1)],
}
older("Add", [X, Y], np.add, (0, 1), dtypes=(*NUMBERS, "string"), forms=PAIRED)
older(
    "Div",
    [X, Vary(3, 4, seed=1, nonzero=True)],
    quotient,
    (0, 1),
    dtypes=NUMBERS,
    empty=[NONE, NONE],
    forms={"broadcast": [Vary(3, 1), Vary(4, seed=1, nonzero=True)]},
)
older("Inv", [X], np.reciprocal, (0,), dtypes=INEXACT, empty=[NONE], scalar=[Vary()])
CHOICE = np.random.default_rng(0).integers(0, 2, (3, 4)).astype(bool)
older(
    "Select",
    [CHOICE, X, Y],
    np.where,
    (1, 2),
    dtypes=ALL,
    empty=[CHOICE[:, :0], NONE, NONE],
    scalar=[CHOICE[0, 0], Vary(), Vary(seed=1)],
    forms={"one choice": [CHOICE[0, 0], X, Y]},
)
older(
    "Select",
    [CHOICE[:, 0], X, Y],
    lambda c, x, y: np.where(c[:, None], x, y),
    (1, 2),
    dtypes=ALL,
)
older(
    "ClipByValue",
    [X, Vary(values=1), Vary(values=3)],
    lambda x, low, high: np.minimum(np.maximum(x, low), high),
    (0, 1, 2),
    dtypes=REAL,
    empty=[NONE, Vary(values=1), Vary(values=3)],
)
older(
    "BatchMatMul",
    [Vary(2, 3, 4), Vary(2, 4, 2, seed=1)],
    np.matmul,
    (0, 1),
    dtypes=NUMBERS,
    tol=4,
    empty=[Vary(0, 3, 4), Vary(0, 4, 2)],
)
