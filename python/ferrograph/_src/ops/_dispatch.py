"""Public functions on values that are no tensors: ragged, sparse, of the program's own classes.

A function meant for tensors fails with ``CompositeInput`` where it meets such a value; only then
its class is asked. Calls with tensors pay nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType

from .. import later
from ..hints import Any, TypeVar, cast
from ..values import nest
from ..values.composite import CompositeInput, CompositeTensor
from ..values.errors import OpError

__all__ = [
    "ask",
    "asks",
    "dispatched",
    "elementwise",
    "let_ask",
    "register",
    "told",
    "unregister",
]

[arguments] = later(f"{__package__.rpartition('.')[0]}.context", "arguments")

# What a call with an argument of a wrong kind raises, before it is said which one it is.
MISTAKES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, OpError)

F = TypeVar("F", bound=Callable[..., Any])

# Handlers of the program's own, by function.
_handlers: dict[Any, list[Callable]] = {}
# What functions were before handlers of theirs were asked first.
_before: dict[Any, FunctionType] = {}
# The functions around others that name arguments.
_told: set[Any] = set()
# The functions that ask the classes of composite arguments.
_asking: set[Any] = set()


def asks(function: F) -> F:
    """Note that a function asks the classes of composite arguments where it fails for them."""
    _asking.add(function)
    return function


def dispatched(function: F) -> F:
    """``function``, which asks the classes of composite arguments where it fails for them, and
    names an argument of a wrong kind.

    It has the parameters of ``function``, so that ``inspect`` tells them, and a call with
    arguments by place makes no tuple of them.
    """
    return asks(told(function))


def told(function: F) -> F:
    """``function``, whose errors name an argument of a wrong kind; likewise."""
    code = function.__code__
    asking: Any = _ASKING[code.co_argcount](function)
    functools.update_wrapper(asking, function)
    names = code.co_varnames[: code.co_argcount]
    own = asking.__code__
    names = (*names, *own.co_varnames[len(names) :])
    asking.__code__ = own.replace(co_varnames=names, co_name=function.__name__)
    asking.__defaults__ = function.__defaults__
    _told.add(asking)
    return cast("F", asking)


def _asked(function: Any, args: tuple, error: CompositeInput) -> Any:
    """``ask`` without the last arguments that are defaults: forms may have fewer parameters."""
    return ask(function, _given(function, args), {}, error)


def _given(function: Any, args: tuple) -> tuple:
    """Arguments without the last ones that are defaults."""
    defaults = function.__defaults__ or ()
    least, n = len(args) - len(defaults), len(args)
    while n > least and args[n - 1] is defaults[n - 1 - least]:
        n -= 1
    return args[:n]


def _of_1(function: Any) -> Any:
    def asking(a):
        try:
            return function(a)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a,), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a,), error)

    return asking


def _of_2(function: Any) -> Any:
    def asking(a, b):
        try:
            return function(a, b)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b), error)

    return asking


def _of_3(function: Any) -> Any:
    def asking(a, b, c):
        try:
            return function(a, b, c)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c), error)

    return asking


def _of_4(function: Any) -> Any:
    def asking(a, b, c, d):
        try:
            return function(a, b, c, d)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d), error)

    return asking


def _of_5(function: Any) -> Any:
    def asking(a, b, c, d, e):
        try:
            return function(a, b, c, d, e)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e), error)

    return asking


def _of_6(function: Any) -> Any:
    def asking(a, b, c, d, e, f):
        try:
            return function(a, b, c, d, e, f)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f), error)

    return asking


def _of_7(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g):
        try:
            return function(a, b, c, d, e, f, g)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g), error)

    return asking


def _of_8(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h):
        try:
            return function(a, b, c, d, e, f, g, h)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h), error)

    return asking


def _of_9(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h, i):
        try:
            return function(a, b, c, d, e, f, g, h, i)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h, i), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h, i), error)

    return asking


def _of_10(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h, i, j):
        try:
            return function(a, b, c, d, e, f, g, h, i, j)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h, i, j), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h, i, j), error)

    return asking


def _of_11(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h, i, j, k):
        try:
            return function(a, b, c, d, e, f, g, h, i, j, k)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h, i, j, k), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h, i, j, k), error)

    return asking


def _of_12(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h, i, j, k, m):
        try:
            return function(a, b, c, d, e, f, g, h, i, j, k, m)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h, i, j, k, m), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h, i, j, k, m), error)

    return asking


def _of_13(function: Any) -> Any:
    def asking(a, b, c, d, e, f, g, h, i, j, k, m, n):
        try:
            return function(a, b, c, d, e, f, g, h, i, j, k, m, n)
        except CompositeInput as met:
            error = met
        except MISTAKES as met:
            raise arguments.mistake(asking, (a, b, c, d, e, f, g, h, i, j, k, m, n), met)  # noqa: B904 - mostly the same error
        return _asked(asking, (a, b, c, d, e, f, g, h, i, j, k, m, n), error)

    return asking


# The functions that ask, by how many parameters they have.
_ASKING: dict[int, Callable] = {
    1: _of_1,
    2: _of_2,
    3: _of_3,
    4: _of_4,
    5: _of_5,
    6: _of_6,
    7: _of_7,
    8: _of_8,
    9: _of_9,
    10: _of_10,
    11: _of_11,
    12: _of_12,
    13: _of_13,
}


def elementwise(function: Callable, args: tuple, name: Any, error: CompositeInput) -> Any:
    """``function``, which works element by element, of composite arguments."""
    return ask(function, args, {} if name is None else {"name": name}, error)


def ask(function: Callable, args: tuple, kwargs: dict, error: CompositeInput) -> Any:
    """``function`` of arguments among which it met a composite value: what the class of that
    value, or a handler of the program's own, makes of it; ``error`` where none does."""
    error = error.with_traceback(None)
    result = _handled(function, args, kwargs)
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


