"""Single calls whose answers were in doubt: order, scatters, histograms, strings, ragged rows."""

from .cases import CASES, case, named
from .edges import FLOATS, INF, NAN

__all__ = ["CASES"]


def call(key, function):
    """A case without arguments of its own."""
    case(key, function)


def slopes(m, function, values, dtype="float32", up=None):
    """The gradient at these values, for upstream gradients of ones or of these."""
    x = m.constant(values, dtype)
    with m.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    above = None if up is None else m.fill(m.shape(y), m.constant(up, y.dtype))
    return m.convert_to_tensor(tape.gradient(y, x, output_gradients=above))


# Slopes where functions end or turn, for upstream gradients of zero and of one.
TURNS = {
    "sqrt": [0.0, 4.0],
    "math.rsqrt": [0.0, 4.0],
    "math.reciprocal": [0.0, 4.0],
    "math.reciprocal_no_nan": [0.0, 4.0],
    "math.log": [0.0, 4.0],
    "math.log1p": [-1.0, 4.0],
    "math.acos": [1.0, 0.5],
    "math.asin": [1.0, 0.5],
    "math.acosh": [1.0, 2.0],
    "math.atanh": [1.0, 0.5],
    "math.erfinv": [1.0, 0.5],
    "math.ndtri": [0.0, 0.5],
    "square": [0.0, 4.0],
    "abs": [0.0, -2.0],
    "math.sign": [0.0, -2.0],
    "nn.relu": [0.0, -2.0],
    "nn.elu": [0.0, -2.0],
    "nn.softplus": [0.0, -200.0],
    "nn.gelu": [0.0, -6.0],
    "tanh": [0.0, 50.0],
    "math.floor": [0.5, 1.5],
}
for path, values in TURNS.items():
    for up in (0.0, 1.0):
        for d in ("float32", "float64"):
            if path != "math.floor":
                call(
                    f"slope of {path} from {up} {d}",
                    lambda m, p=path, v=values, u=up, d=d: slopes(m, named(m, p), v, d, u),
                )

BUILT_ON_ROOTS = {
    "norm": lambda m, x: m.norm(x),
    "norm of rows": lambda m, x: m.norm(x, axis=-1),
    "norm of order 1": lambda m, x: m.norm(x, ord=1),
    "norm of order inf": lambda m, x: m.norm(x, ord=INF),
    "std": lambda m, x: m.math.reduce_std(x),
    "l2_normalize": lambda m, x: m.math.l2_normalize(x),
    "clip_by_norm": lambda m, x: m.clip_by_norm(x, 1.0),
    "global_norm": lambda m, x: m.linalg.global_norm([x]),
    "root of a sum": lambda m, x: m.sqrt(m.reduce_sum(x * x)),
    "root where positive": lambda m, x: m.where(x > 0, m.sqrt(x), 0.0),
    "inverse root where positive": lambda m, x: m.where(x > 0, m.math.rsqrt(x), 0.0),
    "reciprocal where positive": lambda m, x: m.where(x > 0, m.math.reciprocal(x), 0.0),
    "quotient": lambda m, x: 1.0 / x,
    "power": lambda m, x: m.pow(x, 0.5),
    "size of complex": lambda m, x: m.abs(m.complex(x, x)),
}
for name, function in BUILT_ON_ROOTS.items():
    for up in (0.0, 1.0):
        call(
            f"slope of {name} from {up}",
            lambda m, f=function, u=up: slopes(m, lambda x: f(m, x), [0.0, 0.0], up=u),
        )

UPDATES = ([1.0, NAN, 3.0], [[0], [1], [2]], [NAN, 2.0, NAN])
for way in ("max", "min", "add", "sub", "update"):
    call(f"tensor_scatter_nd_{way}", lambda m, w=way: named(m, f"tensor_scatter_nd_{w}")(*UPDATES))
for way in ("max", "min", "sum", "prod", "mean"):
    rows, ids = [NAN, 1.0, 2.0, NAN, NAN, 5.0], [0, 0, 1, 1, 2, 3]
    call(f"segment_{way}", lambda m, w=way, a=(rows, ids): named(m, f"math.segment_{w}")(*a))
    call(
        f"unsorted_segment_{way}",
        lambda m, w=way, a=(rows, ids): named(m, f"math.unsorted_segment_{w}")(*a, 5),
    )

