"""Entry points for the tracer and the public functions: callees with the operators that they
use."""

from __future__ import annotations

from collections.abc import Iterable

from ...context import ownership
from ...heap import trace_context
from ...hints import Any
from ..convert import operator_methods
from ..convert.operator_methods import version
from . import operators
from .callees import any_callable, fn, late

Seen = tuple[int, frozenset[int]]

__all__ = ["any_callable", "fn", "meet", "operators", "version"]

late.operators = operators
ownership.is_library_file("")  # which imports what it needs, here and not in a trace


def meet(arguments: Iterable[Any]) -> Seen:
    """Take in the classes of the arguments of a function that is traced next; what is known."""
    modules = operator_methods.meet(arguments, anew=not trace_context.active())
    return version(), modules
