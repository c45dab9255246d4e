"""``RowPartition``: how the values of one ragged axis are divided into rows, without the values."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import FG, _core
from ..ops import partition
from ..values import constants, dtypes
from ..values.composite import CompositeTensor
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["RowPartition", "RowPartitionSpec"]


@public("experimental.RowPartition")
class RowPartition(CompositeTensor):
    """How values are divided into rows: where each row begins and ends.

    Made by the class methods ``from_...``, which take integers of int32 or int64; lists become
    int64 unless ``dtype`` or ``dtype_hint`` says otherwise. ``validate`` asks whether rows can be
    divided so, InvalidArgumentError where not.

    >>> rows = fg.experimental.RowPartition.from_row_lengths([2, 0, 3])
    >>> rows.row_splits().numpy().tolist()
    [0, 2, 2, 5]
    >>> rows.value_rowids().numpy().tolist()
    [0, 0, 2, 2, 2]
    """

    def __init__(
        self, row_splits: Any, uniform_row_length: int | None = None, nvals: int | None = None
    ):
        self._row_splits, self._uniform = row_splits, uniform_row_length
        self._nvals = nvals

    # Making.

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Row ``i`` holds the values from ``row_splits[i]`` to before ``row_splits[i + 1]``.

        Raises:
          ValueError: where the splits are no vector, or empty.
        """
        splits = _integers(row_splits, dtype, dtype_hint)
        if (
            splits.shape.rank not in (1, None)
            or splits.shape.is_compatible_with([0])
            and (splits.shape.is_fully_defined())
        ):
            raise ValueError(f"row_splits must be a vector and not empty, got shape {splits.shape}")
        if validate:
            partition.check_splits(splits, splits[-1])
        return cls(splits)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Row ``i`` holds the next ``row_lengths[i]`` values."""
        lengths = _integers(row_lengths, dtype, dtype_hint)
        return cls.from_row_splits(partition.splits_of_lengths(lengths), validate)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Value ``i`` belongs to row ``value_rowids[i]``; the numbers must not fall.

        There are ``nrows`` rows, by default as many as the last number says.
        """
        numbers = _integers(value_rowids, dtype, dtype_hint)
        if validate:
            partition.check_rowids(numbers, nrows)
        return cls.from_row_splits(partition.splits_of_rowids(numbers, nrows), validate)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Row ``i`` begins at ``row_starts[i]`` and goes on to the next start, or to ``nvals``."""
        starts = _integers(row_starts, dtype, dtype_hint)
        end = ops.reshape(ops.cast(nvals, starts.dtype), [1])
        return cls.from_row_splits(ops.concat([starts, end], 0), validate)

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Row ``i`` ends before ``row_limits[i]``."""
        limits = _integers(row_limits, dtype, dtype_hint)
        return cls.from_row_splits(partition.with_zero(limits), validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Rows of one length: ``nrows`` of them, or as many as ``nvals`` values make.

        Raises:
          ValueError: where neither is given, or the length is 0 and ``nrows`` is not given.
        """
        if nvals is None and nrows is None:
            raise ValueError("from_uniform_row_length needs nvals or nrows")
        length = _integers(uniform_row_length, dtype, dtype_hint)
        count = None if nvals is None else ops.cast(nvals, length.dtype)
        what = "RowPartition.from_uniform_row_length"
        splits, known = partition.uniform_splits(length, nrows, count, what)
        if validate and count is not None:
            partition.check_splits(splits, count)
        return cls(splits, known)

    # What it says.

    @property
    def dtype(self) -> Any:
        """int32 or int64: of the splits, and of all that is asked of them."""
        return self._row_splits.dtype

    def row_splits(self) -> Any:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    def row_starts(self) -> Any:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self) -> Any:
        """Where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self) -> Any:
        """The length of each row."""
        return self._row_splits[1:] - self._row_splits[:-1]

    def value_rowids(self) -> Any:
        """The row of each value."""
        return partition.rowids(self._row_splits)

    def offsets_in_rows(self) -> Any:
        """The place of each value in its row."""
        return partition.offsets(self._row_splits, self.value_rowids())

    def nrows(self) -> Any:
        """The number of rows, a scalar tensor."""
        return ops.size(self._row_splits, self.dtype) - 1

    def nvals(self) -> Any:
        """The number of values, a scalar tensor."""
        return self._row_splits[-1]

    def uniform_row_length(self) -> Any:
        """The one length of all rows, a scalar tensor; None where they may differ."""
        return None if self._uniform is None else constants.constant(self._uniform, self.dtype)

    def is_uniform(self) -> bool:
        """Whether all rows have one length, as the type knows."""
        return self._uniform is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows where it is known while tracing."""
        shape = self._row_splits.shape
        return None if shape.rank is None or shape[0] is None else shape[0] - 1

    @property
    def static_nvals(self) -> int | None:
        """The number of values where it is known while tracing."""
        if self._nvals is not None:
            return self._nvals
        rows = self.static_nrows
        if self._uniform is not None and rows is not None:
            return self._uniform * rows
        known = self._row_splits._constant_value()
        return None if known is None else int(known[-1])

    @property
    def static_uniform_row_length(self) -> int | None:
        """The one length of all rows where it is known while tracing."""
        return self._uniform

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same rows with splits of that dtype, int32 or int64."""
        dtype = _row_dtype(dtype)
        if dtype == self.dtype:
            return self
        return RowPartition(ops.cast(self._row_splits, dtype), self._uniform, self._nvals)

    def __repr__(self) -> str:
        if self._uniform is not None:
            rows = self.nrows()
            length = self.uniform_row_length()
            return f"{FG}.RowPartition(nrows={rows}, uniform_row_length={length})"
        return f"{FG}.RowPartition(row_splits={self._row_splits})"

    def __reduce__(self) -> Any:
        return RowPartition, (self._row_splits, self._uniform, self._nvals)

    # What makes it a composite value.

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(self.static_nrows, self.static_nvals, self._uniform, self.dtype)

    def _from_components(self, parts: Any) -> RowPartition:
        return RowPartition(parts[0], self._uniform)


