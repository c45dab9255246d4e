"""The references of objects, the same in every Python version: those of a generator include its
locals."""

from __future__ import annotations

import gc
import types
from functools import cache

from ..hints import Any

__all__ = ["referents"]


def referents(value: Any) -> list[Any]:
    """What an object refers to, of a generator what its frame does."""
    found = gc.get_referents(value)
    if type(value) is types.GeneratorType and value.gi_frame is not None and _frames_hold():
        found += gc.get_referents(value.gi_frame)
    return found


@cache
def _frames_hold() -> bool:
    """Whether a generator refers to its locals by its frame alone, as before Python 3.11."""

    def made(one: Any) -> Any:
        yield one

    one = object()
    generator = made(one)
    next(generator)
    return not any(part is one for part in gc.get_referents(generator))
