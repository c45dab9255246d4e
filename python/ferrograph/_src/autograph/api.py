"""The public functions of AutoGraph, and how the tracer and library code reach the converter."""

from __future__ import annotations

import contextlib
import enum
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar, cast

from ..staging.journal import Journal, thread, traces

_F = TypeVar("_F", bound=Callable)


class Feature(enum.Enum):
    """Parts of the conversion that may be asked for by name. All are always on."""

    __module__ = "ferrograph.autograph.experimental"

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


class _Status(threading.local):
    def __init__(self) -> None:
        self.enabled = True


_status = _Status()


@contextlib.contextmanager
def conversion(enabled: bool, roots: Any = None) -> Iterator[None]:
    """Say for a block whether library functions convert the callbacks they are given.

    ``roots``, given where the block traces a function, is what it is made of: the Python function
    and its arguments.
    """
    before, _status.enabled = _status.enabled, enabled
    journals = thread.journals, thread.roots
    if roots is not None:
        thread.journals, thread.roots = [Journal()], roots
        traces.add(1)
    try:
        yield
    finally:
        if roots is not None:
            traces.add(-1)
        _status.enabled = before
        thread.journals, thread.roots = journals


def convert(fn: _F) -> _F:
    """``fn`` with its control flow dispatched while it runs: on tensors of a graph it is staged.

    Functions that it calls are converted as they are called. Takes functions, methods, partials and
    objects with a ``__call__`` written in Python; what cannot be converted, generators for one,
    comes back as it is.
    """
    from .runtime import callees

    return cast(_F, callees.any_callable(fn))


def convert_callback(fn: _F) -> _F:
    """``fn`` converted if conversion is on where a library function was called."""
    from .runtime import callees

    return callees.fn(fn) if _status.enabled else fn


def to_graph(
    entity: Callable, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable:
    """The converted form of a function; of a method, a function that takes ``self`` first.

    With ``recursive=False`` the functions it calls stay as they are. ValueError where it has no
    source.
    """
    from ..staging.errors import ConversionError
    from .convert import compile
    from .runtime import callees, operators

    function = _plain_function(entity)
    if recursive and callees.compile.is_converted(function.__code__):
        return function
    chosen = operators if recursive else operators.without_callees()
    try:
        return compile.instantiate(function, chosen)
    except ConversionError as e:
        raise ValueError(f"cannot convert {entity!r}: {e}") from e


def to_code(
    entity: Callable, recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """The source of the converted form of a function. ValueError where it has no source."""
    import ast

    from ..staging.errors import ConversionError
    from .convert import compile, inline

    try:
        with inline.left_out():
            return ast.unparse(compile.converted_tree(_plain_function(entity)))
    except ConversionError as e:
        raise ValueError(f"cannot convert {entity!r}: {e}") from e


def _plain_function(entity: Any) -> Any:
    import types

    entity = getattr(entity, "python_function", entity)
    entity = getattr(entity, "__func__", entity)
    if not isinstance(entity, types.FunctionType):
        raise TypeError(f"expected a Python function, got {entity!r}")
    return entity


def do_not_convert(func: Callable | None = None) -> Callable:
    """Mark a function, and what it calls, to run as plain Python. Also a decorator factory."""
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        with conversion(False):
            return func(*args, **kwargs)

    unconverted._ferrograph_not_converted = True
    return unconverted


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Set options of the staged loop in whose body this call stands; no effect on other loops.

    Its arguments are evaluated before the loop. ``shape_invariants`` is a list of pairs of a
    variable and the shape that it keeps, with None for dimensions that change.
    ``parallel_iterations`` and ``swap_memory`` change nothing.
    """
    from ..staging import options

    options.record(maximum_iterations, shape_invariants)


class ControlStatus(NamedTuple):
    """Whether functions are converted where this was taken; see ``control_status_ctx``."""

    status: str


def control_status_ctx() -> ControlStatus:
    """Whether library functions convert the callbacks they are given here, for ``tf_convert``."""
    return ControlStatus("ENABLED" if _status.enabled else "DISABLED")


def tf_convert(
    f: _F, ctx: Any = None, convert_by_default: bool = True, user_requested: bool = False
) -> _F:
    """``f`` converted if conversion is on in ``ctx``, a status that ``control_status_ctx`` gave.

    Without ``ctx`` it is converted if ``convert_by_default`` says so.
    """
    if ctx is None:
        wanted = convert_by_default or user_requested
    else:
        wanted = getattr(ctx, "status", ctx) == "ENABLED" or user_requested
    return convert(f) if wanted else do_not_convert(f)  # type: ignore[return-value]


_verbosity = 0


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much the converter says: from 1 on it warns of functions that have no source."""
    global _verbosity
    _verbosity = int(level)


def verbosity() -> int:
    """The level that ``set_verbosity`` set."""
    return _verbosity


def trace(*args: Any) -> None:
    """Print ``args`` while the function that holds the call is traced."""
    print(*args)
