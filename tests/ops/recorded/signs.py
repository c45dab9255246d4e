"""NaN, infinities and zeros of both signs where an order or a sign is asked for."""

from itertools import product

from .edges import FLOATS, INF, LIMITS, NAN
from .thresholds import CASES, call

__all__ = ["CASES"]


def rows(dtype, n):
    """All rows of so many of the numbers that an index of an extreme may pass over."""
    most = LIMITS[dtype][0]
    return [list(row) for row in product([NAN, INF, -INF, most, -most, 1.0], repeat=n)]


for path in ("argmax", "argmin"):
    for d in FLOATS:
        for n in (1, 2, 3):
            for axis in (0, 1):
                call(
                    f"{path} of {n} that may lose along {axis} {d}",
                    lambda m, p=path, d=d, n=n, axis=axis: getattr(m, p)(
                        m.transpose(m.constant(rows(d, n), d), [1 - axis, axis]), axis
                    ),
                )

VALUES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1e-30, -1e-30]
PAIRS = list(product(VALUES, repeat=2))
QUANTILES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, NAN, INF, -INF, 1.5]


def signed(m, x):
    """A result, and its inverse, which tells zeros of both signs apart."""
    return [x, m.math.reciprocal(x)]


ONE = {
    "sign": (VALUES, lambda m, x: m.sign(x)),
    "erfinv": (QUANTILES, lambda m, x: m.math.erfinv(x)),
    "ndtri": (QUANTILES, lambda m, x: m.math.ndtri(x)),
    "erfcinv": (QUANTILES, lambda m, x: m.math.erfcinv(x)),
    "numpy.sign": (VALUES, lambda m, x: m.experimental.numpy.sign(x)),
    "round": (VALUES, lambda m, x: m.round(x)),
    "rint": (VALUES, lambda m, x: m.math.rint(x)),
    "ceil": (VALUES, lambda m, x: m.math.ceil(x)),
    "abs": (VALUES, lambda m, x: m.abs(x)),
}
for name, (values, function) in ONE.items():
    for d in FLOATS:
        call(
            f"{name} of both zeros {d}",
            lambda m, f=function, v=values, d=d: signed(m, f(m, m.cast(m.constant(v), d))),
        )

TWO = {
    "%": lambda m, x, y: x % y,
    "floormod": lambda m, x, y: m.math.floormod(x, y),
    "mod": lambda m, x, y: m.math.mod(x, y),
    "truncatemod": lambda m, x, y: m.truncatemod(x, y),
}
for name, function in TWO.items():
    for d in FLOATS:
        call(
            f"{name} of both zeros {d}",
            lambda m, f=function, d=d: signed(
                m, f(m, *(m.cast(m.constant(side), d) for side in zip(*PAIRS, strict=True)))
            ),
        )

ORDERED = [[-INF, -1.0, -0.0, 0.0, 0.0, 2.0, INF, NAN], [-1.0, -0.0, -0.0, 0.0, 1.0, 1.0, NAN, NAN]]
for side in ("left", "right"):
    for d in ("float16", "bfloat16", "float32", "float64"):
        call(
            f"searchsorted of both zeros {side} {d}",
            lambda m, s=side, d=d: m.searchsorted(
                m.cast(m.constant(ORDERED), d), m.cast(m.constant([VALUES] * 2), d), side=s
            ),
        )
for bounds in ([-1.0, 0.0, 2.0], [-0.0, 0.0], [-INF, 0.0, INF], []):
    for d in ("float32", "float64"):
        call(
            f"Bucketize of both zeros {bounds} {d}",
            lambda m, b=bounds, d=d: m.raw_ops.Bucketize(
                input=m.cast(m.constant(VALUES), d), boundaries=b
            ),
        )
