"""Composite values into and out of ``py_function``, and what its results are cast to.

The values are those of tensorflow 2.21.0; ``numpy_function`` takes arrays only, there as here.
"""

import functools

import ferrograph as fg
import numpy as np
import pytest

WAYS = pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
ROWS = [[1, 2], [], [3]]
RAGGED = fg.RaggedTensorSpec([None, None], fg.int32)
Error = fg.errors.InvalidArgumentError


class Pair(fg.experimental.ExtensionType):
    a: fg.Tensor
    rows: fg.RaggedTensor


def rows():
    return fg.ragged.constant(ROWS)


@WAYS
def test_ragged_tensors(wrap):
    seen = []

    def function(r, x):
        seen.append(type(r))
        return r + x

    call = wrap(lambda r: fg.py_function(function, [r, 1], RAGGED))
    found = call(rows())
    assert found.to_list() == [[2, 3], [], [4]] and seen == [fg.RaggedTensor]
    assert call(rows()[:1]).to_list() == [[2, 3]]
    both = wrap(lambda r: fg.py_function(lambda r: [r, r.nrows()], [r], [RAGGED, fg.int64]))(rows())
    assert both[0].to_list() == ROWS and int(both[1]) == 3
    total = wrap(lambda r: fg.py_function(lambda r: fg.reduce_sum(r, 1), [r], fg.int32))
    assert total(rows()).numpy().tolist() == [3, 0, 3]
    uniform = fg.RaggedTensorSpec([None, 2, None], fg.int32)
    made = lambda: fg.RaggedTensor.from_uniform_row_length(fg.ragged.constant([[1], []]), 2)  # noqa: E731
    assert wrap(lambda: fg.py_function(made, [], uniform))().shape[1:] == [2, None]


@WAYS
def test_sparse_tensors(wrap):
    spec = fg.SparseTensorSpec([2, 2], fg.int32)
    double = wrap(lambda s: fg.py_function(lambda s: fg.sparse.add(s, s), [s], spec))
    found = double(fg.sparse.from_dense([[1, 0], [0, 2]]))
    assert fg.sparse.to_dense(found).numpy().tolist() == [[2, 0], [0, 4]]
    assert found.shape == [2, 2]


@WAYS
def test_extension_types(wrap):
    value = Pair([1, 2], rows())
    spec = fg.type_spec_from_value(value)
    swap = wrap(lambda p: fg.py_function(lambda p: Pair(p.a * 2, p.rows + 1), [p], spec))
    found = swap(value)
    assert found.a.numpy().tolist() == [2, 4] and found.rows.to_list() == [[2, 3], [], [4]]


@WAYS
def test_specs_of_tensors_say_the_shape(wrap):
    shapes = []

    def f(x):
        found = fg.py_function(lambda x: x + 1, [x], fg.TensorSpec([None, 2], fg.float32))
        shapes.append(found.shape.as_list())
        return found

    assert wrap(f)(fg.zeros([3, 2])).numpy().tolist() == [[1, 1]] * 3
    assert shapes[0] in ([None, 2], [3, 2])
    with pytest.raises(Error, match="expected a value of"):
        wrap(f)(fg.zeros([3]))


@WAYS
def test_results_that_do_not_fit_are_refused(wrap):
    for result, wanted in (
        (lambda: fg.constant([1]), RAGGED),
        (lambda: fg.ragged.constant([[[1]]]), RAGGED),
        (lambda: fg.ragged.constant([[1.0]]), RAGGED),
        (rows, fg.int32),
        (lambda: [rows(), rows()], [RAGGED]),
        (lambda: fg.constant(1.0, fg.float64), fg.float32),
    ):
        call = functools.partial(fg.py_function, result, [], wanted)
        with pytest.raises(Error):
            wrap(call)()
    with pytest.raises((TypeError, ValueError), match="RaggedTensor"):
        wrap(lambda: fg.numpy_function(len, [rows()], fg.int32))()


@WAYS
@pytest.mark.parametrize(
    ("result", "dtype", "value"),
    [
        (np.array([1.5]), fg.float32, [1.5]),
        (np.int64(4), fg.int32, 4),
        (np.float64(2.5), fg.float16, 2.5),
        ([1, 2], fg.float32, [1.0, 2.0]),
    ],
)
def test_arrays_are_cast(wrap, result, dtype, value):
    found = wrap(lambda: fg.py_function(lambda: result, [], dtype))()
    assert found.dtype == dtype and found.numpy().tolist() == value


@WAYS
def test_gradients_flow_through_the_values(wrap):
    spec = fg.RaggedTensorSpec([None, None], fg.float32)

    def slope(values):
        with fg.GradientTape() as tape:
            tape.watch(values)
            r = fg.RaggedTensor.from_row_lengths(values, [2, 0, 1])
            squares = fg.py_function(lambda r: r * r, [r], spec)
            total = fg.reduce_sum(squares.flat_values)
        return tape.gradient(total, values)

    assert wrap(slope)(fg.constant([1.0, 2.0, 3.0])).numpy().tolist() == [2.0, 4.0, 6.0]
