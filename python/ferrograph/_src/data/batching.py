"""Batching: batches, padded batches, groups and buckets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograph import api
from ..extension_type.spec import ExtensionTypeSpec
from ..native import _core
from ..ops import debug
from ..ops.arithmetic import less
from ..ops.arrays import reshape
from ..ops.numeric import cast
from ..ops.reductions import reduce_sum
from ..values import nest
from ..values.dtypes import bool as bool_dtype
from ..values.dtypes import int64
from ..values.dtypes import string as string_dtype
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec
from . import composites, rebatching, structure, traced
from .dataset import Dataset, emitted
from .specs import DatasetSpec
from .structure import NoneTensorSpec, flag, scalar


def batch(dataset: Dataset, batch_size: Any, drop_remainder: Any) -> Dataset:
    """``Dataset.batch``."""
    size, drop = scalar(batch_size), flag(drop_remainder)
    first = composites.static_size(size, drop)
    if not composites.is_plain(dataset.element_spec):
        stacked = composites.over_parts(
            dataset, lambda parts: batch(parts, size, drop), lambda s: _batched(s, first)
        )
        return composites.batch(dataset, size, drop) if stacked is None else stacked

    spec = structure.map_types(lambda s: _stacked(s, first), dataset.element_spec)
    inputs = [dataset._variant_tensor, size, drop]
    return emitted("BatchDatasetV2", inputs, spec, dataset)


def rebatch(dataset: Dataset, batch_size: Any, drop_remainder: Any) -> Dataset:
    """``Dataset.rebatch``."""
    sizes, drop = structure.integers(batch_size), flag(drop_remainder)
    if sizes.shape.rank is not None and sizes.shape.rank > 1:
        raise ValueError(f"rebatch takes a size or a vector of sizes, got shape {sizes.shape}")
    sizes = reshape(sizes, [-1])
    first = rebatching.static_size(dataset.element_spec, sizes, drop)
    if not composites.is_plain(dataset.element_spec):
        again = composites.over_parts(
            dataset,
            lambda parts: rebatch(parts, sizes, drop),
            lambda s: _batched(_element(s), first),
        )
        return rebatching.rebatch(dataset, sizes, drop) if again is None else again

    _check_as_many(dataset.element_spec)
    spec = structure.map_types(lambda s: _stacked(_row(s), first), dataset.element_spec)
    inputs = [dataset._variant_tensor, sizes, drop]
    return emitted("RebatchDatasetV2", inputs, spec, dataset)


def _stacked(spec: Any, first: int | None) -> Any:
    if isinstance(spec, NoneTensorSpec):
        return spec
    _expect_tensor(spec, "batch")
    return TensorSpec(TensorShape([first]).concatenate(spec.shape), spec.dtype)


def _batched(spec: Any, first: int | None) -> Any:
    """The type of a batch of components, also of extension types."""
    if isinstance(spec, ExtensionTypeSpec):
        return spec._batched_spec(first)
    return _stacked(spec, first)


def _element(spec: Any) -> Any:
    """The type of a row of a component, also of extension types."""
    return spec._element_spec() if isinstance(spec, ExtensionTypeSpec) else _row(spec)


def _expect_tensor(spec: Any, what: str) -> None:
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"{what} works on elements of tensors, got a component of type {spec}")


def unbatch(dataset: Dataset) -> Dataset:
    """``Dataset.unbatch``."""
    if not composites.is_plain(dataset.element_spec):
        rows = composites.over_parts(dataset, unbatch, _element)
        return composites.unbatch(dataset) if rows is None else rows

    spec = structure.map_types(_row, dataset.element_spec)
    _check_as_many(dataset.element_spec)
    return emitted("UnbatchDataset", [dataset._variant_tensor], spec, dataset)


def _check_as_many(element_spec: Any) -> None:
    """ValueError where components are known to have different numbers of rows."""
    shapes = [spec.shape for spec in nest.flatten(element_spec)]
    known = {shape[0] for shape in shapes if shape.rank and shape[0] is not None}
    if len(known) > 1:
        text = ", ".join(map(str, shapes))
        raise ValueError(f"unbatch: the components have different numbers of rows: {text}")


def _row(spec: Any) -> TensorSpec:
    _expect_tensor(spec, "unbatch")
    if spec.shape.rank == 0:
        raise ValueError("unbatch: a scalar has no rows")
    return TensorSpec(None if spec.shape.rank is None else spec.shape[1:], spec.dtype)


def padded_batch(
    dataset: Dataset, batch_size: Any, shapes: Any, paddings: Any, drop_remainder: Any
) -> Dataset:
    """``Dataset.padded_batch``."""
    if any(isinstance(s, ExtensionTypeSpec) for s in nest.flatten(dataset.element_spec)):
        return _padded_parts(dataset, batch_size, shapes, paddings, drop_remainder)
    specs = [composites.dense(spec) for spec in nest.flatten(dataset.element_spec)]
    for spec in specs:
        _expect_tensor(spec, "padded_batch")
    chosen = [
        _padded_shape(s, p)
        for s, p in zip(specs, _beside(dataset.element_spec, shapes), strict=True)
    ]
    if paddings is not None and not nest.is_nested(paddings) and len(specs) > 1:
        paddings = nest.pack_sequence_as(dataset.element_spec, [paddings] * len(specs))
    values = [
        _padding(s, p) for s, p in zip(specs, _beside(dataset.element_spec, paddings), strict=True)
    ]
    size, drop = scalar(batch_size), flag(drop_remainder)
    first = composites.static_size(size, drop)
    after = [
        TensorSpec(TensorShape([first]).concatenate(static), s.dtype)
        for s, (static, _) in zip(specs, chosen, strict=True)
    ]
    inputs = [dataset._variant_tensor, size, drop, *(shape for _, shape in chosen), *values]
    spec = nest.pack_sequence_as(dataset.element_spec, after)
    return emitted("PaddedBatchDatasetV2", inputs, spec, dataset, N=len(specs))


def _padded_parts(
    dataset: Dataset, batch_size: Any, shapes: Any, paddings: Any, drop_remainder: Any
) -> Dataset:
    """Batches of elements with extension types in them, of which each part is padded.

    TypeError where shapes or paddings are given, or a part is no tensor.
    """
    if shapes is not None or paddings is not None:
        raise TypeError(
            "padded_batch pads extension types to the largest sizes of each part with zeros: "
            "padded_shapes and padding_values must be None"
        )
    size, drop = scalar(batch_size), flag(drop_remainder)
    first = composites.static_size(size, drop)
    made = composites.over_parts(
        dataset,
        lambda parts: padded_batch(parts, size, None, None, drop),
        lambda s: _batched(s, first),
    )
    if made is None:
        raise TypeError(f"padded_batch works on elements of tensors, got {dataset.element_spec}")
    return made


def _beside(element_spec: Any, values: Any) -> list[Any]:
    """What ``values``, a structure as deep as the element's, holds for each component."""
    if values is None or not nest.is_nested(element_spec):
        return [values] * len(nest.flatten(element_spec))
    if not nest.is_nested(values):
        raise TypeError(f"expected a structure like {element_spec}, got {shown(values)}")
    specs, parts = nest.children(element_spec), nest.children(values)
    if len(specs) != len(parts):
        raise ValueError(f"expected a structure like {element_spec}, got {shown(values)}")
    found: list[Any] = []
    for spec, part in zip(specs, parts, strict=True):
        found += _beside(spec, part)
    return found


