"""Rows rebatched in a cycle of batch sizes: ragged and sparse rows, empty batches."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..extension_type.spec import ExtensionTypeSpec
from ..ops import debug
from ..ragged.spec import RaggedTensorSpec
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor, SparseTensorSpec
from ..values import constants, dtypes, nest
from ..values.tensor_shape import TensorShape
from . import composites
from .dataset import Dataset


def static_size(element_spec: Any, sizes: Any, drop_remainder: Any) -> int | None:
    """The size of every batch where it is known: also without ``drop_remainder``, if it divides
    the known number of rows of the elements."""
    first = composites.static_size(sizes, drop_remainder)
    known = sizes._constant_value()
    if first is not None or known is None:
        return first
    wanted = {int(n) for n in known.numpy()}
    specs = [s for s in nest.flatten(element_spec) if not isinstance(s, ExtensionTypeSpec)]
    given = {spec.shape[0] for spec in specs if spec.shape.rank} - {None}
    if len(wanted) != 1 or len(given) != 1:
        return None
    size, rows = wanted.pop(), given.pop()
    return size if size == 0 or (size > 0 and rows % size == 0) else None


def rebatch(dataset: Dataset, sizes: Any, drop_remainder: Any) -> Dataset:
    """Rows whose elements have ragged or sparse tensors, in batches of these sizes, repeated."""
    debug.assert_non_negative(sizes, "a batch_size must not be negative")
    debug.assert_positive(ops.size(sizes), "there must be a batch_size")
    rows, known = composites.unbatch(dataset), sizes._constant_value()
    if known is None or any(int(n) == 0 for n in known.numpy()):
        return _with_empty(rows, sizes, drop_remainder)
    return _filled(rows, sizes, drop_remainder)


def _filled(rows: Dataset, sizes: Any, drop_remainder: Any) -> Dataset:
    """Rows in batches of these sizes, repeated, each of them positive."""
    if sizes.shape.is_compatible_with([1]) and sizes.shape.is_fully_defined():
        return composites.batch(rows, sizes[0], drop_remainder)
    ends, n = ops.cumsum(sizes), ops.size(sizes, dtypes.int64)

    def number(i: Any, _: Any) -> Any:
        whole, rest = i // ends[-1], i % ends[-1]
        return whole * n + ops.searchsorted(ends, [rest], side="right", out_type=dtypes.int64)[0]

    def together(number: Any, numbered: Dataset) -> Dataset:
        own = composites.of_type(numbered.map(lambda _, row: row), rows.element_spec)
        return composites.batch(own, sizes[number % n], drop_remainder)

    numbered = rows.enumerate()
    return numbered.group_by_window(number, together, None, lambda number: sizes[number % n])


def _with_empty(rows: Dataset, sizes: Any, drop_remainder: Any) -> Dataset:
    """Rows in batches of these sizes, repeated, of which some may be 0.

    A batch that is short ends the dataset, a whole one is followed by the empty ones behind it.
    """
    n = ops.size(sizes, dtypes.int64)
    places = ops.where(sizes > 0)[:, 0]
    n_filled = ops.size(places, dtypes.int64)
    # A size for where all are 0, whose batches come after empty ones without end.
    stand_in = ops.ones([1 - ops.minimum(n_filled, 1)], dtypes.int64)
    filled = ops.concat([ops.gather(sizes, places), stand_in], 0)
    leading = ops.concat([places, -stand_in], 0)[0]
    gaps = ops.concat([places[1:], places[:1] + n], 0) - places - 1

    batches = _filled(rows, filled, drop_remainder)
    empty = Dataset.from_tensors(nest.map_structure(_empty, rows.element_spec))

    def followed(i: Any, batch: Any) -> Dataset:
        is_whole = ops.equal(composites.n_rows(nest.flatten(batch)[0]), filled[i % n_filled])
        gap = ops.where(is_whole, gaps[i % n_filled], 0)
        return Dataset.from_tensors(batch).concatenate(empty.repeat(gap))

    found = empty.repeat(leading).concatenate(batches.enumerate().flat_map(followed))
    return composites.of_type(found, batches.element_spec)


def _empty(spec: Any) -> Any:
    """A batch of no rows of a type."""
    if isinstance(spec, ExtensionTypeSpec):
        parts = [_empty(part) for part in spec._encoded_specs()]
        return spec._batched_spec(None)._decoded(parts)
    if isinstance(spec, RaggedTensorSpec):
        lengths = [ops.zeros([0], spec.row_splits_dtype)] * (spec.ragged_rank + 1)
        flat = ops.zeros(_no_rows(spec.shape[spec.ragged_rank + 1 :]), spec.dtype)
        return RaggedTensor.from_nested_row_lengths(flat, lengths)
    if isinstance(spec, SparseTensorSpec):
        sizes = _no_rows(spec.shape)
        indices = ops.zeros([0, len(sizes)], dtypes.int64)
        shape = constants.constant(sizes, dtypes.int64)
        return SparseTensor(indices, ops.zeros([0], spec.dtype), shape)
    return ops.zeros(_no_rows(spec.shape), spec.dtype)


def _no_rows(row: TensorShape) -> list[Any]:
    """The shape of no rows of a shape. Sizes that are not known are 0."""
    return [0, *(n or 0 for n in (row.as_list() if row.rank else []))]
