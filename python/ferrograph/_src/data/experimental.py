"""Experimental parts of datasets: functions for ``Dataset.apply``, and older names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops._dispatch import told
from ..values.public import public
from .dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset, emitted
from .iterator import Iterator, Optional
from .options import AutotuneOptions, DistributeOptions, OptimizationOptions, ThreadingOptions
from .structure import scalar

__all__ = [
    "AUTOTUNE",
    "AutotuneOptions",
    "Counter",
    "DistributeOptions",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_window",
    "ignore_errors",
    "load",
    "map_and_batch",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "take_while",
    "unbatch",
    "unique",
]

Transformation = Callable[[Dataset], Dataset]


@public("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """A function for ``Dataset.apply`` that says how many elements a dataset has.

    >>> dataset = fg.data.Dataset.range(3).filter(lambda x: x >= 0)
    >>> int(dataset.apply(fg.data.experimental.assert_cardinality(3)).cardinality())
    3

    Args:
      expected_cardinality: an integer scalar; -1 for no end.

    Returns:
      A function that gives a dataset of the same elements; iterating over it raises
        FailedPreconditionError where it finds another number of them.
    """

    def apply(dataset: Dataset) -> Dataset:
        inputs = [dataset._variant_tensor, scalar(expected_cardinality)]
        return emitted("AssertCardinalityDataset", inputs, dataset.element_spec, dataset)

    return apply


def _method(name: str, example: str, own_name: str = "") -> Callable[..., Transformation]:
    method = getattr(Dataset, name)

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: method(dataset, *args, **kwargs)

    transformation.__name__ = transformation.__qualname__ = own_name or name
    summary = f"A function for ``Dataset.apply`` that does as ``Dataset.{name}``."
    transformation.__doc__ = f"{summary}\n{example}"
    return transformation


bucket_by_sequence_length = _method(
    "bucket_by_sequence_length",
    """
    >>> lines = fg.data.Dataset.range(1, 5).map(lambda n: fg.range(n))
    >>> bucket = fg.data.experimental.bucket_by_sequence_length(fg.size, [3], [2, 2])
    >>> [x.shape.as_list() for x in lines.apply(bucket)]
    [[2, 2], [2, 4]]
    """,
)
dense_to_ragged_batch = _method(
    "ragged_batch",
    """
    >>> lines = fg.data.Dataset.range(3).map(lambda n: fg.range(n))
    >>> next(iter(lines.apply(fg.data.experimental.dense_to_ragged_batch(3)))).to_list()
    [[], [0], [0, 1]]
    """,
    "dense_to_ragged_batch",
)
dense_to_sparse_batch = _method(
    "sparse_batch",
    """
    >>> lines = fg.data.Dataset.range(3).map(lambda n: fg.range(n))
    >>> batch = next(iter(lines.apply(fg.data.experimental.dense_to_sparse_batch(3, [4]))))
    >>> fg.sparse.to_dense(batch).numpy().tolist()
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    """,
    "dense_to_sparse_batch",
)
enumerate_dataset = _method(
    "enumerate",
    """
    >>> pairs = fg.data.Dataset.range(5, 7).apply(fg.data.experimental.enumerate_dataset())
    >>> [(int(i), int(x)) for i, x in pairs]
    [(0, 5), (1, 6)]
    """,
    "enumerate_dataset",
)
group_by_window = _method(
    "group_by_window",
    """
    >>> group = fg.data.experimental.group_by_window(
    ...     lambda x: x % 2, lambda key, window: window.batch(2), window_size=2)
    >>> [x.numpy().tolist() for x in fg.data.Dataset.range(4).apply(group)]
    [[0, 2], [1, 3]]
    """,
)
ignore_errors = _method(
    "ignore_errors",
    """
    >>> risky = fg.data.Dataset.range(3).map(lambda i: fg.gather([10, 20], i))
    >>> [int(x) for x in risky.apply(fg.data.experimental.ignore_errors())]
    [10, 20]
    """,
)
rejection_resample = _method(
    "rejection_resample",
    """
    >>> odd = fg.data.experimental.rejection_resample(
    ...     lambda x: fg.cast(x % 2, fg.int32), target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5])
    >>> [int(x) for kind, x in fg.data.Dataset.range(6).apply(odd)]
    [1, 3, 5]
    """,
)
scan = _method(
    "scan",
    """
    >>> sums = fg.data.experimental.scan(fg.constant(0, fg.int64), lambda s, x: (s + x, s + x))
    >>> [int(x) for x in fg.data.Dataset.range(4).apply(sums)]
    [0, 1, 3, 6]
    """,
)
snapshot = _method(
    "snapshot",
    """
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     numbers = fg.data.Dataset.range(2).apply(fg.data.experimental.snapshot(folder))
    ...     [int(x) for x in numbers], [int(x) for x in numbers]
    ([0, 1], [0, 1])
    """,
)
take_while = _method(
    "take_while",
    """
    >>> small = fg.data.experimental.take_while(lambda x: x < 3)
    >>> [int(x) for x in fg.data.Dataset.range(9).apply(small)]
    [0, 1, 2]
    """,
)
unbatch = _method(
    "unbatch",
    """
    >>> [int(x) for x in fg.data.Dataset.range(4).batch(2).apply(fg.data.experimental.unbatch())]
    [0, 1, 2, 3]
    """,
)
unique = _method(
    "unique",
    """
    >>> [int(x) for x in fg.data.Dataset.range(2).repeat(2).apply(fg.data.experimental.unique())]
    [0, 1]
    """,
)

Counter = Dataset.counter
RandomDataset = Dataset.random
choose_from_datasets = Dataset.choose_from_datasets
sample_from_datasets = Dataset.sample_from_datasets


@public("data.experimental.cardinality")
@told
def cardinality(dataset: Dataset) -> Any:
    """``dataset.cardinality()``.

    >>> int(fg.data.experimental.cardinality(fg.data.Dataset.range(5)))
    5

    Args:
      dataset: a ``Dataset``.

    Returns:
      An int64 scalar: the number of elements, -1 for no end, -2 where nobody knows.
    """
    return dataset.cardinality()


@public("data.experimental.get_single_element")
@told
def get_single_element(dataset: Dataset) -> Any:
    """``dataset.get_single_element()``.

    >>> int(fg.data.experimental.get_single_element(fg.data.Dataset.range(7, 8)))
    7

    Args:
      dataset: a ``Dataset`` of one element.

    Returns:
      The element, a tensor or a structure of such.

    Raises:
      InvalidArgumentError: where there is none, or more than one.
    """
    return dataset.get_single_element()


@public("data.experimental.get_next_as_optional")
@told
def get_next_as_optional(iterator: Iterator) -> Optional:
    """``iterator.get_next_as_optional()``.

    >>> it = iter(fg.data.Dataset.range(1))
    >>> bool(fg.data.experimental.get_next_as_optional(it).has_value())
    True
    >>> bool(fg.data.experimental.get_next_as_optional(it).has_value())
    False

    Args:
      iterator: an iterator of a dataset.

    Returns:
      An ``Optional`` of the next element, without a value at the end.
    """
    return iterator.get_next_as_optional()


@public("data.experimental.save")
@told
def save(
    dataset: Dataset,
    path: Any,
    compression: Any = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """``dataset.save(path, ...)``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fg.data.experimental.save(fg.data.Dataset.range(2), folder)
    ...     [int(x) for x in fg.data.experimental.load(folder)]
    [0, 1]

    Args:
      dataset: a ``Dataset``.
      path: the folder to write, a string or a path object.
      compression: None, the default, ``"GZIP"`` or ``"SNAPPY"``.
      shard_func: a function of an element that gives the number of its file; by default all are in
        one.
      checkpoint_args: a dict of arguments of ``train.CheckpointManager``, with which a save that
        was stopped goes on where it was; None by default.

    Raises:
      ValueError: for checkpoint_args with a ``checkpoint`` or without a ``directory``.
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


