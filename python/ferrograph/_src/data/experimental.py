"""Experimental parts of datasets: functions for ``Dataset.apply``, and older names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_window",
    "ignore_errors",
    "map_and_batch",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "take_while",
    "unbatch",
    "unique",
]

Transformation = Callable[[Dataset], Dataset]


@public("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Say how many elements a dataset has; FailedPreconditionError when iterating finds others."""

    def apply(dataset: Dataset) -> Dataset:
        inputs = [dataset._variant_tensor, scalar(expected_cardinality)]
        return emitted("AssertCardinalityDataset", inputs, dataset.element_spec, dataset)

    return apply


def _method(name: str) -> Callable[..., Transformation]:
    method = getattr(Dataset, name)

    def transformation(*args: Any, **kwargs: Any) -> Transformation:
        return lambda dataset: method(dataset, *args, **kwargs)

    transformation.__name__ = name
    transformation.__doc__ = f"A function for ``Dataset.apply`` that does as ``Dataset.{name}``."
    return transformation


bucket_by_sequence_length = _method("bucket_by_sequence_length")
dense_to_ragged_batch = _method("ragged_batch")
enumerate_dataset = _method("enumerate")
group_by_window = _method("group_by_window")
ignore_errors = _method("ignore_errors")
scan = _method("scan")
take_while = _method("take_while")
unbatch = _method("unbatch")
unique = _method("unique")

Counter = Dataset.counter
RandomDataset = Dataset.random
choose_from_datasets = Dataset.choose_from_datasets
sample_from_datasets = Dataset.sample_from_datasets


@public("data.experimental.cardinality")
def cardinality(dataset: Dataset) -> Any:
    """``dataset.cardinality()``."""
    return dataset.cardinality()


@public("data.experimental.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """``dataset.get_single_element()``."""
    return dataset.get_single_element()


@public("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: Iterator) -> Optional:
    """``iterator.get_next_as_optional()``."""
    return iterator.get_next_as_optional()


@public("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """The type of an element."""
    return dataset_or_iterator.element_spec


@public("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """``map`` and then ``batch``."""
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@public("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """``shuffle`` and then ``repeat``."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "Counter": ("data.experimental.Counter",),
    "RandomDataset": ("data.experimental.RandomDataset",),
    "bucket_by_sequence_length": ("data.experimental.bucket_by_sequence_length",),
    "choose_from_datasets": ("data.experimental.choose_from_datasets",),
    "dense_to_ragged_batch": ("data.experimental.dense_to_ragged_batch",),
    "enumerate_dataset": ("data.experimental.enumerate_dataset",),
    "group_by_window": ("data.experimental.group_by_window",),
    "ignore_errors": ("data.experimental.ignore_errors",),
    "sample_from_datasets": ("data.experimental.sample_from_datasets",),
    "scan": ("data.experimental.scan",),
    "take_while": ("data.experimental.take_while",),
    "unbatch": ("data.experimental.unbatch",),
    "unique": ("data.experimental.unique",),
}
