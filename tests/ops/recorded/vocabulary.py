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

SOUND = [[0.0, 0.5], [-0.5, 1.0], [-1.0, 2.0], [-2.0, 1e-5], [1.6e-5, 3e-5], [0.3, 0.7]]
WAV = (
    b"RIFF\x2e\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00"
    b"\x80\x3e\x00\x00\x02\x00\x10\x00LIST\x02\x00\x00\x00abdata\x06\x00\x00\x00"
    b"\x00\x40\x00\x80\x01\x00"
)
call("encode_wav", lambda m: m.audio.encode_wav(SOUND, 44100))
call("encode_wav of nothing", lambda m: m.audio.encode_wav(m.zeros([0, 1]), 8000))
call("encode_wav without channels", lambda m: m.audio.encode_wav(m.zeros([3, 0]), 8000))
call("encode_wav without a rate", lambda m: m.audio.encode_wav(m.zeros([3, 1]), 0))
for channels in (-1, 0, 1, 2, -3):
    for samples in (-1, 0, 2, 5):
        call(
            f"decode_wav {channels} {samples}",
            lambda m, c=channels, n=samples: list(m.audio.decode_wav(WAV, c, n)),
        )
BROKEN = {
    "nothing": b"",
    "the start": WAV[:4],
    "half": WAV[:50],
    "other bits": WAV[:34] + b"\x08" + WAV[35:],
    "floats": WAV[:20] + b"\x03" + WAV[21:],
    "another kind": b"RIFX" + WAV[4:],
    "no channels": WAV[:22] + b"\x00" + WAV[23:],
}
for what, contents in BROKEN.items():
    call(f"decode_wav of {what}", lambda m, c=contents: list(m.audio.decode_wav(c)))

LABELS = [[1, 2], [3, 0], [4, 4]]


def sampled_loss(m, name, remove):
    """The losses, and the gradients by inputs, weights and biases."""
    inputs = m.reshape(m.sin(m.range(6.0)), [3, 2])
    weights = m.reshape(m.cos(m.range(12.0)), [6, 2])
    biases = m.range(6.0) / 10.0
    drawn = (
        m.constant([0, 5, 2, 1], m.int64),
        m.constant([[0.5, 0.25], [0.1, 0.9], [0.3, 0.3]]),
        m.constant([0.9, 0.05, 0.25, 0.5]),
    )
    with m.GradientTape() as tape:
        tape.watch([inputs, weights, biases])
        loss = getattr(m.nn, name)(
            weights,
            biases,
            m.constant(LABELS, m.int64),
            inputs,
            num_sampled=4,
            num_classes=6,
            num_true=2,
            sampled_values=drawn,
            remove_accidental_hits=remove,
        )
        total = m.reduce_sum(loss * m.constant([1.0, -2.0, 0.5]))
    found = tape.gradient(total, [inputs, weights, biases])
    return [loss, *map(m.convert_to_tensor, found)]


for name in ("nce_loss", "sampled_softmax_loss"):
    for remove in (False, True):
        call(f"{name} {remove}", lambda m, n=name, r=remove: sampled_loss(m, n, r))
call(
    "compute_accidental_hits",
    lambda m: list(
        m.nn.compute_accidental_hits(m.constant(LABELS, m.int64), m.constant([4, 5, 1], m.int64), 2)
    ),
)
call(
    "all_candidate_sampler",
    lambda m: list(m.random.all_candidate_sampler(m.constant(LABELS, m.int64), 2, 5, True)),
)
for sampler in ("uniform_candidate_sampler", "log_uniform_candidate_sampler"):
    call(
        f"{sampler} with repetition",
        lambda m, n=sampler: (
            getattr(m.random, n)(m.constant(LABELS, m.int64), 2, 3, False, 9).true_expected_count
        ),
    )
    call(
        f"{sampler} of too many",
        lambda m, n=sampler: getattr(m.random, n)(m.constant(LABELS, m.int64), 2, 30, True, 9)[0],
    )
call(
    "fixed_unigram_candidate_sampler",
    lambda m: (
        m.random.fixed_unigram_candidate_sampler(
            m.constant(LABELS, m.int64),
            2,
            4,
            False,
            6,
            distortion=0.5,
            num_reserved_ids=1,
            unigrams=[1.0, 4.0, 9.0, 1.0, 2.0],
        ).true_expected_count
    ),
)
