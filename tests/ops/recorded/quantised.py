"""Floats rounded to the steps of quantized numbers, and the slopes of that."""

from .sequences import CASES, call

__all__ = ["CASES"]

X = [-7.5, -1.0, -0.1, 0.0, 0.2, 0.49, 1.0, 3.3, 9.0]
RANGES = [(-6.0, 6.0), (0.0, 1.0), (-1.0, 2.5), (0.5, 3.0), (-4.0, -0.25)]


def vars_and_slopes(m, low, high, bits, narrow):
    """The rounded numbers, and the gradients by all three tensors."""
    args = [m.constant(v) for v in (X, low, high)]
    with m.GradientTape() as tape:
        tape.watch(args)
        y = m.quantization.fake_quant_with_min_max_vars(*args, bits, narrow)
        total = m.reduce_sum(y * m.constant([float(i) for i in range(len(X))]))
    return [y, *tape.gradient(total, args)]


for low, high in RANGES:
    for bits in (2, 8, 16):
        for narrow in (False, True):
            call(
                f"fake_quant_args {low} {high} {bits} {narrow}",
                lambda m, a=low, b=high, n=bits, r=narrow: (
                    m.quantization.fake_quant_with_min_max_args(X, a, b, n, r)
                ),
            )
            call(
                f"fake_quant_vars {low} {high} {bits} {narrow}",
                lambda m, a=low, b=high, n=bits, r=narrow: vars_and_slopes(m, a, b, n, r),
            )
call(
    "fake_quant_vars_gradient",
    lambda m: list(
        m.quantization.fake_quant_with_min_max_vars_gradient([1.0, 2.0], [0.3, 9.0], 0.0, 1.0)
    ),
)
call(
    "fake_quant_args_gradient",
    lambda m: m.quantization.fake_quant_with_min_max_args_gradient([1.0, 2.0], [0.3, 9.0]),
)
call("fake_quant of no range", lambda m: m.quantization.fake_quant_with_min_max_vars(X, 0.0, 0.0))
call("fake_quant of a point", lambda m: m.quantization.fake_quant_with_min_max_args(X, 1.0, 1.0))
call("fake_quant of 17 bits", lambda m: m.quantization.fake_quant_with_min_max_args(X, 0, 1, 17))
