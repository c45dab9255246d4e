"""Reductions and running sums."""

import numpy as np
from table import FLOATS, INEXACT, NUMBERS, REAL, Vary, row

# Products of these stay within every dtype.
SMALL = Vary(3, 4, low=-1.5, high=1.5, ints=(-2, 3))


def mean(x, **how):
    """The mean; of integers rounded towards zero, as their division is."""
    if x.dtype.kind not in "iu":
        return np.mean(x, **how)
    count = x.size // max(np.sum(x, **how).size, 1)
    total = np.sum(x, **how)
    return np.sign(total) * (np.abs(total) // count)


def norm(x, **how):
    found = np.sqrt(np.sum(x * np.conj(x), **how))
    return np.floor(found) if x.dtype.kind in "iu" else found


def greatest(x, **how):
    return np.max(x, **how)


def least(x, **how):
    return np.min(x, **how)


REDUCTIONS = [
    ("Sum", "reduce_sum", np.sum, SMALL, NUMBERS),
    ("Mean", "reduce_mean", mean, SMALL, NUMBERS),
    ("Prod", "reduce_prod", np.prod, SMALL, NUMBERS),
    ("Max", "reduce_max", greatest, Vary(3, 4), REAL),
    ("Min", "reduce_min", least, Vary(3, 4), REAL),
    ("All", "reduce_all", np.all, Vary(3, 4), ("bool",)),
    ("Any", "reduce_any", np.any, Vary(3, 4), ("bool",)),
    ("EuclideanNorm", "reduce_euclidean_norm", norm, SMALL, NUMBERS),
]
for op, name, expect, x, dtypes in REDUCTIONS:
    grad = () if dtypes == ("bool",) else (0,)
    for axes, keep in ((None, False), (0, False), ([-1, 0], True), (1, True)):
        how = {"axis": tuple(axes) if isinstance(axes, list) else axes, "keepdims": keep}
        row(
            op,
            lambda fg, x, n=name, a=axes, k=keep: getattr(fg.math, n)(x, a, keepdims=k),
            [x],
            lambda x, e=expect, h=how: e(x, **h),
            grad,
            dtypes=dtypes,
            tol=4,
            forms={"long": [Vary(7, 40, low=-0.8, high=0.8, ints=(-1, 2))]},
        )
    row(
        op,
        lambda fg, x, n=name: getattr(fg.math, n)(x),
        [x.of()],
        lambda x, e=expect: e(x),
        None,
        dtypes=dtypes,
        tol=4,
    )
    row(
        op,
        lambda fg, x, n=name: getattr(fg.math, n)(x, []),
        [x],
        lambda x, o=op: np.abs(x) if o == "EuclideanNorm" else x,
        None,
        dtypes=dtypes,
        tol=4,
    )


for op, name, value, dtypes in [
    ("Sum", "reduce_sum", 0, NUMBERS),
    ("Prod", "reduce_prod", 1, NUMBERS),
    ("Mean", "reduce_mean", np.nan, INEXACT),
    ("All", "reduce_all", True, ("bool",)),
    ("Any", "reduce_any", False, ("bool",)),
    ("EuclideanNorm", "reduce_euclidean_norm", 0, NUMBERS),
    ("Max", "reduce_max", -np.inf, FLOATS),
    ("Min", "reduce_min", np.inf, FLOATS),
]:
    row(
        op,
        lambda fg, x, n=name: getattr(fg.math, n)(x, 0),
        [Vary(0, 4)],
        lambda x, v=value: np.full(x.shape[1], v),
        None,
        dtypes=dtypes,
        forms={"nothing left": [Vary(3, 0)], "both": [Vary(0, 0)]},
    )
for op, name in (("ArgMax", "argmax"), ("ArgMin", "argmin")):
    for axis in (0, 1, -1):
        row(
            op,
            lambda fg, x, n=name, a=axis: getattr(fg, n)(x, a),
            [Vary(3, 4, ints=(-2, 3))],
            lambda x, n=name, a=axis: getattr(x, n)(a),
            dtypes=(*REAL, "bool"),
            out="int64",
        )
    row(
        op,
        lambda fg, x, n=name: getattr(fg, n)(x, 1, output_type=fg.int32),
        [Vary(0, 4)],
        lambda x: np.zeros(0),
        dtypes=(*REAL, "bool"),
        out="int32",
    )


def exclusive(running, neutral):
    """A running sum or product without the place itself, backwards along axis 0."""

    def expect(x):
        whole = running(x[::-1], 0)[::-1]
        last = np.full((1, *x.shape[1:]), neutral, x.dtype)
        return np.concatenate([whole[1:], last]) if len(x) else x

    return expect


for op, name, running, neutral in (
    ("Cumsum", "cumsum", np.cumsum, 0),
    ("Cumprod", "cumprod", np.cumprod, 1),
):
    row(
        op,
        lambda fg, x, n=name: getattr(fg.math, n)(x, 1),
        [SMALL],
        lambda x, r=running: r(x, 1),
        (0,),
        dtypes=NUMBERS,
        tol=2,
        empty=[Vary(3, 0)],
    )
    row(
        op,
        lambda fg, x, n=name: getattr(fg.math, n)(x, 0, exclusive=True, reverse=True),
        [SMALL],
        exclusive(running, neutral),
        (0,),
        dtypes=NUMBERS,
        tol=2,
        empty=[Vary(0, 3)],
    )


def running_log(x):
    return np.logaddexp.accumulate(x, 1)


row(
    "CumulativeLogsumexp",
    lambda fg, x: fg.math.cumulative_logsumexp(x, 1),
    [SMALL],
    running_log,
    (0,),
    tol=2,
    empty=[Vary(3, 0)],
)
row(
    "CumulativeLogsumexp",
    lambda fg, x: fg.exp(fg.math.cumulative_logsumexp(x, 0, exclusive=True, reverse=True)),
    [SMALL],
    lambda x: exclusive(np.cumsum, 0)(np.exp(x)),
    (0,),
    tol=4,
    empty=[Vary(0, 3)],
)
row(
    "L2Loss",
    lambda fg, x: fg.nn.l2_loss(x),
    [Vary(3, 4)],
    lambda x: (x * x).sum() / 2,
    (0,),
    tol=2,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
