"""Datasets written to files of records."""

from __future__ import annotations

from typing import Any

from ..files import records
from ..native import FG, _core
from ..values.dtypes import string
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from .dataset import Dataset

__all__ = ["TFRecordWriter"]


@public("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes a dataset of strings to a file of records.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> words = fg.data.Dataset.from_tensor_slices(["a", "b"])
    >>> fg.data.experimental.TFRecordWriter(path).write(words)
    >>> [record.numpy() for record in fg.data.TFRecordDataset(path)]
    [b'a', b'b']

    Args:
      filename: the name of the file, which ``write`` empties.
      compression_type: ``"GZIP"``, ``"ZLIB"`` or none.
    """

    def __init__(self, filename: Any, compression_type: str | None = None):
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Writes the elements, a record each.

        TypeError for what is no dataset or has other elements than scalar strings; RuntimeError
        while a function is traced.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Invalid `dataset.` Expected a `{FG}.data.Dataset` but got {shown(dataset)}."
            )
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != string or spec.shape.rank != 0:
            raise TypeError(f"a record is a scalar string, the dataset has {spec}")
        if not _core.executing_eagerly():
            raise RuntimeError("a dataset is written to records eagerly, not in a traced function")
        options = records.TFRecordOptions(self._compression or "")
        with records.TFRecordWriter(_name(self._filename), options) as writer:
            for record in dataset:
                writer.write(record.numpy())


def _name(value: Any) -> Any:
    """The name of a file, which may be a tensor."""
    return value.numpy() if hasattr(value, "numpy") else value
