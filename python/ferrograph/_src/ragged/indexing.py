"""What ``ragged[key]`` means: rows by number, slices of rows, and slices of all rows at once."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import partition
from .tensor import RaggedTensor, is_ragged

__all__ = ["getitem"]


def getitem(ragged: RaggedTensor, key: Any) -> Any:
    """``ragged[key]`` for integers, slices, ``...``, ``None`` and scalar integer tensors.

    Raises:
      ValueError: for an integer along a ragged axis other than the first, after a slice.
      InvalidArgumentError: for a row that is not there.
    """
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    keys = _without_ellipsis(keys, ragged.shape.rank)
    return _rows(ragged, keys)


def _without_ellipsis(keys: list[Any], rank: int | None) -> list[Any]:
    places = [i for i, k in enumerate(keys) if k is Ellipsis]
    if not places:
        return keys
    if len(places) > 1:
        raise ValueError("an index may have only a single ellipsis ('...')")
    if rank is None:
        raise ValueError("an ellipsis needs a ragged tensor of known rank")
    place = places[0]
    missing = rank - sum(k is not None for k in keys) + 1
    return [*keys[:place], *[slice(None)] * missing, *keys[place + 1 :]]


def _rows(ragged: Any, keys: list[Any]) -> Any:
    if not keys:
        return ragged
    if not is_ragged(ragged):
        return ragged[tuple(keys)]
    first, *rest = keys
    if first is None:
        return ops.expand_dims(_rows(ragged, rest), 0)
    if not isinstance(first, slice):
        row = _row(ragged, first)
        return _rows(row, rest) if is_ragged(row) else row[tuple(rest)] if rest else row
    if first != slice(None):
        ragged = ops.gather(ragged, _numbers(first, ragged.nrows()))
    return _within_rows(ragged, rest) if rest else ragged


def _row(ragged: RaggedTensor, number: Any) -> Any:
    """The row of a number, which may be negative."""
    splits = ragged.row_splits
    rows = ragged.shape[0]
    if isinstance(number, int) and rows is not None and not -rows <= number < rows:
        raise IndexError(f"Row key {number} out of bounds: there are {rows} rows")
    number = _core.convert_to_tensor(number)
    if not number.dtype.is_integer:
        raise TypeError(f"a ragged tensor is indexed by integers, not by {number.dtype.name}")
    number = ops.cast(number, splits.dtype)
    number = ops.where(number < 0, number + ragged.nrows(), number)
    return ragged.values[splits[number] : splits[number + 1]]


def _numbers(key: slice, size: Any) -> Any:
    """The places that a slice takes of so many, as Python counts them."""
    step = 1 if key.step is None else key.step
    places = ops.range(size)
    return places[key.start : key.stop : step]


def _within_rows(ragged: RaggedTensor, keys: list[Any]) -> Any:
    """Further keys, which apply to every row."""
    first, *rest = keys
    if first is None:
        return ops.expand_dims(_within_rows(ragged, rest) if rest else ragged, 1)
    if not isinstance(first, slice):
        if ragged._uniform is None:
            raise ValueError(
                "a number along a ragged axis would not be in every row: use a slice there"
            )
        ragged = _sliced(ragged, slice(first, first + 1 or None))
        inner = ragged.values
        return _rows(inner, [slice(None), *rest]) if rest else inner
    if first != slice(None):
        ragged = _sliced(ragged, first)
    if not rest:
        return ragged
    inner = ragged.values
    inner = _within_rows(inner, rest) if is_ragged(inner) else inner[(slice(None), *rest)]
    return RaggedTensor(inner, ragged.row_splits, ragged._uniform)


def _sliced(ragged: RaggedTensor, key: slice) -> RaggedTensor:
    """The same slice of each row."""
    lengths = ragged.row_lengths()
    dtype = lengths.dtype
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    start = _bound(key.start, lengths, low, high, 0 if step > 0 else lengths - 1)
    stop = _bound(key.stop, lengths, low, high, lengths if step > 0 else -1)
    start, stop = (ops.cast(x, dtype) + ops.zeros_like(lengths) for x in (start, stop))
    count = ops.maximum((stop - start + (step - (1 if step > 0 else -1))) // step, 0)
    splits = partition.splits_of_lengths(count)
    numbers = partition.rowids(splits)
    columns = partition.offsets(splits, numbers) * step + ops.gather(start, numbers)
    uniform = None
    if ragged._uniform is not None and _is_static(key):
        uniform = len(range(*key.indices(ragged._uniform)))
    places = columns + ops.gather(ragged.row_splits, numbers)
    return RaggedTensor(ops.gather(ragged.values, places), splits, uniform)


def _is_static(key: slice) -> bool:
    return all(x is None or isinstance(x, int) for x in (key.start, key.stop))


def _bound(given: Any, lengths: Any, low: Any, high: Any, otherwise: Any) -> Any:
    """An end of a slice for each row, as Python clips it."""
    if given is None:
        return otherwise
    given = ops.cast(given, lengths.dtype)
    given = ops.where(given < 0, given + lengths, given)
    return ops.clip_by_value(given, ops.cast(low, lengths.dtype), ops.cast(high, lengths.dtype))
