"""Where the tracer and the public functions enter: the callees with the operators they run with."""

from __future__ import annotations

from . import operators
from .callees import any_callable, fn, late

__all__ = ["any_callable", "fn", "operators"]

late.operators = operators
