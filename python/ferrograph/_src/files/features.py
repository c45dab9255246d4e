"""Specifications of the features that are parsed from examples."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..values import dtypes
from ..values.public import public

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
]


@public("io.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature of as many values as its shape says; it parses as a tensor.

    >>> fg.io.FixedLenFeature([2], fg.float32, default_value=[0.0, 1.0]).shape
    [2]

    Attributes:
      shape: the shape of the values.
      dtype: float32, int64 or string.
      default_value: the values of an example without the feature, which is an error without them.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


@public("io.VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature of any number of values; it parses as a sparse tensor.

    >>> fg.io.VarLenFeature(fg.string).dtype
    fg.string

    Attributes:
      dtype: float32, int64 or string.
    """

    dtype: Any


@public("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of parts of one shape; it parses as a tensor, filled up.

    >>> fg.io.FixedLenSequenceFeature([3], fg.int64, allow_missing=True).allow_missing
    True

    Attributes:
      shape: the shape of a part.
      dtype: float32, int64 or string.
      allow_missing: whether examples without it have no parts; else they are errors.
      default_value: the scalar that fills up.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class RowSplits(NamedTuple):
    """Rows of a ragged feature by where each begins and the last ends."""

    key: str


class RowLengths(NamedTuple):
    """Rows of a ragged feature by how many values each has."""

    key: str


class RowStarts(NamedTuple):
    """Rows of a ragged feature by where each begins."""

    key: str


class RowLimits(NamedTuple):
    """Rows of a ragged feature by where each ends."""

    key: str


class ValueRowIds(NamedTuple):
    """Rows of a ragged feature by the row of each value."""

    key: str


class UniformRowLength(NamedTuple):
    """Rows of a ragged feature that have one length."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


class _Ragged(NamedTuple):
    dtype: Any
    value_key: str | None
    partitions: tuple[Any, ...]
    row_splits_dtype: Any
    validate: bool


@public("io.RaggedFeature")
class RaggedFeature(_Ragged):
    """A feature of any number of values; it parses as a ragged tensor.

    Partitions divide the values into rows, the first one outermost: those that name a feature,
    whose integers say where rows are, and ``UniformRowLength(n)``.

    >>> rows = fg.io.RaggedFeature.RowLengths("lengths")
    >>> wanted = {"words": fg.io.RaggedFeature(fg.string, value_key="words", partitions=[rows])}
    >>> example = fg.train.Example()
    >>> example.features.feature["words"].bytes_list.value.extend([b"a", b"b", b"c"])
    >>> example.features.feature["lengths"].int64_list.value.extend([1, 2])
    >>> fg.io.parse_single_example(example.SerializeToString(), wanted)["words"].to_list()
    [[b'a'], [b'b', b'c']]

    Attributes:
      dtype: float32, int64 or string.
      value_key: the name of the feature; that of the result where None.
      partitions: what divides the values into rows.
      row_splits_dtype: int32 or int64.
      validate: whether partitions are held against the values.
    """

    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        """What is wanted of a ragged feature."""
        for part in partitions:
            if not isinstance(part, PARTITIONS):
                raise TypeError(
                    f"Argument `partitions` cannot be cast to any of the partition types in "
                    f"{PARTITIONS}; got: {part} with type {type(part)}"
                )
        return super().__new__(
            cls, dtype, value_key, tuple(partitions), row_splits_dtype, bool(validate)
        )


class _Sparse(NamedTuple):
    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool


@public("io.SparseFeature")
class SparseFeature(_Sparse):
    """Two features or more that are a sparse tensor: coordinates and values.

    >>> wanted = {"s": fg.io.SparseFeature("at", "value", fg.float32, size=10)}
    >>> example = fg.train.Example()
    >>> example.features.feature["at"].int64_list.value.extend([3, 1])
    >>> example.features.feature["value"].float_list.value.extend([0.5, 1.5])
    >>> s = fg.io.parse_single_example(example.SerializeToString(), wanted)["s"]
    >>> s.indices.numpy().tolist(), s.values.numpy().tolist()
    ([[1], [3]], [1.5, 0.5])

    Attributes:
      index_key: the name of the feature of coordinates, or a list of such, one for each axis.
      value_key: the name of the feature of values.
      dtype: float32, int64 or string.
      size: the size of the axis, or a list of those of all axes.
      already_sorted: whether the coordinates are in order.
    """

    def __new__(
        cls, index_key: Any, value_key: str, dtype: Any, size: Any, already_sorted: bool = False
    ) -> SparseFeature:
        """What is wanted of features that are a sparse tensor."""
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)
