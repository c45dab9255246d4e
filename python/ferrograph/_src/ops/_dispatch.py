"""Public functions on values that are no tensors: ragged, sparse, of the program's own classes.

A function meant for tensors fails with ``CompositeInput`` where it meets such a value; only then
its class is asked. Calls with tensors pay nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..hints import Any, TypeVar, cast
from ..values import nest
from ..values.composite import CompositeInput, CompositeTensor

__all__ = ["asks", "dispatched", "elementwise", "is_dispatched", "register", "unregister"]

F = TypeVar("F", bound=Callable[..., Any])

# Handlers of the program's own, by function.
_handlers: dict[Any, list[Callable]] = {}
# The functions that ask the classes of composite arguments.
_asking: set[Any] = set()


def asks(function: F) -> F:
    """Note that a function asks the classes of composite arguments where it fails for them."""
    _asking.add(function)
    return function


def is_dispatched(function: Any) -> bool:
    """Whether a function asks the classes of composite arguments."""
    return function in _asking


def dispatched(function: F) -> F:
    """``function``, which asks the classes of composite arguments where it fails for them."""

    @functools.wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except CompositeInput as e:
            error = e.with_traceback(None)
        return _ask(asking, args, kwargs, error)

    return asks(cast("F", asking))


def elementwise(function: Callable, args: tuple, name: Any, error: CompositeInput) -> Any:
    """``function``, which works element by element, of composite arguments."""
    return _ask(function, args, {} if name is None else {"name": name}, error)


def _ask(function: Callable, args: tuple, kwargs: dict, error: CompositeInput) -> Any:
    for handler in _handlers.get(function, ()):
        result = handler(args, kwargs)
        if result is not NotImplemented:
            return result
    composites = _composites(args, kwargs)
    if kwargs and composites:
        # Forms name their parameters in their own way: what has a place is given by place.
        import inspect

        bound = inspect.signature(function).bind(*args, **kwargs)
        args, kwargs = bound.args, bound.kwargs
    for value in composites:
        result = value._dispatch(function, args, kwargs)
        if result is not NotImplemented:
            return result
    raise error


def _composites(args: tuple, kwargs: dict) -> list:
    leaves = [*nest.flatten(list(args)), *nest.flatten(list(kwargs.values()))]
    return [leaf for leaf in leaves if isinstance(leaf, CompositeTensor)]


def register(function: Callable, handler: Callable) -> None:
    """Ask ``handler(args, kwargs)`` first; it gives NotImplemented for a call not its own."""
    _handlers.setdefault(function, []).append(handler)


def unregister(handler: Callable) -> None:
    """Ask a handler no more."""
    for handlers in _handlers.values():
        if handler in handlers:
            handlers.remove(handler)
