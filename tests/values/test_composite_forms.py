"""Functions of dense tensors that take ragged and sparse ones too; eager and traced."""

import ferrograph as fg
import numpy as np
import pytest

ways = pytest.mark.parametrize("way", [lambda f: f, fg.function], ids=["eager", "traced"])

NUMBERS = [[3, 1, 3], [1], []]


@ways
def test_ragged_numbers_are_counted_by_row_and_in_all(way):
    rows = fg.ragged.constant(NUMBERS)
    count = way(lambda r: (fg.math.bincount(r), fg.math.bincount(r, axis=-1)))
    whole, each = count(rows)
    assert whole.numpy().tolist() == [0, 2, 0, 2]
    assert each.numpy().tolist() == [[0, 1, 0, 2], [0, 1, 0, 0], [0, 0, 0, 0]]


@ways
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"minlength": 5}, [[0, 1, 0, 2, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]),
        ({"maxlength": 2}, [[0, 1], [0, 1], [0, 0]]),
        ({"binary_output": True}, [[0, 1, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]),
    ],
)
def test_bounds_of_counts_hold_for_ragged_rows(way, options, expected):
    count = way(lambda r: fg.math.bincount(r, axis=-1, **options))
    assert count(fg.ragged.constant(NUMBERS)).numpy().tolist() == expected


@ways
def test_stored_elements_alone_are_counted(way):
    sparse = fg.sparse.from_dense([[1, 0, 2], [0, 3, 3]])
    count = way(lambda s: (fg.math.bincount(s), fg.math.bincount(s, axis=-1)))
    whole, each = count(sparse)
    assert whole.numpy().tolist() == [0, 1, 1, 2]
    assert each.numpy().tolist() == [[0, 1, 1, 0], [0, 0, 0, 2]]


@ways
@pytest.mark.parametrize("kind", ["dense", "ragged", "sparse"])
def test_sparse_counts_of_each_kind(way, kind):
    dense = fg.constant([[1, 2, 2], [4, 1, 1]])
    made = {
        "dense": lambda: dense,
        "ragged": lambda: fg.RaggedTensor.from_tensor(dense),
        "sparse": lambda: fg.sparse.from_dense(dense),
    }
    count = way(lambda v: fg.sparse.bincount(v, axis=-1))
    counts = count(made[kind]())
    assert counts.indices.numpy().tolist() == [[0, 1], [0, 2], [1, 1], [1, 4]]
    assert counts.values.numpy().tolist() == [1, 2, 2, 1]
    assert counts.dense_shape.numpy().tolist() == [2, 5]


@ways
def test_sparse_counts_with_weights_and_a_greatest_length(way):
    count = way(lambda v, w: fg.sparse.bincount(v, w, maxlength=3))
    counts = count(fg.constant([1, 1, 5]), fg.constant([0.5, 1.0, 2.0]))
    assert counts.indices.numpy().tolist() == [[1]]
    assert counts.values.numpy().tolist() == [1.5]
    assert counts.dense_shape.numpy().tolist() == [3]


def test_negative_numbers_are_not_counted():
    with pytest.raises(fg.errors.InvalidArgumentError, match="not negative"):
        fg.sparse.bincount([1, -1])


@ways
@pytest.mark.parametrize("function", [fg.nn.softmax, fg.nn.log_softmax])
def test_softmax_of_ragged_rows_is_that_of_each_row(way, function):
    rows = [[1.0, 2.0], [], [300.0, 4.0, 5.0]]
    made = way(function)(fg.ragged.constant(rows)).to_list()
    for got, row in zip(made, rows, strict=True):
        np.testing.assert_allclose(got, function(fg.constant(row, fg.float32)), rtol=1e-6)


@ways
def test_softmax_of_ragged_rows_has_its_gradient(way):
    def gradient(rows):
        with fg.GradientTape() as tape:
            tape.watch(rows.flat_values)
            total = fg.reduce_sum(fg.nn.softmax(rows).flat_values * [1.0, 2.0, 5.0])
        return tape.gradient(total, rows.flat_values)

    got = way(gradient)(fg.ragged.constant([[1.0, 2.0], [3.0]])).numpy()
    p = float(fg.sigmoid(1.0))
    np.testing.assert_allclose(got, [-p * (1 - p), p * (1 - p), 0.0], atol=1e-6)


def test_softmax_along_an_axis_before_the_last_ragged_one_is_refused():
    with pytest.raises(ValueError, match="last ragged axis"):
        fg.nn.softmax(fg.ragged.constant([[[1.0], [2.0]], []]), axis=1)


@ways
def test_rows_of_ragged_tensors_stay_ragged_where_they_are_mapped(way):
    rows = fg.ragged.constant([[3, 1, 2], [9], []])
    assert way(lambda r: fg.map_fn(fg.sort, r))(rows).to_list() == [[1, 2, 3], [9], []]
    deep = fg.ragged.constant([[[3, 1], [2]], [], [[9]]])
    assert way(lambda r: fg.map_fn(lambda x: x + 1, r))(deep).to_list() == [
        [[4, 2], [3]],
        [],
        [[10]],
    ]


def test_mapped_rows_of_another_rank_than_said_are_refused():
    spec = fg.RaggedTensorSpec([None, 2], fg.float32)
    with pytest.raises(ValueError, match="ragged_rank"):
        fg.map_fn(lambda n: fg.ones([n, 2]), fg.constant([3, 0]), fn_output_signature=spec)


TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


@ways
def test_lookups_take_invalid_ids_and_empty_rows(way):
    ids = fg.SparseTensor([[0, 0], [0, 1], [2, 0]], fg.constant([1, 2, -1], fg.int64), [3, 2])
    find = way(lambda t, i, d: fg.nn.safe_embedding_lookup_sparse(t, i, default_id=d))
    mean = (TABLE[1] + TABLE[2]) / 2
    assert find(TABLE, ids, None).numpy().tolist() == [mean.tolist(), [0.0] * 3, [0.0] * 3]
    assert find(TABLE, ids, 3).numpy().tolist() == [
        mean.tolist(),
        TABLE[3].tolist(),
        TABLE[3].tolist(),
    ]


@ways
def test_lookups_leave_out_weights_that_are_not_positive(way):
    places = [[0, 0], [0, 1], [1, 0]]
    ids = fg.SparseTensor(places, fg.constant([1, 2, 3], fg.int64), [2, 2])
    weights = fg.SparseTensor(places, [1.0, 3.0, -1.0], [2, 2])
    find = way(lambda i, w: fg.nn.safe_embedding_lookup_sparse(TABLE, i, w))
    expected = (TABLE[1] + 3 * TABLE[2]) / 4
    assert find(ids, weights).numpy().tolist() == [expected.tolist(), [0.0] * 3]


@ways
def test_ragged_ids_are_looked_up_too(way):
    find = way(lambda i: fg.nn.embedding_lookup_sparse(TABLE, i, None, combiner="sum"))
    found = find(fg.ragged.constant([[0, 1], [3]])).numpy()
    assert found.tolist() == [(TABLE[0] + TABLE[1]).tolist(), TABLE[3].tolist()]
