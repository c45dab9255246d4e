"""Datasets: pipelines of elements that are computed when they are asked for."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.data.dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from .._src.data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from .._src.data.iterator import Iterator, NumpyIterator
from .._src.data.options import Options, ThreadingOptions
from .._src.data.specs import DatasetSpec, IteratorSpec
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TextLineDataset",
    "TFRecordDataset",
    "ThreadingOptions",
    "experimental",
]

if not TYPE_CHECKING:
    _LAZY = {}
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
