"""The largest integers of windows."""

import ferrograph as fg
import numpy as np
import pytest

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("size", "step"), [(2, 2), (3, 1)])
def test_largest_integers(dtype, size, step):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(0)
    x = rng.integers(info.min, info.max, (2, 5, 6, 3), dtype=dtype, endpoint=True)
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))
    wanted = windows[:, ::step, ::step].max((-1, -2))

    def pool(t):
        return fg.nn.max_pool2d(t, size, step, "VALID")

    traced = fg.function(pool, input_signature=[fg.TensorSpec(None, dtype)])
    for found in (pool(x), traced(fg.constant(x))):
        assert found.dtype.name == dtype
        assert (found.numpy() == wanted).all()
    same = fg.nn.max_pool(x, size, step, "SAME")
    found, places = fg.nn.max_pool_with_argmax(x, size, step, "SAME")
    assert (found.numpy() == same.numpy()).all()
    taken = np.take_along_axis(x.reshape(2, -1), places.numpy().reshape(2, -1), 1)
    assert (taken.reshape(same.shape) == same.numpy()).all()


def test_other_forms():
    row = fg.constant([[[1], [3], [2]]])
    assert fg.nn.max_pool1d(row, 2, 1, "VALID").numpy()[0, :, 0].tolist() == [3, 3]
    first = fg.transpose(row[:, None], [0, 3, 1, 2])
    found = fg.nn.max_pool2d(first, [1, 2], 1, "VALID", data_format="NCHW")
    assert found.numpy().tolist() == [[[[3, 3]]]]
    assert fg.nn.max_pool(fg.zeros([0, 4, 4, 1], fg.int64), 2, 2, "SAME").shape == [0, 2, 2, 1]
    with pytest.raises(fg.errors.InvalidArgumentError, match="floating point tensor, got int32"):
        fg.nn.max_pool3d(fg.zeros([1, 2, 2, 2, 1], fg.int32), 2, 2, "VALID")


@pytest.mark.parametrize("size", [5, 2**31 - 1])
@pytest.mark.parametrize("is_traced", [False, True])
def test_windows_may_be_larger_than_images(size, is_traced):
    x = fg.reshape(fg.range(6.0), [1, 2, 3, 1])

    def pools(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.nn.max_pool2d(x, size, 1, "SAME"), fg.nn.avg_pool2d(x, size, 1, "SAME")
        return *y, tape.gradient(y, x)

    largest, mean, gradient = (fg.function(pools) if is_traced else pools)(x)
    assert (largest.numpy() == 5).all()
    assert (mean.numpy() == 2.5).all()
    assert gradient.numpy().ravel().tolist() == [1, 1, 1, 1, 1, 7]


@pytest.mark.parametrize("window", [2, [], [2, 2, 2, 2], "22", fg.constant(2)])
@pytest.mark.parametrize("kind", ["MAX", "AVG"])
def test_windows_of_another_count_of_axes(window, kind):
    with pytest.raises(ValueError, match=r"window_shape must be a list of 1, 2 or 3 sizes, got "):
        fg.nn.pool(fg.ones([1, 4, 4, 1]), window, kind)
    for fits in ((2, 2), np.array([2, 2]), fg.constant([2, 2])):
        assert fg.nn.pool(fg.ones([1, 4, 4, 1]), fits, kind).shape == [1, 3, 3, 1]
