"""``experimental.numpy``: values and dtypes are NumPy's, eagerly and traced."""

import ferrograph as fg
import numpy as np
import pytest

X = np.array([[3, 1, 2], [9, 7, 8]])
CALLS = {
    "add": lambda n, x: (n.add(x, 0.5), n.add(x > 2, x > 8), n.add([1, 2], [0.5, 1.0])),
    "subtract": lambda n, x: (n.subtract(x, 1), n.maximum(x, 4), n.minimum(x, 2.5)),
    "multiply": lambda n, x: (n.multiply(x, x), n.multiply(x > 2, x > 8), n.true_divide(x, 2)),
    "fractions": lambda n, x: (n.exp(x), n.log(x), n.sqrt(x), n.sin(x), n.cos(x), n.tanh(x)),
    "where": lambda n, x: (n.where(x > 2, x, 0.5), n.clip(x, 2, 8), n.clip(x, None, 2)),
    "sum": lambda n, x: (n.sum(x), n.sum(x, axis=(0, 1), keepdims=True), n.prod(x, axis=0)),
    "mean": lambda n, x: (n.mean(x), n.var(x, ddof=1), n.std(x, axis=0), n.average(x, 0, [3, 1])),
    "most": lambda n, x: (n.max(x, axis=1), n.min(x), n.cumsum(x), n.cumsum(x, axis=1)),
    "shape": lambda n, x: (n.reshape(x, -1), n.transpose(x), n.expand_dims(x, 1), n.flip(x, 1)),
    "axes": lambda n, x: (n.moveaxis(n.ones((2, 3, 4)), [0, 1], [-1, 0]), n.flip(x)),
    "joins": lambda n, x: (
        n.concatenate([x, n.add(x, 0.5)], 1),
        n.stack([x, x], 1),
        n.vstack([x, x]),
    ),
    "hstack": lambda n, x: (n.hstack([x, x]), n.concatenate([x, x], None), n.diff(x, 2)),
    "orders": lambda n, x: (n.sort(x), n.sort(x, None), n.argsort(x), n.argsort(x, axis=0)),
    "taken": lambda n, x: (n.take_along_axis(x, n.argsort(x), 1), n.diff(x, axis=0)),
    "triangles": lambda n, x: (n.tril(x), n.triu(x, 1), n.eye(3, 4, -1), n.outer([1, 2], x[0])),
    "products": lambda n, x: (n.kron([[1, 2]], [[1], [1]]), n.matmul(x, x[0]), n.kron(x, [1, 2])),
    "made": lambda n, x: (n.zeros(2), n.ones((1, 2)), n.full((2, 2), 7), n.arange(1, 9, 2)),
    "angles": lambda n, x: (
        *(f(n.divide(x, 10)) for f in (n.arccos, n.arcsin, n.arctanh)),
        *(f(x) for f in (n.arccosh, n.arcsinh, n.arctan, n.sinh, n.cosh, n.tan)),
        *(f(x) for f in (n.deg2rad, n.rad2deg)),
        n.arctan2(x - 4, x),
    ),
    "powers": lambda n, x: (
        *(f(x) for f in (n.exp2, n.expm1, n.log1p, n.log2, n.log10, n.square)),
        n.cbrt(n.subtract(x, 4.5)),
        n.power(x, 2),
        n.power(x, 0.5),
        n.reciprocal(n.divide(x, 2)),
        n.hypot(x, 1e300),
        n.logaddexp(x, [1000.0, -np.inf, 2.0]),
        n.logaddexp2(x, 1),
        n.logaddexp(np.array([np.inf, -np.inf]), np.array([np.inf, -np.inf])),
    ),
    "steps": lambda n, x: (
        *(f(n.divide(x, 4)) for f in (n.ceil, n.floor)),
        *(f(x - 4) for f in (n.abs, n.absolute, n.negative, n.positive, n.sign)),
        n.floor_divide(x - 4, 3),
        n.mod(x - 4, 3),
        n.remainder(n.subtract(x, 4.5), -3),
        n.heaviside(x - 3, 0.5),
    ),
    "facts": lambda n, x: (
        *(f(x, 3) for f in (n.equal, n.not_equal, n.greater, n.greater_equal)),
        *(f(x, 3.0) for f in (n.less, n.less_equal)),
        *(f(x - 3, x > 2) for f in (n.logical_and, n.logical_or, n.logical_xor)),
        n.logical_not(x - 3),
        *(
            f(n.array([1.0, np.inf, -np.inf, np.nan]))
            for f in (n.isnan, n.isinf, n.isfinite, n.isposinf, n.isneginf)
        ),
    ),
    "sizes": lambda n, x: (
        *(n.atleast_1d(3, x)[0:2]),
        *n.atleast_2d(3, [1, 2], x),
        *n.atleast_3d(3, [1, 2], x),
        n.size(x),
        *n.broadcast_arrays(x, [[1], [2]]),
        n.broadcast_to([1, 2], (2, 2)),
        n.squeeze([[[1]], [[2]]]),
        n.squeeze([[[1], [2]]], 0),
        n.swapaxes(x, 0, -1),
    ),
    "parts": lambda n, x: (
        *n.split(x, 3, 1),
        *n.split(x, [1, 2], 1),
        *n.vsplit(x, 2),
        *n.hsplit(x, [1]),
        *n.dsplit(n.reshape(x, (1, 2, 3)), 3),
        n.append(x, 1),
        n.append(x, [[1.5, 2, 3]], 0),
        n.dstack([x, x]),
        n.dstack([[1, 2], [3.5, 4]]),
    ),
    "turns": lambda n, x: (
        *(n.rot90(x, k) for k in range(-1, 4)),
        n.rot90(n.reshape(x, (1, 2, 3)), 1, (1, 2)),
        n.flipud(x),
        n.fliplr(x),
        n.roll(x, 2),
        n.roll(x, (1, -1), (0, 1)),
        n.ravel(x),
    ),
    "repetitions": lambda n, x: (
        n.repeat(x, 2),
        n.repeat(x, [1, 2], 0),
        n.tile(x, 2),
        n.tile([1, 2], (2, 1)),
        n.pad(x, [[1, 0], [0, 2]], "constant", constant_values=7),
        n.pad(x, 1, "reflect"),
        n.pad([1, 2], [[2, 1]], "symmetric"),
    ),
    "places": lambda n, x: (
        n.take(x, [0, 5, 9], mode="clip"),
        n.take(x, [-1, 4], 1, mode="wrap"),
        n.compress([True, False, True], x, 1),
        n.compress([False, True], x),
        *n.nonzero(x - 3),
        *n.meshgrid([1, 2], [3, 4, 5]),
        *n.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
        *n.ix_([0, 1], [2, 0, 1]),
        *n.ix_([True, False, True], [1]),
        n.select([x > 7, x > 2], [x, x * 10], -1),
        n.select([x > 7], [n.divide(x, 2)]),
    ),
    "vectors": lambda n, x: (
        n.dot(x, [1, 2, 3]),
        n.dot(x, 2),
        n.dot(n.ones((2, 3)), n.ones((4, 3, 2))),
        n.inner(x, x),
        n.vdot([1j, 2], [3, 4j]),
        n.tensordot(x, x, [[0, 1], [0, 1]]),
        n.tensordot([1, 2], [3.5, 4], 0),
        n.einsum("ij,kj->ik", x, x),
        n.cross([1, 2, 3], [4, 5, 6.5]),
        n.cross(x, [3, 2, 1]),
        n.matmul([[1.0]], [[2.0]]),
    ),
    "diagonals": lambda n, x: (
        n.diag([1, 2], 1),
        n.diag(x, -1),
        n.diagflat([[1, 2]]),
        n.diagonal(n.reshape(n.arange(12), (2, 2, 3)), 1, 0, 2),
        n.diagonal(x, 7),
        n.trace(x),
        n.trace(x, 1, dtype=np.float32),
        n.tri(2, 3, 1),
        n.polyval([1.5, 2, 3], x),
        n.vander([1, 2, 3]),
        n.vander([1.5, 2], 3, True),
    ),
    "parts of numbers": lambda n, x: (
        n.real([1 + 2j]),
        n.imag([1 + 2j]),
        n.imag(x),
        n.conj([1 + 2j]),
        n.conjugate(x),
        n.angle([1j, -1]),
        n.angle([1j], deg=True),
        n.iscomplex([1, 2j]),
        n.isreal([1, 2j]),
    ),
    "bits": lambda n, x: (
        n.bitwise_and(x, 3),
        n.bitwise_or(x, 4),
        n.bitwise_xor(x, [1, 2, 3]),
        n.bitwise_not(x),
        n.bitwise_and(x > 2, x > 8),
        n.bitwise_xor(x > 2, x > 8),
        n.signbit([-1.0, 0.0, 2.0]),
        n.signbit(x - 4),
    ),
    "rounded": lambda n, x: (
        n.around([1.25, -2.5, 2.5]),
        n.around([123.456, 0.5], 1),
        n.around([123.456], -1),
        n.round(x),
        n.fix([1.7, -1.7]),
        n.float_power(x / 2, 2),
        *n.divmod(x - 5, 3),
        n.gcd(x, [[4], [6]]),
        n.lcm(x, [[4], [6]]),
        n.gcd([0, -6], [0, 4]),
        n.sinc([0.0, 0.5, 2.0]),
        n.nextafter([0.0, 1.0], 2.0),
    ),
    "closeness": lambda n, x: (
        n.isclose([1.0, np.nan, np.inf, 1.0], [1.0 + 1e-9, np.nan, np.inf, np.inf]),
        n.isclose([np.nan], [np.nan], equal_nan=True),
        n.allclose(x, x),
        n.array_equal(x, x),
        n.array_equal(x, [1]),
    ),
    "counts": lambda n, x: (
        n.all(x - 1),
        n.all(x, axis=1),
        n.any(x - 3, axis=0, keepdims=True),
        n.argmax(x),
        n.argmax(x, 1),
        n.argmin(x, axis=0),
        n.argmax(x > 5),
        n.count_nonzero(x - 1),
        n.count_nonzero(x - 1, axis=0),
        n.cumprod(x),
        n.cumprod(x, 1),
        n.ptp(x, axis=1),
        n.nansum([[1, np.nan], [2, 3]], axis=0),
        n.nanprod([2, np.nan]),
        n.nanmean([[1, np.nan], [2, 3]], axis=1, keepdims=True),
        n.nansum(x),
    ),
    "made like": lambda n, x: (
        n.zeros_like(x),
        n.ones_like(x, np.float32),
        n.full_like(x, 2.7),
        n.identity(2),
        n.logspace(0, 2, 3),
        n.geomspace(1, 8, 4),
        n.geomspace(-1, -1000, 4),
        n.copy(x),
        n.asanyarray(1.5),
        n.ascontiguousarray(1),
    ),
    "spaces": lambda n, x: (n.linspace(0, 1, 5), n.linspace(0, 1, 4, False), n.array([1], ndmin=2)),
}


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_dtypes_are_numpys(name, wrap):
    found = wrap(lambda x: CALLS[name](fg.experimental.numpy, x))(fg.constant(X))
    for one, wanted in zip(found, CALLS[name](np, X), strict=True):
        assert one.dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(np.asarray(one), wanted, rtol=1e-12)


