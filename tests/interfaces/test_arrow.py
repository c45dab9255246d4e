"""Arrow arrays from and to tensors, by the Arrow C data interface."""

import gc

import ferrograph as fg
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

NUMBERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
NUMBERS += ["float16", "float32", "float64"]


def address(array):
    """Where the elements of an Arrow array of numbers start."""
    start = array.buffers()[1].address
    return start + array.offset * array.type.bit_width // 8


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_are_shared(dtype):
    tensor = fg.cast(fg.range(5), dtype)
    array = pa.array(tensor)
    assert array.type == pa.from_numpy_dtype(dtype) and array.null_count == 0
    assert array.to_pylist() == tensor.numpy().tolist()
    assert address(array) == np.asarray(tensor).ctypes.data
    array.validate(full=True)
    rows = pa.array(tensor[2:])
    assert rows.to_pylist() == [2, 3, 4]


def test_the_array_keeps_the_tensor():
    array = pa.array(fg.range(1000) * 3)
    gc.collect()
    others = [fg.fill([1000], n) for n in range(20)]
    assert array.to_pylist() == list(range(0, 3000, 3)) and len(others) == 20


def test_capsules_that_nobody_takes_are_freed():
    tensor = fg.zeros([1 << 20])
    for _ in range(64):
        schema, array = tensor.__arrow_c_array__()
        del schema, array
    schema, array = fg.constant(["a"]).__arrow_c_array__(None)
    assert ["arrow_schema" in repr(schema), "arrow_array" in repr(array)] == [True, True]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 17])
def test_bools_are_bits(n):
    values = [i % 3 == 0 for i in range(n)]
    array = pa.array(fg.constant(values, fg.bool))
    assert array.type == pa.bool_() and array.to_pylist() == values
    assert fg.constant(array).numpy().tolist() == values
    assert fg.constant(array[1:]).numpy().tolist() == values[1:]


@pytest.mark.parametrize("kind", ["binary", "large_binary", "string", "large_string"])
def test_strings_are_copied(kind):
    words = ["one", "", "zwölf"]
    tensor = fg.constant(words)
    array = pa.array(tensor, type=getattr(pa, kind)())
    assert array.type == getattr(pa, kind)()
    assert [w.encode() if isinstance(w, str) else w for w in array.to_pylist()] == [
        w.encode() for w in words
    ]
    back = fg.constant(array[1:])
    assert back.dtype == fg.string and back.numpy().tolist() == [b"", "zwölf".encode()]
    assert pa.array(tensor).type == pa.binary()


def test_a_column_of_a_table():
    table = pa.table({"a": fg.constant([1, 2]), "b": fg.constant(["x", "y"])})
    assert table.to_pydict() == {"a": [1, 2], "b": [b"x", b"y"]}


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_arrow(dtype):
    values = np.arange(5).astype(dtype)
    array = pa.array(values)
    for convert in (fg.constant, fg.convert_to_tensor):
        made = convert(array[1:])
        assert made.dtype.name == dtype and made.numpy().tolist() == [1, 2, 3, 4]
    values[1] = 7  # which the array may show, and the tensor does not
    assert made.numpy().tolist() == [1, 2, 3, 4]
    assert fg.constant(array, fg.float64).dtype == fg.float64
    shared = fg.experimental.dlpack.from_dlpack(array[1:])
    assert np.asarray(shared).ctypes.data == address(array[1:])


def test_shared_memory_keeps_the_array():
    shared = fg.experimental.dlpack.from_dlpack(pa.array(list(range(1000)), pa.int64()))
    gc.collect()
    assert int(fg.reduce_sum(shared)) == 499500


def test_empty_arrays():
    assert fg.constant(pa.array([], pa.int16())).dtype == fg.int16
    assert fg.constant(pa.array([], pa.string())).shape == [0]
    assert pa.array(fg.zeros([0], fg.int8)).type == pa.int8()
    assert pa.array(fg.constant([], fg.string)).to_pylist() == []


@pytest.mark.parametrize("chunks", [[], [[1, 2]], [[1, 2], [], [3]]])
def test_chunks(chunks):
    made = fg.constant(pa.chunked_array(chunks, pa.int64()))
    assert made.dtype == fg.int64 and made.numpy().tolist() == sum(chunks, [])


def test_other_types_go_by_numpy():
    words = pa.array(["a", "b", "a"]).dictionary_encode()
    assert fg.constant(words).numpy().tolist() == [b"a", b"b", b"a"]
    with pytest.raises(ValueError, match="datetime64"):
        fg.constant(pa.array([1, 2], pa.timestamp("s")))


WITH_NULLS = {
    "numbers": (lambda: pa.array([1, None, 3]), "1 null;"),
    "bools": (lambda: pa.array([None, None, True]), "2 nulls;"),
    "words": (lambda: pa.array(["a", None]), "1 null;"),
    "nothing": (lambda: pa.array([None, None]), "2 nulls;"),
    "times": (lambda: pa.array([None, 1], pa.timestamp("s")), "1 null;"),
    "chunks": (lambda: pa.chunked_array([[1], [None]]), "1 null;"),
    "slice": (lambda: pa.array([None, 1, None])[1:], "1 null;"),
}


@pytest.mark.parametrize("name", WITH_NULLS)
def test_nulls_are_refused(name):
    make, text = WITH_NULLS[name]
    with pytest.raises(ValueError, match=f"{text} fill them before"):
        fg.constant(make())


def test_nulls_outside_of_a_slice_do_not_count():
    assert fg.constant(pa.array([None, 1, 2])[1:]).numpy().tolist() == [1, 2]


REFUSED = {
    "rank": (lambda: pa.array(fg.constant([[1.0]])), ValueError, "one axis"),
    "dtype": (lambda: pa.array(fg.constant([1j])), TypeError, "no arrays of dtype complex128"),
    "text": (
        lambda: pa.array(fg.constant([b"\xff"]), type=pa.string()),
        *(ValueError, "no UTF-8"),
    ),
    "schema": (lambda: fg.ones([2]).__arrow_c_array__(3), TypeError, "PyCapsule"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_arrow_does_not_have(name):
    call, error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        call()


def test_the_package_imports_no_pyarrow(run_python):
    done = run_python(
        """
        import sys
        import ferrograph as fg

        fg.ones([2]).__arrow_c_array__()
        print([name for name in sys.modules if name.startswith("pyarrow")])
        """
    )
    assert done.stdout.strip() == "[]"
