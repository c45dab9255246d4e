"""Rows of the operations: how each is called, what NumPy makes of it, where it has a gradient.

A row's arguments are arrays; ``call`` takes the package and them, ``expect`` takes them alone.
``grad`` lists the arguments that have a gradient, held against finite differences; an empty
list is the statement that none has.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Row:
    """One call of one operation."""

    op: str
    call: Callable
    args: list
    expect: Callable
    grad: list = field(default_factory=list)
    tol: float = 1e-5
    static: bool = False  # whether the call needs the shapes of its arguments while tracing

    def __str__(self):
        return self.op


ROWS: list[Row] = []


def row(op, call, args, expect, grad=(), tol=1e-5, static=False):
    args = [a if isinstance(a, np.ndarray) else np.asarray(a) for a in args]
    ROWS.append(Row(op, call, args, expect, list(grad), tol, static))


def floats(*shape, low=-2.0, high=2.0, seed=0):
    """Floats in a range, none close to a whole number, where many functions have their corners."""
    x = np.random.default_rng(seed).uniform(low, high, shape)
    near = np.abs(x - np.round(x)) < 0.05
    return np.where(near, x + 0.11, x)


def ints(*shape, low=-9, high=9, seed=0):
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.int32)


def bools(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 2, shape).astype(bool)


X = floats(3, 4)
POSITIVE = floats(3, 4, low=0.1, high=3.0)
UNIT = floats(3, 4, low=-0.9, high=0.85)
Y = floats(3, 4, seed=1)
ROW4 = floats(4, seed=2)
M, N = ints(3, 4), ints(3, 4, seed=1)
NONZERO = np.where(N == 0, 3, N).astype(np.int32)
B, C = bools(3, 4), bools(3, 4, seed=1)
Z = X + 1j * Y


def each(function):
    """A scalar function made elementwise."""
    return np.vectorize(function, otypes=[np.float64])


def digamma(x):
    total = 0.0
    while x < 20:
        total, x = total - 1 / x, x + 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def unary(op, function, expect, x=X, grad=True):
    row(op, lambda fg, x: function(fg)(x), [x], expect, [0] if grad else [])


unary("Abs", lambda fg: fg.abs, np.abs)
unary("Abs", lambda fg: fg.abs, np.abs, M, False)
unary("ComplexAbs", lambda fg: fg.abs, np.abs, Z, False)
unary("Acos", lambda fg: fg.acos, np.arccos, UNIT)
unary("Acosh", lambda fg: fg.acosh, np.arccosh, 1 + POSITIVE)
unary("Asin", lambda fg: fg.asin, np.arcsin, UNIT)
unary("Asinh", lambda fg: fg.asinh, np.arcsinh)
unary("Atan", lambda fg: fg.atan, np.arctan)
unary("Atanh", lambda fg: fg.atanh, np.arctanh, UNIT)
unary("Ceil", lambda fg: fg.math.ceil, np.ceil, grad=False)
unary("Cos", lambda fg: fg.cos, np.cos)
unary("Cosh", lambda fg: fg.cosh, np.cosh)
unary("Digamma", lambda fg: fg.math.digamma, each(digamma), POSITIVE)
unary("Erf", lambda fg: fg.math.erf, each(math.erf))
unary("Erfc", lambda fg: fg.math.erfc, each(math.erfc))
unary("Exp", lambda fg: fg.exp, np.exp)
unary("Expm1", lambda fg: fg.math.expm1, np.expm1)
unary("Floor", lambda fg: fg.floor, np.floor, grad=False)
unary("IsFinite", lambda fg: fg.math.is_finite, np.isfinite, np.array([1.0, np.inf, np.nan]), False)
unary("IsInf", lambda fg: fg.math.is_inf, np.isinf, np.array([1.0, np.inf, np.nan]), False)
unary("IsNan", lambda fg: fg.math.is_nan, np.isnan, np.array([1.0, np.inf, np.nan]), False)
unary("Lgamma", lambda fg: fg.math.lgamma, each(math.lgamma), POSITIVE)
unary("Log", lambda fg: fg.math.log, np.log, POSITIVE)
unary("Log1p", lambda fg: fg.math.log1p, np.log1p, POSITIVE)
unary("LogicalNot", lambda fg: fg.logical_not, np.logical_not, B, False)
unary("Neg", lambda fg: fg.negative, np.negative)
unary("Neg", lambda fg: fg.negative, np.negative, M, False)
unary("Reciprocal", lambda fg: fg.math.reciprocal, np.reciprocal)
unary("Rint", lambda fg: fg.math.rint, np.rint, grad=False)
unary("Round", lambda fg: fg.round, np.round, grad=False)
unary("Rsqrt", lambda fg: fg.math.rsqrt, lambda x: 1 / np.sqrt(x), POSITIVE)
unary("Sigmoid", lambda fg: fg.sigmoid, lambda x: 1 / (1 + np.exp(-x)))
unary("Sign", lambda fg: fg.sign, np.sign)
unary("Sin", lambda fg: fg.sin, np.sin)
unary("Sinh", lambda fg: fg.sinh, np.sinh)
unary("Sqrt", lambda fg: fg.sqrt, np.sqrt, POSITIVE)
unary("Square", lambda fg: fg.square, np.square)
unary("Tan", lambda fg: fg.tan, np.tan, UNIT)
unary("Tanh", lambda fg: fg.tanh, np.tanh)
unary("Softplus", lambda fg: fg.math.softplus, lambda x: np.log1p(np.exp(x)))
unary("Softsign", lambda fg: fg.nn.softsign, lambda x: x / (1 + np.abs(x)))
unary("Relu", lambda fg: fg.nn.relu, lambda x: np.maximum(x, 0))
unary("Relu6", lambda fg: fg.nn.relu6, lambda x: np.clip(x, 0, 6), 4 * X)
unary("Elu", lambda fg: fg.nn.elu, lambda x: np.where(x > 0, x, np.expm1(x)))
unary(
    "Selu",
    lambda fg: fg.nn.selu,
    lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
)
unary("LeakyRelu", lambda fg: fg.nn.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x))
unary("Invert", lambda fg: fg.bitwise.invert, np.invert, M, False)
unary("Conj", lambda fg: fg.math.conj, np.conj, Z, False)
unary("Real", lambda fg: fg.math.real, np.real, Z, False)
unary("Imag", lambda fg: fg.math.imag, np.imag, Z, False)
unary("Angle", lambda fg: fg.math.angle, np.angle, Z, False)
row("Complex", lambda fg, x, y: fg.complex(x, y), [X, Y], lambda x, y: x + 1j * y, [0, 1])
unary("OnesLike", lambda fg: fg.ones_like, np.ones_like, grad=False)
unary("ZerosLike", lambda fg: fg.zeros_like, np.zeros_like, grad=False)
unary("Identity", lambda fg: fg.identity, lambda x: x)
unary("StopGradient", lambda fg: fg.stop_gradient, lambda x: x, grad=False)
unary("CheckNumerics", lambda fg: lambda x: fg.debugging.check_numerics(x, "x"), lambda x: x)
row("Cast", lambda fg, x: fg.cast(x, fg.int32), [X * 4], lambda x: x.astype(np.int32))
row("Cast", lambda fg, x: fg.cast(fg.cast(x, fg.complex128), fg.float64), [X], lambda x: x, [0])


def pair(op, function, expect, x=X, y=Y, grad=(0, 1), tol=1e-5):
    row(op, lambda fg, x, y: function(fg)(x, y), [x, y], expect, grad, tol)


with np.errstate(all="ignore"):
    pair("AddV2", lambda fg: fg.add, np.add)
    pair("AddV2", lambda fg: fg.add, np.add, X, ROW4)
    pair("Sub", lambda fg: fg.subtract, np.subtract, ROW4, X)
    pair("Mul", lambda fg: fg.multiply, np.multiply, X[:, :1], Y)
    pair("Mul", lambda fg: fg.multiply, np.multiply, M, N, [])
    pair("RealDiv", lambda fg: fg.divide, np.divide)
    pair("RealDiv", lambda fg: fg.divide, np.divide, M, NONZERO, [])
    pair("FloorDiv", lambda fg: fg.math.floordiv, np.floor_divide, M, NONZERO, [])
    pair("FloorMod", lambda fg: fg.math.floormod, np.mod, M, NONZERO, [])
    pair("FloorMod", lambda fg: fg.math.floormod, np.mod, 5 * X, Y)
    pair(
        "TruncateDiv",
        lambda fg: fg.truncatediv,
        lambda x, y: np.trunc(x / y).astype(np.int32),
        M,
        NONZERO,
        [],
    )
    pair("TruncateMod", lambda fg: fg.truncatemod, np.fmod, M, NONZERO, [])
    pair("Pow", lambda fg: fg.pow, np.power, POSITIVE, Y)
    pair("Pow", lambda fg: fg.pow, np.power, M, np.abs(N) % 4, [])
    pair("Maximum", lambda fg: fg.maximum, np.maximum)
    pair("Minimum", lambda fg: fg.minimum, np.minimum, X, ROW4)
    pair("SquaredDifference", lambda fg: fg.math.squared_difference, lambda x, y: (x - y) ** 2)
    pair("Atan2", lambda fg: fg.atan2, np.arctan2)
    pair("DivNoNan", lambda fg: fg.math.divide_no_nan, np.divide)
    pair("MulNoNan", lambda fg: fg.math.multiply_no_nan, np.multiply)
    pair("Xdivy", lambda fg: fg.math.xdivy, np.divide)
    pair("Xlogy", lambda fg: fg.math.xlogy, lambda x, y: x * np.log(y), X, POSITIVE)
    pair("Xlog1py", lambda fg: fg.math.xlog1py, lambda x, y: x * np.log1p(y), X, POSITIVE)
    for op, name, expect in [
        ("Less", "less", np.less),
        ("LessEqual", "less_equal", np.less_equal),
        ("Greater", "greater", np.greater),
        ("GreaterEqual", "greater_equal", np.greater_equal),
        ("Equal", "equal", np.equal),
        ("NotEqual", "not_equal", np.not_equal),
    ]:
        pair(op, lambda fg, name=name: getattr(fg, name), expect, M, M[::-1], [])
    pair("LogicalAnd", lambda fg: fg.logical_and, np.logical_and, B, C, [])
    pair("LogicalOr", lambda fg: fg.logical_or, np.logical_or, B, C[0], [])
    pair("BitwiseAnd", lambda fg: fg.bitwise.bitwise_and, np.bitwise_and, M, N, [])
    pair("BitwiseOr", lambda fg: fg.bitwise.bitwise_or, np.bitwise_or, M, N, [])
    pair("BitwiseXor", lambda fg: fg.bitwise.bitwise_xor, np.bitwise_xor, M, N, [])
    pair("LeftShift", lambda fg: fg.bitwise.left_shift, np.left_shift, M, np.abs(N), [])
    pair("RightShift", lambda fg: fg.bitwise.right_shift, np.right_shift, M, np.abs(N), [])

unary("Erfinv", lambda fg: lambda x: fg.math.erfinv(fg.math.erf(x)), lambda x: x, UNIT)
unary(
    "Ndtri",
    lambda fg: lambda x: fg.math.ndtri((1 + fg.math.erf(x)) / 2),
    lambda x: x * 2**0.5,
    UNIT,
)
unary(
    "Bitcast", lambda fg: lambda x: fg.bitcast(x, fg.int64), lambda x: x.view(np.int64), grad=False
)
row("NextAfter", lambda fg, x, y: fg.math.nextafter(x, y), [X, Y], np.nextafter)
row(
    "Zeta",
    lambda fg, q: fg.math.zeta(np.float64(2.0), q),
    [np.float64(1.0)],
    lambda q: np.float64(np.pi**2 / 6),
    [0],
)
row(
    "Polygamma",
    lambda fg, x: fg.math.polygamma(np.float64(1.0), x),
    [np.float64(1.0)],
    lambda x: np.float64(np.pi**2 / 6),
    [0],
)
row("ShapeN", lambda fg, x: fg.shape_n([x, x])[0], [X], lambda x: np.array([3, 4], np.int32))
row(
    "InvertPermutation",
    lambda fg, x: fg.math.invert_permutation(x),
    [np.array([2, 0, 1], np.int32)],
    np.argsort,
)
row("SelectV2", lambda fg, c, x, y: fg.where(c, x, y), [B, X, Y], np.where, [1, 2])
row("SelectV2", lambda fg, c, x, y: fg.where(c, x, y), [B[:, :1], X, ROW4], np.where, [1, 2])
row("AddN", lambda fg, x, y: fg.add_n([x, y, x]), [X, Y], lambda x, y: 2 * x + y, [0, 1])

# Reductions.
for op, name, expect, x in [
    ("Sum", "reduce_sum", np.sum, X),
    ("Mean", "reduce_mean", np.mean, X),
    ("Prod", "reduce_prod", np.prod, X),
    ("Max", "reduce_max", np.max, X),
    ("Min", "reduce_min", np.min, X),
    ("All", "reduce_all", np.all, B),
    ("Any", "reduce_any", np.any, B),
]:
    of = [0] if x is X else []
    row(op, lambda fg, x, n=name: getattr(fg, n)(x), [x], lambda x, e=expect: e(x), of)
    row(op, lambda fg, x, n=name: getattr(fg, n)(x, 0), [x], lambda x, e=expect: e(x, axis=0), of)
    row(
        op,
        lambda fg, x, n=name: getattr(fg, n)(x, [-1, 0], keepdims=True),
        [x],
        lambda x, e=expect: e(x, axis=(0, 1), keepdims=True),
        of,
    )
row(
    "EuclideanNorm",
    lambda fg, x: fg.math.reduce_euclidean_norm(x, 1),
    [X],
    lambda x: np.sqrt((x * x).sum(1)),
    [0],
)
row("ArgMax", lambda fg, x: fg.argmax(x, 1), [X], lambda x: x.argmax(1))
row("ArgMin", lambda fg, x: fg.argmin(x), [X], lambda x: x.argmin(0))
row("Cumsum", lambda fg, x: fg.cumsum(x, 1), [X], lambda x: x.cumsum(1), [0])
row(
    "Cumsum",
    lambda fg, x: fg.cumsum(x, 0, exclusive=True, reverse=True),
    [X],
    lambda x: x[::-1].cumsum(0)[::-1] - x,
    [0],
)
row("Cumprod", lambda fg, x: fg.math.cumprod(x, 1), [X], lambda x: x.cumprod(1), [0])
row("L2Loss", lambda fg, x: fg.nn.l2_loss(x), [X], lambda x: (x * x).sum() / 2, [0])

# Products.
row("MatMul", lambda fg, a, b: fg.matmul(a, b), [X, Y.T], lambda a, b: a @ b, [0, 1])
row(
    "MatMul",
    lambda fg, a, b: fg.matmul(a, b, transpose_a=True, adjoint_b=True),
    [X, Y.T],
    lambda a, b: a.T @ b.T if a.shape[0] == b.shape[1] else None,
    [0, 1],
)
T3, T4 = floats(2, 3, 4, seed=3), floats(2, 4, 2, seed=4)
row("BatchMatMulV2", lambda fg, a, b: fg.matmul(a, b), [T3, T4], lambda a, b: a @ b, [0, 1])
row(
    "BatchMatMulV2",
    lambda fg, a, b: fg.matmul(a, b, transpose_b=True),
    [T3, X],
    lambda a, b: a @ b.T,
    [0, 1],
)
row("MatrixBandPart", lambda fg, x: fg.linalg.band_part(x, 0, -1), [X], np.triu, [0])

# Neural networks.


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


LABELS = softmax(Y)
CLASSES = np.array([1, 0, 3], np.int32)
row("Softmax", lambda fg, x: fg.nn.softmax(x), [X], softmax, [0])
row("Softmax", lambda fg, x: fg.nn.softmax(x, axis=0), [X], lambda x: softmax(x, 0), [0])
row("LogSoftmax", lambda fg, x: fg.nn.log_softmax(x), [X], lambda x: np.log(softmax(x)), [0])
row(
    "SoftmaxCrossEntropyWithLogits",
    lambda fg, y, x: fg.nn.softmax_cross_entropy_with_logits(y, x),
    [LABELS, X],
    lambda y, x: -(y * np.log(softmax(x))).sum(-1),
    [0, 1],
)
row(
    "SparseSoftmaxCrossEntropyWithLogits",
    lambda fg, y, x: fg.nn.sparse_softmax_cross_entropy_with_logits(y, x),
    [CLASSES, X],
    lambda y, x: -np.log(softmax(x))[np.arange(3), y],
    [1],
)
row("BiasAdd", lambda fg, x, b: fg.nn.bias_add(x, b), [X, ROW4], lambda x, b: x + b, [0, 1])
row(
    "BiasAdd",
    lambda fg, x, b: fg.nn.bias_add(x, b, "NC"),
    [T3, ROW4[:3]],
    lambda x, b: x + b[:, None],
    [0, 1],
)

# Shapes and rearrangements.
row("Shape", lambda fg, x: fg.shape(x), [X], lambda x: np.array(x.shape, np.int32))
row("Size", lambda fg, x: fg.size(x), [X], lambda x: np.int32(x.size))
row("Rank", lambda fg, x: fg.rank(x), [X], lambda x: np.int32(x.ndim))
row("Reshape", lambda fg, x: fg.reshape(x, [2, -1]), [X], lambda x: x.reshape(2, -1), [0])
row("ExpandDims", lambda fg, x: fg.expand_dims(x, 1), [X], lambda x: x[:, None], [0])
row("Squeeze", lambda fg, x: fg.squeeze(x, [1]), [X[:, None]], lambda x: x[:, 0], [0])
row(
    "BroadcastTo",
    lambda fg, x: fg.broadcast_to(x, [2, 3, 4]),
    [X],
    lambda x: np.broadcast_to(x, (2, 3, 4)),
    [0],
)
row(
    "BroadcastArgs",
    lambda fg, a, b: fg.broadcast_dynamic_shape(a, b),
    [np.array([3, 1], np.int32), np.array([2, 1, 4], np.int32)],
    lambda a, b: np.array([2, 3, 4], np.int32),
)
row("EnsureShape", lambda fg, x: fg.ensure_shape(x, [None, 4]), [X], lambda x: x, [0])
row("Transpose", lambda fg, x: fg.transpose(x), [T3], np.transpose, [0])
row("Transpose", lambda fg, x: fg.transpose(x, [1, 0, 2]), [T3], lambda x: x.swapaxes(0, 1), [0])
row("Tile", lambda fg, x: fg.tile(x, [2, 1]), [X], lambda x: np.tile(x, (2, 1)), [0])
row(
    "Pad",
    lambda fg, x: fg.pad(x, [[1, 0], [0, 2]]),
    [X],
    lambda x: np.pad(x, [[1, 0], [0, 2]]),
    [0],
)
row(
    "PadV2",
    lambda fg, x: fg.pad(x, [[1, 0], [0, 2]], constant_values=7.0),
    [X],
    lambda x: np.pad(x, [[1, 0], [0, 2]], constant_values=7.0),
    [0],
)
for mode in ("reflect", "symmetric"):
    row(
        "MirrorPad",
        lambda fg, x, m=mode: fg.pad(x, [[1, 2], [0, 1]], m),
        [X],
        lambda x, m=mode: np.pad(x, [[1, 2], [0, 1]], m),
        [0],
    )
row("ReverseV2", lambda fg, x: fg.reverse(x, [0, -1]), [X], lambda x: x[::-1, ::-1], [0])
row(
    "Roll",
    lambda fg, x: fg.roll(x, [1, -2], [0, 1]),
    [X],
    lambda x: np.roll(x, (1, -2), (0, 1)),
    [0],
)
row("IdentityN", lambda fg, x, y: fg.identity_n([x, y]), [X, Y], lambda x, y: (x, y), [0, 1])
row("Slice", lambda fg, x: fg.slice(x, [1, 0], [2, -1]), [X], lambda x: x[1:], [0])
for key in (
    np.s_[1],
    np.s_[-1, 1:],
    np.s_[::2, ::-1],
    np.s_[..., 2],
    np.s_[:, None, 1:3],
    np.s_[-2:, :-1],
):
    row("StridedSlice", lambda fg, x, k=key: x[k], [X], lambda x, k=key: x[k], [0])
INDEX = np.array([2, 0, 2], np.int32)
row("GatherV2", lambda fg, x, i: fg.gather(x, i), [X, INDEX], lambda x, i: x[i], [0])
row("GatherV2", lambda fg, x, i: fg.gather(x, i, axis=1), [X, INDEX], lambda x, i: x[:, i], [0])
row(
    "GatherV2",
    lambda fg, x, i: fg.gather(x, i, batch_dims=1),
    [X, np.array([[0, 3], [1, 1], [2, 0]], np.int32)],
    lambda x, i: np.take_along_axis(x, i, 1),
    [0],
)
PLACES = np.array([[0, 1], [2, 3], [0, 1]], np.int32)
row(
    "GatherNd",
    lambda fg, x, i: fg.gather_nd(x, i),
    [X, PLACES],
    lambda x, i: x[i[:, 0], i[:, 1]],
    [0],
)


def scattered(x, i, u, how):
    x = x.copy()
    for place, value in zip(i, u, strict=True):
        x[tuple(place)] = how(x[tuple(place)], value)
    return x


row(
    "ScatterNd",
    lambda fg, i, u: fg.scatter_nd(i, u, [3, 4]),
    [PLACES, ROW4[:3]],
    lambda i, u: scattered(np.zeros((3, 4)), i, u, np.add),
    [1],
)
for op, name, how, grad in [
    ("TensorScatterUpdate", "update", lambda old, new: new, [0, 1]),
    ("TensorScatterAdd", "add", np.add, [0, 1]),
    ("TensorScatterSub", "sub", np.subtract, [0, 1]),
    ("TensorScatterMax", "max", np.maximum, [0, 1]),
    ("TensorScatterMin", "min", np.minimum, [0, 1]),
]:
    row(
        op,
        lambda fg, x, u, n=name: getattr(fg, f"tensor_scatter_nd_{n}")(x, PLACES[:2], u),
        [X, ROW4[:2]],
        lambda x, u, h=how: scattered(x, PLACES[:2], u, h),
        grad,
    )
SEGMENTS = np.array([2, 0, 2], np.int32)
row(
    "UnsortedSegmentSum",
    lambda fg, x, s: fg.math.unsorted_segment_sum(x, s, 4),
    [X, SEGMENTS],
    lambda x, s: np.stack([x[s == k].sum(0) for k in range(4)]),
    [0],
)
KINDS = [
    ("Sum", "sum", lambda x: x.sum(0)),
    ("Prod", "prod", lambda x: x.prod(0)),
    ("Max", "max", lambda x: x.max(0)),
    ("Min", "min", lambda x: x.min(0)),
]
for op, name, expect in KINDS:
    row(
        f"UnsortedSegment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"unsorted_segment_{n}")(x, s, 2),
        [X, np.array([1, 0, 1], np.int32)],
        lambda x, s, e=expect: np.stack([e(x[s == k]) for k in range(2)]),
        [0],
    )
for op, name, expect in [*KINDS, ("Mean", "mean", lambda x: x.mean(0))]:
    row(
        f"Segment{op}",
        lambda fg, x, s, n=name: getattr(fg.math, f"segment_{n}")(x, s),
        [X, np.array([0, 0, 1], np.int32)],
        lambda x, s, e=expect: np.stack([e(x[s == k]) for k in range(2)]),
        [0],
    )
for op, side in (("LowerBound", "left"), ("UpperBound", "right")):
    row(
        op,
        lambda fg, x, v, s=side: fg.searchsorted(x, v, s),
        [np.array([1.0, 3.0, 3.0, 5.0]), np.array([3.0, 9.0, 0.0])],
        lambda x, v, s=side: np.searchsorted(x, v, s).astype(np.int32),
    )
row("MatrixDiagV3", lambda fg, v: fg.linalg.diag(v, k=1), [ROW4], lambda v: np.diag(v, 1), [0])
row("MatrixDiagPartV3", lambda fg, x: fg.linalg.diag_part(x), [X], np.diagonal, [0])
row(
    "MatrixSetDiagV3",
    lambda fg, x, v: fg.linalg.set_diag(x, v),
    [X, ROW4[:3]],
    lambda x, v: np.where(np.eye(3, 4), v[:, None], x),
    [0, 1],
)
row(
    "UniqueWithCounts",
    lambda fg, x: tuple(fg.unique_with_counts(x)),
    [np.array([4, 1, 4, 2], np.int32)],
    lambda x: (
        np.array([4, 1, 2], np.int32),
        np.array([0, 1, 0, 2], np.int32),
        np.array([2, 1, 1], np.int32),
    ),
)
row(
    "ConcatV2",
    lambda fg, x, y: fg.concat([x, y], 1),
    [X, Y],
    lambda x, y: np.concatenate([x, y], 1),
    [0, 1],
)
row("Pack", lambda fg, x, y: fg.stack([x, y], 1), [X, Y], lambda x, y: np.stack([x, y], 1), [0, 1])
row("Unpack", lambda fg, x: fg.unstack(x, 3), [X], lambda x: tuple(x), [0])
row("Split", lambda fg, x: fg.split(x, 2, 1), [X], lambda x: tuple(np.split(x, 2, 1)), [0])
row("SplitV", lambda fg, x: fg.split(x, [1, -1]), [X], lambda x: (x[:1], x[1:]), [0])

# Creation, selection, order.
row("Fill", lambda fg, v: fg.fill([2, 3], v), [np.float64(1.5)], lambda v: np.full((2, 3), v), [0])
row("Range", lambda fg, n: fg.range(1, n, 2), [np.int32(8)], lambda n: np.arange(1, n, 2, np.int32))
row(
    "LinSpace",
    lambda fg, a: fg.linspace(a, 3.0, 5),
    [np.float64(1.0)],
    lambda a: np.linspace(a, 3, 5),
)
row(
    "OneHot",
    lambda fg, i: fg.one_hot(i, 4, dtype=fg.float64),
    [INDEX],
    lambda i: np.eye(4)[i],
)
row("Where", lambda fg, c: fg.where(c), [B], np.argwhere)
row(
    "TopKV2",
    lambda fg, x: tuple(fg.math.top_k(x, 2)),
    [X],
    lambda x: (-np.sort(-x)[:, :2], np.argsort(-x)[:, :2].astype(np.int32)),
    [0],
)
row(
    "Unique",
    lambda fg, x: tuple(fg.unique(x)),
    [np.array([4, 1, 4, 2], np.int32)],
    lambda x: (np.array([4, 1, 2], np.int32), np.array([0, 1, 0, 2], np.int32)),
)

# Strings.
TEXT = np.array([b"ab ", b" Cde"], object)
row("StringJoin", lambda fg, s: fg.strings.join([s, "!"]), [TEXT], lambda s: s + b"!")
row(
    "StringUpper",
    lambda fg, s: fg.strings.upper(s),
    [TEXT],
    lambda s: np.array([b"AB ", b" CDE"], object),
)
row(
    "StringLower",
    lambda fg, s: fg.strings.lower(s),
    [TEXT],
    lambda s: np.array([b"ab ", b" cde"], object),
)
row(
    "StringStrip",
    lambda fg, s: fg.strings.strip(s),
    [TEXT],
    lambda s: np.array([b"ab", b"Cde"], object),
)
row(
    "StringLength", lambda fg, s: fg.strings.length(s), [TEXT], lambda s: np.array([3, 4], np.int32)
)
row(
    "Substr",
    lambda fg, s: fg.strings.substr(s, 1, 2),
    [TEXT],
    lambda s: np.array([b"b ", b"Cd"], object),
)
row(
    "ReduceJoin",
    lambda fg, s: fg.strings.reduce_join(s),
    [TEXT],
    lambda s: np.array(b"ab  Cde", object),
)
row(
    "AsString",
    lambda fg, x: fg.strings.as_string(x),
    [INDEX],
    lambda x: np.array([b"2", b"0", b"2"], object),
)
row(
    "StringFormat",
    lambda fg, x: fg.strings.format("<{}>", x),
    [INDEX],
    lambda x: np.array(b"<[2 0 2]>", object),
)
row(
    "StringToNumber",
    lambda fg, s: fg.strings.to_number(s),
    [np.array([b"1.5", b"-2"], object)],
    lambda s: np.array([1.5, -2], np.float32),
)

WORDS = np.array([b"ab", b"a1", b""], object)
for op, pattern in (
    ("StaticRegexFullMatch", "[a-z]+"),
    ("RegexFullMatch", np.array(b"[a-z]+", object)),
):
    row(
        op,
        lambda fg, s, p=pattern: fg.strings.regex_full_match(s, p),
        [WORDS],
        lambda s: np.array([True, False, False]),
    )
for op, pattern in (("StaticRegexReplace", "[0-9]"), ("RegexReplace", np.array(b"[0-9]", object))):
    row(
        op,
        lambda fg, s, p=pattern: fg.strings.regex_replace(s, p, "<>"),
        [WORDS],
        lambda s: np.array([b"ab", b"a<>", b""], object),
    )
row(
    "UnsortedSegmentJoin",
    lambda fg, s: fg.strings.unsorted_segment_join(s, [1, 0, 1], 2, separator="-"),
    [WORDS],
    lambda s: np.array([b"a1", b"ab-"], object),
)

# Operations whose values are not fixed, or that compute nothing: reason instead of a row.
LEGACY = "an older form that saved graphs have; programs get the newer one"
GRADIENT = "what the gradient of another operation emits; tested through it"
TENSOR_LIST = "what a tensor array is made of; tested with those"
DATASETS = "makes datasets or takes their elements; tested with those"
DRAWS = "tested with the random numbers"
REASONS = {
    **dict.fromkeys(
        (
            "EmptyTensorList",
            *(
                f"TensorList{name}"
                for name in (
                    "ConcatV2",
                    "FromTensor",
                    "Gather",
                    "GetItem",
                    "Length",
                    "PopBack",
                    "PushBack",
                    "Reserve",
                    "Resize",
                    "ScatterIntoExistingList",
                    "ScatterV2",
                    "SetItem",
                    "Split",
                    "Stack",
                )
            ),
        ),
        TENSOR_LIST,
    ),
    **dict.fromkeys(
        (
            *(
                f"{name}Dataset"
                for name in (
                    "AssertCardinality",
                    "Concatenate",
                    "DirectedInterleave",
                    "Filter",
                    "FlatMap",
                    "GroupByWindow",
                    "IgnoreErrors",
                    "Interleave",
                    "Map",
                    "Prefetch",
                    "Range",
                    "Reduce",
                    "Repeat",
                    "Scan",
                    "Shard",
                    "Skip",
                    "Take",
                    "TakeWhile",
                    "Tensor",
                    "TensorSlice",
                    "Unbatch",
                    "Unique",
                    "Window",
                    "Zip",
                )
            ),
            "BatchDatasetV2",
            "CacheDatasetV2",
            "PaddedBatchDatasetV2",
            "RandomDatasetV2",
            "ShuffleDatasetV3",
            "DatasetCardinality",
            "DatasetToSingleElement",
            "AnonymousIteratorV3",
            "MakeIterator",
            "IteratorGetNext",
            "IteratorGetNextAsOptional",
            "IteratorHasNext",
            "OptionalFromValue",
            "OptionalGetValue",
            "OptionalHasValue",
            "OptionalNone",
        ),
        DATASETS,
    ),
    "StatelessRandomUniformV2": DRAWS,
    "StatelessRandomUniformIntV2": DRAWS,
    "StatelessRandomUniformFullIntV2": DRAWS,
    "StatelessRandomNormalV2": DRAWS,
    "StatelessTruncatedNormalV2": DRAWS,
    "StatelessRandomGetKeyCounter": DRAWS,
    "StatelessRandomGetAlg": "names the one generator there is; saved graphs ask for it",
    "StatelessRandomUniform": LEGACY,
    "StatelessRandomUniformInt": LEGACY,
    "StatelessRandomUniformFullInt": LEGACY,
    "StatelessRandomNormal": LEGACY,
    "StatelessTruncatedNormal": LEGACY,
    "StringSplitV2": "gives the parts of a ragged tensor, which it waits for",
    "MirrorPadGrad": GRADIENT,
    "Add": LEGACY,
    "BatchMatMul": LEGACY,
    "Div": LEGACY,
    "Inv": LEGACY,
    "Select": LEGACY,
    "ClipByValue": LEGACY,
    "BiasAddGrad": GRADIENT,
    "BroadcastGradientArgs": GRADIENT,
    "ReducedShape": GRADIENT,
    "ReluGrad": GRADIENT,
    "SigmoidGrad": GRADIENT,
    "StridedSliceGrad": GRADIENT,
    "TanhGrad": GRADIENT,
    "Const": "made from values, by constant and conversions",
    "Placeholder": "stands for an argument; traces make it",
    "NoOp": "computes nothing",
    "CustomGradient": "tested with custom gradients",
    "If": "tested with control flow",
    "StatelessIf": "tested with control flow",
    "While": "tested with control flow",
    "StatelessWhile": "tested with control flow",
    "PartitionedCall": "tested with functions",
    "StatefulPartitionedCall": "tested with functions",
    "ReadVariableOp": "tested with variables",
    "AssignVariableOp": "tested with variables",
    "AssignAddVariableOp": "tested with variables",
    "AssignSubVariableOp": "tested with variables",
    "RandomUniform": DRAWS,
    "RandomUniformInt": DRAWS,
    "RandomStandardNormal": DRAWS,
    "TruncatedNormal": DRAWS,
    "RandomShuffle": DRAWS,
    "PrintV2": "writes: tested with printing",
    "Assert": "fails or does nothing: tested with assertions",
}
