"""Types for annotations and checks: ``types.experimental``."""

from . import experimental

__all__ = ["experimental"]
