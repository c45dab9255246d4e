"""Special functions, against their integrals by quadrature."""

import math

import numpy as np
from table import FLOATS, Vary, pair, row, unary

from families.unary import bessel, each

POSITIVE = Vary(3, 4, low=0.1, high=3.0)
SPREAD = Vary(3, 4, low=-4.0, high=4.0)
PARAMETER = Vary(3, 4, low=0.2, high=4.0)
ARGUMENT = Vary(3, 4, low=0.1, high=6.0, seed=1)
WIDE = ("float64", "float32")


def tanh_sinh():
    """Nodes and weights of the tanh-sinh rule on [0, 1]."""
    t = np.arange(-320, 321) / 64
    s = math.pi / 2 * np.sinh(t)
    nodes, rest = 1 / (1 + np.exp(-2 * s)), 1 / (1 + np.exp(2 * s))
    return nodes, math.pi / 64 * np.cosh(t) * nodes * rest


NODES, WEIGHTS = tanh_sinh()


def unit(f):
    """The integral of f over [0, 1]."""
    return float(np.sum(WEIGHTS * f(NODES)))


def line(f):
    """The integral of f from 0 to infinity, for functions that vanish beyond 8."""
    with np.errstate(over="ignore"):
        return 8 * unit(lambda u: f(8 * u))


def angle(f):
    """The mean of f over the angles from 0 to pi."""
    return float(np.mean(f((np.arange(4000) + 0.5) * math.pi / 4000)))


def modified(order, x):
    return bessel(order, x) * math.exp(abs(x))


def second_modified(order, x, scale=0.0):
    return line(lambda t: np.exp(scale * x - x * np.cosh(t)) * np.cosh(order * t))


def first(order, x):
    return angle(lambda t: np.cos(order * t - x * np.sin(t)))


def second(order, x):
    turn = unit(lambda u: np.sin(x * np.sin(math.pi * u) - order * math.pi * u))

    def tail(t):
        rise = np.exp(order * t) + (-1) ** order * np.exp(-order * t)
        return rise * np.exp(-x * np.sinh(t))

    return turn - line(tail) / math.pi


def power_moment(a, x, n):
    """The integral of u^(a-1) ln(u)^n exp(-x u) over [0, 1]."""
    return unit(lambda u: u ** (a - 1) * np.log(u) ** n * np.exp(-x * u))


def digamma(x):
    total = 0.0
    while x < 200:
        total, x = total - 1 / x, x + 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def trigamma(x):
    total = 0.0
    while x < 30:
        total, x = total + 1 / x**2, x + 1
    return total + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)


def igamma(a, x, order=0):
    """The lower incomplete gamma function, or a derivative of it by its parameter."""
    scale = x**a / math.gamma(a)
    score = math.log(x) - digamma(a)
    moments = [power_moment(a, x, n) for n in range(order + 1)]
    if order == 0:
        return scale * moments[0]
    if order == 1:
        return scale * (moments[1] + score * moments[0])
    square = score**2 - trigamma(a)
    return scale * (moments[2] + 2 * score * moments[1] + square * moments[0])


def betainc(a, b, x):
    scale = math.gamma(a + b) / (math.gamma(a) * math.gamma(b))
    return scale * x**a * unit(lambda u: u ** (a - 1) * (1 - x * u) ** (b - 1))


def special(name):
    return lambda fg: getattr(fg.math.special, name)


for op, name, expect, x in [
    ("BesselI0", "bessel_i0", lambda x: modified(0, x), SPREAD),
    ("BesselI1", "bessel_i1", lambda x: modified(1, x), SPREAD),
    ("BesselJ0", "bessel_j0", lambda x: first(0, x), SPREAD),
    ("BesselJ1", "bessel_j1", lambda x: first(1, x), SPREAD),
    ("BesselK0", "bessel_k0", lambda x: second_modified(0, x), POSITIVE),
    ("BesselK1", "bessel_k1", lambda x: second_modified(1, x), POSITIVE),
    ("BesselK0e", "bessel_k0e", lambda x: second_modified(0, x, 1.0), POSITIVE),
    ("BesselK1e", "bessel_k1e", lambda x: second_modified(1, x, 1.0), POSITIVE),
    ("BesselY0", "bessel_y0", lambda x: second(0, x), POSITIVE),
    ("BesselY1", "bessel_y1", lambda x: second(1, x), POSITIVE),
    ("Dawsn", "dawsn", lambda x: x * unit(lambda u: np.exp(x * x * (u * u - 1))), SPREAD),
    (
        "Expint",
        "expint",
        lambda x: np.euler_gamma + math.log(x) + unit(lambda u: np.expm1(x * u) / u),
        POSITIVE,
    ),
    (
        "FresnelCos",
        "fresnel_cos",
        lambda x: x * unit(lambda u: np.cos(math.pi / 2 * (x * u) ** 2)),
        SPREAD,
    ),
    (
        "FresnelSin",
        "fresnel_sin",
        lambda x: x * unit(lambda u: np.sin(math.pi / 2 * (x * u) ** 2)),
        SPREAD,
    ),
    ("Spence", "spence", lambda x: -unit(lambda u: np.log1p((x - 1) * u) / u), POSITIVE),
]:
    unary(op, special(name), each(expect), x, tol=4)


pair("Igamma", lambda fg: fg.math.igamma, each(igamma), PARAMETER, ARGUMENT, tol=4)
pair(
    "Igammac",
    lambda fg: fg.math.igammac,
    each(lambda a, x: 1 - igamma(a, x)),
    PARAMETER,
    ARGUMENT,
    tol=4,
)
INNER = "what the gradient of igamma is"
for op, order, grad in (("IgammaGradA", 1, (0, 1)), ("IgammaGradAA", 2, (1,))):
    row(
        op,
        lambda fg, a, x, op=op: fg._core.emit(op, (a, x), None, None),
        [PARAMETER, ARGUMENT],
        each(lambda a, x, order=order: igamma(a, x, order)),
        grad,
        dtypes=FLOATS,
        tol=16,
        hidden=INNER,
    )
row(
    "Betainc",
    lambda fg, a, b, x: fg.math.betainc(a, b, x),
    [PARAMETER, PARAMETER, Vary(3, 4, low=0.02, high=0.93, seed=2)],
    each(betainc),
    (2,),
    dtypes=WIDE,
    tol=8,
    empty=[Vary(0, 4), Vary(1, 4), Vary()],
    scalar=[PARAMETER.of(), PARAMETER.of(), Vary(low=0.02, high=0.93)],
    forms={
        "broadcast": [PARAMETER.of(3, 1), PARAMETER.of(4), Vary(2, 1, 1, low=0.02, high=0.93)],
    },
)
