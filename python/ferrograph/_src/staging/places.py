"""Where in the user's text something is, and messages that show it.

A message says first what is wrong, then where, with the line and a caret, then what to write
instead.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..context import ownership, sources


class Spot(str):
    """A line of the user's, as ``file:line``."""

    filename: str
    line: int

    def __new__(cls, filename: str, line: int) -> Spot:
        made = super().__new__(cls, f"{filename}:{line}")
        made.filename, made.line = filename, line
        return made

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return self.filename, self.line


def say(place: str, problem: str, rewrite: str = "", details: Sequence[str] = ()) -> str:
    """The message that ``problem`` is at ``place``; ``rewrite`` says what helps.

    ``details`` are further lines, such as where each of two values comes from.
    """
    lines = [problem] if isinstance(place, Spot) or not place else [f"{place}: {problem}"]
    spot = place if isinstance(place, Spot) else here()
    if isinstance(spot, Spot):
        lines += shown(spot)
    lines += details
    if rewrite:
        lines.append(rewrite)
    return "\n".join(lines)


def shown(place: Spot) -> list[str]:
    """The line of a place with a caret below its statement."""
    source = sources.line(place.filename, place.line).rstrip("\n")
    text = source.strip()
    if not text:
        return [f"  {place}"]
    column = len(source) - len(source.lstrip()) + 1
    return [f"  {place}:{column}", f"    {text}", f"    {'^' * len(text)}"]


def here() -> str:
    """The line of the user's that is running, "" where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if not ownership.is_library_file(frame.f_code.co_filename):
            return Spot(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return ""
