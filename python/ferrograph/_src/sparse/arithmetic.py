"""Sums, products, reductions and elementwise functions of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import arithmetic, matrices, segments, selection
from ..ops._base import refined
from ..ops._dispatch import told
from ..ops._numbers import check_flags, whole
from ..ops._ranks import of_rank, places_of
from ..values import constants, dtypes, nest
from ..values.errors import shown
from ..values.public import facts, public
from . import build
from .build import _sparse
from .counts import dense_counts
from .places import combined, places, require, to_coordinates
from .tensor import SparseTensor, is_sparse, made

__all__ = [
    "add",
    "dispatch",
    "map_values",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "softmax",
    "sparse_dense_matmul",
    "times",
]


@public("sparse.add")
@told
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum: sparse of two sparse tensors, dense where one of them is.

    Of two sparse ones, sums of an element of each are kept where they are at least ``threshold`` in
    absolute value; elements that only one of them has are always kept.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.add(sp, sp)).numpy()
    array([[ 0, 10],
           [14,  0]], dtype=int32)

    Args:
      a, b: two ``SparseTensor`` of one dtype and shape, or one of them and a tensor of these.
      threshold: a real number; 0, the default, keeps all sums.

    Returns:
      A ``SparseTensor``, or a tensor where one of a and b is dense; of their dtype and shape.

    Raises:
      TypeError: where none is sparse, and where dtypes differ.
      ValueError: where static shapes differ.
    """
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("sparse.add needs a SparseTensor as one of its arguments")
    if not is_sparse(a) or not is_sparse(b):
        sparse, dense = (a, b) if is_sparse(a) else (b, a)
        dense = _core.convert_to_tensor(dense, sparse.dtype)
        sparse.shape.assert_is_compatible_with(dense.shape)
        return ops.tensor_scatter_nd_add(dense, sparse.indices, sparse.values)
    total = _merged(a, b, segments.unsorted_segment_sum, "sparse.add")
    if isinstance(threshold, (int, float)) and threshold == 0:
        return total
    numbers, _ = _numbered(a, b)
    _, counts = combined(numbers, ops.ones_like(numbers), segments.unsorted_segment_sum)
    sizes = ops.abs(total.values)
    large = sizes >= ops.cast(threshold, sizes.dtype)
    return build.retain(total, ops.logical_or(counts < 2, large))


@public("sparse.maximum")
@told
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of the elements, where one of the two has one; the other counts as 0 there.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.maximum(sp, fg.sparse.from_dense([[6, 0], [6, 0]])).values.numpy()
    array([6, 5, 7], dtype=int32)

    Args:
      sp_a, sp_b: two ``SparseTensor`` of one real dtype and one shape.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of their dtype and shape.

    Raises:
      TypeError: for what is not sparse, and where dtypes differ.
      ValueError: where static shapes differ.
      InvalidArgumentError: for dtypes that are not real, and where other shapes differ.
    """
    return _extreme(sp_a, sp_b, segments.unsorted_segment_max, "sparse.maximum")


@public("sparse.minimum")
@told
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of the elements, where one of the two has one; the other counts as 0 there.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.minimum(sp, fg.sparse.from_dense([[6, 0], [6, 0]])).values.numpy()
    array([0, 0, 6], dtype=int32)

    Args:
      sp_a, sp_b: two ``SparseTensor`` of one real dtype and one shape.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of their dtype and shape.

    Raises:
      TypeError: for what is not sparse, and where dtypes differ.
      ValueError: where static shapes differ.
      InvalidArgumentError: for dtypes that are not real, and where other shapes differ.
    """
    return _extreme(sp_a, sp_b, segments.unsorted_segment_min, "sparse.minimum")


