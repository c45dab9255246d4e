"""``RaggedTensorSpec``: the type of ragged tensors."""

from __future__ import annotations

from typing import Any, ClassVar

from ..native import _core
from ..values.dtypes import as_dtype, float32, int32, int64
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["RaggedTensorSpec"]


@public("RaggedTensorSpec")
class RaggedTensorSpec(TypeSpec):
    """The type of a ragged tensor: its shape, dtype, and how many of its axes are partitioned.

    Args:
      shape: the shape, None along ragged axes; None where even the rank is unknown.
      dtype: the dtype of the values.
      ragged_rank: the number of axes that are partitioned; all but the first unless told.
      row_splits_dtype: int32 or int64.
      flat_values_spec: None, or the spec of the innermost values.

    >>> spec = fg.RaggedTensorSpec([None, None], fg.int32)
    >>> spec.is_compatible_with(fg.ragged.constant([[1, 2], []]))
    True
    """

    __slots__ = ("_dtype", "_ragged_rank", "_row_splits_dtype", "_shape")

    # ``RaggedTensor``, which says so itself.
    _value_class: ClassVar[Any]

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ):
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(flat_values_spec.dtype if dtype is None else dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if self._row_splits_dtype not in (int32, int64):
            raise ValueError(f"row_splits are int32 or int64, not {self._row_splits_dtype.name}")
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("RaggedTensorSpec needs a shape of known rank, or a ragged_rank")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank must be an int, got {shown(ragged_rank)}")
        if rank is not None and ragged_rank >= max(rank, 1):
            raise ValueError(f"ragged_rank {ragged_rank} is not below the rank {rank}")
        self._ragged_rank = ragged_rank

    @classmethod
    def _of(cls, value: Any) -> RaggedTensorSpec:
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        return cls._of(value)

    @property
    def value_type(self) -> type[Any]:
        """``RaggedTensor``, or ``Tensor`` where no axis is ragged."""
        return self._value_class if self._ragged_rank else _core.Tensor

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of axes that are partitioned."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> Any:
        """The dtype of the splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> None:
        """None: the innermost values are a tensor."""
        return None

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a ragged tensor, or some of another spec, could have this type."""
        if self._ragged_rank == 0 and not isinstance(spec_or_value, RaggedTensorSpec):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def _static_key(self) -> Any:
        return self._ragged_rank, self._uniforms()

    def _for_trace(self) -> RaggedTensorSpec:
        uniforms = self._uniforms()
        shape = None if not any(uniforms) else TensorShape([None, *uniforms])
        if shape is not None and self._shape.rank is not None:
            rest = self._shape.rank - 1 - len(uniforms)
            shape = shape.concatenate(TensorShape([None] * rest))
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank, self._row_splits_dtype)

    def _uniforms(self) -> tuple[Any, ...]:
        """The size of each partitioned axis where all rows have the same."""
        if self._shape.rank is None:
            return (None,) * self._ragged_rank
        return tuple(self._shape.as_list()[1 : self._ragged_rank + 1])

    @property
    def _component_specs(self) -> list[Any]:
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype)]
        inner: Any = None
        rows = None
        if self._shape.rank is not None:
            dims = self._shape.as_list()
            rows, sizes = dims[0], dims[: self._ragged_rank + 1]
            count: int | None = 1
            for size in sizes:
                count = None if size is None or count is None else count * size
            inner = [count, *dims[self._ragged_rank + 1 :]]
        splits = [TensorSpec([None if rows is None else rows + 1], self._row_splits_dtype)]
        splits += [TensorSpec([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [TensorSpec(inner, self._dtype), *splits]

    def _to_components(self, value: Any) -> list[Any]:
        if self._ragged_rank == 0:
            return [_core.convert_to_tensor(value)]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, components: Any) -> Any:
        made, *splits = components
        pairs = zip(splits, self._uniforms(), strict=True)
        for row_splits, uniform in reversed(list(pairs)):
            made = self._value_class(made, row_splits, uniform)
        return made

    def _batch(self, batch_size: Any) -> RaggedTensorSpec:
        """The type of several such values in one, along a new first axis."""
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> Any:
        """The type of the rows."""
        inner = self._shape[1:]
        if self._ragged_rank <= 1:
            return TensorSpec(inner, self._dtype)
        return RaggedTensorSpec(inner, self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def _row(self) -> RaggedTensorSpec:
        """The type of the rows, whose lengths may differ."""
        inner, rank = self._shape[1:], max(self._ragged_rank - 1, 0)
        return RaggedTensorSpec(inner, self._dtype, rank, self._row_splits_dtype)

    def __repr__(self) -> str:
        shape, dtype = repr(self._shape), repr(self._dtype)
        return (
            f"RaggedTensorSpec({shape}, {dtype}, {self._ragged_rank}, {self._row_splits_dtype!r})"
        )
