"""Ragged tensors: rows of different lengths."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.ragged.build import boolean_mask, constant, range, stack, stack_dynamic_partitions
from ._src.ragged.cross import cross, cross_hashed
from ._src.ragged.elementwise import map_flat_values
from ._src.ragged.ids import row_splits_to_segment_ids, segment_ids_to_row_splits
from ._src import door as _door

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
