"""Calls in the forms that programs use: products, losses, reductions over axes, bits, orders."""

from .calls import CASES, call, slopes
from .cases import named
from .edges import FLOATS, INF, INTS, NAN, few, pairs

__all__ = ["CASES"]


def forms(path, variants, dtypes=("float32",), values=None):
    """A case for each variant, a function of module, tensor and the function of that name."""
    for name, variant in variants.items():
        for d in dtypes:
            call(
                f"{path} {name} {d}",
                lambda m, v=variant, d=d, x=values: v(
                    m, m.cast(m.constant(x, m.float64), m.as_dtype(d)), named(m, path)
                ),
            )


MATRIX = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]
SPOILT = [[NAN, 0.0, 1.0], [INF, -INF, 0.0]]
WIDE = ("float32", "float64", "int32", "int64", "complex64")

PRODUCTS = {
    "of itself turned": lambda m, x, f: f(x, x, transpose_b=True),
    "turned of itself": lambda m, x, f: f(x, x, transpose_a=True),
    "with nothing between": lambda m, x, f: f(x[:, :0], x[:0]),
    "of no rows": lambda m, x, f: f(x[:0], x, transpose_b=True),
    "of a batch": lambda m, x, f: f(m.stack([x, x]), x, transpose_b=True),
    "that do not fit": lambda m, x, f: f(x, x),
}
forms("matmul", PRODUCTS, ("float16", "bfloat16", *WIDE), MATRIX)
forms("matmul", {"spoilt": PRODUCTS["of itself turned"]}, FLOATS, SPOILT)
forms(
    "linalg.matvec",
    {
        "plain": lambda m, x, f: f(x, x[0]),
        "turned": lambda m, x, f: f(x, x[:, 0], transpose_a=True),
        "of a batch": lambda m, x, f: f(m.stack([x, x]), x),
    },
    WIDE,
    MATRIX,
)
EINSUMS = {
    "ij,kj->ik": 2,
    "ij->ji": 1,
    "ij->": 1,
    "ij->j": 1,
    "ij,ij->ij": 2,
    "ij,ij->": 2,
    "i...->...": 1,
    "...j,...j->...": 2,
    "ii->i": 1,
    "ij": 1,
    "ji": 1,
    "ij,jk": 2,
}
for equation, n in EINSUMS.items():
    for d in ("float32", "complex64", "int32"):
        call(
            f"einsum {equation} {d}",
            lambda m, q=equation, n=n, d=d: m.einsum(
                q, *[m.cast(m.constant(MATRIX), m.as_dtype(d))] * n
            ),
        )
for axes in (0, 1, 2, [[0], [0]], [[1], [1]], [[0, 1], [0, 1]], [[0], [1]], 3):
    for d in ("float32", "int32"):
        call(
            f"tensordot {axes} {d}",
            lambda m, a=axes, d=d: m.tensordot(*[m.cast(m.constant(MATRIX), m.as_dtype(d))] * 2, a),
        )

LOGITS = [-1000.0, -30.0, -1.0, -0.0, 0.0, 0.5, 20.0, 1000.0, INF, -INF, NAN]
LABELS = [0.0, 0.3, 1.0, -1.0, 2.0, 1.0, 0.0, 1.0, 0.5, 0.5, 1.0]
LOSSES = {
    "nn.sigmoid_cross_entropy_with_logits": lambda m, x, f, y: f(labels=y, logits=x),
    "nn.weighted_cross_entropy_with_logits": lambda m, x, f, y: f(
        labels=y, logits=x, pos_weight=2.5
    ),
    "nn.log_poisson_loss": lambda m, x, f, y: f(y, x),
}
for path, loss in LOSSES.items():
    for d in FLOATS:
        call(
            f"{path} {d}",
            lambda m, p=path, f=loss, d=d: f(
                m, m.constant(LOGITS, d), named(m, p), m.constant(LABELS, d)
            ),
        )
        if d != "bfloat16":
            call(
                f"slope of {path} {d}",
                lambda m, p=path, f=loss, d=d: slopes(
                    m,
                    lambda x: f(m, x, named(m, p), m.constant(LABELS[:8], d)),
                    LOGITS[:8],
                    d,
                ),
            )
