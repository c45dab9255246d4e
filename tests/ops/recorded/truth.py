"""True values of elementwise functions, by arithmetic of high precision."""

import math

import mpmath as mp

from . import compare
from .edges import LIMITS

mp.mp.dps = 60


def off_cut(x, part):
    """A complex number that lies on no cut of its plane, where the sign of a zero decides."""
    if isinstance(x, mp.mpc) and part == 0:
        raise ValueError
    return x


def gelu(x):
    return x * mp.ncdf(x)


def lgamma(x):
    return mp.log(abs(mp.gamma(x))) if abs(x) < 1e6 else mp.re(mp.loggamma(x))


def quantile(p):
    """The inverse of the normal distribution function, by Newton's method in the logarithm."""
    if not 0 < p < 1:
        raise ValueError
    if p > 0.5:
        return -quantile(1 - p)
    x = -mp.sqrt(-2 * mp.log(p)) if p < mp.mpf("0.3") else mp.mpf(0)
    for _ in range(200):
        y = mp.ncdf(x)
        step = mp.log(y / p) * y / mp.npdf(x)
        x -= step
        if abs(step) < mp.mpf(10) ** -50:
            break
    return x


def erfinv(y):
    if y < 0:
        return -erfinv(-y)
    if not y < 1:
        raise ValueError
    return -quantile((1 - y) / 2) / mp.sqrt(2)


SELU_SCALE = mp.mpf("1.05070098735548049341933498529460")
SELU_ALPHA = mp.mpf("1.67326324235437728481704299316730")


def above(x):
    """A number above 0, where alone the function is real."""
    if not x > 0:
        raise ValueError
    return x


UNARY = {
    "exp": mp.exp,
    "math.expm1": mp.expm1,
    "math.log": mp.log,
    "math.log1p": lambda x: mp.log(1 + x),
    "sqrt": mp.sqrt,
    "math.rsqrt": lambda x: 1 / mp.sqrt(x),
    "math.reciprocal": lambda x: 1 / x,
    "math.reciprocal_no_nan": lambda x: 1 / x,
    "square": lambda x: x * x,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": lambda x: mp.atan(off_cut(x, x.real)),
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": lambda x: mp.atanh(off_cut(x, x.imag)),
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "nn.silu": lambda x: x / (1 + mp.exp(-x)),
    "nn.gelu": gelu,
    "nn.softplus": lambda x: mp.log(1 + mp.exp(x)),
    "math.log_sigmoid": lambda x: -mp.log(1 + mp.exp(-x)),
    "nn.softsign": lambda x: x / (1 + abs(x)),
    "nn.selu": lambda x: SELU_SCALE * (x if x > 0 else SELU_ALPHA * mp.expm1(x)),
    "nn.elu": lambda x: x if x > 0 else mp.expm1(x),
    "math.erf": mp.erf,
    "math.erfc": mp.erfc,
    "math.erfinv": erfinv,
    "math.erfcinv": lambda y: -quantile(y / 2) / mp.sqrt(2),
    "math.ndtri": quantile,
    "math.lgamma": lgamma,
    "math.digamma": mp.digamma,
    "math.bessel_i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
    "math.bessel_i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
    "math.bessel_i0": lambda x: mp.besseli(0, x),
    "math.bessel_i1": lambda x: mp.besseli(1, x),
    "math.special.bessel_j0": lambda x: mp.besselj(0, x),
    "math.special.bessel_j1": lambda x: mp.besselj(1, x),
    "math.special.bessel_k0": lambda x: mp.besselk(0, above(x)),
    "math.special.bessel_k1": lambda x: mp.besselk(1, above(x)),
    "math.special.bessel_k0e": lambda x: mp.exp(x) * mp.besselk(0, above(x)),
    "math.special.bessel_k1e": lambda x: mp.exp(x) * mp.besselk(1, above(x)),
    "math.special.bessel_y0": lambda x: mp.bessely(0, above(x)),
    "math.special.bessel_y1": lambda x: mp.bessely(1, above(x)),
    "math.special.dawsn": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    "math.special.expint": lambda x: mp.ei(above(x)),
    "math.special.fresnel_cos": mp.fresnelc,
    "math.special.fresnel_sin": mp.fresnels,
    "math.special.spence": lambda x: mp.re(mp.polylog(2, 1 - above(x))),
}