class RowPartitionSpec(TypeSpec):
    """The type of a ``RowPartition``.

    Args:
      nrows: the number of rows; None where it is not known.
      nvals: the number of values; None where it is not known.
      uniform_row_length: the length of all rows; None where they may differ.
      dtype: int32 or int64.
    """

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform")

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: Any = dtypes.int64,
    ):
        self._nrows, self._nvals = TensorShape([nrows]), TensorShape([nvals])
        self._uniform, self._dtype = uniform_row_length, _row_dtype(dtype)

    @property
    def value_type(self) -> type[Any]:
        """``RowPartition``."""
        return RowPartition

    @property
    def nrows(self) -> int | None:
        """The number of rows."""
        return self._nrows[0]

    @property
    def nvals(self) -> int | None:
        """The number of values."""
        return self._nvals[0]

    @property
    def uniform_row_length(self) -> int | None:
        """The length of all rows."""
        return self._uniform

    @property
    def dtype(self) -> Any:
        """The dtype of the splits."""
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform, self._dtype

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> RowPartitionSpec:
        nrows, nvals, uniform, dtype = serialization
        return cls(TensorShape(nrows)[0], TensorShape(nvals)[0], uniform, dtype)

    def _static_key(self) -> Any:
        return self._uniform

    @property
    def _component_specs(self) -> list[Any]:
        rows = self.nrows
        return [TensorSpec([None if rows is None else rows + 1], self._dtype)]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.row_splits()]

    def _from_components(self, components: Any) -> RowPartition:
        return RowPartition(components[0], self._uniform)

    def _for_trace(self) -> RowPartitionSpec:
        return RowPartitionSpec(None, None, self._uniform, self._dtype)

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
            f"uniform_row_length={self._uniform}, dtype={self._dtype!r})"
        )


def _row_dtype(dtype: Any) -> Any:
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"dtype must be int32 or int64, got {dtype.name}")
    return dtype


def _integers(value: Any, dtype: Any, hint: Any) -> Any:
    """Splits, lengths or row numbers as a tensor of the dtype told or hinted at."""
    if dtype is not None:
        return ops.cast(partition.integers(value), _row_dtype(dtype))
    if hint is not None and not isinstance(value, _core.Tensor):
        return _core.convert_to_tensor(value, _row_dtype(hint))
    return partition.integers(value)