def _padded_shape(spec: TensorSpec, shape: Any) -> tuple[TensorShape, Any]:
    """The padded shape of a component as far as it is known, and as a tensor with -1 for None."""
    if isinstance(shape, _core.Tensor):
        known = shape._constant_value()
        if known is None:
            static = TensorShape([None] * shape.shape[0])
            return static, _core.emit("Cast", (shape,), {"DstT": int64})
        shape = [None if n < 0 else int(n) for n in known]
    elif shape is not None:
        one = hasattr(shape, "__index__") and not hasattr(shape, "__len__")
        listed = shape.tolist() if hasattr(shape, "tolist") else shape
        sizes = [shape] if one else listed if isinstance(listed, Sequence) else TensorShape(shape)
        shape = [None if n is None or int(n) < 0 else int(n) for n in sizes]
    static = spec.shape if shape is None else TensorShape(shape)
    if static.rank is None:
        raise ValueError(
            "padded_batch: a component of unknown rank needs its padded_shapes, got None"
        )
    if spec.shape.rank is not None and spec.shape.rank != static.rank:
        raise ValueError(f"padded_batch: shape {spec.shape} cannot be padded to {static}")
    for have, want in zip(spec.shape.as_list() if spec.shape.rank else [], static, strict=False):
        if have is not None and want is not None and have > want:
            raise ValueError(f"padded_batch: shape {spec.shape} does not fit {static}")
    dims = [-1 if n is None else n for n in static.as_list()]
    return static, _core.convert_to_tensor(dims, int64)


