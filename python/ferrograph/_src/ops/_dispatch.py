"""Dispatch of public functions on values that are no tensors: ragged, sparse, user-defined.

A function for tensors fails with ``CompositeInput`` where it gets such a value; only then its class
is looked up. Calls with tensors pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import later
from ..hints import Any, TypeVar, cast
from ..values.composite import CompositeInput
from ..values.errors import OpError

__all__ = ["ask", "asking", "asks", "dispatched", "elementwise", "naming", "told"]

[arguments] = later(f"{__package__.rpartition('.')[0]}.context", "arguments")
[handlers] = later(__package__, "_handlers")

# What a call with an argument of a wrong kind raises, before it is said which one it is.
MISTAKES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, OpError)

F = TypeVar("F", bound=Callable[..., Any])

# The functions around others that name arguments.
naming: set[Any] = set()
# The functions that ask the classes of composite arguments.
asking: set[Any] = set()


def asks(function: F) -> F:
    """Note that a function asks the classes of composite arguments where it fails for them."""
    asking.add(function)
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
    made: Any = _ASKING[code.co_argcount](function)
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__doc__, made.__annotations__ = function.__doc__, function.__annotations__
    made.__name__, made.__wrapped__ = function.__name__, function
    names = code.co_varnames[: code.co_argcount]
    own = made.__code__
    names = (*names, *own.co_varnames[len(names) :])
    made.__code__ = own.replace(co_varnames=names, co_name=function.__name__)
    made.__defaults__ = function.__defaults__
    naming.add(made)
    return cast("F", made)


def _asked(function: Any, args: tuple[Any, ...], error: CompositeInput) -> Any:
    return handlers.ask(function, handlers.given(function, args), {}, error)


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
_ASKING: dict[int, Callable[..., Any]] = {
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


def ask(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[Any, Any],
    error: CompositeInput,
) -> Any:
    """``function`` of arguments among which it met a composite value: the result of the class of
    that value, or of a user-defined handler; ``error`` where none does."""
    return handlers.ask(function, args, kwargs, error)


def elementwise(
    function: Callable[..., Any], args: tuple[Any, ...], name: Any, error: CompositeInput
) -> Any:
    """``function``, which works element by element, of composite arguments."""
    return handlers.ask(function, args, {} if name is None else {"name": name}, error)
