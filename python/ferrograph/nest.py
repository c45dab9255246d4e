"""Nested structures: lists, tuples, mappings and their like, with values at the leaves."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.values.nest import (
    assert_same_structure,
    flatten,
    is_nested,
    map_structure,
    pack_sequence_as,
)
from ._src import door as _door

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
