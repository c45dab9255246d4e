"""Branches and iterations that set objects up: layers which make their variables when first called.

Such a region is traced again, since its first trace says what happens once. What the second one
changes as well happens each time, as a count of calls does: that is put back to what it was before
the first, as is what holds tensors of the first one's graph. What else only the first one changed
stays as Python left it, as it stays where a function makes variables outside of branches and loops.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..context.thread import variables_made
from ..heap.location import Location
from ..heap.trace_context import RegionLog
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..symbolic import merged_variables
from ..symbolic.values import has_symbol
from .retrace import RetraceForVariables

__all__ = ["check"]

_MAX_TRACES = 8  # of a region that makes variables: several constructs in it may do so in turn


def check(made: RegionLog, own: Iterable[Location], so_far: list[tuple[Location, Any]]) -> None:
    """Have a region that has ended traced again where it made variables, or where it changes what
    the trace changed that made them. ``own`` are places that the construct puts back; ``so_far`` is
    what the region changed, with what was there before.

    ValueError where it makes variables each time.
    """
    known, depth = merged_variables.of_trace(), len(_thread.logs)
    if known.built is None:
        known.built = {}
    skipped = {place.key for place in own}
    changed = {p.key: (p, old) for p, old in so_far if p.key not in skipped}
    if made.n_variables != variables_made.n:
        n, held = known.built.get(depth, (0, {}))
        for place, old in reversed(changed.values()):
            if has_symbol(place.get()):
                place.put(old)
        if n == _MAX_TRACES:
            raise ValueError(
                f"the Variable at {variables_made.line} is made each time the branch or loop "
                "around it is traced. Create it once, outside the function or behind a guard as "
                "`if self.v is None: self.v = Variable(...)`"
            )
        known.built[depth] = n + 1, {**changed, **held}
        raise RetraceForVariables
    _, held = known.built.pop(depth, (0, {}))
    each_time = [held[key] for key in held if key in changed]
    for place, old in reversed(each_time):
        place.put(old)
    if each_time:
        raise RetraceForVariables
