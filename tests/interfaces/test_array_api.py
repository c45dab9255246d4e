"""The namespace of the Python array API standard, against NumPy's, which follows it, too."""

import inspect
import math
import pickle

import ferrograph as fg
import numpy as np
import pytest

xp = fg.array_api

F = np.array([[0.5, -0.25, 0.75], [0.125, 0.875, -0.5]])
G = np.array([[2.5, -3.0, 0.5], [7.0, 2.5, -1.5]])
EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5])
OTHERS = np.array([1.0, -2.0, np.nan, -0.0, 3.0, np.inf, -np.inf])
C = np.array([[0.5 + 0.25j, -0.75j], [0.25, -0.5 - 1j]])
I = np.array([[3, -1, 4], [1, -5, 9]])  # noqa: E741 - as rows are named by their dtypes
SMALL = np.array([3, 100, -7], np.int8)
U = np.array([3, 0, 200], np.uint8)
B = np.array([[True, False, True], [False, False, True]])
W = np.array([2.0, 3.0, 1.0], np.float32)
ABOVE = np.abs(F) + 1.0
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
STACK = np.stack([SQUARE, SQUARE * 2.0 + np.eye(3)])
TALL = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]])
REPEATED = np.array([[3, 1, 3], [2, 1, 1]])

SAME = [
    *("acos", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor"),
    *("isfinite", "isinf", "isnan", "log1p", "reciprocal", "round", "sin", "sinh", "tan", "tanh"),
    *("trunc", "signbit", "sign", "square", "abs", "negative", "positive"),
]
OF_TWO = [
    *("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal"),
    *("hypot", "less", "less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter"),
    *("not_equal", "remainder", "subtract"),
]
# Of these the standard leaves open which zero they give, or what infinite quotients are.
OPEN_AT_EDGES = {"floor_divide", "maximum", "minimum"}
OF_BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
OF_BOOLS = ["logical_and", "logical_or", "logical_xor"]
OF_COMPLEX = [
    *("abs", "conj", "cos", "cosh", "exp", "expm1", "imag", "isfinite", "isinf", "isnan", "log"),
    *("log10", "log1p", "log2", "negative", "positive", "real", "reciprocal", "round", "sign"),
    *("sin", "sinh", "sqrt", "square", "tan", "tanh", "acos", "acosh", "asin", "asinh", "atan"),
    *("atanh",),
]
REDUCTIONS = ["all", "any", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"]
# A function of the namespace and arrays, by the name that it is about; several rows may be of one.
ROWS = [
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), F) for n in SAME),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), EDGES) for n in SAME),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), C) for n in OF_COMPLEX),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), ABOVE) for n in ("acosh", "log", "log10")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), ABOVE) for n in ("log2", "sqrt")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), SMALL) for n in ("abs", "sign", "negative")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), U) for n in ("abs", "sign", "negative")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), SMALL) for n in ("ceil", "floor", "round")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), SMALL) for n in ("trunc", "bitwise_invert")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), F) for n in ("real", "conj")),
    ("sign", lambda xp, x: xp.sign(x), C * 0.0),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), B) for n in ("logical_not", "bitwise_invert")),
    *((n, (lambda xp, x, y, n=n: getattr(xp, n)(x, y)), F, G) for n in OF_TWO),
    *(
        (n, (lambda xp, x, y, n=n: getattr(xp, n)(x, y)), EDGES, OTHERS)
        for n in OF_TWO
        if n not in OPEN_AT_EDGES
    ),
    *((n, (lambda xp, x, y, n=n: getattr(xp, n)(x, y)), F, W) for n in OF_TWO),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x, 2)), F) for n in OF_TWO),
    *((n, (lambda xp, x, y, n=n: getattr(xp, n)(x, y)), SMALL, U) for n in OF_BITS),
    *((n, (lambda xp, x, y, n=n: getattr(xp, n)(x, y)), B, B[:1]) for n in OF_BITS + OF_BOOLS),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), F) for n in REDUCTIONS),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x, axis=1)), F) for n in REDUCTIONS),
    *(
        (n, (lambda xp, x, n=n: getattr(xp, n)(x, axis=(0, 1), keepdims=True)), F)
        for n in REDUCTIONS
    ),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x, axis=-1)), EDGES) for n in REDUCTIONS),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x)), U) for n in ("max", "min", "prod", "sum")),
    *((n, (lambda xp, x, n=n: getattr(xp, n)(x, axis=0)), SMALL) for n in ("max", "prod", "sum")),
    ("sum", lambda xp, x: xp.sum(x, dtype=xp.int16), SMALL),
    ("prod", lambda xp, x: xp.prod(x, axis=0, dtype=xp.float32), I),
    ("std", lambda xp, x: xp.std(x, axis=1, correction=1), F),
    ("var", lambda xp, x: xp.var(x, correction=1.5), F),
    ("add", lambda xp, x, y: xp.add(x, y), SMALL, U),
    ("multiply", lambda xp, x, y: xp.multiply(x, y), C.astype(np.complex64), F[:, :2]),
    ("pow", lambda xp, x, y: xp.pow(x, y), ABOVE, G),
    ("pow", lambda xp, x: xp.pow(x, 2), SMALL),
    ("bitwise_left_shift", lambda xp, x: xp.bitwise_left_shift(x, 2), I),
    ("bitwise_right_shift", lambda xp, x, y: xp.bitwise_right_shift(x, y), I, np.abs(I)),
    ("clip", lambda xp, x: xp.clip(x, -0.25, 0.5), F),
    ("clip", lambda xp, x: xp.clip(x, max=50), SMALL),
    ("clip", lambda xp, x, y: xp.clip(x, min=y), F, F[:1] * 0.5),
    ("where", lambda xp, c, x, y: xp.where(c, x, y), B, F, W),
    ("where", lambda xp, c, x: xp.where(c, x, 2), B, F),
    ("arange", lambda xp: xp.arange(5)),
    ("arange", lambda xp: xp.arange(7, 1, -2, dtype=xp.uint8)),
    ("arange", lambda xp: xp.arange(0.5, 3, 0.75)),
    ("arange", lambda xp: xp.arange(1e-225, -4.0, -1.5)),
    ("arange", lambda xp: xp.arange(2**63, 2**63 + 5, 2, dtype=xp.uint64)),
    ("arange", lambda xp: xp.arange(3, 1)),
    ("asarray", lambda xp: xp.asarray([[1, 2], [3, 4]])),
    ("asarray", lambda xp: xp.asarray(0.1)),
    ("asarray", lambda xp: xp.asarray([True, False])),
    ("asarray", lambda xp: xp.asarray([1, 2], dtype=xp.float32)),
    ("asarray", lambda xp: xp.asarray(1j, dtype=xp.complex64)),
    ("asarray", lambda xp, x: xp.asarray(x, dtype=xp.int16, copy=True), SMALL),
    ("astype", lambda xp, x: xp.astype(x, xp.float32), SMALL),
    ("empty", lambda xp: xp.empty((2, 3), dtype=xp.int8) * 0),
    ("empty_like", lambda xp, x: xp.empty_like(x) * 0, SMALL),
    ("eye", lambda xp: xp.eye(3)),
    ("eye", lambda xp: xp.eye(2, 4, k=1, dtype=xp.int32)),
    ("eye", lambda xp: xp.eye(2, k=2**40)),
    ("full", lambda xp: xp.full((2, 2), 7)),
    ("full", lambda xp: xp.full(3, 0.1)),
    ("full", lambda xp: xp.full((), True)),
    ("full_like", lambda xp, x: xp.full_like(x, 7), SMALL),
    ("full_like", lambda xp, x: xp.full_like(x, 1.5, dtype=xp.float32), SMALL),
    ("linspace", lambda xp: xp.linspace(-1, 3, 5)),
    ("linspace", lambda xp: xp.linspace(0, 1, 4, endpoint=False, dtype=xp.float32)),
    ("linspace", lambda xp: xp.linspace(0.5, 2, 1)),
    ("linspace", lambda xp: xp.linspace(0, 1 + 2j, 3)),
    ("linspace", lambda xp: xp.linspace(0, 1, 0)),
    ("meshgrid", lambda xp, x, y: xp.meshgrid(x, y), F[0], W[:2]),
    ("meshgrid", lambda xp, x, y: xp.meshgrid(x, y, indexing="ij"), F[0], F[1]),
    ("ones", lambda xp: xp.ones((2, 1))),
    ("ones_like", lambda xp, x: xp.ones_like(x), SMALL),
    ("tril", lambda xp, x: xp.tril(x, k=-1), STACK),
    ("triu", lambda xp, x: xp.triu(x), F),
    ("zeros", lambda xp: xp.zeros(3, dtype=xp.uint16)),
    ("zeros_like", lambda xp, x: xp.zeros_like(x, dtype=xp.bool), F),
    ("broadcast_arrays", lambda xp, x, y: xp.broadcast_arrays(x, y), F, W[:1]),
    ("broadcast_to", lambda xp, x: xp.broadcast_to(x, (2, 2, 3)), F),
    ("concat", lambda xp, x, y: xp.concat([x, y], axis=1), F, I),
    ("concat", lambda xp, x, y: xp.concat((x, y), axis=None), SMALL, U),
    ("expand_dims", lambda xp, x: xp.expand_dims(x, 1), F),
    ("expand_dims", lambda xp, x: xp.expand_dims(x, axis=(0, -1)), F),
    ("flip", lambda xp, x: xp.flip(x), F),
    ("flip", lambda xp, x: xp.flip(x, axis=-1), F),
    ("moveaxis", lambda xp, x: xp.moveaxis(x, (0, 1), (-1, 0)), STACK),
    ("permute_dims", lambda xp, x: xp.permute_dims(x, (2, 0, 1)), STACK),
    ("repeat", lambda xp, x: xp.repeat(x, 2), F),
    ("repeat", lambda xp, x, n: xp.repeat(x, n, axis=0), F, np.array([2, 1])),
    ("repeat", lambda xp, x, n: xp.repeat(x, n), W, np.array([2, 0, 1], np.int8)),
    ("reshape", lambda xp, x: xp.reshape(x, (3, -1)), F),
    ("roll", lambda xp, x: xp.roll(x, 1), F),
    ("roll", lambda xp, x: xp.roll(x, (1, -1), axis=(0, 1)), F),
    ("squeeze", lambda xp, x: xp.squeeze(x, 0), F[None]),
    ("squeeze", lambda xp, x: xp.squeeze(x, axis=(0, 2)), F[None, :, None]),
    ("stack", lambda xp, x, y: xp.stack([x, y], axis=-1), F, I),
    ("take", lambda xp, x, i: xp.take(x, i, axis=1), F, np.array([2, -1, 0])),
    ("take", lambda xp, x, i: xp.take(x, i), W, np.array([0, -3])),
    (
        "take_along_axis",
        lambda xp, x, i: xp.take_along_axis(x, i, axis=1),
        F,
        np.array([[0], [-1]]),
    ),
    ("tile", lambda xp, x: xp.tile(x, (2, 1, 2)), F),
    ("unstack", lambda xp, x: xp.unstack(x, axis=1), F),
    ("cumulative_sum", lambda xp, x: xp.cumulative_sum(x), SMALL),
    ("cumulative_sum", lambda xp, x: xp.cumulative_sum(x, axis=1, include_initial=True), F),
    ("cumulative_prod", lambda xp, x: xp.cumulative_prod(x, axis=0, dtype=xp.float32), F),
    ("cumulative_prod", lambda xp, x: xp.cumulative_prod(x, include_initial=True), U),
    ("diff", lambda xp, x: xp.diff(x, n=2), F),
    ("diff", lambda xp, x, y: xp.diff(x, axis=0, prepend=y, append=y), F, F[:1]),
    ("argmax", lambda xp, x: xp.argmax(x), F),
    ("argmax", lambda xp, x: xp.argmax(x, axis=1, keepdims=True), F),
    ("argmin", lambda xp, x: xp.argmin(x, keepdims=True), F),
    ("argsort", lambda xp, x: xp.argsort(x, axis=0, stable=True), REPEATED),
    ("sort", lambda xp, x: xp.sort(x, axis=0), F),
    ("sort", lambda xp, x: xp.sort(x), REPEATED),
    ("nonzero", lambda xp, x: xp.nonzero(x), I % 2),
    ("searchsorted", lambda xp, x, y: xp.searchsorted(x, y), np.sort(W), F),
    (
        "searchsorted",
        lambda xp, x, y, s: xp.searchsorted(x, y, side="right", sorter=s),
        *(W, W, np.argsort(W)),
    ),
    ("isin", lambda xp, x, y: xp.isin(x, y), I, np.array([4, 9, -1])),
    ("isin", lambda xp, x, y: xp.isin(x, y, invert=True), EDGES, OTHERS),
    ("isin", lambda xp, x: xp.isin(x, xp.asarray([], dtype=xp.int64)), I),
    ("unique_all", lambda xp, x: xp.unique_all(x), REPEATED),
    ("unique_counts", lambda xp, x: xp.unique_counts(x), REPEATED),
    ("unique_inverse", lambda xp, x: xp.unique_inverse(x), U[[1, 0, 1]]),
    ("unique_values", lambda xp, x: xp.unique_values(x), B),
    ("matmul", lambda xp, x, y: xp.matmul(x, y), F, SQUARE),
    ("matmul", lambda xp, x, y: xp.matmul(x, y), STACK, F[0]),
    ("matrix_transpose", lambda xp, x: xp.matrix_transpose(x), STACK[:, :2]),
    ("tensordot", lambda xp, x, y: xp.tensordot(x, y, axes=1), F, SQUARE),
    ("tensordot", lambda xp, x, y: xp.tensordot(x, y, axes=((0,), (1,))), SQUARE, F),
    ("vecdot", lambda xp, x, y: xp.vecdot(x, y), F, I),
    ("vecdot", lambda xp, x, y: xp.vecdot(x, y, axis=-1), C, C[::-1]),
    ("linalg.cholesky", lambda xp, x: xp.linalg.cholesky(x), STACK),
    ("linalg.cholesky", lambda xp, x: xp.linalg.cholesky(x, upper=True), SQUARE),
    ("linalg.cross", lambda xp, x, y: xp.linalg.cross(x, y), F, G),
    ("linalg.det", lambda xp, x: xp.linalg.det(x), STACK),
    ("linalg.diagonal", lambda xp, x: xp.linalg.diagonal(x, offset=1), STACK),
    ("linalg.eigh", lambda xp, x: xp.abs(xp.linalg.eigh(x).eigenvectors), SQUARE),
    ("linalg.eigvalsh", lambda xp, x: xp.linalg.eigvalsh(x), STACK),
    ("linalg.inv", lambda xp, x: xp.linalg.inv(x), STACK),
    ("linalg.matmul", lambda xp, x: xp.linalg.matmul(x, x), SQUARE),
    *(
        ("linalg.matrix_norm", lambda xp, x, o=o: xp.linalg.matrix_norm(x, ord=o), STACK)
        for o in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
    ),
    ("linalg.matrix_norm", lambda xp, x: xp.linalg.matrix_norm(x, keepdims=True, ord=1), TALL),
    *(
        ("linalg.matrix_power", lambda xp, x, n=n: xp.linalg.matrix_power(x, n), STACK)
        for n in (0, 1, 5, -2)
    ),
    (
        "linalg.matrix_rank",
        lambda xp, x: xp.linalg.matrix_rank(x),
        np.stack([SQUARE, F[[0, 0, 1]]]),
    ),
    ("linalg.matrix_rank", lambda xp, x: xp.linalg.matrix_rank(x, rtol=0.5), SQUARE),
    ("linalg.matrix_transpose", lambda xp, x: xp.linalg.matrix_transpose(x), F),
    ("linalg.outer", lambda xp, x, y: xp.linalg.outer(x, y), W, F[0]),
    ("linalg.pinv", lambda xp, x: xp.linalg.pinv(x), TALL),
    ("linalg.pinv", lambda xp, x: xp.linalg.pinv(x, rtol=0.9), TALL),
    ("linalg.qr", lambda xp, x: tuple(map(xp.abs, xp.linalg.qr(x))), TALL),
    ("linalg.qr", lambda xp, x: xp.abs(xp.linalg.qr(x, mode="complete").R), TALL),
    ("linalg.slogdet", lambda xp, x: xp.linalg.slogdet(x), STACK - 2.0),
    ("linalg.solve", lambda xp, x, y: xp.linalg.solve(x, y), STACK, TALL),
    ("linalg.solve", lambda xp, x, y: xp.linalg.solve(x, y), SQUARE, TALL[:, 0]),
    ("linalg.svd", lambda xp, x: tuple(map(xp.abs, xp.linalg.svd(x))), SQUARE),
    ("linalg.svd", lambda xp, x: xp.abs(xp.linalg.svd(x, full_matrices=False).U), TALL),
    ("linalg.svdvals", lambda xp, x: xp.linalg.svdvals(x), TALL),
    ("linalg.tensordot", lambda xp, x: xp.linalg.tensordot(x, x), SQUARE),
    ("linalg.trace", lambda xp, x: xp.linalg.trace(x, offset=-1), STACK),
    ("linalg.trace", lambda xp, x: xp.linalg.trace(x), I[:, :2].astype(np.int8)),
    ("linalg.vecdot", lambda xp, x, y: xp.linalg.vecdot(x, y), F, G),
    *(
        ("linalg.vector_norm", lambda xp, x, o=o: xp.linalg.vector_norm(x, axis=1, ord=o), F)
        for o in (0, 1, 2, 3.5, -1, math.inf, -math.inf)
    ),
    ("linalg.vector_norm", lambda xp, x: xp.linalg.vector_norm(x, keepdims=True), C),
    *(
        (f"fft.{n}", (lambda xp, x, n=n, o=o: getattr(xp.fft, n)(x, norm=o)), C)
        for n in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft")
        for o in ("backward", "ortho", "forward")
    ),
    *(
        (f"fft.{n}", (lambda xp, x, n=n, o=o: getattr(xp.fft, n)(x, norm=o)), F)
        for n in ("rfft", "rfftn", "ihfft")
        for o in ("backward", "ortho", "forward")
    ),
    ("fft.fft", lambda xp, x: xp.fft.fft(x, n=5, axis=0), C.astype(np.complex64)),
    ("fft.fftn", lambda xp, x: xp.fft.fftn(x, s=(3, 1), axes=(1, 0)), C),
    ("fft.irfft", lambda xp, x: xp.fft.irfft(x, n=5), C),
    ("fft.fftfreq", lambda xp: xp.fft.fftfreq(5, d=0.5)),
    ("fft.fftfreq", lambda xp: xp.fft.fftfreq(4)),
    ("fft.rfftfreq", lambda xp: xp.fft.rfftfreq(5, d=0.1)),
    ("fft.fftshift", lambda xp, x: xp.fft.fftshift(x), F),
    ("fft.ifftshift", lambda xp, x: xp.fft.ifftshift(x, axes=1), F),
]

