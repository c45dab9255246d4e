"""``DynamicRaggedShape``: the shape of a ragged tensor as a value.

A shape is a ``RowPartition`` for each partitioned axis, and the *inner shape*, a vector: that of
the flat values, whose first size is the number of values of the last partition. Functions that
take a shape ask it (``_dispatch``); ``shapes`` is what they do. Static sizes are what the tensors
in it are known to hold, so that a shape may be an argument whose trace serves other sizes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from ..values import constants, dtypes
from ..values.composite import CompositeTensor
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from .row_partition import RowPartition
from .tensor import is_ragged, late

__all__ = ["DynamicRaggedShape", "DynamicRaggedShapeSpec"]


class DynamicRaggedShapeSpec(TypeSpec):
    """The type of a ``DynamicRaggedShape``.

    Args:
      row_partitions: the specs of its row partitions.
      static_inner_shape: what is known of the inner shape.
      dtype: int32 or int64.
    """

    __slots__ = ("_dtype", "_inner", "_partitions")

    def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: Any = dtypes.int64):
        self._partitions, self._inner = tuple(row_partitions), TensorShape(static_inner_shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def value_type(self) -> type[Any]:
        """``DynamicRaggedShape``."""
        return DynamicRaggedShape

    @property
    def dtype(self) -> Any:
        """The dtype of the sizes."""
        return self._dtype

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the inner shape; None where it is not known."""
        return self._inner.rank

    @property
    def num_row_partitions(self) -> int:
        """The number of partitioned axes."""
        return len(self._partitions)

    @property
    def rank(self) -> int | None:
        """The number of axes; None where it is not known."""
        return None if self._inner.rank is None else len(self._partitions) + self._inner.rank

    def _serialize(self) -> tuple[Any, ...]:
        return self._partitions, self._inner, self._dtype

    def _static_key(self) -> Any:
        return tuple([p._static_key() for p in self._partitions]), self._inner.rank

    @property
    def _component_specs(self) -> list[Any]:
        inner = TensorSpec([self._inner.rank], self._dtype)
        return [inner, *[spec for p in self._partitions for spec in p._component_specs]]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.inner_shape, *[p.row_splits() for p in value.row_partitions]]

    def _from_components(self, components: Any) -> DynamicRaggedShape:
        inner, *splits = components
        pairs = zip(splits, self._partitions, strict=True)
        partitions = [RowPartition(s, spec.uniform_row_length) for s, spec in pairs]
        return DynamicRaggedShape._of(partitions, inner)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._partitions}, "
            f"static_inner_shape={self._inner!r}, dtype={self._dtype!r})"
        )


