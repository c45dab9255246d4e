"""Random numbers: what must hold of every draw, and that draws of one seed are the same.

Draws that keep a stream differ between runs. Their rows give the facts that hold for each.
"""

import numpy as np
from table import ALL, FLOATS, REAL, Vary, row

SEED = np.array([7, 3], np.int32)
N = 2000


def facts(fg, x, low, high, mean, deviation):
    """Of a draw: whether it lies in its range and has about these moments, its shape and more."""
    wide = fg.cast(x, fg.float64)
    middle = fg.reduce_mean(wide)
    spread = fg.sqrt(fg.reduce_mean(fg.math.squared_difference(wide, middle)))
    return (
        fg.reduce_all((wide >= low) & (wide <= high)),
        fg.abs(middle - mean) < 0.1 * (high - low),
        fg.abs(spread - deviation) < 0.1 * (high - low),
        fg.reduce_any(wide[0] != wide[1:]),
        fg.shape(x),
    )


def all_hold(n):
    return (True, True, True, True, np.array([n]))


TRUE = ("bool", "bool", "bool", "bool", "int32")
# Range, mean and deviation; the tails of a normal draw of this size stay within six deviations.
UNIFORM, NORMAL = (0.0, 1.0, 0.5, 0.289), (-6.0, 6.0, 0.0, 1.0)
TRUNCATED, INTEGERS = (-2.0, 2.0, 0.0, 0.88), (-3.0, 4.0, 0.5, 2.29)


def drawn(op, call, about, **fields):
    """A row for each dtype that ``call`` draws: the facts of a draw."""
    for dtype in fields.pop("dtypes"):
        row(
            op,
            lambda fg, n, d=dtype: facts(fg, call(fg, [n], getattr(fg, d)), *about),
            [np.int32(N)],
            lambda n: all_hold(N),
            out=TRUE,
            **fields,
        )


INTEGER = ("int32", "int64")
drawn("RandomUniform", lambda fg, n, d: fg.random.uniform(n, dtype=d), UNIFORM, dtypes=FLOATS)
drawn("RandomStandardNormal", lambda fg, n, d: fg.random.normal(n, dtype=d), NORMAL, dtypes=FLOATS)
drawn(
    "TruncatedNormal",
    lambda fg, n, d: fg.random.truncated_normal(n, dtype=d),
    TRUNCATED,
    dtypes=FLOATS,
)
drawn(
    "RandomUniformInt",
    lambda fg, n, d: fg.random.uniform(n, -3, 5, dtype=d),
    INTEGERS,
    dtypes=INTEGER,
)
row(
    "RandomShuffle",
    lambda fg, x: fg.shape(fg.random.shuffle(x)),
    [Vary(40, 2)],
    lambda x: np.array(x.shape),
    dtypes=ALL,
    out="int32",
    empty=[Vary(0, 2)],
    scalar=[Vary(1)],
)
row(
    "RandomShuffle",
    lambda fg, x: fg.sort(fg.random.shuffle(x)),
    [Vary(40)],
    np.sort,
    None,
    dtypes=REAL,
)
row(
    "RandomShuffle",
    lambda fg, x: fg.reduce_sum(fg.cast(fg.random.shuffle(x)[:, :1] == x[:, :1], fg.int32)) > 90,
    [np.arange(200).reshape(100, 2)],
    lambda x: False,
    out="bool",
)
row(
    "StatelessShuffle",
    lambda fg, x: fg.random.experimental.stateless_shuffle(x, [8, 9]),
    [np.arange(12)],
    # What tensorflow 2.21 gives.
    lambda x: np.array([5, 3, 4, 10, 9, 11, 6, 7, 0, 8, 1, 2]),
    out="int64",
)


def classes(draw):
    """Of classes drawn from three, the second never: whether all are there, and their shape."""

    def call(fg, logits):
        drawn = draw(fg, logits)
        all_there = fg.reduce_any(drawn == 0) & fg.reduce_any(drawn == 2)
        return all_there & fg.reduce_all(drawn != 1), fg.shape(drawn)

    return call


for op, draw in (
    ("Multinomial", lambda fg, x, d: fg.random.categorical(x, 50, d)),
    ("StatelessMultinomial", lambda fg, x, d: fg.random.stateless_categorical(x, 50, SEED, d)),
):
    for out in ("int32", "int64"):
        row(
            op,
            classes(lambda fg, x, f=draw, o=out: f(fg, x, getattr(fg, o))),
            [Vary(values=[[100, 0, 100], [90, 0, 90]])],
            lambda x: (True, np.array([2, 50])),
            dtypes=REAL,
            out=("bool", "int32"),
        )
