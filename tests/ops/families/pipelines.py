"""Datasets, their iterators, and optionals. ``whole`` gives all elements of a dataset at once."""

import atexit
import pathlib
import shutil
import tempfile

import numpy as np
from table import ALL, NUMBERS, PLAIN, Vary, row

X = Vary(6, 2)
COLUMN = Vary(6, ints=(-2, 3), low=-1.0, high=1.0)
N = np.int64(6)


def slices(fg, x):
    return fg.data.Dataset.from_tensor_slices(x)


def whole(dataset):
    """All elements as one, which has to be there."""
    return dataset.batch(100).get_single_element()


def pipeline(op, make, expect, args=(X,), dtypes=ALL, empty=False, **fields):
    """A row that makes a dataset of slices and takes its elements."""
    if empty:
        fields["empty"] = [Vary(6, 0)]
    row(
        op,
        lambda fg, *args: whole(make(fg, *args)),
        list(args),
        expect,
        None,
        dtypes=dtypes,
        **fields,
    )


def counted(op, make, expect, **fields):
    """A row over numbers that count."""
    pipeline(op, make, expect, [N], ("fixed",), out="int64", **fields)


pipeline("TensorSliceDataset", slices, lambda x: x, empty=True, scalar=[Vary(1)])
pipeline(
    "TensorDataset",
    lambda fg, x: fg.data.Dataset.from_tensors(x),
    lambda x: x[None],
    empty=True,
    scalar=[Vary()],
)
pipeline(
    "BatchDatasetV2",
    lambda fg, x: slices(fg, x).batch(3),
    lambda x: x.reshape(2, 3, *x.shape[1:]),
    empty=True,
)
pipeline(
    "BatchDatasetV2",
    lambda fg, x: slices(fg, x).batch(4, drop_remainder=True),
    lambda x: x[None, :4],
)
pipeline(
    "RebatchDatasetV2",
    lambda fg, x: slices(fg, x).batch(2).rebatch([3]),
    lambda x: x.reshape(2, 3, *x.shape[1:]),
)
pipeline(
    "PaddedBatchDatasetV2",
    lambda fg, x: slices(fg, x).padded_batch(6, padded_shapes=[3]),
    lambda x: np.concatenate([x, np.full((6, 1), b"" if x.dtype == object else 0, x.dtype)], 1)[
        None
    ],
)
pipeline(
    "PaddedBatchDatasetV2",
    lambda fg, x: (
        fg.data.Dataset.range(3, output_type=fg.int64)
        .map(lambda i: fg.cast(fg.fill([i], i), x.dtype))
        .padded_batch(3, padding_values=fg.cast(-1, x.dtype))
    ),
    lambda x: np.array([[[-1, -1], [1, -1], [2, 2]]]),
    [Vary(1)],
    NUMBERS,
)
pipeline("UnbatchDataset", lambda fg, x: slices(fg, x).unbatch(), lambda x: x.ravel())
pipeline("TakeDataset", lambda fg, x: slices(fg, x).take(2), lambda x: x[:2], empty=True)
pipeline("SkipDataset", lambda fg, x: slices(fg, x).skip(2), lambda x: x[2:], empty=True)
pipeline("RepeatDataset", lambda fg, x: slices(fg, x).repeat(2), lambda x: np.concatenate([x, x]))
pipeline("ShardDataset", lambda fg, x: slices(fg, x).shard(3, 1), lambda x: x[1::3])
pipeline("PrefetchDataset", lambda fg, x: slices(fg, x).prefetch(2), lambda x: x)
pipeline("CacheDatasetV2", lambda fg, x: slices(fg, x).cache(), lambda x: x)
pipeline(
    "ConcatenateDataset",
    lambda fg, x: slices(fg, x).concatenate(slices(fg, x[:2])),
    lambda x: np.concatenate([x, x[:2]]),
    empty=True,
)
pipeline(
    "ZipDataset",
    lambda fg, x: fg.data.Dataset.zip((slices(fg, x), fg.data.Dataset.range(4))),
    lambda x: (x[:4], np.arange(4)),
    out=("T", "int64"),
)
pipeline(
    "MapDataset",
    lambda fg, x: slices(fg, x).map(lambda y: y[::-1]),
    lambda x: x[:, ::-1],
    empty=True,
)
pipeline(
    "ParallelMapDatasetV2",
    lambda fg, x: slices(fg, x).map(lambda y: y[::-1], num_parallel_calls=2),
    lambda x: x[:, ::-1],
    empty=True,
)
pipeline(
    "FlatMapDataset",
    lambda fg, x: slices(fg, x).flat_map(lambda y: slices(fg, y)),
    lambda x: x.ravel(),
)
pipeline(
    "InterleaveDataset",
    lambda fg, x: slices(fg, x).interleave(lambda y: slices(fg, y), cycle_length=2),
    lambda x: x.reshape(3, 2, 2).swapaxes(1, 2).ravel(),
)
pipeline(
    "ParallelInterleaveDatasetV4",
    lambda fg, x: slices(fg, x).interleave(
        lambda y: slices(fg, y), cycle_length=2, num_parallel_calls=2
    ),
    lambda x: x.reshape(3, 2, 2).swapaxes(1, 2).ravel(),
)
pipeline(
    "ScanDataset",
    lambda fg, x: slices(fg, x).scan(x[0], lambda last, y: (y, last)),
    lambda x: np.concatenate([x[:1], x[:-1]]),
)
pipeline(
    "WindowDataset",
    lambda fg, x: (
        slices(fg, x).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
    ),
    lambda x: np.stack([x[i : i + 3] for i in range(4)]),
)
pipeline(
    "GroupByWindowDataset",
    lambda fg, x: fg.data.Dataset.zip((fg.data.Dataset.range(6), slices(fg, x))).group_by_window(
        lambda i, _: i % 2, lambda _, group: group.map(lambda i, y: y).batch(3), window_size=3
    ),
    lambda x: np.stack([x[::2], x[1::2]]),
)
pipeline(
    "UniqueDataset",
    lambda fg, x: slices(fg, x).unique(),
    lambda x: np.array(list(dict.fromkeys(x.tolist())), x.dtype),
    [COLUMN],
)
pipeline(
    "IgnoreErrorsDataset",
    lambda fg, x: fg.data.Dataset.range(6).map(lambda i: fg.gather(x[:4], i)).ignore_errors(),
    lambda x: x[:4],
)
pipeline(
    "AssertCardinalityDataset",
    lambda fg, x: slices(fg, x).apply(fg.data.experimental.assert_cardinality(6)),
    lambda x: x,
)
pipeline(
    "DirectedInterleaveDataset",
    lambda fg, x: fg.data.Dataset.choose_from_datasets(
        [slices(fg, x[:3]), slices(fg, x[3:])], fg.data.Dataset.range(2).repeat(3)
    ),
    lambda x: x[[0, 3, 1, 4, 2, 5]],
)
counted(
    "FilterDataset",
    lambda fg, n: fg.data.Dataset.range(n).filter(lambda i: i % 2 == 1),
    lambda n: np.array([1, 3, 5]),
)
counted(
    "TakeWhileDataset",
    lambda fg, n: fg.data.Dataset.range(n).take_while(lambda i: i < 4),
    lambda n: np.arange(4),
)
for dtype in ("int64", "int32", "float32", "float64"):
    row(
        "RangeDataset",
        lambda fg, n, d=dtype: whole(fg.data.Dataset.range(1, n, 2, output_type=getattr(fg, d))),
        [N],
        lambda n: np.arange(1, n, 2),
        out=dtype,
    )
