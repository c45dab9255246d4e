"""Traces that depend on which variable an argument is, as with optimizers that keep state per
variable.

The type of a variable in a signature is its dtype and shape, so other variables would use such a
trace, too. It is cached here instead, under its variables as well: each call goes through Python.
"""

from __future__ import annotations

from typing import Any

from ...state.variable import Variable
from ..concrete import ConcreteFunction
from ..parameters import leaves_of

__all__ = ["keep_of_variables", "of_variables", "was_told"]

_MOST = 1024


def _key(signature: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, ...]:
    leaves = leaves_of(args, kwargs)
    return signature, *(leaf._id for leaf in leaves if isinstance(leaf, Variable))


def was_told(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> bool:
    """Whether the trace asked which variables these placeholders are."""
    return any(isinstance(v, Variable) and v._was_told for v in leaves_of(args, kwargs))


def keep_of_variables(
    function: Any,
    signature: Any,
    args: tuple[Any, ...],
    kwargs: dict[Any, Any],
    concrete: ConcreteFunction,
) -> None:
    """Keep a trace for these variables."""
    if len(function._of_variables) >= _MOST:
        function._of_variables.clear()
    function._of_variables[_key(signature, args, kwargs)] = concrete


def of_variables(
    function: Any, signature: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> ConcreteFunction | None:
    """The trace for these variables whose guards hold; None where there is none."""
    found = function._of_variables.get(_key(signature, args, kwargs))
    return None if found is None or found._stale_guards() else found