# What is tested below, not against NumPy.
APART = {
    *("broadcast_shapes", "can_cast", "finfo", "from_dlpack", "iinfo", "isdtype", "result_type"),
    *("linalg.eig", "linalg.eigvals"),
}
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)


def same(found, expected):
    """Whether values, shapes and dtypes are those of NumPy, of one result or of several."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, (tuple, list)) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    expected = np.asarray(expected)
    assert found.dtype.name == expected.dtype.name
    assert tuple(found.shape) == expected.shape
    loose = 2e-6 if expected.dtype.name in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(found.numpy(), expected, rtol=loose, atol=loose)
    if expected.dtype.kind == "f":
        zeros = expected == 0
        assert (np.signbit(found.numpy()) == np.signbit(expected))[zeros].all()


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda i: f"{ROWS[i][0]}-{i}")
def test_functions_are_those_of_numpy(row):
    _, function, *arrays = ROWS[row]
    with np.errstate(all="ignore"):
        expected = function(np, *arrays)
    tensors = [xp.asarray(a) for a in arrays]
    same(function(xp, *tensors), expected)
    traced = fg.function(lambda *xs: function(tensors_of(xs), *xs))
    same(traced(*tensors), expected)


def tensors_of(arrays):
    """The namespace that arrays say is theirs, symbolic ones as well."""
    return arrays[0].__array_namespace__() if arrays else xp


def test_every_name_is_tested():
    names = {n for n in dir(xp) if inspect.isfunction(getattr(xp, n)) and not n.startswith("_")}
    for extension in ("fft", "linalg"):
        names |= {f"{extension}.{n}" for n in dir(getattr(xp, extension))}
    assert {name for name, *_ in ROWS} | APART == names
    others = set(dir(xp)) - names - {"fft", "linalg"}
    assert others == {
        *DTYPES.split(),
        *("e", "inf", "nan", "newaxis", "pi", "__array_api_version__", "__array_namespace_info__"),
    }
    assert (
        xp.newaxis is None
        and math.isnan(xp.nan)
        and (xp.e, xp.pi, xp.inf) == (*(math.e, math.pi, math.inf),)
    )


@pytest.mark.parametrize("known", [None, []], ids=["sizes", "none"])
def test_sizes_that_are_not_known(known):
    spec = fg.TensorSpec([None, 3], fg.float64)

    @fg.function(input_signature=[spec])
    def traced(x):
        xp = x.__array_namespace__()
        y = xp.where(x > 0, x, xp.zeros_like(x))
        flat = xp.reshape(y, (-1,))
        return xp.unique_values(flat), xp.nonzero(y), xp.sort(flat, descending=True), x.T, x.size

    x = F if known is None else np.concatenate([F, G])
    y = np.where(x > 0, x, 0)
    values, places, falling, turned, size = traced(x)
    same(values, np.unique(y))
    same(places, np.nonzero(y))
    same(falling, np.sort(y.ravel())[::-1])
    same(turned, x.T)
    assert int(size) == x.size


def test_descending_orders_are_stable():
    x = xp.asarray([3, 1, 3, 2, 1])
    assert xp.argsort(x, descending=True).numpy().tolist() == [0, 2, 3, 1, 4]
    assert xp.sort(xp.astype(x, xp.uint8), descending=True).numpy().tolist() == [3, 3, 2, 1, 1]


def test_eigenvalues_of_general_matrices():
    x = xp.asarray([[0.0, 1.0], [-4.0, 0.0]])
    values, vectors = xp.linalg.eig(x)
    np.testing.assert_allclose(x.numpy() @ vectors.numpy(), vectors.numpy() * values.numpy())
    assert sorted(xp.linalg.eigvals(x).numpy().imag.round(9)) == [-2.0, 2.0]


@pytest.mark.parametrize("one", DTYPES.split())
@pytest.mark.parametrize("other", DTYPES.split())
def test_promotion_is_that_of_numpy(one, other):
    expected = np.result_type(one, other).name
    x, y = getattr(xp, one), getattr(xp, other)
    assert xp.result_type(x, xp.ones(2, dtype=y)).name == expected
    assert xp.can_cast(x, y) == np.can_cast(one, other)


def test_python_numbers_give_way():
    assert xp.result_type(xp.int8, 1) == xp.int8
    assert xp.result_type(xp.float32, 1.5, 2) == xp.float32
    assert xp.result_type(xp.float32, 1j) == xp.complex64
    assert (xp.add(xp.ones(2, dtype=xp.float32), 0.1)).dtype == xp.float32
    with pytest.raises(ValueError, match="result_type needs"):
        xp.result_type()


def test_kinds_and_limits():
    assert xp.isdtype(xp.float32, "real floating") and not xp.isdtype(xp.float32, "integral")
    assert xp.isdtype(xp.uint8, ("bool", xp.uint8)) and xp.isdtype(xp.int8, "numeric")
    with pytest.raises(ValueError, match="kind must be one of"):
        xp.isdtype(xp.int8, "whole")
    limits = xp.finfo(xp.complex64)
    assert (limits.bits, limits.dtype, limits.eps) == (32, xp.float32, 2.0**-23)
    assert xp.finfo(xp.ones(1)).max == np.finfo(float).max
    assert xp.iinfo(xp.uint64).max == 2**64 - 1 and xp.iinfo(xp.ones(1, dtype=xp.int8)).min == -128
    for function, dtype in ((xp.finfo, xp.int8), (xp.iinfo, xp.float32)):
        with pytest.raises(ValueError, match="dtype, got"):
            function(dtype)


def test_shapes_broadcast():
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((3, 1), (2, 1, 4), ()) == (2, 3, 4)
    assert xp.broadcast_shapes((None, 1), (1, 3)) == (None, 3)
    assert xp.broadcast_shapes(xp.ones((2, 1)).shape, (0,)) == (2, 0)
    with pytest.raises(ValueError, match="do not broadcast"):
        xp.broadcast_shapes((2,), (3,))


def test_memory_of_other_libraries():
    array = np.array([1.0, 2.0])
    shared, copied = xp.from_dlpack(array), xp.from_dlpack(array, copy=True)
    array[0] = 9.0
    assert shared.numpy().tolist() == [9.0, 2.0] and copied.numpy().tolist() == [1.0, 2.0]
    assert xp.from_dlpack(shared, copy=False) is shared
    with pytest.raises(ValueError, match="need a copy"):
        xp.from_dlpack(np.array([True]), copy=False)
    with pytest.raises(ValueError, match="becomes an array by a copy"):
        xp.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="int64 is not int8 without a copy"):
        xp.asarray(xp.asarray([1]), dtype=xp.int8, copy=False)
    assert xp.asarray(shared, copy=False) is shared


def test_what_the_namespace_says_of_itself():
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices() and xp.ones(1).device in info.devices()
    assert info.capabilities()["boolean indexing"] is True
    assert info.dtypes(kind="bool") == {"bool": xp.bool}
    assert set(info.dtypes()) == set(DTYPES.split())
    assert info.dtypes(kind=("real floating",)) == {"float32": xp.float32, "float64": xp.float64}
    kinds = {"asarray(0.5)": "real floating", "asarray(1)": "integral"}
    for text, kind in kinds.items():
        assert eval(f"xp.{text}").dtype == info.default_dtypes(device="cpu")[kind]


def test_versions_and_devices():
    x = fg.constant([[1.0, 2.0]])
    assert x.__array_namespace__(api_version="2024.12") is xp
    assert x.__array_namespace__(api_version=xp.__array_api_version__) is xp
    with pytest.raises(ValueError, match="api_version must be"):
        x.__array_namespace__(api_version="1999.12")
    assert xp.ones(2, device=x.device).to_device("cpu").device == x.device
    for refused in (lambda: xp.ones(2, device="gpu"), lambda: x.to_device("cuda:0")):
        with pytest.raises(ValueError, match="device must be 'cpu'"):
            refused()
    with pytest.raises(ValueError, match="no stream"):
        x.to_device("cpu", stream=1)


def test_attributes_of_arrays():
    x = fg.reshape(fg.range(6), [1, 2, 3])
    for tensor in (x, fg.function(lambda x: (x.T, x.mT))(x)):
        turned, exchanged = (tensor.T, tensor.mT) if tensor is x else tensor
        same(turned, x.numpy().T)
        same(exchanged, np.swapaxes(x.numpy(), -1, -2))
    assert x.size == 6 and fg.constant(1).size == 1
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        _ = fg.constant([1]).mT


REFUSED = {
    "axis": (lambda: xp.squeeze(xp.ones((2, 3)), 0), "is not of size 1"),
    "twice": (lambda: xp.flip(xp.ones((2, 3)), axis=(0, -2)), "names one twice"),
    "take": (lambda: xp.take(xp.ones((2, 3)), xp.asarray([0])), "take needs an axis"),
    "scalar": (lambda: xp.nonzero(xp.asarray(1)), "nonzero needs"),
    "side": (lambda: xp.searchsorted(xp.ones(2), xp.ones(2), side="up"), "'left' or 'right'"),
    "sum": (lambda: xp.cumulative_sum(xp.ones((2, 3))), "axis must be given"),
    "step": (lambda: xp.arange(3, step=0), "step must not be 0"),
    "norm": (lambda: xp.linalg.matrix_norm(xp.ones((2, 2)), ord=3), "got ord=3"),
    "cross": (lambda: xp.linalg.cross(xp.ones(2), xp.ones(2)), "vectors of 3"),
    "mode": (lambda: xp.linalg.qr(xp.ones((2, 2)), mode="r"), "'reduced' or 'complete'"),
    "fft": (lambda: xp.fft.hfft(xp.ones(2), norm="x"), "norm"),
    "rank": (lambda: fg.function(xp.flip).get_concrete_function(fg.TensorSpec(None)), "known rank"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments_are_refused(name):
    call, text = REFUSED[name]
    with pytest.raises(ValueError, match=text):
        call()


def test_an_axis_that_there_is_not():
    for call in (xp.expand_dims, xp.squeeze, lambda x, axis: xp.flip(x, axis=axis)):
        with pytest.raises(IndexError, match="axis .* does not fit an array of rank"):
            call(xp.ones((2, 1)), 5)


def test_complex_numbers_are_not_made_real():
    with pytest.raises(TypeError, match="drop imaginary parts"):
        xp.astype(xp.asarray([1j]), xp.float32)


def test_gradients_go_through_the_namespace():
    x = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = xp.sum(xp.multiply(xp.exp(x), x.T))
    assert tape.gradient(y, x).shape == [2, 2]


def test_functions_are_pickled_by_their_public_names():
    assert pickle.loads(pickle.dumps(xp.linalg.svd)) is xp.linalg.svd
    assert xp.sin.__module__ == "ferrograph.array_api"


def test_other_libraries_compute_with_tensors(run_python):
    pytest.importorskip("scipy", minversion="1.15")
    run_python(
        """
        import os
        os.environ["SCIPY_ARRAY_API"] = "1"
        import ferrograph as fg
        import numpy as np
        import scipy.fft, scipy.special, scipy.stats

        a = np.array([[1.0, 2.0, 4.0], [3.0, 4.0, 9.0]])
        x = fg.constant(a)
        for function in (
            scipy.fft.fft, scipy.special.entr, lambda x: scipy.special.softmax(x, axis=1),
            lambda x: scipy.stats.gmean(x, axis=1), lambda x: scipy.stats.skew(x, axis=1),
        ):
            found = function(x)
            assert isinstance(found, fg.Tensor), found
            np.testing.assert_allclose(found.numpy(), function(a))
        """
    )


def test_learning_with_tensors(run_python):
    pytest.importorskip("sklearn", minversion="1.6")
    pytest.importorskip("array_api_compat")
    run_python(
        """
        import os
        os.environ["SCIPY_ARRAY_API"] = "1"
        import array_api_compat
        import ferrograph as fg
        import numpy as np
        import sklearn
        from sklearn import decomposition, metrics

        sklearn.set_config(array_api_dispatch=True)
        a = np.array([[1.0, 2.0, 4.0], [3.0, 4.0, 9.0], [0.0, 1.0, -1.0]])
        x = fg.constant(a)
        assert array_api_compat.array_namespace(x) is fg.array_api
        assert metrics.mean_squared_error(x[0], x[1]) == metrics.mean_squared_error(a[0], a[1])
        labels = fg.constant([1, 0, 1])
        assert metrics.accuracy_score(labels, fg.constant([1, 1, 1])) == 2 / 3
        found = decomposition.PCA(1, svd_solver="full").fit_transform(x)
        assert isinstance(found, fg.Tensor)
        np.testing.assert_allclose(
            np.abs(found.numpy()), np.abs(decomposition.PCA(1, svd_solver="full").fit_transform(a))
        )
        """
    )