row(
    "StatefulPartitionedCall",
    lambda fg, x: fg.data.Dataset.range(3).reduce(x, lambda state, i: state + x),
    [Vary(3, 4, ints=(-9, 10))],
    lambda x: 4 * x,
    (0,),
    dtypes=NUMBERS,
    empty=[Vary(3, 0)],
)
row(
    "StatefulPartitionedCall",
    lambda fg, x: slices(fg, x).reduce(fg.zeros_like(x[0]), fg.add),
    [Vary(6, 2, ints=(-3, 4))],
    lambda x: x.sum(0),
    (),
    dtypes=NUMBERS,
    tol=4,
    empty=[Vary(6, 0)],
)


def counted_elements(fg, v, x):
    """How often a reduction without state calls its function, which is there for its effect."""
    v.assign(0)
    slices(fg, x).reduce((), lambda state, y: (v.assign_add(1), ())[1])
    return v.read_value()


row(
    "ReduceDataset",
    counted_elements,
    [X],
    lambda x: 6,
    dtypes=ALL,
    out="int32",
    state=lambda fg, x: fg.Variable(0),
    empty=[Vary(6, 0)],
)
row(
    "DatasetToSingleElement",
    lambda fg, x: slices(fg, x).get_single_element(),
    [Vary(1, 4)],
    lambda x: x[0],
    None,
    dtypes=ALL,
    scalar=[Vary(1)],
    empty=[Vary(1, 0)],
)
row(
    "DatasetCardinality",
    lambda fg, x: slices(fg, x).batch(4).cardinality(),
    [X],
    lambda x: 2,
    dtypes=ALL,
    out="int64",
)


