"""``SparseTensor``: the elements of a tensor that are not zero, with their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import ops
from ..native import _core
from ..values import dtypes
from ..values.composite import CompositeTensor, with_values_of
from ..values.dtypes import as_dtype, float32
from ..values.markers import TensorType
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["SparseTensor", "SparseTensorSpec", "is_sparse", "made"]


class _Late:
    """What methods of ``SparseTensor`` call that itself makes them; ``methods`` fills it in."""

    add: Callable[..., Any]
    dispatch: Callable[..., Any]
    row: Callable[..., Any]
    times: Callable[..., Any]


late = _Late()


def is_sparse(value: Any) -> bool:
    """Whether it is a ``SparseTensor``."""
    return isinstance(value, SparseTensor)


@public("sparse.SparseTensor", "SparseTensor")
class SparseTensor(CompositeTensor, TensorType):
    """A tensor of zeros but for some elements: ``values`` at ``indices``.

    Args:
      indices: an int64 matrix, the coordinates of an element in each row.
      values: a vector of as many elements.
      dense_shape: the shape of the whole, an int64 vector.

    Most operations need the indices in row-major order, see ``fg.sparse.reorder``.

    >>> s = fg.SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2])
    >>> fg.sparse.to_dense(s).numpy().tolist()
    [[0, 5], [0, 0], [7, 0]]
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any):
        self._dense_shape = _int64(dense_shape, [0])
        self._indices = _int64(indices, [0, self._dense_shape.shape[0] or 0])
        self._values: Any = _core.convert_to_tensor(values)
        self._static = TensorShape(None)
        self._check()

    def _check(self) -> None:
        """ValueError where the ranks or sizes of the parts do not go together."""
        indices = self._indices.shape.with_rank(2)
        values = self._values.shape.with_rank(1)
        shape = self._dense_shape.shape.with_rank(1)
        counts, ranks = indices[:1].merge_with(values), indices[1:].merge_with(shape)
        if not _core.executing_eagerly():
            for part, known in (
                (self._indices, counts.concatenate(ranks)),
                (self._values, counts),
                (self._dense_shape, ranks),
            ):
                if not part.shape.is_fully_defined():
                    part.set_shape(known)

    @property
    def indices(self) -> Any:
        """The coordinates of the elements, an int64 matrix."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements."""
        return self._values

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole, an int64 vector."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        known = self._dense_shape._constant_value()
        if known is not None:
            return TensorShape(known.numpy().tolist())
        return self._static.merge_with(_sizes_of(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Tell more of the static shape. ValueError where it does not fit."""
        self._static = self.shape.merge_with(shape)

    def _learn_shape(self, others: Iterable[SparseTensor]) -> None:
        """Take over what all of those know of their shapes, one of which this is."""
        known = [other.shape for other in others]
        self.set_shape(known[0].most_specific_common_supertype(known[1:]))

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Any:
        """The operation that gives the elements, while a graph is built."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the elements, while it is built."""
        return self._values.graph

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other elements at the same coordinates. ValueError where there are more or fewer."""
        other = made(
            self._indices, _core.convert_to_tensor(new_values), self._dense_shape, self.shape
        )
        other._check()
        return other

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor of something with ``indices``, ``values`` and ``dense_shape``."""
        value = sparse_tensor_value
        if not all(hasattr(value, name) for name in ("indices", "values", "dense_shape")):
            raise TypeError(f"expected a sparse value, got {type(value).__name__}")
        return cls(value.indices, value.values, value.dense_shape)

    def consumers(self) -> list[Any]:
        """Empty: graphs are not searched for the users of a value."""
        return []

    def __mul__(self, other: Any) -> SparseTensor:
        return late.times(self, other, ops.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        return late.times(self, other, ops.truediv)

    def __add__(self, other: Any) -> Any:
        return late.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return late.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return late.add(self, -other if is_sparse(other) else -_core.convert_to_tensor(other))

    def __neg__(self) -> SparseTensor:
        return self.with_values(-self._values)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self._dense_shape!r})"
        )

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    _is_printed = True

    def _printed(self, summarize: int) -> Any:
        template = "'SparseTensor(indices={}, values={}, shape={})'"
        attrs = {"template": template, "placeholder": "{}", "summarize": summarize}
        parts = (self._indices, self._values, self._dense_shape)
        return _core.emit("StringFormat", parts, attrs)

    def __reduce__(self) -> Any:
        return _rebuilt, (self._indices, self._values, self._dense_shape)

    # What makes it a composite value.

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def _open_parts(self) -> tuple[Any, ...]:
        """Of each part whether its length, the number of elements, is not of the type."""
        return True, True, False

    def _from_components(self, parts: Any) -> SparseTensor:
        indices, values, dense_shape = parts
        return made(indices, values, dense_shape)

    def _dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        return late.dispatch(function, args, kwargs)

    def _row(self, index: Any) -> SparseTensor:
        """The row of that number, along the first axis."""
        return late.row(self, index)

    def _gradient_parts(self) -> list[Any]:
        return [self._values]

    def _with_gradient_parts(self, parts: list[Any]) -> Any:
        return with_values_of(lambda v: self.with_values(_core.convert_to_tensor(v)), parts)


