"""Random numbers: seeds, ranges, moments, and the same draws eagerly and traced."""

import json
import pathlib

import ferrograph as fg
import numpy as np
import pytest
from recorded.compare import differences, plain
from recorded.draws import DRAWS

random = fg.random


def draws(dtype=fg.float32):
    return [
        random.uniform([50], dtype=dtype),
        random.normal([50], dtype=dtype),
        random.truncated_normal([50], dtype=dtype),
        random.uniform([50], maxval=1000, dtype=fg.int32),
        random.uniform([50], maxval=1000, dtype=fg.int64),
        fg.cast(random.shuffle(fg.range(50)), fg.int64),
        random.categorical(fg.zeros([1, 1000]), 50)[0],
    ]


RECORD = json.loads((pathlib.Path(__file__).parent / "recorded" / "draws.json").read_text())


@pytest.fixture(autouse=True)
def unseeded():
    """Each test begins and ends without a global seed."""
    random.set_seed(None)
    yield
    random.set_seed(None)


@pytest.mark.parametrize("name", RECORD)
def test_eager_draws_are_the_recorded_ones(name):
    drawn = [plain(fg, tensor) for tensor in DRAWS[name](fg)]
    assert differences(drawn, {"out": RECORD[name]}) == []


def mixture(x, again):
    """Draws with and without seeds of their own, in a branch and a loop."""
    found = [random.uniform([2]), random.uniform([2], seed=4)]
    y = random.normal([2]) if fg.reduce_sum(x) > 0 else random.uniform([2])
    total = fg.zeros([2])
    for _ in fg.range(again):
        total += random.uniform([2]) + random.uniform([2], seed=4)
    data = fg.data.Dataset.range(5).shuffle(5)
    order = fg.zeros([], fg.int64)
    for element in data:
        order = order * 10 + element
    last = random.categorical(fg.zeros([1, 9]), 4)
    return [*found, y, total, order, last, random.shuffle(fg.range(6))]


