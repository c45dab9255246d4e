"""Arguments of all kinds against what tensorflow 2.21 makes of them, eagerly and traced."""

import ferrograph as fg
import numpy as np
import pytest

ways = pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
C = np.array([[3 + 4j, 1.0]], np.complex64)
T = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
R = [[1, 2], [], [3, 4, 5]]
DEEP = [[[1], [2, 3]], [[4]]]


def sparse(rows):
    return fg.sparse.from_dense(rows)


CASES = [
    (lambda: fg.stack([1, 2.5, True]), "float32", [1.0, 2.5, 1.0]),
    (lambda: fg.stack([[1, 2], [2.5, 3]]), "float32", [[1.0, 2.0], [2.5, 3.0]]),
    (lambda: fg.stack((1, 2.0)), "float32", [1.0, 2.0]),
    (lambda: fg.norm(C), "complex64", np.sqrt(26) + 0j),
    (lambda: fg.norm(C, axis=-1), "complex64", [np.sqrt(26) + 0j]),
    (lambda: fg.norm(C, axis=[0, 1]), "complex64", np.sqrt(26) + 0j),
    (lambda: fg.norm(C, ord=1), "float32", 6.0),
    (lambda: fg.norm(C, ord=np.inf), "float32", 5.0),
    (lambda: fg.linalg.normalize(C)[1], "complex64", [[np.sqrt(26) + 0j]]),
    (
        lambda: fg.gather(T, [[0, 1], [1, 0]], batch_dims=-1),
        "int32",
        [[[0, 1], [4, 5], [8, 9]], [[13, 12], [17, 16], [21, 20]]],
    ),
    (
        lambda: fg.gather(T, [[0, 1], [1, 0]], batch_dims=-2)[0, 0].shape,
        None,
        [2, 4],
    ),
    (lambda: fg.one_hot([0], 2, on_value=True, off_value=False), "bool", [[True, False]]),
    (lambda: fg.one_hot([0], 2, 1, 0, dtype=fg.float32), "float32", [[1.0, 0.0]]),
    (lambda: fg.sets.union([["a", "b"]], [["b", "c"]]).values, "string", [b"a", b"b", b"c"]),
    (
        lambda: fg.sets.difference([["a", "c"], ["b", "b"]], [["c", "d"], ["x", "b"]]).values,
        "string",
        [b"a"],
    ),
    (lambda: fg.sets.size(sparse([["a", "a", "b"]])), "int32", [2]),
    (
        lambda: fg.sets.union(sparse([["b", "é", ""]]), sparse([["zz", "za", ""]])).values,
        "string",
        [b"b", b"za", b"zz", "é".encode()],
    ),
    (lambda: fg.gather_nd(fg.ragged.constant(R), [[[0, 1]], [[2, 2]]]), "int32", [[2], [5]]),
    (lambda: fg.gather_nd(fg.ragged.constant(R), [0, 1]), "int32", 2),
    (lambda: fg.gather_nd(fg.ragged.constant(DEEP), [[0, 1, 1], [1, 0, 0]]), "int32", [3, 4]),
    (lambda: fg.gather_nd(fg.ragged.constant(R), [[0], [2]]).values, "int32", [1, 2, 3, 4, 5]),
    (
        lambda: fg.gather_nd(fg.ragged.constant(DEEP), [[0, 1], [1, 0]]).row_splits,
        "int64",
        [0, 2, 3],
    ),
    (lambda: fg.gather_nd(fg.ragged.constant(R), []).values, "int32", [1, 2, 3, 4, 5]),
]


@ways
@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_recorded(number, wrap):
    call, dtype, expected = CASES[number]
    found = wrap(call)()
    if dtype is not None:
        assert found.dtype.name == dtype
        found = found.numpy().tolist()
    else:
        found = list(np.asarray(found))
    if dtype in ("complex64", "float32"):
        assert np.allclose(found, expected)
    else:
        assert found == expected


