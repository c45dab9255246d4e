"""Initializers of static tables: keys and values, or the lines of a file."""

from __future__ import annotations

import os
from typing import Any

from ..context.thread import init_scope
from ..native import _core
from ..values.dtypes import DType, as_dtype, int64, string
from ..values.errors import shown
from ..values.public import public

__all__ = [
    "KeyValueTensorInitializer",
    "TableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
]


class TableInitializer:
    """What a table is filled with."""

    def __init__(self, key_dtype: Any, value_dtype: Any):
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fill a table. TypeError where it has other dtypes."""
        raise NotImplementedError

    def file(self) -> Any:
        """The path of the file that a table is filled from, a string tensor; None without one."""
        return None

    def _check(self, table: Any) -> None:
        for what in ("key_dtype", "value_dtype"):
            mine, other = getattr(self, what), getattr(table, what)
            if mine != other:
                raise TypeError(
                    f"the table's {what} is {other.name}, the initializer's {mine.name}"
                )


def _emitted(op: str, inputs: list[Any], attrs: dict[Any, Any] | None = None) -> None:
    """Fill a table: now, with values that are known now, else whenever the graph runs."""
    known = [tensor._constant_value() for tensor in inputs]
    if any(tensor is None for tensor in known):
        _core.emit(op, tuple(inputs), attrs)
        return
    with init_scope():
        _core.emit(op, tuple(known), attrs)


@public("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializer):
    """Keys and their values, two tensors of one shape.

    >>> init = fg.lookup.KeyValueTensorInitializer(["emerson", "lake"], [1, 2])
    >>> int(fg.lookup.StaticHashTable(init, -1).lookup(fg.constant("lake")))
    2

    Args:
      keys: a tensor of integers or strings.
      values: a tensor of as many values.
      key_dtype: the dtype of keys that are no tensor.
      value_dtype: the dtype of values that are no tensor.
      name: of the operation.
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ):
        self._keys = _core.convert_to_tensor(keys, key_dtype)
        self._values = _core.convert_to_tensor(values, value_dtype)
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> None:
        """Fill a table. TypeError where it has other dtypes."""
        self._check(table)
        _emitted("LookupTableImportV2", [table.resource_handle, self._keys, self._values])


@public("lookup.TextFileIndex")
class TextFileIndex:
    """What of a line is a key or value, beside the numbers of columns.

    >>> fg.lookup.TextFileIndex.WHOLE_LINE, fg.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@public("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializer):
    """The lines of a text file: of each a key, and a value.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "vocabulary.txt")
    >>> with open(path, "w") as file:
    ...     n = file.write("the\\nquick\\nfox\\n")
    >>> line, number = fg.lookup.TextFileIndex.WHOLE_LINE, fg.lookup.TextFileIndex.LINE_NUMBER
    >>> init = fg.lookup.TextFileInitializer(path, fg.string, line, fg.int64, number)
    >>> int(fg.lookup.StaticHashTable(init, -1).lookup(fg.constant("fox")))
    2

    Args:
      filename: the path of the file, or a ``saved_model.Asset``.
      key_dtype: the dtype of the keys.
      key_index: what of a line is the key: the number of a column, the number of the line, or all
        of it; see ``TextFileIndex``.
      value_dtype: the dtype of the values.
      value_index: what of a line is the value.
      vocab_size: how many lines are read; all unless it is given.
      delimiter: the byte between columns.
      name: of the operation.
      value_index_offset: the number of the first line.

    Raises:
      ValueError: for an empty name, an index or a size that cannot be, or line numbers that are not
        int64.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ):
        super().__init__(key_dtype, value_dtype)
        is_tensor = isinstance(filename, _core.Tensor) or hasattr(filename, "__tf_tensor__")
        if not is_tensor:
            filename = os.fspath(filename)
            if not filename:
                raise ValueError("`filename` must name a file, it is empty")
        _check_field("key", key_index, self._key_dtype)
        _check_field("value", value_index, self._value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename = _core.convert_to_tensor(filename, string)
        self._attrs = {
            "key_index": int(key_index),
            "value_index": int(value_index),
            "vocab_size": -1 if vocab_size is None else int(vocab_size),
            "delimiter": delimiter,
            "offset": int(value_index_offset),
        }

    def initialize(self, table: Any) -> None:
        """Fill a table. TypeError where it has other dtypes."""
        self._check(table)
        inputs = [table.resource_handle, self._filename]
        _emitted("InitializeTableFromTextFileV2", inputs, self._attrs)

    def file(self) -> Any:
        """The path of the file, a string tensor; None where only the graph knows it."""
        return self._filename._constant_value()

    def fill_from(self, table: Any, path: Any) -> None:
        """Fill a table from another file, as part of the graph that is traced."""
        inputs = (table.resource_handle, path)
        _core.emit("InitializeTableFromTextFileV2", inputs, self._attrs)


def _check_field(what: str, index: int, dtype: DType) -> None:
    """ValueError where no such field can be of that dtype."""
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 for `{what}_index` {index}, received: {shown(dtype)}"
        )
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != string:
        raise ValueError(
            f"`{what}_dtype` must be an integer or string for `{what}_index` {index}, received: "
            f"{shown(dtype)}"
        )
