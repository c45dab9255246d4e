"""Elementwise operations of two arguments that broadcast, selection, and sums of lists."""

import numpy as np
from table import (
    ALL,
    FLOATS,
    INEXACT,
    INTS,
    NUMBERS,
    REAL,
    WRITTEN,
    Vary,
    pair,
    row,
)

POSITIVE = Vary(3, 4, low=0.1, high=3.0)
DIVISOR = Vary(3, 4, seed=1, nonzero=True)
SHIFT = Vary(3, 4, ints=(0, 7), seed=1)


def string_or(add):
    """``add``, and joining for strings: what ``+`` of object arrays is."""
    return lambda x, y: x + y if x.dtype == object else add(x, y)


def true_quotient(dtype):
    """The dtype of ``/``: floats for integers."""
    if dtype not in INTS:
        return dtype
    return "float32" if dtype[-2:] in ("t8", "16") else "float64"


def truncated(x, y):
    quotient = np.abs(x) // np.abs(y)
    return np.where((x < 0) != (y < 0), -quotient.astype(x.dtype), quotient)


def truncated_quotient(x, y):
    return truncated(x, y) if x.dtype.kind in "iu" else np.trunc(x / y)


pair("AddV2", lambda fg: fg.add, string_or(np.add), dtypes=(*NUMBERS, "string"))
pair("Sub", lambda fg: fg.subtract, np.subtract, dtypes=NUMBERS)
pair("Mul", lambda fg: fg.multiply, np.multiply, dtypes=NUMBERS)
pair(
    "RealDiv",
    lambda fg: fg.divide,
    np.true_divide,
    y=DIVISOR,
    dtypes=NUMBERS,
    out=true_quotient,
)
pair("FloorDiv", lambda fg: fg.math.floordiv, np.floor_divide, y=DIVISOR, grad=(), dtypes=REAL)
pair(
    "FloorMod",
    lambda fg: fg.math.floormod,
    np.mod,
    Vary(3, 4, low=-10, high=10),
    DIVISOR,
    dtypes=REAL,
    tol=4,
)
pair("TruncateDiv", lambda fg: fg.truncatediv, truncated_quotient, None, DIVISOR, (), dtypes=REAL)
pair(
    "TruncateMod",
    lambda fg: fg.truncatemod,
    np.fmod,
    Vary(3, 4, low=-10, high=10, ints=(-60, 60)),
    DIVISOR,
    dtypes=REAL,
    tol=4,
)
pair(
    "Pow",
    lambda fg: fg.pow,
    np.power,
    POSITIVE,
    Vary(3, 4, ints=(0, 4), seed=1),
    dtypes=NUMBERS,
    tol=4,
)
pair("Maximum", lambda fg: fg.maximum, np.maximum, dtypes=REAL)
pair("Minimum", lambda fg: fg.minimum, np.minimum, dtypes=REAL)
pair(
    "SquaredDifference",
    lambda fg: fg.math.squared_difference,
    lambda x, y: (x - y) * np.conj(x - y),
    dtypes=NUMBERS,
    tol=2,
)
pair("Atan2", lambda fg: fg.atan2, np.arctan2)
ZEROS = Vary(values=[[0.0, 2.0, -3.0]])


def over(x, y):
    """``x / y``, and 0 where y is."""
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


pair("DivNoNan", lambda fg: fg.math.divide_no_nan, over, dtypes=NUMBERS, out=true_quotient)
row(
    "DivNoNan",
    lambda fg, x, y: fg.math.divide_no_nan(x, y),
    [Vary(2, 3), ZEROS],
    over,
    None,
    dtypes=INEXACT,
)
pair("MulNoNan", lambda fg: fg.math.multiply_no_nan, np.multiply, dtypes=INEXACT)
row(
    "MulNoNan",
    lambda fg, x, y: fg.math.multiply_no_nan(x, y),
    [Vary(values=[np.inf, np.nan, 2.0]), ZEROS],
    lambda x, y: np.where(y == 0, 0, x * y),
    None,
    dtypes=FLOATS,
)
pair("Xdivy", lambda fg: fg.math.xdivy, np.divide, dtypes=INEXACT)
pair("Xlogy", lambda fg: fg.math.xlogy, lambda x, y: x * np.log(y), y=POSITIVE, dtypes=INEXACT)
pair(
    "Xlog1py", lambda fg: fg.math.xlog1py, lambda x, y: x * np.log1p(y), y=POSITIVE, dtypes=INEXACT
)
for op, name, expect, dtypes in [
    ("Less", "less", np.less, REAL),
    ("LessEqual", "less_equal", np.less_equal, REAL),
    ("Greater", "greater", np.greater, REAL),
    ("GreaterEqual", "greater_equal", np.greater_equal, REAL),
    ("Equal", "equal", np.equal, WRITTEN),
    ("NotEqual", "not_equal", np.not_equal, WRITTEN),
]:
    FEW = Vary(3, 4, low=-0.2, high=0.2, ints=(-1, 2))
    pair(
        op,
        lambda fg, name=name: getattr(fg, name),
        expect,
        FEW,
        Vary(3, 4, low=-0.2, high=0.2, ints=(-1, 2), seed=1),
        grad=(),
        dtypes=dtypes,
        out="bool",
    )
    row(
        op,
        lambda fg, x, y, name=name: getattr(fg, name)(x, y),
        [Vary(values=[1.0, np.nan, -0.0, np.inf]), Vary(values=[1.0, np.nan, 0.0, -np.inf])],
        expect,
        dtypes=FLOATS,
        out="bool",
    )