@public("data.experimental.load")
def load(
    path: Any,
    element_spec: Any = None,
    compression: Any = None,
    reader_func: Callable[..., Any] | None = None,
) -> Dataset:
    """``Dataset.load(path, ...)``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fg.data.Dataset.range(2).save(folder)
    ...     len(fg.data.experimental.load(folder))
    2

    Args:
      path: the folder that ``save`` wrote, a string or a path object.
      element_spec: the type of an element; only needed where the folder does not tell it.
      compression: that of ``save``; only needed where TensorFlow wrote the folder.
      reader_func: a function of a dataset that has a dataset for each file, which gives a dataset;
        by default the files come one after the other.

    Returns:
      A ``Dataset`` of the elements.

    Raises:
      NotFoundError: where nothing was saved to its end.
    """
    return Dataset.load(path, element_spec, compression, reader_func)


@public("data.experimental.get_structure")
@told
def get_structure(dataset_or_iterator: Any) -> Any:
    """The type of an element.

    >>> dataset = fg.data.Dataset.range(3).map(lambda x: 2 * x)
    >>> fg.data.experimental.get_structure(dataset)
    TensorSpec(shape=(), dtype=fg.int64, name=None)

    Args:
      dataset_or_iterator: a ``Dataset`` or an iterator of one.

    Returns:
      A ``TypeSpec`` or a structure of such.

    Raises:
      TypeError: for what has no elements of a type.
    """
    return dataset_or_iterator.element_spec