def _merged(a: Any, b: Any, combine: Any, what: str) -> SparseTensor:
    a, b = _sparse(a), _sparse(b)
    if a.dtype != b.dtype:
        raise TypeError(f"{what} of dtypes {a.dtype.name} and {b.dtype.name}")
    a.shape.assert_is_compatible_with(b.shape)
    same = ops.reduce_all(ops.equal(a.dense_shape, b.dense_shape))
    require(same, f"{what}: the tensors have different shapes")
    numbers, values = _numbered(a, b)
    numbers, values = combined(numbers, values, combine)
    shape = a.dense_shape
    return made(to_coordinates(numbers, shape), values, shape, a.shape.merge_with(b.shape))


def _numbered(a: SparseTensor, b: SparseTensor) -> tuple[Any, ...]:
    """The numbers of the places of the elements of both, and the elements."""
    numbers = [places(s.indices, s.dense_shape) for s in (a, b)]
    return ops.concat(numbers, 0), ops.concat([a.values, b.values], 0)


def _extreme(a: Any, b: Any, extreme: Any, what: str) -> SparseTensor:
    def combine(values: Any, ids: Any, number: Any) -> Any:
        """The extreme of each segment; NaN where one of its values is."""
        found = extreme(values, ids, number)
        if not values.dtype.is_floating:
            return found
        spoilt = ops.cast(ops.not_equal(values, values), "int32")
        is_spoilt = ops.greater(segments.unsorted_segment_max(spoilt, ids, number), 0)
        return ops.where(is_spoilt, ops.cast(float("nan"), found.dtype), found)

    zeros = [s.with_values(ops.zeros_like(s.values)) for s in (_sparse(a), _sparse(b))]
    total = segments.unsorted_segment_sum
    return _merged(
        _merged(a, zeros[1], total, what), _merged(zeros[0], b, total, what), combine, what
    )


def times(sparse: SparseTensor, other: Any, function: Callable[..., Any]) -> SparseTensor:
    """``function`` of each element and the element of a dense tensor at its place."""
    if is_sparse(other):
        raise TypeError("two sparse tensors are not multiplied by `*`: make one of them dense")
    other = _core.convert_to_tensor(other, None if hasattr(other, "dtype") else sparse.dtype)
    if other.shape.rank != 0:
        whole = ops.broadcast_to(other, sparse.dense_shape)
        other = ops.gather_nd(whole, sparse.indices)
    return sparse.with_values(function(sparse.values, other))


@public("sparse.sparse_dense_matmul")
@told
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """The product of a sparse and a dense matrix, either first.

    >>> s = fg.SparseTensor([[0, 1]], [2.0], [2, 2])
    >>> fg.sparse.sparse_dense_matmul(s, [[1.0], [10.0]]).numpy().tolist()
    [[20.0], [0.0]]

    Args:
      sp_a, b: a ``SparseTensor`` and a tensor, both of rank 2 and of one numeric dtype, in either
        order.
      adjoint_a, adjoint_b: bools, whether the adjoint of a matrix is taken; False by default.
      name: of no effect.

    Returns:
      A tensor of their dtype and of rank 2.

    Raises:
      TypeError: where none or both are sparse, or what converts to a tensor does not fit the dtype.
      InvalidArgumentError: where inner sizes or the dtypes of tensors differ.
    """
    check_flags("sparse_dense_matmul", adjoint_a=adjoint_a, adjoint_b=adjoint_b)
    if not is_sparse(sp_a) and not is_sparse(b):
        raise TypeError("sparse_dense_matmul needs a SparseTensor as one of its arguments")
    if not is_sparse(sp_a):
        product = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return matrices.adjoint(product) if product.dtype.is_complex else ops.transpose(product)
    dense = _core.convert_to_tensor(b, None if hasattr(b, "dtype") else sp_a.dtype)
    ways = {"adjoint_a": bool(adjoint_a), "adjoint_b": bool(adjoint_b)}
    parts = sp_a.indices, sp_a.values, sp_a.dense_shape, dense
    made_ = _core.emit("SparseTensorDenseMatMul", parts, ways)
    known = sp_a.shape.as_list()[1 if adjoint_a else 0] if sp_a.shape.rank == 2 else None
    made_.set_shape([known, None])
    return made_


