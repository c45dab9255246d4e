"""Dispatch of composite arguments: by their classes, and by user-defined handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..values import nest
from ..values.composite import CompositeInput, CompositeTensor

__all__ = ["ask", "by_function", "composites", "given", "handled"]

# User-defined handlers, by function.
by_function: dict[Any, list[Callable[..., Any]]] = {}


def ask(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[Any, Any],
    error: CompositeInput,
) -> Any:
    """``function`` of arguments among which it met a composite value: the result of the class of
    that value, or of a user-defined handler; ``error`` where none does."""
    error = error.with_traceback(None)
    result = handled(function, args, kwargs)
    if result is not NotImplemented:
        return result
    found = composites(args, kwargs)
    if kwargs and found:
        # Forms name their parameters in their own way: what has a place is given by place.
        import inspect

        bound = inspect.signature(function).bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    for value in found:
        result = value._dispatch(function, args, kwargs)
        if result is not NotImplemented:
            return result
    raise error


def handled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    """What a handler of the function makes of the arguments; NotImplemented where none does."""
    for handler in by_function.get(function, ()):
        result = handler(args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def composites(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    """The composite values among arguments, at any depth."""
    leaves = [*nest.flatten(list(args)), *nest.flatten(list(kwargs.values()))]
    return [leaf for leaf in leaves if isinstance(leaf, CompositeTensor)]


def given(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments without the last ones that are defaults: forms may have fewer parameters."""
    defaults = function.__defaults__ or ()
    least, n = len(args) - len(defaults), len(args)
    while n > least and args[n - 1] is defaults[n - 1 - least]:
        n -= 1
    return args[:n]
