"""The types of datasets, iterators and optional values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..state.tensor_array import TensorArray
from ..values.dtypes import as_dtype, float32, resource, variant
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["DatasetSpec", "IteratorSpec", "OptionalSpec", "TensorArraySpec"]


class _HandleSpec(TypeSpec):
    """The type of something that one tensor refers to, with elements of a type."""

    __slots__ = ("_element_spec",)
    _dtype: Any = variant
    _value_class: ClassVar[type[Any]]  # which says so itself

    def __init__(self, element_spec: Any):
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        return self._element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([], self._dtype)

    def _to_components(self, value: Any) -> Any:
        return value._handle

    def _from_components(self, components: Any) -> Any:
        return self.value_type(components, self._element_spec)

    def _of_parts(self, parts: list[Any]) -> Any:
        (handle,) = parts
        return self._from_components(handle)


@public("data.DatasetSpec")
class DatasetSpec(_HandleSpec):
    """The type of a dataset whose elements have the type ``element_spec``.

    >>> @fg.function(input_signature=[fg.data.DatasetSpec(fg.TensorSpec([], fg.int64))])
    ... def total(dataset):
    ...     return dataset.reduce(fg.constant(0, fg.int64), lambda s, x: s + x)
    >>> int(total(fg.data.Dataset.range(4)))
    6
    """

    __slots__ = ("_shape",)
    _made: ClassVar[
        Callable[..., Any]
    ]  # a dataset of a variant tensor and the type of its elements

    def __init__(self, element_spec: Any, dataset_shape: Any = ()):
        super().__init__(element_spec)
        self._shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> type[Any]:
        """The class of the values: ``Dataset``."""
        return self._value_class

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The type of a dataset."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._shape

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return self._made(components, self._element_spec)


@public("data.IteratorSpec")
class IteratorSpec(_HandleSpec):
    """The type of an iterator whose elements have the type ``element_spec``.

    >>> @fg.function(input_signature=[fg.data.IteratorSpec(fg.TensorSpec([], fg.int64))])
    ... def following(it):
    ...     return next(it)
    >>> it = iter(fg.data.Dataset.range(2))
    >>> int(following(it)), int(following(it))
    (0, 1)
    """

    __slots__ = ()
    _dtype = resource

    @property
    def value_type(self) -> type[Any]:
        """The class of the values: ``Iterator``."""
        return self._value_class


@public("OptionalSpec")
class OptionalSpec(_HandleSpec):
    """The type of an optional value of the type ``value_spec``.

    >>> fg.data.experimental.Optional.from_value(fg.constant(3))._type_spec.element_spec
    TensorSpec(shape=(), dtype=fg.int32, name=None)
    """

    __slots__ = ()

    def __init__(self, value_spec: Any):
        super().__init__(value_spec)

    @property
    def value_type(self) -> type[Any]:
        """The class of the values: ``Optional``."""
        return self._value_class

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The type of an optional value."""
        return cls(value.element_spec)


@public("TensorArraySpec")
class TensorArraySpec(TypeSpec):
    """The type of a ``TensorArray``: dtype and shape of its elements, and whether it grows.

    >>> rows = fg.data.Dataset.range(2).map(lambda x: fg.TensorArray(fg.int64, 1).write(0, x))
    >>> rows.element_spec
    TensorArraySpec(TensorShape([]), fg.int64, False, True)
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ):
        self._element_shape, self._dtype = TensorShape(element_shape), as_dtype(dtype)
        self._dynamic_size, self._infer_shape = bool(dynamic_size), bool(infer_shape)

    @classmethod
    def of(cls, array: TensorArray) -> TensorArraySpec:
        """The type of that array."""
        return cls(array.element_shape, array.dtype, array.dynamic_size, array._infers)

    @classmethod
    def from_value(cls, value: Any) -> TensorArraySpec:
        """The type of an array; TypeError for what is none."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: `{type(value)}`")
        return cls.of(value)

    @property
    def value_type(self) -> type[Any]:
        """``TensorArray``."""
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([], variant)

    def _to_components(self, value: Any) -> Any:
        return value.flow

    def _from_components(self, components: Any) -> TensorArray:
        return TensorArray(
            self._dtype,
            flow=components,
            dynamic_size=self._dynamic_size,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )
