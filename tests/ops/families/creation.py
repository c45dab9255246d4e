"""Tensors out of nothing but sizes and numbers."""

import numpy as np
from table import ALL, DENSE, FLOATS, INTS, NUMBERS, UNSIGNED, Vary, row, unary

unary(
    "ZerosLike",
    lambda fg: fg.zeros_like,
    lambda x: np.full(x.shape, b"" if x.dtype == object else 0, x.dtype),
    grad=False,
    dtypes=ALL,
)
unary("OnesLike", lambda fg: fg.ones_like, np.ones_like, grad=False, dtypes=DENSE)
for index in (np.int32, np.int64):
    row(
        "Fill",
        lambda fg, d, v: fg.fill(d, v),
        [np.array([2, 3], index), Vary()],
        lambda d, v: np.full(d, v, v.dtype),
        (1,),
        dtypes=ALL,
        empty=[np.array([2, 0], index), Vary()],
        scalar=[np.zeros(0, index), Vary()],
    )
RANGES = (*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
row(
    "Range",
    lambda fg, a, n, d: fg.range(a, n, d),
    [Vary(values=1), Vary(values=8), Vary(values=2)],
    np.arange,
    (0, 2),
    dtypes=RANGES,
    empty=[Vary(values=1), Vary(values=1), Vary(values=2)],
)
row(
    "Range",
    lambda fg, a, n, d: fg.range(a, n, d),
    [Vary(values=5), Vary(values=-2), Vary(values=-2)],
    np.arange,
    (0, 2),
    dtypes=tuple(d for d in RANGES if d not in UNSIGNED),
)
row(
    "LinSpace",
    lambda fg, a, b: fg.linspace(a, b, 5),
    [Vary(values=1.0), Vary(values=3.0)],
    lambda a, b: np.linspace(a, b, 5),
    (0, 1),
    dtypes=FLOATS,
)
row(
    "LinSpace",
    lambda fg, a, b: fg.linspace(a, b, 4),
    [Vary(values=1), Vary(values=6)],
    lambda a, b: np.linspace(a, b, 4),
    dtypes=INTS,
    out=lambda dtype: "float32" if dtype.endswith(("int8", "int16")) else "float64",
)
row(
    "OneHot",
    lambda fg, i, on, off: fg.one_hot(i, 4, on, off),
    [np.array([2, 0, 7], np.int32), Vary(seed=1), Vary(seed=2)],
    lambda i, on, off: np.where(i[..., None] == np.arange(4), on, off),
    (1, 2),
    dtypes=ALL,
    empty=[np.zeros((0, 2), np.int64), Vary(seed=1), Vary(seed=2)],
    scalar=[np.int64(1), Vary(seed=1), Vary(seed=2)],
)
row(
    "OneHot",
    lambda fg, i: fg.one_hot(i, 3, axis=0),
    [Vary(values=[1, 0, 2, 1])],
    lambda i: np.eye(3)[i].T,
    dtypes=("int32", "int64", "uint8", "int8"),
    out="float32",
    about="indices",
)
row(
    "Const",
    lambda fg, x: x + fg.constant(2, x.dtype),
    [Vary(3)],
    lambda x: x + 2,
    (0,),
    dtypes=NUMBERS,
)
row(
    "Placeholder",
    lambda fg, x: x,
    [Vary(3, 4)],
    lambda x: x,
    (0,),
    dtypes=ALL,
    empty=[Vary(0, 4)],
    scalar=[Vary()],
)
row(
    "Bitcast",
    lambda fg, x: fg.bitcast(fg.bitcast(x, fg.uint8), x.dtype),
    [Vary(3, 4)],
    lambda x: x,
    None,
    dtypes=NUMBERS,
    empty=[Vary(0, 4)],
)
for wide, narrow in (("float32", "uint16"), ("complex64", "float32"), ("int16", "uint8")):
    value = Vary(3).at(wide)
    row(
        "Bitcast",
        lambda fg, x, n=narrow: fg.bitcast(x, getattr(fg, n)),
        [value],
        lambda x, n=narrow: x.view(n).reshape(3, -1),
        None,
        out=narrow,
    )
    row(
        "Bitcast",
        lambda fg, x, w=wide: fg.bitcast(x, getattr(fg, w)),
        [value.view(narrow).reshape(3, -1)],
        lambda x, v=value: v,
        None,
        out=wide,
    )
