"""Types of the arguments and results of functions: TypeSpec, and TensorSpec for plain tensors."""

from __future__ import annotations

from collections.abc import Iterable

from ..hints import Any
from ..native import Tensor, _core, convert_to_tensor
from . import nest
from .dtypes import DType, as_dtype, float32
from .errors import shown
from .public import public
from .tensor_shape import TensorShape

__all__ = ["TensorSpec", "TypeSpec", "type_spec_from_value"]


@public("TypeSpec")
class TypeSpec:
    """The type of a value made of tensors, as far as it is known before the value exists.

    A subclass gives ``_serialize``, a tuple of everything that tells its instances apart: dtypes,
    shapes, nested specs and plain Python values. Comparison, generalisation and printing follow
    from that tuple.

    For values made of several tensors it also gives ``_component_specs``, a structure of the specs
    of the parts, and ``_to_components`` and ``_from_components``, from a value to such a structure
    of its parts and back.

    >>> isinstance(fg.TensorSpec([None]), fg.TypeSpec)
    True
    >>> spec = fg.type_spec_from_value(fg.constant([1, 2]))
    >>> spec.is_subtype_of(fg.TensorSpec([None], fg.int32))
    True
    """

    __slots__ = ("__weakref__",)

    @property
    def value_type(self) -> type[Any]:
        """The class of the values that this spec describes."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> TypeSpec:
        return cls(*serialization)

    @property
    def _component_specs(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def _to_components(self, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    def _component_list(self) -> list[Any]:
        """The specs of the parts in order."""
        return nest.flatten(self._component_specs)

    def _static_key(self) -> Any:
        """What tells values apart for a trace, beside the dtypes and shapes of their tensors."""
        return _hashable(self._serialize())

    def _trace_key(self) -> tuple[Any, ...]:
        return type(self), self._static_key()

    def _for_trace(self) -> TypeSpec:
        """The spec as far as values share it that a trace does not tell apart."""
        return self

    def flatten(self) -> list[Any]:
        """The types of the tensors that a value consists of."""
        return nest.flatten(self, expand_composites=True)

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of a value of this type, in the order of ``flatten``."""
        parts = nest.flatten(self._to_components(value))
        specs = self._component_list()
        return [t for spec, part in zip(specs, parts, strict=True) for t in spec.to_tensors(part)]

    def from_tensors(self, tensors: Any) -> Any:
        """The value of this type made of the next tensors of an iterator."""
        tensors = iter(tensors)
        return self._of_parts([spec.from_tensors(tensors) for spec in self._component_list()])

    def _of_parts(self, parts: list[Any]) -> Any:
        """The value of this type made of its parts, a flat list."""
        return self._from_components(nest.pack_sequence_as(self._component_specs, parts))

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A symbolic value of this type, of new arguments of the graph that is being built."""
        parts = [spec.placeholder_value(placeholder_context) for spec in self._component_list()]
        return self._of_parts(parts)

    def cast(self, value: Any, cast_context: Any = None) -> Any:
        """The value as one of this type, with what this type knows of its shape.

        Raises:
          TypeError: where it does not fit.
        """
        if not self.is_compatible_with(value):
            raise TypeError(f"expected a value for {shown(self)}, got {shown(value)}")
        return self._from_components(self._to_components(value))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or some value of another spec, could have this type."""
        spec = spec_or_value
        if not isinstance(spec, TypeSpec):
            try:
                spec = type_spec_from_value(spec_or_value)
            except (TypeError, ValueError):
                return False
        if type(self) is not type(spec):
            return False
        return _compatible(self._serialize(), spec._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type also has the type ``other``."""
        if type(self) is not type(other):
            return False
        return _subtype(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TypeSpec | None:
        """The narrowest type that values of this and all other types have, or None."""
        merged = self._serialize()
        for other in others:
            if type(self) is not type(other):
                return None
            try:
                merged = _generalise(merged, other._serialize())
            except _NoSupertypeError:
                return None
        return type(self)._deserialize(merged)

    def most_specific_compatible_type(self, other: Any) -> TypeSpec:
        """The narrowest type that values of this and of the other type have.

        Raises:
          ValueError: where there is none.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"{shown(self)} and {shown(other)} have no type in common")
        return found

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self._serialize())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __reduce__(self):
        return _deserialized, (type(self), self._serialize())


def _deserialized(cls: type[TypeSpec], serialization: tuple[Any, ...]) -> TypeSpec:
    return cls._deserialize(serialization)


