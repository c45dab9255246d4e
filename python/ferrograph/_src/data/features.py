"""Datasets of examples: their features by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..files.parsing import parse_example
from ..values.errors import shown
from ..values.public import public
from . import csv_files
from .dataset import AUTOTUNE, Dataset
from .files import TFRecordDataset

__all__ = ["make_batched_features_dataset", "parse_example_dataset"]


@public("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: Any = 1, deterministic: Any = None
) -> Callable[[Dataset], Dataset]:
    """A function for ``Dataset.apply``: ``io.parse_example`` of batches of serialised examples.

    >>> examples = fg.data.Dataset.from_tensors([fg.train.Example().SerializeToString()])
    >>> wanted = {"n": fg.io.FixedLenFeature([], fg.int64, default_value=7)}
    >>> parsed = examples.apply(fg.data.experimental.parse_example_dataset(wanted))
    >>> next(iter(parsed))["n"].numpy()
    array([7])

    Args:
      features: a dict from names to what describes them, as ``io.parse_example`` takes it.
      num_parallel_calls, deterministic: as ``Dataset.map`` takes them; 1 and None by default.

    Returns:
      A function that makes a dataset of dicts of a dataset of string vectors.

    Raises:
      ValueError: where features is None.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def parsed(batch: Any) -> dict[str, Any]:
        return parse_example(batch, features)

    return lambda dataset: dataset.map(parsed, num_parallel_calls, deterministic)


@public("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of examples in files: dicts by name.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     with fg.io.TFRecordWriter(file.name) as writer:
    ...         writer.write(fg.train.Example().SerializeToString())
    ...     batches = fg.data.experimental.make_batched_features_dataset(
    ...         file.name, 1, {"n": fg.io.FixedLenFeature([], fg.int64, 7)}, num_epochs=1)
    ...     [batch["n"].numpy() for batch in batches]
    [array([7])]

    Args:
      file_pattern: a name or pattern of names, or several.
      batch_size: how many examples a batch has.
      features: what is wanted by name, as for ``io.parse_example``.
      reader: what makes a dataset of the name of a file; ``TFRecordDataset`` where not given.
      label_key: the feature that stands apart: elements are pairs with it.
      reader_args: further arguments of ``reader``.
      num_epochs: how many times the examples are repeated; without end where not given.
      shuffle: whether files and examples come in random order.
      shuffle_buffer_size: the size of the buffer that examples are drawn from.
      shuffle_seed: the seed of that order.
      prefetch_buffer_size: how many batches are read ahead.
      reader_num_threads: how many files are read at a time.
      parser_num_threads: how many batches are parsed at a time.
      sloppy_ordering: accepted; the order does not depend on timing.
      drop_final_batch: whether a last batch that is not full is left out.

    Raises:
      ValueError: where no file fits, or ``label_key`` is none of the features.
      TypeError: where ``features`` is no dict.
    """
    if not isinstance(features, Mapping):
        raise TypeError(f"`features` must be a dict of features by name, got {shown(features)}")
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({shown(label_key)}) must be one of the features: "
            f"{list(features)}."
        )
    names = csv_files.matching(file_pattern)
    make, further = reader or TFRecordDataset, reader_args or ()

    def labelled(found: dict[Any, Any]) -> Any:
        label = found.pop(label_key)
        return found, label

    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    reads = reader_num_threads or 1
    dataset = dataset.interleave(lambda name: make(name, *further), reads, 1, reads)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads))
    if label_key is not None:
        dataset = dataset.map(labelled)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