REFUSED = [
    (lambda: fg.divide(fg.ones([2]), fg.constant([1, 2])), TypeError),
    (lambda: fg.truediv(fg.ones([2]), fg.ones([2], fg.float64)), TypeError),
    (lambda: fg.complex(1, 2), TypeError),
    (lambda: fg.complex(fg.ones([2]), fg.ones([2], fg.float64)), TypeError),
    (lambda: fg.stack([fg.ones([2]), fg.ones([2])], axis=3), ValueError),
    (lambda: fg.stack([fg.ones([2]), fg.ones([2])], axis=-4), ValueError),
    (lambda: fg.one_hot([0], 2, on_value=1.0, dtype=fg.int32), TypeError),
    (lambda: fg.ones([2], fg.string), TypeError),
    (lambda: fg.sets.union([1.0], [2.0]), TypeError),
    (lambda: fg.sets.union([1], fg.constant([2], fg.int64)), TypeError),
    (
        lambda: fg.sets.intersection([[1, 2]], [[2, 5], [1, 2]]),
        (fg.errors.InvalidArgumentError, ValueError),
    ),
    (
        lambda: fg.sets.union([1, 2], [[2]]),
        (fg.errors.InvalidArgumentError, ValueError),
    ),
    (
        lambda: fg.gather_nd(fg.ragged.constant(R), [[0, 5]]),
        (fg.errors.InvalidArgumentError, ValueError),
    ),
    (lambda: fg.ragged.constant(R)[5], IndexError),
]


@ways
@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number, wrap):
    call, kind = REFUSED[number]

    def called():
        call()

    with pytest.raises(kind):
        wrap(called)()


@pytest.mark.parametrize("shape", [None, [None, None, None]])
def test_the_channels_of_gray_images_are_checked_when_it_runs(shape):
    f = fg.function(fg.image.grayscale_to_rgb, input_signature=[fg.TensorSpec(shape)])
    assert f(fg.ones([2, 2, 1])).shape == [2, 2, 3]
    with pytest.raises(fg.errors.InvalidArgumentError):
        f(fg.ones([2, 2, 3]))


SIZES = [
    (lambda x: fg.image.rgb_to_hsv(x), [2, 2, 4]),
    (lambda x: fg.image.hsv_to_rgb(x), [2, 2, 4]),
    (lambda x: fg.image.adjust_hue(x, 0.1), [2, 2, 1]),
    (lambda x: fg.image.adjust_saturation(x, 2.0), [2, 2, 4]),
    (lambda x: fg.linalg.cross(x, x), [2, 2, 2]),
    (lambda x: fg.linalg.cross(x, x), [2, 2, 6]),
    (lambda x: fg.nn.space_to_depth(x, 3), [1, 2, 3, 1]),
    (lambda x: fg.nn.depth_to_space(x, 2), [1, 2, 3, 3]),
]


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_sizes_are_refused_alike_before_and_when_it_runs(number):
    function, shape = SIZES[number]
    x = fg.ones(shape)
    with pytest.raises(fg.errors.InvalidArgumentError):
        function(x)
    with pytest.raises(ValueError):
        fg.function(function)(x)
    unknown = fg.function(function, input_signature=[fg.TensorSpec([None] * len(shape))])
    with pytest.raises(fg.errors.InvalidArgumentError):
        unknown(x)


def test_the_order_of_strings():
    words = ["", "a", "a\0", "ab", "abcdefg", "abcdefgh", "abcdefh", "b", "é", "zz", "Z", "\xff"]
    both = [words[::2] + [""] * 0, words[1::2]]
    union = fg.function(lambda a, b: fg.sets.union(a, b).values)
    found = union(fg.constant([both[0]]), fg.constant([both[1]])).numpy().tolist()
    assert found == sorted(word.encode() for word in words)


@ways
def test_batch_jacobians_of_what_is_not_connected_are_zeros(wrap):
    def f(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.constant([[1.0], [2.0]])
        return tape.batch_jacobian(y, x)

    assert wrap(f)(fg.ones([2, 3])).numpy().tolist() == [[[0.0] * 3], [[0.0] * 3]]
    with fg.GradientTape() as tape, pytest.raises(ValueError, match="one tensor"):
        tape.batch_jacobian(fg.ones([2, 2]), [fg.ones([2, 2])])
