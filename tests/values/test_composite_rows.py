"""Rows and slices of ragged and sparse tensors, beside dense ones."""

import ferrograph as fg
import numpy as np
import pytest

EXECUTED = pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])
PARAMS = np.arange(24).reshape(2, 3, 4)


def nested(value):
    return value.to_list() if hasattr(value, "to_list") else value.numpy().tolist()


@EXECUTED
@pytest.mark.parametrize("axis", [1, 2, -1, -2])
def test_ragged_indices_gather_along_an_axis(run, axis):
    lists = [[2, 0], [1], []]
    indices = fg.ragged.constant(lists, dtype=fg.int32)
    found = run(lambda i: fg.gather(fg.constant(PARAMS), i, axis=axis))(indices)
    at = axis % 3
    for place in np.ndindex(*PARAMS.shape[:at]):
        row = found
        for i in place:
            row = row[i]
        expected = [[PARAMS[(*place, i)].tolist() for i in inner] for inner in lists]
        assert nested(row) == expected


def test_nested_ragged_indices_gather_along_an_axis():
    lists = [[[2], [0]], [], [[1, 1]]]
    indices = fg.ragged.constant(lists, dtype=fg.int64)
    found = fg.gather(fg.constant(PARAMS), indices, axis=1)
    rows = [[[[p[i].tolist() for i in inner] for inner in row] for row in lists] for p in PARAMS]
    assert found.to_list() == rows
    with pytest.raises(ValueError, match="outside"):
        fg.gather(fg.constant(PARAMS), indices, axis=3)


@EXECUTED
def test_map_fn_gives_the_rows_of_sparse_tensors(run):
    dense = np.array([[[1, 0], [0, 2]], [[0, 0], [3, 0]], [[0, 0], [0, 0]]])
    factors = fg.constant([1, 10, 100], fg.int64)

    def f(sparse, factors):
        spec = fg.TensorSpec([2, 2], fg.int64)
        scaled = lambda x: fg.sparse.to_dense(x[0]) * x[1]  # noqa: E731
        return fg.map_fn(scaled, (sparse, factors), fn_output_signature=spec)

    found = run(f)(fg.sparse.from_dense(dense), factors).numpy()
    assert found.tolist() == (dense * factors.numpy()[:, None, None]).tolist()


@pytest.mark.parametrize("shape", [(3,), (3, 2), (3, 2, 2)])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_embeddings_of_any_rank_are_looked_up(shape, combiner):
    table = np.arange(float(np.prod(shape))).reshape(shape).astype("float32")
    ids = fg.SparseTensor([[0, 0], [0, 1], [1, 0]], fg.constant([0, 1, 2], fg.int64), [2, 2])
    found = fg.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner).numpy()
    norm = {"sum": 1.0, "mean": 2.0, "sqrtn": np.sqrt(2.0)}[combiner]
    assert np.allclose(found, [(table[0] + table[1]) / norm, table[2]])


def test_sizes_computed_with_floats_are_whole_numbers():
    two = fg.constant(2.0)
    assert fg.reshape(fg.range(6), (two, 3)).shape == [2, 3]
    with pytest.raises(ValueError, match="whole number, got 1.5"):
        fg.reshape(fg.range(6), (fg.constant(1.5), 4))
    traced = fg.function(lambda n: fg.reshape(fg.range(6), (n, 3)))
    assert traced(two).shape == [2, 3]
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"whole number, got\] \[1.5\]"):
        traced(fg.constant(1.5))


def test_windows_and_limits_take_what_converts():
    assert np.allclose(fg.signal.kaiser_window(3, beta=fg.constant(2)), [0.43867627, 1, 0.43867627])
    limits = fg.experimental.numpy
    assert limits.finfo(fg.float16).eps == np.finfo("float16").eps
    assert limits.iinfo(fg.uint8).max == 255


def test_unique_slices_of_nothing():
    found = fg.raw_ops.UniqueV2(x=fg.zeros([0, 3]), axis=[0])
    assert found.y.shape == [0, 3] and found.idx.shape == [0]