def test_a_traced_function_draws_what_its_body_draws_eagerly():
    """At each call, also where calls of both kinds take turns."""

    def run(function):
        random.set_seed(8)
        calls = [function(fg.constant(x), fg.constant(2)) for x in (1.0, -1.0, 2.0)]
        between = random.uniform([3])
        more = [function(fg.constant(x), fg.constant(3)) for x in (-1.0, 1.0)]
        return [t.numpy() for call in [*calls, [between], *more] for t in call]

    for a, b in zip(run(mixture), run(fg.function(mixture)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_seed_set_later_reaches_a_function_traced_before():
    traced = fg.function(lambda: (random.uniform([3]), random.normal([3], seed=2)))
    traced()
    random.set_seed(6)
    want = random.uniform([3]), random.normal([3], seed=2)
    random.set_seed(6)
    for a, b in zip(traced(), want, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_a_global_seed_draws_differ():
    a, b = random.uniform([4]), random.uniform([4])
    assert (a.numpy() != b.numpy()).any()
    random.set_seed(1)
    c = random.uniform([4])
    random.set_seed(None)
    assert (c.numpy() != random.uniform([4]).numpy()).any()


STATELESS = {
    "uniform": random.stateless_uniform,
    "normal": random.stateless_normal,
    "truncated_normal": random.stateless_truncated_normal,
    "int": lambda n, s: random.stateless_uniform(n, s, 0, 100, fg.int32),
    "full_int": lambda n, s: random.stateless_uniform(n, s, None, None, fg.int64),
    "categorical": lambda n, s: random.stateless_categorical(fg.zeros([1, 100]), n[0], s)[0],
}


@pytest.mark.parametrize("run", [draws, fg.function(draws)], ids=["eager", "traced"])
def test_a_global_seed_repeats_eager_draws_and_later_draws_differ(run):
    first, second = run(), run()
    for a, b in zip(first, second, strict=True):
        assert (a.numpy() != b.numpy()).any()
    if run is draws:
        random.set_seed(3)
        a = draws()
        random.set_seed(3)
        for x, y in zip(a, draws(), strict=True):
            np.testing.assert_array_equal(x, y)


def test_a_function_made_after_the_same_seed_draws_the_same():
    def run():
        random.set_seed(5)
        traced = fg.function(lambda: random.normal([4]))
        return [traced().numpy() for _ in range(2)]

    np.testing.assert_array_equal(run(), run())


def test_an_operation_seed_repeats_after_a_global_seed_and_moves_on():
    def run():
        random.set_seed(5)
        return [random.uniform([4], seed=9).numpy() for _ in range(2)]

    a, b = run(), run()
    np.testing.assert_array_equal(a, b)
    assert (a[0] != a[1]).any()


@pytest.mark.parametrize("name", STATELESS)
def test_stateless_draws_depend_on_their_seed_alone(name):
    draw = STATELESS[name]
    a = draw([64], [1, 2])
    np.testing.assert_array_equal(a, draw([64], [1, 2]))
    np.testing.assert_array_equal(a, fg.function(lambda s: draw([64], s))([1, 2]))
    assert (a.numpy() != draw([64], [1, 3]).numpy()).any()


def test_ranges_and_moments():
    u = random.uniform([20000], 2.0, 5.0).numpy()
    assert 2 <= u.min() < u.max() < 5
    assert abs(u.mean() - 3.5) < 0.05
    n = random.normal([20000], mean=[1.0], stddev=2.0).numpy()
    assert abs(n.mean() - 1) < 0.1
    assert abs(n.std() - 2) < 0.1
    t = random.truncated_normal([20000]).numpy()
    assert np.abs(t).max() <= 2
    i = random.uniform([1000], -3, 4, fg.int32).numpy()
    assert set(i.tolist()) == set(range(-3, 4))
    c = random.categorical(fg.math.log([[0.25, 0.75]]), 20000).numpy()
    assert abs(c.mean() - 0.75) < 0.03


def test_bounds_that_are_refused():
    with pytest.raises(ValueError, match="maxval"):
        random.uniform([1], dtype=fg.int32)
    with pytest.raises(ValueError, match="string"):
        random.uniform([1], dtype=fg.string)
    with pytest.raises(ValueError, match="generator"):
        random.stateless_uniform([1], [1, 2], alg="threefry")


def test_split_and_fold_in_give_new_seeds():
    seeds = random.split([1, 2], 3)
    assert seeds.shape == [3, 2]
    assert seeds.dtype == fg.int32
    assert len({tuple(s) for s in seeds.numpy().tolist()}) == 3
    assert random.fold_in([1, 2], 5).numpy()[1] == 5


def test_the_slope_of_a_gamma_sample_is_the_recorded_one():
    alpha = fg.constant([0.5, 3.0], fg.float64)
    with fg.GradientTape() as tape:
        tape.watch(alpha)
        y = fg.random.stateless_gamma([3, 2], [1, 2], alpha, dtype=fg.float64)
    want = [2.6393623989798742, 3.1947332127987136]
    np.testing.assert_allclose(tape.gradient(y, alpha), want, rtol=1e-9)


@pytest.mark.parametrize("how", ["eager", "traced"])
def test_draws_with_parameters_have_their_means(how):
    """Each stands for its own sample: means and deviations are those of the distributions."""

    def draws():
        return (
            fg.random.gamma([4000], [0.5, 4.0], beta=[1.0, 2.0]),
            fg.random.poisson([4000], [0.5, 20.0]),
            fg.cast(fg.random.stateless_binomial([4000, 2], [5, 6], [10.0, 90.0], 0.3), fg.float32),
        )

    fg.random.set_seed(1)
    run = fg.function(draws) if how == "traced" else draws
    means = [[0.5, 2.0], [0.5, 20.0], [3.0, 27.0]]
    variances = [[0.5, 1.0], [0.5, 20.0], [2.1, 18.9]]
    first = run()
    for y, mean, variance in zip(first, means, variances, strict=True):
        assert y.shape == [4000, 2]
        np.testing.assert_allclose(fg.reduce_mean(y, 0), mean, rtol=0.06)
        np.testing.assert_allclose(fg.math.reduce_variance(y, 0), variance, rtol=0.12)
    again = run()
    assert not np.array_equal(first[0], again[0])


def test_an_own_seed_goes_on_in_one_stream():
    fg.random.set_seed(3)
    a, b = fg.random.gamma([2], 2.0, seed=5), fg.random.gamma([2], 2.0, seed=5)
    fg.random.set_seed(3)
    c = fg.random.gamma([2], 2.0, seed=5)
    assert np.array_equal(a, c)
    assert not np.array_equal(a, b)


def test_gamma_samples_are_those_of_the_global_seed():
    """As tensorflow 2.21 draws them one after another."""
    fg.random.set_seed(1)
    first = fg.random.gamma([2, 2], [3.0, 1.0], beta=[1.0, 2.0])
    wanted = [5.7770104, 0.42807516, 1.7187768, 0.21983309]
    wanted += [1.4311152, 1.7695965, 4.5885139, 0.17146383]
    np.testing.assert_allclose(np.ravel(first), wanted, rtol=1e-6)
    second = fg.random.gamma([2], 2.0, dtype=fg.float64)
    np.testing.assert_allclose(second, [1.3566085477138712, 1.7397734747265774], rtol=1e-14)
    third = fg.random.gamma([3], [0.5, 2.0, 7.0])
    np.testing.assert_allclose(third[0], [0.88182777, 0.58824861, 5.08797264], rtol=1e-6)


def test_poisson_numbers_under_a_global_seed_are_the_recorded_ones():
    fg.random.set_seed(5)
    try:
        drawn = fg.random.poisson([4], [3.0, 50.0]).numpy()
        fg.random.set_seed(5)
        pairs = [fg.random.poisson([2], 3.0).numpy().tolist() for _ in range(2)]
    finally:
        fg.random.set_seed(None)
    assert drawn.tolist() == [[1, 36], [2, 50], [5, 57], [2, 56]]
    assert pairs == [[1, 2], [3, 3]]
