"""Public functions of ragged arguments."""

from __future__ import annotations

import functools
from typing import Any

from .. import ops
from ..native import _core
from ..ops import activations, segments, string_ops
from ..ops import reductions as dense
from ..ops._numbers import whole
from ..values import constants, dtypes
from ..values.public import facts
from . import arrays, build, gathering, products, reductions, shapes
from .dynamic_shape import DynamicRaggedShape
from .elementwise import aligned, map_flat_values
from .tensor import is_ragged

__all__ = ["dispatch"]


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    """The result of a public function, NotImplemented for one that has no ragged form."""
    form = _FORMS.get(function)
    if form is not None:
        if function in _OF_FIRST and not is_ragged(next(iter((*args, *kwargs.values())))):
            return NotImplemented
        return form(*args, **kwargs)
    how = facts(function).ragged
    if how == "pair":
        return _pair(function, *args, **kwargs)
    if how == "flat":
        return map_flat_values(function, *args, **kwargs)
    return NotImplemented


def _reduced(
    reduction: str,
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool = False,
    name: Any = None,
    **_: Any,
) -> Any:
    return reductions.reduce(reduction, input_tensor, axis, keepdims)


def _segments(
    function: Any, data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Any:
    return reductions.of_segments(function, data, segment_ids, num_segments)


def _logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    return reductions.logsumexp(input_tensor, axis, keepdims)


def _cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    return reductions.cumsum(x, axis, exclusive, reverse)


def _reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: Any = None
) -> Any:
    return reductions.join(inputs, axis, keepdims, separator)


def _pair(function: Any, x: Any, y: Any, name: Any = None) -> Any:
    wrap, flat = aligned(_operands([x, y]))
    return wrap(function(*flat))


def _operands(values: list[Any]) -> list[Any]:
    """Operands as tensors; Python values take the dtype of the ragged one."""
    dtype = next(v.dtype for v in values if is_ragged(v))
    return [v if is_ragged(v) else _operand(v, dtype) for v in values]


def _operand(value: Any, dtype: Any) -> Any:
    if hasattr(value, "dtype"):
        return _core.convert_to_tensor(value)
    return _core.convert_to_tensor(value, dtype)


def _where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    if x is None and y is None:
        return ops.boolean_mask(
            condition.to_sparse().indices, ops.reshape(condition.flat_values, [-1])
        )
    dtype = next((v.dtype for v in (x, y) if hasattr(v, "dtype")), None)
    x, y = (v if hasattr(v, "dtype") else _core.convert_to_tensor(v, dtype) for v in (x, y))
    condition = condition if is_ragged(condition) else _core.convert_to_tensor(condition)
    wrap, flat = aligned([condition, x, y])
    return wrap(ops.where(*flat))


def _concat(values: Any, axis: int, name: Any = None) -> Any:
    return arrays.concat(values, axis)


def _stack(values: Any, axis: int = 0, name: Any = None) -> Any:
    return build.stack(values, axis)


def _gather_nd(
    params: Any,
    indices: Any,
    batch_dims: Any = 0,
    name: Any = None,
    bad_indices_policy: str = "",
) -> Any:
    return gathering.gather_nd(params, indices, batch_dims)


def _gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: Any = None,
) -> Any:
    return gathering.gather(params, indices, axis, batch_dims)


def _lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> Any:
    return ids.with_flat_values(activations.embedding_lookup(params, ids.flat_values, max_norm))


def _expand_dims(input: Any, axis: int, name: Any = None) -> Any:
    return arrays.expand_dims(input, axis)


def _squeeze(input: Any, axis: Any = None, name: Any = None) -> Any:
    return arrays.squeeze(input, axis)


def _tile(input: Any, multiples: Any, name: Any = None) -> Any:
    return arrays.tile(input, multiples)


def _reverse(tensor: Any, axis: Any, name: Any = None) -> Any:
    return arrays.reverse(tensor, axis)


def _shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return DynamicRaggedShape.from_tensor(input, dtypes.int32 if out_type is None else out_type)


def _fill(dims: Any, value: Any, name: Any = None) -> Any:
    return shapes.filled(lambda inner: ops.fill(inner, value), dims)


def _full(function: Any, shape: Any, dtype: Any = dtypes.float32, *_: Any, **__: Any) -> Any:
    return shapes.filled(lambda inner: function(inner, dtype), shape)


def _reshape(tensor: Any, shape: Any, name: Any = None) -> Any:
    return shapes.reshape(tensor, shape)


def _broadcast_to(input: Any, shape: Any, name: Any = None) -> Any:
    return shapes.broadcast_to(input, shape)


def _size(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return ops.size(input.flat_values, out_type)


def _rank(input: Any, name: Any = None) -> Any:
    return constants.constant(input.shape.rank) if input.shape.rank else ops.rank(input.to_tensor())


def _one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    if axis not in (None, -1):
        raise ValueError("one_hot of a ragged tensor puts the new axis last")
    made = ops.one_hot(indices.flat_values, depth, on_value, off_value, None, dtype)
    return indices.with_flat_values(made)


def _boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: Any = None) -> Any:
    if axis not in (None, 0):
        raise ValueError("boolean_mask of ragged tensors works along axis 0")
    return build.boolean_mask(tensor, mask)


