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


@pytest.mark.parametrize("sizes", [[], [-1], [0, -1], [2, -(2**63)]])
def test_sizes_that_are_none_are_refused(sizes):
    with pytest.raises((fg.errors.InvalidArgumentError, ValueError), match="batch_size|dimension"):
        D.range(3).batch(2).rebatch(fg.constant(sizes, fg.int64))
    with pytest.raises(ValueError, match="vector of sizes"):
        D.range(3).batch(2).rebatch([[1, 2]])
    with pytest.raises(ValueError, match="no rows"):
        D.range(3).rebatch([1, 2])
    ragged = D.from_tensor_slices(fg.ragged.range([1, 2])).batch(2)
    with pytest.raises((fg.errors.InvalidArgumentError, ValueError), match="batch_size"):
        list(ragged.rebatch(fg.constant(sizes, fg.int64)))


def test_rows_that_do_not_fit_are_an_error_of_their_batch():
    parts = [np.zeros((2, 2)), np.zeros((2, 3))]
    signature = fg.TensorSpec([None, None], fg.float64)
    dataset = D.from_generator(lambda: iter(parts), output_signature=signature)
    assert [x.shape.as_list() for x in dataset.rebatch([2])] == [[2, 2], [2, 3]]
    with pytest.raises(fg.errors.InvalidArgumentError, match="different shapes"):
        list(dataset.rebatch([3]))


# By tensorflow 2.21: sizes, numbers of rows, whether a remainder is dropped, batches.
WITH_ZEROS = [
    ([2, 0], 0, False, []),
    ([0, 2], 0, True, [[]]),
    ([2, 0], 1, False, [[0]]),
    ([0, 2], 1, True, [[]]),
    ([2, 0], 5, False, [[0, 1], [], [2, 3], [], [4]]),
    ([2, 0], 5, True, [[0, 1], [], [2, 3], []]),
    ([0, 2], 5, False, [[], [0, 1], [], [2, 3], [], [4]]),
    ([2, 0], 6, False, [[0, 1], [], [2, 3], [], [4, 5], []]),
    ([0, 2], 6, False, [[], [0, 1], [], [2, 3], [], [4, 5], []]),
    ([2, 0, 3], 6, False, [[0, 1], [], [2, 3, 4], [5]]),
    ([2, 0, 3], 7, True, [[0, 1], [], [2, 3, 4], [5, 6], []]),
    ([3, 0, 0, 2], 7, False, [[0, 1, 2], [], [], [3, 4], [5, 6]]),
    ([3, 0, 0, 2], 7, True, [[0, 1, 2], [], [], [3, 4]]),
    ([0, 0, 1], 1, False, [[], [], [0], [], []]),
]


@pytest.mark.parametrize("sizes, n, drops, expected", WITH_ZEROS)
def test_a_size_of_zero_is_an_empty_batch_at_its_place(sizes, n, drops, expected):
    assert listed(D.range(n).batch(3).rebatch(sizes, drops)) == expected


@pytest.mark.parametrize("are_known", [True, False])
@pytest.mark.parametrize("sizes, n, drops, expected", WITH_ZEROS)
def test_batches_of_no_ragged_or_sparse_rows(sizes, n, drops, expected, are_known):
    ragged = fg.ragged.range(fg.range(n))
    sparse = fg.sparse.from_dense(fg.eye(n, 3))
    batches = D.from_tensor_slices((ragged, sparse)).batch(3)
    if not are_known:
        sizes = fg.py_function(lambda: np.array(sizes), [], fg.int64)
    found = list(batches.rebatch(sizes, drops))
    assert [r.to_list() for r, _ in found] == [[list(range(i)) for i in b] for b in expected]
    assert [s.dense_shape.numpy().tolist() for _, s in found] == [[len(b), 3] for b in expected]
    for (r, s), b in zip(found, expected, strict=True):
        assert r.shape[0] == len(b) and s.indices.shape[1] == 2
        wanted = fg.gather(fg.eye(n, 3), fg.constant(b, fg.int32)) if n else fg.zeros([0, 3])
        assert np.array_equal(fg.sparse.to_dense(s), wanted)


def test_batches_of_no_rows_of_extension_types_and_inner_sizes():
    class Pair(fg.experimental.BatchableExtensionType):
        left: fg.Tensor
        right: fg.RaggedTensor

    pairs = Pair(fg.constant([[1.0], [2.0], [3.0]]), fg.ragged.constant([["a"], [], ["b", "c"]]))
    found = list(D.from_tensor_slices(pairs).batch(2).rebatch([0, 2, 0, 1]))
    assert [p.left.numpy().tolist() for p in found] == [[], [[1], [2]], [], [[3]], []]
    assert [p.right.to_list() for p in found] == [[], [[b"a"], []], [], [[b"b", b"c"]], []]
    assert found[0].left.shape == [0, 1]


def test_sizes_that_are_all_zero_give_empty_batches_without_end():
    for sizes in (0, [0], [0, 0]):
        assert listed(D.range(5).batch(3).rebatch(sizes).take(4)) == [[]] * 4
    assert D.range(5).batch(3).rebatch([0, 0], True).element_spec.shape == [0]


def test_sizes_of_empty_batches_that_no_type_tells_are_zero():
    def shapes(spec):
        parts = [np.zeros((2, 3, 4))] * 2
        d = D.from_generator(lambda: iter(parts), output_signature=fg.TensorSpec(spec, fg.float64))
        return [x.shape.as_list() for x in d.rebatch([3, 0, 1, 0])]

    whole = [[3, 3, 4], None, [1, 3, 4], None]
    for spec, empty in ([[None, None, 4], [0, 0, 4]], [None, [0]]):
        assert shapes(spec) == [x or empty for x in whole]