@public("sparse.reduce_sum")
@told
def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sums over axes.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.reduce_sum(sp, axis=0).numpy()
    array([7, 5], dtype=int32)

    Args:
      sp_input: a ``SparseTensor`` of numbers.
      axis: an int, a list of such, or None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.
      output_is_sparse: a bool, whether the result is sparse; False by default.
      name: of no effect.

    Returns:
      A tensor of the dtype of sp_input, or a ``SparseTensor``.

    Raises:
      TypeError: where sp_input is not sparse.
      ValueError: for an axis out of range.
      InvalidArgumentError: for another dtype.
    """
    check_flags("reduce_sum", keepdims=keepdims, output_is_sparse=output_is_sparse)
    return _reduced(
        _sparse(sp_input), axis, keepdims, output_is_sparse, segments.unsorted_segment_sum
    )


@public("sparse.reduce_max")
@told
def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest of the elements that are there, over axes; 0 where there is none.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.reduce_max(sp, axis=1).numpy()
    array([5, 7], dtype=int32)

    Args:
      sp_input: a ``SparseTensor`` of real numbers.
      axis: an int, a list of such, or None, the default, for all axes.
      keepdims: a bool, whether the axes stay, of size 1; False by default.
      output_is_sparse: a bool, whether the result is sparse; False by default.
      name: of no effect.

    Returns:
      A tensor of the dtype of sp_input, or a ``SparseTensor``.

    Raises:
      TypeError: where sp_input is not sparse.
      ValueError: for an axis out of range.
      InvalidArgumentError: for another dtype.
    """
    check_flags("reduce_max", keepdims=keepdims, output_is_sparse=output_is_sparse)

    def largest(values: Any, ids: Any, count: Any) -> Any:
        found = segments.unsorted_segment_max(values, ids, count)
        some = segments.unsorted_segment_sum(ops.ones_like(ids), ids, count) > 0
        return ops.where(some, found, ops.zeros_like(found))

    return _reduced(_sparse(sp_input), axis, keepdims, output_is_sparse, largest)


def _reduced(sp: SparseTensor, axis: Any, keepdims: Any, as_sparse: bool, combine: Any) -> Any:
    gone, mask, keep = _reduced_axes(sp, axis)
    shape = ops.gather(sp.dense_shape, keep)
    numbers = places(ops.gather(sp.indices, keep, axis=1), shape)
    full = ops.where(mask, ops.ones([], dtypes.int64), sp.dense_shape) if keepdims else shape
    if as_sparse:
        numbers, values = combined(numbers, sp.values, combine)
        return made(to_coordinates(numbers, full), values, full)
    total = ops.reshape(combine(sp.values, numbers, ops.reduce_prod(shape)), full)
    if not keepdims or gone is None:
        return total
    sizes = zip(gone, sp.shape.as_list(), strict=True)
    return refined(total, *(1 if goes else n for goes, n in sizes))


def _reduced_axes(sp: SparseTensor, axis: Any) -> tuple[Any, ...]:
    """Of each axis whether it goes, as a list where the rank is known and as a tensor, and the
    numbers of those that stay.
    """
    rank = sp.shape.rank
    listed = axis if isinstance(axis, (list, tuple)) else [axis]
    axes = None if axis is None else [whole(a, "axis") for a in listed]
    if rank is None:
        each = ops.range(ops.size(sp.dense_shape))
        gone = each if axes is None else places_of(axes, ops.size(sp.dense_shape))
        met = ops.equal(ops.expand_dims(each, 1), ops.expand_dims(gone, 0))
        mask = ops.reduce_any(met, 1)
        return None, mask, ops.boolean_mask(each, ops.logical_not(mask))
    axes = list(range(rank)) if axes is None else [a + rank if a < 0 else a for a in axes]
    if any(not 0 <= a < rank for a in axes):
        raise ValueError(f"axis {axis} is outside of a sparse tensor of rank {rank}")
    kept, gone = [i for i in range(rank) if i not in axes], [i in axes for i in range(rank)]
    mask = constants.constant(gone, dtypes.bool, [rank])
    return gone, mask, constants.constant(kept, dtypes.int32, [len(kept)])


