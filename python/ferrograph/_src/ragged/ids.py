"""From the splits of rows to the numbers of their values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..ops.partition import integers, rowids, splits_of_rowids
from ..values import dtypes
from ..values.public import public

__all__ = ["row_splits_to_segment_ids", "segment_ids_to_row_splits"]


@public("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The row of each value, where the rows have these splits.

    >>> fg.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
    [0, 0, 2]

    Args:
      splits: an int32 or int64 vector that ascends from 0; Python ints become int64.
      name: of no effect.
      out_type: the dtype of the result; by default that of splits.

    Returns:
      A vector of as many numbers as there are values.

    Raises:
      ValueError: for splits of another dtype.
    """
    made = rowids(integers(splits))
    return made if out_type is None else ops.cast(made, out_type)


@public("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """The splits of the rows that the values with these sorted numbers are in.

    >>> fg.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
    [0, 2, 2, 3]

    Args:
      segment_ids: an int32 or int64 vector that ascends; Python ints and arrays become int64.
      num_segments: an integer scalar, how many rows there are; by default one more than the largest
        number.
      out_type: the dtype of the result; by default that of segment_ids.
      name: of no effect.

    Returns:
      A vector of one number more than there are rows.

    Raises:
      ValueError: for segment_ids of another dtype.
      InvalidArgumentError: for a number that is not below num_segments.
    """
    given = hasattr(segment_ids, "dtype") and not isinstance(segment_ids, np.ndarray)
    ids = segment_ids if given else ops.cast(segment_ids, dtypes.int64)
    made = splits_of_rowids(integers(ids), num_segments)
    return made if out_type is None else ops.cast(made, out_type)