def iterator(fg, x):
    return iter(slices(fg, x))


def two(fg, x):
    it = iterator(fg, x)
    first = it.get_next()
    return first, it.get_next()


for op in ("AnonymousIteratorV3", "MakeIterator", "IteratorGetNext"):
    row(op, two, [X], lambda x: (x[0], x[1]), None, dtypes=ALL, empty=[Vary(6, 0)])


def resumed(fg, x):
    """The second element, before and after going back to the place before it."""
    it = iterator(fg, x)
    it.get_next()
    position = it._serialize_to_tensors()
    second = it.get_next()
    it._restore_from_tensors(position)
    return second, it.get_next()


for op in ("IteratorPosition", "SetIteratorPosition"):
    row(op, resumed, [X], lambda x: (x[1], x[1]), None, dtypes=ALL, empty=[Vary(6, 0)])


def optionals(fg, x):
    """Of one element and two asked for: whether each is there, and the first."""
    it = iterator(fg, x[:1])
    first, second = it.get_next_as_optional(), it.get_next_as_optional()
    return first.has_value(), second.has_value(), first.get_value()


row(
    "IteratorGetNextAsOptional",
    optionals,
    [X],
    lambda x: (True, False, x[0]),
    None,
    dtypes=ALL,
    out=("bool", "bool", "T"),
)
for op in ("OptionalFromValue", "OptionalHasValue", "OptionalGetValue"):
    row(
        op,
        lambda fg, x: (
            fg.data.experimental.Optional.from_value(x).has_value(),
            fg.data.experimental.Optional.from_value(x).get_value(),
        ),
        [X],
        lambda x: (True, x),
        None,
        dtypes=ALL,
        out=("bool", "T"),
        empty=[Vary(0, 4)],
        scalar=[Vary()],
    )
row(
    "OptionalNone",
    lambda fg, x: fg.data.experimental.Optional.empty(fg.TensorSpec(x.shape, x.dtype)).has_value(),
    [X],
    lambda x: False,
    dtypes=ALL,
    out="bool",
)


def walked(fg, x):
    """The last element, by a loop that asks whether there is another one."""

    def loop(x):
        last = x[0]
        for y in slices(fg, x):
            last = y
        return last

    return fg.function(loop)(x)


