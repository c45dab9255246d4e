"""Variables. Each row sets its variable first, so that it may run any number of times."""

import numpy as np
from table import ALL, NUMBERS, Vary, row


def variable(fg, x, *_):
    return fg.Variable(x, shape=fg.TensorShape([None] * x.ndim))


FORMS = {"empty": [Vary(0, 4), Vary(0, 4)], "scalar": [Vary(), Vary(seed=1)]}
BOTH = [Vary(3, 4), Vary(3, 4, seed=1)]


def assigned(fg, v, x, y):
    v.assign(x)
    before = v.read_value()
    v.assign(y)
    return before, v.read_value()


def added(fg, v, x, y):
    v.assign(x)
    v.assign_add(y)
    return v.read_value()


def subtracted(fg, v, x, y):
    v.assign(x)
    v.assign_sub(y)
    return v.read_value()


row(
    "ReadVariableOp",
    lambda fg, v, x: assigned(fg, v, x, x)[0],
    [Vary(3, 4)],
    lambda x: x,
    None,
    dtypes=ALL,
    state=variable,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
row(
    "AssignVariableOp",
    assigned,
    BOTH,
    lambda x, y: (x, y),
    None,
    dtypes=ALL,
    state=variable,
    forms=FORMS,
)
row(
    "AssignAddVariableOp",
    added,
    BOTH,
    lambda x, y: x + y,
    None,
    dtypes=(*NUMBERS, "string"),
    state=variable,
    forms=FORMS,
)
row(
    "AssignSubVariableOp",
    subtracted,
    BOTH,
    np.subtract,
    None,
    dtypes=NUMBERS,
    state=variable,
    forms=FORMS,
)


def counted(fg, v, x):
    v.assign(x)
    return v.count_up_to(10**6), v.read_value()


row(
    "ResourceCountUpTo",
    counted,
    [Vary()],
    lambda x: (x, x + 1),
    None,
    dtypes=("int32", "int64"),
    state=variable,
)
