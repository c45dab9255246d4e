"""Ragged tensors as ``print`` shows them: nested lists, of which long ones are cut."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import string_ops
from ..values import dtypes
from .tensor import RaggedTensor, is_ragged

__all__ = ["printed"]


def printed(value: RaggedTensor, summarize: int) -> Any:
    """The text of a ragged tensor, a scalar of strings."""
    flat = value.flat_values
    n_inner = flat.shape.rank - 1
    if n_inner:
        flat = RaggedTensor.from_tensor(flat, ragged_rank=n_inner)
        value = value.with_flat_values(flat)
    return _lists(value.with_flat_values(_texts(value.flat_values)), summarize)


def _texts(flat: Any) -> Any:
    if flat.dtype != dtypes.string:
        return ops.as_string(flat)
    escaped = string_ops.regex_replace(flat, r"(['\\])", r"\\\1")
    return string_ops.join(["'", escaped, "'"])


def _lists(texts: Any, summarize: int) -> Any:
    """The text of the list that the rows are, given those of the values."""
    if is_ragged(texts):
        texts = _row_texts(texts, summarize)
    n = ops.size(texts, dtypes.int64)
    return _joined(texts, ops.zeros_like(texts, dtypes.int64), n[None], summarize)[0]


def _row_texts(texts: Any, summarize: int) -> Any:
    """The text of each row, given those of the values."""
    inner = texts.values
    if is_ragged(inner):
        texts = texts.with_values(_row_texts(inner, summarize))
    numbers = ops.cast(texts.value_rowids(), dtypes.int64)
    lengths = ops.cast(texts.row_lengths(), dtypes.int64)
    return _joined(texts.values, numbers, lengths, summarize)


def _joined(texts: Any, numbers: Any, lengths: Any, summarize: int) -> Any:
    """The strings of each row as a list, given the number of the row of each."""
    if summarize >= 0:
        starts = ops.cumsum(lengths, exclusive=True)
        place = ops.range(ops.size(texts, dtypes.int64), dtype=dtypes.int64)
        place -= ops.gather(starts, numbers)
        n = ops.gather(lengths, numbers)
        is_cut = (n > 2 * summarize) & (place >= summarize) & (place < n - summarize)
        texts = ops.where(is_cut, "...", texts)
        kept = ops.where(~is_cut | (place == summarize))[:, 0]
        texts, numbers = ops.gather(texts, kept), ops.gather(numbers, kept)
    n_rows = ops.size(lengths, dtypes.int64)
    inside = string_ops.unsorted_segment_join(texts, numbers, n_rows, separator=", ")
    return string_ops.join(["[", inside, "]"])
