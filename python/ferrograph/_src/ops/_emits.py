"""Functions that only pass their arguments on to an operation need no body: ``emits`` gives it.

The function made is specialised to its parameters, so that a call costs one Python frame above the
native one, and asks the classes of composite arguments where the operation meets one.
"""

from __future__ import annotations

from collections.abc import Callable

from ..hints import Any, TypeVar
from ..values.composite import CompositeInput
from ._base import binary, emit
from ._dispatch import asks, elementwise

__all__ = ["dressed", "emits"]

F = TypeVar("F", bound=Callable[..., Any])


def emits(op: str) -> Callable[[F], F]:
    """A function of one tensor, or of two that broadcast, which is the operation ``op``."""

    def make(declared: F) -> F:
        code = declared.__code__
        parameters = code.co_varnames[: code.co_argcount]
        if parameters == ("x", "y", "name"):
            return asks(dressed(_of_pair(op), declared))
        return asks(dressed(_UNARY[parameters](op), declared))

    return make


def dressed(made: Any, declared: Any) -> Any:
    """``made`` under the name, annotations and documentation of ``declared``, which has no body."""
    made.__code__ = made.__code__.replace(co_name=declared.__name__)
    made.__name__ = declared.__name__
    made.__qualname__ = declared.__qualname__
    made.__module__ = declared.__module__
    made.__annotations__ = declared.__annotations__
    made.__doc__ = declared.__doc__
    return made


def _of_x(op: str) -> Callable[..., Any]:
    def function(x, name=None):
        try:
            return emit(op, (x,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (x,), name, error)

    return function


def _of_features(op: str) -> Callable[..., Any]:
    def function(features, name=None):
        try:
            return emit(op, (features,), None, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (features,), name, error)

    return function


def _of_pair(op: str) -> Callable[..., Any]:
    def function(x, y, name=None):
        try:
            return binary(op, x, y, name)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return elementwise(function, (x, y), name, error)

    return function


_UNARY: dict[tuple[str, ...], Callable[[str], Callable[..., Any]]] = {
    ("x", "name"): _of_x,
    ("features", "name"): _of_features,
}
