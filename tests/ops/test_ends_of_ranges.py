"""Values at branch cuts and at the ends of the ranges, eager and traced."""

import math

import ferrograph as fg
import numpy as np
import pytest

CUTS = [complex(re, im) for re in (-3.0, -1.5, 1.5, 3.0, 1e30) for im in (0.0, -0.0)]
CUTS += [complex(im, re) for re in (-3.0, -1.5, 1.5, 3.0) for im in (0.0, -0.0)]
INVERSES = {
    "asin": (fg.math.asin, np.arcsin),
    "acos": (fg.math.acos, np.arccos),
    "acosh": (fg.math.acosh, np.arccosh),
    "asinh": (fg.math.asinh, np.arcsinh),
    "log1p": (fg.math.log1p, np.log1p),
}


@pytest.fixture(params=["eager", "traced"])
def way(request):
    return fg.function if request.param == "traced" else lambda f: f


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", INVERSES)
def test_signed_zeros_tell_the_sides_of_a_cut(way, name, dtype):
    ours, numpys = INVERSES[name]
    z = np.array(CUTS, dtype)
    np.testing.assert_allclose(way(ours)(fg.constant(z)), numpys(z), rtol=1e-5)


@pytest.mark.parametrize("dtype, largest", [(fg.float32, 3.4e38), (fg.float64, 1.7e308)])
def test_bessel_functions_of_the_second_kind_of_large_numbers(way, dtype, largest):
    special = fg.math.special
    x = fg.constant([1e30, largest], dtype)
    scaled = [math.sqrt(math.pi / 2 / v) for v in (1e30, largest)]
    for function in (special.bessel_k0e, special.bessel_k1e):
        np.testing.assert_allclose(way(function)(x), scaled, rtol=1e-6)
    for function in (special.bessel_k0, special.bessel_k1):
        np.testing.assert_array_equal(way(function)(x), [0.0, 0.0])


def test_incomplete_gamma_functions_of_large_parameters(way):
    a = fg.constant([1e300, 1.7e308], fg.float64)
    x = fg.constant(2.0, fg.float64)
    np.testing.assert_array_equal(way(fg.math.igamma)(a, x), [0.0, 0.0])
    np.testing.assert_array_equal(way(fg.math.igammac)(a, x), [1.0, 1.0])


def test_truths_are_counted_as_numbers(way):
    np.testing.assert_array_equal(way(fg.math.bincount)(fg.constant([True, False, True])), [1, 2])


@pytest.mark.parametrize("shape", [np.broadcast_to(np.int64(1), (2**40, 2)), range(2**62)])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_shapes_that_nobody_can_walk_are_refused(way, name, shape):
    make = getattr(fg.experimental.numpy, name)
    with pytest.raises(ValueError, match="at most 1024 sizes"):
        way(lambda: make(shape))()