def _padding(spec: TensorSpec, value: Any) -> Any:
    if value is None:
        value = "" if spec.dtype == string_dtype else False if spec.dtype == bool_dtype else 0
    made = _core.convert_to_tensor(value, dtype_hint=spec.dtype)
    if made.dtype != spec.dtype:
        raise TypeError(f"padded_batch: the padding of {spec} is {made.dtype.name}")
    if made.shape.rank:
        raise ValueError(f"padded_batch: a padding must be a scalar, got shape {made.shape}")
    return made


def window(dataset: Dataset, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> Dataset:
    """``Dataset.window``."""
    leaves = nest.flatten(dataset.element_spec)
    if len(nest.flatten(leaves, expand_composites=True)) != len(leaves):
        return composites.window(dataset, size, shift, stride, drop_remainder)
    spec = structure.map_types(DatasetSpec, dataset.element_spec)
    counts = [scalar(n) for n in (size, size if shift is None else shift, stride)]
    inputs = [dataset._variant_tensor, *counts, flag(drop_remainder)]
    return emitted("WindowDataset", inputs, spec, dataset)


def group_by_window(
    dataset: Dataset,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    size: Any,
    size_func: Any,
) -> Dataset:
    """``Dataset.group_by_window``."""
    if (size is None) == (size_func is None):
        raise ValueError("group_by_window takes either window_size or window_size_func")
    element, number = dataset.element_spec, TensorSpec([], int64)
    what = "group_by_window"
    key = traced.Traced(_as_int64(key_func), traced.element_arguments(element), what)
    reduced = traced.into_dataset(reduce_func, [number, DatasetSpec(element)], what)
    sizes = (lambda _: scalar(size)) if size_func is None else _as_int64(size_func)
    window = traced.Traced(sizes, [number], what)
    inputs = [dataset._variant_tensor, *key.captured, *reduced.captured, *window.captured]
    own = structure.attributes(element)
    return emitted(
        "GroupByWindowDataset",
        inputs,
        reduced.type.element_spec,
        dataset,
        key_func=key.graph,
        reduce_func=reduced.graph,
        window_size_func=window.graph,
        n_key_captures=len(key.captured),
        n_reduce_captures=len(reduced.captured),
        input_types=own["output_types"],
        input_shapes=own["output_shapes"],
    )


def _as_int64(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its result, a scalar integer, as int64."""
    converted = api.convert_callback(function)
    return lambda *args: scalar(converted(*args))


def bucket_by_sequence_length(
    dataset: Dataset,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Dataset:
    """``Dataset.bucket_by_sequence_length``."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("bucket_batch_sizes must have one more entry than bucket_boundaries")
    ends = [int(n) for n in bucket_boundaries]
    sizes = _core.convert_to_tensor([int(n) for n in bucket_batch_sizes], int64)
    length_of = api.convert_callback(element_length_func)

    def bucket(*element: Any) -> Any:
        length = scalar(cast(length_of(*element), int64))
        return reduce_sum(cast(length >= _core.convert_to_tensor(ends, int64), int64))

    def batched(key: Any, group: Dataset) -> Dataset:
        size = sizes[key]
        if no_padding:
            return group.batch(size, drop_remainder)
        shapes = padded_shapes
        if pad_to_bucket_boundary:
            text = "with pad_to_bucket_boundary elements are shorter than the last boundary:"
            debug.Assert(less(key, len(ends)), [text, ends[-1:]])
            last = _core.convert_to_tensor([n - 1 for n in ends] + [-1], int64)[key]
            shapes = structure.map_types(lambda s: _up_to(s, last), dataset.element_spec)
        return group.padded_batch(size, shapes, padding_values, drop_remainder)

    return group_by_window(dataset, bucket, batched, None, lambda key: sizes[key])


def _up_to(spec: TensorSpec, last: Any) -> Any:
    """The padded shape whose unknown dimensions are ``last``."""
    dims = [last if n is None else n for n in spec.shape.as_list()]
    return _core.convert_to_tensor(dims, int64)
