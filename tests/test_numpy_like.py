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
        *(f(x - 4) for f in (n.abs, n.absolute, n.fabs, n.negative, n.positive, n.sign)),
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
    "spaces": lambda n, x: (n.linspace(0, 1, 5), n.linspace(0, 1, 4, False), n.array([1], ndmin=2)),
}


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_dtypes_are_numpys(name, wrap):
    found = wrap(lambda x: CALLS[name](fg.experimental.numpy, x))(fg.constant(X))
    for one, wanted in zip(found, CALLS[name](np, X), strict=True):
        assert one.dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(one.numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("one", [np.int8, np.uint8, np.int32, np.float16, np.float32, np.complex64])
@pytest.mark.parametrize("other", [np.bool_, np.int64, np.float64, 1, 1.0, True])
def test_promotion_is_numpys(one, other):
    x, y = np.ones(1, one), other if isinstance(other, (int, float)) else np.ones(1, other)
    assert fg.experimental.numpy.add(x, y).dtype == np.add(x, y).dtype
