"""Values made of several tensors, which act as one: ``CompositeTensor``, and ``IndexedSlices``."""

from __future__ import annotations

from collections.abc import Sequence

from ..hints import Any
from ..native import _core
from . import nest
from .dtypes import as_dtype, float32, int64
from .errors import shown
from .markers import TensorType
from .public import public
from .tensor_shape import TensorShape
from .tensor_spec import TensorSpec, TypeSpec

__all__ = [
    "CompositeInput",
    "CompositeTensor",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "with_values_of",
]


class CompositeInput(TypeError, ValueError):
    """A composite value where an operation needs a tensor."""


class CompositeTensor:
    """A value made of tensors that its type spec takes apart and puts together.

    A subclass gives ``_type_spec``. Such values are arguments and results of functions, variables
    of loops and results of branches.
    """

    # Operators with a tensor on the left ask this class.
    __array_priority__ = 200
    # Whether the graph prints it; else ``print`` shows what ``repr`` gives.
    _is_printed = False

    @property
    def _type_spec(self) -> TypeSpec:
        raise NotImplementedError(f"{type(self).__name__}._type_spec")

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        """Values that convert to a tensor override this."""
        raise CompositeInput(
            f"a {type(self).__name__} is no tensor and does not convert to one here: {shown(self)}"
        )

    def _printed(self, summarize: int) -> Any:
        """What ``print`` shows of it, a string tensor; for a class that ``_is_printed``."""
        raise NotImplementedError(f"{type(self).__name__}._printed")

    def _component_list(self) -> list[Any]:
        """The parts in order."""
        return nest.flatten(self._type_spec._to_components(self))

    def _from_components(self, parts: Sequence[Any]) -> Any:
        """Such a value of other parts."""
        spec = self._type_spec
        return spec._from_components(nest.pack_sequence_as(spec._component_specs, list(parts)))

    def _trace_key(self) -> tuple[Any, ...]:
        return self._type_spec._trace_key()

    def _dispatch(self, function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """A public function of arguments among which this value is; NotImplemented without one."""
        return NotImplemented

    def _gradient_parts(self) -> list[Any]:
        """The tensors that a gradient by this value is taken by."""
        return nest.flatten(self, expand_composites=True)

    def _with_gradient_parts(self, parts: list[Any]) -> Any:
        """The gradient by this value, of the gradients by its parts; None where all are None."""
        if all(part is None for part in parts):
            return None
        return nest.pack_sequence_as(self, parts, expand_composites=True)


def _part(value: Any) -> Any:
    """A part of a value made of tensors: a tensor, or its placeholder in a structure."""
    plain = isinstance(value, (int, float, complex, bool, str, bytes, list, tuple))
    return _core.convert_to_tensor(value) if plain or hasattr(value, "__array__") else value


def with_values_of(values: Any, parts: list[Any]) -> Any:
    """The gradient by a composite value whose ``values`` alone have one."""
    return None if parts[0] is None else values(parts[0])


@public("IndexedSlices")
class IndexedSlices(CompositeTensor, TensorType):
    """Rows of a larger tensor: ``values`` to be added at rows ``indices`` of zeros.

    ``dense_shape`` is the shape of the whole, where it is known.

    >>> rows = fg.IndexedSlices(fg.constant([[1.0, 2.0]]), fg.constant([1]), fg.constant([3, 2]))
    >>> fg.convert_to_tensor(rows).numpy()
    array([[0., 0.],
           [1., 2.],
           [0., 0.]], dtype=float32)
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None):
        self.values, self.indices = _part(values), _part(indices)
        self.dense_shape = None if dense_shape is None else _part(dense_shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole as far as known."""
        known = None if self.dense_shape is None else self.dense_shape._constant_value()
        return TensorShape(None if known is None else known.numpy().tolist())

    @property
    def name(self) -> str:
        """The name of the tensor of values."""
        return self.values.name

    @property
    def device(self) -> str:
        """Where the values are."""
        return self.values.device

    @property
    def op(self) -> Any:
        """The operation that gives the values; AttributeError where they are eager."""
        return self.values.op

    @property
    def graph(self) -> Any:
        """The graph that the values belong to; AttributeError where they are eager."""
        return self.values.graph

    def consumers(self) -> list[Any]:
        """The operations that take the values; empty where they are eager."""
        return self.values.consumers() if _core.is_symbolic(self.values) else []

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        if self.dense_shape is None:
            raise ValueError("IndexedSlices of unknown dense_shape do not convert to a tensor")
        rows = self.dense_shape[0]
        dense = _core.emit("UnsortedSegmentSum", (self.values, self.indices, rows))
        return _core.emit("Reshape", (dense, self.dense_shape))

    def numpy(self) -> Any:
        """The whole as a NumPy array."""
        return self.__tf_tensor__().numpy()

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __mul__(self, factor: Any) -> Any:
        """Slices times a number are slices, times anything else a tensor."""
        factor = _core.convert_to_tensor(factor, dtype_hint=self.dtype)
        if factor.shape.rank == 0:
            return IndexedSlices(self.values * factor, self.indices, self.dense_shape)
        return self.__tf_tensor__() * factor

    __rmul__ = __mul__

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        whole = self.dense_shape
        return IndexedSlicesSpec(
            [None, *self.values.shape.as_list()[1:]] if self.values.shape.rank else None,
            self.values.dtype,
            self.indices.dtype,
            None if whole is None else whole.dtype,
            self.indices.shape,
        )

    def _gradient_parts(self) -> list[Any]:
        return [self.values]

    def _with_gradient_parts(self, parts: list[Any]) -> Any:
        return with_values_of(lambda v: IndexedSlices(v, self.indices, self.dense_shape), parts)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self.indices!r}, values={self.values!r})"


@public("IndexedSlicesSpec")
class IndexedSlicesSpec(TypeSpec):
    """The type of ``IndexedSlices``: shape of the whole, and the dtypes of the parts.

    >>> rows = fg.IndexedSlices(fg.constant([[1.0, 2.0]]), fg.constant([1], fg.int64))
    >>> fg.IndexedSlicesSpec([None, 2], fg.float32).is_compatible_with(rows)
    True
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ):
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type[Any]:
        """``IndexedSlices``."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    def _static_key(self) -> Any:
        return self._dense_shape_dtype is not None

    @property
    def _component_specs(self) -> list[Any]:
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = [
            TensorSpec(values, self._dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return specs

    def _to_components(self, value: Any) -> list[Any]:
        parts = [value.values, value.indices]
        return parts if value.dense_shape is None else [*parts, value.dense_shape]

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)
