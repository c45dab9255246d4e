"""Exceptions of the conversion and of staged control flow."""

from .._src.staging.errors import ConversionError, UnstageableLoopError

__all__ = [
    "ConversionError",
    "UnstageableLoopError",
]
