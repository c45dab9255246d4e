"""Tensors among NumPy arrays, Python numbers, buffers and DLPack."""

import gc

import ferrograph as fg
import numpy as np
import pytest

DENSE = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def of(name):
    return fg.constant(np.arange(6).reshape(2, 3).astype(name))


@pytest.mark.parametrize("name", DENSE)
def test_numpy_round_trip(name):
    array = of(name).numpy()
    assert array.dtype == np.dtype(name)
    np.testing.assert_array_equal(array, np.arange(6).reshape(2, 3).astype(name))
    scalar = of(name)[1, 2].numpy()
    assert type(scalar) is np.dtype(name).type


def test_numpy_of_strings_and_bfloat16():
    assert fg.constant("é").numpy() == "é".encode()
    words = fg.constant([["a"], ["b"]]).numpy()
    assert words.dtype == object and words.tolist() == [[b"a"], [b"b"]]
    pytest.importorskip("ml_dtypes")
    halves = fg.constant([1.5, 2.5], fg.bfloat16).numpy()
    assert halves.dtype.name == "bfloat16" and halves.astype(float).tolist() == [1.5, 2.5]
    assert fg.constant(halves).dtype == fg.bfloat16


def test_shared_arrays_are_read_only_and_keep_their_tensor():
    x = fg.constant(np.arange(1000.0))
    array = np.asarray(x)
    assert not array.flags.writeable
    with pytest.raises(ValueError):
        array[0] = 1
    with pytest.raises(ValueError):
        array.setflags(write=True)
    del x
    gc.collect()
    assert array.sum() == 499500.0


def test_memory_that_came_from_a_tensor_is_shared_back():
    array = np.asarray(fg.constant(np.arange(10.0)))
    again = np.asarray(fg.constant(array))
    part = np.asarray(fg.constant(array[2:5]))
    assert again.ctypes.data == array.ctypes.data
    assert part.ctypes.data == array.ctypes.data + 16 and part.tolist() == [2.0, 3.0, 4.0]
    assert fg.constant(array[::2]).numpy().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert fg.constant(array.view(np.int64)).dtype == fg.int64


def test_a_copy_may_be_written():
    x = fg.constant([1.0, 2.0])
    copy = np.array(x)
    copy[0] = 5
    assert x.numpy().tolist() == [1.0, 2.0]
    assert np.array(x, dtype=np.int16).tolist() == [1, 2]


def test_numpy_functions_take_tensors():
    x = fg.constant([[1.0, 2.0], [3.0, 4.0]])
    assert np.sum(x) == 10
    assert np.concatenate([x, x]).shape == (4, 2)
    assert np.arange(9)[fg.constant([1, 5])].tolist() == [1, 5]


def test_buffers():
    x = fg.constant([[1, 2], [3, 4]])
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 2), (8, 4), True)
    assert view.tolist() == [[1, 2], [3, 4]]
    del x
    gc.collect()
    assert bytes(view) == np.array([1, 2, 3, 4], np.int32).tobytes()
    with pytest.raises(BufferError):
        memoryview(fg.constant("a"))


def numpy_asks_for_versions():
    """Whether NumPy asks for a version of DLPack, as NumPy 2.1 and later do: others get copies."""
    asked = []

    class Asked:
        def __dlpack__(self, **keywords):
            asked.append(keywords.get("max_version"))
            return np.zeros(1).__dlpack__()

        def __dlpack_device__(self):
            return np.zeros(1).__dlpack_device__()

    np.from_dlpack(Asked())
    return asked[0] is not None


def numpy_takes(name):
    """Whether NumPy takes a dtype through DLPack from itself, bool from NumPy 1.25 on."""
    try:
        np.from_dlpack(np.zeros(1, name))
    except (BufferError, RuntimeError, TypeError):
        return False
    return True


@pytest.mark.parametrize("name", DENSE)
def test_dlpack_out_and_in(name):
    if not numpy_takes(name):
        pytest.skip(f"this NumPy takes no {name} through DLPack (bool from 1.25 on)")
    x = of(name)
    array = np.from_dlpack(x)
    np.testing.assert_array_equal(array, x.numpy())
    assert not array.flags.writeable
    assert (array.ctypes.data == np.asarray(x).ctypes.data) == numpy_asks_for_versions()


