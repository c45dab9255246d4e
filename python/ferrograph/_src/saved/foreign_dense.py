"""Rules for operations on dense tensors: see ``foreign``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops import (
    activations,
    bands,
    blocks,
    distributions,
    image_colors,
    isotonic,
    pools,
    quantization,
    quantize_dequantize,
    segments,
    sorting,
)
from ..values.dtypes import float32, int32

__all__ = ["RULES"]

# So many results an operation has at most.
_MOST_PARTS = 1 << 12

Tensors = list[Any]
Attributes = dict[str, Any]


def _einsum(x: Tensors, a: Attributes) -> Any:
    return ops.einsum(a["equation"], *x)


def _dynamic_partition(x: Tensors, a: Attributes) -> Any:
    count = a["num_partitions"]
    if count > _MOST_PARTS:
        raise NotImplementedError(f"a tensor of {count} parts")
    return [list(segments.dynamic_partition(x[0], x[1], count))]


def _dynamic_stitch(x: Tensors, a: Attributes) -> Any:
    count = a["N"]
    return segments.dynamic_stitch(x[:count], x[count:])


def _counts(x: Tensors, a: Attributes) -> Any:
    """How often each number below a size is there: in all, or in each row."""
    numbers, size, weights = x
    rows = ops.shape(numbers)[0] if numbers.shape.rank == 2 else 1
    if numbers.shape.rank == 2:
        at = ops.expand_dims(ops.range(rows, dtype=numbers.dtype), 1) * size
        places = ops.where((numbers >= 0) & (numbers < size), numbers + at, -1)
    elif numbers.shape.rank == 1:
        places = ops.where(numbers < size, numbers, -1)
    else:
        raise NotImplementedError("counts of numbers whose rank is not known")
    n_places = ops.cast(rows, size.dtype) * size
    is_plain = weights.shape.num_elements() == 0
    ones = ops.ones(ops.shape(numbers), weights.dtype)
    weights = ones if is_plain or a.get("binary_output") else weights
    flat = ops.reshape(places, [-1]), ops.cast(n_places, numbers.dtype)
    counts = segments.unsorted_segment_sum(ops.reshape(weights, [-1]), *flat)
    if a.get("binary_output"):
        counts = ops.cast(counts > 0, weights.dtype)
    return ops.reshape(counts, [rows, size]) if numbers.shape.rank == 2 else counts


def _histogram(x: Tensors, a: Attributes) -> Any:
    return segments.histogram_fixed_width(x[0], x[1], x[2], a.get("dtype", int32))


def _in_top_k(x: Tensors, a: Attributes) -> Any:
    return sorting.in_top_k(x[1], x[0], x[2])


def _tridiagonal_solve(x: Tensors, a: Attributes) -> Any:
    pivoting = a.get("partial_pivoting", True)
    return bands.tridiagonal_solve(x[0], x[1], partial_pivoting=pivoting)


def _tridiagonal_matmul(x: Tensors, a: Attributes) -> Any:
    diagonals = tuple(ops.squeeze(d, [-2]) for d in x[:3])
    return bands.tridiagonal_matmul(diagonals, x[3], diagonals_format="sequence")


def _normalized(x: Tensors, a: Attributes) -> Any:
    """``y``, the mean and variance, and three values for the gradient."""
    images, scale, offset, mean, variance = x
    if a.get("data_format", "NHWC") not in ("NHWC", "NDHWC"):
        raise NotImplementedError(f"data_format {a['data_format']}")
    wide = ops.cast(images, scale.dtype)
    told = mean, variance
    if a.get("is_training", True):
        axes = list(range((images.shape.rank or 4) - 1))
        mean, variance = activations.moments(wide, axes)
        n = ops.cast(ops.size(images), scale.dtype) / ops.cast(ops.size(scale), scale.dtype)
        unbiased = variance * n / ops.maximum(n - 1, 1)
        part = a.get("exponential_avg_factor", 1.0)
        told = mean, unbiased
        if part != 1.0:
            told = tuple(old + part * (new - old) for old, new in zip(x[3:], told, strict=True))
    inverse = scale / ops.sqrt(variance + a.get("epsilon", 1e-4))
    y = ops.cast(wide * inverse + (offset - mean * inverse), images.dtype)
    return y, *told, mean, variance, ops.zeros([0], scale.dtype)


def _lrn(x: Tensors, a: Attributes) -> Any:
    parts = (a.get("depth_radius", 5), a.get("bias", 1.0), a.get("alpha", 1.0), a.get("beta", 0.5))
    return activations.local_response_normalization(x[0], *parts)


def _dilation(x: Tensors, a: Attributes) -> Any:
    return pools.dilation2d(x[0], x[1], a["strides"], a["padding"], "NHWC", a["rates"])


def _empty(x: Tensors, a: Attributes) -> Any:
    return ops.zeros(x[0], a["dtype"])


_RANGE = ("num_bits", "narrow_range")


def _with(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A rule that calls a function with the inputs and those of these attributes that are there."""

    def rule(x: Tensors, a: Attributes) -> Any:
        return function(*x, **{n: a[n] for n in names if n in a})

    return rule


