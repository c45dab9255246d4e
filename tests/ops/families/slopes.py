"""Operations that gradients of others emit. Their rows take those gradients."""

import numpy as np
from table import FLOATS, INEXACT, REAL, Vary, row

X, G = Vary(3, 4), Vary(3, 4, seed=1)
KERNEL = "a gradient emits it for floats alone; saved graphs have it for the rest"
SHAPES = "what a gradient emits where sizes are unknown"


def slope(fg, function, x, g):
    """The gradient of ``function`` at ``x`` for the gradient ``g`` of its result."""
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return fg.convert_to_tensor(tape.gradient(y, x, output_gradients=g))


def of_gradient(op, function, expect, args, dtypes=FLOATS, **fields):
    """A row that takes the gradient of a public function."""
    row(
        op,
        lambda fg, x, g: slope(fg, function(fg), x, g),
        args,
        expect,
        None,
        dtypes=dtypes,
        **fields,
    )


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FORMS = {"empty": [Vary(0, 4), Vary(0, 4)], "scalar": [Vary(), Vary(seed=1)]}
of_gradient(
    "ReluGrad",
    lambda fg: fg.nn.relu,
    lambda x, g: np.where(x > 0, g, 0),
    [X, G],
    forms=FORMS,
)
row(
    "ReluGrad",
    lambda fg, g, x: fg._core.emit("ReluGrad", (g, x), None, None),
    [G, X],
    lambda g, x: np.where(x > 0, g, 0),
    None,
    dtypes=REAL,
    hidden=KERNEL,
)
of_gradient(
    "SigmoidGrad",
    lambda fg: fg.sigmoid,
    lambda x, g: g * np.conj(sigmoid(x) * (1 - sigmoid(x))),
    [X, G],
    INEXACT,
    forms=FORMS,
)
of_gradient(
    "TanhGrad",
    lambda fg: fg.tanh,
    lambda x, g: g * np.conj(1 - np.tanh(x) ** 2),
    [X, G],
    INEXACT,
    forms=FORMS,
    tol=2,
)
for op, value in (("SigmoidGrad", lambda y, g: g * y * (1 - y)), ("TanhGrad", None)):
    row(
        op,
        lambda fg, y, g, o=op: fg._core.emit(o, (y, g), None, None),
        [Vary(3, 4, low=0.0, high=1.0), G],
        value or (lambda y, g: g * (1 - y * y)),
        None,
        dtypes=FLOATS,
        hidden=KERNEL,
    )
for layout in (None, "NC"):
    of_gradient(
        "BiasAddGrad",
        lambda fg, how=layout: lambda b: fg.nn.bias_add(fg.zeros([2, 3, 3], b.dtype), b, how),
        lambda b, g, how=layout: g.sum((0, 2) if how else (0, 1)),
        [Vary(3), Vary(2, 3, 3, seed=1)],
        INEXACT,
        tol=4,
    )


def put_back(key):
    def expect(x, g):
        out = np.zeros(x.shape, x.dtype)
        out[key] = g
        return out

    return expect


for key, shape in (
    (np.s_[1], (4,)),
    (np.s_[::2, ::-1], (2, 4)),
    (np.s_[..., 2], (3,)),
    (np.s_[2:1], (0, 4)),
):
    of_gradient(
        "StridedSliceGrad",
        lambda fg, k=key: lambda x: x[k],
        put_back(key),
        [X, Vary(*shape, seed=1)],
        INEXACT,
    )


def folded(mode):
    """The gradient of mirrored padding: each place gets what its images got."""

    def expect(x, g):
        places = np.pad(np.arange(x.size).reshape(x.shape), [[1, 2], [0, 1]], mode)
        out = np.zeros(x.size, x.dtype)
        np.add.at(out, places.ravel(), g.ravel())
        return out.reshape(x.shape)

    return expect


for mode in ("reflect", "symmetric"):
    of_gradient(
        "MirrorPadGrad",
        lambda fg, m=mode: lambda x: fg.pad(x, [[1, 2], [0, 1]], m),
        folded(mode),
        [X, Vary(6, 5, seed=1)],
        INEXACT,
        tol=2,
    )
for dtype in ("int32", "int64"):
    row(
        "BroadcastGradientArgs",
        lambda fg, a, b: tuple(fg._core.emit("BroadcastGradientArgs", (a, b), None, None)),
        [np.array([2, 1, 4], dtype), np.array([3, 1], dtype)],
        lambda a, b: (np.array([1]), np.array([0, 2])),
        out=dtype,
        hidden=SHAPES,
    )
    row(
        "ReducedShape",
        lambda fg, s, axes: fg._core.emit("ReducedShape", (s, axes), None, None),
        [np.array([2, 3, 4], dtype), np.array([-1, 0], dtype)],
        lambda s, axes: np.array([1, 3, 1]),
        out=dtype,
        hidden=SHAPES,
    )
