"""Why a gradient is None: what ``GradientTape.why_none`` says."""

from __future__ import annotations

from dataclasses import dataclass

from ..hints import Any

__all__ = ["WhyNone", "why_none"]

_SENTENCES = {
    "not watched": "the tape does not watch the source: call tape.watch(source) in it, before use",
    "not recorded": "{about} made a value while the tape was not recording",
    "left as NumPy": "a value left for NumPy or Python, where tapes do not follow it",
    "no gradient of its dtype": "a value of dtype {about} has no gradient: compute in floats",
    "stop_gradient": "the program stopped it by stop_gradient",
    "no gradient defined": "no gradient flows through operation {about}",
    "no path": "the target was not computed from the source, as far as the tape has seen",
}


@dataclass(frozen=True)
class WhyNone:
    """The first place between a source and a target that lets no gradient through.

    ``reason`` is one of: not watched, not recorded, left as NumPy, no gradient of its dtype,
    stop_gradient, no gradient defined, no path. ``about`` is the dtype or the operation that it
    speaks of; ``file``, ``line`` and ``function`` say where the program does that, or are None.
    """

    reason: str
    about: str | None = None
    file: str | None = None
    line: int | None = None
    function: str | None = None

    def __str__(self) -> str:
        text = _SENTENCES[self.reason].format(about=self.about)
        if self.file is None:
            return text
        return f"{text}, at {self.file}:{self.line} in {self.function}"


def why_none(found: tuple[Any, ...] | None) -> WhyNone | None:
    """What the tape found, as the program gets it."""
    if found is None:
        return None
    reason, about, origin = found
    return WhyNone(reason, about, *(origin or ()))