@public("experimental.DynamicRaggedShape")
class DynamicRaggedShape(CompositeTensor):
    """The shape of a tensor, ragged or not, as a value.

    ``fg.shape`` of a ragged tensor gives one, and ``reshape``, ``fill``, ``ones``, ``zeros``,
    ``broadcast_to`` and ``broadcast_dynamic_shape`` take it.

    Args:
      row_partitions: a ``RowPartition`` for each partitioned axis, the outermost first.
      inner_shape: the shape of the flat values; of the whole where no axis is partitioned.
      dtype: int32 or int64; by default that of the partitions or the inner shape, else int64.
      validate: whether to check when run that the partitions fit one another.
      static_inner_shape: what is known of the inner shape beside its values.

    Raises:
      TypeError: for what is no ``RowPartition``.
      ValueError: where partitions are known not to fit.

    >>> shape = fg.shape(fg.ragged.constant([[1], [2, 3, 4], []]))
    >>> shape
    <DynamicRaggedShape lengths=[3, (1, 3, 0)] num_row_partitions=1>
    >>> fg.ones(shape).to_list()
    [[1.0], [1.0, 1.0, 1.0], []]
    """

    Spec = DynamicRaggedShapeSpec

    def __init__(
        self,
        row_partitions: Any,
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ):
        if not isinstance(row_partitions, Iterable):
            raise TypeError(f"row_partitions must be a list of them, got {shown(row_partitions)}")
        partitions = list(row_partitions)
        for one in partitions:
            if not isinstance(one, RowPartition):
                raise TypeError(f"row_partitions must hold RowPartition objects, got {shown(one)}")
        kind = _dtype_of(partitions, inner_shape) if dtype is None else dtypes.as_dtype(dtype)
        inner = ops.cast(_core.convert_to_tensor(inner_shape, dtype_hint=kind), kind)
        if inner.shape.rank not in (1, None):
            raise ValueError(f"inner_shape must be a vector, got shape {inner.shape}")
        self._partitions = tuple([one.with_dtype(kind) for one in partitions])
        self._inner = inner
        self._known_inner = _known(inner).merge_with(static_inner_shape)
        self._check(validate)

    @classmethod
    def _of(cls, partitions: Any, inner: Any, known: Any = None) -> DynamicRaggedShape:
        """A shape of partitions and a vector of one dtype that fit; of the vector this is known."""
        made = object.__new__(cls)
        made._partitions, made._inner = tuple(partitions), inner
        made._known_inner = _known(inner).merge_with(known)
        return made

    def _check(self, validate: bool) -> None:
        known = self._known_inner
        counts = [(p.static_nrows, p.nrows) for p in self._partitions[1:]]
        size = known[0] if self._partitions and known.rank else None
        if self._partitions:
            counts.append((size, lambda: self._inner[0]))
        for above, (below, asked) in zip(self._partitions, counts, strict=True):
            nvals, message = above.static_nvals, "row partitions and inner shape do not fit"
            if nvals is not None and below is not None:
                if nvals != below:
                    raise ValueError(f"{message}: {nvals} values make {below} rows")
            elif validate:
                partition.require(ops.equal(above.nvals(), asked()), message)

    # Making.

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: Any = dtypes.int64
    ) -> DynamicRaggedShape:
        """The shape of these lengths: an integer for an axis along which all are alike, a tuple of
        them where they differ. As few axes as can be are partitioned, unless told.

        ValueError for what is no list of integers and tuples of integers, or for lengths that do
        not fit.

        >>> fg.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 3])
        <DynamicRaggedShape lengths=[2, (2, 1), 3] num_row_partitions=1>
        """
        if not isinstance(lengths, list) or not all(map(_is_length, lengths)):
            raise ValueError(
                f"lengths must be a list of int and tuples of int, got {shown(lengths)}"
            )
        ragged = [i for i, n in enumerate(lengths) if not isinstance(n, int)]
        count = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if not isinstance(count, int) or count < 0 or count >= max(len(lengths), 1):
            raise ValueError(
                f"num_row_partitions must be an int below the rank, got {shown(count)}"
            )
        if ragged and ragged[-1] > count:
            raise ValueError(f"axis {ragged[-1]} is ragged, and only {count} are partitioned")
        if count == 0:
            return cls([], lengths, dtype)
        rows, partitions = lengths[0], []
        for n in lengths[1 : count + 1]:
            if isinstance(n, int):
                made = RowPartition.from_uniform_row_length(n, nrows=rows, dtype=dtype)
                rows = n * rows
            else:
                if len(n) != rows:
                    raise ValueError(f"{rows} rows are expected, {n} says the lengths of {len(n)}")
                made = RowPartition.from_row_lengths(list(n), dtype=dtype)
                rows = sum(n)
            partitions.append(made)
        return cls(partitions, [rows, *lengths[count + 1 :]], dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of these partitions, with scalars in the rows of the last one.

        ValueError without any.
        """
        if not row_partitions:
            raise ValueError("row_partitions must not be empty")
        return cls(row_partitions, ops.reshape(row_partitions[-1].nvals(), [1]), dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of a tensor, ragged or not: of the dtype of its row splits, or int64."""
        if not is_ragged(t):
            t = _core.convert_to_tensor(t)
            kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
            return cls._of((), ops.shape(t, kind), t.shape)
        kind = t.row_splits.dtype if dtype is None else dtypes.as_dtype(dtype)
        partitions = [
            RowPartition(level.row_splits, level._uniform, level.values.shape[:1][0])
            for level in t._levels()
        ]
        inner, known = ops.shape(t.flat_values, kind), t.flat_values.shape
        return cls._of([one.with_dtype(kind) for one in partitions], inner, known)

    # What it says.

    @property
    def row_partitions(self) -> tuple[Any, ...]:
        """The partitions of the axes behind the first, the outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of partitioned axes."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the flat values, a vector."""
        return self._inner

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the inner shape; None where it is not known."""
        return self._known_inner.rank

    @property
    def rank(self) -> int | None:
        """The number of axes; None where it is not known."""
        inner = self.inner_rank
        return None if inner is None else inner + len(self._partitions)

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self._inner.dtype

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with sizes of that dtype."""
        return DynamicRaggedShape(
            self._partitions, self._inner, dtype, static_inner_shape=self._known_inner
        )

    def is_uniform(self, axis: int) -> bool:
        """Whether all lengths along an axis are alike.

        Raises:
          TypeError: for an axis that is no int.
          IndexError: for one that is not there.
        """
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an int, got {shown(axis)}")
        if axis < 0 or self.rank is not None and axis >= self.rank:
            raise IndexError(f"axis {axis} of a shape of rank {self.rank}")
        inside = 0 < axis <= len(self._partitions)
        return not inside or self._partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """What is known of the lengths of each axis: an int, a tuple of them, or None.

        ``...`` stands at the end where the rank is not known. Without ``ragged_lengths`` those of
        ragged axes are None.
        """
        inner: list[Any] = [...] if self.inner_rank is None else self._known_inner.as_list()
        if not self._partitions:
            return inner
        rows = [self._partitions[0].static_nrows]
        for one in self._partitions:
            known = None
            if one.is_uniform():
                rows.append(one.static_uniform_row_length)
                continue
            if ragged_lengths:
                known = one.row_lengths()._constant_value()
            rows.append(None if known is None else tuple(known.numpy().tolist()))
        return rows + (inner if inner == [...] else inner[1:])

    def __getitem__(self, index: Any) -> Any:
        """The size along an axis, a scalar, or the shape of a range of axes.

        Raises:
          ValueError: for an axis along which lengths differ, or a range with such an axis that
            does not begin with the first.
          IndexError: for an axis that is not there, or a step.
          TypeError: for what is no int and no slice.
        """
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError(f"a shape is indexed by an int or a slice, not by {shown(index)}")
        if index < 0:
            if self.rank is None:
                raise ValueError("a negative index needs a shape of known rank")
            index += self.rank
        return self._size(index)

    def _size(self, axis: int) -> Any:
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform: lengths differ along axis {axis}")
        count = len(self._partitions)
        if axis == 0 and count:
            return self._partitions[0].nrows()
        if 0 < axis <= count:
            return self._partitions[axis - 1].uniform_row_length()
        known = self._known_inner[axis - count] if self.inner_rank is not None else None
        return self._inner[axis - count] if known is None else constants.constant(known, self.dtype)

    def _slice(self, key: slice) -> DynamicRaggedShape:
        if key.step not in (None, 1):
            raise IndexError("a shape is not sliced with a step")
        if self.rank is None:
            raise ValueError("slices of a shape need a known rank")
        start, stop, _ = key.indices(self.rank)
        count = len(self._partitions)
        if stop <= start:
            return DynamicRaggedShape([], ops.zeros([0], self.dtype))
        if start:
            sizes = [self._size(axis) for axis in range(start, stop)]
            return DynamicRaggedShape([], ops.stack(sizes))
        if stop > count:
            return DynamicRaggedShape(self._partitions, self._inner[: stop - count])
        if stop == 1:
            return DynamicRaggedShape([], ops.stack([self._partitions[0].nrows()]))
        return DynamicRaggedShape.from_row_partitions(self._partitions[: stop - 1])

    def __repr__(self) -> str:
        parts = ["..." if n is ... else repr(n) for n in self.static_lengths()]
        lengths = ", ".join(parts)
        count = len(self._partitions)
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={count}>"

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape) or self._trace_key() != other._trace_key():
            return False
        pairs = zip(self._component_list(), other._component_list(), strict=True)
        found = [ops.reduce_all(ops.equal(a, b)) for a, b in pairs if a.shape == b.shape]
        if len(found) <= len(self._partitions):
            return False
        return ops.reduce_all(ops.stack(found))

    def __ne__(self, other: object) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else ops.logical_not(same)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return DynamicRaggedShape, (self._partitions, self._inner)

    # What makes it a composite value.

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        partitions = [one._type_spec for one in self._partitions]
        return DynamicRaggedShapeSpec(partitions, self._known_inner, self.dtype)

    def _dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        return late.dispatch(function, args, kwargs)


def _dtype_of(partitions: list[Any], inner: Any) -> Any:
    """The dtype of partitions; that of an inner shape of int32 without any; else int64."""
    if partitions:
        return partitions[0].dtype
    given = getattr(inner, "dtype", None)
    return dtypes.int32 if given is not None and given == dtypes.int32 else dtypes.int64


def _known(inner: Any) -> TensorShape:
    """What a vector of sizes is known to hold."""
    value = inner._constant_value()
    if value is not None:
        return TensorShape(value.numpy().tolist())
    shape = inner.shape
    return TensorShape(None if shape.rank is None or shape[0] is None else [None] * shape[0])


def _is_length(value: Any) -> bool:
    return isinstance(value, int) or (
        isinstance(value, tuple) and all(isinstance(n, int) for n in value)
    )
