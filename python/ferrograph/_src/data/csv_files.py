"""Datasets of the rows of files of separated values."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from ..context import thread
from ..native import _core
from ..ops.creation import zeros
from ..ops.files import matching_files
from ..values import dtypes
from ..values.dtypes import DType, as_dtype, string
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from . import structure
from .applied import interleave
from .dataset import AUTOTUNE, Dataset
from .files import FileDataset, compression_of, names_of, texts
from .options import Options
from .sources import slices
from .structure import flag, scalar

__all__ = ["CsvDataset", "make_csv_dataset"]

_COLUMN_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, string)
_BUFFER = 4 << 20


@public("data.experimental.CsvDataset")
class CsvDataset(FileDataset):
    """The rows of files of comma-separated values (RFC 4180), as tuples with a tensor a column.

    Iterating raises InvalidArgumentError for a row with another number of fields, a missing field
    without a default, or a field that is no number where its column has numbers; what follows is
    the next row.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("name,n\\na,1\\nb,\\n")
    ...     file.flush()
    ...     rows = fg.data.experimental.CsvDataset(file.name, [fg.string, [7]], header=True)
    ...     [(name.numpy(), int(n)) for name, n in rows]
    [(b'a', 1), (b'b', 7)]

    Args:
      filenames: a name, several, or a tensor of them.
      record_defaults: for each column the default of a missing field (a number, a string, or a list
        or tensor of one), or a dtype where none may be missing.
      compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
      buffer_size: how many bytes are read at a time.
      header: whether the first row of each file is left out.
      field_delim: what stands between fields: one character.
      use_quote_delim: whether quotes may enclose fields.
      na_value: a string for a missing field, besides the empty one.
      select_cols: the numbers of the columns that are taken, in ascending order.
      exclude_cols: the numbers of those that are not.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ):
        defaults = [_default(value) for value in list(record_defaults)]
        numbers = _chosen(select_cols, exclude_cols, len(defaults))
        spec = tuple(TensorSpec([], default.dtype) for default in defaults)
        inputs = [
            names_of(texts(filenames)),
            compression_of(compression_type),
            scalar(_BUFFER if buffer_size is None else buffer_size),
            flag(header),
            _core.convert_to_tensor(field_delim, string),
            flag(use_quote_delim),
            _core.convert_to_tensor(na_value, string),
            _core.convert_to_tensor(numbers, dtypes.int64),
            *defaults,
        ]
        variant = _core.emit("CSVDataset", inputs, structure.attributes(spec))
        self._set(variant, spec, "CsvDatasetV2", Options())


def _default(value: Any) -> Any:
    """The default of a missing field, as a tensor of one element; an empty one where none may be
    missing.

    ValueError for a dtype that columns do not have.
    """
    if isinstance(value, DType) or (isinstance(value, type) and value in (int, float, str)):
        dtype = as_dtype(value)
        if dtype not in _COLUMN_TYPES:
            raise ValueError(f"a column has numbers or strings, not {dtype.name}")
        return zeros([0], dtype)
    return _core.convert_to_tensor(value)


def _chosen(select: Any, exclude: Any, n: int) -> list[int] | Any:
    """The numbers of the columns that are taken; none for all."""
    if exclude is None or len(exclude) == 0:
        return [] if select is None else select
    if select is not None and len(select):
        raise ValueError("CsvDataset takes select_cols or exclude_cols, got both")
    left_out = [int(i) for i in exclude]
    if left_out != sorted(set(left_out)) or left_out[0] < 0:
        raise ValueError(f"exclude_cols must be ascending indices from 0 on, got {left_out}")
    rest = (i for i in itertools.count() if i not in left_out)
    return list(itertools.islice(rest, n))


