"""Hash tables against what was recorded from tensorflow 2.21, eagerly and traced."""

import copy
import gc
import pickle
import threading
import weakref

import ferrograph as fg
import numpy as np
import pytest

LINE, NUMBER = fg.lookup.TextFileIndex.WHOLE_LINE, fg.lookup.TextFileIndex.LINE_NUMBER
MODES = pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])


def ids(*values):
    return fg.constant(values, fg.int64)


def static(keys, values, default):
    keys, values = fg.convert_to_tensor(keys), fg.convert_to_tensor(values)
    return fg.lookup.StaticHashTable(fg.lookup.KeyValueTensorInitializer(keys, values), default)


def words():
    return fg.lookup.experimental.MutableHashTable(fg.string, fg.int64, default_value=-1)


def numbers(**kwargs):
    return fg.lookup.experimental.DenseHashTable(
        fg.int64, fg.int64, default_value=-7, empty_key=0, deleted_key=-1, **kwargs
    )


@MODES
def test_lookups_take_the_form_of_their_keys(run):
    table = static(["a", "b"], [1, 2], -1)

    def look():
        dense = table.lookup(fg.constant([["b", "?"]]))
        sparse = table.lookup(fg.sparse.from_dense(["a", "", "z"]))
        ragged = table[fg.ragged.constant([["a"], ["b", "z"], []])]
        return dense, sparse.values, ragged, table.size(), table[fg.constant("a")]

    dense, sparse, ragged, size, one = run(look)()
    assert dense.numpy().tolist() == [[2, -1]]
    assert sparse.numpy().tolist() == [1, -1]
    assert ragged.to_list() == [[1], [2, -1], []]
    assert (int(size), int(one)) == (2, 1)


def test_a_static_table_says_what_it_is():
    table = static(["a", "b"], [1, 2], -1)
    assert (table.key_dtype, table.value_dtype) == (fg.string, fg.int32)
    assert int(table.default_value) == -1
    assert (table.resource_handle.dtype, table.resource_handle.shape) == (fg.resource, [])
    keys, values = table.export()
    assert dict(zip(keys.numpy(), values.numpy(), strict=True)) == {b"a": 1, b"b": 2}


@MODES
def test_what_a_static_table_refuses(run):
    table = static(["a"], [1], 0)
    with pytest.raises(TypeError, match="string"):
        run(lambda: table.lookup(ids(1)))()
    with pytest.raises(fg.errors.FailedPreconditionError, match="a has 1 and shall get 2"):
        run(lambda: static(["a", "a"], [1, 2], 0).size())()
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"shape \[2\], got \[1\]"):
        run(lambda: static(["a", "b"], [1], 0).size())()
    with pytest.raises(TypeError, match="int32"):
        run(lambda: static(["a"], [1], 1.5).size())()
    with pytest.raises(ValueError, match="scalar"):
        run(lambda: static(["a"], [1], [1, 2]).size())()
    with pytest.raises(fg.errors.InvalidArgumentError, match="float32"):
        run(lambda: static([1.0], [1], 0).size())()


def test_a_pipeline_looks_up():
    table = static(["a", "b"], [1.0, 2.0], 0.0)
    dataset = fg.data.Dataset.from_tensor_slices(["b", "c", "a"])
    assert [float(x) for x in dataset.map(table.lookup)] == [2.0, 0.0, 1.0]
    assert [float(x) for x in dataset.map(lambda word: table[word] + 1)] == [3.0, 1.0, 2.0]


def test_a_table_made_while_tracing_outlives_the_trace():
    class Model(fg.Module):
        table = None

        @fg.function
        def __call__(self, keys):
            if self.table is None:
                self.table = static(["a"], [5], 0)
            return self.table.lookup(keys)

    model = Model()
    assert model(fg.constant(["a", "b"])).numpy().tolist() == [5, 0]
    assert model.table.lookup(fg.constant(["a"])).numpy().tolist() == [5]
    assert model(fg.constant([["a"]])).numpy().tolist() == [[5]]


def test_a_table_of_arguments_is_filled_by_the_graph():
    @fg.function
    def f(keys):
        return static(keys, ids(3, 4), -1).lookup(fg.constant(["b"]))

    assert f(fg.constant(["a", "b"])).numpy().tolist() == [4]
    assert f(fg.constant(["a", "b"])).numpy().tolist() == [4]
    with pytest.raises(fg.errors.FailedPreconditionError, match="different data"):
        f(fg.constant(["a", "c"]))


