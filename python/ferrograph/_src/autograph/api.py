"""The public functions of AutoGraph, and how the tracer and library code reach the converter."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable

from ..hints import Any, TypeVar, cast
from ..values.public import public
from . import runtime
from .status import NOT_CONVERTED, conversion, is_enabled

__all__ = ["Feature", "convert", "convert_callback", "do_not_convert", "tf_convert", "trace"]

_F = TypeVar("_F", bound=Callable)


@public("autograph.experimental.Feature")
class Feature(enum.Enum):
    """Parts of the conversion that may be asked for by name. All are always on.

    >>> fg.autograph.experimental.Feature.LISTS.name
    'LISTS'
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)


@public("autograph.convert")
def convert(fn: _F) -> _F:
    """``fn`` with its control flow dispatched while it runs: on tensors of a graph it is staged.

    Functions that it calls are converted as they are called.

    >>> @fg.autograph.convert
    ... def size(x):
    ...     return x if x > 0 else -x
    >>> int(size(fg.constant(-2)))
    2

    Args:
      fn: a function, method, partial, or object with a ``__call__``, written in Python.

    Returns:
      A callable with the arguments of fn; what cannot be converted, generators for one, comes back
        as it is.
    """
    return cast(_F, runtime.any_callable(fn))


def convert_for(fn: Callable, arguments: Iterable[Any], known: Any) -> tuple[Callable, Any]:
    """``fn`` converted for arguments of these classes, with what is known of such; ``known`` is
    what the function was converted to before, if it was."""
    seen = runtime.meet(arguments)
    if known is not None and known[1] == seen:
        return known
    made = runtime.any_callable(fn)
    return made, (runtime.version(), seen[1])


def convert_callback(fn: _F) -> _F:
    """``fn`` converted if conversion is on where a library function was called."""
    return runtime.fn(fn) if is_enabled() else fn


@public("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable | None = None) -> Callable:
    """Mark a function, and what it calls, to run as plain Python. Also a decorator factory.

    >>> @fg.autograph.experimental.do_not_convert
    ... def shifted(x):
    ...     return x + 1
    >>> int(fg.function(shifted)(fg.constant(1)))
    2

    Args:
      func: a function; None, the default, gives the decorator.

    Returns:
      A function with the arguments and results of func.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        with conversion(False):
            return func(*args, **kwargs)

    setattr(unconverted, NOT_CONVERTED, True)
    return unconverted


@public("autograph.tf_convert")
def tf_convert(
    f: _F, ctx: Any = None, convert_by_default: bool = True, user_requested: bool = False
) -> _F:
    """``f`` converted, or marked not to be, as the place where it is called asks.

    >>> f = fg.autograph.tf_convert(abs, fg.autograph.control_status_ctx())
    >>> f(-3)
    3

    Args:
      f: a function.
      ctx: a status that ``control_status_ctx`` gave: f is converted if conversion is on in it. None
        by default.
      convert_by_default: a bool, whether f is converted without ctx; True by default.
      user_requested: a bool; True converts f in any case. False by default.

    Returns:
      A callable with the arguments and results of f.
    """
    if ctx is None:
        wanted = convert_by_default or user_requested
    else:
        wanted = getattr(ctx, "status", ctx) == "ENABLED" or user_requested
    return convert(f) if wanted else do_not_convert(f)  # type: ignore[return-value]


@public("autograph.trace")
def trace(*args: Any) -> None:
    """Print ``args`` while the function that holds the call is traced.

    >>> @fg.function
    ... def f(x):
    ...     fg.autograph.trace('traced')
    ...     return x
    >>> int(f(1))
    traced
    1
    >>> int(f(1))
    1

    Args:
      *args: values, as ``print`` takes them; a tensor of a graph shows its type.
    """
    print(*args)
