"""What is computed: functions by their public names, at the edges of their dtypes.

A case calls with the module first, so that one table serves both implementations.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from itertools import product

from . import edges as e
from .edges import COMPLEX, FLOATS, INEXACT, INTS, NUMBERS, REAL, SIGNED

CASES = {}


@dataclass
class Case:
    """One call: its name in the record, what it computes, its arguments as (values, dtype)."""

    key: str
    call: Callable
    args: list = field(default_factory=list)
    # The name of its function, where a reference of high precision is computed for each element.
    exact: str | None = None

    def run(self, module):
        """What the module makes of it."""
        return self.call(module, *[module.constant(v, module.as_dtype(d)) for v, d in self.args])

    def arguments(self, at):
        """The elements that stand at one place, or all of them."""
        args = [v if at is None or len(v) <= at else v[at] for v, _ in self.args]
        return ", ".join(map(repr, args))


def case(key, call, *args, exact=None):
    """Add a case."""
    assert key not in CASES, key
    CASES[key] = Case(key, call, list(args), exact)


def named(module, path):
    """`math.erf` of a module."""
    return reduce(getattr, path.split("."), module)


def unary(path, dtypes=FLOATS, values=e.edges):
    """An elementwise function at every edge."""
    for d in dtypes:
        case(f"{path} {d}", lambda m, x: named(m, path)(x), (values(d), d), exact=path)


def pair(path, d, a, b):
    """A function of two arguments, element by element."""
    case(f"{path} {d}", lambda m, x, y: named(m, path)(x, y), (a, d), (b, d), exact=path)


def binary(path, dtypes=FLOATS, right=None):
    """An elementwise function at every pair of edges."""
    for d in dtypes:
        pair(path, d, *e.pairs(d, right=right(d) if right else None))


for path in [
    "exp",
    "math.expm1",
    "math.log",
    "math.log1p",
    "sqrt",
    "math.rsqrt",
    "math.reciprocal",
    "square",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
]:
    unary(path, INEXACT)
for path in [
    "math.erf",
    "math.erfc",
    "math.erfinv",
    "math.erfcinv",
    "math.ndtri",
    "math.lgamma",
    "math.digamma",
    "math.bessel_i0e",
    "math.bessel_i1e",
    "nn.softplus",
    "nn.softsign",
    "nn.elu",
    "nn.selu",
    "nn.gelu",
    "nn.silu",
    "math.log_sigmoid",
    "math.ceil",
    "math.floor",
    "math.rint",
    "round",
    "math.is_nan",
    "math.is_inf",
    "math.is_finite",
    "math.reciprocal_no_nan",
]:
    unary(path)
for path in ("nn.relu", "nn.relu6", "nn.leaky_relu"):
    unary(path, FLOATS)
unary("abs", (*FLOATS, *SIGNED, *COMPLEX))
unary("negative", (*FLOATS, *SIGNED, *COMPLEX))
unary("sign", (*FLOATS, *SIGNED, *COMPLEX))
unary("square", INTS)
unary("math.angle", COMPLEX)

for path in ("add", "subtract", "multiply", "math.squared_difference"):
    binary(path, (*FLOATS, *COMPLEX, "int8", "int32", "int64"))
binary("divide", (*FLOATS, *COMPLEX))
binary("math.divide_no_nan", (*FLOATS, *COMPLEX))
binary("math.divide_no_nan", ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"))
binary("math.multiply_no_nan", (*FLOATS, *COMPLEX))
binary("maximum", REAL)
binary("minimum", REAL)
binary("truediv", INTS, lambda d: [b for b in e.few(d) if b])
for path in ("math.floordiv", "math.floormod", "truncatediv", "truncatemod"):
    binary(
        path,
        (*INTS, *(() if path.startswith("trunc") else FLOATS)),
        lambda d: [b for b in e.few(d) if b],
    )
binary("pow")
binary("pow", COMPLEX, lambda d: [0j, 1j, 2 + 0j, -0.5 + 0j, -1 - 1j, 0.5 + 3j])
binary("pow", ("int32", "int64"), lambda d: [0, 1, 2, 3, 7])
binary("math.atan2")
binary("math.xdivy", (*FLOATS, *COMPLEX))
binary("math.xlogy", (*FLOATS, *COMPLEX))
binary("math.xlog1py", (*FLOATS, *COMPLEX))
binary("math.nextafter", ("float32", "float64"))
for path in ("equal", "not_equal"):
    binary(path, ("float16", "float32", "float64", "complex64", "int64", "uint8", "bool"))
for path in ("less", "less_equal", "greater", "greater_equal"):
    binary(path, ("bfloat16", "float32", "float64", "int8", "uint64"))
for d in ("float32", "float64"):
    a, b = e.pairs(d, [1.0, 1.5, 2.0, 10.0, 50.0, 1000.0], [1e-3, 0.5, 1.0, 2.5, 30.0, 1e5])
    pair("math.zeta", d, a, b)
    a, b = e.pairs(d, [0.0, 1.0, 2.0, 5.0], [1e-3, 0.5, 1.0, 2.5, 30.0, 1e5])
    pair("math.polygamma", d, a, b)

for path in (
    "math.bessel_i0",
    "math.bessel_i1",
    *(f"math.special.bessel_{n}" for n in ("j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1")),
    *(f"math.special.{n}" for n in ("dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence")),
):
    unary(path, ("float16", "float32", "float64"), e.moderate)
for d in ("float32", "float64"):
    a, b = e.pairs(d, [0.0, -1.0, 1e-3, 0.3, 1.0, 2.5, 30.0, 250.0], e.ARGUMENTS)
    for path in ("math.igamma", "math.igammac"):
        pair(path, d, a, b)
    triples = list(product([0.0, 0.02, 1.0, 2.5, 40.0], [-1.0, 0.3, 3.0, 500.0], e.SHARES))
    case(
        f"math.betainc {d}",
        lambda m, a, b, x: m.math.betainc(a, b, x),
        *(([t[i] for t in triples], d) for i in range(3)),
        exact="math.betainc",
    )

DENSE = (*NUMBERS, "bool")


def converted(m, x, function, target):
    """One element after the other, as vectors of floats beyond an integer's range differ there."""
    inexact = x.dtype.is_floating or x.dtype.is_complex
    if inexact and m.as_dtype(target).is_integer:
        return m.stack([function(one, target) for one in m.unstack(x)])
    return function(x, target)


