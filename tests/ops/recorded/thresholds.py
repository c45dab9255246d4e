"""NaN, infinities and zeros in clipping, moments and quotients, and the steps of a range."""

from .edges import FLOATS, INF, NAN
from .vocabulary import CASES, call

__all__ = ["CASES"]

VALUES = [NAN, 0.0, -0.0, INF, -INF, 1.0, -1.0, 0.5, -2.5, 3.0]
PAIRS = [(a, b) for a in VALUES for b in VALUES]
LEFT, RIGHT = [a for a, _ in PAIRS], [b for _, b in PAIRS]
WIDE = ("float32", "float64")
ROWS = [[NAN, 1.0], [0.0, 0.0], [3.0, -4.0], [-0.0, 2.0], [INF, 1.0], [-INF, INF]]


def signed(m, x):
    """A result, and its inverse, which tells zeros of both signs apart."""
    return [x, m.math.reciprocal(x)]


def vectors(m, dtype):
    return m.cast(m.constant(LEFT), dtype), m.cast(m.constant(RIGHT), dtype)


call("signbit", lambda m: m.experimental.numpy.signbit(m.constant(VALUES)))
BINARY = {
    "floordiv": lambda m, x, y: m.math.floordiv(x, y),
    "//": lambda m, x, y: x // y,
    "truncatemod": lambda m, x, y: m.truncatemod(x, y),
    "heaviside": lambda m, x, y: m.experimental.numpy.heaviside(x, y),
    "hypot": lambda m, x, y: m.experimental.numpy.hypot(x, y),
    "floor_divide": lambda m, x, y: m.experimental.numpy.floor_divide(x, y),
}
for name, function in BINARY.items():
    for d in FLOATS:
        if name in ("floordiv", "//") or d in WIDE:
            call(
                f"{name} of all signs {d}",
                lambda m, f=function, d=d: signed(m, f(m, *vectors(m, d))),
            )

for norm in (2.0, 0.0, -1.0, INF, NAN, 100.0):
    for axes in (None, [1], [0]):
        call(
            f"clip_by_norm {norm} {axes}",
            lambda m, n=norm, a=axes: m.clip_by_norm(m.constant(ROWS), n, axes=a),
        )
WEIGHTS = {
    "one": [[0.0, 1.0]] * 6,
    "none": [[0.0, 0.0]] * 6,
    "that cancel": [[-1.0, 1.0]] * 6,
    "of rows": [[0.0], [1.0], [0.0], [2.0], [0.0], [0.0]],
}
for name, weights in WEIGHTS.items():
    for axes in ([0], [1], [0, 1]):
        call(
            f"weighted_moments {name} {axes}",
            lambda m, w=weights, a=axes: list(
                m.nn.weighted_moments(m.constant(ROWS), a, m.constant(w))
            ),
        )
call(
    "weighted_moments of no rows",
    lambda m: list(m.nn.weighted_moments(m.zeros([0, 2]), [0], 1.0)),
)

for name in ("maximum", "minimum"):
    call(
        f"sparse.{name} of NaN",
        lambda m, n=name: [
            getattr(m.sparse, n)(
                m.sparse.from_dense(m.constant(a)), m.sparse.from_dense(m.constant(b))
            ).values
            for a, b in (
                ([[NAN, 0.0, 1.0, 2.0]], [[1.0, NAN, 0.0, NAN]]),
                ([[1.0, NAN, 0.0, NAN]], [[NAN, 0.0, 1.0, 2.0]]),
            )
        ],
    )

STEPPED = [0.5, 0.25, 127.5 / 255, 128.5 / 255, 0.1, 0.7, 0.9, 1.5, -1.2, 2.75, 1e9, -INF, -0.0]
ENDS_OF_RANGES = [(0.0, 1.0), (-1.0, 1.0), (0.0, 6.0), (-0.3, 0.7), (-6.0, 6.0), (0.0, 255.0)]


def stepped(m, form, low, high, bits, narrow):
    """Numbers rounded by one of the forms, and their slopes."""
    x = m.constant(STEPPED if low < high else STEPPED[:-2])
    with m.GradientTape() as tape:
        tape.watch(x)
        if form == "args":
            y = m.quantization.fake_quant_with_min_max_args(x, low, high, bits, narrow)
        elif form == "vars":
            y = m.quantization.fake_quant_with_min_max_vars(x, low, high, bits, narrow)
        else:
            y = m.quantization.fake_quant_with_min_max_vars_per_channel(
                x[:, None], [low], [high], bits, narrow
            )
    return [y, tape.gradient(y, x)]


for low, high in ENDS_OF_RANGES:
    for bits in (2, 4, 8, 11):
        for narrow in (False, True):
            for form in ("args", "vars", "channels"):
                call(
                    f"fake_quant middles {form} {low} {high} {bits} {narrow}",
                    lambda m, f=form, a=low, b=high, n=bits, r=narrow: stepped(m, f, a, b, n, r),
                )
for low, high in ((1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (NAN, 1.0)):
    for form in ("args", "vars", "channels"):
        call(
            f"fake_quant of no range {form} {low} {high}",
            lambda m, f=form, a=low, b=high: stepped(m, f, a, b, 8, False),
        )
