"""The loss and the decoders of label sequences, and draws of distributions with parameters."""

import itertools

import numpy as np
from table import REAL, Vary, row

SCORES = Vary(4, 2, 3)
LABELS, LENGTHS, TIMES = [[0, 1], [1, 0]], [2, 1], [4, 3]


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def collapsed(path, blank):
    """What a path of classes stands for."""
    return [c for c, _ in itertools.groupby(path) if c != blank]


def losses(scores):
    """Minus the log probabilities of the labels, summed over all paths; blank comes last."""
    found, classes = [], scores.shape[2]
    for b, (labels, n, time) in enumerate(zip(LABELS, LENGTHS, TIMES, strict=True)):
        log = log_softmax(scores[:time, b])
        paths = itertools.product(range(classes), repeat=time)
        fit = [p for p in paths if collapsed(p, classes - 1) == labels[:n]]
        found.append(-np.log(sum(np.exp(log[range(time), list(p)].sum()) for p in fit)))
    return np.array(found)


def greedy(scores):
    rows, sums = [], []
    for b, time in enumerate(TIMES):
        best = scores[:time, b].argmax(-1)
        rows.append(collapsed(best, scores.shape[2] - 1))
        sums.append([-scores[:time, b].max(-1).sum()])
    return *sparse(rows), np.array(sums)


def best_of_all(scores):
    """The most probable labels, among those of all paths."""
    rows, totals, classes = [], [], scores.shape[2]
    for b, time in enumerate(TIMES):
        log, total = log_softmax(scores[:time, b]), {}
        for p in itertools.product(range(classes), repeat=time):
            key = tuple(collapsed(p, classes - 1))
            total[key] = total.get(key, 0) + np.exp(log[range(time), list(p)].sum())
        best = max(total, key=total.get)
        rows.append(list(best))
        totals.append([np.log(total[best])])
    return *sparse(rows), np.array(totals)


def sparse(rows):
    places = [(i, j) for i, r in enumerate(rows) for j in range(len(r))]
    widest = max(map(len, rows))
    values = [v for r in rows for v in r]
    return np.array(places).reshape(-1, 2), np.array(values), np.array([len(rows), widest])


def decoded(found):
    [labels], scores = found
    return [labels.indices, labels.values, labels.dense_shape, scores]


PARTS = ("int64", "int64", "int64", "T")
row(
    "CTCLoss",
    lambda fg, x: fg.nn.ctc_loss(LABELS, x, LENGTHS, TIMES, blank_index=-1),
    [SCORES],
    losses,
    # The gradient is an output of the operation, and has none itself.
    None,
    dtypes=("float64", "float32", "float16", "bfloat16"),
    tol=4,
)
row(
    "CTCGreedyDecoder",
    lambda fg, x: decoded(fg.nn.ctc_greedy_decoder(x, TIMES)),
    [SCORES],
    greedy,
    dtypes=("float64", "float32"),
    out=PARTS,
)
row(
    "CTCBeamSearchDecoder",
    lambda fg, x: decoded(fg.nn.ctc_beam_search_decoder(x, TIMES)),
    [SCORES],
    best_of_all,
    dtypes=("float64", "float32"),
    out=PARTS,
    tol=4,
)

# What tensorflow 2.21 draws.
GAMMAS = [
    [0.06695361383821083, 1.89350913788573, 3.7823471441973386, 40.64799483613068],
    [0.62823544551181, 0.22994833614986177, 2.4927736473765263, 38.40386826405633],
    [0.18136731678689116, 1.1978731947487329, 3.4828940981823315, 32.6922223900807],
]
POISSONS = [[5, 6, 12, 105], [5, 4, 12, 99], [4, 7, 8, 95]]
BINOMIALS = [[30, 607], [28, 639], [31, 616]]
FEW = [[5, 3], [5, 4], [5, 2]]
BOTH = [[5, 57], [5, 40], [5, 49]]
row(
    "StatelessRandomGammaV3",
    lambda fg, a: fg.random.stateless_gamma([3, 4], [1, 2], a, dtype=a.dtype),
    [Vary(values=[0.5, 1.0, 2.5, 40.0])],
    lambda a: np.array(GAMMAS),
    # The slope is that of the sample at its probability, not that of its making.
    None,
    dtypes=("float64", "float32", "float16", "bfloat16"),
)
row(
    "StatelessRandomPoisson",
    lambda fg, r: fg.random.stateless_poisson([3, 4], [1, 2], r, fg.float64),
    [Vary(values=[3.0, 4.0, 12.0, 100.0])],
    lambda r: np.array(POISSONS),
    dtypes=REAL,
    out="float64",
)
row(
    "StatelessRandomPoissonV2",
    lambda fg, r: fg._core.emit(
        "StatelessRandomPoissonV2",
        ([3, 4], *fg.raw_ops.StatelessRandomGetKeyCounter(seed=[1, 2]), 1, r),
        {"dtype": fg.float64},
    ),
    [Vary(values=[3.0, 4.0, 12.0, 100.0])],
    lambda r: np.array(POISSONS),
    dtypes=REAL,
    out="float64",
    hidden="what random.poisson draws by",
)
row(
    "StatelessRandomBinomial",
    lambda fg, n, p: fg.random.stateless_binomial([3, 2], [1, 2], n, p, fg.int64),
    [Vary(values=[100.0, 1000.0]), Vary(values=[0.25, 0.625])],
    lambda n, p: np.array(BINOMIALS),
    dtypes=("float64", "float32", "float16", "bfloat16"),
    out="int64",
)
for counts, drawn in (([10.0, 5.0], FEW), ([10.0, 90.0], BOTH)):
    row(
        "StatelessRandomBinomial",
        lambda fg, n, p: fg.random.stateless_binomial([3, 2], [1, 2], n, p, fg.int64),
        [np.array(counts), np.array([0.3, 0.5])],
        lambda n, p, drawn=drawn: np.array(drawn),
        out="int64",
    )
row(
    "SobolSample",
    lambda fg, dim, n, skip: fg.math.sobol_sample(dim, n, skip, fg.float64),
    [np.int32(3), np.int32(4), np.int32(5)],
    # What tensorflow 2.21 gives.
    lambda dim, n, skip: np.array(
        [
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
            [0.1875, 0.3125, 0.9375],
            [0.6875, 0.8125, 0.4375],
        ]
    ),
    out="float64",
)
