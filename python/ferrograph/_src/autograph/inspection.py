"""Looking at converted code, and options of the loops in it."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable

from ..heap.source_location import ConversionError
from ..hints import Any
from ..staging import loop_state
from ..values.public import public
from .convert import compile, inline, stack_depth
from .runtime.entry import operators

__all__ = ["set_loop_options", "to_code", "to_graph"]


@public("autograph.to_graph")
def to_graph(
    entity: Callable, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable:
    """The converted form of a function; of a method, a function that takes ``self`` first.

    >>> def size(x):
    ...     return x if x > 0 else -x
    >>> int(fg.autograph.to_graph(size)(fg.constant(-2)))
    2

    Args:
      entity: a function or a method written in Python, or what ``function`` made of one.
      recursive: a bool, whether functions that it calls are converted as well; True by default.
      experimental_optional_features: of no effect.

    Returns:
      A function with the same arguments.

    Raises:
      TypeError: for what is no Python function.
      ValueError: for one without source, or that cannot be converted.
    """
    function = _plain_function(entity)
    if recursive and compile.is_converted(function.__code__):
        return function
    chosen = operators if recursive else operators.without_callees()
    try:
        return compile.instantiate(function, chosen)
    except ConversionError as e:
        raise ValueError(f"cannot convert {entity!r}: {e}") from e


@public("autograph.to_code")
def to_code(
    entity: Callable, recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """The source of the converted form of a function.

    >>> def double(x):
    ...     return x + x
    >>> print(fg.autograph.to_code(double))  # doctest: +ELLIPSIS
    def double(x):
        return x + x

    Args:
      entity: a function or a method written in Python, or what ``function`` made of one.
      recursive, experimental_optional_features: of no effect.

    Returns:
      The source, as a string.

    Raises:
      TypeError: for what is no Python function.
      ValueError: for one without source, or that cannot be converted.
    """
    function = _plain_function(entity)

    def text() -> str:
        with inline.left_out():
            return ast.unparse(compile.converted_tree(function))

    try:
        return text()
    except RecursionError:
        return stack_depth.with_room(function, text)
    except ConversionError as e:
        raise ValueError(f"cannot convert {entity!r}: {e}") from e


def _plain_function(entity: Any) -> Any:
    entity = getattr(entity, "python_function", entity)
    entity = getattr(entity, "__func__", entity)
    if not isinstance(entity, types.FunctionType):
        raise TypeError(f"expected a Python function, got {entity!r}")
    return entity


@public("autograph.experimental.set_loop_options")
def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Set options of the staged loop in whose body this call stands; no effect on other loops.

    Its arguments are evaluated before the loop.

    >>> @fg.function
    ... def ones(n):
    ...     found = fg.constant([1])
    ...     for _ in fg.range(n):
    ...         fg.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(found, fg.TensorShape([None]))])
    ...         found = fg.concat([found, [1]], 0)
    ...     return found
    >>> ones(fg.constant(2)).numpy()
    array([1, 1, 1], dtype=int32)

    Args:
      parallel_iterations, swap_memory: accepted, and change nothing.
      maximum_iterations: an int or an integer scalar, how many iterations run at most; None, the
        default, sets no bound.
      shape_invariants: a list of pairs of a variable and the shape that it keeps, with None for
        dimensions that change; None by default.
    """
    loop_state.record_options(maximum_iterations, shape_invariants)
