"""Ragged and sparse elements."""

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset


def dense(sparse):
    return fg.sparse.to_dense(sparse).numpy().tolist()


@pytest.mark.parametrize(
    "rows", [[[1, 2], [], [3]], [[[1], [2, 3]], [], [[4]]], [[["a"], []], [["b", "c"]]]]
)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_rows_of_a_ragged_tensor_and_batches_of_them(rows, size):
    whole = fg.ragged.constant(rows)
    plain = whole.to_list()
    dataset = D.from_tensor_slices(whole)
    assert [as_list(row) for row in dataset] == plain
    batches = dataset.ragged_batch(size)
    expected = [plain[i : i + size] for i in range(0, len(plain), size)]
    assert [batch.to_list() for batch in batches] == expected
    assert [as_list(row) for row in batches.unbatch()] == plain
    assert batches.element_spec.ragged_rank == whole.ragged_rank


def as_list(row):
    return row.to_list() if isinstance(row, fg.RaggedTensor) else row.numpy().tolist()


def test_a_ragged_batch_of_tensors():
    vectors = D.range(4).map(fg.range).ragged_batch(3, drop_remainder=True)
    assert [b.to_list() for b in vectors] == [[[], [0], [0, 1]]]
    matrices = D.range(1, 3).map(lambda n: fg.fill([n, n + 1], n)).ragged_batch(2)
    assert next(iter(matrices)).to_list() == [[[1, 1]], [[2, 2, 2], [2, 2, 2]]]
    scalars = D.range(3).ragged_batch(2)
    assert [b.numpy().tolist() for b in scalars] == [[0, 1], [2]]
    splits = D.range(2).map(fg.range).ragged_batch(2, row_splits_dtype=fg.int32)
    assert next(iter(splits)).row_splits.dtype == fg.int32


def test_a_batch_of_ragged_elements_beside_tensors():
    rows = {"r": fg.ragged.constant([[1, 2], [], [3]]), "x": np.arange(3)}
    first, second = D.from_tensor_slices(rows).ragged_batch(2)
    assert first["r"].to_list() == [[1, 2], []] and first["x"].numpy().tolist() == [0, 1]
    assert second["r"].to_list() == [[3]] and second["x"].numpy().tolist() == [2]


def test_rows_of_a_sparse_tensor_and_batches_of_them():
    rows = [[1, 0, 2], [0, 0, 0], [0, 5, 0]]
    dataset = D.from_tensor_slices(fg.sparse.from_dense(rows))
    assert [dense(row) for row in dataset] == rows
    assert [dense(batch) for batch in dataset.batch(2)] == [rows[:2], rows[2:]]
    assert [dense(row) for row in dataset.batch(3).unbatch()] == rows


def test_composite_elements_in_functions():
    dataset = D.from_tensor_slices(fg.ragged.constant([[1, 2], [], [3]])).ragged_batch(2)

    @fg.function
    def total(dataset):
        s = 0
        for batch in dataset.map(lambda r: r * 2):
            s += fg.reduce_sum(batch)
        return s

    assert int(total(dataset)) == 12
    generated = D.from_generator(
        lambda: iter([fg.ragged.constant([[1], [2, 3]])]),
        output_signature=fg.RaggedTensorSpec([None, None], fg.int32),
    )
    assert next(iter(generated)).to_list() == [[1], [2, 3]]


# Rows of one ragged axis are tensors of their own lengths; together they are ragged again.
THROUGH = {
    "alone": lambda d: d,
    "batched before": lambda d: d.batch(3).unbatch(),
    "filtered": lambda d: d.filter(lambda x: fg.size(x) >= 0),
    "cached": lambda d: d.cache(),
    "read ahead": lambda d: d.prefetch(2),
    "shuffled": lambda d: d.shuffle(1),
    "chosen": lambda d: D.choose_from_datasets([d, d], D.range(1).repeat(3)),
    "joined": lambda d: d.take(1).concatenate(d.skip(1)),
}


@pytest.mark.parametrize("through", THROUGH)
def test_rows_of_one_ragged_axis_stay_ragged(through):
    rows = [[1], [2, 3], []]
    dataset = THROUGH[through](D.from_tensor_slices(fg.ragged.constant(rows)))
    assert dataset.element_spec == fg.RaggedTensorSpec([None], fg.int32, 0)
    assert [b.to_list() for b in dataset.batch(2)] == [rows[:2], rows[2:]]
    assert [b.to_list() for b in dataset.batch(2, drop_remainder=True)] == [rows[:2]]
    assert [b.to_list() for b in dataset.batch(1).batch(2)] == [[rows[:1], rows[1:2]], [rows[2:]]]


def test_rows_of_one_ragged_axis_beside_others():
    rows = fg.ragged.constant([["a"], ["b", "c"], []])
    first, second = D.zip((D.from_tensor_slices(rows), D.range(3))).batch(2)
    assert first[0].to_list() == [[b"a"], [b"b", b"c"]] and first[1].numpy().tolist() == [0, 1]
    assert second[0].to_list() == [[]] and second[1].numpy().tolist() == [2]
    uniform = fg.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
    (batch,) = D.from_tensor_slices(uniform).batch(2)
    assert batch.shape.as_list() == [2, None, 2] and batch.to_list() == uniform.to_list()


def test_rows_of_one_ragged_axis_are_tensors_to_functions():
    dataset = D.from_tensor_slices(fg.ragged.constant([[1], [2, 3], []]))
    assert [x.numpy().tolist() for x in dataset.map(fg.size)] == [1, 2, 0]
    assert [x.numpy().tolist() for x in dataset.padded_batch(2)] == [[[1, 0], [2, 3]], [[]]]
    # What a function gives is a tensor.
    with pytest.raises(fg.errors.InvalidArgumentError, match="different shapes"):
        list(dataset.map(lambda x: x + 1).batch(2))

    @fg.function
    def total(dataset):
        s = 0
        for row in dataset:
            s += fg.reduce_sum(row)
        for batch in dataset.batch(2):
            s += 10 * fg.size(batch.to_tensor())
        return s

    assert int(total(dataset)) == 6 + 40
