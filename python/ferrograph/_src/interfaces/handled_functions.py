"""Functions of this package that first try user-defined dispatch handlers."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..ops._dispatch import asking, asks, naming
from ..ops._handlers import by_function, composites, given, handled

__all__ = ["let_ask", "register", "unregister"]

# What functions were before handlers of theirs were asked first.
_before: dict[Any, FunctionType] = {}


def let_ask(function: Any) -> bool:
    """Let a function of this package that asks no classes ask handlers before it begins; whether
    it can: a plain function with parameters, without free variables.

    Modules and programs hold the function itself under many names, so it stays the same object
    and its code is exchanged; ``__wrapped__`` is what it was, and says its signature. Programs
    that register nothing pay nothing.
    """
    if function in asking:
        return True
    if function in naming:
        _ask_within(function)
        return True
    if not _is_own(function) or function.__code__.co_freevars:
        return False
    before = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    before.__kwdefaults__ = function.__kwdefaults__
    before.__annotations__ = function.__annotations__

    def first(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        if composites(args, kwargs):
            result = handled(function, args, kwargs)
            if result is not NotImplemented:
                return result
        return before(*args, **kwargs)

    _before[function] = before
    function.__wrapped__ = before
    function.__code__, function.__defaults__ = _first.__code__, None
    function.__kwdefaults__ = {"_asked": first}
    asks(function)
    return True


def _ask_within(function: Any) -> None:
    """Let a function around another one ask handlers before it calls that."""
    (cell,) = [c for n, c in _cells(function) if n == "function"]
    before = _before[function] = cell.cell_contents

    def first(*args: Any) -> Any:
        if composites(args, {}):
            result = handled(function, given(function, args), {})
            if result is not NotImplemented:
                return result
        return before(*args)

    cell.cell_contents = first
    asks(function)


def _cells(function: Any) -> Any:
    return zip(function.__code__.co_freevars, function.__closure__, strict=True)


def _restore(function: Any) -> None:
    """Give a function its own code again."""
    before = _before.pop(function)
    if function in naming:
        (cell,) = [c for n, c in _cells(function) if n == "function"]
        cell.cell_contents = before
        asking.discard(function)
        return
    function.__code__, function.__defaults__ = before.__code__, before.__defaults__
    function.__kwdefaults__ = before.__kwdefaults__
    del function.__wrapped__
    asking.discard(function)


def _first(*args: Any, _asked: Any = None, **kwargs: Any) -> Any:
    return _asked(args, kwargs)


def _is_own(function: Any) -> bool:
    package = __name__.partition(".")[0]
    if not isinstance(function, FunctionType) or not function.__code__.co_argcount:
        return False
    return function.__globals__.get("__name__", "").partition(".")[0] == package


def register(function: Callable[..., Any], handler: Callable[..., Any]) -> None:
    """Ask ``handler(args, kwargs)`` first; it gives NotImplemented for a call not its own."""
    by_function.setdefault(function, []).append(handler)


def unregister(handler: Callable[..., Any]) -> None:
    """Ask a handler no more."""
    for function, handlers in by_function.items():
        if handler in handlers:
            handlers.remove(handler)
        if not handlers and function in _before:
            _restore(function)