row("IteratorHasNext", walked, [X], lambda x: x[-1], None, dtypes=ALL)
row(
    "ShuffleDatasetV3",
    lambda fg, x: whole(slices(fg, x).shuffle(10).map(lambda y: fg.shape(y))),
    [X],
    lambda x: np.full((6, 1), 2),
    dtypes=ALL,
    out="int32",
)
row(
    "ShuffleDatasetV3",
    lambda fg, x: fg.sort(whole(slices(fg, x).shuffle(10, seed=3))),
    [COLUMN],
    np.sort,
    None,
    dtypes=tuple(d for d in PLAIN if d not in ("bool", "complex64", "complex128")),
)
row(
    "RandomDatasetV2",
    lambda fg, n: (
        fg.reduce_all(whole(fg.data.Dataset.random(seed=3).take(n)) >= 0),
        fg.reduce_all(
            whole(fg.data.Dataset.random(seed=3).take(n))
            == whole(fg.data.Dataset.random(seed=3).take(n))
        ),
        fg.shape(whole(fg.data.Dataset.random(seed=4).take(n))),
    ),
    [N],
    lambda n: (True, True, [6]),
    out=("bool", "bool", "int32"),
)


FOLDER = pathlib.Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER)
(FOLDER / "lines").write_bytes(b"one\ntwo")
# A record of three bytes with its checksums.
RECORD = "0300000000000000b099490e6162636e57f121"
(FOLDER / "records").write_bytes(bytes.fromhex(RECORD))


def of_file(op, name, make, expect):
    """A row that takes the strings that stand in a file."""
    names = np.array([str(FOLDER / name)], object)
    row(op, lambda fg, names: whole(make(fg, names)), [names], lambda _: expect, out="string")


of_file(
    "TextLineDataset",
    "lines",
    lambda fg, names: fg.data.TextLineDataset(names),
    np.array([b"one", b"two"], object),
)
of_file(
    "TFRecordDataset",
    "records",
    lambda fg, names: fg.data.TFRecordDataset(names),
    np.array([b"abc"], object),
)
of_file(
    "FixedLengthRecordDatasetV2",
    "lines",
    lambda fg, names: fg.data.FixedLengthRecordDataset(names, 3, footer_bytes=1),
    np.array([b"one", b"\ntw"], object),
)
of_file(
    "CSVDataset",
    "lines",
    lambda fg, names: fg.data.experimental.CsvDataset(names, [fg.string]).map(
        lambda column: column
    ),
    np.array([b"one", b"two"], object),
)


def of_folder(op, make, **fields):
    """A row of the numbers 0, 1, 2 that are kept under the path that is its argument."""
    path = np.array(str(FOLDER / op), object)
    row(op, make, [path], lambda _: np.arange(3), out="int64", **fields)


def saved(fg, path):
    """The elements of a dataset that is saved and loaded."""
    fg.data.Dataset.range(3).save(path)
    return fg.data.Dataset.load(path, fg.TensorSpec([], fg.int64))


def noted(fg, path):
    """The elements of a dataset that is saved, after a look at what was said of them."""
    elements = whole(saved(fg, path))
    length = fg.strings.length(fg._core.emit("SavedNote", (path,)))
    return elements + fg.cast(length, fg.int64) * 0


of_folder("CacheDataset", lambda fg, path: whole(fg.data.Dataset.range(3).cache(path)))
of_folder("SnapshotDataset", lambda fg, path: whole(fg.data.Dataset.range(3).snapshot(path)))
for op in ("SaveDatasetV2", "LoadDataset"):
    of_folder(op, lambda fg, path: whole(saved(fg, path)))
of_folder(
    "LoadShardsDataset",
    lambda fg, path: (
        fg.data.Dataset.range(3).save(path),
        whole(
            fg.data.Dataset.load(
                path, fg.TensorSpec([], fg.int64), None, lambda shards: shards.flat_map(lambda x: x)
            )
        ),
    )[1],
)
of_folder("SavedNote", noted, hidden="the type of elements has to be known when a dataset is made")