pair("LogicalAnd", lambda fg: fg.logical_and, np.logical_and, grad=(), dtypes=("bool",))
pair("LogicalOr", lambda fg: fg.logical_or, np.logical_or, grad=(), dtypes=("bool",))
pair("BitwiseAnd", lambda fg: fg.bitwise.bitwise_and, np.bitwise_and, grad=(), dtypes=INTS)
pair("BitwiseOr", lambda fg: fg.bitwise.bitwise_or, np.bitwise_or, grad=(), dtypes=INTS)
pair("BitwiseXor", lambda fg: fg.bitwise.bitwise_xor, np.bitwise_xor, grad=(), dtypes=INTS)
pair("LeftShift", lambda fg: fg.bitwise.left_shift, np.left_shift, None, SHIFT, (), dtypes=INTS)
pair("RightShift", lambda fg: fg.bitwise.right_shift, np.right_shift, None, SHIFT, (), dtypes=INTS)


def next_after(dtype):
    """The neighbour in the dtype itself: the widest one has others."""

    def expect(x, y):
        return np.nextafter(x.astype(dtype), y.astype(dtype))

    return expect


for dtype in ("float64", "float32"):
    row(
        "NextAfter",
        lambda fg, x, y: fg.math.nextafter(x, y),
        [Vary(3, 4).at(dtype), Vary(3, 4, seed=1).at(dtype)],
        next_after(dtype),
        # Steps of the finite differences are too rough for float32.
        (0,) if dtype == "float64" else None,
        out=dtype,
    )
row(
    "Zeta",
    lambda fg, x, q: fg.math.zeta(x, q),
    [Vary(values=2.0), Vary(values=[1.0, 2.0])],
    lambda x, q: np.array([np.pi**2 / 6, np.pi**2 / 6 - 1]),
    (1,),
    dtypes=("float64", "float32"),
)
row(
    "Polygamma",
    lambda fg, a, x: fg.math.polygamma(a, x),
    [Vary(values=1.0), Vary(values=[1.0, 2.0])],
    lambda a, x: np.array([np.pi**2 / 6, np.pi**2 / 6 - 1]),
    (1,),
    dtypes=("float64", "float32"),
)
row(
    "Complex",
    lambda fg, x, y: fg.complex(x, y),
    [Vary(3, 4), Vary(3, 4, seed=1)],
    lambda x, y: x + 1j * y,
    (0, 1),
    dtypes=("float64", "float32"),
    out={"float64": "complex128", "float32": "complex64"}.get,
    empty=[Vary(0, 4), Vary(0, 4)],
    scalar=[Vary(), Vary(3, seed=1)],
)
CHOICE = np.random.default_rng(0).integers(0, 2, (3, 4)).astype(bool)
row(
    "SelectV2",
    lambda fg, c, x, y: fg.where(c, x, y),
    [CHOICE, Vary(3, 4), Vary(3, 4, seed=1)],
    np.where,
    (1, 2),
    dtypes=ALL,
    empty=[CHOICE[:, :0], Vary(3, 0), Vary(3, 1)],
    scalar=[CHOICE[0, 0], Vary(), Vary(seed=1)],
    forms={"broadcast": [CHOICE[:, :1], Vary(3, 4), Vary(4, seed=1)]},
)
row(
    "AddN",
    lambda fg, x, y: fg.add_n([x, y, x]),
    [Vary(3, 4), Vary(3, 4, seed=1)],
    lambda x, y: 2 * x + y,
    (0, 1),
    dtypes=NUMBERS,
    tol=2,
    empty=[Vary(0, 4), Vary(0, 4)],
    scalar=[Vary(), Vary(seed=1)],
)