@public("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """``op`` of the elements of sparse tensors that have them at the same coordinates.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.map_values(fg.negative, sp)).numpy()
    array([[ 0, -5],
           [-7,  0]], dtype=int32)

    Args:
      op: a function of tensors that gives a tensor of as many elements.
      *args: arguments of op; each ``SparseTensor`` among them, also in lists, is replaced by its
        elements.
      **kwargs: more of them, by name.

    Returns:
      A ``SparseTensor`` with the coordinates and the dense shape of the first of them.

    Raises:
      ValueError: where none of the arguments is sparse, and where op gives another number of
        elements.
      InvalidArgumentError: where coordinates differ.
      TypeError: where op cannot be called.
    """
    if not callable(op):
        raise TypeError(f"map_values: op must be a function, got {shown(op)}")
    found = [v for v in nest.flatten([list(args), kwargs]) if is_sparse(v)]
    if not found:
        raise ValueError("map_values needs a SparseTensor among its arguments")
    first = found[0]
    for other in found[1:]:
        same = ops.reduce_all(ops.equal(first.indices, other.indices))
        require(same, "map_values: the sparse tensors have elements at different coordinates")
    args, kwargs = nest.map_structure(
        lambda v: v.values if is_sparse(v) else v, [list(args), kwargs]
    )
    result = _core.convert_to_tensor(op(*args, **kwargs))
    first.values.shape.assert_is_compatible_with(result.shape)
    return first.with_values(result)


@public("sparse.softmax")
@told
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of the elements of each row, along the last axis; there are no others.

    >>> sp = fg.sparse.from_dense([[1.0, 1.0]])
    >>> fg.sparse.softmax(sp).values.numpy()
    array([0.5, 0.5], dtype=float32)

    Args:
      sp_input: a ``SparseTensor`` of floats, of rank 2 or more.
      name: of no effect.

    Returns:
      A ``SparseTensor`` with the same coordinates.

    Raises:
      TypeError: where sp_input is not sparse.
      InvalidArgumentError: for another dtype.
    """
    sp = _sparse(sp_input)
    outer = sp.dense_shape[:-1]
    rows, count = places(sp.indices[:, :-1], outer), ops.reduce_prod(outer)
    top = ops.gather(segments.unsorted_segment_max(sp.values, rows, count), rows)
    powers = ops.exp(sp.values - ops.stop_gradient(top))
    total = segments.unsorted_segment_sum(powers, rows, count)
    return sp.with_values(powers / ops.gather(total, rows))


def _rows_of_segments(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any
) -> tuple[Any, ...]:
    ids = of_rank(_core.convert_to_tensor(segment_ids), 1)
    indices = of_rank(_core.convert_to_tensor(indices), 1)
    if num_segments is None:
        num_segments = ops.reduce_max(ops.concat([[-1], ids], 0)) + 1
    return selection.rows_of(data, indices), ids, num_segments


@public("sparse.segment_sum")
def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """The sums of the rows of ``data`` at ``indices`` with each number.

    Row i of the result comes from the rows with number i; zeros where there are none.

    >>> fg.sparse.segment_sum([[1.0, 2.0], [3.0, 4.0]], [0, 1, 1], [0, 0, 1]).numpy()
    array([[4., 6.],
           [3., 4.]], dtype=float32)

    Args:
      data: a tensor of numbers, or what converts to one; of rank 1 or more.
      indices, segment_ids: int32 or int64 vectors of one length, the second one ascending.
      num_segments: an integer scalar, the rows of the result; by default one more than the largest
        number.
      name: of no effect.
      sparse_gradient: of no effect.

    Returns:
      A tensor of the dtype of data, whose shape differs in the first size only.

    Raises:
      InvalidArgumentError: for another dtype, for vectors of different lengths, and for indices or
        numbers out of range.
    """
    check_flags("segment_sum", sparse_gradient=sparse_gradient)
    rows = _rows_of_segments(data, indices, segment_ids, num_segments)
    return segments.unsorted_segment_sum(*rows)


