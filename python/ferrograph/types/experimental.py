"""Classes of traced functions, of the types of their arguments, and of what converts to tensors."""

from .._src.function.special.abstract import (
    AtomicFunction,
    Callable,
    ConcreteFunction,
    FunctionType,
    GenericFunction,
    PolymorphicFunction,
    SupportsTracingProtocol,
    TensorLike,
    TraceType,
    TracingContext,
)

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
