"""Names that few programs need: roots of matrices, steps of quantized numbers, glimpses, sound."""

from .quantised import CASES, call

__all__ = ["CASES"]

X = [-2.0, -1.0, -0.3, 0.0, 0.1, 0.5, 1.0, 3.0]
ROWS = [[1.0, 2.0, -3.0], [0.5, 0.3, 9.0]]


def slopes(m, function, *args):
    """The results of a function, and the gradient of their weighted sum by the first argument."""
    x = m.constant(args[0])
    with m.GradientTape() as tape:
        tape.watch(x)
        y = function(x, *args[1:])
        total = m.reduce_sum(
            y * m.reshape(m.range(1.0, float(y.shape.num_elements()) + 1), y.shape)
        )
    return [y, tape.gradient(total, x)]


for settings in (
    {"range_given": True},
    {"signed_input": False},
    {"num_bits": 3},
    {"num_bits": 3, "range_given": True, "narrow_range": True},
    {"num_bits": 3, "range_given": True, "round_mode": "HALF_UP"},
    {"num_bits": 1},
    {"num_bits": 63},
):
    for low, high in ((-1.0, 1.5), (0.0, 0.0), (1.0, 2.0)):
        for name in ("quantize_and_dequantize_v2", "quantize_and_dequantize"):
            call(
                f"{name} {low} {high} {settings}",
                lambda m, n=name, a=low, b=high, s=settings: slopes(
                    m, lambda x: getattr(m.quantization, n)(x, a, b, **s), X
                ),
            )
for axis in (0, 1, -1, 2):
    call(
        f"quantize_and_dequantize_v2 along {axis}",
        lambda m, a=axis: m.quantization.quantize_and_dequantize_v2(
            m.constant(ROWS), 0.0, 0.0, num_bits=4, axis=a
        ),
    )


def per_channel(m, bits, narrow):
    """The rounded numbers, and the gradients by all three tensors."""
    args = [m.constant(v) for v in (ROWS, [0.0, -1.0, -4.0], [1.0, 1.0, 2.5])]
    with m.GradientTape() as tape:
        tape.watch(args)
        y = m.quantization.fake_quant_with_min_max_vars_per_channel(*args, bits, narrow)
        total = m.reduce_sum(y * m.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    return [y, *tape.gradient(total, args)]


for bits in (2, 8):
    for narrow in (False, True):
        call(
            f"fake_quant_per_channel {bits} {narrow}",
            lambda m, n=bits, r=narrow: per_channel(m, n, r),
        )
call(
    "fake_quant_per_channel_gradient",
    lambda m: list(
        m.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
            m.ones([2, 3]), ROWS, [0.0, -1.0, -4.0], [1.0, 1.0, 2.5]
        )
    ),
)
call(
    "fake_quant_per_channel of other ends",
    lambda m: m.quantization.fake_quant_with_min_max_vars_per_channel(ROWS, [0.0], [1.0, 2.0, 3.0]),
)

OFFSETS = [
    [[0.0, 0.0], [0.5, -0.5]],
    [[1.0, 1.0], [0.3, 0.7]],
    [[-1.2, 3.0], [2.0, 2.0]],
    [[-3.0, 1.0], [1.6, 1.4]],
]
for i, offsets in enumerate(OFFSETS):
    for centered in (True, False):
        for normalized in (True, False):
            call(
                f"extract_glimpse {i} {centered} {normalized}",
                lambda m, o=offsets, c=centered, n=normalized: m.image.extract_glimpse(
                    m.reshape(m.range(40.0), [2, 4, 5, 1]), [3, 2], o, c, n, "zero"
                ),
            )