@public("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """A function for ``Dataset.apply`` that does ``map`` and then ``batch``.

    >>> doubled = fg.data.experimental.map_and_batch(lambda x: x * 2, 2)
    >>> [x.numpy().tolist() for x in fg.data.Dataset.range(4).apply(doubled)]
    [[0, 2], [4, 6]]

    Args:
      map_func: a function of an element.
      batch_size: an integer scalar, the elements of a batch.
      num_parallel_batches, num_parallel_calls: of no effect.
      drop_remainder: a scalar bool, whether a last batch of fewer elements is left out; False by
        default.

    Returns:
      A function that makes a dataset of a dataset.
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@public("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """A function for ``Dataset.apply`` that does ``shuffle`` and then ``repeat``.

    >>> dataset = fg.data.Dataset.range(3)
    >>> sorted(int(x) for x in dataset.apply(fg.data.experimental.shuffle_and_repeat(3, count=2)))
    [0, 0, 1, 1, 2, 2]

    Args:
      buffer_size: an integer scalar, among how many elements the next one is drawn.
      count: an integer scalar, how often the elements come; None, the default, and -1 set no end.
      seed: an int, from which the order follows; None by default.

    Returns:
      A function that makes a dataset of a dataset.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "Counter": ("data.experimental.Counter",),
    "RandomDataset": ("data.experimental.RandomDataset",),
    "bucket_by_sequence_length": ("data.experimental.bucket_by_sequence_length",),
    "choose_from_datasets": ("data.experimental.choose_from_datasets",),
    "dense_to_ragged_batch": ("data.experimental.dense_to_ragged_batch",),
    "dense_to_sparse_batch": ("data.experimental.dense_to_sparse_batch",),
    "enumerate_dataset": ("data.experimental.enumerate_dataset",),
    "group_by_window": ("data.experimental.group_by_window",),
    "ignore_errors": ("data.experimental.ignore_errors",),
    "rejection_resample": ("data.experimental.rejection_resample",),
    "sample_from_datasets": ("data.experimental.sample_from_datasets",),
    "scan": ("data.experimental.scan",),
    "snapshot": ("data.experimental.snapshot",),
    "take_while": ("data.experimental.take_while",),
    "unbatch": ("data.experimental.unbatch",),
    "unique": ("data.experimental.unique",),
}