def refuse():
    """No truth is told."""
    raise ValueError


def nonzero(x):
    """A number whose sign is known."""
    if x == 0:
        raise ValueError
    return x


def share(x):
    """A number between 0 and 1."""
    if not 0 < x < 1:
        raise ValueError
    return x


SEVERAL = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "math.divide_no_nan": lambda a, b: a / b,
    "pow": lambda a, b: mp.exp(b * mp.log(a)) if isinstance(a, mp.mpc) else refuse(),
    "math.zeta": mp.zeta,
    "math.igamma": lambda a, x: mp.gammainc(above(a), 0, above(x), regularized=True),
    "math.igammac": lambda a, x: mp.gammainc(above(a), above(x), regularized=True),
    "math.betainc": lambda a, b, x: mp.betainc(above(a), above(b), 0, share(x), regularized=True),
    "math.polygamma": lambda n, x: mp.polygamma(int(n), x),
    "math.atan2": lambda a, b: mp.atan2(nonzero(a), nonzero(b)),
    "math.xdivy": lambda a, b: a / b,
    "math.xlogy": lambda a, b: nonzero(a) * mp.log(b),
    "math.xlog1py": lambda a, b: nonzero(a) * mp.log(1 + b),
}


def finite(x):
    return math.isfinite(x.real) and math.isfinite(x.imag)


def number(x):
    """A number of high precision."""
    return mp.mpc(x.real, x.imag) if isinstance(x, complex) else mp.mpf(x)


def rounded(y, dtype):
    """The nearest number of the dtype, as a double or a pair of them."""
    most, _, eps = LIMITS[dtype]
    if dtype.startswith("complex"):
        return [limited(y.real, most, eps), limited(y.imag, most, eps)]
    if isinstance(y, mp.mpc):
        if y.imag != 0:
            raise ValueError
        y = y.real
    return limited(y, most, eps)


def limited(y, most, eps):
    """A double, infinite where the dtype's largest number is exceeded by half a step."""
    return math.copysign(math.inf, float(y)) if abs(y) >= most * (1 + mp.mpf(eps) / 4) else float(y)


def as_stored(x, dtype):
    """An argument as its dtype stores it."""
    import numpy as np
    import tensorflow as tf

    if isinstance(x, complex):
        return complex(np.complex64(x)) if dtype == "complex64" else x
    return float(np.float64(tf.constant(x, dtype).numpy()))


def true_value(case, function, at):
    """The value at one place, or None where it has none."""
    args = [as_stored(values[at], dtype) for values, dtype in case.args]
    if not all(finite(a) for a in args) or case.args[0][1] not in LIMITS:
        return None
    try:
        with mp.workdps(60 + 320 * any(abs(a) > 1e9 or 0 < abs(a) < 1e-9 for a in args)):
            return rounded(mp.mpmathify(function(*[number(a) for a in args])), case.args[0][1])
    except (
        ValueError,
        ZeroDivisionError,
        OverflowError,
        mp.mp.NoConvergence,
        TypeError,
        MemoryError,
    ):
        return None


def corrections(case, out):
    """The true values by place, where what was recorded is not near them."""
    function = (UNARY if len(case.args) == 1 else SEVERAL).get(case.exact)
    if function is None:
        return {}
    [[dtype, _, values]] = out
    found = {}
    for at, recorded in enumerate(values):
        true = true_value(case, function, at)
        if true is None or compare.same(recorded, true, dtype):
            continue
        if not compare.same(magnitudes(recorded), magnitudes(true), dtype):
            found[at] = true
    return found


def magnitudes(value):
    """The parts of a complex value without signs, other values as they are.

    On a branch cut the sign of a zero says on which side a number lies, which the reference does
    not know.
    """
    return [abs(float(part)) for part in value] if isinstance(value, list) else value