def test_names_that_give_no_arrays():
    n = fg.experimental.numpy
    assert n.ndim([[1]]) == 2 and n.shape([[1, 2]]) == [1, 2]
    assert n.isscalar(3) and not n.isscalar([3]) and n.iscomplexobj([1j]) and n.isrealobj(1)
    assert n.result_type(1, 2.0) == fg.float64 and n.result_type("int8", np.uint8) == fg.int16
    assert n.promote_types(n.int32, n.float32) == fg.float64
    assert (n.pi, n.newaxis, n.iinfo(n.int8).max) == (np.pi, None, 127)
    assert isinstance(n.zeros(2), n.ndarray)
    assert n.flatten([[1, 2], [3, 4]], "F").numpy().tolist() == [1, 3, 2, 4]
    assert n.empty((2, 3)).shape == n.empty_like(n.ones((2, 3))).shape == [2, 3]


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_random_numbers_have_numpys_shapes_and_dtypes(wrap):
    r = fg.experimental.numpy.random

    def draw():
        floats = r.rand(2, 3), r.randn(2, 3), r.random([2, 3]), r.standard_normal([2, 3])
        return *floats, r.uniform([[0.0], [5.0]], [1.0, 6.0, 7.0])

    for made in wrap(draw)():
        assert made.shape == [2, 3] and made.dtype == fg.float64
    whole = wrap(lambda: (r.randint(2, 5, [50]), r.poisson(3.0, [50]), r.randint(3, size=2)))()
    assert [t.dtype for t in whole] == [fg.int64] * 3
    assert {*whole[0].numpy().tolist()} == {2, 3, 4}
    assert r.randint(3, dtype=np.int32).dtype == fg.int32