MATRIX = [[NAN, 1.0, -INF], [2.0, NAN, INF], [NAN, NAN, NAN], [-INF, -INF, 0.0]]
for d in FLOATS:
    for path in ("argmax", "argmin"):
        for axis in (0, 1):
            call(
                f"{path} of rows along {axis} {d}",
                lambda m, p=path, a=axis, d=d: named(m, p)(m.constant(MATRIX, d), a),
            )
    call(
        f"unique_with_counts {d}",
        lambda m, d=d: m.unique_with_counts(m.constant([NAN, 1.0, NAN], d)),
    )

call("bincount of floats", lambda m: m.math.bincount(m.constant([1.9, 2.2, 0.5])))
call("bincount of nothing", lambda m: m.math.bincount(m.constant([], m.int32), minlength=3))
call("bincount of negatives", lambda m: m.math.bincount(m.constant([-1, 2])))
call("bincount with weights", lambda m: m.math.bincount([1, 2, 2], weights=[1.0, NAN, 2.0]))
call("bincount to a length", lambda m: m.math.bincount(m.constant([1, 300]), maxlength=5))
EDGES = [-1.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 5.0, INF, -INF]
for d in ("float32", "float64"):
    for n in (1, 3, 5, 10):
        call(
            f"histogram of {n} {d}",
            lambda m, n=n, d=d: m.histogram_fixed_width(
                m.constant(EDGES, d), m.constant([0.0, 1.0], d), nbins=n
            ),
        )
        call(
            f"bins of {n} {d}",
            lambda m, n=n, d=d: m.histogram_fixed_width_bins(
                m.constant(EDGES, d), m.constant([0.0, 1.0], d), nbins=n
            ),
        )
call("histogram of integers", lambda m: m.histogram_fixed_width([0, 5, 6, -1, 2], [0, 5], nbins=5))
call("histogram of NaN", lambda m: m.histogram_fixed_width([NAN], [0.0, 1.0], nbins=5))
call("histogram of an empty range", lambda m: m.histogram_fixed_width([1.0], [0.0, 0.0], nbins=5))
call("histogram of no bins", lambda m: m.histogram_fixed_width([1.0], [0.0, 1.0], nbins=0))
call("bins of NaN", lambda m: m.histogram_fixed_width_bins([NAN], [0.0, 1.0], nbins=5))
call("bins of an empty range", lambda m: m.histogram_fixed_width_bins([1.0, 0.0], [0.0, 0.0]))

NUMBERS = [
    "0x10",
    "0X1f",
    "-0x10",
    "0x1.8p3",
    "0x.8",
    "0x1p-1074",
    "0xfffffffffffffffff",
    "1e5",
    "inf",
    "nan",
    "Infinity",
    "+1",
    "1.",
    ".5",
    "1e400",
    "-inf",
    "INF",
    "NaN",
    "nan(1)",
    "1e-400",
    "0.1",
]
for text in NUMBERS:
    for d in ("float32", "float64"):
        call(f"to_number {text} {d}", lambda m, t=text, d=d: m.strings.to_number(t, m.as_dtype(d)))
for text in ("12", " 12 ", "\x0b12\x0b", "+7", "0x10", "1.", "", "1_0", "99999999999", "١", "-0"):
    for d in ("int32", "int64"):
        call(
            f"to_number {text!r} {d}", lambda m, t=text, d=d: m.strings.to_number(t, m.as_dtype(d))
        )
for text in ("", "0x", "0x1p", "1_0", "0b1", "e5", "nan(", "١"):
    call(f"to_number {text!r}", lambda m, t=text: m.strings.to_number(t))
REPLACED = [("é日", "a*"), ("éa日", "a*"), ("abc", "x*"), ("aé", "é*"), ("日本", "本?"), ("", "a*")]
for text, pattern in REPLACED:
    for every in (True, False):
        call(
            f"regex_replace {text} {pattern} {every}",
            lambda m, t=text, p=pattern, g=every: m.strings.regex_replace(
                t, p, "-", replace_global=g
            ),
        )
