"""``FunctionType``: the types of a traced function's parameters, result and captures."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from ...native import FG
from ...values.public import public
from ...values.tensor_spec import TensorSpec

__all__ = ["FunctionType", "Parameter", "type_text"]


class Parameter(inspect.Parameter):
    """A parameter: its name, its kind, whether it may be left out, and its type.

    The type is None where calls decide it, else a TraceType, or the Python value that was traced.
    """

    def __init__(
        self, name: str, kind: Any, optional: bool = False, type_constraint: Any = None
    ) -> None:
        default = None if optional else inspect.Parameter.empty
        annotation = inspect.Parameter.empty if type_constraint is None else type_constraint
        super().__init__(name, kind, default=default, annotation=annotation)
        self._optional, self._type = optional, type_constraint

    @property
    def optional(self) -> bool:
        """Whether a call may leave it out."""
        return self._optional

    @property
    def type_constraint(self) -> Any:
        """The type that arguments must have; None where there is no such constraint."""
        return self._type

    @staticmethod
    def kind_of(number: int) -> Any:
        """The kind of that number, as ``inspect`` has them."""
        return _KINDS[number]

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name!r}, kind={self.kind.name}, optional={self.optional!r}, "
            f"type_constraint={self.type_constraint!r})"
        )

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.kind, self._optional, self._type)


_KINDS = (
    Parameter.POSITIONAL_ONLY,
    Parameter.POSITIONAL_OR_KEYWORD,
    Parameter.VAR_POSITIONAL,
    Parameter.KEYWORD_ONLY,
    Parameter.VAR_KEYWORD,
)


@public("types.experimental.FunctionType")
class FunctionType(inspect.Signature):
    """Parameters with their types, the type of the result, and the types of what is captured.

    >>> double = fg.function(lambda x: x + x)
    >>> print(double.get_concrete_function(fg.TensorSpec([2])).function_type)
    Input Parameters:
      x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=fg.float32, name=None)
    Output Type:
      TensorSpec(shape=(2,), dtype=fg.float32, name=None)
    Captures:
      None
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        captures: Mapping[Any, Any] | None = None,
        return_annotation: Any = inspect.Signature.empty,
        **kwargs: Any,
    ) -> None:
        # Several items of a variadic parameter stand in a row, which Python's own check refuses.
        kwargs.setdefault("__validate_parameters__", False)
        super().__init__(parameters, return_annotation=return_annotation, **kwargs)
        self._captures = OrderedDict(captures or {})

    @property
    def captures(self) -> OrderedDict[Any, Any]:
        """The type of each captured value, by its number."""
        return self._captures

    @property
    def output(self) -> Any:
        """The type of the result, in its structure; None where calls decide it."""
        found = self.return_annotation
        return None if found is inspect.Signature.empty else found

    @property
    def flat_inputs(self) -> list[Any]:
        """The types of the tensors among the arguments, in the order of the graph's inputs."""
        found: list[Any] = []
        for parameter in self.parameters.values():
            _collect(parameter.annotation, found)
        return found

    @property
    def flat_outputs(self) -> list[Any]:
        """The types of the tensors in the result."""
        found: list[Any] = []
        _collect(self.output, found)
        return found

    @property
    def flat_captures(self) -> list[Any]:
        """The types of the captured values."""
        return list(self._captures.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionType):
            return NotImplemented
        return super().__eq__(other) and self._captures == other._captures

    def __hash__(self) -> int:
        return hash((tuple(self.parameters), tuple(self._captures)))

    def __repr__(self) -> str:
        parameters = list(self.parameters.values())
        return f"FunctionType(parameters={parameters!r}, output={self.output!r})"

    def __str__(self) -> str:
        lines = ["Input Parameters:"]
        lines += [
            f"  {p.name} ({p.kind.name}): {type_text(getattr(p, 'type_constraint', None))}"
            for p in self.parameters.values()
        ]
        if not self.parameters:
            lines.append("  None")
        lines += ["Output Type:", f"  {type_text(self.output)}", "Captures:"]
        lines += [f"  {key}: {type_text(spec)}" for key, spec in self._captures.items()]
        return "\n".join(lines if self._captures else [*lines, "  None"])

    def __reduce__(self) -> Any:
        parameters = list(self.parameters.values())
        return type(self), (parameters, dict(self._captures), self.return_annotation)


def _collect(value: Any, found: list[Any]) -> None:
    if isinstance(value, dict):
        for key in sorted(value):
            _collect(value[key], found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _collect(item, found)
    elif hasattr(value, "flatten"):
        found += value.flatten()


def type_text(value: Any) -> str:
    """A type, or the structure of types of a parameter or result, as text."""
    if isinstance(value, TensorSpec):
        return f"TensorSpec(shape={value.shape}, dtype={FG}.{value.dtype.name}, name=None)"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return f"Literal[{value!r}]"
    if isinstance(value, dict):
        items = (f"({k!r}, {type_text(v)})" for k, v in value.items())
        return f"Dict[[{', '.join(items)}]]"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__.capitalize()}[{', '.join(map(type_text, value))}]"
    return repr(value)