def test_a_seed_makes_random_numbers_again():
    r = fg.experimental.numpy.random
    taken = []
    for _ in range(2):
        r.seed(7)
        taken.append(r.randn(3).numpy().tolist())
    assert taken[0] == taken[1]


@pytest.mark.parametrize(
    "call",
    [
        lambda n: n.gcd([1.0], [2.0]),
        lambda n: n.reshape([1], [1], order="K"),
        lambda n: n.take([1], [0], mode="raise"),
        lambda n: n.pad([1], 1, "edge"),
        lambda n: n.select([[True]], []),
        lambda n: n.cross([1], [2]),
        lambda n: n.diag(1),
        lambda n: n.random.randint(3, dtype=np.float32),
        lambda n: n.meshgrid([1], sparse=True),
    ],
)
def test_what_is_not_known_is_a_value_error(call):
    with pytest.raises(ValueError):
        call(fg.experimental.numpy)


@pytest.mark.parametrize("one", [np.int8, np.uint8, np.int32, np.float16, np.float32, np.complex64])
@pytest.mark.parametrize("other", [np.bool_, np.int64, np.float64, 1, 1.0, True])
def test_promotion_is_numpys(one, other):
    x, y = np.ones(1, one), other if isinstance(other, (int, float)) else np.ones(1, other)
    assert fg.experimental.numpy.add(x, y).dtype == np.add(x, y).dtype


