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
            return asks(dressed(_of_pair(op), declared, _PAIR_DOC))
        made = _UNARY[parameters](op)
        return asks(dressed(made, declared, _UNARY_DOC.replace("{argument}", parameters[0])))

    return make


def dressed(made: Any, declared: Any, more: str) -> Any:
    """``made`` under the name, annotations and documentation of ``declared``, which has no body.

    ``more`` is said at the end of the documentation: what all functions of a family share.
    """
    made.__code__ = made.__code__.replace(co_name=declared.__name__)
    made.__name__ = declared.__name__
    made.__qualname__ = declared.__qualname__
    made.__module__ = declared.__module__
    made.__annotations__ = declared.__annotations__
    made.__doc__ = f"{declared.__doc__.rstrip()}\n\n    {_indented(more)}\n    "
    return made


def _indented(text: str) -> str:
    return text.rstrip().replace("\n", "\n    ")


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

_UNARY_DOC = """Works element by element.

Args:
  {argument}: a tensor, or what converts to one.
  name: a name for the operation.

Returns:
  A tensor of the shape of ``{argument}``.

Raises:
  TypeError, InvalidArgumentError: for a dtype that the operation does not know, while tracing and
    when run eagerly.
"""

_PAIR_DOC = """Works element by element; shapes broadcast as NumPy's do. Python and NumPy operands
take the dtype of a tensor beside them.

Args:
  x: a tensor, or what converts to one.
  y: likewise, of the same dtype.
  name: a name for the operation.

Returns:
  A tensor of the broadcast shape.

Raises:
  ValueError, InvalidArgumentError: where the shapes do not broadcast, while tracing and when run
    eagerly.
  TypeError, InvalidArgumentError: where the dtypes differ or are not supported.
"""
