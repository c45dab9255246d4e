"""The type of linear operators: their class, the specs of their tensors, and their settings."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..values.composite import CompositeTensor
from ..values.tensor_spec import TypeSpec, type_spec_from_value

__all__ = ["LinearOperatorSpec", "spec_of"]


def _has_tensors(value: Any) -> bool:
    return isinstance(value, (_core.Tensor, _core.VariableBase, CompositeTensor))


def _is_parts(value: Any) -> bool:
    """Whether an argument of an operator is a tensor, an operator, or a list of some."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_parts(item) for item in value)
    return _has_tensors(value)


def _spec(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple([_spec(item) for item in value])
    return type_spec_from_value(value)


def _plain(value: Any) -> Any:
    return tuple([_plain(item) for item in value]) if isinstance(value, list) else value


def spec_of(operator: Any) -> LinearOperatorSpec:
    """The type of an operator."""
    given = operator.parameters
    parts = tuple([(name, _spec(value)) for name, value in given.items() if _is_parts(value)])
    rest = tuple([(n, _plain(value)) for n, value in given.items() if not _is_parts(value)])
    return LinearOperatorSpec(type(operator), parts, rest)


class LinearOperatorSpec(TypeSpec):
    """The type of the linear operators of a class whose tensors and settings are of these types."""

    __slots__ = ("_class", "_parts", "_rest")

    def __init__(self, value_class: type[Any], parts: tuple[Any, ...], rest: tuple[Any, ...]):
        self._class, self._parts, self._rest = value_class, parts, rest

    @property
    def value_type(self) -> type[Any]:
        """The class of the operators."""
        return self._class

    def _serialize(self) -> tuple[Any, ...]:
        return self._class, self._parts, self._rest

    def _static_key(self) -> Any:
        return self._class, tuple([name for name, _ in self._parts]), repr(self._rest)

    @property
    def _component_specs(self) -> dict[Any, Any]:
        return dict(self._parts)

    def _to_components(self, value: Any) -> dict[Any, Any]:
        return {name: _tensors(value.parameters[name]) for name, _ in self._parts}

    def _from_components(self, components: Any) -> Any:
        return self._class(**components, **dict(self._rest))


def _tensors(value: Any) -> Any:
    """Parts as a type spec takes them: lists as tuples, variables as what they hold."""
    if isinstance(value, (list, tuple)):
        return tuple([_tensors(item) for item in value])
    return value if isinstance(value, CompositeTensor) else _core.convert_to_tensor(value)
