"""fg.constant and fg.convert_to_tensor: dtypes of Python values and arrays, and what is refused."""

import array
import collections
import ctypes
import enum
import subprocess
import sys

import ferrograph as fg
import numpy as np
import pytest


class Colour(enum.IntEnum):
    RED = 3


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "dtype", "numbers"),
    [
        (1, "int32", 1),
        (1.5, "float32", 1.5),
        (1j, "complex128", 1j),
        (True, "bool", True),
        ("é", "string", "é".encode()),
        (b"\xff\0", "string", b"\xff\0"),
        ([1, 2.5], "float32", [1.0, 2.5]),
        ([1, True], "int32", [1, 1]),
        ([1.5, True, 2], "float32", [1.5, 1.0, 2.0]),
        ([1j, 2, 1.5], "complex128", [1j, 2, 1.5]),
        ((1, (2)), "int32", [1, 2]),
        ([(1, 2), [3, 4]], "int32", [[1, 2], [3, 4]]),
        (range(3), "int32", [0, 1, 2]),
        (2**31 - 1, "int32", 2**31 - 1),
        (2**31, "int64", 2**31),
        (-(2**31) - 1, "int64", -(2**31) - 1),
        ([1, 2**63 - 1], "int64", [1, 2**63 - 1]),
        ([], "float32", []),
        ([[], []], "float32", [[], []]),
        ([np.int64(1)], "int32", [1]),
        ([np.float64(1)], "float64", [1.0]),
        ([np.float32(1), 2.0], "float32", [1.0, 2.0]),
        ([1, np.float64(0.5)], "float32", [1.0, 0.5]),
        ([range(2), np.array([5, 6])], "int32", [[0, 1], [5, 6]]),
        ([np.array([1.5]), np.array([2])], "float64", [[1.5], [2.0]]),
        ([1, np.array(2.5)], "float32", [1.0, 2.5]),
        (Colour.RED, "int32", 3),
        (Point(1, 2), "int32", [1, 2]),
        (collections.deque([1, 2]), "int32", [1, 2]),
        ({"a": 1, "b": 2}.values(), "int32", [1, 2]),
        (array.array("d", [1.0]), "float64", [1.0]),
        (bytearray(b"ab"), "uint8", [97, 98]),
        ((ctypes.c_int * 3)(1, 2, 3), "int32", [1, 2, 3]),
        ((ctypes.c_double * 2 * 2)(), "float64", [[0.0, 0.0], [0.0, 0.0]]),
        (memoryview(np.arange(6).reshape(2, 3)[:, ::2]), "int64", [[0, 2], [3, 5]]),
        (float("inf"), "float32", float("inf")),
    ],
)
def test_inference(value, dtype, numbers):
    tensor = fg.constant(value)
    assert tensor.dtype.name == dtype
    got = tensor.numpy()
    assert (got if isinstance(got, bytes) else got.tolist()) == numbers


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3]],
        [[1], 2],
        [1, [2]],
        [[], [1]],
        None,
        [None, 1],
        object(),
        {"a": 1},
        {1, 2},
        ctypes.c_int(1),
        [1, "a"],
        ["a", 1],
        [True, 1],
        [1, 1j],
        2**64,
        [0, 2**70],
        -(2**63) - 1,
        1e39,
        [1e39],
        int,
        np.datetime64("2020-01-01"),
        np.array([1, None], object),
    ],
)
def test_values_that_no_tensor_holds(value):
    with pytest.raises(ValueError, match="cannot convert"):
        fg.constant(value)


def test_a_sequence_that_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested"):
        fg.constant(loop)


@pytest.mark.parametrize(
    ("value", "dtype", "numbers"),
    [
        (1, fg.float32, 1.0),
        (3, "float64", 3.0),
        (2, np.int8, 2),
        ([1, 2], fg.complex64, [1, 2]),
        (True, fg.float32, 1.0),
        (300, fg.uint8, 44),
        ([-1], fg.uint8, [255]),
        ([2**64 - 1], fg.uint64, [2**64 - 1]),
        ([], fg.int32, []),
        (1e39, fg.float32, float("inf")),
        (np.array([1.9, -1.9]), fg.int32, [1, -1]),
        (np.float64(2.7), fg.int32, 2),
        (np.array([0, 2]), fg.bool, [False, True]),
    ],
)
def test_explicit_dtypes(value, dtype, numbers):
    tensor = fg.constant(value, dtype)
    assert tensor.dtype == dtype
    assert tensor.numpy().tolist() == numbers


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, fg.int32),
        ([1.0], fg.int64),
        ([[1], [2.5]], fg.int32),
        ("a", fg.int32),
        (1, fg.string),
        (1j, fg.float32),
        (1, fg.bool),
        (2**40, fg.int32),
        (2**63, fg.int64),
        (-1, fg.uint32),
        (np.array("a"), fg.int32),
        (np.array([1]), fg.string),
    ],
)
def test_explicit_dtypes_that_do_not_fit(value, dtype):
    with pytest.raises(TypeError, match=dtype.name):
        fg.constant(value, dtype)


def test_the_message_names_the_element_that_does_not_fit():
    with pytest.raises(TypeError, match=r"2\.5 .*int32.*\[1\]\[0\]"):
        fg.constant([[1], [2.5]], fg.int32)
    with pytest.raises(ValueError, match=r"\[1\].*length 1 where length 2"):
        fg.constant([[1, 2], [3]])


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[:, ::-1],
        lambda a: a.T,
        lambda a: a[::2, 1],
        lambda a: a[1:1],
        np.asfortranarray,
        lambda a: a.astype(">i4"),
        lambda a: np.broadcast_to(a[0], (3, 3)),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), np.int64, offset=1),
    ],
)
def test_arrays_keep_their_logical_order(view):
    expected = view(np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(fg.constant(expected).numpy(), expected)


def test_bools_that_are_not_0_or_1_become_1():
    odd = np.array([0, 2, 255], np.uint8).view(bool)
    assert fg.constant(odd).numpy().view(np.uint8).tolist() == [0, 1, 1]


def test_a_constant_does_not_follow_later_changes():
    a = np.zeros(2)
    x = fg.constant(a)
    a[0] = 9
    assert x.numpy().tolist() == [0.0, 0.0]


def test_text_arrays():
    assert fg.constant(np.array(["x", "yz"])).numpy().tolist() == [b"x", b"yz"]
    assert fg.constant(np.array([b"ab", "é"], object)).numpy().tolist() == [b"ab", "é".encode()]
    assert fg.constant(np.array([], object)).dtype == fg.string


def test_objects_with_an_array_method():
    class Wrapper:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 2], np.int16)

    assert fg.constant(Wrapper()).dtype == fg.int16
    assert fg.constant([Wrapper(), Wrapper()]).shape == [2, 2]


def test_operands_take_the_dtype_of_the_tensor():
    x = fg.constant([1, 2], fg.int16)
    assert (x + 1).dtype == fg.int16
    assert (x + np.array([1.0, 2.0])).numpy().tolist() == [2, 4]
    for wrong in (1.5, 2**20, "a", np.array([0.5, 1.0])):
        with pytest.raises(TypeError, match="int16"):
            _ = x + wrong


def test_numpy_is_not_imported_without_need():
    program = (
        "import sys, ferrograph as fg; x = fg.constant([[1.0, 2.0]], fg.float16); "
        "assert x.shape == (1, 2); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