def _bitcast(input: Any, type: Any, name: Any = None) -> Any:
    return arrays.bitcast(input, type)


def _dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: Any = None) -> Any:
    return arrays.dynamic_partition(data, partitions, whole(num_partitions, "num_partitions"))


def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    *_: Any,
    **__: Any,
) -> Any:
    product = functools.partial(
        ops.matmul,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        adjoint_a=adjoint_a,
        adjoint_b=adjoint_b,
        output_type=output_type,
    )
    return products.matmul(a, b, (transpose_a or adjoint_a, transpose_b or adjoint_b), product)


def _add_n(inputs: Any, name: Any = None) -> Any:
    total, *others = inputs
    for other in others:
        total = total + other
    return total


def _split(
    value: Any, num_or_size_splits: Any, axis: int = 0, num: Any = None, name: Any = None
) -> Any:
    if axis != 0:
        raise ValueError("split of a ragged tensor works along axis 0")
    sizes = num_or_size_splits
    if isinstance(sizes, int):
        rows = value.shape[0]
        if rows is None or rows % sizes:
            raise ValueError(f"{rows} rows do not split into {sizes} parts of one size")
        sizes = [rows // sizes] * sizes
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [value[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _softmax(function: Any, logits: Any, axis: Any = None, name: Any = None) -> Any:
    return reductions.softmax(function, logits, axis)


def _bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: Any = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """Numbers of an axis -1 are counted in the rows of a matrix, others all together."""
    count = functools.partial(
        segments.bincount,
        weights=weights.flat_values if is_ragged(weights) else weights,
        minlength=minlength,
        dtype=dtype,
        binary_output=binary_output,
    )
    if axis != -1:
        return count(arr.flat_values, maxlength=maxlength)
    if weights is not None:
        raise ValueError("bincount of ragged rows takes no weights; use sparse.bincount")
    # What fills the rows up is beyond the greatest number, and not counted.
    numbers = ops.cast(arr.flat_values, dtypes.int32)
    length = ops.reduce_max(ops.concat([[-1], numbers], 0)) + 1
    if minlength is not None:
        length = ops.maximum(length, ops.cast(minlength, dtypes.int32))
    if maxlength is not None:
        length = ops.minimum(length, ops.cast(maxlength, dtypes.int32))
    return count(arr.to_tensor(ops.cast(length, arr.dtype)), maxlength=length, axis=-1)


# The functions that have a ragged form of their own.
_FORMS: dict[Any, Any] = {
    ops.add_n: _add_n,
    ops.bitcast: _bitcast,
    ops.boolean_mask: _boolean_mask,
    ops.broadcast_dynamic_shape: shapes.broadcast_shape,
    ops.broadcast_to: _broadcast_to,
    ops.fill: _fill,
    ops.ones: functools.partial(_full, ops.ones),
    ops.zeros: functools.partial(_full, ops.zeros),
    ops.reshape: _reshape,
    segments.bincount: _bincount,
    activations.softmax: functools.partial(_softmax, activations.softmax),
    activations.log_softmax: functools.partial(_softmax, activations.log_softmax),
    ops.concat: _concat,
    dense.cumsum: _cumsum,
    ops.dynamic_partition: _dynamic_partition,
    ops.expand_dims: _expand_dims,
    ops.matmul: _matmul,
    ops.gather: _gather,
    ops.gather_nd: _gather_nd,
    activations.embedding_lookup: _lookup,
    ops.one_hot: _one_hot,
    ops.rank: _rank,
    string_ops.reduce_join: _reduce_join,
    ops.reverse: _reverse,
    ops.shape: _shape,
    ops.size: _size,
    ops.split: _split,
    ops.squeeze: _squeeze,
    ops.stack: _stack,
    ops.tile: _tile,
    ops.where: _where,
    dense.reduce_logsumexp: _logsumexp,
    **{
        function: functools.partial(_segments, function)
        for function in (
            segments.unsorted_segment_max,
            segments.unsorted_segment_mean,
            segments.unsorted_segment_min,
            segments.unsorted_segment_prod,
            segments.unsorted_segment_sqrt_n,
            segments.unsorted_segment_sum,
        )
    },
    **{getattr(dense, name): functools.partial(_reduced, name) for name in reductions.REDUCTIONS},
}

# Those of them that are forms for a ragged first argument alone.
_OF_FIRST = {
    ops.expand_dims,
    ops.one_hot,
    ops.rank,
    ops.reverse,
    ops.shape,
    ops.size,
    ops.split,
    ops.squeeze,
    ops.tile,
    *(getattr(dense, name) for name in reductions.REDUCTIONS),
}
