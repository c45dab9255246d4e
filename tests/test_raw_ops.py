"""Operations under the names of their kernels."""

import ferrograph as fg
import numpy as np
import pytest


@pytest.fixture(params=["eager", "traced"])
def run(request):
    return (lambda f: f()) if request.param == "eager" else (lambda f: fg.function(f)())


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_numbers_in_intervals(run, dtype):
    x = np.array([[-1, 0, 1], [2, 10, 99]], dtype)
    found = run(lambda: fg.raw_ops.Bucketize(input=x, boundaries=[0.0, 1.5, 10.0]))
    assert found.dtype == fg.int32 and found.numpy().tolist() == [[0, 1, 1], [2, 3, 3]]


def test_no_intervals_and_wrong_ones():
    assert fg.raw_ops.Bucketize(input=[1.0], boundaries=[]).numpy().tolist() == [0]
    with pytest.raises(ValueError, match="in order"):
        fg.raw_ops.Bucketize(input=[1.0], boundaries=[2.0, 1.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_that_differ(run, axis):
    x = np.random.default_rng(0).integers(0, 2, size=(6, 3)).astype("int32")
    y, idx, count = run(lambda: fg.raw_ops.UniqueWithCountsV2(x=x, axis=[axis]))
    slices = [tuple(s.ravel()) for s in np.moveaxis(x, axis, 0)]
    first = list(dict.fromkeys(slices))
    assert [tuple(s.ravel()) for s in np.moveaxis(y.numpy(), axis, 0)] == first
    assert idx.numpy().tolist() == [first.index(s) for s in slices]
    assert count.numpy().tolist() == [slices.count(s) for s in first]


def test_slices_of_texts_and_of_what_is_no_number():
    texts = fg.raw_ops.UniqueV2(x=[["a", "b"], ["a", "b"]], axis=[0])
    assert texts.y.numpy().tolist() == [[b"a", b"b"]]
    assert fg.raw_ops.UniqueV2(x=[3, 1, 3], axis=[]).y.numpy().tolist() == [3, 1]
    nan = float("nan")
    found = fg.raw_ops.UniqueV2(x=[[1.0, nan], [1.0, nan], [2.0, 3.0], [2.0, 3.0]], axis=[0])
    assert found.idx.numpy().tolist() == [0, 1, 2, 2]


def projected(mode, interpolation, transform, size=(2, 4)):
    image = fg.reshape(fg.range(1.0, 5.0), [1, 1, 4, 1])
    return fg.raw_ops.ImageProjectiveTransformV3(
        images=fg.repeat(image, 2, 1),
        transforms=[transform],
        output_shape=size,
        fill_value=9.0,
        interpolation=interpolation,
        fill_mode=mode,
    )


# What TensorFlow 2.21 gives for a row [1, 2, 3, 4] that is moved by 3 and by -3.
MOVED = {
    "CONSTANT": ([4, 9, 9, 9], [9, 9, 9, 1]),
    "REFLECT": ([4, 4, 3, 2], [3, 2, 1, 1]),
    "WRAP": ([4, 1, 2, 1], [4, 3, 4, 1]),
    "NEAREST": ([4, 4, 4, 4], [1, 1, 1, 1]),
}


@pytest.mark.parametrize("mode", MOVED)
@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
def test_what_lies_outside_of_an_image(run, mode, interpolation):
    for by, row in zip((3.0, -3.0), MOVED[mode], strict=True):
        moved = run(lambda by=by: projected(mode, interpolation, [1, 0, by, 0, 1, 0, 0, 0]))
        assert moved.shape == [1, 2, 4, 1]
        assert moved[0, 0, :, 0].numpy().tolist() == row


def test_between_pixels():
    moved = projected("CONSTANT", "BILINEAR", [1, 0, 0.25, 0, 1, 0, 0, 0])
    assert moved[0, 0, :, 0].numpy().tolist() == [1.25, 2.25, 3.25, 4 * 0.75 + 9 * 0.25]
    with pytest.raises(ValueError, match="interpolation"):
        projected("CONSTANT", "CUBIC", [1, 0, 0, 0, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="fill_mode"):
        projected("SHINE", "NEAREST", [1, 0, 0, 0, 1, 0, 0, 0])


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("share", [1, 0.25])
def test_batches_are_normalised(data_format, share):
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 5)).astype("float32")
    axes = (0, 1, 2) if data_format == "NHWC" else (0, 2, 3)
    shape = [1, 1, 1, 5] if data_format == "NHWC" else [1, 2, 1, 1]
    n = max(shape)
    scale, offset = np.arange(1.0, n + 1, dtype="float32"), np.arange(n, dtype="float32")
    old = np.full(n, 2.0, "float32")
    found = fg.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=old, variance=old, epsilon=0.01,
        exponential_avg_factor=share, data_format=data_format,
    )  # fmt: skip
    mean, variance = x.mean(axes), x.var(axes)
    unbiased = x.var(axes, ddof=1)
    y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 0.01)
    y = y * scale.reshape(shape) + offset.reshape(shape)
    assert np.allclose(found.y, y, atol=1e-5)
    assert np.allclose(found.batch_mean, (1 - share) * old + share * mean, atol=1e-6)
    assert np.allclose(found.batch_variance, (1 - share) * old + share * unbiased, atol=1e-5)
    assert np.allclose(found.reserve_space_1, mean, atol=1e-6)


def test_batches_are_normalised_by_given_statistics():
    x = np.ones((2, 1, 1, 1), "float16")
    given = {"scale": [2.0], "offset": [1.0], "mean": [0.5], "variance": [0.25]}
    found = fg.raw_ops.FusedBatchNormV2(x=x, **given, epsilon=0.0, is_training=False)
    assert found.y.dtype == fg.float16 and found.y.numpy().ravel().tolist() == [3.0, 3.0]
    assert found.batch_mean.numpy().tolist() == [0.5]
    with pytest.raises(ValueError, match="data_format must be"):
        fg.raw_ops.FusedBatchNormV2(x=x, **given, data_format="NWHC")
