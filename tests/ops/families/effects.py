"""Operations with an effect and no result."""

import numpy as np
from table import ALL, FIXED, Vary, row

NOWHERE = "file:///dev/null"


def held(fg, x):
    fg.debugging.Assert(fg.constant(True), [x])
    return x


def printed(fg, x):
    fg.print("x is", x, output_stream=NOWHERE)
    return x


def idle(fg, x):
    fg._core.emit("NoOp", (), None, None)
    return x


row(
    "Assert",
    held,
    [Vary(3, 4)],
    lambda x: x,
    None,
    dtypes=ALL,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
row(
    "PrintV2",
    printed,
    [Vary(3, 4)],
    lambda x: x,
    None,
    dtypes=ALL,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
row(
    "NoOp",
    idle,
    [np.float64(1)],
    lambda x: x,
    None,
    dtypes=FIXED,
    out="float64",
    hidden="computes nothing; saved graphs hang dependencies on it",
)