def _quantized(x: Tensors, a: Attributes) -> Any:
    names = ("signed_input", "num_bits", "range_given", "round_mode", "narrow_range", "axis")
    given = {n: a[n] for n in names if n in a}
    if given.get("axis") == -1:
        given["axis"] = None
    return quantize_dequantize.quantize_and_dequantize_v2(*x[:3], **given)


def _isotonic(x: Tensors, a: Attributes) -> Any:
    values, parts = isotonic.isotonic_regression(x[0], decreasing=True)
    return ops.cast(values, a.get("output_dtype", float32)), parts


def _extreme_k(x: Tensors, a: Attributes) -> Any:
    if a.get("reduction_dimension", -1) not in (-1, (x[0].shape.rank or 0) - 1):
        raise NotImplementedError("extremes of another axis than the last one")
    if a.get("is_max_k", True):
        return tuple(sorting.top_k(x[0], a["k"]))
    values, places = sorting.top_k(-x[0], a["k"])
    return -values, places


def _reversed(x: Tensors, a: Attributes) -> Any:
    axes = a["seq_dim"], a.get("batch_dim", 0)
    return blocks.reverse_sequence(x[0], x[1], *axes)


def _gamma(x: Tensors, a: Attributes) -> Any:
    return distributions.gamma(x[0], x[1], dtype=x[1].dtype)


def _same(x: Tensors, a: Attributes) -> Any:
    return ops.identity(x[0])


RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    "AdjustContrastv2": ("output", _with(image_colors.adjust_contrast)),
    "AdjustHue": ("output", _with(image_colors.adjust_hue)),
    "AdjustSaturation": ("output", _with(image_colors.adjust_saturation)),
    "ApproxTopK": ("values indices", _extreme_k),
    "BatchToSpaceND": ("output", _with(blocks.batch_to_space)),
    "DenseBincount": ("output", _counts),
    "DepthToSpace": ("output", _with(blocks.depth_to_space, "block_size", "data_format")),
    "Dilation2D": ("output", _dilation),
    "DynamicPartition": ("outputs", _dynamic_partition),
    "DynamicStitch": ("merged", _dynamic_stitch),
    "Einsum": ("output", _einsum),
    "Empty": ("output", _empty),
    "FakeQuantWithMinMaxArgs": (
        "outputs",
        _with(quantization.fake_quant_with_min_max_args, "min", "max", *_RANGE),
    ),
    "FakeQuantWithMinMaxVars": (
        "outputs",
        _with(quantization.fake_quant_with_min_max_vars, *_RANGE),
    ),
    "FakeQuantWithMinMaxVarsPerChannel": (
        "outputs",
        _with(quantization.fake_quant_with_min_max_vars_per_channel, *_RANGE),
    ),
    "FusedBatchNormV3": (
        "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3",
        _normalized,
    ),
    "HistogramFixedWidth": ("out", _histogram),
    "InTopKV2": ("precision", _in_top_k),
    "IsotonicRegression": ("output segments", _isotonic),
    "LRN": ("output", _lrn),
    "PlaceholderWithDefault": ("output", _same),
    "QuantizeAndDequantizeV2": ("output", _quantized),
    "QuantizeAndDequantizeV3": ("output", _quantized),
    "QuantizeAndDequantizeV4": ("output", _quantized),
    "RandomGamma": ("output", _gamma),
    "ReverseSequence": ("output", _reversed),
    "SpaceToDepth": ("output", _with(blocks.space_to_depth, "block_size", "data_format")),
    "SpaceToBatchND": ("output", _with(blocks.space_to_batch)),
    "TridiagonalMatMul": ("output", _tridiagonal_matmul),
    "TridiagonalSolve": ("output", _tridiagonal_solve),
}
