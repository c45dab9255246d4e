"""Sparse tensors from and to dense ones, and their rearrangements."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops import segments
from ..ops._dispatch import told
from ..ops._numbers import check_flags, several, whole
from ..ops._ranks import of_rank
from ..values import dtypes
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .places import in_order, places, require, to_coordinates
from .tensor import SparseTensor, is_sparse, made

__all__ = [
    "all_of",
    "concat",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "slice",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]


def _sparse(value: Any) -> SparseTensor:
    if not is_sparse(value):
        raise TypeError(f"expected a SparseTensor, got {type(value).__name__}")
    return value


@public("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (not empty, not False).

    >>> fg.sparse.from_dense([[0, 3], [4, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]

    Args:
      tensor: a tensor of numbers, bools or strings, or what converts to one.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of its dtype and shape.
    """
    tensor = _core.convert_to_tensor(tensor)
    used = (
        tensor
        if tensor.dtype == dtypes.bool
        else ops.not_equal(tensor, ops.zeros([], tensor.dtype))
    )
    indices = ops.where(used)
    values = ops.gather_nd(tensor, indices)
    return made(indices, values, ops.shape(tensor, dtypes.int64), tensor.shape)


def all_of(tensor: Any) -> SparseTensor:
    """All elements of a tensor, zeros as well."""
    indices = ops.where(ops.ones_like(tensor, dtypes.bool))
    return made(indices, ops.reshape(tensor, [-1]), ops.shape(tensor, dtypes.int64), tensor.shape)


@public("sparse.to_dense")
@told
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """The whole tensor.

    >>> fg.sparse.to_dense(fg.SparseTensor([[1]], [5], [3])).numpy().tolist()
    [0, 5, 0]

    Args:
      sp_input: a ``SparseTensor``.
      default_value: a scalar of its dtype for where there is no element; zero, False or the empty
        string by default.
      validate_indices: a bool; False leaves out the check that indices are neither repeated nor out
        of row-major order. True by default.
      name: of no effect.

    Returns:
      A tensor of the dtype and the dense shape of sp_input.

    Raises:
      InvalidArgumentError: for indices outside of the shape, repeated, or not in row-major order.
      TypeError: where sp_input is not sparse, or default_value does not fit its dtype.
    """
    check_flags("to_dense", validate_indices=validate_indices)
    sp = _sparse(sp_input)
    if validate_indices:
        numbers = places(sp.indices, sp.dense_shape)
        message = "to_dense: indices are repeated or not in row-major order; see sparse.reorder"
        require(ops.reduce_all(numbers[1:] > numbers[:-1]), message)
    if default_value is None:
        default_value = ops.zeros([], sp.dtype)
    blank = ops.fill(sp.dense_shape, _core.convert_to_tensor(default_value, sp.dtype))
    dense = ops.tensor_scatter_nd_update(blank, sp.indices, sp.values)
    dense.set_shape(sp.shape)
    return dense


