"""How ``map_fn`` takes the rows of values and collects its results, also where these are ragged."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..ops.arithmetic import maximum
from ..ops.arrays import concat, repeat, row_blocks, shape, unstack
from ..ops.creation import range as range_
from ..ops.reductions import reduce_max
from ..state.tensor_array import TensorArray
from ..values.dtypes import int64
from ..values.errors import shown
from ..values.tensor_spec import TensorSpec

__all__ = ["CompositeRows", "EagerRows", "SparseRows", "collector_for"]


class EagerRows:
    """The rows of a tensor, of which a block at a time is taken apart."""

    def __init__(self, tensor: Any):
        self._blocks = row_blocks(tensor)
        self._size = self._blocks[0].shape[0]
        self._number = -1
        self._rows: list[Any] = []

    def read(self, index: int) -> Any:
        """The row of that number."""
        number, place = divmod(index, self._size)
        if number != self._number:
            self._rows, self._number = unstack(self._blocks[number]), number
        return self._rows[place]


class CompositeRows:
    """The rows of a ragged tensor or an extension type."""

    def __init__(self, value: Any):
        self._value = value
        if not hasattr(value, "row_splits"):
            spec = value._type_spec
            self._spec = spec._element_spec()
            self._parts = [_rows_of(part) for part in spec._encoded(value, 1)]

    def read(self, index: Any) -> Any:
        """The row of that number."""
        if hasattr(self._value, "row_splits"):
            return self._value[index]
        return self._spec._decoded([part.read(index) for part in self._parts])


class _TensorRows:
    """The rows of a tensor."""

    def __init__(self, tensor: Any):
        self._tensor = tensor

    def read(self, index: Any) -> Any:
        """The row of that number."""
        return self._tensor[index]


def _rows_of(part: Any) -> Any:
    if isinstance(part, _core.Tensor):
        return _TensorRows(part)
    return SparseRows(part) if hasattr(type(part), "_row") else CompositeRows(part)


class SparseRows:
    """The rows of a sparse tensor, sparse tensors themselves."""

    def __init__(self, value: Any):
        self._value = value

    def read(self, index: Any) -> Any:
        """The row of that number."""
        return self._value._row(index)


def collector_for(spec: Any, count: Any, infer_shape: bool) -> Any:
    """What collects ``count`` results of a spec. TypeError for one without rows."""
    if isinstance(spec, TensorSpec):
        return _Stacked(spec, count, infer_shape)
    if hasattr(spec, "row_splits_dtype"):
        return _RaggedRows(spec, count)
    if hasattr(spec.value_type, "_row"):
        return _SparseResults(spec, count)
    if hasattr(spec, "_encoded"):
        return _Parts(spec, count, infer_shape)
    raise TypeError(
        f"map_fn: results of the type {shown(spec)} have no rows to be stacked in; return tensors, "
        "ragged or sparse tensors, or extension types that can be batched"
    )


class _Stacked:
    """Tensors, stacked."""

    def __init__(self, spec: TensorSpec, count: Any, infer_shape: bool):
        self.arrays = [
            TensorArray(spec.dtype, count, infer_shape=infer_shape, element_shape=spec.shape)
        ]

    def parts(self, value: Any) -> list[Any]:
        """What to write for a result, an entry for each array."""
        return [value]

    def result(self, arrays: list[Any]) -> Any:
        """All results as one value."""
        return arrays[0].stack()


class _Parts:
    """Extension types, whose parts are collected each in its own way."""

    def __init__(self, spec: Any, count: Any, infer_shape: bool):
        self._spec, parts = spec, spec._encoded_specs()
        self._collectors = [collector_for(part, count, infer_shape) for part in parts]
        self.arrays = [array for one in self._collectors for array in one.arrays]

    def parts(self, value: Any) -> list[Any]:
        """What to write for a result, an entry for each array."""
        pairs = zip(self._collectors, self._spec._encoded(value), strict=True)
        return [part for collector, own in pairs for part in collector.parts(own)]

    def result(self, arrays: list[Any]) -> Any:
        """All results as one value."""
        rest = iter(arrays)
        made = [one.result([next(rest) for _ in one.arrays]) for one in self._collectors]
        return self._spec._batched_spec(None)._decoded(made)


class _SparseResults:
    """Sparse tensors with any number of elements; the largest sizes are those of the whole."""

    def __init__(self, spec: Any, count: Any):
        self._spec, self._count = spec, count
        rank = spec.shape.rank
        places = None if rank is None else [None, rank]
        kinds = [(spec.dtype, [None]), (int64, places), (int64, []), (int64, [rank])]
        self.arrays = [
            TensorArray(dtype, count, infer_shape=False, element_shape=sizes)
            for dtype, sizes in kinds
        ]

    def parts(self, value: Any) -> list[Any]:
        """What to write for a result, an entry for each array."""
        if not hasattr(type(value), "_row"):
            raise TypeError(
                f"map_fn: the function gives {shown(value)}, its signature a SparseTensor"
            )
        number = _core.emit("Size", (value.values,), {"out_type": int64})
        return [value.values, value.indices, number, value.dense_shape]

    def result(self, arrays: list[Any]) -> Any:
        """All results as one value."""
        values, places, numbers, sizes = arrays
        counts = numbers.stack()
        rows = repeat(range_(shape(counts, int64)[0]), counts)
        whole = concat([shape(counts, int64), maximum(reduce_max(sizes.stack(), 0), 0)], 0)
        indices = concat([rows[:, None], places.concat()], 1)
        return self._spec._batch(None)._from_components([indices, values.concat(), whole])


class _RaggedRows:
    """Rows of any length, ragged themselves where the spec says so."""

    def __init__(self, spec: Any, count: Any):
        self._spec, self._count = spec, count
        inner = [None] * (spec.shape.rank - spec.ragged_rank) if spec.shape.rank else None
        if inner is not None:
            inner[1:] = spec.shape.as_list()[spec.ragged_rank + 1 :]
        values = TensorArray(spec.dtype, count, infer_shape=False, element_shape=inner)
        lengths = [
            TensorArray(spec.row_splits_dtype, count, infer_shape=False, element_shape=shape)
            for shape in [[], *[[None]] * spec.ragged_rank]
        ]
        self.arrays = [values, *lengths]

    def parts(self, value: Any) -> list[Any]:
        """What to write for a result, an entry for each array."""
        dtype = self._spec.row_splits_dtype
        if self._spec.ragged_rank == 0:
            value = _core.convert_to_tensor(value, dtype_hint=self._spec.dtype)
            rows = _core.emit("Shape", (value,), {"out_type": dtype})[0]
            return [value, rows]
        if getattr(value, "ragged_rank", 0) != self._spec.ragged_rank:
            raise ValueError(
                f"map_fn: the function gives {shown(value)}, and its signature says "
                f"{self._spec!r}: give the `ragged_rank` of the rows, 0 where they are tensors"
            )
        lengths = [_core.emit("Cast", (n,), {"DstT": dtype}) for n in value.nested_row_lengths()]
        return [value.flat_values, value.nrows(dtype), *lengths]

    def result(self, arrays: list[Any]) -> Any:
        """All results as one value."""
        values, outer, *nested = arrays
        lengths = [outer.stack(), *(array.concat() for array in nested)]
        ragged = self._spec._value_class
        return ragged.from_nested_row_lengths(values.concat(), lengths, validate=False)
