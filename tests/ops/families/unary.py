"""Elementwise operations of one argument."""

import math

import numpy as np
from table import (
    ALL,
    COMPLEX,
    DENSE,
    INEXACT,
    INTS,
    NUMBERS,
    REAL,
    SIGNED,
    Vary,
    row,
    unary,
)

POSITIVE = Vary(3, 4, low=0.1, high=3.0)
UNIT = Vary(3, 4, low=-0.9, high=0.85)
FAR = Vary(values=[-90.0, -21.0, 0.0, 19.0, 20.5, 60.0])
CORNERS = Vary(values=[1.0, np.inf, -np.inf, np.nan, -0.0])
HALF = {"complex64": "float32", "complex128": "float64"}


def each(function):
    """A scalar function made elementwise."""
    return np.vectorize(function, otypes=[np.float64])


def digamma(x):
    total = 0.0
    while x < 20:
        total, x = total - 1 / x, x + 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def bessel(order, x):
    """exp(-|x|) I(x) by its integral over a period, for which the midpoint rule is exact here."""
    angles = (np.arange(400) + 0.5) * math.pi / 400
    return np.mean(np.exp(x * np.cos(angles) - abs(x)) * np.cos(order * angles))


def unit_sign(x):
    """-1, 0 or 1; for complex numbers the point of the unit circle in the direction of x."""
    return x / np.abs(x) if np.iscomplexobj(x) else np.sign(x)


def real_part(dtype):
    return HALF[dtype]