@public("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: Any = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: Any = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of rows of files of comma-separated values: dicts from names to columns.

    With ``label_name`` pairs of such a dict and the column of that name. The dtypes of columns are
    found out from the first rows where ``column_defaults`` does not tell them; a missing field is 0
    or an empty string there.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("age,city,label\\n30,rome,1\\n25,oslo,0\\n")
    ...     file.flush()
    ...     batches = fg.data.experimental.make_csv_dataset(
    ...         file.name, batch_size=2, label_name="label", num_epochs=1, shuffle=False)
    ...     [(x["city"].numpy().tolist(), label.numpy().tolist()) for x, label in batches]
    [([b'rome', b'oslo'], [1, 0])]

    Args:
      file_pattern: a name or pattern of names, or several.
      batch_size: how many rows a batch has.
      column_names: the names of all columns; those of the first row where not given.
      column_defaults: for each column that is taken what ``CsvDataset`` takes.
      label_name: the column that stands apart.
      select_columns: the names or numbers of the columns that are taken.
      field_delim: what stands between fields: one character.
      use_quote_delim: whether quotes may enclose fields.
      na_value: a string for a missing field, besides the empty one.
      header: whether the first row of each file names the columns.
      num_epochs: how many times the rows are repeated; without end where not given.
      shuffle: whether files and rows come in random order.
      shuffle_buffer_size: the size of the buffer that rows are drawn from.
      shuffle_seed: the seed of that order.
      prefetch_buffer_size: how many batches are read ahead.
      num_parallel_reads: how many files are read by turns.
      sloppy: accepted; the order does not depend on timing.
      num_rows_for_inference: from how many rows dtypes are found out; from all for None.
      compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
      ignore_errors: whether rows that cannot be read are left out.
      encoding: the encoding of what is read to find out names and dtypes.

    Raises:
      ValueError: where no file fits, names differ between files, or a column is not there.
    """
    files = _Files(matching(file_pattern), field_delim, use_quote_delim, compression_type, encoding)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = files.header()
    names = list(column_names)
    _check_names(names, label_name)
    numbers = _numbers(names, select_columns)
    if column_defaults is None:
        found = files.types(len(names), numbers, na_value, header, num_rows_for_inference)
        column_defaults = [zeros([1], dtype) for dtype in found]
    taken = [names[i] for i in numbers]
    if len(column_defaults) != len(taken):
        raise ValueError(
            f"column_defaults has {len(column_defaults)} entries, {len(taken)} columns are taken"
        )
    if label_name is not None and label_name not in taken:
        raise ValueError(f"`label_name` {shown(label_name)} is not among the columns {taken}")

    def rows(name: Any) -> Dataset:
        found: Dataset = CsvDataset(
            name,
            column_defaults,
            compression_type,
            None,
            header,
            field_delim,
            use_quote_delim,
            na_value,
            numbers if len(numbers) < len(names) else None,
        )
        return found.ignore_errors() if ignore_errors else found

    def named(*columns: Any) -> Any:
        features = OrderedDict(zip(taken, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = slices(_core.convert_to_tensor(files.names, string))
    if shuffle:
        dataset = dataset.shuffle(len(files.names), shuffle_seed)
    reads = num_parallel_reads or 1
    dataset = interleave(dataset, rows, reads, 1, reads, None)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def matching(file_pattern: Any) -> list[str]:
    """The names that fit, sorted. ValueError where there are none."""
    with thread.init_scope():
        patterns = file_pattern if isinstance(file_pattern, (list, tuple)) else [file_pattern]
        if not patterns:
            raise ValueError("Argument `file_pattern` should not be empty.")
        found: Any = matching_files([os.fspath(p) for p in patterns])
        found = found.numpy()
    if not len(found):
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return [os.fsdecode(name) for name in found]


def _check_names(names: list[Any], label_name: Any) -> None:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    if label_name is not None and label_name not in names:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {names}. Received: {label_name}."
        )


def _numbers(names: list[Any], select: Any) -> list[int]:
    """The numbers of the columns that are taken, in ascending order."""
    if select is None:
        return list(range(len(names)))
    found = []
    for column in select:
        if isinstance(column, int) and 0 <= column < len(names):
            found.append(column)
        elif column in names:
            found.append(names.index(column))
        else:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: "
                f"{names}."
            )
    if len(set(found)) != len(found):
        raise ValueError(f"`select_columns` {list(select)} contains duplicate columns.")
    return sorted(found)


class _Files:
    """Files as Python reads them, for what is found out before any row is an element."""

    def __init__(
        self, names: list[str], delimiter: str, has_quotes: bool, compression: Any, encoding: str
    ):
        self.names, self._encoding = names, encoding
        quoting = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
        self._form: dict[str, Any] = {"delimiter": delimiter, "quoting": quoting}
        self._open = _opener(compression)

    def _rows(self, name: str) -> Iterator[list[str]]:
        with self._open(name) as file:
            text = io.TextIOWrapper(file, encoding=self._encoding, newline="")
            yield from csv.reader(text, **self._form)

    def header(self) -> list[str]:
        """The first row, which all files must share."""
        first: list[str] | None = None
        for name in self.names:
            row = next(self._rows(name), None)
            if row is None:
                raise ValueError(f"File {name} has no header row.")
            if first is not None and row != first:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. "
                    f"File {name} has different column names."
                )
            first = row
        return first or []

    def types(
        self, n: int, numbers: list[int], missing: str, has_header: bool, limit: Any
    ) -> list[DType]:
        """The narrowest dtypes that hold the first fields of those columns."""
        found: list[int | None] = [None] * len(numbers)
        for i, row in enumerate(itertools.islice(self._data(has_header), limit)):
            if len(row) != n:
                raise ValueError(
                    f"Problem inferring types: CSV row {i + 1 + has_header} has {len(row)} number "
                    f"of fields. Expected: {n}."
                )
            for k, number in enumerate(numbers):
                found[k] = _widened(row[number], missing, found[k])
        return [string if kind is None else _WIDENING[kind] for kind in found]

    def _data(self, has_header: bool) -> Iterator[list[str]]:
        for name in self.names:
            yield from itertools.islice(self._rows(name), int(has_header), None)


def _opener(compression: Any) -> Callable[[str], Any]:
    known = compression_of(compression)._constant_value()
    if known is None:
        raise ValueError("compression_type is known only when the graph runs")
    compression = known.numpy()
    if compression == b"GZIP":
        return lambda name: gzip.open(name, "rb")
    if compression == b"ZLIB":
        return _decompressed
    return lambda name: open(name, "rb")  # noqa: SIM115 - the caller closes it


def _decompressed(name: str) -> io.BytesIO:
    with open(name, "rb") as file:
        return io.BytesIO(zlib.decompress(file.read()))


# The dtypes that a column may be found to have, each holding more than those before it.
_WIDENING = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, string)
_FLOAT32_MAX = 3.4028234663852886e38


def _widened(field: str, missing: str, kind: int | None) -> int | None:
    """The number of the first dtype, from ``kind`` on, that holds a field."""
    if field in ("", missing):
        return kind
    return max(kind or 0, _kind(field))


def _kind(field: str) -> int:
    try:
        number = int(field)
    except ValueError:
        pass
    else:
        if -(2**31) <= number < 2**31:
            return 0
        if -(2**63) <= number < 2**63:
            return 1
    try:
        value = abs(float(field))
    except ValueError:
        return 4
    if value <= _FLOAT32_MAX:
        return 2
    return 3 if value < float("inf") else 4