call("strip", lambda m: m.strings.strip([" \x0b\x0ca\x0b\x0c ", "\t\n\r b\x1c", "", " \x0b"]))

BIG = {
    "10**40": 10**40,
    "2**128": 2**128,
    "-(10**40)": -(10**40),
    "2**64": 2**64,
    "10**400": 10**400,
}
for name, value in BIG.items():
    for d in ("float32", "float64", "complex128", "int64", "uint64"):
        call(f"constant {name} {d}", lambda m, v=value, d=d: m.constant(v, m.as_dtype(d)))
    call(f"constant {name}", lambda m, v=value: m.constant(v))
    call(f"constant [1.5, {name}]", lambda m, v=value: m.constant([1.5, v], m.float64))
    call(f"1.0 + {name}", lambda m, v=value: m.constant(1.0, m.float64) + v)

RAGGED = {
    "mean of rows": lambda m, r: m.reduce_mean(r, axis=1),
    "mean of columns": lambda m, r: m.reduce_mean(r, axis=0),
    "mean of all": lambda m, r: m.reduce_mean(r),
    "sum of rows": lambda m, r: m.reduce_sum(r, axis=1),
    "largest of rows": lambda m, r: m.reduce_max(r, axis=1),
    "concat of one": lambda m, r: m.concat([r], 0),
    "concat of one along rows": lambda m, r: m.concat([r], 1),
    "concat of itself": lambda m, r: m.concat(r, 0),
    "stack of one": lambda m, r: m.stack([r]),
    "gather of columns": lambda m, r: m.gather(r, [0], axis=1),
    "gather of one column": lambda m, r: m.gather(r, 0, axis=1),
    "gather of a matrix of columns": lambda m, r: m.gather(r, [[0, 0], [0, 0]], axis=1),
}
for name, function in RAGGED.items():
    for d in ("int32", "float32"):
        call(
            f"ragged {name} {d}",
            lambda m, f=function, d=d: f(
                m, m.ragged.constant([[1, 2], [4], [5, 6, 7]], m.as_dtype(d))
            ),
        )
call(
    "ragged gather along axis 2",
    lambda m: m.gather(
        m.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1), [1, 0], axis=2
    ),
)
call(
    "ragged gather along inner rows",
    lambda m: m.gather(m.ragged.constant([[[1, 2], [3]], [[4, 5, 6]]]), [0], axis=1),
)

EMPTY = {
    "concat of empty": lambda m: m.concat([m.zeros([0, 3]), m.zeros([0, 3])], 0),
    "concat of empty columns": lambda m: m.concat([m.zeros([2, 0]), m.zeros([2, 0])], 1),
    "stack of empty": lambda m: m.stack([m.zeros([0, 3])] * 2),
    "split of empty": lambda m: m.split(m.zeros([0, 4]), 2, axis=1),
    "reduce_join of empty": lambda m: m.strings.reduce_join(m.zeros([0, 3], m.string), 0),
    "reduce_join of empty rows": lambda m: m.strings.reduce_join(m.zeros([2, 0], m.string), 1),
    "reduce_join of no rows": lambda m: m.strings.reduce_join(m.zeros([0, 3], m.string), 1),
    "reduce_join of two axes": lambda m: m.strings.reduce_join(m.zeros([2, 0], m.string), [0, 1]),
    "reduce_join of no axes": lambda m: m.strings.reduce_join(m.constant([["a", "b"]]), []),
    "reduce_join keeping axes": lambda m: m.strings.reduce_join([["a"], ["b"]], 0, keepdims=True),
    "join of empty": lambda m: m.strings.join([m.zeros([0], m.string), m.zeros([0], m.string)]),
    "join of scalar and empty": lambda m: m.strings.join(["a", m.zeros([0, 2], m.string)], "-"),
    "unsorted_segment_join of empty": lambda m: m.strings.unsorted_segment_join(
        m.zeros([0], m.string), m.zeros([0], m.int32), 2
    ),
    "unsorted_segment_join": lambda m: m.strings.unsorted_segment_join(
        m.zeros([0, 3], m.string), m.zeros([0, 3], m.int32), 0
    ),
}
for name, function in EMPTY.items():
    call(name, function)
