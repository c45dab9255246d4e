"""Exceptions of the conversion and of staged control flow."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.heap.source_location import (
    ConversionError,
    LoopDtypeError,
    LoopShapeError,
    UnstageableLoopError,
)
from .._src import door as _door

__all__ = [
    "ConversionError",
    "LoopDtypeError",
    "LoopShapeError",
    "UnstageableLoopError",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
