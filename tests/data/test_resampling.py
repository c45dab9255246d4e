"""Resampling, sparse batches, reducers, tables and features of datasets, eagerly and in functions.

Values are those that tensorflow 2.21 gives for the same programs, but for what is drawn.
"""

import collections

import ferrograph as fg
import pytest

MODES = pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])
LINES = [(), (0,), (0, 1)]


def lines():
    return fg.data.Dataset.range(3).map(lambda n: fg.range(n))


def parts(sparse):
    return [t.numpy().tolist() for t in (sparse.indices, sparse.values, sparse.dense_shape)]


@pytest.mark.parametrize(("width", "first"), [(4, 4), (None, 1)])
def test_tensors_become_rows_of_a_sparse_tensor(width, first):
    dataset = lines().sparse_batch(2, [width])
    assert dataset.element_spec == fg.SparseTensorSpec([None, width], fg.int64)
    assert [parts(batch) for batch in dataset] == [
        [[[1, 0]], [0], [2, first]],
        [[[0, 0], [0, 1]], [0, 1], [1, width or 2]],
    ]


def test_scalars_and_matrices_become_rows_too():
    assert [parts(b) for b in fg.data.Dataset.range(3).sparse_batch(2, [])] == [
        [[[0], [1]], [0, 1], [2]],
        [[[0]], [2], [1]],
    ]
    whole = fg.data.Dataset.from_tensors(fg.constant([[1, 2], [3, 4]])).sparse_batch(2, [3, 3])
    assert [b.dense_shape.numpy().tolist() for b in whole] == [[1, 3, 3]]


@MODES
def test_sparse_batches_in_functions(run):
    @run
    def total(dataset):
        found = fg.constant(0, fg.int64)
        for batch in dataset:
            found += fg.sparse.reduce_sum(batch)
        return found

    assert int(total(lines().sparse_batch(2, [3]))) == 1


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(fg.errors.InvalidArgumentError, match="larger than row_shape"):
        list(lines().sparse_batch(3, [1]))
    with pytest.raises(ValueError, match="rank"):
        lines().sparse_batch(3, [1, 2])
    with pytest.raises(TypeError, match="single tensors"):
        fg.data.Dataset.from_tensors((1, 2)).sparse_batch(2, [1])


@pytest.mark.parametrize("initial", [None, [0.75, 0.25]])
def test_classes_are_as_frequent_as_is_asked_for(initial):
    numbers = fg.data.Dataset.range(4000)
    dataset = numbers.rejection_resample(
        lambda x: fg.cast(x % 4 == 0, fg.int32), [0.2, 0.8], initial, seed=3
    )
    counts = collections.Counter(int(kind) for kind, _ in dataset)
    assert counts[1] >= 990
    assert 0.75 < counts[1] / (counts[0] + counts[1]) < 0.85
    assert all(int(kind) == (int(x) % 4 == 0) for kind, x in dataset.take(50))


def test_what_resampling_gives():
    pairs = fg.data.Dataset.range(4).map(lambda x: (x, 2.0))
    chosen = pairs.rejection_resample(lambda x, y: x % 2, [0.0, 1.0], [0.5, 0.5])
    scalar = fg.TensorSpec([], fg.int64)
    assert chosen.element_spec == (scalar, (scalar, fg.TensorSpec([], fg.float32)))
    assert [int(x) for _, (x, _) in chosen] == [1, 3]
    with pytest.raises(TypeError, match="integer scalar"):
        pairs.rejection_resample(lambda x, y: y, [0.5, 0.5])


@MODES
def test_elements_of_a_key_are_reduced(run):
    reducer = fg.data.experimental.Reducer(
        lambda key: (fg.constant(0, fg.int64), key),
        lambda state, x: (state[0] + x, state[1]),
        lambda total, key: fg.stack([key, total]),
    )
    group = fg.data.experimental.group_by_reducer(lambda x: 5 - x % 3, reducer)

    @run
    def rows():
        found = fg.zeros([0, 2], fg.int64)
        for row in fg.data.Dataset.range(10).apply(group):
            fg.autograph.experimental.set_loop_options(
                shape_invariants=[(found, fg.TensorShape([None, 2]))]
            )
            found = fg.concat([found, [row]], 0)
        return found

    assert rows().numpy().tolist() == [[3, 15], [4, 12], [5, 18]]


@pytest.mark.parametrize(("buckets", "other"), [(0, -1), (1, 2)])
def test_tables_of_datasets(buckets, other):
    words = fg.data.Dataset.from_tensor_slices(["x", "y"])
    table = fg.data.experimental.index_table_from_dataset(words, buckets)
    assert table.lookup(fg.constant(["y", "9"])).numpy().tolist() == [1, other]
    pairs = fg.data.Dataset.range(3).map(lambda n: (fg.strings.as_string(n), n))
    table = fg.data.experimental.table_from_dataset(pairs, buckets, 2, default_value=-1)
    assert table.lookup(fg.constant(["1", "2"])).numpy().tolist() == [1, other]
    assert int(table.size()) == 2 + buckets


def test_a_table_of_no_pairs():
    nothing = fg.data.Dataset.from_tensor_slices(["x"]).take(0)
    assert int(fg.data.experimental.index_table_from_dataset(nothing).size()) == 0
    for dataset in (None, fg.data.Dataset.range(3)):
        with pytest.raises(ValueError, match="keys and values"):
            fg.data.experimental.table_from_dataset(dataset)


@pytest.fixture
def examples(tmp_path):
    for part in range(2):
        with fg.io.TFRecordWriter(str(tmp_path / f"part-{part}")) as writer:
            for i in range(3):
                example = fg.train.Example()
                example.features.feature["n"].int64_list.value.append(3 * part + i)
                example.features.feature["even"].int64_list.value.append(i % 2)
                writer.write(example.SerializeToString())
    return str(tmp_path / "part-*")


def test_features_of_examples_in_files(examples):
    wanted = {name: fg.io.FixedLenFeature([], fg.int64) for name in ("n", "even")}
    make = fg.data.experimental.make_batched_features_dataset
    batches = make(examples, 2, wanted, label_key="even", num_epochs=1, shuffle=False)
    assert [(b["n"].numpy().tolist(), even.numpy().tolist()) for b, even in batches] == [
        ([0, 1], [0, 1]),
        ([2, 3], [0, 0]),
        ([4, 5], [1, 0]),
    ]
    shuffled = make(examples, 4, wanted, num_epochs=2, shuffle_seed=1, reader_num_threads=2)
    seen = [int(n) for batch in shuffled for n in batch["n"]]
    assert sorted(seen) == sorted(2 * list(range(6)))
    assert len(list(make(examples, 4, wanted, num_epochs=1, drop_final_batch=True))) == 1
    with pytest.raises(ValueError, match="label_key"):
        make(examples, 2, wanted, label_key="odd")
