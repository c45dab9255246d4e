"""Strings that notebooks show without quotes, and the one that explains a plan."""

from __future__ import annotations

import html
import re
from typing import Any

from ...native import _core

__all__ = ["Report", "plan_report"]

_JOINED = re.compile(r" of (\d+) operations")
_STEP = re.compile(r' = \w+ "')


class Report(str):
    """A text for people. It prints as itself; a notebook shows it with its lines kept."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


def plan_report(concrete: Any, tensors: list[Any]) -> Report:
    """The plan that a trace runs for these tensors, under a line that counts what is in it."""
    text = _core.plan_text(concrete, tensors)
    flops, shared = _core.plan_cost(concrete, tensors)
    n_steps = len(_STEP.findall(text))
    n_operations = n_steps + sum(int(n) - 1 for n in _JOINED.findall(text))
    of_loops = " with one iteration of each loop" if "while {" in text else ""
    head = (
        f"{n_steps} steps of {n_operations} operations, {flops:.0f} flops a call{of_loops}, "
        f"{shared} bytes shared by intermediate values"
    )
    return Report(f"{head}\n{text}")
