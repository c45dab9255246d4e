"""Dtypes of NumPy's functions where tensorflow's differ from NumPy's, and what dtypes are named.

The expected ones are those of tensorflow 2.21.
"""

import ferrograph as fg
import numpy as np
import pytest

N = fg.experimental.numpy
X = np.array([[1, 0, 3], [2, 1, 0]])
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
FLOATS = ["float16", "float32", "float64"]


def at(dtype):
    return fg.cast(fg.constant(X), dtype)


MADE = {
    "array": lambda d: N.array(2, dtype=d),
    "asarray": lambda d: N.asarray([1, 2], dtype=d),
    "arange": lambda d: N.arange(2, dtype=d),
    "eye": lambda d: N.eye(2, dtype=d),
    "full": lambda d: N.full([2], 1, dtype=d),
    "full_like": lambda d: N.full_like(at("int32"), 1, dtype=d),
    "identity": lambda d: N.identity(2, dtype=d),
    "linspace": lambda d: N.linspace(0, 1, 3, dtype=d),
    "mean": lambda d: N.mean(at("int32"), dtype=d),
    "ones": lambda d: N.ones(2, dtype=d),
    "ones_like": lambda d: N.ones_like(at("int32"), dtype=d),
    "sum": lambda d: N.sum(at("int32"), dtype=d),
    "tri": lambda d: N.tri(2, dtype=d),
    "zeros": lambda d: N.zeros(2, dtype=d),
    "zeros_like": lambda d: N.zeros_like(at("int32"), dtype=d),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("dtype", [fg.float32, np.float32, "float32", fg.int32, fg.int64, float])
def test_a_dtype_that_is_named_is_had(name, dtype):
    """A dtype of the package is not the Python type that it equals."""
    wanted = "float64" if dtype is float else fg.as_dtype(dtype).name
    assert MADE[name](dtype).dtype.name == wanted
    assert fg.function(lambda: MADE[name](dtype))().dtype.name == wanted


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_like_the_array(dtype):
    assert N.full_like(at(dtype), 7).dtype.name == dtype
    assert N.fabs(at(dtype)).dtype.name == dtype
    assert N.float_power(at(dtype), at(dtype)).dtype.name == dtype
    assert N.ones_like(at(dtype)).dtype.name == dtype


@pytest.mark.parametrize("dtype", [*INTS, "uint64"])
def test_sums_so_far(dtype):
    wanted = "float64" if dtype == "uint64" else "int64"
    assert N.cumsum(at(dtype)).dtype.name == N.cumprod(at(dtype)).dtype.name == wanted


def test_steps_of_lines():
    for dtype in FLOATS:
        assert N.linspace(at(dtype), 2, 3).dtype.name == dtype
        assert N.logspace(at(dtype), 2, 3).dtype.name == dtype
    assert N.linspace(at("float16"), at("float32"), 3).dtype == fg.float32
    assert N.linspace(at("int8"), 2, 3).dtype == fg.float64


def test_values_beside_tensors():
    assert N.append(at("int8"), 2).dtype == fg.int64
    assert N.append(at("float32"), [1, 2]).dtype == fg.float64
    assert N.clip([[1.0, 2.0]], fg.constant(0.5), 1.5).dtype == fg.float32
    assert N.nextafter([1.0, 2.0], fg.constant([1.0, 0.0])).dtype == fg.float32
    assert N.angle([1.5, -1.0]).dtype == N.angle(at("float64")).dtype == fg.float32
    assert N.angle(fg.constant([1j])).dtype == fg.float64
    assert [i.dtype for i in N.diag_indices(2)] == [fg.int32] * 2


def test_truth_values_have_an_order():
    t, f = fg.constant([True, False]), fg.constant([False, False])
    assert N.greater(t, f).numpy().tolist() == [True, False]
    assert N.less_equal(t, f).numpy().tolist() == [False, True]
    assert N.maximum(t, f).numpy().tolist() == [True, False]
    assert N.minimum(t, f).numpy().tolist() == [False, False]
    assert bool(N.max(t)) and not bool(N.amin(t))


def test_numbers_and_sizes_of_other_kinds():
    assert N.eye(True).shape == N.eye(1.5).shape == N.tri(True).shape == [1, 1]
    assert N.ones(np.float32(2)).shape == N.zeros([True, 2.5]).shape[1:] == [2]
    assert N.polyval(2, at("int64")).numpy().tolist() == np.full((2, 3), 2).tolist()
    far = N.polyval([1.0, 2.0], [np.inf, -np.inf, 0.0]).numpy().tolist()
    assert far == [np.inf, -np.inf, 2.0]
    assert [w.numpy().tolist() for w in N.where([0, 2])] == [[1]]
    assert N.concatenate(at("int32")).shape == [2, 3]
    assert N.select([[1, 0]], [[5, 6]], 9).numpy().tolist() == [5, 9]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: N.compress(True, [1, 2]), "compress: condition must be a vector"),
        (lambda: N.split([1, 2], [[1]]), "split: indices_or_sections must be an integer"),
        (lambda: N.split([1, 2], 1.5), "split: indices_or_sections must be a list"),
        (lambda: N.around([1.0], [1, 2]), "around: decimals must be an integer"),
        (lambda: N.diag_indices(None), "diag_indices: n must be an integer"),
        (lambda: N.linspace(0, 1, 2, axis=[0, 1]), "linspace: axis must be an integer"),
        (lambda: N.tile([1], 1.5), "tile: reps must be integers"),
        (lambda: N.take_along_axis([1], [0.5], 0), "take_along_axis: indices must be integers"),
        (lambda: N.select(1, [[1]]), "select: condlist must be a list"),
    ],
)
def test_what_is_refused_is_named(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call()