def file_of(folder, text):
    path = folder / "lines.txt"
    path.write_bytes(text)
    return path


def from_file(path, key_dtype, key, value_dtype, value, default, **kwargs):
    init = fg.lookup.TextFileInitializer(path, key_dtype, key, value_dtype, value, **kwargs)
    return fg.lookup.StaticHashTable(init, default)


@MODES
def test_vocabularies_in_files(run, tmp_path):
    path = file_of(tmp_path, b"the\r\nquick\nfox")

    def look():
        there = from_file(path, fg.string, LINE, fg.int64, NUMBER, -1)
        back = from_file(str(path), fg.int64, NUMBER, fg.string, LINE, "?")
        return there.lookup(fg.constant(["fox", "dog"])), back.lookup(ids(1, 7)), there.size()

    there, back, size = run(look)()
    assert there.numpy().tolist() == [2, -1]
    assert back.numpy().tolist() == [b"quick", b"?"]
    assert int(size) == 3
    offset = from_file(path, fg.string, LINE, fg.int64, NUMBER, -1, value_index_offset=3)
    assert int(offset[fg.constant("the")]) == 3
    two = from_file(path, fg.string, LINE, fg.int64, NUMBER, -1, vocab_size=2)
    assert int(two.size()) == 2


def test_columns_of_files(tmp_path):
    path = file_of(tmp_path, b"one 1 0.5\ntwo 2 -3\n")
    for dtype, column, expected in (
        (fg.int32, 1, 2),
        (fg.int64, 1, 2),
        (fg.float32, 2, -3.0),
        (fg.float64, 2, -3.0),
    ):
        table = from_file(path, fg.string, 0, dtype, column, 0, delimiter=" ")
        assert table[fg.constant("two")].numpy() == expected
    back = from_file(path, fg.int64, 1, fg.string, 0, "", delimiter=" ")
    assert back[ids(1, 3)].numpy().tolist() == [b"one", b""]


