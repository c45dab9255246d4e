"""What is known of batches of ragged and sparse elements."""

import ferrograph as fg

D = fg.data.Dataset


def test_batches_of_sparse_rows_know_their_width():
    rows = D.from_tensor_slices(fg.sparse.from_dense([[0, 1, 0], [2, 0, 3]]))
    assert rows.element_spec == fg.SparseTensorSpec([3], fg.int32)
    assert rows.batch(2).element_spec == fg.SparseTensorSpec([None, 3], fg.int32)


def test_ragged_batches_are_ragged_up_to_the_last_unknown_size():
    batches = D.range(4).map(lambda n: fg.fill([n, 2], n)).ragged_batch(2, drop_remainder=True)
    assert batches.element_spec == fg.RaggedTensorSpec([2, None, 2], fg.int64, 1)
    assert [batch.flat_values.shape.as_list() for batch in batches] == [[1, 2], [5, 2]]


def test_ragged_rows_of_known_number_are_counted():
    rows = D.from_tensors(fg.ragged.constant([[1, 2], [], [3]])).unbatch()
    assert int(rows.cardinality()) == 3
    assert [row.numpy().tolist() for row in rows] == [[1, 2], [], [3]]
