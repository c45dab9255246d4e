"""Types for annotations and checks: ``types.experimental``."""

from __future__ import annotations

from .concrete import ConcreteFunction as _ConcreteFunction
from .function import Function as _Function

__all__ = ["experimental"]


class experimental:
    """The classes of traced functions."""

    ConcreteFunction = _ConcreteFunction
    PolymorphicFunction = _Function
    GenericFunction = _Function
    Callable = _ConcreteFunction
