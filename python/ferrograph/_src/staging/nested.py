"""What functions that are traced within a region did to objects while they were traced.

A function under ``function`` is traced once: when the region is traced again, its Python does not
run any more. What it did stays as Python left it, then, and is no result of the region.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .journal import Journal
from .snapshot import Snapshot
from .stale import Stale, behind
from .state import Place


def begin(journals: list[Journal]) -> Snapshot | None:
    """What the regions of ``journals`` can reach, when a trace begins within; None of no region
    that is traced again."""
    if not any(made.repeats for made in journals[1:]):
        return None
    regions = [made.snapshot for made in journals[1:] if made.snapshot is not None]
    return Snapshot(anchor for snapshot in regions for anchor in snapshot.anchors)


def end(journals: list[Journal], before: Snapshot) -> None:
    """Note what the trace changed."""
    found = {place.key for place, _ in before.changes()}
    for made in journals[1:] if found else ():
        made.nested = made.nested | found


class Left:
    """The places that traces within loops changed and that are stale for the trace around them."""

    def __init__(self) -> None:
        self.places: dict = {}

    def add(self, place: Place) -> None:
        self.places[place.key] = place

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """A block in which they hold what Python left in them."""
        held = [(p, v) for p in self.places.values() if type(v := p.get()) is Stale]
        for place, stale in held:
            place.put(behind(stale))
        try:
            yield
        finally:
            for place, stale in held:
                now = place.get()
                _, label, changed = stale._ferrograph_parts
                place.put(stale if now is behind(stale) else Stale(now, label, changed))
