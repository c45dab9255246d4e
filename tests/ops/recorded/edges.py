"""The values of each dtype that break things: zeros, extremes, thresholds, what is not finite."""

import math

INF, NAN = math.inf, math.nan
HALVES, SINGLES, DOUBLES = ("float16", "bfloat16"), ("float32",), ("float64",)
FLOATS = HALVES + SINGLES + DOUBLES
COMPLEX = ("complex64", "complex128")
SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
INEXACT, REAL = FLOATS + COMPLEX, FLOATS + INTS
NUMBERS = REAL + COMPLEX

# The largest finite number, the smallest normal one, the distance from 1 to the next.
LIMITS = {
    "float16": (65504.0, 2.0**-14, 2.0**-10),
    "bfloat16": ((2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-7),
    "float32": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-23),
    "float64": (1.7976931348623157e308, 2.0**-1022, 2.0**-52),
    "complex64": ((2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-23),
    "complex128": (1.7976931348623157e308, 2.0**-1022, 2.0**-52),
}
BITS = {name: int(name.lstrip("uint")) for name in INTS}


def bounds(dtype):
    """The smallest and the largest integer."""
    bits = BITS[dtype]
    return (0, 2**bits - 1) if dtype in UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def reals(dtype):
    """Edges of a floating dtype."""
    most, least, eps = LIMITS[dtype]
    positive = [least, 4 * least, eps / 8, eps, 0.015625, 0.25, 0.5, 0.984375, 1.0, 1 + eps]
    positive += [1.5, 2.0, 2.5, 3.140625, 6.0, 7.5, 10.0, 13.0, 37.0, 88.5, 709.0, 1024.0, 50000.0]
    positive += [math.sqrt(most), most / 4, most]
    if dtype != "float16":
        positive += [1e8, 3e9, 1e18]
    if dtype == "float64":
        positive += [1e-300, 1e-150, 1e-30, 1e22, 1e150, 1e200, 1e300]
    if dtype in ("float32", "bfloat16"):
        positive += [1e-30, 1e-20, 1e20, 1e30]
    return [0.0, *positive, INF, -0.0, *[-x for x in positive], -INF, NAN]


def few_reals(dtype):
    """The most telling edges, for pairs."""
    most, least, eps = LIMITS[dtype]
    positive = [least, eps, 0.5, 1.0, 2.0, 3.5, math.sqrt(most), most]
    return [0.0, *positive, INF, -0.0, *[-x for x in positive], -INF, NAN]


# Arguments of incomplete gamma functions, and of incomplete beta functions.
ARGUMENTS = [0.0, -1.0, 1e-5, 0.25, 1.0, 2.5, 29.0, 34.0, 245.0, 300.0, INF, NAN]
SHARES = [0.0, -0.1, 1e-4, 0.25, 0.5, 0.875, 1.0, 1.5, NAN]


def moderate(dtype):
    """Floats where special functions change their course, and what is not finite."""
    positive = [1e-3, 0.2, 0.25, 0.5, 0.984375, 1.0, 1.5, 1.625, 2.0, 3.140625, 6.0, 8.0, 13.0]
    positive += [19.5, 21.0, 37.0, 41.0, 80.0, 700.0, 1024.0]
    return [0.0, *positive, INF, -0.0, *[-x for x in positive], -INF, NAN]


def complexes(dtype):
    """Edges of a complex dtype: pairs of moderate, tiny and huge parts, and some infinite ones."""
    most, least, eps = LIMITS[dtype]
    big = math.sqrt(most)
    parts = [0.0, 1.0, -1.0, 0.5, -2.0, least * 4, eps / 4, -eps, 20.0, -100.0, 1000.0, big * 4]
    pairs = [complex(a, b) for a in parts for b in parts]
    huge = [complex(a, b) for a in (most / 4, -most / 4) for b in (0.0, 1.0, most / 4, -most / 4)]
    return pairs + huge


def few_complexes(dtype):
    """The most telling complex edges, for pairs."""
    most, least, eps = LIMITS[dtype]
    parts = [0.0, -0.5, least * 4, most / 8]
    return [complex(a, b) for a in parts for b in parts]


def whole(dtype):
    """Edges of an integer dtype."""
    low, high = bounds(dtype)
    near = [0, 1, 2, 3, 5, 7, 100, high // 2, high // 2 + 1, high - 1, high]
    return near + [-x for x in near if 0 < x <= -low] + ([low, low + 1] if low else [])


def few_whole(dtype):
    """The most telling integers, for pairs."""
    low, high = bounds(dtype)
    return [0, 1, 2, 7, high] + ([-1, -3, low] if low else [])


def edges(dtype):
    """Edges of any dtype."""
    if dtype in FLOATS:
        return reals(dtype)
    if dtype in COMPLEX:
        return complexes(dtype)
    return [False, True] if dtype == "bool" else whole(dtype)


def few(dtype):
    """The most telling edges of any dtype."""
    if dtype in FLOATS:
        return few_reals(dtype)
    if dtype in COMPLEX:
        return few_complexes(dtype)
    return [False, True] if dtype == "bool" else few_whole(dtype)


def pairs(dtype, left=None, right=None):
    """Every pair of the most telling edges, as two lists."""
    left, right = few(dtype) if left is None else left, few(dtype) if right is None else right
    both = [(a, b) for a in left for b in right]
    return [a for a, _ in both], [b for _, b in both]