for given in (None, 7):
    row(
        "OperationSeeds",
        lambda fg, zero, g=given: (
            fg.stack(fg._core.emit("OperationSeeds", (), {"own": g or 0, "given": g is not None}))
            + zero
        ),
        [np.int64(0)],
        lambda zero, g=given: np.array([0 if g is None else 87654321, g or 0]),
        out="int64",
        hidden="what datasets that shuffle take when they are made",
    )

row(
    "ReserveRandomBlocks",
    lambda fg, n: (
        lambda first, second: (second[1] - first[1], fg.reduce_all(first[0] == second[0]))
    )(
        *(
            fg._core.emit(
                "ReserveRandomBlocks", (n,), {"kind": "row", "each": 3, "seed2": 5, "shared": True}
            )
            for _ in range(2)
        )
    ),
    [np.array([2, 5], np.int32)],
    lambda n: (np.array([30, 0], np.uint64), True),
    out=("uint64", "bool"),
    hidden="what draws with parameters when a program gives no seed as a tensor",
)
drawn(
    "StatelessParameterizedTruncatedNormal",
    lambda fg, n, d: fg.random.stateless_parameterized_truncated_normal(
        n, SEED, *(fg.constant(x, d) for x in (1.0, 2.0, -3.0, 5.0))
    ),
    (-3.0, 5.0, 1.0, 1.76),
    dtypes=FLOATS,
)

STATELESS = [
    ("StatelessRandomUniformV2", "stateless_uniform", UNIFORM, FLOATS, {}),
    ("StatelessRandomNormalV2", "stateless_normal", NORMAL, FLOATS, {}),
    ("StatelessTruncatedNormalV2", "stateless_truncated_normal", TRUNCATED, FLOATS, {}),
    (
        "StatelessRandomUniformIntV2",
        "stateless_uniform",
        INTEGERS,
        INTEGER,
        {"minval": -3, "maxval": 5},
    ),
]
for op, name, about, dtypes, bounds in STATELESS:
    drawn(
        op,
        lambda fg, n, d, f=name, b=bounds: getattr(fg.random, f)(n, SEED, dtype=d, **b),
        about,
        dtypes=dtypes,
    )


def same_twice(function):
    """Whether two draws of one seed are one, and another seed gives another; then the draw."""

    def call(fg, seed):
        a, b, c = function(fg, seed), function(fg, seed), function(fg, seed + 1)
        return fg.reduce_all(a == b), fg.reduce_any(a != c)

    return call


PHILOX = 1
BOUNDS = (np.int64(-3), np.int64(5))
OLDER = [
    ("StatelessRandomUniform", FLOATS, UNIFORM),
    ("StatelessRandomNormal", FLOATS, NORMAL),
    ("StatelessTruncatedNormal", FLOATS, TRUNCATED),
]
LEGACY = "an older form that saved graphs have; programs get the newer one"


def emitted(op, fg, inputs, **attrs):
    return fg._core.emit(op, inputs, attrs or None, None)


for op, dtypes, about in OLDER:
    for dtype in dtypes:
        row(
            op,
            lambda fg, s, o=op, d=dtype, a=about: facts(
                fg, emitted(o, fg, ([N], s), dtype=getattr(fg, d)), *a
            ),
            [SEED],
            lambda s: all_hold(N),
            out=TRUE,
            hidden=LEGACY,
        )
        row(
            op,
            lambda fg, s, o=op, d=dtype: (
                emitted(o, fg, ([50], s), dtype=getattr(fg, d)) == newer(fg, o, s, getattr(fg, d))
            ),
            [SEED],
            lambda s: np.full(50, True),
            out="bool",
            hidden=LEGACY,
        )


def newer(fg, op, seed, dtype):
    """What the function of today draws: the same numbers."""
    name = {
        "StatelessRandomUniform": "stateless_uniform",
        "StatelessRandomNormal": "stateless_normal",
        "StatelessTruncatedNormal": "stateless_truncated_normal",
    }[op]
    return getattr(fg.random, name)([50], seed, dtype=dtype)


for dtype in ("int32", "int64", "uint32", "uint64"):
    row(
        "StatelessRandomUniformInt",
        lambda fg, s, a, b: facts(
            fg, emitted("StatelessRandomUniformInt", fg, ([N], s, a, b)), 3.0, 10.0, 6.5, 2.29
        ),
        [SEED, np.array(3, dtype), np.array(11, dtype)],
        lambda s, a, b: all_hold(N),
        out=TRUE,
        hidden=LEGACY,
    )
    info = np.iinfo(dtype)
    whole = (float(info.min), float(info.max), (info.min + info.max) / 2, 0.289 * 2.0**info.bits)
    row(
        "StatelessRandomUniformFullInt",
        lambda fg, s, d=dtype, w=whole: facts(
            fg, emitted("StatelessRandomUniformFullInt", fg, ([N], s), dtype=getattr(fg, d)), *w
        ),
        [SEED],
        lambda s: all_hold(N),
        out=TRUE,
        hidden=LEGACY,
    )
    row(
        "StatelessRandomUniformFullIntV2",
        lambda fg, s, d=dtype, w=whole: facts(
            fg, fg.random.stateless_uniform([N], s, None, None, getattr(fg, d)), *w
        ),
        [SEED],
        lambda s: all_hold(N),
        out=TRUE,
    )
