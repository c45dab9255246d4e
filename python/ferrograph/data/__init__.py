"""Datasets: pipelines of elements that are computed when they are asked for."""

from . import experimental
from .dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from .iterator import Iterator, NumpyIterator
from .options import Options, ThreadingOptions
from .specs import DatasetSpec, IteratorSpec

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "INFINITE_CARDINALITY",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
]