@public("sparse.reorder")
@told
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order of their indices.

    >>> sp = fg.SparseTensor([[1], [0]], [7, 5], [2])
    >>> fg.sparse.reorder(sp).values.numpy()
    array([5, 7], dtype=int32)

    Args:
      sp_input: a ``SparseTensor``.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of the same dtype and dense shape.

    Raises:
      TypeError: where sp_input is not sparse.
    """
    return in_order(_sparse(sp_input))


@public("sparse.reset_shape")
@told
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in another shape around them.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.reset_shape(sp, [3, 4]).shape
    TensorShape([3, 4])

    Args:
      sp_input: a ``SparseTensor``.
      new_shape: the shape, one integer an axis, each at least the size before; by default the
        smallest that holds all elements.

    Returns:
      A ``SparseTensor`` of the same dtype and rank.

    Raises:
      InvalidArgumentError: for a shape that is smaller, or of another rank.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    if new_shape is None:
        shape = (
            ops.reduce_max(ops.concat([ops.zeros_like(sp.indices[:1]) - 1, sp.indices], 0), 0) + 1
        )
    else:
        shape = ops.cast(_core.convert_to_tensor(new_shape), dtypes.int64)
        fits = ops.reduce_all(shape >= sp.dense_shape)
        require(fits, "reset_shape: the new shape must be at least the old one")
    return made(sp.indices, sp.values, shape)


@public("sparse.reshape")
@told
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order as a tensor of another shape.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.reshape(sp, [1, -1])).numpy()
    array([[0, 5, 7, 0]], dtype=int32)

    Args:
      sp_input: a ``SparseTensor``.
      shape: the shape, a vector of integers or a ``TensorShape``, of as many elements; one -1 in it
        is worked out.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of the same dtype.

    Raises:
      InvalidArgumentError: where the number of elements differs.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    if isinstance(shape, TensorShape):
        shape = [-1 if d is None else d for d in shape.as_list()]
    wanted = ops.cast(_core.convert_to_tensor(shape), dtypes.int64)
    total = ops.reduce_prod(sp.dense_shape)
    known = ops.reduce_prod(ops.where(wanted == -1, ops.ones([], dtypes.int64), wanted))
    wanted = ops.where(wanted == -1, total // ops.maximum(known, 1), wanted)
    require(
        ops.equal(ops.reduce_prod(wanted), total),
        "sparse.reshape: the new shape has another number of elements",
    )
    numbers = places(sp.indices, sp.dense_shape)
    return made(to_coordinates(numbers, wanted), sp.values, wanted)


@public("sparse.transpose")
@told
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The tensor with its axes in another order.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.transpose(sp)).numpy()
    array([[0, 7],
           [5, 0]], dtype=int32)

    Args:
      sp_input: a ``SparseTensor``.
      perm: a permutation of the axes, an integer vector; backwards by default.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of the same dtype, its elements in row-major order.

    Raises:
      InvalidArgumentError: where perm is no permutation of the axes.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    if perm is None:
        perm = ops.range(ops.size(sp.dense_shape) - 1, -1, -1)
    else:
        perm = of_rank(_core.convert_to_tensor(perm, dtype_hint=dtypes.int32), 1)
        require(_is_permutation(perm, sp), "sparse.transpose: perm must have each axis once")
    indices = ops.gather(sp.indices, perm, axis=1)
    return in_order(made(indices, sp.values, ops.gather(sp.dense_shape, perm)))


def _is_permutation(perm: Any, sp: SparseTensor) -> Any:
    """Whether integers are the axes of a tensor, each once: a bool tensor."""
    known = perm._constant_value()
    if known is not None and sp.shape.rank is not None:
        given = sorted(known.numpy().tolist())
        return _core.convert_to_tensor(given == list(range(sp.shape.rank)))
    axes = ops.range(ops.cast(ops.size(sp.dense_shape), perm.dtype))
    once = ops.reduce_all(ops.reduce_any(ops.expand_dims(axes, 1) == perm, 1))
    return ops.logical_and(once, ops.size(perm) == ops.size(axes))


@public("sparse.slice")
@told
def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The block that begins at ``start``, at most of that size.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.slice(sp, [0, 0], [1, 2])).numpy()
    array([[0, 5]], dtype=int32)

    Args:
      sp_input: a ``SparseTensor``.
      start, size: one integer an axis; a negative size reaches to the end.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of the same dtype and rank.

    Raises:
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    start, size = (ops.cast(_core.convert_to_tensor(x), dtypes.int64) for x in (start, size))
    left = ops.maximum(sp.dense_shape - start, 0)
    size = ops.where(size < 0, left, ops.minimum(size, left))
    moved = sp.indices - start
    inside = ops.reduce_all(ops.logical_and(moved >= 0, moved < size), axis=1)
    return made(ops.boolean_mask(moved, inside), ops.boolean_mask(sp.values, inside), size)


def row(sp: SparseTensor, index: Any) -> SparseTensor:
    """The row of that number, along the first axis."""
    inside = ops.equal(sp.indices[:, 0], ops.cast(index, dtypes.int64))
    indices = ops.boolean_mask(sp.indices[:, 1:], inside)
    values = ops.boolean_mask(sp.values, inside)
    return made(indices, values, sp.dense_shape[1:], sp.shape[1:])


@public("sparse.concat")
@told
def concat(
    axis: int,
    sp_inputs: Any,
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Sparse tensors joined along an axis.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.to_dense(fg.sparse.concat(1, [sp, sp])).numpy()
    array([[0, 5, 0, 5],
           [7, 0, 7, 0]], dtype=int32)

    Args:
      axis: an int; a negative one counts from the end.
      sp_inputs: a list of ``SparseTensor`` of one dtype and rank, one at least, whose other sizes
        agree.
      expand_nonconcat_dims: a bool; True takes the largest where other sizes differ. False by
        default.
      name: of no effect.

    Returns:
      A ``SparseTensor``, its elements in row-major order.

    Raises:
      ValueError: where there are none.
      TypeError: for what is no list, or not sparse.
      InvalidArgumentError: where other sizes or dtypes differ, and for an axis out of range.
    """
    inputs = [_sparse(sp) for sp in several(sp_inputs, "sparse.concat: sp_inputs")]
    if not inputs:
        raise ValueError("sparse.concat needs one tensor at least")
    axis = whole(axis, "sparse.concat: axis")
    rank = _rank_of(inputs[0])
    axis = axis + rank if axis < 0 else axis
    along = ops.one_hot(axis, rank, dtype=dtypes.int64)
    across = ops.stack([sp.dense_shape * (1 - along) for sp in inputs])
    others = ops.reduce_max(across, axis=0)
    if not expand_nonconcat_dims:
        same = ops.reduce_all(ops.equal(across, ops.expand_dims(others, 0)))
        require(same, "sparse.concat: the sizes along the other axes differ")
    shift, moved = ops.zeros([], dtypes.int64), []
    for sp in inputs:
        moved.append(sp.indices + along * shift)
        shift = shift + sp.dense_shape[axis]
    values = ops.concat([sp.values for sp in inputs], 0)
    return in_order(made(ops.concat(moved, 0), values, others + along * shift))


