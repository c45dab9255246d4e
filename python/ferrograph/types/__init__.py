"""Types for annotations and checks: ``types.experimental``."""

from .._src.function import abstract as experimental

__all__ = ["experimental"]