def test_dlpack_without_versions_gives_a_copy():
    class Old:
        """An array of a consumer that asks for no version."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, stream=None):
            return self.tensor.__dlpack__()

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x = fg.constant([1.0, 2.0])
    array = np.from_dlpack(Old(x))
    assert array.tolist() == [1.0, 2.0]
    assert array.ctypes.data != np.asarray(x).ctypes.data


def test_unused_capsules_are_freed():
    x = fg.constant([1.0, 2.0])
    for version in (None, (1, 0)):
        capsule = x.__dlpack__(max_version=version)
        assert "dltensor" in repr(capsule)
        del capsule
    gc.collect()
    assert x.numpy().tolist() == [1.0, 2.0]


def test_dlpack_refuses_what_it_cannot_hold():
    with pytest.raises(BufferError):
        fg.constant("a").__dlpack__()
    with pytest.raises(BufferError):
        fg.constant(1.0).__dlpack__(dl_device=(2, 0))


def test_python_numbers():
    assert (int(fg.constant(3.9)), float(fg.constant(3)), complex(fg.constant(2.0))) == (3, 3.0, 2)
    assert int(fg.constant([7])) == 7
    assert int(fg.constant(2**63, fg.uint64)) == 2**63
    assert float(fg.constant(1.5, fg.float16)) == 1.5
    assert [10, 20, 30][fg.constant(2)] == 30
    for wrong in (
        lambda: int(fg.constant([1, 2])),
        lambda: float(fg.constant([])),
        lambda: int(fg.constant(1j)),
        lambda: [1, 2][fg.constant(1.0)],
        lambda: [1, 2][fg.constant([0])],
    ):
        with pytest.raises(TypeError):
            wrong()


def test_truth():
    assert bool(fg.constant(2)) and not bool(fg.constant(0.0))
    assert bool(fg.constant([True])) and not bool(fg.constant([]))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(fg.constant([True, False]))


def test_from_dlpack_shares_what_it_can():
    array = np.arange(6.0)
    x = fg.experimental.dlpack.from_dlpack(array)
    assert np.asarray(x).ctypes.data == array.ctypes.data
    del array
    gc.collect()
    assert x.numpy().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    strided = np.arange(6).reshape(2, 3)[:, ::2]
    assert fg.experimental.dlpack.from_dlpack(strided).numpy().tolist() == [[0, 2], [3, 5]]


def test_a_capsule_serves_once():
    capsule = fg.experimental.dlpack.to_dlpack(fg.constant([[1, 2]], fg.int16))
    back = fg.experimental.dlpack.from_dlpack(capsule)
    assert back.dtype == fg.int16 and back.numpy().tolist() == [[1, 2]]
    with pytest.raises(ValueError, match="consumed"):
        fg.experimental.dlpack.from_dlpack(capsule)
    with pytest.raises(TypeError, match="__dlpack__"):
        fg.experimental.dlpack.from_dlpack([1, 2])


def test_iteration_runs_both_ways():
    x = fg.constant([[1, 2], [3, 4]])
    assert [row.numpy().tolist() for row in x] == [[1, 2], [3, 4]]
    assert [row.numpy().tolist() for row in reversed(x)] == [[3, 4], [1, 2]]


def test_an_exception_while_numpy_is_looked_up_is_passed_on(run_python):
    done = run_python(
        """
        import builtins
        import numpy
        import ferrograph as fg

        class Alarm(Exception):
            pass

        def interrupted(name, *args):
            if name.endswith("multiarray"):
                raise Alarm(name)
            return plain(name, *args)

        plain, builtins.__import__ = builtins.__import__, interrupted
        for _ in range(2):
            try:
                fg.constant([1, 2]).numpy()
                raise SystemExit("no exception came through")
            except Alarm:
                pass
        builtins.__import__ = plain
        print(fg.constant([1, 2]).numpy())
        """
    )
    assert (done.stdout, done.stderr) == ("[1 2]\n", "")


class StandsForAVariable:
    """As libraries wrap variables: it converts to a tensor, and gradients are taken by it."""

    _should_act_as_resource_variable = True

    def __init__(self, value):
        self.value = fg.Variable(value)

    @property
    def handle(self):
        return self.value.handle

    def __tf_tensor__(self, dtype=None, name=None):
        return fg.convert_to_tensor(self.value, dtype)


@pytest.mark.parametrize("traced", [False, True])
def test_a_gradient_by_what_stands_for_a_variable(traced):
    w, table = StandsForAVariable(3.0), StandsForAVariable([[1.0], [2.0]])
    frozen = StandsForAVariable(2.0)

    def gradients():
        with fg.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([w, table])
            y = w * fg.constant(2.0) + fg.reduce_sum(fg.gather(table, [1])) + frozen.value
        return tape.gradient(y, [w, table, frozen])

    by_w, by_table, by_frozen = (fg.function(gradients) if traced else gradients)()
    assert float(by_w) == 2.0 and by_frozen is None
    assert fg.convert_to_tensor(by_table).numpy().tolist() == [[0.0], [1.0]]


def test_what_merely_converts_is_no_tensor():
    class Converts:
        def __tf_tensor__(self, dtype=None, name=None):
            return fg.constant(1.0)

    assert not fg.is_tensor(Converts())
    assert float(fg.constant(1.0) + Converts()) == 2.0


def test_variables_have_names_of_their_own():
    v, w = fg.Variable(1.0, name="w"), fg.Variable(2.0, name="w")
    assert v._shared_name == w._shared_name == "w" and v._unique_id != w._unique_id


@pytest.mark.parametrize("traced", [False, True])
def test_tensors_in_a_list_are_cast_to_a_dtype_that_is_named(traced):
    def made(x):
        return fg.convert_to_tensor([x, 2], dtype="float32"), fg.stack([x, 2])

    cast, kept = (fg.function(made) if traced else made)(fg.constant(1))
    assert cast.dtype == fg.float32 and cast.numpy().tolist() == [1.0, 2.0]
    assert kept.dtype == fg.int32


def test_what_holds_tensors_is_none():
    dataset = fg.data.Dataset.range(2)
    for value in (dataset, iter(dataset), fg.experimental.Optional.from_value(1)):
        assert not fg.is_tensor(value)
    rows = fg.IndexedSlices(fg.ones([1, 2]), fg.constant([0]))
    for value in (fg.ragged.constant([[1]]), fg.sparse.eye(2), rows):
        assert fg.is_tensor(value)


def test_callbacks_as_decorators():
    @fg.py_function(Tout=fg.float32)
    def doubled(x):
        return 2 * x

    @fg.numpy_function(Tout=fg.float32)
    def summed(x, y):
        return np.float32(x.sum() + y)

    def both(x):
        return doubled(x) + summed(x, 1.0)

    for call in (both, fg.function(both)):
        assert call(fg.constant([1.0, 2.0])).numpy().tolist() == [6.0, 8.0]
    assert doubled.__name__ == "doubled"
    with pytest.raises(ValueError, match="inp is given with func"):
        fg.py_function(inp=[1.0], Tout=fg.float32)
