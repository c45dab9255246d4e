"""Ragged tensors: rows of different lengths."""

from typing import Any

import ferrograph as _fg

from . import partition as _partition
from .build import boolean_mask, constant, ragged_range, stack, stack_dynamic_partitions
from .elementwise import map_flat_values

__all__ = [
    "boolean_mask",
    "constant",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

range = ragged_range


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The row of each value, where the rows have these splits.

    >>> fg.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]
    """
    made = _partition.rowids(_partition.integers(splits))
    return made if out_type is None else _fg.cast(made, out_type)


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """The splits of the rows that the values with these sorted numbers are in.

    >>> fg.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]
    """
    made = _partition.splits_of_rowids(_partition.integers(segment_ids), num_segments)
    return made if out_type is None else _fg.cast(made, out_type)
