"""What operations give at the ends of their ranges; where documents leave it open, as recorded."""

import ferrograph as fg
import numpy as np
import pytest

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_beyond_the_bits_are_by_all_but_one(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.min, 0, 1, 5, info.max], dtype)
    by = np.array([0, 1, info.bits - 1, info.bits, info.max], dtype)[:, None]
    most = np.minimum(by, info.bits - 1).astype(dtype)
    assert np.array_equal(fg.bitwise.left_shift(x, by), np.left_shift(x, most))
    assert np.array_equal(fg.bitwise.right_shift(x, by), np.right_shift(x, most))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_shifts_by_less_than_nothing_are_none(dtype):
    x = np.array([-7, 0, 9], dtype)
    for by in (-1, np.iinfo(dtype).min):
        assert np.array_equal(fg.bitwise.left_shift(x, np.array(by, dtype)), x)
        assert np.array_equal(fg.bitwise.right_shift(x, np.array(by, dtype)), x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    "matrix", [[[0, 0], [0, 0]], [[0, 1], [0, 4]], [[0, 0, 1], [0, 0, 2], [0, 3, 4]]]
)
def test_singular_matrices_have_the_determinant_zero(matrix, dtype):
    matrix = np.array(matrix, dtype)
    assert fg.linalg.det(matrix).numpy() == 0
    sign, logarithm = fg.linalg.slogdet(matrix)
    assert (sign.numpy(), logarithm.numpy()) == (0, -np.inf)


def test_parts_of_an_embedding_lie_one_below_the_other():
    table = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    parts = [fg.constant(table[:3]), fg.Variable(table[3:])]
    assert np.array_equal(fg.nn.embedding_lookup(parts, [[4, 0]]), table[[[4, 0]]])
    assert np.array_equal(fg.nn.embedding_lookup([table], [1]), table[[1]])


def test_strings_are_joined_by_numbers_of_segments():
    with pytest.raises(fg.errors.InvalidArgumentError, match="-1 is not in"):
        fg.strings.unsorted_segment_join(["a", "b"], [0, -1], 2)


def test_numbers_beyond_int32_are_not_cut():
    with pytest.raises(TypeError, match="out of range"):
        fg.random.categorical([[0.5, 0.5]], 2**40)
    with pytest.raises(TypeError, match="out of range"):
        fg.random.stateless_categorical([[0.5, 0.5]], 2**40, [1, 2])
    assert fg.math.in_top_k([0], [[1.0, 2.0]], fg.constant(2**40, fg.int64)).numpy().tolist() == [
        True
    ]
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.reverse_sequence([[1, 2, 3]], fg.constant([2**40], fg.int64), 1)


def test_gradients_of_slices_of_sizes_beyond_int32():
    x = fg.zeros([2**31 + 1, 0, 3])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = x[..., 1:] * 2.0
    assert tape.gradient(y, x).shape == x.shape


def test_zeta_of_large_numbers():
    assert fg.math.zeta(fg.constant(3e38, fg.float64), fg.constant(3e38, fg.float64)).numpy() == 0


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(
    ("images", "filters"),
    [
        ((1, 4, 4, 0), (2, 2, 0, 3)),
        ((1, 4, 4, 0), (2, 2, 2, 3)),
        ((1, 4, 4, 2), (2, 2, 2, 0)),
        ((0, 4, 4, 2), (2, 2, 2, 3)),
        ((1, 0, 4, 2), (1, 2, 2, 3)),
    ],
)
def test_gradients_of_convolutions_of_nothing_are_zeros(images, filters, padding):
    x, w = fg.ones(images), fg.ones(filters)
    with fg.GradientTape() as tape:
        tape.watch((x, w))
        y = fg.nn.conv2d(x, w, 1, padding)
    for found, of in zip(tape.gradient(y, (x, w)), (x, w), strict=True):
        assert found.shape == of.shape and not found.numpy().any()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64"])
