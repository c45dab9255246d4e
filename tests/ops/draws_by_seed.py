"""Draws by the program's seed, by seeds of operations and by seeds given as tensors.

``python tests/ops/draws_by_seed.py`` writes ``recorded/draws_by_seed.json``: what tensorflow draws,
as seen with tensorflow-cpu 2.21.0. ``test_draws_by_seed.py`` holds ferrograph to it.
"""

import json
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "draws_by_seed.json"

TRUE = [[1, 2], [5, 9]]
COUNTS = [float(i + 1) for i in range(12)]
# Mean, deviation and bounds: on both sides of the mean, beside it, far from it, and without end.
TRUNCATED = [
    (0, 1, -2, 2),
    (0, 1, 0.5, 0.9),
    (0, 1, 3, 100),
    (0, 1, -1, 1),
    (0, 1, -np.inf, -3),
    (1, 2, -1.5, 8),
    (1, 2, -3, 1.2),
    (0, 1, -1.4, 0.2),
    (0, 1, 0.1, np.inf),
    (5, 2, -3, 4),
    (0, 0.5, -1.2, 1.2),
    (0, 1, -0.2, 1.6),
]


def plain(value):
    """Numbers and lists of a structure of tensors."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return np.asarray(value).tolist()


def truncated(tf):
    draw = tf.random.stateless_parameterized_truncated_normal
    for dtype in ("float32", "float64"):
        for i, row in enumerate(TRUNCATED):
            yield draw([11], [3, i], *(tf.constant(v, dtype) for v in row))
    parameters = {"means": [0.0, 1.0], "stddevs": [1.0, 2.0]}
    yield draw([5, 2], [3, 4], **parameters, minvals=[-1.0, 2.0], maxvals=[3.0, 3.5])
    yield draw([3, 2], [3, 4], **parameters, minvals=-1.0, maxvals=3.0)


def gamma(tf, seed):
    draw = tf.random.gamma
    for _ in range(2):
        yield draw([3], [0.5, 1.0, 2.0], seed=seed)
    yield draw([2], 3.0, beta=2.0, dtype="float64", seed=seed)
    yield draw([2, 2], [[0.2, 7.0]], beta=[[1.0], [4.0]], seed=seed)
    yield tf.reduce_sum(draw([500], [0.7, 3.0], seed=seed, dtype="float64"))


def poisson(tf, seed):
    for _ in range(2):
        yield tf.random.poisson([3], [0.5, 12.0], seed=seed)
    yield tf.random.poisson([2], 3.0, dtype="int32", seed=seed)
    yield tf.random.poisson([4], tf.constant([40.0, 0.1], "float64"), "float64", seed=seed)


def candidates(tf, seed):
    random = tf.random
    for unique in (True, False):
        for _ in range(2):
            yield random.uniform_candidate_sampler(TRUE, 2, 5, unique, 12, seed=seed)
            yield random.log_uniform_candidate_sampler(TRUE, 2, 5, unique, 12, seed=seed)
            for distortion in (1.0, 0.75):
                yield random.fixed_unigram_candidate_sampler(
                    TRUE, 2, 5, unique, 12, unigrams=COUNTS, distortion=distortion, seed=seed
                )
        yield random.uniform_candidate_sampler(TRUE, 2, 5, unique, 16, seed=seed)
        yield random.uniform_candidate_sampler(TRUE, 2, 12, unique, 12, seed=seed)
        yield random.all_candidate_sampler(TRUE, 2, 12, unique, seed=seed)


def losses(tf, seed):
    weights = tf.constant(np.arange(24, dtype="float32").reshape(12, 2) / 10)
    biases = tf.constant(np.arange(12, dtype="float32") / 7)
    inputs = tf.constant([[1.0, 2.0], [0.5, -1.0]])
    labels = tf.constant(TRUE, "int64")
    yield tf.nn.nce_loss(weights, biases, labels, inputs, 4, 12, num_true=2)
    yield tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 4, 12, num_true=2, seed=seed)


def seeded_function(tf):
    f = tf.function(
        lambda: (tf.random.gamma([2], 3.0, seed=4), tf.random.poisson([2], 3.0, seed=4))
    )
    for _ in range(2):
        yield f()


def mapped(tf):
    data = tf.data.Dataset.range(3).map(lambda i: tf.random.gamma([2], 3.0, seed=4))
    yield list(data)


def stateless(tf):
    yield tf.random.stateless_gamma([3, 2], [1, 2], [0.5, 3.0], beta=[1.0, 2.0])
    yield tf.random.stateless_poisson([3, 2], [1, 2], [0.5, 30.0], dtype="float32")
    yield tf.random.stateless_binomial([3, 2], [1, 2], [10.0, 30.0], [0.3, 0.6])
    yield tf.random.Generator.from_seed(5).binomial([3, 2], [10.0, 20.0], [0.3, 0.4])


def cases():
    """Name and call of each case."""
    for call in (truncated, stateless, seeded_function, mapped):
        yield call.__name__, call
    for call in (gamma, poisson, candidates, losses):
        for seed in (None, 2):
            yield f"{call.__name__}, seed {seed}", lambda tf, c=call, s=seed: c(tf, s)


def drawn(tf, call):
    """What a case draws under the seed 7, in plain lists."""
    tf.random.set_seed(7)
    return [plain(value) for value in call(tf)]


if __name__ == "__main__":
    import tensorflow

    rows = (f"{json.dumps(name)}: {json.dumps(drawn(tensorflow, call))}" for name, call in cases())
    RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n")
