"""Datasets give what Python gives, run eagerly and built and iterated inside a function."""

import itertools
from collections import namedtuple

import ferrograph as fg
import numpy as np
import pytest

D = fg.data.Dataset


def staged(build):
    """The numbers of a dataset built and iterated in a function, as a list."""

    @fg.function
    def run():
        found = fg.TensorArray(fg.int64, size=0, dynamic_size=True)
        for i, x in enumerate(build()):
            found = found.write(fg.cast(i, fg.int32), x)
        return found.stack()

    return run().numpy().tolist()


def outside(build):
    """The numbers of a dataset that a function only iterates."""

    @fg.function
    def run(dataset):
        return dataset.reduce(
            fg.zeros([0], fg.int64), lambda all, x: fg.concat([all, fg.expand_dims(x, 0)], 0)
        )

    return run(build()).numpy().tolist()


PIPELINES = {
    "range": (lambda: D.range(2, 9, 3), [2, 5, 8]),
    "downwards": (lambda: D.range(3, 0, -1), [3, 2, 1]),
    "map": (lambda: D.range(4).map(lambda x: x * x), [0, 1, 4, 9]),
    "map_parallel": (
        lambda: D.range(4).map(lambda x: x + 1, num_parallel_calls=fg.data.AUTOTUNE),
        [1, 2, 3, 4],
    ),
    "map_pairs": (
        lambda: D.zip((D.range(3), D.range(10, 13))).map(lambda a, b: a * b),
        [0, 11, 24],
    ),
    "filter": (lambda: D.range(10).filter(lambda x: x % 3 == 0), [0, 3, 6, 9]),
    "take_while": (lambda: D.range(10).take_while(lambda x: x < 3), [0, 1, 2]),
    "take": (lambda: D.range(10).take(2), [0, 1]),
    "take_all": (lambda: D.range(3).take(-1), [0, 1, 2]),
    "skip": (lambda: D.range(5).skip(3), [3, 4]),
    "repeat": (lambda: D.range(2).repeat(2), [0, 1, 0, 1]),
    "endless": (lambda: D.range(2).repeat().take(5), [0, 1, 0, 1, 0]),
    "shard": (lambda: D.range(7).shard(3, 1), [1, 4]),
    "concatenate": (lambda: D.range(2).concatenate(D.range(5, 7)), [0, 1, 5, 6]),
    "flat_map": (lambda: D.range(4).flat_map(D.range), [0, 0, 1, 0, 1, 2]),
    "interleave": (
        lambda: D.range(1, 4).interleave(
            lambda x: D.from_tensors(x).repeat(2), cycle_length=2, block_length=1
        ),
        [1, 2, 1, 2, 3, 3],
    ),
    "scan": (lambda: D.range(5).scan(np.int64(0), lambda s, x: (s + x, s + x)), [0, 1, 3, 6, 10]),
    "unique": (lambda: D.range(6).map(lambda x: x % 3).unique(), [0, 1, 2]),
    "unbatch": (lambda: D.range(5).batch(2).unbatch(), [0, 1, 2, 3, 4]),
    "batched_sums": (lambda: D.range(5).batch(2).map(lambda x: fg.reduce_sum(x)), [1, 5, 4]),
    "rebatch": (lambda: D.range(5).batch(2).rebatch(3).map(lambda x: fg.size(x, fg.int64)), [3, 2]),
    "window": (
        lambda: D.range(5).window(2, 1, drop_remainder=True).flat_map(lambda w: w.skip(1)),
        [1, 2, 3, 4],
    ),
    "cache": (lambda: D.range(3).cache().repeat(2), [0, 1, 2, 0, 1, 2]),
    "prefetch": (lambda: D.range(3).prefetch(fg.data.AUTOTUNE), [0, 1, 2]),
    "enumerate": (
        lambda: D.from_tensor_slices(["a", "b"]).enumerate(5).map(lambda i, s: i),
        [5, 6],
    ),
    "counter": (lambda: D.counter(3, 2).take(3), [3, 5, 7]),
    "choose": (
        lambda: D.choose_from_datasets(
            [D.range(3), D.range(10, 13)], D.from_tensor_slices(fg.constant([1, 0, 0], fg.int64))
        ),
        [10, 0, 1],
    ),
    "group_by_window": (
        lambda: (
            D.range(5)
            .group_by_window(lambda x: x % 2, lambda _, group: group.batch(2), window_size=2)
            .unbatch()
        ),
        [0, 2, 1, 3, 4],
    ),
    "apply": (lambda: D.range(4).apply(lambda d: d.skip(2)), [2, 3]),
    "ignore_errors": (
        lambda: D.range(4).map(lambda x: 12 // x).ignore_errors(),
        [12, 6, 4],
    ),
    "shuffle_of_one": (lambda: D.range(4).shuffle(1), [0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_elements(name):
    build, expected = PIPELINES[name]
    assert [int(x) for x in build()] == expected
    assert staged(build) == expected
    assert outside(build) == expected


@pytest.mark.parametrize("name", PIPELINES)
def test_the_cardinality_is_right_where_it_is_known(name):
    build, expected = PIPELINES[name]
    count = int(build().cardinality())
    assert count in (len(expected), fg.data.UNKNOWN_CARDINALITY)
    if count >= 0:
        assert len(build()) == count


def test_what_is_counted_to_the_largest_number_has_no_end():
    largest = fg.int64.max
    for endless in (
        D.range(largest),
        D.range(7, largest),
        D.range(3).repeat().enumerate(),
        D.zip((D.range(largest), D.range(3).repeat())),
    ):
        assert int(endless.cardinality()) == fg.data.INFINITE_CARDINALITY
    assert int(D.range(3).enumerate().cardinality()) == 3


@pytest.mark.parametrize("name", PIPELINES)
def test_a_dataset_can_be_iterated_again(name):
    dataset, expected = PIPELINES[name][0](), PIPELINES[name][1]
    assert [int(x) for x in dataset] == [int(x) for x in dataset] == expected


Point = namedtuple("Point", ["x", "y"])


def test_structures_keep_their_classes():
    element = {"b": Point([1, 2], [3.0, 4.0]), "a": (["u", "v"],)}
    dataset = D.from_tensor_slices(element).map(lambda e: e)
    first = next(iter(dataset))
    assert list(first) == ["b", "a"] and type(first["b"]) is Point and type(first["a"]) is tuple
    assert first["b"].y.numpy() == 3.0 and first["a"][0].numpy() == b"u"
    assert dataset.element_spec["b"].x == fg.TensorSpec([], fg.int32)


def test_lists_are_values_and_none_stays():
    dataset = D.range(2).map(lambda x: ({"n": None, "l": [x, x]}, [1, 2]))
    first = next(iter(dataset))
    assert first[0]["n"] is None
    assert first[0]["l"].numpy().tolist() == [0, 0] and first[1].numpy().tolist() == [1, 2]


def test_batches_of_structures():
    dataset = D.from_tensor_slices({"x": np.arange(6).reshape(3, 2), "s": ["a", "b", "c"]})
    batches = list(dataset.batch(2).as_numpy_iterator())
    assert batches[0]["x"].tolist() == [[0, 1], [2, 3]] and batches[1]["s"].tolist() == [b"c"]
    assert dataset.batch(2, drop_remainder=True).element_spec["x"].shape == [2, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("drop", [False, True])
def test_windows(size, shift, stride, drop):
    found = [[int(x) for x in w] for w in D.range(7).window(size, shift, stride, drop)]
    expected = []
    for begin in range(0, 7, shift):
        window = list(range(begin, 7, stride))[:size]
        if not drop or begin + (size - 1) * stride < 7:
            expected.append(window)
    assert found == expected


@pytest.mark.parametrize("lengths", [[3, 1, 2, 5], [0, 2], [4]])
def test_padded_batches(lengths):
    def rows():
        for n in lengths:
            yield np.arange(1, n + 1), [b"s"] * n

    signature = (fg.TensorSpec([None], fg.int64), fg.TensorSpec([None], fg.string))
    dataset = D.from_generator(rows, output_signature=signature)
    padded = list(dataset.padded_batch(2, padding_values=(fg.constant(-1, fg.int64), "")))
    assert len(padded) == (len(lengths) + 1) // 2
    pairs = [lengths[i : i + 2] for i in range(0, len(lengths), 2)]
    for (numbers, words), pair in zip(padded, pairs, strict=True):
        width = max(pair)
        assert numbers.numpy().tolist() == [[*range(1, n + 1), *[-1] * (width - n)] for n in pair]
        assert words.numpy().tolist() == [[b"s"] * n + [b""] * (width - n) for n in pair]


def test_interleave_against_a_model():
    for cycle, block in itertools.product([1, 2, 3, 5], [1, 2]):
        dataset = D.range(4).interleave(
            lambda x: D.range(x * 10, x * 10 + x + 1), cycle_length=cycle, block_length=block
        )
        assert [int(x) for x in dataset] == interleaved(cycle, block)


def interleaved(cycle, block):
    sources = iter([iter(range(x * 10, x * 10 + x + 1)) for x in range(4)])
    slots, found, place, left = [None] * cycle, [], 0, True
    while left or any(s is not None for s in slots):
        if slots[place] is None:
            slots[place] = next(sources, None) if left else None
            left = left and slots[place] is not None
            if slots[place] is None:
                place = (place + 1) % cycle
            continue
        for _ in range(block):
            try:
                found.append(next(slots[place]))
            except StopIteration:
                slots[place] = None
                break
        place = (place + 1) % cycle
    return found


def test_a_shuffle_follows_the_global_seed():
    def order(seed):
        fg.random.set_seed(seed)
        return [int(x) for x in D.range(20).shuffle(20)]

    assert order(1) == order(1) != order(2)


def test_a_shuffle_differs_from_epoch_to_epoch():
    dataset = D.range(20).shuffle(20, seed=1)
    epochs = [int(x) for x in dataset.repeat(2)]
    assert sorted(epochs[:20]) == sorted(epochs[20:]) == list(range(20))
    assert epochs[:20] != epochs[20:]
    fixed = D.range(20).shuffle(20, seed=1, reshuffle_each_iteration=False).repeat(2)
    epochs = [int(x) for x in fixed]
    assert epochs[:20] == epochs[20:]


def test_variables_and_captures_are_read_when_an_element_is_made():
    v, k = fg.Variable(1, dtype=fg.int64), fg.constant(10, fg.int64)
    dataset = D.range(3).map(lambda x: x * k + v)
    assert [int(x) for x in dataset] == [1, 11, 21]
    v.assign(2)
    assert [int(x) for x in dataset] == [2, 12, 22]


def test_a_generator_starts_anew_and_is_let_go():
    import gc
    import weakref

    class Source:
        def __init__(self):
            self.n_started = 0

        def __call__(self, n):
            self.n_started += 1
            for i in range(n):
                yield i, {"double": [2 * i] * 2}

    source = Source()
    signature = (fg.TensorSpec([], fg.int32), {"double": fg.TensorSpec([2], fg.float32)})
    dataset = D.from_generator(source, args=[2], output_signature=signature)
    for _ in range(2):
        found = [(int(i), d["double"].numpy().tolist()) for i, d in dataset]
        assert found == [(0, [0.0, 0.0]), (1, [2.0, 2.0])]
    next(iter(dataset))
    assert source.n_started == 3
    alive = weakref.ref(source)
    del source, dataset
    gc.collect()
    assert alive() is None


def test_the_older_types_of_a_generator():
    def pairs():
        yield 1, [1.0, 2.0]

    dataset = D.from_generator(pairs, (fg.int32, fg.float32), ([], [None]))
    assert dataset.element_spec == (fg.TensorSpec([], fg.int32), fg.TensorSpec([None], fg.float32))
    assert next(iter(dataset))[1].numpy().tolist() == [1.0, 2.0]


def test_options_are_inherited():
    options = fg.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    dataset = D.range(3).with_options(options).map(lambda x: x)
    assert dataset.options().deterministic is False
    assert dataset.options().threading.private_threadpool_size == 3
    assert D.range(3).options().deterministic is None
    with pytest.raises(AttributeError, match="no option 'determinstic'"):
        options.determinstic = True


@pytest.mark.parametrize("shape", [5, np.int64(5), [5], (5,), np.array([5]), fg.TensorShape([5])])
def test_padded_to_a_size(shape):
    rows = fg.data.Dataset.from_generator(lambda: iter([[1], [1, 2]]), fg.int64, [None])
    (batch,) = rows.padded_batch(2, padded_shapes=shape)
    assert batch.numpy().tolist() == [[1, 0, 0, 0, 0], [1, 2, 0, 0, 0]]
    both = fg.data.Dataset.zip((rows, rows)).padded_batch(2, padded_shapes=(shape, 3))
    assert [part.shape.as_list() for part in next(iter(both))] == [[2, 5], [2, 3]]
