"""Rearrangements and counts are the same in traces that do not know ranks."""

import ferrograph as fg
import numpy as np
import pytest
from run import array_of

X = np.random.default_rng(0).uniform(1, 2, (2, 4, 6, 3)).astype(np.float32)
NUMBERS = np.array([[1, 0, 2], [2, 1, 0]], np.int32)
REFUSALS = (ValueError, fg.errors.InvalidArgumentError)


def traced(call, *args):
    specs = [fg.TensorSpec(None, a.dtype) for a in args]
    return fg.function(call, input_signature=specs, autograph=False)(*args)


def check(call, *arrays):
    args = [fg.constant(a) for a in arrays]
    found, wanted = array_of(traced(call, *args)), array_of(call(*args))
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def check_refused(call, *arrays):
    args = [fg.constant(a) for a in arrays]
    for run in (call, lambda *a: traced(call, *a)):
        with pytest.raises(REFUSALS):
            run(*args)


@pytest.mark.parametrize(("seq", "batch"), [(1, 0), (2, 0), (0, 1), (-1, 0), (3, -4)])
def test_reversed_prefixes(seq, batch):
    lengths = [2, 3] if batch in (0, -4) else [1, 2, 0, 2]
    check(lambda t: fg.reverse_sequence(t, lengths, seq, batch), X)


@pytest.mark.parametrize("block", [[1], [2], [2, 3]])
def test_space_and_batch(block):
    nothing = [[0, 0]] * len(block)
    check(lambda t: fg.space_to_batch(t, block, nothing), X)
    check(lambda t: fg.batch_to_space(fg.tile(t, [3, 1, 1, 1]), block, nothing), X)


def test_blocks_have_sizes_above_nothing():
    check_refused(lambda t: fg.space_to_batch(t, [0], [[0, 0]]), X)
    check_refused(lambda t: fg.batch_to_space(t, [-1], [[0, 0]]), X)


@pytest.mark.parametrize("numbers", [NUMBERS, NUMBERS[0], NUMBERS[:, :0]])
def test_counts_of_each_row(numbers):
    weights = np.ones_like(numbers, np.float32) / 2
    check(lambda n: fg.math.bincount(n, axis=-1), numbers)
    check(lambda n: fg.math.bincount(n, axis=-1, binary_output=True, maxlength=2), numbers)
    check(lambda n, w: fg.math.bincount(n, w, axis=-1, minlength=5), numbers, weights)


def test_counts_that_make_no_sense():
    check_refused(lambda n: fg.math.bincount(n, axis=-1), NUMBERS[None])
    check_refused(lambda n, w: fg.math.bincount(n, w), NUMBERS, np.ones([3], np.float32))
    check_refused(lambda n, w: fg.math.bincount(n, w, axis=-1), NUMBERS[0], np.ones([2]))
    with pytest.raises(ValueError, match="not both"):
        fg.math.bincount([1, 2], weights=[1, 2], binary_output=True)


def test_coordinates_of_a_scalar():
    check(lambda i: fg.unravel_index(i, [3, 4]), np.int32(7))
    check(lambda i: fg.unravel_index(i, [3, 4]), np.array([7, 1], np.int32))


def test_windows_of_images():
    same = ([1] * 4, "SAME", "NHWC", [1] * 4)
    filters = np.zeros([2, 2, 3], np.float32)
    check(lambda t: fg.nn.dilation2d(t, filters, *same), X)
    check(lambda t: fg.nn.erosion2d(t, filters, *same), X)
    check(lambda t: fg.image.extract_glimpse(t, [2, 2], [[0.0, 0.0], [0.5, 0.5]]), X)


def test_rows_of_a_tensor():
    check(lambda t: fg.RaggedTensor.from_tensor(t, padding=0.0).values, X[0])
    check(lambda t: fg.sets.size(fg.sparse.from_dense(t)), NUMBERS)
    check(lambda t: fg.raw_ops.UniqueV2(x=t, axis=[0]).y, X)
    made = fg.function(lambda t: fg.RaggedTensor.from_tensor(t, ragged_rank=2))(X)
    assert made.shape.as_list() == [2, 4, 6, 3]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_slices_of_each_batch(dtype):
    places = np.array([[[1, 0]], [[3, 5]]], dtype)
    check(lambda t, i: fg.gather_nd(t, i, batch_dims=1), X, places)
    check_refused(lambda t, i: fg.gather_nd(t, i, batch_dims=1), X, places[:1])
    check_refused(lambda t, i: fg.gather_nd(t, i, batch_dims=1), X, places[0, 0])
