"""Abstract classes of traced functions, of the types of their arguments, and of tensor-like
values."""

from __future__ import annotations

import abc
from typing import Any

from ...native import _core
from ...values.dtypes import DType
from ...values.public import public
from ...values.tensor_shape import TensorShape
from ...values.tensor_spec import TypeSpec
from ..concrete import AtomicFunction, ConcreteFunction
from ..function import BoundFunction, Function
from .function_type import FunctionType
from .tracing import SupportsTracingProtocol, TraceType, TracingContext

__all__ = [
    "AtomicFunction",
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
    "TracingContext",
]


@public("types.experimental.Callable")
class Callable(abc.ABC):
    """Any traced function: polymorphic, concrete or atomic.

    >>> isinstance(fg.function(abs), fg.types.experimental.Callable)
    True
    """

    @property
    @abc.abstractmethod
    def function_type(self) -> FunctionType:
        """The types of its parameters and of its result."""

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


@public("types.experimental.PolymorphicFunction")
class PolymorphicFunction(Callable):
    """What ``function`` makes of a Python function: one trace a signature.

    >>> isinstance(fg.function(abs), fg.types.experimental.PolymorphicFunction)
    True
    """


GenericFunction = PolymorphicFunction

Callable.register(ConcreteFunction)
Callable.register(AtomicFunction)
PolymorphicFunction.register(Function)
PolymorphicFunction.register(BoundFunction)
TraceType.register(TypeSpec)
TraceType.register(DType)
TraceType.register(TensorShape)


@public("types.experimental.TensorLike")
class TensorLike(metaclass=abc.ABCMeta):  # noqa: B024 - the hook below is all there is to it
    """What converts to a tensor: tensors, variables, composites, numbers, arrays, lists.

    >>> isinstance([1, 2], fg.types.experimental.TensorLike)
    True
    >>> isinstance({1, 2}, fg.types.experimental.TensorLike)
    False
    """

    @classmethod
    def __subclasshook__(cls, other: type[Any]) -> Any:
        if cls is not TensorLike:
            return NotImplemented
        if hasattr(other, "__tf_tensor__") or hasattr(other, "__array__"):
            return True
        return True if hasattr(other, "_type_spec") else NotImplemented


_converted: list[type[Any]] = [bool, int, float, complex, str, bytes, list, tuple]
for _kind in [*_converted, _core.Tensor, _core.VariableBase]:
    TensorLike.register(_kind)

# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "GenericFunction": ("types.experimental.GenericFunction",),
}
