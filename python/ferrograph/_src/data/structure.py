"""Structures of elements: nested tuples, dicts, namedtuples, attrs instances and dataclasses with
``__tf_flatten__``, of components.

A list is a value, which becomes one tensor. A component is a tensor, a dataset, another composite
value, or None. A *type* is the same structure with a ``TypeSpec`` for each component.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..native import _core
from ..state.tensor_array import TensorArray
from ..values import nest
from ..values.dtypes import bool as bool_dtype
from ..values.dtypes import int64
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec, type_spec_from_value
from .specs import TensorArraySpec

__all__ = ["NoneTensorSpec"]


class NoneTensorSpec(TypeSpec):
    """The type of None as a component: there is no tensor for it."""

    @property
    def value_type(self) -> type[Any]:
        """The class of the values: that of None."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> list[Any]:
        return []

    def _to_components(self, value: Any) -> list[Any]:
        return []

    def _from_components(self, components: Any) -> None:
        return None


def normalized(value: Any, expected: Any = None) -> Any:
    """``value`` with tensors for everything that is no composite value, container or None.

    Python numbers take the dtypes of the type ``expected`` where they fit.
    """
    if isinstance(value, Mapping) or _is_tuple(value) or _is_record(value):
        parts = nest.children(value)
        wanted = nest.children(expected) if nest.is_nested(expected) else []
        wanted = wanted if len(wanted) == len(parts) else [None] * len(parts)
        return nest.like(value, [normalized(p, w) for p, w in zip(parts, wanted, strict=True)])
    if value is None or is_composite(value):
        return value
    hint = expected.dtype if isinstance(expected, TensorSpec) else None
    return _core.convert_to_tensor(value, dtype_hint=hint)


def _is_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and not isinstance(value, TensorShape)


def _is_record(value: Any) -> bool:
    return nest._is_record(type(value))


def _map(function: Any, container: Any) -> Any:
    """The container with ``function`` of each of its direct children."""
    children = [function(child) for child in nest.children(container)]
    return nest.like(container, children)


def is_composite(value: Any) -> bool:
    """Whether a value is made of several tensors, or of one that encodes it."""
    return getattr(type(value), "_component_list", None) is not None


def type_of(value: Any) -> Any:
    """The type of a normalized value."""
    if nest.is_nested(value):
        return _map(type_of, value)
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, _core.Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, TensorArray):
        return TensorArraySpec.of(value)
    return type_spec_from_value(value)


def tensors_of(value: Any) -> list[Any]:
    """The tensors of a normalized value, in order."""
    leaves = nest.flatten(value, expand_composites=True)
    return [leaf for leaf in leaves if leaf is not None]


def components(element_type: Any) -> list[TensorSpec]:
    """The types of the tensors of a value of that type."""
    return [spec for leaf in nest.flatten(element_type) for spec in leaf.flatten()]


class _Maker:
    """A part of a template that is made of templates by a function."""

    def __init__(self, children: list[Any], pack: Any):
        self.children, self.pack = children, pack


def template(element_type: Any) -> Any:
    """How tensors become a value: see ``outputs``; an int is the number of a tensor."""
    return _template(element_type, iter(range(len(components(element_type)))))


def _template(element_type: Any, numbers: Any) -> Any:
    kind = type(element_type)
    if kind is tuple:
        return tuple([_template(child, numbers) for child in element_type])
    if kind is dict:
        made = {key: _template(element_type[key], numbers) for key in sorted(element_type)}
        return {key: made[key] for key in element_type}
    if nest.is_nested(element_type):
        children = [_template(child, numbers) for child in nest.children(element_type)]
        return _Maker(children, lambda values: nest.like(element_type, values))
    if isinstance(element_type, TensorSpec):
        return next(numbers)
    children = [next(numbers) for _ in element_type.flatten()]
    return _Maker(children, lambda tensors: element_type.from_tensors(iter(tensors)))


def packed(element_type: Any, tensors: list[Any]) -> Any:
    """The value of that type made of these tensors."""
    rest = iter(tensors)
    leaves = [leaf.from_tensors(rest) for leaf in nest.flatten(element_type)]
    return nest.pack_sequence_as(element_type, leaves)


class Reading:
    """How an operation gives values of a type: its attributes, and what becomes of its outputs."""

    __slots__ = ("_template", "attributes", "element_type", "read_optional")

    def __init__(self, element_type: Any):
        self.element_type = element_type
        self.attributes, self._template = attributes(element_type), template(element_type)
        self.read_optional = _core.OptionalReader(self._template, self.attributes).read

    def packed(self, tensors: list[Any]) -> Any:
        """The value made of these tensors."""
        return _filled(self._template, tensors)


def _filled(template: Any, tensors: list[Any]) -> Any:
    kind = type(template)
    if kind is int:
        return tensors[template]
    if kind is dict:
        return {key: _filled(child, tensors) for key, child in template.items()}
    if kind is tuple:
        return tuple([_filled(child, tensors) for child in template])
    return template.pack([_filled(child, tensors) for child in template.children])


_MOST_READINGS = 256
_readings: dict[int, Reading] = {}


def reading(element_type: Any) -> Reading:
    """How values of a type are read: found out once for each object that says the type."""
    found = _readings.get(id(element_type))
    if found is None or found.element_type is not element_type:
        if len(_readings) >= _MOST_READINGS:
            _readings.clear()
        found = _readings[id(element_type)] = Reading(element_type)
    return found


def attributes(element_type: Any) -> dict[Any, Any]:
    """The attributes that tell an operation the types of components."""
    dtypes, shapes = dtypes_and_shapes(element_type)
    return {"output_types": dtypes, "output_shapes": shapes}


def dtypes_and_shapes(element_type: Any) -> tuple[list[Any], list[Any]]:
    """The dtypes and the shapes of components."""
    specs = components(element_type)
    return [s.dtype for s in specs], [s.shape for s in specs]


def map_types(function: Any, element_type: Any) -> Any:
    """The structure with ``function`` of each leaf."""
    return nest.map_structure(function, element_type)


def same_kind(first: Any, second: Any, what: str) -> None:
    """TypeError unless two types differ in shapes at most."""
    try:
        nest.require_same_structure(first, second)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{what}: the structures differ: {first} and {second}") from e
    for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True):
        alike = a.dtype == b.dtype if _are_tensors(a, b) else type(a) is type(b)
        if not alike:
            raise TypeError(f"{what}: the types differ: {a} and {b}")


def _are_tensors(a: Any, b: Any) -> bool:
    return isinstance(a, TensorSpec) and isinstance(b, TensorSpec)


def generalised(first: Any, second: Any) -> Any:
    """The narrowest type that values of both types have."""
    return nest.map_structure(lambda a, b: a.most_specific_compatible_type(b), first, second)


def scalar(value: Any, dtype: Any = int64) -> Any:
    """A number, or a tensor of one, as a scalar tensor."""
    tensor = integers(value, dtype)
    if tensor.shape.rank:
        raise ValueError(f"expected a scalar, got shape {tensor.shape}")
    return tensor


def integers(value: Any, dtype: Any = int64) -> Any:
    """Integers, or a tensor of such, as a tensor of that dtype."""
    tensor = _core.convert_to_tensor(value, dtype_hint=dtype)
    if tensor.dtype == dtype:
        return tensor
    if not tensor.dtype.is_integer:
        raise TypeError(f"expected an integer, got {shown(value)}")
    return _core.emit("Cast", (tensor,), {"DstT": dtype})


def flag(value: Any) -> Any:
    """A bool, or a tensor of one, as a scalar tensor."""
    return _core.convert_to_tensor(value, bool_dtype)
