"""Products of matrices at places, and normal numbers between bounds."""

import ferrograph as fg
import numpy as np
import pytest

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_products_at_places(batch, traced):
    first = RNG.normal(size=(*batch, 3, 4)).astype(np.float32)
    second = RNG.normal(size=(*batch, 4, 5)).astype(np.float32)
    places = RNG.integers(0, 3, (*batch, 6, 2))
    numbers = RNG.normal(size=(*batch, 6)).astype(np.float32)

    def call(numbers, first, second):
        return fg.sparse.sampled_addmm(places, numbers, [3, 5], first, second, 0.5, 2.0)

    f = fg.function(call) if traced else call
    indices, found, shape = f(numbers, first, second)
    whole = first @ second
    rows = np.take_along_axis(whole, places[..., :1], -2)
    wanted = np.take_along_axis(rows, places[..., 1:], -1)[..., 0]
    np.testing.assert_allclose(found, 2 * wanted + 0.5 * numbers, rtol=1e-4, atol=1e-5)
    assert (indices.numpy() == places).all()
    assert shape.numpy().tolist() == [3, 5]


def test_gradients_of_products_at_places():
    first, second = fg.constant([[1.0, 2.0], [3.0, 4.0]]), fg.constant([[5.0], [6.0]])
    with fg.GradientTape() as tape:
        tape.watch([first, second])
        _, found, _ = fg.sparse.sampled_addmm([[1, 0]], [1.0], [2, 1], first, second)
    gradients = tape.gradient(found, [first, second])
    assert gradients[0].numpy().tolist() == [[0.0, 0.0], [5.0, 6.0]]
    assert gradients[1].numpy().tolist() == [[3.0], [4.0]]


def test_shapes_that_are_not_the_products():
    with pytest.raises(ValueError, match=r"dense_shape must end in \[1, 1\]"):
        fg.sparse.sampled_addmm([[0, 0]], [1.0], [2, 2], [[1.0]], [[1.0]])


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("dtype", [fg.float32, fg.float64])
def test_normal_numbers_between_bounds(dtype, traced):
    draw = fg.random.stateless_parameterized_truncated_normal

    def call(mean):
        return draw([20000, 3], [1, 2], mean, 2.0, [-np.inf, 1.0, 30.0], [np.inf, 2.0, 31.0])

    f = fg.function(call) if traced else call
    found = f(fg.constant([1.0, 1.0, 1.0], dtype))
    assert found.dtype == dtype
    found = found.numpy()
    assert abs(found[:, 0].mean() - 1) < 0.05
    assert abs(found[:, 0].std() - 2) < 0.05
    assert 1 <= found[:, 1].min() < found[:, 1].max() <= 2
    # Far out the density falls as exp(-x * 14.5 / 2).
    assert 30 <= found[:, 2].min() < found[:, 2].max() <= 31.0
    assert abs(found[:, 2].mean() - 30 - 0.1357) < 0.01
    assert (call(fg.constant([1.0, 1.0, 1.0], dtype)).numpy() == found).all()
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        draw([2, 3], [1, 2], fg.zeros([4]))


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        ((5, 2), []),
        ((2, 5, -1), []),
        ((5, 2, -1), [5, 4, 3]),
        ((0, 0), []),
        ((0, 1, 0.5), [0, 0.5]),
    ],
)
def test_ranges_away_from_their_end_are_empty(args, wanted):
    tnp = fg.experimental.numpy
    assert tnp.arange(*args).numpy().tolist() == wanted == np.arange(*args).tolist()
