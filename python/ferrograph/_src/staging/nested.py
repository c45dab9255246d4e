"""What functions that are traced within a region did to objects while they were traced.

A function under ``function`` is traced once: when the region is traced again, its Python does not
run any more. What it did stays as Python left it, then, and is no result of the region.
"""

from __future__ import annotations

from .journal import Journal
from .snapshot import Snapshot


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
