"""Values that are no tensors become what operations take; traces refuse what is refused eagerly."""

import ferrograph as fg
import numpy as np
import pytest

X = np.random.default_rng(2).normal(size=(2, 3, 4)).astype(np.float32)
TRANSFORMS = ["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"]


def transformed(wrap, function, given):
    return wrap(lambda: function(given))()


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_real_numbers_are_transformed(name, wrap):
    function = getattr(fg.signal, name)
    wanted = function(fg.constant(X, fg.complex64)).numpy()
    for given in (X, X.tolist(), X.astype(np.float64)):
        found = transformed(wrap, function, given)
        assert found.dtype == fg.complex64
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert function(X.astype(np.complex128)).dtype == fg.complex128
    with pytest.raises((TypeError, ValueError, fg.errors.InvalidArgumentError)):
        function(fg.constant(X))


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_arrays_of_numbers_are_truth_values(wrap):
    some = np.array([[0.0, 2.0], [1.0, 3.0]], np.float16)
    assert wrap(lambda: fg.reduce_all(some, 1))().numpy().tolist() == [False, True]
    assert wrap(lambda: fg.reduce_any(some, 0))().numpy().tolist() == [True, True]
    assert wrap(lambda: fg.math.logical_xor(np.array([0, 2]), True))().numpy().tolist() == [
        True,
        False,
    ]
    assert wrap(
        lambda: fg.ragged.segment_ids_to_row_splits(np.array([0, 1], np.int32))
    )().dtype == (fg.int64)


def test_an_older_name_of_the_axis():
    by_axis = fg.math.l2_normalize(X, 1)
    assert np.array_equal(fg.math.l2_normalize(X, dim=1), by_axis)
    with pytest.raises(ValueError, match="axis or dim"):
        fg.math.l2_normalize(X, 1, dim=1)


def test_weights_of_more_axes_than_what_they_weigh():
    mean, variance = fg.nn.weighted_moments([1.0, 3.0], 1, [[1.0, 3.0], [1.0, 1.0]])
    assert mean.numpy().tolist() == [2.5, 2.0] and variance.numpy().tolist() == [0.75, 1.0]


IMAGE = np.ones((2, 2, 3), np.float32)
# Calls that their eager shapes or values refuse.
REFUSED = {
    "an image of three channels": lambda t: fg.image.grayscale_to_rgb(t),
    "no stack of images": lambda t: fg.image.image_gradients(t[0])[0],
    "a mask that is too short": lambda t: fg.boolean_mask(t, [True]),
    "a mask of another shape": lambda t: fg.boolean_mask(t, fg.ones([3, 2], fg.bool)),
    "too few partitions": lambda t: fg.dynamic_partition(t, [0], 2)[0],
    "a scalar of several": lambda t: fg.scalar_mul(t, 2.0),
    "bounds of several": lambda t: fg.quantization.fake_quant_with_min_max_vars([1.0], t, 5.0),
    "an upper bound below": lambda t: fg.image.stateless_random_contrast(
        IMAGE, 0.1, 0.0 * t[0, 0, 0], [1, 2]
    ),
    "a negative difference": lambda t: fg.image.stateless_random_brightness(
        IMAGE, -fg.abs(t[0, 0, 0]), [1, 2]
    ),
    "a difference beyond": lambda t: fg.image.stateless_random_hue(
        IMAGE, 1.0 + fg.abs(t[0, 0, 0]), [1, 2]
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_traces_refuse_what_is_refused_eagerly(name):
    refusals = (ValueError, fg.errors.InvalidArgumentError)
    with pytest.raises(refusals):
        REFUSED[name](fg.constant(X))
    for shape in (None, [None] * 3, X.shape):
        traced = fg.function(REFUSED[name], input_signature=[fg.TensorSpec(shape)], autograph=False)
        with pytest.raises(refusals):
            traced(X)


def bits(call, *arrays):
    """Eagerly and in traces that know less and less."""
    args = [fg.constant(a) for a in arrays]
    yield call(*args).numpy()
    for shape in (lambda a: a.shape, lambda a: [None] * a.ndim, lambda a: None):
        specs = [fg.TensorSpec(shape(a), a.dtype) for a in arrays]
        yield fg.function(call, input_signature=specs, autograph=False)(*args).numpy()


def test_products_of_nothing_contracted():
    outer = bits(lambda a, b: fg.tensordot(a, b, 0), X, np.array([[1.0, -0.0]], np.float32))
    assert len({one.tobytes() for one in outer}) == 1


@pytest.mark.parametrize("sides", [(4, 2), (2, 4)])
def test_least_squares_of_any_sides(sides):
    """The same equations are solved, whether or not the trace knows which side is the longer."""
    a = np.random.default_rng(3).normal(size=sides)
    found = list(bits(fg.linalg.lstsq, a, np.ones((sides[0], 1))))
    for one in found[1:]:
        np.testing.assert_allclose(one, found[0], rtol=1e-13)
    known = [one.tobytes() for one in found[:3]]
    assert len({*known}) == 1