@public("sparse.split")
@told
def split(sp_input: Any, num_split: int, axis: int, name: str | None = None) -> list[Any]:
    """The parts along an axis, the first ones longer by one where it does not go up.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> [part.values.numpy().tolist() for part in fg.sparse.split(sp, 2, axis=0)]
    [[5], [7]]

    Args:
      sp_input: a ``SparseTensor``.
      num_split: an int, how many parts.
      axis: an int; a negative one counts from the end.
      name: of no effect.

    Returns:
      A list of ``SparseTensor`` of the same dtype and rank.

    Raises:
      InvalidArgumentError: for more parts than the axis has places, for none, and for an axis out
        of range.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    rank = _rank_of(sp)
    axis = axis + rank if axis < 0 else axis
    along = ops.one_hot(axis, rank, dtype=dtypes.int64)
    size, num_split = sp.dense_shape[axis], whole(num_split, "sparse.split: num_split")
    fits = ops.logical_and(ops.greater(num_split, 0), ops.less_equal(num_split, size))
    require(fits, "sparse.split: num_split must be between 1 and the size of the axis")
    parts, start = [], ops.zeros([], dtypes.int64)
    for i in range(num_split):
        length = size // num_split + ops.cast(i < size % num_split, dtypes.int64)
        sizes = sp.dense_shape * (1 - along) + along * length
        parts.append(slice(sp, along * start, sizes))
        start = start + length
    return parts


def _rank_of(sp: SparseTensor) -> Any:
    """The rank: a number where it is known, else one of the graph."""
    return ops.size(sp.dense_shape) if sp.shape.rank is None else sp.shape.rank


@public("sparse.retain")
@told
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements for which a bool vector holds.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.retain(sp, [False, True]).values.numpy()
    array([7], dtype=int32)

    Args:
      sp_input: a ``SparseTensor``.
      to_retain: a bool vector with an entry for each element; numbers other than 0 hold, too.

    Returns:
      A ``SparseTensor`` of the same dtype and dense shape.

    Raises:
      ValueError: for a vector of another length.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    kept = of_rank(_core.convert_to_tensor(to_retain), 1)
    if kept.shape.rank == 1:
        kept.shape.assert_is_compatible_with(sp.values.shape)
    indices, values = (ops.boolean_mask(x, kept) for x in (sp.indices, sp.values))
    return made(indices, values, sp.dense_shape, sp.shape)


@public("sparse.fill_empty_rows")
@told
def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[Any, ...]:
    """The matrix with ``default_value`` first in every empty row, and which rows were empty.

    >>> sp = fg.sparse.from_dense([[0, 5], [0, 0]])
    >>> filled, was_empty = fg.sparse.fill_empty_rows(sp, -1)
    >>> fg.sparse.to_dense(filled).numpy()
    array([[ 0,  5],
           [-1,  0]], dtype=int32)
    >>> was_empty.numpy()
    array([False,  True])

    Args:
      sp_input: a ``SparseTensor``.
      default_value: a scalar of its dtype.
      name: of no effect.

    Returns:
      A pair of a ``SparseTensor`` of the same dtype and dense shape, and a bool vector.

    Raises:
      TypeError: where sp_input is not sparse, or default_value does not fit its dtype.
      InvalidArgumentError: for a default_value that is no scalar.
    """
    sp = _sparse(sp_input)
    default = _core.convert_to_tensor(default_value, sp.dtype)
    rows = sp.dense_shape[0]
    ones = ops.ones_like(sp.indices[:, 0])
    empty = ops.equal(segments.unsorted_segment_sum(ones, sp.indices[:, 0], rows), 0)
    missing = ops.where(empty)
    tail = ops.zeros([ops.shape(missing)[0], ops.shape(sp.indices)[1] - 1], dtypes.int64)
    indices = ops.concat([sp.indices, ops.concat([missing, tail], 1)], 0)
    values = ops.concat([sp.values, ops.fill(ops.shape(missing)[:1], default)], 0)
    return in_order(made(indices, values, sp.dense_shape, sp.shape)), empty


@public("sparse.expand_dims")
@told
def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """A new axis of size 1.

    >>> sp = fg.sparse.from_dense([[0, 5], [7, 0]])
    >>> fg.sparse.expand_dims(sp, 0).shape
    TensorShape([1, 2, 2])

    Args:
      sp_input: a ``SparseTensor``.
      axis: an int, where the new axis is; a negative one counts from the end. The last one by
        default.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of the same dtype.

    Raises:
      ValueError: for an axis out of range.
      TypeError: where sp_input is not sparse, or axis is no integer.
    """
    sp = _sparse(sp_input)
    rank = _rank_of(sp)
    axis = -1 if axis is None else whole(axis, "sparse.expand_dims: axis")
    place = axis + rank + 1 if axis < 0 else axis
    what = f"axis {axis} is outside of a sparse tensor of rank"
    if sp.shape.rank is None:
        inside = ops.logical_and(ops.less_equal(0, place), ops.less_equal(place, rank))
        ops.Assert(inside, [what, rank])
    elif not 0 <= place <= rank:
        raise ValueError(f"{what} {rank}")
    zeros = ops.zeros_like(sp.indices[:, :1])
    indices = ops.concat([sp.indices[:, :place], zeros, sp.indices[:, place:]], 1)
    one = ops.ones([1], dtypes.int64)
    return made(
        indices, sp.values, ops.concat([sp.dense_shape[:place], one, sp.dense_shape[place:]], 0)
    )


@public("sparse.eye")
@told
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = None, name: str | None = None
) -> SparseTensor:
    """A matrix with ones on its diagonal.

    >>> fg.sparse.to_dense(fg.sparse.eye(2)).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)

    Args:
      num_rows: an integer scalar.
      num_columns: an integer scalar, as many as rows by default.
      dtype: the dtype, float32 by default.
      name: of no effect.

    Returns:
      A ``SparseTensor`` of that dtype and of rank 2.

    Raises:
      InvalidArgumentError: for a negative number.
    """
    rows = ops.cast(num_rows, dtypes.int64)
    columns = rows if num_columns is None else ops.cast(num_columns, dtypes.int64)
    places_ = ops.range(ops.minimum(rows, columns))
    values = ops.ones_like(places_, dtypes.float32 if dtype is None else dtype)
    return made(ops.stack([places_, places_], 1), values, ops.stack([rows, columns]))


@public("sparse.to_indicator")
@told
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """True in the last axis at the numbers that the rows hold as elements.

    >>> fg.sparse.to_indicator(fg.sparse.from_dense([[1, 2]]), 4).numpy()
    array([[False,  True,  True, False]])

    Args:
      sp_input: a ``SparseTensor`` of integers from 0 up to before vocab_size.
      vocab_size: an integer scalar, the size of the last axis of the result.
      name: of no effect.

    Returns:
      A bool tensor, in its other sizes as sp_input.

    Raises:
      InvalidArgumentError: for an element out of that range.
      TypeError: where sp_input is not sparse.
    """
    sp = _sparse(sp_input)
    size = ops.cast(vocab_size, dtypes.int64)
    numbers = ops.expand_dims(ops.cast(sp.values, dtypes.int64), 1)
    indices = ops.concat([sp.indices[:, :-1], numbers], 1)
    shape = ops.concat([sp.dense_shape[:-1], ops.reshape(size, [1])], 0)
    ones = ops.ones_like(sp.values, dtypes.int32)
    return ops.scatter_nd(indices, ones, shape) > 0