def test_differences_end_where_nothing_is_left():
    n = fg.experimental.numpy
    assert n.diff(X, 2**62).shape == (2, 0) and n.diff([1, 4], 2).shape == (0,)

    @fg.function(input_signature=[fg.TensorSpec([None])])
    def far(x):
        return n.diff(x, 2**62)

    with pytest.raises(ValueError, match="n = 4611686018427387904 along an axis of unknown length"):
        far(fg.ones([3]))


@pytest.mark.parametrize("values", [[1, 2], [True, False], np.array([1, 4], np.uint8)])
@pytest.mark.parametrize("dtype", [None, int, np.float32])
def test_nanmean_of_integers_is_their_mean(values, dtype):
    found = fg.experimental.numpy.nanmean(values, dtype=dtype)
    expected = np.nanmean(np.array(values), dtype=dtype)
    assert found.dtype.as_numpy_dtype == expected.dtype and found.numpy() == expected


def test_nanmean_leaves_out_nan_before_it_casts():
    assert float(fg.experimental.numpy.nanmean([1.5, np.nan, 4.0], dtype=int)) == 2.5


def test_bools_are_real():
    n = fg.experimental.numpy
    assert n.iscomplex([True, False]).numpy().tolist() == [False, False]
    assert n.isreal([True, False]).numpy().tolist() == [True, True]