for seed in (np.int32, np.int64):
    for name in ("stateless_uniform", "stateless_normal", "stateless_truncated_normal"):
        row(
            "StatelessRandomGetKeyCounter",
            same_twice(lambda fg, s, n=name: getattr(fg.random, n)([9], s)),
            [SEED.astype(seed)],
            lambda s: (True, True),
            out="bool",
        )
row(
    "StatelessRandomGetAlg",
    lambda fg, seed: emitted("StatelessRandomGetAlg", fg, ()) + 0 * seed,
    [np.int32(0)],
    lambda seed: PHILOX,
    out="int32",
    hidden="names the one generator there is; saved graphs ask for it",
)


def rounds(counter, key):
    """The ten rounds of Philox 4x32: four words of a counter and two of a key to four words."""
    c, k = list(counter), list(key)
    for _ in range(10):
        low, high = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [
            (high >> 32) ^ c[1] ^ k[0],
            high & 0xFFFFFFFF,
            (low >> 32) ^ c[3] ^ k[1],
            low & 0xFFFFFFFF,
        ]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def words(key, counter, n):
    """The first ``n`` words of 32 bits of a stream."""
    stream = []
    k = (key & 0xFFFFFFFF, key >> 32)
    for block in range(-(-n // 4)):
        at = counter + block
        stream += rounds([(at >> 32 * i) & 0xFFFFFFFF for i in range(4)], k)
    return np.array(stream[:n], np.uint32)


def uniforms(key, counter, n):
    """Floats in [0, 1) of the upper 23 bits kept by the mantissa."""
    bits = (words(key, counter, n) & 0x7FFFFF) | (127 << 23)
    return bits.astype(np.uint32).view(np.float32) - 1


row(
    "StatelessRandomUniformV2",
    lambda fg, key, counter: emitted(
        "StatelessRandomUniformV2",
        fg,
        ([10], key, counter, np.int32(PHILOX)),
        dtype=fg.float32,
    ),
    [np.array([0x1234567890ABCDEF], np.uint64), np.array([5, 1], np.uint64)],
    lambda key, counter: uniforms(int(key[0]), int(counter[0]) | int(counter[1]) << 64, 10),
    out="float32",
    hidden="the key and counter themselves, against a generator written from its description",
)

row(
    "StatelessRandomBinomialV2",
    lambda fg, key, counter, n, p: emitted(
        "StatelessRandomBinomialV2",
        fg,
        ([2, 3], key, counter, np.int32(PHILOX), n, p),
        dtype=fg.int32,
    ),
    [
        np.array([0], np.uint64),
        np.array([166401, 0], np.uint64),
        np.array([10.0, 100.0, 1000.0], np.float32),
        np.array([0.3, 0.5, 0.9], np.float32),
    ],
    # What a generator of tensorflow 2.21 draws in that state.
    lambda key, counter, n, p: np.array([[3, 49, 889], [2, 53, 905]]),
    out="int32",
    hidden="the key and counter themselves, which a generator has in its state",
)


CLASSES = np.array([[0, 3], [2, 2]])


def counts(weights):
    """How often each true class is expected among four."""
    return (np.asarray(weights) / np.sum(weights) * 4)[CLASSES]


WEIGHTS = [1.0, 2.0, 5.0, 2.0]
LOGS = np.log((np.arange(4) + 2.0) / (np.arange(4) + 1.0))
SAMPLERS = {
    "uniform": (lambda fg: fg.random.uniform_candidate_sampler, np.ones(4), {}),
    "log_uniform": (lambda fg: fg.random.log_uniform_candidate_sampler, LOGS, {}),
    "weights": (
        lambda fg: fg.random.fixed_unigram_candidate_sampler,
        WEIGHTS,
        {"unigrams": WEIGHTS},
    ),
}
for law, (sampler, weights, fields) in SAMPLERS.items():
    row(
        "CandidateSampler",
        lambda fg, c, f=sampler, k=fields: f(fg)(c, 2, 4, False, 4, **k)[1],
        [CLASSES],
        lambda c, w=weights: counts(w),
        out="float32",
        about=law,
    )
    row(
        "CandidateSampler",
        lambda fg, c, f=sampler, k=fields: fg.sort(f(fg)(c, 2, 4, True, 4, **k)[0]),
        [CLASSES],
        lambda c: np.arange(4),
        out="int64",
        about=f"{law} unique",
    )
