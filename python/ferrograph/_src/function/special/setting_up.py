"""A function that makes variables while it is traced within branches and loops of another one.

What such a trace does to Python's objects sets them up, as a layer that is built by its first call:
it happens once, and the graph of no region has it. The regions take it for what was there when they
began, so that none of them undoes it.
"""

from __future__ import annotations

from ...staging.journal import thread

__all__ = ["SettingUp"]


class SettingUp:
    """What the regions that are being traced had changed when the trace of a function began."""

    def __init__(self) -> None:
        made = [journal for journal in thread.journals if journal.snapshot is not None]
        self._regions = [(journal.snapshot, journal.snapshot.differing()) for journal in made]

    def finish(self) -> None:
        """Take what the trace did for what was there before the regions."""
        for snapshot, differing in self._regions:
            snapshot.renew(differing)