@pytest.mark.parametrize(
    ("text", "error", "match", "kwargs"),
    [
        (b"a\na\n", "FailedPreconditionError", "a has 0 and shall get 1", {}),
        (b"a\n\nb\n", "InvalidArgumentError", "empty line found at position 3", {}),
        (b"a\nb\n", "InvalidArgumentError", "expected 5 but got 2", {"vocab_size": 5}),
        (b"a\nb\n", "InvalidArgumentError", "only 1 char", {"delimiter": "::"}),
        (b"", "OutOfRangeError", "no lines", {}),
        (None, "NotFoundError", "lines.txt; No such file", {}),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, text, error, match, kwargs):
    path = tmp_path / "lines.txt" if text is None else file_of(tmp_path, text)
    with pytest.raises(getattr(fg.errors, error), match=match):
        from_file(path, fg.string, LINE, fg.int64, NUMBER, -1, **kwargs)


def test_what_no_line_can_be():
    with pytest.raises(ValueError, match="int64"):
        from_file("x", fg.string, LINE, fg.int32, NUMBER, -1)
    with pytest.raises(ValueError, match="integer or string"):
        from_file("x", fg.float32, LINE, fg.int64, NUMBER, -1)
    with pytest.raises(ValueError, match=">= -2"):
        from_file("x", fg.string, -3, fg.int64, NUMBER, -1)
    with pytest.raises(ValueError, match="> 0"):
        from_file("x", fg.string, LINE, fg.int64, NUMBER, -1, vocab_size=0)
    with pytest.raises(ValueError, match="empty"):
        from_file("", fg.string, LINE, fg.int64, NUMBER, -1)


@MODES
def test_words_outside_a_vocabulary_have_the_recorded_buckets(run):
    init = fg.lookup.KeyValueTensorInitializer(["a", "b"], ids(0, 1))
    table = fg.lookup.StaticVocabularyTable(init, 4)
    texts = fg.constant(["a", "x", "y", "z", "hello", "", "w0", "w1", "w2", "w3", "é", "日本"])
    found, size = run(lambda: (table.lookup(texts), table.size()))()
    assert found.numpy().tolist() == [0, 4, 3, 3, 2, 5, 4, 5, 2, 5, 3, 5]
    assert int(size) == 6
    ragged = table.lookup(fg.ragged.constant([["a"], ["b", "z"]]))
    assert ragged.to_list() == [[0], [1, 3]]


def test_numbers_outside_a_vocabulary_are_hashed_by_their_digits():
    init = fg.lookup.KeyValueTensorInitializer(ids(10, 20), ids(0, 1))
    table = fg.lookup.StaticVocabularyTable(init, 5)
    assert table[ids(10, 20, 30, -5)].numpy().tolist() == [0, 1, 5, 3]
    narrow = fg.lookup.StaticVocabularyTable(init, 5, lookup_key_dtype=fg.int32)
    assert narrow[fg.constant([10, 20, 30, -5])].numpy().tolist() == [0, 1, 5, 3]
    buckets = fg.lookup.StaticVocabularyTable(None, 5)
    assert buckets[fg.constant(["a", "b", "c"])].numpy().tolist() == [4, 2, 2]
    assert int(buckets.size()) == 5


def test_what_a_vocabulary_refuses():
    def vocabulary(keys, values, buckets=2, **kwargs):
        init = fg.lookup.KeyValueTensorInitializer(keys, values)
        return fg.lookup.StaticVocabularyTable(init, buckets, **kwargs)

    with pytest.raises(ValueError, match="StaticHashTable"):
        vocabulary(["a"], ids(0), 0)
    with pytest.raises(TypeError, match="value_dtype"):
        vocabulary(["a"], [0])
    with pytest.raises(TypeError, match="key_dtype"):
        vocabulary([1.0], ids(0))
    with pytest.raises(TypeError, match="expected integer"):
        vocabulary(["a"], ids(0), lookup_key_dtype=fg.int64)
    with pytest.raises(TypeError, match="string"):
        vocabulary(["a"], ids(0)).lookup(ids(1))


@MODES
def test_mutable_tables_insert_overwrite_and_remove(run):
    table = words()

    def change():
        table.insert(["a", "b"], [1, 2])
        table.insert(fg.constant(["b", "c", "c"]), ids(20, 30, 31))
        before = table.lookup(["a", "b", "c", "d"])
        table.remove(fg.constant(["a", "zzz"]))
        return before, table.size(), table["c"], table.lookup([["a", "b"]])

    before, size, one, after = run(change)()
    assert before.numpy().tolist() == [1, 20, 31, -1]
    assert (int(size), int(one)) == (2, 31)
    assert after.numpy().tolist() == [[-1, 20]]


@MODES
def test_effects_keep_their_order_in_loops_and_branches(run):
    table = words()

    @run
    def count(texts):
        for text in texts:
            if table.lookup(text) < 0:
                table.insert(text, fg.constant(1, fg.int64))
            else:
                table.insert(text, table.lookup(text) + 1)
        return table.size()

    assert int(count(fg.constant(["to", "be", "or", "not", "to", "be"]))) == 4
    assert table.lookup(["to", "or", "that"]).numpy().tolist() == [2, 1, -1]
    assert int(count(fg.constant(["to", "that"]))) == 5
    assert int(table["to"]) == 3


@MODES
def test_defaults_of_the_moment(run):
    table = words()
    table.insert(["a"], [1])
    each = run(lambda: table.lookup(["a", "z"], dynamic_default_values=ids(7, 8)))()
    one = run(lambda: table.lookup([["y", "z"]], dynamic_default_values=9))()
    assert (each.numpy().tolist(), one.numpy().tolist()) == ([1, 8], [[9, 9]])
    with pytest.raises(fg.errors.InvalidArgumentError, match="shape"):
        run(lambda: table.lookup(["y", "z"], dynamic_default_values=ids(1, 2, 3)))()


@MODES
def test_tables_of_vectors(run):
    table = fg.lookup.experimental.MutableHashTable(fg.int64, fg.float32, [0.0, -1.0])

    def fill():
        table.insert([1, 2], [[1.0, 1.5], [2.0, 2.5]])
        return table.lookup([[2, 9]]), table.export(), table.lookup(fg.zeros([0], fg.int64))

    found, (keys, values), none = run(fill)()
    assert found.numpy().tolist() == [[[2.0, 2.5], [0.0, -1.0]]]
    order = np.argsort(keys.numpy())
    assert values.numpy()[order].tolist() == [[1.0, 1.5], [2.0, 2.5]]
    assert none.shape == (0, 2)
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"\[1,2\], got \[1,3\]"):
        run(lambda: table.insert([1], [[1.0, 2.0, 3.0]]))()
    with pytest.raises(fg.errors.InvalidArgumentError, match="vector"):
        fg.lookup.experimental.MutableHashTable(fg.int64, fg.float32, [[0.0]])