def _rebuilt(*parts: Any) -> SparseTensor:
    """What a pickle has: by a name that stays, whatever module the class says that it is in."""
    return SparseTensor(*parts)


def _int64(value: Any, empty: list[Any]) -> Any:
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, (list, tuple)) and not value:
        return ops.zeros(empty, dtypes.int64)
    if isinstance(value, _core.Tensor):
        return value if value.dtype == dtypes.int64 else ops.cast(value, dtypes.int64)
    return _core.convert_to_tensor(value, dtypes.int64)


def _sizes_of(dense_shape: Any) -> TensorShape:
    """What is known of a shape of the graph: its rank, and those of its numbers that are constant
    where it is made of numbers.
    """
    rank = dense_shape.shape[0] if dense_shape.shape.rank == 1 else None
    if rank is None:
        return TensorShape(None)
    made_by = _core.made_by(dense_shape)
    if made_by is not None and made_by[0] == "Cast":
        made_by = _core.made_by(made_by[1][0])
    known: list[Any] = [None] * rank
    if made_by is not None and made_by[0] == "Pack":
        known = [x._constant_value() for x in made_by[1]]
    return TensorShape([None if size is None or int(size) < 0 else int(size) for size in known])


def made(indices: Any, values: Any, dense_shape: Any, static: Any = None) -> SparseTensor:
    """A sparse tensor of parts that need no conversion and no checks."""
    new = object.__new__(SparseTensor)
    new._indices, new._values, new._dense_shape = indices, values, dense_shape
    new._static = TensorShape(static)
    return new


@public("SparseTensorSpec")
class SparseTensorSpec(TypeSpec):
    """The type of a sparse tensor: shape and dtype.

    >>> spec = fg.SparseTensorSpec([None, 2], fg.int32)
    >>> spec.is_compatible_with(fg.sparse.from_dense([[0, 5], [7, 0]]))
    True

    Args:
      shape: the shape of the whole as far as it is known.
      dtype: the dtype of the elements.
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = float32):
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The type of a sparse tensor; TypeError for what is none."""
        if not isinstance(value, SparseTensor):
            raise TypeError(
                f"Expected SparseTensor or SparseTensorValue. Received: {value} of type "
                f"{type(value).__name__}."
            )
        return cls(value.shape, value.dtype)

    @property
    def value_type(self) -> type[Any]:
        """``SparseTensor``."""
        return SparseTensor

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _static_key(self) -> Any:
        return None if self._shape.rank is None else tuple(self._shape.as_list())

    @property
    def _component_specs(self) -> list[Any]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], "int64"),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], "int64"),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> SparseTensor:
        indices, values, dense_shape = components
        return made(indices, values, dense_shape, self._shape)

    def _batch(self, batch_size: Any) -> SparseTensorSpec:
        """The type of several such values in one, along a new first axis."""
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _row(self) -> SparseTensorSpec:
        """The type of a row, along the first axis."""
        return SparseTensorSpec(None if self._shape.rank is None else self._shape[1:], self._dtype)

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"