unary("Abs", lambda fg: fg.abs, np.abs, dtypes=REAL)
unary("ComplexAbs", lambda fg: fg.abs, np.abs, grad=False, dtypes=COMPLEX, out=real_part)
unary("Acos", lambda fg: fg.acos, np.arccos, UNIT, dtypes=INEXACT)
unary("Acosh", lambda fg: fg.acosh, np.arccosh, Vary(3, 4, low=1.1, high=4.0), dtypes=INEXACT)
unary("Asin", lambda fg: fg.asin, np.arcsin, UNIT, dtypes=INEXACT)
unary("Asinh", lambda fg: fg.asinh, np.arcsinh, dtypes=INEXACT)
unary("Atan", lambda fg: fg.atan, np.arctan, dtypes=INEXACT)
unary("Atanh", lambda fg: fg.atanh, np.arctanh, UNIT, dtypes=INEXACT)
unary("BesselI0e", lambda fg: fg.math.bessel_i0e, each(lambda x: bessel(0, x)), tol=2)
unary("BesselI1e", lambda fg: fg.math.bessel_i1e, each(lambda x: bessel(1, x)), tol=2)
unary("BesselI0e", lambda fg: fg.math.bessel_i0e, each(lambda x: bessel(0, x)), FAR, grad=None)
unary("BesselI1e", lambda fg: fg.math.bessel_i1e, each(lambda x: bessel(1, x)), FAR, grad=None)
unary("Ceil", lambda fg: fg.math.ceil, np.ceil, grad=False)
unary("Cos", lambda fg: fg.cos, np.cos, dtypes=INEXACT)
unary("Cosh", lambda fg: fg.cosh, np.cosh, dtypes=INEXACT)
unary("Digamma", lambda fg: fg.math.digamma, each(digamma), POSITIVE, tol=4)
unary("Erf", lambda fg: fg.math.erf, each(math.erf))
unary("Erfc", lambda fg: fg.math.erfc, each(math.erfc))
unary("Exp", lambda fg: fg.exp, np.exp, dtypes=INEXACT)
unary("Expm1", lambda fg: fg.math.expm1, np.expm1, dtypes=INEXACT)
unary("Floor", lambda fg: fg.floor, np.floor, grad=False)
unary("IsFinite", lambda fg: fg.math.is_finite, np.isfinite, CORNERS, False, out="bool")
unary("IsInf", lambda fg: fg.math.is_inf, np.isinf, CORNERS, False, out="bool")
unary("IsNan", lambda fg: fg.math.is_nan, np.isnan, CORNERS, False, out="bool")
unary("Lgamma", lambda fg: fg.math.lgamma, each(math.lgamma), POSITIVE)
unary("Log", lambda fg: fg.math.log, np.log, POSITIVE, dtypes=INEXACT)
unary("Log1p", lambda fg: fg.math.log1p, np.log1p, POSITIVE, dtypes=INEXACT)
unary("LogicalNot", lambda fg: fg.logical_not, np.logical_not, grad=False, dtypes=("bool",))
unary("Neg", lambda fg: fg.negative, np.negative, dtypes=INEXACT + SIGNED)
unary("Reciprocal", lambda fg: fg.math.reciprocal, np.reciprocal, dtypes=INEXACT)
unary("Rint", lambda fg: fg.math.rint, np.rint, grad=False)
unary("Round", lambda fg: fg.round, np.round, grad=False)
unary("Rsqrt", lambda fg: fg.math.rsqrt, lambda x: 1 / np.sqrt(x), POSITIVE, dtypes=INEXACT)
unary("Sigmoid", lambda fg: fg.sigmoid, lambda x: 1 / (1 + np.exp(-x)), dtypes=INEXACT)
unary("Sign", lambda fg: fg.sign, unit_sign, dtypes=NUMBERS)
unary("Sin", lambda fg: fg.sin, np.sin, dtypes=INEXACT)
unary("Sinh", lambda fg: fg.sinh, np.sinh, dtypes=INEXACT)
unary("Sqrt", lambda fg: fg.sqrt, np.sqrt, POSITIVE, dtypes=INEXACT)
unary("Square", lambda fg: fg.square, np.square, dtypes=NUMBERS)
unary("Tan", lambda fg: fg.tan, np.tan, UNIT, dtypes=INEXACT)
unary("Tanh", lambda fg: fg.tanh, np.tanh, dtypes=INEXACT)
unary("Softplus", lambda fg: fg.math.softplus, lambda x: np.log1p(np.exp(x)))
unary("Softsign", lambda fg: fg.nn.softsign, lambda x: x / (1 + np.abs(x)))
unary("Relu", lambda fg: fg.nn.relu, lambda x: np.maximum(x, 0), dtypes=REAL)
unary(
    "Relu6",
    lambda fg: fg.nn.relu6,
    lambda x: np.clip(x, 0, 6),
    Vary(3, 4, low=-8.0, high=8.0),
    dtypes=REAL,
)
unary("Elu", lambda fg: fg.nn.elu, lambda x: np.where(x > 0, x, np.expm1(x)))
unary(
    "Selu",
    lambda fg: fg.nn.selu,
    lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
)
unary("LeakyRelu", lambda fg: fg.nn.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x))
unary(
    "LeakyRelu", lambda fg: lambda x: fg.nn.leaky_relu(x, 0.5), lambda x: np.where(x > 0, x, x / 2)
)
unary(
    "LeakyRelu",
    lambda fg: fg.nn.leaky_relu,
    lambda x: np.where(x > 0, x, 0.2 * x),
    grad=False,
    dtypes=INTS,
    out="float32",
)
unary("Invert", lambda fg: fg.bitwise.invert, np.invert, grad=False, dtypes=INTS)
unary("Conj", lambda fg: fg.math.conj, np.conj, grad=False, dtypes=COMPLEX)
unary("Real", lambda fg: fg.math.real, np.real, grad=False, dtypes=COMPLEX, out=real_part)
unary("Imag", lambda fg: fg.math.imag, np.imag, grad=False, dtypes=COMPLEX, out=real_part)
unary("Angle", lambda fg: fg.math.angle, np.angle, grad=False, dtypes=COMPLEX, out=real_part)
unary("Identity", lambda fg: fg.identity, lambda x: x, dtypes=ALL)
unary("StopGradient", lambda fg: fg.stop_gradient, lambda x: x, grad=False, dtypes=ALL)
unary(
    "CheckNumerics",
    lambda fg: lambda x: fg.debugging.check_numerics(x, "x"),
    lambda x: x,
    dtypes=INEXACT,
)
unary(
    "CheckNumericsV2",
    lambda fg: lambda x: fg._core.emit("CheckNumericsV2", (x,), {"message": "x"}, None),
    lambda x: x,
    dtypes=INEXACT,
    hidden="what stands behind the operations of a function while enable_check_numerics is on",
)
unary("Erfinv", lambda fg: lambda x: fg.math.erfinv(fg.math.erf(x)), lambda x: x, UNIT, tol=4)
unary(
    "Ndtri",
    lambda fg: lambda x: fg.math.ndtri((1 + fg.math.erf(x)) / 2),
    lambda x: x * 2**0.5,
    UNIT,
    tol=4,
)


def casted(x, dtype):
    """What ``x`` becomes: complex numbers lose their imaginary part, anything but 0 is True."""
    if dtype == "bool":
        return x != 0
    return np.real(x) if np.iscomplexobj(x) and dtype not in COMPLEX else x


for target in DENSE:
    # A cast to the dtype that a tensor has is no operation: that dtype comes last.
    unary(
        "Cast",
        lambda fg, t=target: lambda x: fg.cast(x, t),
        lambda x, t=target: casted(np.trunc(x) if t in INTS and x.dtype.kind == "f" else x, t),
        Vary(3, 4, low=0.0, high=60.0, ints=(0, 60)),
        grad=None,
        dtypes=(*(d for d in DENSE if d != target), target),
        out=target,
    )
unary(
    "Cast",
    lambda fg: lambda x: fg.cast(x, fg.uint8),
    lambda x: np.trunc(x).astype(np.int64),
    Vary(3, 4, ints=(-300, 300)),
    grad=False,
    dtypes=("int16", "int32", "int64"),
    out="uint8",
)
row(
    "Cast",
    lambda fg, x: fg.cast(fg.cast(x, fg.complex128), fg.float64),
    [Vary(3, 4)],
    lambda x: x,
    [0],
    dtypes=("float64",),
)
