"""Python's operators on tensors, and `tensor[key]`."""

import operator
import random

import ferrograph as fg
import numpy as np
import pytest

BINARY = {
    "float32": "add sub mul truediv floordiv mod pow matmul lt le gt ge eq ne",
    "int32": "add sub mul truediv floordiv mod pow matmul lt le gt ge eq ne and_ or_ xor",
    "int8": "truediv",
    "complex64": "add sub mul truediv pow matmul eq ne",
    "bool": "and_ or_ xor eq ne",
}
CASES = [(dtype, name) for dtype, names in BINARY.items() for name in names.split()]


def operands(dtype):
    if dtype == "bool":
        return np.array([[True, False], [True, True]]), np.array([[True, True], [False, False]])
    return np.array([[1, 2], [3, 4]], dtype), np.array([[2, 2], [1, 3]], dtype)


def same(found, expected):
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert found.numpy().dtype == expected.dtype


@pytest.mark.parametrize(("dtype", "name"), CASES)
def test_a_binary_operator(dtype, name):
    work = getattr(operator, name)
    a, b = operands(dtype)
    expected = work(a, b)
    if (dtype, name) == ("int8", "truediv"):
        expected = expected.astype(np.float32)  # NumPy takes half precision
    x, y = fg.constant(a), fg.constant(b)
    same(work(x, y), expected)
    same(work(x, b), expected)
    same(work(a, y), expected)
    same(fg.function(work, autograph=False)(x, y), expected)
    with fg.GradientTape() as tape:
        tape.watch(x)
        same(work(x, y), expected)
    del tape


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("float32", "neg"),
        ("float32", "abs"),
        ("complex64", "abs"),
        ("int32", "invert"),
        ("bool", "invert"),
    ],
)
def test_a_unary_operator(dtype, name):
    work = getattr(operator, name)
    a = operands(dtype)[0]
    same(work(fg.constant(a)), work(a))
    same(fg.function(work, autograph=False)(fg.constant(a)), work(a))


def test_stacks_of_matrices():
    a, b = np.ones([3, 2, 4], np.float32), np.ones([4, 5], np.float32)
    same(fg.constant(a) @ fg.constant(b), a @ b)
    same(fg.function(lambda x, y: x @ y)(fg.constant(a), fg.constant(b)), a @ b)


def test_shapes_that_do_not_broadcast_are_not_equal():
    x, y = fg.constant([1, 2]), fg.constant([1, 2, 3])
    assert not (x == y).numpy()
    assert (x != y).numpy()
    assert (x == None) is False and (x != None) is True  # noqa: E711


def entry(chance, n):
    kind = chance.random()
    if kind < 0.4:
        return chance.randrange(-n, n)
    if kind < 0.8:
        bound = [None, *range(-n - 2, n + 3)]
        return slice(chance.choice(bound), chance.choice(bound), chance.choice([None, 1, 2, -1]))
    return None if kind < 0.9 else slice(None)


def keys(chance, shape):
    found = [entry(chance, n) for n in shape[: chance.randrange(1, len(shape) + 1)]]
    if chance.random() < 0.3:
        found.insert(chance.randrange(len(found) + 1), Ellipsis)
    return found[0] if len(found) == 1 and chance.random() < 0.7 else tuple(found)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "S1"])
def test_plain_keys_mean_what_they_mean_to_numpy(dtype):
    chance = random.Random(1)
    array = np.arange(4**3).reshape(4, 4, 4).astype(dtype)
    x = fg.constant(array)
    traced = fg.function(lambda x, get: get(x), autograph=False)
    for i in range(300):
        key = keys(chance, array.shape)
        expected = array[key]
        found = x[key]
        assert found.shape.as_list() == list(expected.shape), key
        assert np.array_equal(np.asarray(found.numpy(), dtype), expected), key
        if i % 30 == 0:
            staged = traced(x, lambda x, key=key: x[key])
            assert np.array_equal(np.asarray(staged.numpy(), dtype), expected), key


def test_a_key_is_one_operation_while_tracing():
    f = fg.function(lambda x: x[1:, ..., -1], autograph=False)
    graph = f.get_concrete_function(fg.TensorSpec([None, 2, 3])).graph
    types = [op.type for op in graph.get_operations()]
    assert types.count("StridedSlice") == 1
    assert types.count("Const") == 3


def test_gradients_of_keys():
    x = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = x[1][0] * 3.0 + x[:1, 1][0]
    assert tape.gradient(y, x).numpy().tolist() == [[0.0, 1.0], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (3, "index 3 of axis 0 is out of bounds for size 3"),
        (-4, "index -4 of axis 0 is out of bounds"),
        ((0, 0, 0), "too many indices"),
        (slice(None, None, 0), "must not be 0"),
        ((..., ...), "one ellipsis only"),
    ],
)
def test_keys_that_do_not_fit(key, text):
    x = fg.ones([3, 2])
    with pytest.raises(fg.errors.InvalidArgumentError, match=text):
        x[key]
    with pytest.raises(ValueError, match=text):
        fg.function(lambda x: x[key], autograph=False)(x)


@pytest.mark.parametrize("key", ["a", 1.5, slice(0, 1.5), 2**70])
def test_keys_of_other_kinds(key):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        fg.ones([3])[key]


def test_rows_share_their_elements():
    x = fg.constant(np.arange(12.0).reshape(3, 4))
    assert np.shares_memory(np.asarray(x), np.asarray(x[1]))
    assert np.shares_memory(np.asarray(x), np.asarray(x[1:]))
