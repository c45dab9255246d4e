"""What functions that are traced within a region did to objects while they were traced.

A function under ``function`` is traced once: when the region is traced again, its Python does not
run any more. What it did stays as Python left it, then, and is no result of the region.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterable, Iterator

from ..hints import Any
from ..native import _core
from ..values import errors
from .invalidated import Invalidated, behind
from .location import Location
from .snapshot import Snapshot
from .source_location import diagnostic, here
from .trace_context import RegionLog


def begin(logs: list[RegionLog]) -> Snapshot | None:
    """What the regions of ``logs`` can reach, when a trace begins within; None of no region."""
    if not logs:
        return None
    regions = [made.snapshot for made in logs if made.snapshot is not None]
    return Snapshot(anchor for snapshot in regions for anchor in snapshot.anchors)


def end(logs: list[RegionLog], before: Snapshot) -> None:
    """Note what the trace changed."""
    found = {place.key for place, _ in before.changes()}
    for made in logs if found else ():
        made.nested = made.nested | found


def refuse_names(changed: Container[Any], places: Iterable[Location]) -> None:
    """Refuse that a trace within a region set names of the function around it, but for what makes
    variables: the graph would choose whether they are set."""
    for place in places:
        if place.key in changed and not isinstance(place.get(), _core.VariableBase):
            raise errors.StagingError(
                diagnostic(
                    here(),
                    f"{place.label!r} is set by a function under `function` that is traced in this "
                    "branch or loop of the graph: its Python runs once, while it is traced",
                    "Return the value from it, and set the name where it is called.",
                )
            )


class Left:
    """The places that traces within loops changed and that are stale for the trace around them."""

    def __init__(self) -> None:
        self.places: dict = {}

    def add(self, place: Location) -> None:
        self.places[place.key] = place

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """A block in which they hold what Python left in them."""
        held = [(p, v) for p in self.places.values() if type(v := p.get()) is Invalidated]
        for place, stale in held:
            place.put(behind(stale))
        try:
            yield
        finally:
            for place, stale in held:
                now = place.get()
                _, label, changed = stale._ferrograph_parts
                place.put(stale if now is behind(stale) else Invalidated(now, label, changed))