def test_labels_of_each_dtype(dtype):
    labels = fg.constant([0, 2, 100, 1], dtype)
    wanted = [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert fg.one_hot(labels, 3).numpy().tolist() == wanted
    turned = fg.function(lambda t: fg.one_hot(t, 3, axis=0), autograph=False)(labels)
    assert turned.numpy().T.tolist() == wanted
    if dtype != "uint8":
        words = fg.one_hot(fg.constant([-1, 0], dtype), 2, "on", "off").numpy().tolist()
        assert words == [[b"off", b"off"], [b"on", b"off"]]


def test_indices_go_with_as_many_tensors():
    endless = np.broadcast_to(np.int32(1), (2**40, 2**20))
    for indices, data in ((endless, [[1.0]]), ([], []), ([[0]], [[1.0], [2.0]])):
        with pytest.raises(ValueError, match="indices do not go with"):
            fg.dynamic_stitch(indices, data)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_numbers_that_are_none_pass_their_gradient_on(dtype):
    x = fg.constant([np.nan, 1.0, 70000.0, -70000.0], dtype)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.cast(fg.saturate_cast(x, fg.float16), fg.float32)
    assert tape.gradient(y, x).numpy()[:2].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", ["bessel_i1", "bessel_i1e", "bessel_j1"])
def test_slopes_at_the_least_numbers(name, dtype):
    """Half at zero, where the value itself has no digits left."""
    least = {"float64": 5e-324, "float32": 1e-45, "float16": 6e-8, "bfloat16": 1e-38}[dtype]
    x = fg.constant([0.0, least, -least, 20 * least], dtype)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = getattr(fg.math.special, name)(x)
    assert tape.gradient(y, x).numpy().astype(float).tolist() == [0.5] * 4


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_slope_of_a_pole_is_infinite(dtype):
    x = fg.constant([0.0, 1.0, np.inf], dtype)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.math.special.bessel_k1e(x)
    slope = tape.gradient(y, x).numpy()
    assert (slope[0], slope[2]) == (-np.inf, 0)
    assert np.isclose(slope[1], -1.1444631, rtol=1e-3 if dtype == "float16" else 1e-5)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_diagonals_of_self_adjoint_matrices_are_real(dtype):
    matrix = np.array([[4, 9, 9], [1 + 1j, 5, 9], [0.5j, 2, 6]], dtype)
    turned = matrix + 3j * np.eye(3, dtype=dtype)
    lower = np.tril(matrix, -1)
    whole = lower + lower.conj().T + np.diag(np.diag(matrix))
    wanted = np.linalg.eigvalsh(whole)
    np.testing.assert_allclose(fg.linalg.eigvalsh(turned).numpy().real, wanted, rtol=1e-5)
    values, vectors = fg.linalg.eigh(turned)
    np.testing.assert_allclose(whole @ vectors, vectors * values, atol=1e-4)
    np.testing.assert_allclose(fg.linalg.cholesky(turned), np.linalg.cholesky(whole), rtol=1e-5)


INFINITE = [complex(a, b) for a in (np.inf, -np.inf, 1.0, 0.0) for b in (np.inf, -np.inf, 1.0)][:-2]


@pytest.mark.parametrize("name", ["asin", "acos", "asinh", "acosh", "exp"])
def test_functions_of_infinite_numbers(name):
    z = np.array(INFINITE)
    with np.errstate(all="ignore"):
        wanted = getattr(np, {"exp": "exp"}.get(name, name.replace("a", "arc", 1)))(z)
    found = getattr(fg.math, name)(z).numpy()
    np.testing.assert_allclose(found.real, wanted.real)
    if name != "exp":
        np.testing.assert_allclose(found.imag, wanted.imag)


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
@pytest.mark.parametrize("nothing", [[], (), [[], []], np.zeros([0]), np.zeros([2, 0], np.int32)])
def test_nothing_is_text_where_text_is_taken(nothing, wrap):
    shape = np.shape(nothing)
    for call in (
        fg.strings.upper,
        fg.strings.strip,
        fg.io.decode_base64,
        lambda x: fg.strings.regex_replace(x, "a", "b"),
        lambda x: fg.strings.substr(x, 0, 1),
        lambda x: fg.strings.join([x, x]),
    ):
        found = wrap(lambda call=call: call(nothing))()
        assert (found.shape, found.dtype) == (shape, fg.string)
    assert wrap(lambda: fg.strings.length(nothing))().dtype == fg.int32
    assert wrap(lambda: fg.strings.to_hash_bucket_fast(nothing, 3))().shape == shape
    with pytest.raises((TypeError, fg.errors.InvalidArgumentError)):
        wrap(lambda: fg.strings.upper(fg.zeros([0])))()


def test_nothing_is_a_list_of_indices():
    assert fg.one_hot([], 3).shape == [0, 3]
    assert fg.math.invert_permutation([]).dtype == fg.int32
    with pytest.raises((TypeError, fg.errors.InvalidArgumentError)):
        fg.bitwise.invert([])


@pytest.mark.parametrize("stride", [1, 2])
def test_a_window_a_little_too_long_leaves_nothing(stride):
    x = fg.ones([1, 3, 3, 2])
    for size in range(4, 4 + stride):
        assert fg.nn.max_pool2d(x, size, stride, "VALID").shape == [1, 0, 0, 2]
        assert fg.nn.avg_pool2d(x, size, stride, "VALID").shape == [1, 0, 0, 2]
        filters = fg.ones([size, size, 2, 4])
        with fg.GradientTape() as tape:
            tape.watch([x, filters])
            y = fg.nn.conv2d(x, filters, stride, "VALID")
        assert y.shape == [1, 0, 0, 4]
        assert not any(np.any(g) for g in tape.gradient(y, [x, filters]))
    with pytest.raises(ValueError, match="negative"):
        fg.function(lambda: fg.nn.max_pool2d(x, 3 + 2 * stride, stride, "VALID"))()


def test_indices_of_two_bytes():
    at = fg.constant([2, 0], fg.int16)
    assert fg.gather([1, 2, 3], at).numpy().tolist() == [3, 1]
    assert fg.gather_nd([1, 2, 3], at[:, None]).numpy().tolist() == [3, 1]
    assert fg.nn.embedding_lookup(fg.eye(3), at).numpy()[0].tolist() == [0, 0, 1]
    assert fg.math.top_k([1, 2, 3], fg.constant(1, fg.int16)).values.numpy().tolist() == [3]
    for dtype in (fg.int16, fg.uint16):
        found = fg.argmax([[1, 3, 2]], axis=fg.constant(1, fg.int16), output_type=dtype)
        assert (found.dtype, found.numpy().tolist()) == (dtype, [1])
    with pytest.raises((TypeError, fg.errors.InvalidArgumentError)):
        fg.gather([1, 2, 3], fg.constant([1], fg.int8))
