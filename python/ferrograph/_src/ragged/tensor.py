"""``RaggedTensor``: rows of different lengths, as one tensor of values and where the rows end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import ops
from ..native import FG, _core
from ..ops import arithmetic, partition
from ..ops._ranks import of_rank
from ..values import constants, dtypes, errors
from ..values.composite import CompositeTensor, with_values_of
from ..values.markers import TensorType
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .spec import RaggedTensorSpec

__all__ = ["RaggedTensor", "is_ragged"]


class _Late:
    """What methods of ``RaggedTensor`` call that itself makes them; ``methods`` fills it in."""

    from_tensor: Callable[..., Any]
    from_sparse: Callable[..., Any]
    to_tensor: Callable[..., Any]
    to_sparse: Callable[..., Any]
    to_list: Callable[..., Any]
    to_numpy: Callable[..., Any]
    merge_dims: Callable[..., Any]
    printed: Callable[..., Any]
    getitem: Callable[..., Any]
    dispatch: Callable[..., Any]


late = _Late()


def is_ragged(value: Any) -> bool:
    """Whether it is a ``RaggedTensor``."""
    return isinstance(value, RaggedTensor)


@public("RaggedTensor")
class RaggedTensor(CompositeTensor, TensorType):
    """A tensor with axes along which its rows have different lengths.

    Row ``i`` is ``values[row_splits[i]:row_splits[i + 1]]``; values may be ragged themselves.
    Made by ``fg.ragged.constant`` and the class methods ``from_...``. Operators and elementwise
    functions work on it, as do reductions, ``concat``, ``stack``, ``gather``, ``where`` and others.

    >>> r = fg.ragged.constant([[3, 1], [], [4, 1, 5]])
    >>> (r + 1).to_list()
    [[4, 2], [], [5, 2, 6]]
    >>> fg.reduce_sum(r, axis=1).numpy().tolist()
    [4, 0, 10]
    """

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None):
        self._values, self._row_splits = values, row_splits
        self._uniform = uniform_row_length

    # Making.

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` holds ``values[row_splits[i]:row_splits[i + 1]]``.

        InvalidArgumentError where the splits do not begin with 0, fall, or do not end with the
        number of values, unless ``validate`` is False.
        """
        values, splits = _values(values), partition.integers(row_splits)
        if splits.shape.rank not in (1, None):
            raise ValueError(f"row_splits must be a vector, got shape {splits.shape}")
        if splits.shape.rank == 1 and splits.shape[0] == 0:
            raise ValueError("row_splits holds one number more than there are rows, it is empty")
        if splits.shape.rank is None:
            splits.set_shape([None])
        if validate:
            partition.check_splits(splits, _count(values, splits.dtype))
        return cls(values, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` holds the next ``row_lengths[i]`` values."""
        splits = partition.splits_of_lengths(partition.integers(row_lengths))
        return cls.from_row_splits(values, splits, name, validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Value ``i`` belongs to row ``value_rowids[i]``; the numbers must not fall.

        There are ``nrows`` rows, by default as many as the last number says.
        """
        rowids = of_rank(partition.integers(value_rowids), 1)
        if validate:
            partition.check_rowids(rowids, nrows)
        splits = partition.splits_of_rowids(rowids, nrows)
        return cls.from_row_splits(values, splits, name, validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` begins at ``row_starts[i]`` and goes on to the next start."""
        values, starts = _values(values), partition.integers(row_starts)
        end = ops.reshape(_count(values, starts.dtype), [1])
        return cls.from_row_splits(values, ops.concat([starts, end], 0), name, validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row ``i`` ends before ``row_limits[i]``."""
        limits = partition.integers(row_limits)
        return cls.from_row_splits(values, partition.with_zero(limits), name, validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Rows of one length; ``nrows`` of them, which must be told where the length is 0."""
        values = _values(values)
        length = partition.scalar(uniform_row_length)
        count = _count(values, length.dtype)
        splits, known = partition.uniform_splits(length, nrows, count, "from_uniform_row_length")
        if validate:
            partition.check_splits(splits, count)
        return cls(values, splits, known)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes, the outermost first."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes, the outermost first."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged axes, the outermost first."""
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        for rowids, nrows in reversed(list(zip(nested_value_rowids, counts, strict=True))):
            flat_values = cls.from_value_rowids(flat_values, rowids, nrows, validate=validate)
        return flat_values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = None,
    ) -> RaggedTensor:
        """The rows of a tensor, cut to ``lengths`` or without ``padding`` at their end."""
        return late.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = None
    ) -> RaggedTensor:
        """The rows of a sparse matrix whose rows are filled from their beginning."""
        return late.from_sparse(st_input, row_splits_dtype)

    # Parts.

    @property
    def values(self) -> Any:
        """What the rows hold one after the other: a tensor, or ragged itself."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost values, a tensor."""
        inner = self._values
        while isinstance(inner, RaggedTensor):
            inner = inner._values
        return inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged axes, the outermost first."""
        return tuple(r._row_splits for r in self._levels())

    @property
    def uniform_row_length(self) -> Any:
        """The one length that all rows have, None where they may differ."""
        if self._uniform is None:
            return None
        return constants.constant(self._uniform, self._row_splits.dtype)

    @property
    def ragged_rank(self) -> int:
        """The number of axes that are partitioned by splits."""
        return len(self._levels())

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; None along ragged axes."""
        splits = self._row_splits.shape
        rows = None if splits.rank is None or splits[0] is None else splits[0] - 1
        return TensorShape([rows, self._uniform]).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """The number of rows, a scalar tensor."""
        count = ops.size(self._row_splits, self._row_splits.dtype) - 1
        return count if out_type is None else ops.cast(count, out_type)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row; with ``axis`` above 1 a ragged tensor of those further in."""
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._row_splits[1:] - self._row_splits[:-1]
        if is_ragged(self._values):
            return self.with_values(self._values.row_lengths(axis - 1))
        inner = ops.shape(self._values, self._row_splits.dtype)
        return self.with_values(ops.fill(inner[: axis - 1], inner[axis - 1]))

    def row_starts(self, name: str | None = None) -> Any:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Where each row ends."""
        return self._row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Any:
        """The row of each value."""
        return partition.rowids(self._row_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The lengths along all ragged axes, the outermost first."""
        return tuple(r.row_lengths() for r in self._levels())

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """The rows of the values along all ragged axes, the outermost first."""
        return tuple(r.value_rowids() for r in self._levels())

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """The shape of the smallest tensor that holds it, or its size along ``axis``."""
        dtype = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        if is_ragged(self._values):
            inner = self._values.bounding_shape(out_type=dtype)
        else:
            inner = ops.shape(self._values, dtype)
        width = ops.reduce_max(ops.concat([[0], self.row_lengths()], 0))
        head = ops.stack([ops.cast(self.nrows(), dtype), ops.cast(width, dtype)])
        whole = ops.concat([head, inner[1:]], 0)
        return whole if axis is None else ops.gather(whole, axis)

    def _levels(self) -> list[RaggedTensor]:
        found: list[RaggedTensor] = []
        inner: Any = self
        while isinstance(inner, RaggedTensor):
            found.append(inner)
            inner = inner._values
        return found

    # Other values in the same rows.

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other values; ValueError where their number differs."""
        new = _values(new_values)
        if not self._values.shape[:1].is_compatible_with(new.shape[:1]):
            raise ValueError(f"expected {self._values.shape[0]} values, got {new.shape[0]}")
        return RaggedTensor(new, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows at all levels with other innermost values."""
        if is_ragged(self._values):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same value with splits of that dtype, int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"row_splits are int32 or int64, not {dtype.name}")
        inner = self._values
        inner = inner.with_row_splits_dtype(dtype) if is_ragged(inner) else inner
        return RaggedTensor(inner, ops.cast(self._row_splits, dtype), self._uniform)

    # Conversion.

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """The rows as one tensor, filled up with ``default_value`` (zeros, empty strings).

        ``shape`` may give sizes to cut and fill to.
        """
        return late.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """The values at their coordinates."""
        return late.to_sparse(self)

    def to_list(self) -> list[Any]:
        """Nested lists of Python values. ValueError while tracing."""
        return late.to_list(self)

    def numpy(self) -> Any:
        """An array of its rows: of arrays where their lengths differ."""
        return late.to_numpy(self)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The axes from the one to the other as a single axis."""
        return late.merge_dims(self, outer_axis, inner_axis)

    def consumers(self) -> list[Any]:
        """Empty: graphs are not searched for the users of a value."""
        return []

    def __getitem__(self, key: Any) -> Any:
        return late.getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        rows = self.shape[0]
        if rows is None:
            raise errors.OperatorNotAllowedInGraphError(
                "a ragged tensor whose number of rows is not known while tracing can be iterated "
                "over by a `for` statement only"
            )
        return (self[i] for i in range(rows))

    def __len__(self) -> int:
        rows = self.shape[0]
        if rows is None:
            raise TypeError("len() of a ragged tensor whose number of rows is not known")
        return int(rows)

    def __bool__(self) -> bool:
        raise ValueError("the truth of a ragged tensor is ambiguous; reduce it first")

    def __repr__(self) -> str:
        if any(_core.is_symbolic(t) for t in (self.flat_values, *self.nested_row_splits)):
            return f"{FG}.RaggedTensor(values={self._values}, row_splits={self._row_splits})"
        return f"<{FG}.RaggedTensor {self.to_list()}>"

    _is_printed = True

    def _printed(self, summarize: int) -> Any:
        return late.printed(self, summarize)

    def __reduce__(self) -> Any:
        return _rebuilt, (self._values, self._row_splits, self._uniform)

    # What makes it a composite value.

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec._of(self)

    def _open_parts(self) -> tuple[Any, ...]:
        """Of each part whether its length is not of the type: only the number of rows is, and
        what rows of one length make of it."""
        levels = self._levels()
        uniform = all(level.uniform_row_length is not None for level in levels)
        return (not uniform, False, *[True] * (len(levels) - 1))

    def _from_components(self, parts: Any) -> RaggedTensor:
        return self._type_spec._for_trace()._from_components(parts)

    def _dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        return late.dispatch(function, args, kwargs)

    def _gradient_parts(self) -> list[Any]:
        return [self.flat_values]

    def _with_gradient_parts(self, parts: list[Any]) -> Any:
        return with_values_of(lambda v: self.with_flat_values(_core.convert_to_tensor(v)), parts)


def _rebuilt(*parts: Any) -> RaggedTensor:
    """What a pickle has: by a name that stays, whatever module the class says that it is in."""
    return RaggedTensor(*parts)


RaggedTensorSpec._value_class = RaggedTensor


def _values(values: Any) -> Any:
    return values if is_ragged(values) else _core.convert_to_tensor(values)


def _count(values: Any, dtype: Any) -> Any:
    if is_ragged(values):
        return ops.cast(values.nrows(), dtype)
    return ops.shape(values, dtype)[0]


def _nested(make: Any, flat_values: Any, parts: Any, validate: bool) -> Any:
    if isinstance(parts, _core.Tensor):
        raise TypeError("nested partitions are given as a list of tensors")
    for part in reversed(list(parts)):
        flat_values = make(flat_values, part, validate=validate)
    return flat_values


def _operator(function: Any, swapped: bool = False) -> Any:
    def method(self: RaggedTensor, other: Any) -> Any:
        return function(other, self) if swapped else function(self, other)

    return method


def _unary(function: Any) -> Any:
    return lambda self: function(self)


_PAIRS = {
    "add": ops.add,
    "sub": ops.subtract,
    "mul": ops.multiply,
    "truediv": ops.truediv,
    "floordiv": arithmetic.floordiv,
    "mod": arithmetic.floormod,
    "pow": ops.pow,
    "and": ops.logical_and,
    "or": ops.logical_or,
    "xor": arithmetic.logical_xor,
}
_COMPARISONS = {
    "lt": ops.less,
    "le": ops.less_equal,
    "gt": ops.greater,
    "ge": ops.greater_equal,
    "eq": ops.equal,
    "ne": ops.not_equal,
}
_ALONE: dict[str, Any] = {"neg": ops.negative, "abs": ops.abs, "invert": ops.logical_not}
_function: Any
for _name, _function in _PAIRS.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
    setattr(RaggedTensor, f"__r{_name}__", _operator(_function, swapped=True))
for _name, _function in _COMPARISONS.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
for _name, _function in _ALONE.items():
    setattr(RaggedTensor, f"__{_name}__", _unary(_function))
RaggedTensor.__hash__ = None  # type: ignore[assignment]
