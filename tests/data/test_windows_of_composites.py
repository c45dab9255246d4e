"""Windows, paddings and buckets: what tensorflow 2.21 was seen to give."""

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset


def rows():
    return D.range(3).map(lambda x: fg.ragged.range([x, x + 1]))


def sparse_rows():
    return D.from_tensor_slices(fg.sparse.from_dense([[1, 0, 2], [0, 0, 0], [0, 3, 0]]))


def lists(dataset):
    return [x.numpy().tolist() for x in dataset]


def test_windows_of_ragged_rows_hold_ragged_rows():
    (window,) = list(rows().window(3, 1, drop_remainder=True))
    assert [x.to_list() for x in window] == [[[], [0]], [[0], [0, 1]], [[0, 1], [0, 1, 2]]]
    batched = rows().window(2, 1, drop_remainder=True).flat_map(lambda w: w.batch(2))
    assert [x.to_list() for x in batched] == [
        [[[], [0]], [[0], [0, 1]]],
        [[[0], [0, 1]], [[0, 1], [0, 1, 2]]],
    ]


def test_windows_of_sparse_rows_hold_sparse_rows():
    found = [[fg.sparse.to_dense(x).numpy().tolist() for x in w] for w in sparse_rows().window(2)]
    assert found == [[[1, 0, 2], [0, 0, 0]], [[0, 3, 0]]]


def test_windows_of_structures_with_ragged_rows():
    both = D.zip({"n": D.range(3), "rows": rows()})
    assert both.window(2).cardinality() == 2
    first = next(iter(both.window(2)))
    assert lists(first["n"]) == [0, 1]
    assert [x.to_list() for x in first["rows"]] == [[[], [0]], [[0], [0, 1]]]


def test_windows_of_ragged_rows_in_a_function():
    @fg.function
    def total():
        s = fg.constant(0, fg.int64)
        for w in rows().window(2):
            for x in w:
                s += fg.reduce_sum(x.flat_values)
        return s

    assert int(total()) == 5


def test_windows_of_windows():
    nested = D.range(4).window(2).window(2)
    assert [[lists(inner) for inner in outer] for outer in nested] == [[[0, 1], [2, 3]]]


@pytest.mark.parametrize("shape", [[-1], (-1,), [None], np.array([-1])])
def test_padding_to_the_longest_may_be_said_by_minus_one(shape):
    filled = D.range(4).map(lambda x: fg.fill([x], x))
    assert lists(filled.padded_batch(2, shape)) == [[[0], [1]], [[2, 2, 0], [3, 3, 3]]]


@pytest.mark.parametrize(
    "made",
    [
        lambda: D.range(4).batch([2]),
        lambda: D.range(4).take([1, 2]),
        lambda: D.range(4).window([2]),
        lambda: D.range(4).batch(2).group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2),
        lambda: D.range(4).batch(2).bucket_by_sequence_length(lambda x: x, [3], [2, 2]),
    ],
)
def test_counts_and_keys_are_scalars(made):
    with pytest.raises(ValueError, match="expected a scalar"):
        made()


def test_buckets_padded_to_their_boundary_hold_no_longer_elements():
    def padded(count):
        filled = D.range(count).map(lambda x: fg.fill([x], x))
        return filled.bucket_by_sequence_length(
            fg.size, [2, 4], [2, 2, 1], pad_to_bucket_boundary=True
        )

    assert lists(padded(4)) == [[[0], [1]], [[2, 2, 0], [3, 3, 3]]]
    with pytest.raises(fg.errors.InvalidArgumentError, match="shorter than the last boundary"):
        lists(padded(5))
