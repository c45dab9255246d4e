"""The specs of extension types: the fields, with specs in place of tensors."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

from ..native import FG, _core
from ..values import nest
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from .fields import MISSING, Field, ImmutableDict

__all__ = ["ExtensionTypeBatchEncoder", "ExtensionTypeSpec", "leaves", "refilled"]


def is_part(value: Any) -> bool:
    """Whether it is a tensor or composite value, or the spec of one: no plain Python value."""
    return isinstance(value, (_core.Tensor, _core.VariableBase, TypeSpec)) or hasattr(
        type(value), "_type_spec"
    )


def leaves(value: Any, found: list[Any]) -> None:
    """The tensors and composite values, or their specs, in the value of a field."""
    if isinstance(value, Mapping):
        for item in value.values():
            leaves(item, found)
    elif isinstance(value, tuple) and not hasattr(value, "_type_spec"):
        for item in value:
            leaves(item, found)
    elif is_part(value):
        found.append(value)


def refilled(value: Any, parts: Any) -> Any:
    """The value of a field with the next of ``parts`` in place of its own."""
    if isinstance(value, Mapping):
        return ImmutableDict({k: refilled(v, parts) for k, v in value.items()})
    if isinstance(value, tuple) and not hasattr(value, "_type_spec"):
        return tuple([refilled(v, parts) for v in value])
    return next(parts) if is_part(value) else value


@public("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(TypeSpec):
    """The type of an extension type's values: a spec for each tensor, Python values as they are.

    Each extension type has one as its attribute ``Spec``, made from the fields by position or name,
    unless its own ``Spec`` class has another constructor.

    >>> class Point(fg.experimental.ExtensionType):
    ...     x: fg.Tensor
    >>> Point.Spec(fg.TensorSpec([2], fg.int32)).is_compatible_with(Point([1, 2]))
    True
    """

    _fields: tuple[Field, ...] = ()
    _value_type: Any = None

    def __init__(self, *args: Any, **kwargs: Any):
        names = [f.name for f in self._fields]
        if len(args) > len(names):
            raise TypeError(f"{self._shown()} takes {len(names)} fields, got {len(args)}")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names or name in given:
                raise TypeError(f"{self._shown()} got an unexpected field {name!r}")
            given[name] = value
        for field in self._fields:
            value = given.get(field.name, MISSING)
            if value is MISSING:
                value = field.annotation if isinstance(field.annotation, TypeSpec) else MISSING
            if value is MISSING and field.default is not MISSING:
                value = field.default
            if value is MISSING:
                raise TypeError(f"{self._shown()} misses the field {field.name!r}")
            setattr(self, field.name, value)

    @classmethod
    def _of_fields(cls, values: dict[str, Any]) -> Any:
        """A spec of these fields, without its constructor."""
        made = object.__new__(cls)
        made.__dict__.update(values, _closed=True)
        return made

    def _close(self) -> None:
        """Convert and check the fields that a constructor set; nothing changes afterwards."""
        names = {f.name for f in self._fields}
        if names != set(self.__dict__):
            raise ValueError(
                f"{self._shown()} must set the fields {sorted(names)}, not {sorted(self.__dict__)}"
            )
        for field in self._fields:
            value = self.__dict__[field.name]
            self.__dict__[field.name] = _spec_value(value, field.annotation, field.name)
        self.__dict__["_closed"] = True

    @classmethod
    def _shown(cls) -> str:
        return f"{getattr(cls._value_type, '__qualname__', cls.__name__)}.Spec"

    @property
    def value_type(self) -> type[Any]:
        """The extension type."""
        return self._value_type

    def _serialize(self) -> tuple[Any, ...]:
        return tuple([(f.name, _plain(self.__dict__[f.name])) for f in self._fields])

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Any:
        return cls._of_fields({name: _wrapped(value) for name, value in serialization})

    def _static_key(self) -> Any:
        return tuple([_key(self.__dict__[f.name]) for f in self._fields])

    @property
    def _component_specs(self) -> list[Any]:
        return self._parts_of(self)

    def _parts_of(self, owner: Any) -> list[Any]:
        found: list[Any] = []
        for field in self._fields:
            leaves(owner.__dict__[field.name], found)
        return found

    def _to_components(self, value: Any) -> list[Any]:
        return self._parts_of(value)

    def _from_components(self, components: Any) -> Any:
        parts = iter(components)
        fields = {f.name: refilled(self.__dict__[f.name], parts) for f in self._fields}
        return self._value_type._of_fields(fields)

    def _mapped(self, function: Any, shape: Any) -> Any:
        """This spec with ``function`` of each spec in it, and ``shape`` of each ``TensorShape``."""
        parts = iter([function(spec) for spec in self._component_specs])
        fields = {f.name: refilled(self.__dict__[f.name], parts) for f in self._fields}
        fields = {k: shape(v) if isinstance(v, TensorShape) else v for k, v in fields.items()}
        return type(self)._of_fields(fields)

    def _batch(self, batch_size: Any) -> Any:
        """The type of several such values in one, along a new first axis."""
        first = TensorShape([batch_size])
        return self._mapped(lambda spec: _batched(spec, batch_size), first.concatenate)

    def _unbatch(self) -> Any:
        """The type of the elements along the first axis."""
        return self._mapped(_unbatched, lambda shape: shape[1:])

    # Elements of datasets and rows of ``map_fn``, as the class's encoder says.

    def _encoder(self) -> ExtensionTypeBatchEncoder:
        """TypeError for a class whose values are not stacked."""
        found = getattr(self._value_type, "__batch_encoder__", None)
        if found is None:
            name = getattr(self._value_type, "__name__", "this class")
            raise TypeError(
                f"values of {name} have no rows and are not stacked: make the class one of "
                f"{FG}.experimental.BatchableExtensionType"
            )
        return found

    def _batched_spec(self, size: Any) -> Any:
        """The type of so many values in one."""
        return self._encoder().batch(self, size)

    def _element_spec(self) -> Any:
        """The type of one of the values that a batch of this type holds."""
        return self._encoder().unbatch(self)

    def _is_batchable(self) -> bool:
        """Whether values have rows and are stacked."""
        return getattr(self._value_type, "__batch_encoder__", None) is not None

    def _stacks_parts(self) -> bool:
        """Whether the parts of a value are stacked as they are."""
        return type(self._encoder()) is ExtensionTypeBatchEncoder

    def _encoded_specs(self) -> list[Any]:
        """The types of what a value is stacked as."""
        encoder = self._encoder()
        if self._stacks_parts():
            return self._component_specs
        return nest.flatten(encoder.encoding_specs(self))

    def _encoded(self, value: Any, minimum_rank: int = 0) -> list[Any]:
        """What a value is stacked as."""
        encoder = self._encoder()
        if self._stacks_parts():
            return self._to_components(value)
        return nest.flatten(encoder.encode(self, value, minimum_rank))

    def _decoded(self, parts: list[Any]) -> Any:
        """The value that is stacked as these."""
        encoder = self._encoder()
        if self._stacks_parts():
            return self._from_components(parts)
        return encoder.decode(self, nest.pack_sequence_as(encoder.encoding_specs(self), parts))

    def __setattr__(self, name: str, value: Any) -> None:
        if "_closed" in self.__dict__:
            raise AttributeError(f"{self._shown()} cannot be changed: attribute {name!r}")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        fields = ", ".join(f"{f.name}={self.__dict__[f.name]!r}" for f in self._fields)
        return f"{self._shown()}({fields})"


def _batched(spec: Any, size: Any) -> Any:
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    return spec._batch(size)


def _unbatched(spec: Any) -> Any:
    if isinstance(spec, TensorSpec):
        if spec.shape.rank == 0:
            raise ValueError("a scalar has no first axis to take apart")
        return TensorSpec(spec.shape[1:], spec.dtype)
    return spec._row() if hasattr(spec, "_row") else spec._unbatch()


@public("experimental.ExtensionTypeBatchEncoder")
class ExtensionTypeBatchEncoder:
    """How values of a ``BatchableExtensionType`` become tensors that are stacked, and back.

    This one stacks each field. A subclass may override all of the methods.

    >>> class Point(fg.experimental.BatchableExtensionType):
    ...     x: fg.Tensor
    ...     __batch_encoder__ = fg.experimental.ExtensionTypeBatchEncoder()
    >>> points = fg.map_fn(lambda point: Point(point.x + 1), Point(fg.constant([1, 2])))
    >>> points.x.numpy()
    array([2, 3], dtype=int32)
    """

    def batch(self, spec: Any, batch_size: Any) -> Any:
        """The spec of ``batch_size`` values in one."""
        return spec._batch(batch_size)

    def unbatch(self, spec: Any) -> Any:
        """The spec of the elements of a batch."""
        return spec._unbatch()

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what ``encode`` gives."""
        return nest.flatten(spec, expand_composites=True)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """The tensors of a value."""
        return nest.flatten(value, expand_composites=True)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of such tensors."""
        return nest.pack_sequence_as(spec, list(encoded_value), expand_composites=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return tuple([_plain(v) for v in value]) if isinstance(value, tuple) else value


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return ImmutableDict({k: _wrapped(v) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple([_wrapped(v) for v in value])
    return value


def _key(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return "tensor"
    if isinstance(value, TypeSpec):
        return value._trace_key()
    if isinstance(value, Mapping):
        return tuple([(k, _key(v)) for k, v in value.items()])
    if isinstance(value, tuple):
        return tuple([_key(v) for v in value])
    return type(value), value


def _spec_value(value: Any, annotation: Any, path: str) -> Any:
    """A field of a spec, converted: TypeError where no value of the annotation has that spec."""
    if isinstance(value, Mapping):
        kind = (*typing.get_args(annotation), None, None)[1]
        return ImmutableDict({k: _spec_value(v, kind, f"{path}[{k!r}]") for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        kinds = typing.get_args(annotation)
        kinds = kinds[:1] * len(value) if len(kinds) == 2 and kinds[1] is Ellipsis else kinds
        kinds = kinds if len(kinds) == len(value) else (None,) * len(value)
        items = enumerate(zip(value, kinds, strict=True))
        return tuple([_spec_value(v, k, f"{path}[{i}]") for i, (v, k) in items])
    if isinstance(annotation, TypeSpec) and not annotation.is_compatible_with(value):
        raise TypeError(
            f"{path}: expected a spec compatible with {shown(annotation)}, got {shown(value)}"
        )
    if isinstance(annotation, type):
        _check_kind(value, annotation, path)
    return value


def _check_kind(value: Any, kind: type[Any], path: str) -> None:
    is_spec = isinstance(value, TypeSpec)
    wants_spec = issubclass(kind, _core.Tensor) or hasattr(kind, "_type_spec")
    if issubclass(kind, TypeSpec):
        return
    if is_spec and wants_spec and issubclass(kind, _core.Tensor) == isinstance(value, TensorSpec):
        return
    if is_spec or wants_spec or not isinstance(value, kind):
        raise TypeError(f"{path}: expected a spec of {kind.__name__!r}, got {shown(value)}")
