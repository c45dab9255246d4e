"""Branches, loops, calls, and gradients of the user's own."""

import numpy as np
from table import ALL, INEXACT, NUMBERS, Vary, row

X = Vary(3, 4)
UP, DOWN = np.bool_(True), np.bool_(False)


def count(fg, v, x):
    """Notes in a variable that this ran."""
    v.assign_add(1)
    return x


def counter(fg, *_):
    return fg.Variable(0)


def counted(fg, v, run):
    """The results of ``run``, and how often the counter moved meanwhile."""
    v.assign(0)
    found = run()
    return found, v.read_value()


for chosen in (UP, DOWN):
    row(
        "StatelessIf",
        lambda fg, p, x: fg.cond(p, lambda: fg.concat([x, x], 0), lambda: x[:1]),
        [chosen, X],
        lambda p, x: np.concatenate([x, x]) if p else x[:1],
        (1,),
        dtypes=ALL,
        empty=[chosen, Vary(3, 0)],
    )
    row(
        "If",
        lambda fg, v, p, x: counted(
            fg, v, lambda: fg.cond(p, lambda: count(fg, v, x), lambda: x[::-1])
        ),
        [chosen, X],
        lambda p, x: (x, 1) if p else (x[::-1], 0),
        None,
        dtypes=ALL,
        out=("T", "int32"),
        state=counter,
    )


def rotated(fg, n, x):
    """``x`` with its first row moved behind, ``n`` times."""
    return fg.while_loop(
        lambda i, _: i < n, lambda i, y: (i + 1, fg.concat([y[1:], y[:1]], 0)), [0, x]
    )


for n in (0, 2):
    row(
        "StatelessWhile",
        rotated,
        [np.int32(n), X],
        lambda n, x: (n, np.roll(x, -n, 0)),
        (1,),
        dtypes=ALL,
        out=("int32", "T"),
        empty=[np.int32(n), Vary(3, 0)],
    )
row(
    "StatelessWhile",
    lambda fg, n, x: fg.while_loop(
        lambda i, _: i < n, lambda i, y: (i + 1, y * x + x), [0, fg.zeros_like(x)]
    )[1],
    [np.int32(3), Vary(3, 4, low=-1.0, high=1.0, ints=(-2, 3))],
    lambda n, x: x * (x * x + x) + x,
    (1,),
    dtypes=NUMBERS,
    scalar=[np.int32(3), Vary()],
    tol=4,
)
row(
    "While",
    lambda fg, v, n, x: counted(
        fg,
        v,
        lambda: fg.while_loop(
            lambda i, _: i < n, lambda i, y: (i + 1, count(fg, v, y[::-1])), [0, x]
        )[1],
    ),
    [np.int32(3), X],
    lambda n, x: (x[::-1], 3),
    None,
    dtypes=ALL,
    out=("T", "int32"),
    state=counter,
)


def twice(fg):
    return fg.function(lambda y: fg.concat([y, y], 0), autograph=False)


row(
    "PartitionedCall",
    lambda fg, f, x: f(x),
    [X],
    lambda x: np.concatenate([x, x]),
    (0,),
    dtypes=ALL,
    state=lambda fg, *_: twice(fg),
    empty=[Vary(0, 4)],
    scalar=[Vary(1)],
)


class Counting:
    """A function that counts its calls in a variable."""

    def __init__(self, fg):
        self.calls = fg.Variable(0)
        self.run = fg.function(lambda y: count(fg, self.calls, y[::-1]), autograph=False)


row(
    "StatefulPartitionedCall",
    lambda fg, c, x: counted(fg, c.calls, lambda: c.run(c.run(x))),
    [X],
    lambda x: (x, 2),
    None,
    dtypes=ALL,
    out=("T", "int32"),
    state=lambda fg, *_: Counting(fg),
    empty=[Vary(0, 4)],
)


def doubled_slope(fg):
    """The square, with twice its slope for a gradient."""

    @fg.custom_gradient
    def function(x):
        return x * x, lambda g: 4 * x * g

    return function


def value_and_slope(fg, x):
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = doubled_slope(fg)(x)
    return y, tape.gradient(y, x)


row(
    "CustomGradient",
    value_and_slope,
    [X],
    lambda x: (x * x, 4 * x),
    None,
    dtypes=INEXACT,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
row(
    "CustomGradient",
    lambda fg, x: doubled_slope(fg)(x),
    [X],
    np.square,
    None,
    dtypes=NUMBERS,
    tol=2,
)