@MODES
def test_what_mutable_tables_refuse(run):
    table = words()
    with pytest.raises(ValueError, match="string"):
        run(lambda: table.lookup(ids(1)))()
    with pytest.raises(TypeError, match="string"):
        run(lambda: table.lookup([1]))()
    with pytest.raises(ValueError, match="int64"):
        run(lambda: table.insert(["a"], fg.constant([1])))()
    with pytest.raises(TypeError, match="string"):
        run(lambda: table.remove(ids(1)))()
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"shape \[2\], got \[1\]"):
        run(lambda: table.insert(["a", "b"], [1]))()
    assert int(table.size()) == 0


@MODES
def test_dense_tables_have_reserved_keys(run):
    table = numbers()

    def change():
        table.insert(ids(5, 6), ids(50, 60))
        table.erase(ids(5, 77))
        table.insert_or_assign([8], [80])
        return table.lookup(ids(5, 6, 7)), table.size()

    found, size = run(change)()
    assert (found.numpy().tolist(), int(size)) == ([-7, 60, -7], 2)
    for key in (0, -1):
        for use in (table.lookup, table.remove, lambda key: table.insert(key, key)):
            with pytest.raises(fg.errors.InvalidArgumentError, match="_key as a table key"):
                run(use)(ids(key))
    keys, values = table.export()
    assert (keys.shape, values.shape) == ((2, 1), (2, 1))


def test_dense_tables_grow_and_take_vectors_for_keys():
    table = numbers(initial_num_buckets=4)
    table.insert(fg.range(1, 100, dtype=fg.int64), fg.range(1, 100, dtype=fg.int64))
    assert (int(table.size()), int(table[ids(99)][0])) == (99, 99)
    pairs = fg.lookup.experimental.DenseHashTable(
        fg.int64, fg.string, "?", empty_key=[0, 0], deleted_key=[-1, -1]
    )
    pairs.insert([[1, 2], [3, 4]], ["a", "b"])
    assert pairs.lookup([[3, 4], [9, 9]]).numpy().tolist() == [b"b", b"?"]
    for buckets in (0, 3, -2):
        with pytest.raises(fg.errors.InvalidArgumentError, match="power of 2"):
            numbers(initial_num_buckets=buckets)
    with pytest.raises(fg.errors.InvalidArgumentError, match="equal"):
        fg.lookup.experimental.DenseHashTable(fg.int64, fg.int64, 0, 3, 3)


def test_no_gradient_flows_through_a_table():
    table = fg.lookup.experimental.MutableHashTable(fg.int64, fg.float32, 0.0)
    x = fg.Variable([1.0, 2.0])
    with fg.GradientTape() as tape:
        table.insert(ids(1, 2), x * 2)
        y = table.lookup(ids(1, 2))
    assert tape.gradient(y, x) is None
    assert y.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_have_contents_of_their_own(copied):
    vectors = fg.lookup.experimental.MutableHashTable(fg.string, fg.float32, [0.0, 1.0])
    vectors.insert(["a"], [[5.0, 6.0]])
    for table, key in ((words(), "a"), (numbers(), 5)):
        table.insert([key], [3])
        other = copied(table)
        other.insert([key], [4])
        assert (int(table[[key]][0]), int(other[[key]][0])) == (3, 4)
    assert copied(vectors)["a"].numpy().tolist() == [5.0, 6.0]
    assert int(copied(static(["a"], [7], 0))[fg.constant("a")]) == 7


def test_functions_keep_tables_alive_and_drop_them():
    table = words()
    table.insert(["a"], [1])
    f = (lambda table: fg.function(lambda key: table.lookup(key)))(table)
    alive = weakref.ref(table)
    del table
    gc.collect()
    assert int(f(fg.constant("a"))) == 1
    del f
    gc.collect()
    assert alive() is None


def test_threads_insert_side_by_side():
    table = fg.lookup.experimental.MutableHashTable(fg.int64, fg.int64, -1)
    insert = fg.function(lambda keys: table.insert(keys, keys * 2), reduce_retracing=True)

    def work(k):
        for i in range(20):
            start = (k * 20 + i) * 50
            insert(fg.range(start, start + 50, dtype=fg.int64))
            assert int(table.lookup(ids(start))[0]) == 2 * start

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(table.size()) == 4000
    keys = fg.range(4000, dtype=fg.int64)
    assert table.lookup(keys).numpy().tolist() == (keys * 2).numpy().tolist()