for source in DENSE:
    for target in DENSE:
        case(
            f"cast {source} to {target}",
            lambda m, x, t=target: converted(m, x, m.cast, t),
            (e.edges(source), source),
        )
    if source != "bool":
        for target in NUMBERS:
            case(
                f"saturate_cast {source} to {target}",
                lambda m, x, t=target: converted(m, x, m.saturate_cast, t),
                (e.edges(source), source),
            )

# Rows for reductions, scans, sorts.
ROWS = {
    "empty": [],
    "one": [2.0],
    "plain": [1.0, -3.0, 2.5, 0.5, 2.5],
    "nan first": [e.NAN, 1.0, 3.0],
    "nan amid": [1.0, e.NAN, 3.0],
    "nan last": [1.0, 3.0, e.NAN],
    "nan all": [e.NAN, e.NAN],
    "inf": [1.0, e.INF, 2.0],
    "both inf": [1.0, e.INF, -e.INF],
    "minus inf": [-e.INF, -e.INF],
    "zeros": [0.0, -0.0, 0.0],
}
INT_ROWS = {"empty": [], "one": [2], "plain": [1, 3, 2, 5, 2], "negative": [-1, -3, 2, -2]}
REDUCTIONS = [
    "reduce_sum",
    "reduce_prod",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "argmax",
    "argmin",
    "cumsum",
    "math.cumprod",
]
FLOAT_REDUCTIONS = [
    "reduce_logsumexp",
    "math.reduce_std",
    "math.reduce_variance",
    "math.reduce_euclidean_norm",
    "math.cumulative_logsumexp",
    "nn.softmax",
    "nn.log_softmax",
    "math.l2_normalize",
    "norm",
    "math.zero_fraction",
    "math.count_nonzero",
]


def reduction(path, rows, dtypes):
    for d in dtypes:
        for row, values in rows.items():
            if not (d.startswith("uint") and row == "negative"):
                case(f"{path} {row} {d}", lambda m, x: named(m, path)(x), (values, d))


def on_rows(path, call):
    for d in FLOATS:
        for row, values in ROWS.items():
            case(f"{path} {row} {d}", call, (values, d))


for path in REDUCTIONS:
    reduction(path, ROWS, FLOATS)
    reduction(path, INT_ROWS, INTS)
for path in FLOAT_REDUCTIONS:
    if path in ("nn.softmax", "nn.log_softmax", "math.l2_normalize"):
        on_rows(path, lambda m, x, path=path: named(m, path)(x, axis=-1))
    else:
        reduction(path, ROWS, FLOATS)
for path in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"):
    for d in ("int8", "uint8", "int32", "int64", "uint64"):
        low, high = e.bounds(d)
        case(f"{path} extremes {d}", lambda m, x, p=path: named(m, p)(x), ([high, high, low, 1], d))
on_rows("nn.moments", lambda m, x: m.nn.moments(x, [0]))
on_rows("clip_by_value", lambda m, x: m.clip_by_value(x, -1.0, 2.0))
on_rows("unique", lambda m, x: m.unique(x))
on_rows("nn.l2_loss", lambda m, x: m.nn.l2_loss(x))
