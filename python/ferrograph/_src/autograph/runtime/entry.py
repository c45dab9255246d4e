"""Where the tracer and the public functions enter: the callees with the operators they run with."""

from __future__ import annotations

from ...context import ownership
from ..convert.specials import meet, version
from . import operators
from .callees import any_callable, fn, late

__all__ = ["any_callable", "fn", "meet", "operators", "version"]

late.operators = operators
ownership.is_library_file("")  # which imports what it needs, here and not in a trace
