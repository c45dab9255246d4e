"""Functions that few programs need, against what tensorflow 2.21 gives for the same calls."""

import json

import ferrograph as fg
import numpy as np
import pytest
import rare_cases

RECORD = json.loads(rare_cases.RECORD.read_text())


def test_every_case_is_recorded():
    assert set(RECORD) == set(rare_cases.CASES)


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
@pytest.mark.parametrize("name", rare_cases.CASES)
def test_as_recorded(name, wrap):
    found = rare_cases.parts(fg, wrap(lambda: rare_cases.CASES[name](fg))())
    assert [dtype for dtype, _ in found] == [dtype for dtype, _ in RECORD[name]]
    for (dtype, ours), (_, theirs) in zip(found, RECORD[name], strict=True):
        if "float" in dtype:
            assert np.allclose(ours, theirs, rtol=2e-6 if dtype != "float16" else 1e-3, atol=0)
        else:
            assert ours == theirs


def test_unknown_sizes():
    v = rare_cases.image(fg)
    for function in (fg.nn.fractional_max_pool, fg.nn.fractional_avg_pool):
        traced = fg.function(
            lambda v, f=function: f(v, [1.0, 1.44, 2.3, 1.0], True, True, 5),
            input_signature=[fg.TensorSpec([None] * 4)],
        )
        eager_ones = function(v, [1.0, 1.44, 2.3, 1.0], True, True, 5)
        for ours, eager in zip(traced(v), eager_ones, strict=True):
            assert np.array_equal(ours, eager)
    any_rows = fg.function(
        lambda x: fg.nn.isotonic_regression(x, axis=0),
        input_signature=[fg.TensorSpec([None, None])],
    )
    x = fg.constant(rare_cases.SEQUENCES)
    assert np.array_equal(any_rows(x)[0], fg.nn.isotonic_regression(x, axis=0)[0])
    order = fg.function(
        lambda x, seed: fg.random.experimental.stateless_shuffle(x, seed),
        input_signature=[fg.TensorSpec([None]), fg.TensorSpec([2], fg.int32)],
    )
    eager = fg.random.experimental.stateless_shuffle(fg.range(9.0), [4, 5])
    assert np.array_equal(order(fg.range(9.0), fg.constant([4, 5])), eager)


def test_isotonic_sequences_are_the_nearest():
    """Against the formula of minima of maxima of means."""
    x = np.random.default_rng(3).normal(size=40).cumsum()
    sums = np.concatenate([[0], x.cumsum()])

    def mean(a, b):
        return (sums[b + 1] - sums[a]) / (b + 1 - a)

    n = len(x)
    expected = [min(max(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    assert np.allclose(fg.nn.isotonic_regression(x)[0], expected)


def test_pools_without_a_seed_differ_from_time_to_time():
    image = fg.reshape(fg.range(64.0 * 64), [1, 64, 64, 1])
    traced = fg.function(lambda: fg.nn.fractional_max_pool(image, 1.5)[1])
    assert len({tuple(traced().numpy().tolist()) for _ in range(5)}) > 1


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: fg.nn.fractional_max_pool(fg.ones([1, 4, 4, 1]), 0.5), ValueError),
        (lambda: fg.nn.fractional_max_pool(fg.ones([1, 4, 4, 1]), [1.5, 2.7]), ValueError),
        (lambda: fg.nn.fractional_avg_pool(fg.ones([1, 4, 4, 1]), 1.5), TypeError),
        (lambda: fg.nn.fractional_avg_pool(fg.ones([1, 4, 4, 1]), [1, 2, 2, 2]), ValueError),
        (
            lambda: fg.nn.fractional_max_pool(fg.ones([4, 4]), 1.5),
            (fg.errors.InvalidArgumentError, ValueError),
        ),
        (lambda: fg.edit_distance(fg.ones([2, 2]), fg.ones([2, 2])), TypeError),
        (
            lambda: fg.edit_distance(rare_cases.sparse(fg, [1, 2]), rare_cases.sparse(fg, [1, 2])),
            (fg.errors.InvalidArgumentError, ValueError),
        ),
        (
            lambda: fg.edit_distance(
                rare_cases.sparse(fg, [[1, 2]]), rare_cases.sparse(fg, [[1.0, 2.0]])
            ),
            (fg.errors.InvalidArgumentError, ValueError),
        ),
        (lambda: fg.ragged.cross([fg.ones([2, 1])]), ValueError),
        (lambda: fg.ragged.cross([]), ValueError),
        (lambda: fg.sparse.cross(fg.ones([2, 1])), TypeError),
        (
            lambda: fg.ragged.cross([fg.constant([1, 2])]),
            (fg.errors.InvalidArgumentError, ValueError),
        ),
        (
            lambda: fg.ragged.cross([fg.constant([[1], [2]]), fg.constant([[1]])]),
            (fg.errors.InvalidArgumentError, ValueError),
        ),
    ],
)
def test_what_is_refused(call, kind, wrap):
    def called():
        call()

    with pytest.raises(kind):
        wrap(called)()
