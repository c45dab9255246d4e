"""Datasets of the contents of files: lines, records, fixed-length records; and of file names."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..native import FG, _core
from ..ops.arrays import reshape
from ..ops.debug import Assert
from ..values.dtypes import int64, string
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from .applied import interleave
from .dataset import AUTOTUNE, Dataset, emitted
from .options import Options
from .sources import slices
from .structure import scalar

__all__ = ["FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]

_LINE = TensorSpec([], string)


def texts(value: Any) -> Any:
    """Strings, or paths, as a tensor of strings."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    elif isinstance(value, (list, tuple)):
        value = [os.fspath(v) if isinstance(v, os.PathLike) else v for v in value]
        if not value:
            return _core.convert_to_tensor(value, string)
    return _core.convert_to_tensor(value)


class FileDataset(Dataset):
    """A dataset of the items of files, whose names are a tensor, or a dataset of names.

    ``op`` makes it from names; ``rest`` are its other inputs.
    """

    def _read(
        self, filenames: Any, op: str, rest: Callable[[Any], list[Any]], parallel: Any
    ) -> None:
        name = type(self).__name__ + "V2"

        def items(names: Any) -> Dataset:
            return emitted(op, rest(names), _LINE)

        if not isinstance(filenames, Dataset):
            filenames = names_of(texts(filenames))
            if parallel is None:
                self._set(items(filenames)._variant_tensor, _LINE, name, Options())
                return
            filenames = slices(reshape(filenames, [-1]))
        _check_names(filenames.element_spec)
        if parallel is None:
            found = filenames.flat_map(items)
        elif isinstance(parallel, int) and parallel == AUTOTUNE:
            found = filenames.interleave(items, num_parallel_calls=parallel)
        else:
            found = interleave(filenames, items, parallel, 1, parallel, None)
        self._set(found._variant_tensor, _LINE, name, found._options)

    def __repr__(self) -> str:
        return f"<{self._op_name} element_spec={self._element_spec!r}>"


def names_of(filenames: Any) -> Any:
    """The names of files, as they are. TypeError where they are no strings."""
    if filenames.dtype != string:
        raise TypeError(
            f"The `filenames` argument must contain `{FG}.string` elements. Got "
            f"`{shown(filenames.dtype)}` elements."
        )
    return filenames


def _check_names(spec: Any) -> None:
    if not isinstance(spec, TensorSpec) or spec.dtype != string:
        raise TypeError(
            f"The `filenames` argument must contain `{FG}.string` elements. Got a dataset of "
            f"{spec} elements."
        )
    if not spec.shape.is_compatible_with([]):
        raise TypeError(
            f"The `filenames` argument must contain `{FG}.string` elements of shape [] (i.e. "
            f"scalars). Got a dataset of element shape {shown(spec.shape)}."
        )


def compression_of(value: Any) -> Any:
    """The name of a compression, as a tensor."""
    return _core.convert_to_tensor("" if value is None else value, string)


def _size(value: Any) -> Any:
    return scalar(0 if value is None else value)


@public("data.TextLineDataset")
class TextLineDataset(FileDataset):
    """The lines of text files, as strings without their ends.

    ``filenames`` is a name, several, a tensor of them or a dataset of them. ``compression_type`` is
    ``""``, ``"ZLIB"`` or ``"GZIP"``; ``buffer_size`` bytes are read at a time. With
    ``num_parallel_reads`` the lines of so many files come by turns.

    Iterating raises NotFoundError for a file that is not there, DataLossError for one that cannot
    be decompressed.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("one\\ntwo\\n")
    ...     file.flush()
    ...     [line.numpy() for line in fg.data.TextLineDataset(file.name)]
    [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        rest = [compression_of(compression_type), _size(buffer_size)]
        self._read(filenames, "TextLineDataset", lambda names: [names, *rest], num_parallel_reads)


@public("data.TFRecordDataset")
class TFRecordDataset(FileDataset):
    """The records of TFRecord files, as strings.

    ``filenames`` is a name, several, a tensor of them or a dataset of them. ``compression_type`` is
    ``""``, ``"ZLIB"`` or ``"GZIP"``; ``buffer_size`` bytes are read at a time. With
    ``num_parallel_reads`` the records of so many files come by turns.

    Iterating raises NotFoundError for a file that is not there, DataLossError for a record that is
    cut off or does not fit its checksum; what follows is the next file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "empty.tfrecord")
    ...     open(path, "wb").close()
    ...     list(fg.data.TFRecordDataset(path))
    []
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        rest = [compression_of(compression_type), _size(buffer_size)]
        self._read(filenames, "TFRecordDataset", lambda names: [names, *rest], num_parallel_reads)


@public("data.FixedLengthRecordDataset")
class FixedLengthRecordDataset(FileDataset):
    """The records of ``record_bytes`` bytes each of files, as strings.

    ``header_bytes`` at the beginning of each file and ``footer_bytes`` at its end are left out.
    ``filenames`` is a name, several, a tensor of them or a dataset of them. ``compression_type`` is
    ``""``, ``"ZLIB"`` or ``"GZIP"``; ``buffer_size`` bytes are read at a time. With
    ``num_parallel_reads`` the records of so many files come by turns.

    Iterating raises InvalidArgumentError where what is left is no whole number of records (of a
    compressed file at its end, DataLossError), NotFoundError for a file that is not there.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("wb") as file:
    ...     _ = file.write(b"HaabbF")
    ...     file.flush()
    ...     records = fg.data.FixedLengthRecordDataset(file.name, 2, 1, 1)
    ...     [record.numpy() for record in records]
    [b'aa', b'bb']
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        head, record, foot = _size(header_bytes), scalar(record_bytes), _size(footer_bytes)
        rest = [head, record, foot, _size(buffer_size), compression_of(compression_type)]
        op = "FixedLengthRecordDatasetV2"
        self._read(filenames, op, lambda names: [names, *rest], num_parallel_reads)


def list_files(file_pattern: Any, shuffle: Any, seed: Any) -> Dataset:
    """``Dataset.list_files``."""
    patterns = texts(file_pattern)
    if patterns.dtype != string:
        raise TypeError(f"list_files takes patterns, which are strings, got {shown(file_pattern)}")
    names = _core.emit("MatchingFiles", (patterns,))
    count = _core.emit("Size", (names,), {"out_type": int64})
    Assert(count > 0, ["No files matched pattern: ", patterns])
    found = slices(names)
    if shuffle is None or shuffle:
        found = found.shuffle(_core.emit("Maximum", (count, scalar(1))), seed)
    return found