@public("TensorSpec")
class TensorSpec(TypeSpec):
    """The type of a tensor: its dtype, and its shape as far as it is known.

    Args:
      shape: anything that ``TensorShape`` takes; None where even the rank is unknown.
      dtype: anything that ``as_dtype`` takes.
      name: the name of an argument of that type.

    >>> import ferrograph as fg
    >>> spec = fg.TensorSpec([None, 2], fg.int32)
    >>> spec
    TensorSpec(shape=(None, 2), dtype=fg.int32, name=None)
    >>> spec.is_compatible_with(fg.constant([[1, 2]]))
    True
    """

    __slots__ = ("_dtype", "_name", "_shape")

    # A tensor has no parts.
    _component_list = None  # type: ignore[assignment]

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None):
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name given to an argument of this type, or None."""
        return self._name

    @property
    def value_type(self) -> type[Any]:
        """The class of the values that this spec describes: ``Tensor``."""
        return Tensor

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The spec of another object with a shape and a dtype, under that name or its own."""
        return cls(spec.shape, spec.dtype, name or getattr(spec, "name", None))

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor; a symbolic one gives its operation's name where none is given.

        Raises:
          ValueError: where the value is no tensor.
        """
        if isinstance(tensor, TypeSpec) or not hasattr(tensor, "dtype"):
            raise ValueError(f"expected a tensor, got {shown(tensor)}")
        if name is None:
            own = getattr(getattr(tensor, "op", None), "name", None)
            name = own if isinstance(own, str) else None
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or some tensor of another spec, could have this dtype and shape."""
        other = spec_or_tensor
        if not isinstance(other, TensorSpec):
            try:
                other = type_spec_from_value(other)
            except (TypeError, ValueError):
                return False
            if not isinstance(other, TensorSpec):
                return False
        return self._dtype is other._dtype and self._shape.is_compatible_with(other._shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this type also has the type ``other``."""
        return (
            type(self) is type(other)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
            and (not other._name or self._name == other._name)
        )

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorSpec | None:
        """The narrowest spec that fits tensors of this and all others; None for another dtype."""
        others = list(others)
        if any(type(o) is not type(self) or o._dtype is not self._dtype for o in others):
            return None
        shape = self._shape.most_specific_common_supertype([o._shape for o in others])
        name = self._name if all(o._name == self._name for o in others) else None
        return type(self)(shape, self._dtype, name)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A symbolic tensor of this type: a new argument of the graph that is being built."""
        return placeholder_context.add_input(self._dtype, self._shape, self._name or "arg")

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of a value of this type: itself."""
        return [value]

    def from_tensors(self, tensors: Any) -> Any:
        """The value of this type made of the next tensor of an iterator."""
        return next(iter(tensors))

    def flatten(self) -> list[TensorSpec]:
        """The types of the tensors that a value consists of: this one."""
        return [self]

    def cast(self, value: Any, cast_context: Any = None) -> Any:
        """The value as a tensor of this type.

        Raises:
          TypeError: where its dtype or shape does not fit.
        """
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if not self.is_compatible_with(tensor):
            raise TypeError(f"expected a value for {shown(self)}, got {shown(value)}")
        return tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def __eq__(self, other: Any) -> bool:
        return (
            type(self) is type(other)
            and self._dtype is other._dtype
            and self._shape._dims == other._shape._dims
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape._dims, self._dtype))

    def __repr__(self) -> str:
        shape, dtype, name = str(self._shape), repr(self._dtype), repr(self._name)
        return f"TensorSpec(shape={shape}, dtype={dtype}, name={name})"


@public("type_spec_from_value")
def type_spec_from_value(value: Any) -> TypeSpec:
    """The type of a value.

    >>> import ferrograph as fg
    >>> fg.type_spec_from_value(fg.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=fg.int32, name=None)

    Args:
      value: a tensor, a composite, an array, or anything that converts to a tensor.

    Returns:
      A ``TypeSpec``.

    Raises:
      TypeError: where the value has no such type.
    """
    if isinstance(value, TypeSpec):
        return value
    own = getattr(value, "_type_spec", None)
    if isinstance(own, TypeSpec):
        return own
    if isinstance(getattr(value, "dtype", None), DType):
        return TensorSpec(value.shape, value.dtype)
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError) as e:
        name = type(value).__name__
        text = f"a value of type {name} has no type specification"
        raise _core.about_argument(value, TypeError(text)) from e
    return TensorSpec(tensor.shape, tensor.dtype)


class _NoSupertypeError(Exception):
    """Two parts of specs have nothing in common."""


def _compatible(a: Any, b: Any) -> bool:
    if isinstance(a, TensorShape) or isinstance(b, TensorShape):
        return TensorShape(a).is_compatible_with(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, TypeSpec):
        return a.is_compatible_with(b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_compatible, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_compatible(a[k], b[k]) for k in a)
    return a == b


def _subtype(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (TensorShape, TypeSpec, DType)):
        return a.is_subtype_of(b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_subtype, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_subtype(a[k], b[k]) for k in a)
    return a == b


def _generalise(a: Any, b: Any) -> Any:
    if type(a) is not type(b):
        raise _NoSupertypeError
    if isinstance(a, (TensorShape, TypeSpec)):
        found = a.most_specific_common_supertype([b])
        if found is None:
            raise _NoSupertypeError
        return found
    if isinstance(a, (list, tuple)) and len(a) == len(b):
        items = [_generalise(x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict) and a.keys() == b.keys():
        return {k: _generalise(a[k], b[k]) for k in a}
    if a != b:
        raise _NoSupertypeError
    return a


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple([_hashable(v) for v in value])
    if isinstance(value, dict):
        return tuple(sorted(((k, _hashable(v)) for k, v in value.items()), key=repr))
    return value
