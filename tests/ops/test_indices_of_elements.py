"""Keys of plain numbers and slices give NumPy's elements, eagerly, where they may share memory, and
traced."""

import ferrograph as fg
import numpy as np
import pytest

X = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
ENTRIES = [0, 1, -1, slice(None), slice(1, None), slice(None, -1), slice(1, 2), slice(3, 1)]
ENTRIES += [slice(None, None, 2), slice(None, None, -1), slice(-9, 9)]
PAIRS = [(a, b) for a in ENTRIES for b in ENTRIES]
LONGER = [(1, 2, 3), (1, 2, 3, 4), (0, slice(1, 3), slice(None)), (1, 0, slice(0, 2), slice(None))]
LONGER += [
    (1, slice(None), 2),
    (0, 1, ..., 2),
    (None, 1, 2),
    (1, None, 2),
    (..., 1, 2),
    (-2, -3, -4),
]


def traced(key):
    return fg.function(lambda x: x[key])


@pytest.mark.parametrize("x", [X.astype("f"), X.astype("i8"), X.astype(str)], ids=["f", "i", "s"])
def test_keys_take_what_they_take_of_arrays(x):
    tensor = fg.constant(x)
    for key in PAIRS + LONGER:
        wanted = x[key]
        for found in (tensor[key], traced(key)(tensor)):
            assert found.shape == wanted.shape, key
            assert np.array_equal(np.asarray(found.numpy()).astype(x.dtype), wanted), key


@pytest.mark.parametrize("key", [(2, 0), (0, 3), (0, -4), (1, 2, 4), (0, 0, 0, 0, 0)])
def test_numbers_out_of_range_are_refused(key):
    with pytest.raises((fg.errors.InvalidArgumentError, ValueError)):
        fg.constant(X)[key]
    with pytest.raises((fg.errors.InvalidArgumentError, ValueError)):
        fg.function(lambda t: t[key])(fg.constant(X))


def test_what_was_taken_stays_where_the_rest_changes():
    v = fg.Variable(X.astype("f"))
    row, one = v[1, 2], v.read_value()[0, 1, 2, 3]
    v.assign(-v)
    assert np.array_equal(row.numpy(), X[1, 2]) and one.numpy() == X[0, 1, 2, 3]


def test_elements_that_were_taken_have_gradients():
    x = fg.constant(X.astype("f"))
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.reduce_sum(x[1, 2] ** 2) + x[0, 1, 2, 3] * 3.0
    wanted = np.zeros_like(X, "f")
    wanted[1, 2], wanted[0, 1, 2, 3] = 2.0 * X[1, 2], 3.0
    assert np.array_equal(tape.gradient(y, x).numpy(), wanted)
