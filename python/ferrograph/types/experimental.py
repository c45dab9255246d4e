"""Classes of traced functions, of the types of their arguments, and of what converts to tensors."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.function.concrete import AtomicFunction, ConcreteFunction
from .._src.function.special.abstract import (
    Callable,
    GenericFunction,
    PolymorphicFunction,
    TensorLike,
)
from .._src.function.special.function_type import FunctionType
from .._src.function.special.tracing import SupportsTracingProtocol, TraceType, TracingContext
from .._src import door as _door

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

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