SCORES = [[1.0, 2.0, 3.0], [1000.0, -1000.0, 0.0], [-INF, 0.0, 1.0], [NAN, 0.0, 1.0]]
CHANCES = [[0.0, 0.0, 1.0], [0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]]
for d in FLOATS:
    call(
        f"softmax_cross_entropy {d}",
        lambda m, d=d: m.nn.softmax_cross_entropy_with_logits(
            m.constant(CHANCES, d), m.constant(SCORES, d)
        ),
    )
    for axis in (0, 1):
        call(
            f"softmax_cross_entropy along {axis} {d}",
            lambda m, a=axis, d=d: m.nn.softmax_cross_entropy_with_logits(
                m.constant(CHANCES[:2], d), m.constant(SCORES[:2], d), axis=a
            ),
        )
    for label in ("int32", "int64"):
        call(
            f"sparse_softmax_cross_entropy {label} {d}",
            lambda m, i=label, d=d: m.nn.sparse_softmax_cross_entropy_with_logits(
                m.constant([2, 0, 1, 1], i), m.constant(SCORES, d)
            ),
        )
call(
    "sparse_softmax_cross_entropy outside",
    lambda m: m.nn.sparse_softmax_cross_entropy_with_logits([3, 0], SCORES[:2]),
)

AXES = {"all": None, "rows": 1, "columns": 0, "both": [0, 1], "none": [], "negative": -2}
FLAGS = {
    "mixed": [[True, False], [True, True]],
    "no columns": [[], []],
    "no rows": [],
}
for path in ("reduce_all", "reduce_any"):
    for name, axis in AXES.items():
        for kept in (False, True):
            call(
                f"{path} {name} {kept}",
                lambda m, p=path, a=axis, k=kept: named(m, p)(
                    m.constant(FLAGS["mixed"]), a, keepdims=k
                ),
            )
    call(f"{path} of no columns", lambda m, p=path: named(m, p)(m.zeros([2, 0], m.bool), 1))
    call(f"{path} of no rows", lambda m, p=path: named(m, p)(m.zeros([0, 2], m.bool), 0))
    call(f"{path} outside", lambda m, p=path: named(m, p)(m.constant(FLAGS["mixed"]), 2))
for path in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean"):
    for name, axis in AXES.items():
        for d in ("float32", "int32"):
            call(
                f"{path} over {name} {d}",
                lambda m, p=path, a=axis, d=d: named(m, p)(
                    m.cast(m.constant(MATRIX), m.as_dtype(d)), a, keepdims=True
                ),
            )
    call(f"{path} twice", lambda m, p=path: named(m, p)(m.constant(MATRIX), [0, 0]))
    call(f"{path} twice by sign", lambda m, p=path: named(m, p)(m.constant(MATRIX), [0, -2]))

BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
for way in BITS:
    for d in INTS:
        a, b = pairs(d)
        if way.endswith("shift"):
            a, b = pairs(d, right=[0, 1, 3, 7])
        call(
            f"bitwise.{way} {d}",
            lambda m, w=way, d=d, a=a, b=b: named(m.bitwise, w)(m.constant(a, d), m.constant(b, d)),
        )
for d in INTS:
    call(f"bitwise.invert {d}", lambda m, d=d: m.bitwise.invert(m.constant(few(d), d)))

SORTED = {"ascending": "ASCENDING", "descending": "DESCENDING"}
ROW = [2.0, 1.0, -INF, 0.0, -0.0, INF, 2.0, 7.0, -1.0]
for name, direction in SORTED.items():
    for d in FLOATS:
        for path in ("sort", "argsort"):
            call(
                f"{path} {name} {d}",
                lambda m, p=path, w=direction, d=d: named(m, p)(
                    m.constant(ROW, d), direction=w, **({"stable": True} if p == "argsort" else {})
                ),
            )
    for d in INTS:
        call(
            f"sort {name} {d}",
            lambda m, w=direction, d=d: m.sort(m.constant(few(d), d), direction=w),
        )
for d in (*FLOATS, "int8", "uint8", "int64"):
    for k in (0, 1, 3):
        call(
            f"top_k {k} {d}",
            lambda m, k=k, d=d: m.math.top_k(
                m.cast(m.constant([[1.0, 3.0, 3.0, 2.0], [0.0, 0.0, 5.0, 1.0]]), m.as_dtype(d)), k
            ),
        )
call("top_k of too many", lambda m: m.math.top_k(m.constant([1.0, 2.0]), 3))
for d in ("float32", "float64", "int32", "int64"):
    for side in ("left", "right"):
        call(
            f"searchsorted {side} {d}",
            lambda m, s=side, d=d: m.searchsorted(
                m.cast(m.constant([1.0, 2.0, 2.0, 5.0]), m.as_dtype(d)),
                m.cast(m.constant([0.0, 1.0, 2.0, 3.0, 5.0, 9.0]), m.as_dtype(d)),
                side=s,
            ),
        )
