"""Batches taken apart and stacked anew, in one size or in sizes that take turns."""

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset


def listed(dataset):
    return [x.numpy().tolist() for x in dataset]


def chunks(n, sizes, drops):
    found, at, turn = [], 0, 0
    while at < n:
        size = sizes[turn % len(sizes)]
        found.append(list(range(at, min(n, at + size))))
        at, turn = at + size, turn + 1
    return [c for i, c in enumerate(found) if not drops or len(c) == sizes[i % len(sizes)]]


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 10])
@pytest.mark.parametrize("sizes", [[2, 3], [3], [1, 2, 3], [2**62], [1, 2**62]])
def test_sizes_take_turns(n, sizes, drops):
    batches = D.range(n).batch(4)
    expected = chunks(n, sizes, drops)
    assert listed(batches.rebatch(sizes, drops)) == expected
    assert listed(batches.rebatch(fg.constant(sizes, fg.int64), drops)) == expected


def test_the_static_size_is_known_where_all_batches_have_it():
    batches = D.range(10).batch(4)
    specs = [
        batches.rebatch(*args).element_spec.shape.as_list()
        for args in [(2,), (2, True), ([2, 2], True), ([2, 2],), ([2, 3], True)]
    ]
    assert specs == [[None], [2], [2], [None], [None]]
    assert int(batches.rebatch([2, 3]).cardinality()) == -2


def test_sizes_are_data_in_functions():
    @fg.function(input_signature=[fg.TensorSpec(None, fg.int64)])
    def sizes_of(n):
        s = fg.constant(0, fg.int64)
        for x in D.range(7).batch(4).rebatch(n):
            s = s * 10 + fg.size(x, fg.int64)
        return s

    assert int(sizes_of([2, 3])) == 232 and int(sizes_of(5)) == 52


def test_components_and_rows_without_elements():
    pairs = D.from_tensor_slices((np.arange(5), np.zeros((5, 0)))).batch(2).rebatch([1, 3])
    assert [(a.numpy().tolist(), b.shape.as_list()) for a, b in pairs] == [
        ([0], [1, 0]),
        ([1, 2, 3], [3, 0]),
        ([4], [1, 0]),
    ]


@pytest.mark.parametrize("drops", [False, True])
def test_ragged_and_sparse_rows(drops):
    rows = [[1], [2, 3], [], [4], [5, 6]]
    expected = [[[1]], [[2, 3], []], [[4]], [[5, 6]]]
    ragged = D.from_tensor_slices(fg.ragged.constant(rows)).batch(2).rebatch([1, 2], drops)
    assert [b.to_list() for b in ragged] == expected[: 3 if drops else 4]
    assert ragged.element_spec.ragged_rank == 1
    sparse = D.from_tensor_slices(fg.sparse.from_dense(np.eye(5))).batch(2).rebatch([1, 2], drops)
    assert [b.dense_shape.numpy().tolist() for b in sparse] == [[1, 5], [2, 5], [1, 5], [1, 5]][
        : 3 if drops else 4
    ]
    assert [b.to_list() for b in D.from_tensors(fg.ragged.constant(rows)).rebatch(3)] == [
        rows[:3],
        rows[3:],
    ]


@pytest.mark.parametrize("sizes", [[], [0], [2, 0], [-1], [2, -(2**63)]])
def test_sizes_that_are_none_are_refused(sizes):
    with pytest.raises((fg.errors.InvalidArgumentError, ValueError), match="batch_size|dimension"):
        D.range(3).batch(2).rebatch(fg.constant(sizes, fg.int64))
    with pytest.raises(ValueError, match="vector of sizes"):
        D.range(3).batch(2).rebatch([[1, 2]])
    with pytest.raises(ValueError, match="no rows"):
        D.range(3).rebatch([1, 2])


def test_rows_that_do_not_fit_are_an_error_of_their_batch():
    parts = [np.zeros((2, 2)), np.zeros((2, 3))]
    signature = fg.TensorSpec([None, None], fg.float64)
    dataset = D.from_generator(lambda: iter(parts), output_signature=signature)
    assert [x.shape.as_list() for x in dataset.rebatch([2])] == [[2, 2], [2, 3]]
    with pytest.raises(fg.errors.InvalidArgumentError, match="different shapes"):
        list(dataset.rebatch([3]))
