"""Datasets: pipelines of elements that are computed when they are asked for."""

from .._src.data.dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from .._src.data.iterator import Iterator, NumpyIterator
from .._src.data.options import Options, ThreadingOptions
from .._src.data.specs import DatasetSpec, IteratorSpec
from . import experimental

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