@public("sparse.segment_mean")
def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """The means of the rows of ``data`` at ``indices`` with each number.

    Row i of the result comes from the rows with number i; zeros where there are none.

    >>> fg.sparse.segment_mean([[1.0, 2.0], [3.0, 4.0]], [0, 1, 1], [0, 0, 1]).numpy()
    array([[2., 3.],
           [3., 4.]], dtype=float32)

    Args:
      data: a tensor of numbers, or what converts to one; of rank 1 or more.
      indices, segment_ids: int32 or int64 vectors of one length, the second one ascending.
      num_segments: an integer scalar, the rows of the result; by default one more than the largest
        number.
      name: of no effect.
      sparse_gradient: of no effect.

    Returns:
      A tensor of the dtype of data, of float64 for integers, whose shape differs in the first size
        only.

    Raises:
      InvalidArgumentError: for another dtype, for vectors of different lengths, and for indices or
        numbers out of range.
    """
    check_flags("segment_mean", sparse_gradient=sparse_gradient)
    rows = _rows_of_segments(data, indices, segment_ids, num_segments)
    return segments.unsorted_segment_mean(*rows)


@public("sparse.segment_sqrt_n")
def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Sums as in ``segment_sum``, by the square root of how many rows there are.

    Row i of the result comes from the rows with number i; zeros where there are none.

    >>> fg.sparse.segment_sqrt_n([[1.0, 2.0], [3.0, 4.0]], [0, 1, 1], [0, 0, 1]).numpy().round(4)
    array([[2.8284, 4.2426],
           [3.    , 4.    ]], dtype=float32)

    Args:
      data: a tensor of floats, or what converts to one; of rank 1 or more.
      indices, segment_ids: int32 or int64 vectors of one length, the second one ascending.
      num_segments: an integer scalar, the rows of the result; by default one more than the largest
        number.
      name: of no effect.
      sparse_gradient: of no effect.

    Returns:
      A tensor of the dtype of data, whose shape differs in the first size only.

    Raises:
      InvalidArgumentError: for another dtype, for vectors of different lengths, and for indices or
        numbers out of range.
    """
    check_flags("segment_sqrt_n", sparse_gradient=sparse_gradient)
    rows = _rows_of_segments(data, indices, segment_ids, num_segments)
    return segments.unsorted_segment_sqrt_n(*rows)


def dispatch(function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    """Public functions of sparse arguments: those that leave zeros zero, and a few others."""
    if facts(function).sparse == "zero" and is_sparse(args[0]):
        return args[0].with_values(function(args[0].values, *args[1:], **kwargs))
    form = _FORMS.get(function)
    return NotImplemented if form is None else form(*args, **kwargs)


def _shape(input: Any, out_type: Any = None, name: Any = None) -> Any:
    return ops.cast(input.dense_shape, dtypes.int32 if out_type is None else out_type)


def _size(input: Any, out_type: Any = None, name: Any = None) -> Any:
    total = ops.reduce_prod(input.dense_shape)
    return ops.cast(total, dtypes.int32 if out_type is None else out_type)


def _rank(input: Any, name: Any = None) -> Any:
    return ops.size(input.dense_shape)


def _zeros_like(input: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> Any:
    return ops.zeros(input.dense_shape, input.dtype if dtype is None else dtype)


def _divided(x: Any, y: Any, name: Any = None) -> Any:
    return x / y if is_sparse(x) else NotImplemented


# The functions that have a sparse form of their own.
_FORMS: dict[Any, Any] = {
    segments.bincount: dense_counts,
    arithmetic.divide: _divided,
    ops.rank: _rank,
    ops.shape: _shape,
    ops.size: _size,
    ops.zeros_like: _zeros_like,
}
