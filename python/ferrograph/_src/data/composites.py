"""Ragged and sparse elements: rows of them, and several as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..control_flow import loops
from ..extension_type.classes import ExtensionType
from ..extension_type.spec import ExtensionTypeSpec
from ..native import _core
from ..ops import debug
from ..ragged.spec import RaggedTensorSpec
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor, SparseTensorSpec
from ..state.tensor_array import TensorArray
from ..values import constants, dtypes, nest
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from . import structure
from .dataset import Dataset, emitted, made
from .structure import NoneTensorSpec, flag, scalar


def slices(value: Any) -> Dataset:
    """The rows of a structure with ragged or sparse tensors in it."""
    parts = [
        Dataset.from_tensor_slices(leaf) if isinstance(leaf, _core.Tensor) else _rows(leaf)
        for leaf in nest.flatten(value)
    ]
    return Dataset.zip(nest.pack_sequence_as(value, parts))


def _rows(leaf: Any) -> Dataset:
    if isinstance(leaf, RaggedTensor):
        rows = Dataset.range(leaf.nrows(dtypes.int64)).map(lambda i: leaf[i])
        return rows if leaf.ragged_rank > 1 else of_type(rows, _row_spec(leaf))
    if isinstance(leaf, SparseTensor):
        rows = Dataset.range(leaf.dense_shape[0]).map(lambda i: _sparse_row(leaf, i))
        return of_type(rows, SparseTensorSpec(leaf.shape[1:], leaf.dtype))
    if isinstance(leaf, ExtensionType):
        spec = leaf._type_spec
        row = spec._element_spec()
        rows = Dataset.zip(tuple(slices(part) for part in spec._encoded(leaf, 1)))
        if spec._stacks_parts():
            return of_type(rows, row)
        return rows.map(lambda *parts: row._decoded(list(parts)))
    raise TypeError(f"from_tensor_slices takes tensors, got {shown(leaf)}")


def of_type(dataset: Dataset, element_spec: Any) -> Dataset:
    """The dataset with another type for the same components."""
    return made(dataset._variant_tensor, element_spec, dataset._op_name, dataset)


def _row_spec(leaf: Any) -> RaggedTensorSpec:
    """The type of rows of a tensor with one ragged axis: tensors, which make a ragged one again."""
    return RaggedTensorSpec(leaf.shape[1:], leaf.dtype, 0, leaf.row_splits.dtype)


def _sparse_row(whole: Any, i: Any) -> Any:
    chosen = ops.equal(whole.indices[:, 0], i)
    indices = ops.boolean_mask(whole.indices, chosen)[:, 1:]
    values = ops.boolean_mask(whole.values, chosen)
    return SparseTensor(indices, values, whole.dense_shape[1:])


class _Batcher:
    """How one component is taken apart into tensors, and several are put together.

    ``parts`` gives the tensors of a component, ``whole`` a batch from a dataset of each of them.
    """

    def __init__(self, parts: Callable[[Any], list[Any]], whole: Callable[[list[Any], Any], Any]):
        self.parts, self.whole = parts, whole


def batch(dataset: Dataset, batch_size: Any, drop_remainder: Any, splits: Any = None) -> Dataset:
    """Batches of elements among which are ragged or sparse tensors.

    With ``splits``, a dtype of row splits, tensors of unknown shape become ragged too.
    """
    size, drop = scalar(batch_size), flag(drop_remainder)
    specs = nest.flatten(dataset.element_spec)
    batchers = [_batcher(spec, splits) for spec in specs]
    counts = [len(batcher.parts(spec)) for batcher, spec in zip(batchers, specs, strict=True)]
    element_type = dataset.element_spec

    def apart(*element: Any) -> tuple[Any, ...]:
        value = element if type(element_type) is tuple else element[0]
        leaves = zip(batchers, nest.flatten(value), strict=True)
        return tuple(part for batcher, leaf in leaves for part in batcher.parts(leaf))

    def together(*windows: Any) -> Any:
        rest = iter(windows)
        wholes = [
            batcher.whole([next(rest) for _ in range(count)], size)
            for batcher, count in zip(batchers, counts, strict=True)
        ]
        return nest.pack_sequence_as(element_type, wholes)

    windows = dataset.map(apart).window(size, drop_remainder=drop)
    first = TensorShape([static_size(size, drop)])
    types = [_batched_type(spec, first, splits) for spec in specs]
    return of_type(windows.map(together), nest.pack_sequence_as(element_type, types))


def window(dataset: Dataset, *arguments: Any) -> Dataset:
    """Windows of elements among which are ragged or sparse tensors.

    A window of such a component is a dataset of the tensors that it is made of, taken together.
    """
    specs = nest.flatten(dataset.element_spec)
    parts = [nest.flatten(spec, expand_composites=True) for spec in specs]
    windows = of_type(dataset, tuple(part for leaf in parts for part in leaf)).window(*arguments)
    element_type = dataset.element_spec

    def together(*components: Any) -> Any:
        rest = iter(components)
        wholes = [
            of_type(Dataset.zip(tuple(next(rest) for _ in leaf)), spec)
            for leaf, spec in zip(parts, specs, strict=True)
        ]
        return nest.pack_sequence_as(element_type, wholes)

    return windows.map(together)


def static_size(size: Any, drop: Any) -> int | None:
    """The size of every batch where it is known, which a short last one leaves unknown.

    ``size`` is one, or several that batches have in turn.
    """
    known, dropped = size._constant_value(), drop._constant_value()
    if known is None or dropped is None or not bool(dropped):
        return None
    sizes = {int(n) for n in known.numpy().ravel()}
    return sizes.pop() if len(sizes) == 1 else None


def _batched_type(spec: Any, first: TensorShape, splits: Any) -> Any:
    """The type of a batch of components of a type, of which there are as many as ``first`` says."""
    if isinstance(spec, ExtensionTypeSpec):
        return spec._batched_spec(first[0])
    shape = first.concatenate(spec.shape)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        dtype = splits or spec.row_splits_dtype
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, dtype)
    rank = _ragged_rank(spec, splits)
    if rank is None:
        return TensorSpec(shape, spec.dtype)
    return RaggedTensorSpec(shape, spec.dtype, rank + 1, splits)


def _ragged_rank(spec: TensorSpec, splits: Any) -> int | None:
    """How many axes of an element become ragged, up to its last one of unknown size; None where
    batches are plain tensors."""
    if splits is None or spec.shape.rank is None or spec.shape.is_fully_defined():
        return None
    return max(i for i, n in enumerate(spec.shape.as_list()) if n is None)


def sparse_batch(dataset: Dataset, batch_size: Any, row_shape: Any) -> Dataset:
    """``Dataset.sparse_batch``."""
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"sparse_batch works on datasets of single tensors, got elements {spec}")
    row = TensorShape(row_shape)
    if row.rank is None:
        raise ValueError("sparse_batch needs a row_shape of known rank")
    bounds = constants.constant([-1 if n is None else n for n in row.as_list()], dtypes.int64)

    def sparse(x: Any) -> SparseTensor:
        debug.assert_rank(x, row.rank, "an element of sparse_batch is no row of row_shape")
        own = ops.shape(x, dtypes.int64)
        fits = ops.logical_or(ops.equal(bounds, -1), ops.less_equal(own, bounds))
        debug.Assert(ops.reduce_all(fits), ["an element is larger than row_shape:", own, bounds])
        positions = ops.where(ops.ones_like(x, dtypes.bool))
        shape = ops.where(ops.equal(bounds, -1), own, bounds)
        return SparseTensor(positions, ops.reshape(x, [-1]), shape)

    rows = batch(dataset.map(sparse), batch_size, False)
    return of_type(rows, SparseTensorSpec(TensorShape([None]).concatenate(row), spec.dtype))


def _batcher(spec: Any, splits: Any) -> _Batcher:
    if isinstance(spec, TensorSpec):
        rank = _ragged_rank(spec, splits)
        if rank is None:
            return _Batcher(lambda t: [t], _stack)
        if rank == 0:
            return _Batcher(lambda t: [t], lambda w, _: _ragged([w[0]], splits))
        n: int = rank
        return _Batcher(
            lambda t: _ragged_parts(t if t is spec else _as_ragged(t, n), n),
            lambda w, _: _ragged(w, splits),
        )
    if isinstance(spec, RaggedTensorSpec):
        rank, dtype = spec.ragged_rank, splits or spec.row_splits_dtype
        return _Batcher(lambda t: _ragged_parts(t, rank), lambda w, _: _ragged(w, dtype))
    if isinstance(spec, SparseTensorSpec):
        return _Batcher(_sparse_parts, _sparse)
    if isinstance(spec, ExtensionTypeSpec):
        return _extension(spec)
    raise TypeError(f"batch works on tensors, ragged and sparse ones, got a component of {spec}")


def _extension(spec: ExtensionTypeSpec) -> _Batcher:
    """Values whose parts are taken apart and put together each in its own way."""
    batchers = [_batcher(part, None) for part in spec._encoded_specs()]

    def parts(value: Any) -> list[Any]:
        of_type = isinstance(value, TypeSpec)
        own = spec._encoded_specs() if of_type else spec._encoded(value)
        return [p for batcher, v in zip(batchers, own, strict=True) for p in batcher.parts(v)]

    def whole(windows: list[Any], size: Any) -> Any:
        rest = iter(windows)
        made = []
        for batcher, part in zip(batchers, spec._encoded_specs(), strict=True):
            made.append(batcher.whole([next(rest) for _ in batcher.parts(part)], size))
        return spec._batched_spec(None)._decoded(made)

    return _Batcher(parts, whole)


def over_parts(
    dataset: Dataset, transform: Callable[..., Any], retyped: Callable[..., Any]
) -> Dataset | None:
    """``transform`` of a dataset of the tensors that extension types are made of, whose elements
    have the types then that ``retyped`` gives; None where they are not made of tensors alone.
    """
    opened = structure.map_types(_opened, dataset.element_spec)
    if not is_plain(opened):
        return None
    made = transform(of_type(dataset, opened))
    return of_type(made, structure.map_types(retyped, dataset.element_spec))


def _opened(spec: Any) -> Any:
    """The types of the parts of an extension type that stacks them as they are."""
    if not isinstance(spec, ExtensionTypeSpec) or not spec._stacks_parts():
        return spec
    return tuple(_opened(part) for part in spec._component_specs)


def _as_ragged(tensor: Any, rank: int) -> Any:
    return RaggedTensor.from_tensor(tensor, ragged_rank=rank)


def _ragged_parts(value: Any, rank: int) -> list[Any]:
    """The innermost values and the lengths of rows, outermost first; of a spec as many of it."""
    if isinstance(value, (TypeSpec, TensorSpec)):
        return [value] * (rank + 1)
    return [value.flat_values, *value.nested_row_lengths()] if rank else [value]


def _sparse_parts(value: Any) -> list[Any]:
    if isinstance(value, TypeSpec):
        return [value] * 3
    return [value.indices, value.values, value.dense_shape]


def _stack(windows: list[Any], size: Any) -> Any:
    return windows[0].batch(size).get_single_element()


def _ragged(windows: list[Any], splits: Any) -> Any:
    """The ragged tensor of the values and row lengths of its rows."""
    flat, counts = _joined(windows[0])
    inner = [_joined(window) for window in windows[1:]]
    if inner:
        counts = inner[0][1]
    every = [ops.cast(n, splits) for n in (counts, *(lengths for lengths, _ in inner))]
    return RaggedTensor.from_nested_row_lengths(flat, every, validate=False)


def _sparse(windows: list[Any], size: Any) -> Any:
    indices, counts = _joined(windows[0])
    values, _ = _joined(windows[1])
    shapes = _stack([windows[2]], size)
    numbers = ops.repeat(ops.range(ops.size(counts, dtypes.int64)), counts)
    indices = ops.concat([ops.expand_dims(numbers, 1), indices], 1)
    shape = ops.concat([ops.shape(shapes, dtypes.int64)[:1], ops.reduce_max(shapes, 0)], 0)
    return SparseTensor(indices, values, shape)


def _joined(window: Any) -> tuple[Any, ...]:
    """The elements of a dataset one after the other along their first axis, and their lengths."""
    spec = window.element_spec
    elements = iter(window)
    parts = TensorArray(spec.dtype, 0, True, infer_shape=False, element_shape=spec.shape)
    sizes = TensorArray(dtypes.int64, 0, True, element_shape=[])

    def step(i: Any, parts: Any, sizes: Any) -> tuple[Any, ...]:
        part = elements.get_next()
        return i + 1, parts.write(i, part), sizes.write(i, ops.shape(part, dtypes.int64)[0])

    start = (constants.constant(0), parts, sizes)
    _, parts, sizes = loops.while_loop(lambda *_: elements._has_next(False), step, start)
    return parts.concat(), sizes.stack()


def dense(spec: Any) -> Any:
    """The type of a tensor for that of a ragged tensor without a ragged axis, else as it is."""
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank == 0:
        return TensorSpec(spec.shape, spec.dtype)
    return spec


def is_plain(element_type: Any) -> bool:
    """Whether all components are tensors."""
    plain = (TensorSpec, NoneTensorSpec)
    return all(isinstance(spec, plain) for spec in nest.flatten(element_type))


def n_rows(leaf: Any) -> Any:
    if isinstance(leaf, RaggedTensor):
        return leaf.nrows(dtypes.int64)
    if isinstance(leaf, SparseTensor):
        return leaf.dense_shape[0]
    if isinstance(leaf, ExtensionType):
        return n_rows(leaf._type_spec._encoded(leaf, 1)[0])
    return ops.shape(leaf, dtypes.int64)[0]


def unbatch(dataset: Dataset) -> Dataset:
    """The rows of elements with ragged or sparse tensors in them."""

    def rows(*element: Any) -> Dataset:
        value = element if type(dataset.element_spec) is tuple else element[0]
        counts = [n_rows(leaf) for leaf in nest.flatten(value)]
        for count in counts[1:]:
            message = "unbatch: the components have different numbers of rows"
            debug.assert_equal(count, counts[0], message)
        return slices(value)

    return counted(dataset, dataset.flat_map(rows))


def counted(batches: Dataset, rows: Dataset) -> Dataset:
    """The rows of all batches, whose number is known where it is known how many each has."""
    specs = nest.flatten(batches.element_spec)
    if any(isinstance(spec, ExtensionTypeSpec) for spec in specs):
        return rows
    sizes = {spec.shape[0] for spec in specs if spec.shape.rank} - {None}
    known = batches.cardinality()._constant_value()
    if not sizes or known is None or int(known) < 0:
        return rows
    count = scalar(int(known) * min(sizes))
    inputs = [rows._variant_tensor, count]
    return emitted("AssertCardinalityDataset", inputs, rows.element_spec, rows)
