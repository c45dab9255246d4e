"""Elements kept in files: caches, snapshots, saved datasets."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from ..autograph import api
from ..context import thread
from ..native import _core
from ..values import errors
from ..values.dtypes import string
from ..values.errors import shown
from . import described, progress, structure
from .dataset import Dataset, emitted
from .specs import DatasetSpec
from .structure import scalar


def cache(dataset: Dataset, filename: Any) -> Dataset:
    """``Dataset.cache`` in a file."""
    inputs = [dataset._variant_tensor, _path(filename)]
    return emitted("CacheDataset", inputs, dataset.element_spec, dataset)


def _path(value: Any) -> Any:
    """A path as a scalar tensor."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    tensor = _core.convert_to_tensor(value)
    if tensor.dtype != string or tensor.shape.rank not in (0, None):
        raise TypeError(f"a path is a string, got {shown(value)}")
    return tensor


def _elements(
    dataset: Dataset, shard_func: Callable[..., Any] | None, what: str
) -> tuple[Any, dict[Any, Any]]:
    """The elements, each behind the number of its shard where there is a function for it."""
    spec = dataset.element_spec
    attrs = {
        "has_shards": shard_func is not None,
        "note": described.bytes_of(spec),
        "layout": described.layout_of(spec),
    }
    if shard_func is None:
        return dataset._variant_tensor, attrs
    if not callable(shard_func):
        raise TypeError(f"the shard_func of {what} must be a function, got {shown(shard_func)}")
    function, is_tuple = api.convert_callback(shard_func), type(spec) is tuple

    def numbered(*element: Any) -> tuple[Any, ...]:
        number = scalar(function(*element))
        if number.shape.rank:
            raise ValueError(f"the shard_func of {what} must give a scalar, gives {number.shape}")
        return number, element if is_tuple else element[0]

    return dataset.map(numbered)._variant_tensor, attrs


_COMPRESSIONS = (None, "", "NONE", "AUTO", "GZIP", "SNAPPY")


def _compression(value: Any) -> str:
    if value not in _COMPRESSIONS:
        raise ValueError(f"there is no compression {shown(value)}: it is one of {_COMPRESSIONS}")
    return value or ""


def save(
    dataset: Dataset, path: Any, compression: Any, shard_func: Callable[..., Any] | None
) -> None:
    """``Dataset.save``."""
    with progress.watched(dataset, "save") as elements:
        _save(elements, path, compression, shard_func)


def _save(
    dataset: Dataset, path: Any, compression: Any, shard_func: Callable[..., Any] | None
) -> None:
    elements, attrs = _elements(dataset, shard_func, "save")
    attrs["compression"] = _compression(compression)
    inputs = [elements, _path(path)]
    emitted("SaveDatasetV2", inputs, dataset.element_spec, **attrs).reduce((), lambda *_: ())


# How long a program that waits for a folder leaves it alone, in seconds.
_PATIENCE = 0.1


def _wait_for(folder: Any) -> None:
    """Return once a folder holds a whole dataset."""
    with thread.init_scope():
        while True:
            try:
                _core.emit("SavedNote", (folder,))
                return
            except errors.NotFoundError:
                time.sleep(_PATIENCE)


def load(
    path: Any,
    element_spec: Any,
    compression: Any,
    reader_func: Callable[..., Any] | None,
    wait: bool,
) -> Dataset:
    """``Dataset.load``."""
    how, folder = _compression(compression), _path(path)
    if wait:
        _wait_for(folder)
    if element_spec is None:
        with thread.init_scope():
            note = _core.emit("SavedNote", (folder,))
            element_spec = described.spec_of(note.numpy(), path)
    return _read(folder, element_spec, how, reader_func, "load")


def _read(
    folder: Any,
    element_spec: Any,
    compression: str,
    reader_func: Callable[..., Any] | None,
    what: str,
) -> Dataset:
    how = {"compression": compression, "layout": described.layout_of(element_spec)}
    if reader_func is None:
        return emitted("LoadDataset", [folder], element_spec, **how)
    attrs = structure.attributes(element_spec)
    shards = emitted(
        "LoadShardsDataset",
        [folder],
        DatasetSpec(element_spec),
        shard_types=attrs["output_types"],
        shard_shapes=attrs["output_shapes"],
        **how,
    )
    found = reader_func(shards)
    if not isinstance(found, Dataset):
        raise TypeError(f"the reader_func of {what} must give a Dataset, gives {shown(found)}")
    return found


def snapshot(
    dataset: Dataset,
    path: Any,
    compression: Any,
    reader_func: Callable[..., Any] | None,
    shard_func: Callable[..., Any] | None,
) -> Dataset:
    """``Dataset.snapshot``."""
    folder = _path(path)
    how = _compression(compression)
    saved = _read(folder, dataset.element_spec, how, reader_func, "snapshot")
    structure.same_kind(dataset.element_spec, saved.element_spec, "snapshot")
    elements, attrs = _elements(dataset, shard_func, "snapshot")
    attrs["compression"] = how
    inputs = [elements, saved._variant_tensor, folder]
    return emitted("SnapshotDataset", inputs, dataset.element_spec, dataset, **attrs)
