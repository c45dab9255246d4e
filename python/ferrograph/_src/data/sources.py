"""Sources of elements: rows, generators, random numbers, zipped datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native import _core
from ..ops.arrays import expand_dims, reshape
from ..ops.creation import fill
from ..ops.elementwise import log
from ..ops.numeric import cast
from ..ops.random_ops import operation_seeds, stateless_categorical
from ..ops.selection import boolean_mask
from ..values import nest
from ..values.dtypes import as_dtype, int64
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from . import structure
from .batching import _beside
from .composites import slices as slices_of_composites
from .dataset import Dataset, emitted, made


def slices(tensors: Any) -> Dataset:
    """``Dataset.from_tensor_slices``."""
    value = structure.normalized(tensors)
    leaves = nest.flatten(value)
    if not leaves:
        raise ValueError("from_tensor_slices needs at least one tensor")
    if not all(isinstance(leaf, _core.Tensor) for leaf in leaves):
        return slices_of_composites(value)
    specs = [_row(leaf) for leaf in leaves]
    counts = {leaf.shape[0] for leaf in leaves if leaf.shape.rank is not None} - {None}
    if len(counts) > 1:
        shapes = [str(leaf.shape) for leaf in leaves]
        raise ValueError(f"the components have different numbers of rows: {', '.join(shapes)}")
    spec = nest.pack_sequence_as(value, specs)
    return emitted("TensorSliceDataset", leaves, spec)


def _row(leaf: Any) -> TensorSpec:
    if leaf.shape.rank == 0:
        raise ValueError("a scalar cannot be sliced: from_tensor_slices needs tensors with rows")
    return TensorSpec(None if leaf.shape.rank is None else leaf.shape[1:], leaf.dtype)


def generated(
    generator: Callable[..., Any], types: Any, shapes: Any, args: Any, signature: Any
) -> Dataset:
    """``Dataset.from_generator``."""
    if not callable(generator):
        raise TypeError(f"from_generator needs a function, got {shown(generator)}")
    signature = _signature(types, shapes, signature)
    inputs = [_core.convert_to_tensor(a) for a in (() if args is None else args)]
    rows = _Rows(generator, signature)
    variant = _core.emit_generator(rows, inputs, *structure.dtypes_and_shapes(signature))
    return made(variant, signature, "FlatMapDataset")


def _signature(types: Any, shapes: Any, signature: Any) -> Any:
    if signature is not None:
        if types is not None or shapes is not None:
            raise TypeError("output_signature stands alone, without output_types and output_shapes")
        for spec in nest.flatten(signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(f"output_signature must hold TypeSpecs, got {shown(spec)}")
        return signature
    if types is None:
        raise TypeError("from_generator needs output_signature, or output_types")
    leaves = nest.flatten(types)
    if shapes is None:
        shapes = [None] * len(leaves)
    elif not nest.is_nested(types):
        shapes = [shapes]
    else:
        shapes = _beside(types, shapes)
    specs = [
        TensorSpec(TensorShape(shape), as_dtype(dtype))
        for dtype, shape in zip(leaves, shapes, strict=True)
    ]
    return nest.pack_sequence_as(types, specs)


class _Rows:
    """Calls a generator, and takes what it yields apart into components."""

    def __init__(self, generator: Callable[..., Any], signature: Any):
        self._generator, self._signature = generator, signature

    def __call__(self, *args: Any) -> Any:
        values = self._generator(*(a.numpy() for a in args))
        if isinstance(self._signature, TensorSpec):
            return values
        rows = (_parts(value, self._signature) for value in values)
        # A component alone is handed over by itself.
        is_alone = len(structure.components(self._signature)) == 1
        return (row[0] for row in rows) if is_alone else rows


def _parts(value: Any, signature: Any) -> list[Any]:
    """The components of an element in the structure of ``signature``; lists count as tuples."""
    if nest.is_nested(signature):
        if isinstance(value, list):
            value = tuple(value)
        if not nest.is_nested(value):
            raise TypeError(f"a generator gave {shown(value)}, expected the structure {signature}")
        specs, parts = nest.children(signature), nest.children(value)
        same_keys = not isinstance(signature, dict) or set(signature) == set(value)
        if len(specs) != len(parts) or not same_keys:
            raise TypeError(f"a generator gave {shown(value)}, expected the structure {signature}")
        found: list[Any] = []
        for part, spec in zip(parts, specs, strict=True):
            found += _parts(part, spec)
        return found
    if isinstance(signature, TensorSpec):
        return [value]
    value = structure.normalized(value)
    return structure.tensors_of(value)


def seeds(seed: Any) -> list[Any]:
    """The two seeds of a random dataset, as tensors: the program's and the operation's own."""
    return list(operation_seeds(seed))


def random_numbers(seed: Any, rerandomize: bool) -> Dataset:
    """``Dataset.random``."""
    attrs = {"rerandomize_each_iteration": rerandomize}
    return emitted("RandomDatasetV2", seeds(seed), TensorSpec([], int64), **attrs)


def zipped(args: tuple[Any, ...], datasets: Any) -> Dataset:
    """``Dataset.zip``."""
    if not args and datasets is None:
        raise TypeError("zip needs datasets")
    if args and datasets is not None:
        raise TypeError("zip takes datasets either by position or as `datasets`")
    given = datasets if not args else args[0] if len(args) == 1 else args
    leaves = nest.flatten(given)
    for leaf in leaves:
        if not isinstance(leaf, Dataset):
            raise TypeError(f"zip takes datasets and structures of them, got {shown(leaf)}")
    if isinstance(given, list):
        raise TypeError("zip takes a tuple or dict of datasets, got a list")
    spec = nest.map_structure(lambda d: d.element_spec, given)
    return emitted("ZipDataset", [d._variant_tensor for d in leaves], spec, *leaves)


def chosen(datasets: Any, choice: Dataset, stops: bool) -> Dataset:
    """``Dataset.choose_from_datasets``."""
    datasets = list(datasets)
    if not datasets:
        raise ValueError("choose_from_datasets needs datasets to choose from")
    expected = TensorSpec([], int64)
    if not expected.is_compatible_with(choice.element_spec):
        raise TypeError(f"choice_dataset must give scalar int64s, gives {choice.element_spec}")
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        structure.same_kind(spec, other.element_spec, "choose_from_datasets")
        spec = structure.generalised(spec, other.element_spec)
    inputs = [choice._variant_tensor, *(d._variant_tensor for d in datasets)]
    op = "DirectedInterleaveDataset"
    return emitted(op, inputs, spec, *datasets, stop_on_empty_dataset=bool(stops))


def sampled(datasets: Any, weights: Any, seed: Any, stops: bool, rerandomize: bool) -> Dataset:
    """``Dataset.sample_from_datasets``."""
    datasets = list(datasets)
    if not datasets:
        raise ValueError("sample_from_datasets needs datasets to choose from")
    seeds_of_draws = random_numbers(seed, rerandomize).batch(2, drop_remainder=True)

    def choose(seed: Any, logits: Any) -> Any:
        return reshape(stateless_categorical(logits, 1, seed), [])

    if isinstance(weights, Dataset):
        rows = weights.map(lambda row: log(reshape(row, [1, -1])))
        choice = Dataset.zip((seeds_of_draws, rows)).map(choose)
    else:
        datasets, logits = _weighted(datasets, weights)
        choice = seeds_of_draws.map(lambda seed: choose(seed, logits))
    return datasets[0] if len(datasets) == 1 else chosen(datasets, choice, stops)


def _weighted(datasets: list[Dataset], weights: Any) -> tuple[list[Dataset], Any]:
    """The datasets that may be drawn, and the logarithms of their weights as a row.

    The weights are alike for None. A dataset that is never drawn would never come to its end.
    """
    n = len(datasets)
    if weights is None:
        return datasets, fill([1, n], 1.0)
    row = _core.convert_to_tensor(weights)
    if row.shape.rank != 1 or row.shape[0] not in (None, n):
        raise ValueError(f"sample_from_datasets needs {n} weights, got shape {row.shape}")
    row = row if row.dtype.is_floating else cast(row, "float32")
    known = row._constant_value()
    if known is not None and any(found := known.numpy().tolist()):
        datasets = [d for d, weight in zip(datasets, found, strict=True) if weight]
        row = boolean_mask(row, known != 0)
    return datasets, log(expand_dims(row, 0))
