"""The tracing protocol: how user-defined classes describe themselves to a trace."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator
from typing import Any

from ...values.errors import shown
from ...values.public import public
from ...values.tensor_spec import TensorSpec

__all__ = ["PlaceholderContext", "SupportsTracingProtocol", "TraceType", "TracingContext"]


@public("types.experimental.TraceType")
class TraceType(abc.ABC):
    """What calls of a traced function tell arguments apart by.

    Calls whose arguments have equal types share a trace; a trace also serves subtypes of the types
    it was made for, and the most specific one that fits is taken. Types must be hashable.

    >>> class Same(fg.types.experimental.TraceType):
    ...     def is_subtype_of(self, other):
    ...         return isinstance(other, Same)
    ...     def most_specific_common_supertype(self, others):
    ...         return self
    ...     def placeholder_value(self, context):
    ...         return None
    ...     def __eq__(self, other):
    ...         return isinstance(other, Same)
    ...     def __hash__(self):
    ...         return 0
    >>> class Note:
    ...     def __init__(self, text):
    ...         self.text = text
    ...     def __tf_tracing_type__(self, context):
    ...         return Same()
    >>> @fg.function
    ... def f(x, note):
    ...     print('traced')
    ...     return x + 1
    >>> int(f(1, Note('a'))), int(f(1, Note('b')))
    traced
    (2, 2)
    """

    _is_trace_type = True

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace for ``other`` serves values of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Iterable[TraceType]) -> TraceType | None:
        """The narrowest type of which this one and all others are subtypes; None without one."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The placeholder for a value of this type while a function is traced.

        Tensors in it that change from call to call are made by the ``placeholder_value`` of their
        ``TensorSpec`` under the same context, in the order that ``to_tensors`` gives them.
        """

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of a value that a call passes to the graph; none unless overridden."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The value of this type made of the next tensors of an iterator."""
        return self.placeholder_value(PlaceholderContext())

    def flatten(self) -> list[TraceType]:
        """The types of the tensors that ``to_tensors`` gives; none unless overridden."""
        return []

    def cast(self, value: Any, cast_context: Any = None) -> Any:
        """``value`` as one of this type.

        Raises:
          TypeError: where it is none.
        """
        if isinstance(value, SupportsTracingProtocol):
            found = value.__tf_tracing_type__(TracingContext())
            if found == self or found.is_subtype_of(self):
                return value
        elif value is self.placeholder_value(PlaceholderContext()):
            return value
        raise TypeError(f"{shown(value)} is no value of the type {self!r}")

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


@public("types.experimental.TracingContext")
class TracingContext:
    """What ``__tf_tracing_type__`` is called with. It carries nothing that a program may use.

    >>> context = fg.types.experimental.TracingContext()
    >>> isinstance(context, fg.types.experimental.TracingContext)
    True
    """

    __slots__ = ()


class PlaceholderContext:
    """What ``placeholder_value`` is called with: where the arguments of a graph are made.

    Without a region the placeholders are the types themselves.
    """

    __slots__ = ("_name", "_region", "n_inputs")

    def __init__(self, region: Any = None, name: str = "arg"):
        self._region, self._name, self.n_inputs = region, name, 0

    def add_input(self, dtype: Any, shape: Any, name: str | None = None) -> Any:
        """A new argument of the graph under construction."""
        if self._region is None:
            return TensorSpec(shape, dtype, name)
        self.n_inputs += 1
        return self._region.add_input(dtype, shape, name or self._name)


@public("types.experimental.SupportsTracingProtocol")
class SupportsTracingProtocol(abc.ABC):
    """A class whose values say themselves what a traced function tells them apart by.

    >>> class Note:
    ...     def __tf_tracing_type__(self, context):
    ...         return fg.TensorSpec([], fg.int32)
    >>> isinstance(Note(), fg.types.experimental.SupportsTracingProtocol)
    True
    """

    @abc.abstractmethod
    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """The type of this value as an argument."""

    @classmethod
    def __subclasshook__(cls, other: type[Any]) -> Any:
        if cls is not SupportsTracingProtocol:
            return NotImplemented
        return True if hasattr(other, "__tf_tracing_type__") else NotImplemented