def _handled(function: Callable, args: tuple, kwargs: dict) -> Any:
    for handler in _handlers.get(function, ()):
        result = handler(args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def let_ask(function: Any) -> bool:
    """Let a function of this package that asks no classes ask handlers before it begins; whether
    it can: a plain function with parameters, without free variables.

    Modules and programs hold the function itself under many names, so it stays the same object
    and its code is exchanged; ``__wrapped__`` is what it was, and says its signature. Programs
    that register nothing pay nothing.
    """
    if function in _asking:
        return True
    if function in _told:
        _ask_within(function)
        return True
    if not _is_own(function) or function.__code__.co_freevars:
        return False
    before = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    before.__kwdefaults__ = function.__kwdefaults__
    before.__annotations__ = function.__annotations__

    def first(args: tuple, kwargs: dict) -> Any:
        if _composites(args, kwargs):
            result = _handled(function, args, kwargs)
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
        if _composites(args, {}):
            result = _handled(function, _given(function, args), {})
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
    if function in _told:
        (cell,) = [c for n, c in _cells(function) if n == "function"]
        cell.cell_contents = before
        _asking.discard(function)
        return
    function.__code__, function.__defaults__ = before.__code__, before.__defaults__
    function.__kwdefaults__ = before.__kwdefaults__
    del function.__wrapped__
    _asking.discard(function)


def _first(*args: Any, _asked: Any = None, **kwargs: Any) -> Any:
    return _asked(args, kwargs)


def _is_own(function: Any) -> bool:
    package = __name__.partition(".")[0]
    if not isinstance(function, FunctionType) or not function.__code__.co_argcount:
        return False
    return function.__globals__.get("__name__", "").partition(".")[0] == package


def _composites(args: tuple, kwargs: dict) -> list:
    leaves = [*nest.flatten(list(args)), *nest.flatten(list(kwargs.values()))]
    return [leaf for leaf in leaves if isinstance(leaf, CompositeTensor)]


def register(function: Callable, handler: Callable) -> None:
    """Ask ``handler(args, kwargs)`` first; it gives NotImplemented for a call not its own."""
    _handlers.setdefault(function, []).append(handler)


def unregister(handler: Callable) -> None:
    """Ask a handler no more."""
    for function, handlers in _handlers.items():
        if handler in handlers:
            handlers.remove(handler)
        if not handlers and function in _before:
            _restore(function)
