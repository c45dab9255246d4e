"""Choosing elements: slices, gathers, scatters, masks, conditions."""

from __future__ import annotations

from collections.abc import Callable

from ..hints import Any, TypeVar
from ..values.composite import CompositeInput
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    bool,
    convert,
    convert_pair,
    emit,
    int64,
    int_vector,
    known_rank,
    refusal,
)
from ._dispatch import ask, asks, dispatched
from ._emits import dressed
from ._numbers import whole
from .arrays import concat, ensure_shape, expand_dims, reshape, shape
from .numeric import cast, widened

F = TypeVar("F", bound=Callable[..., Any])


@public("slice")
def slice(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """A block of a tensor.

    >>> fg.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
    [[2, 3], [5, 6]]

    Args:
      input_: a tensor, or what converts to one; of any dtype and shape.
      begin: where the block begins, a vector of int32 or int64 with a number for each axis, none
        negative.
      size: its sizes, another one of the same dtype; -1 takes all that is left.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the rank of ``input_``.

    Raises:
      ValueError, InvalidArgumentError: where the block is not inside the tensor, or the numbers are
        not as many as axes, while tracing and when run.
    """
    begin, size = convert_pair(int_vector(begin), int_vector(size))
    return emit("Slice", (input_, begin, size), None, name)


@public("strided_slice")
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike = None,
    begin_mask: Any = 0,
    end_mask: Any = 0,
    ellipsis_mask: Any = 0,
    new_axis_mask: Any = 0,
    shrink_axis_mask: Any = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """What ``input_[begin[0]:end[0]:strides[0], ...]`` gives; indexing is the usual way to write
    it.

    >>> fg.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy()
    array([1, 3, 5], dtype=int32)

    Args:
      input_: a tensor.
      begin: a vector with the start along each axis.
      end: likewise with the end, which is left out.
      strides: likewise with the step; 1 unless told.
      begin_mask: bit i set leaves out ``begin[i]``: the whole range there.
      end_mask: likewise for ``end[i]``.
      ellipsis_mask: the bit set is an ``...`` at that place.
      new_axis_mask: bits set are new axes.
      shrink_axis_mask: bits set are single indices, which drop the axis.
      var: for programs written for variables; not used.
      name: a name for the operation.
    """
    begin, end = convert_pair(int_vector(begin), int_vector(end))
    if strides is None:
        strides = emit("OnesLike", (begin,), None, None)
    strides = convert_pair(begin, int_vector(strides))[1]
    attrs = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return emit("StridedSlice", (input_, begin, end, strides), attrs, name)


@public("gather")
@dispatched
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of ``params`` along an axis at these indices.

    The result has the shape of ``params`` with the axis replaced by the axes of ``indices``. With
    ``batch_dims``, so many first axes are common to both, and each entry gathers from its own
    slice.

    >>> fg.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
    [[5, 6], [1, 2]]

    Args:
      params: a tensor.
      indices: integers of any shape.
      validate_indices: not used; indices are always checked.
      axis: the axis; ``batch_dims`` unless told, counted from the end where that is negative.
      batch_dims: how many first axes are common to both.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for an index outside of the axis.
    """
    indices = widened(indices)
    if batch_dims.__class__ is not int:
        batch_dims = whole(batch_dims, "gather: batch_dims")
    axis = batch_dims if axis is None else axis
    if batch_dims < 0:
        batch_dims += known_rank(indices, "a negative batch_dims")
    return emit("GatherV2", (params, indices, axis), {"batch_dims": batch_dims}, name)


def rows_of(params: TensorLike, indices: TensorLike) -> Tensor:
    """``gather`` along the first axis on the way to something else: its gradient is dense."""
    params = convert(params)
    if params.ndim is None:
        return gather(emit("Reshape", (params, shape(params)), None, None), indices)
    return gather(params, indices, axis=-params.ndim)


@public("gather_nd")
@dispatched
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: Any = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements or slices of ``params`` at coordinates, which are the last axis of ``indices``.

    >>> fg.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)

    Args:
      params: a tensor.
      indices: integers; the last axis may be shorter than the rank of ``params``, which gives
        slices.
      batch_dims: how many first axes are common to both.
      name: a name for the operation.
      bad_indices_policy: "" or "ERROR"; indices outside are always an error.

    Raises:
      InvalidArgumentError: for coordinates outside of ``params``, and where both have other sizes
        along the common axes.
      ValueError: where ``indices`` have no axis behind those.
    """
    indices = widened(indices)
    if batch_dims.__class__ is not int:
        batch_dims = whole(batch_dims, "gather_nd: batch_dims")
    if batch_dims:
        params = convert(params)
        indices = _in_common(params, indices, batch_dims)
        indices = _with_batch_coordinates(indices, batch_dims)
    return emit("GatherNd", (params, indices), None, name)


def _in_common(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """The indices, of whose ``batch_dims`` first axes a trace knows what it does of those of
    ``params``. Refuses tensors of which they differ.
    """
    if indices.ndim is not None and batch_dims >= indices.ndim:
        raise ValueError(
            f"gather_nd: batch_dims = {batch_dims} must be less than rank(indices) = {indices.ndim}"
        )
    own, other = params.shape[:batch_dims], indices.shape[:batch_dims]
    if not own.is_compatible_with(other):
        raise refusal(f"gather_nd: params have the batch {own}, indices {other}")
    if not (own.is_fully_defined() and other.is_fully_defined()):
        text = "gather_nd: params and indices have other batches:"
        _assert_same(shape(params)[:batch_dims], shape(indices)[:batch_dims], text)
    if indices.ndim is None or other.is_fully_defined():
        return indices
    behind = [None] * (indices.ndim - batch_dims)
    return ensure_shape(indices, own.merge_with(other).concatenate(behind))


def _with_batch_coordinates(indices: Any, batch_dims: Any) -> Any:
    """Coordinates that begin with the place in the batch that they stand at."""
    sizes = shape(indices, indices.dtype)
    outer = concat([sizes[:-1], convert([1], indices.dtype)], 0)
    zero, one = convert(0, indices.dtype), convert(1, indices.dtype)
    columns = []
    for axis in range(batch_dims):
        places = emit("Range", (zero, sizes[axis], one), None, None)
        behind = emit("OnesLike", (sizes[axis + 1 :],), None, None)
        column = reshape(places, concat([convert([-1], indices.dtype), behind], 0))
        columns.append(emit("BroadcastTo", (column, outer), None, None))
    return concat([*columns, indices], -1)


@public("scatter_nd")
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: TensorLike, name: str | None = None
) -> Tensor:
    """A tensor of zeros of this shape with ``updates`` added at coordinates; strings are joined.

    >>> fg.scatter_nd([[4], [1], [4]], [9, 10, 11], [6]).numpy()
    array([ 0, 10,  0,  0, 20,  0], dtype=int32)

    Args:
      indices: integers; the last axis holds coordinates.
      updates: what is added there: an element or a slice for each.
      shape: the shape of the result, a vector.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for coordinates outside.
    """
    indices, shape = convert(indices), convert(shape)
    if shape.dtype != indices.dtype:
        indices, shape = cast(indices, int64), cast(shape, int64)
    return emit("ScatterNd", (indices, updates, shape), None, name)


def _scatters(op: str) -> Callable[[F], F]:
    """The body of a function that is the operation ``op`` on a tensor and updates at places."""

    def make(declared: F) -> F:
        def scatter(tensor, indices, updates, name=None):
            try:
                tensor, updates = convert_pair(tensor, updates)
                return emit(op, (tensor, indices, updates), None, name)
            except CompositeInput as e:
                return ask(scatter, (tensor, indices, updates), {}, e)

        return asks(dressed(scatter, declared))

    return make


@public("tensor_scatter_nd_update")
@_scatters("TensorScatterUpdate")
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of ``tensor`` in which ``updates`` replace what stands at coordinates.

    >>> fg.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy()
    array([1, 9, 3], dtype=int32)

    Args:
      tensor: a tensor, or what converts to one; of any dtype.
      indices: a tensor of int32 or int64, whose last axis holds coordinates; where these are fewer
        than axes of ``tensor``, they are those of slices.
      updates: an element or a slice for each coordinate, of the dtype of ``tensor``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``.

    Raises:
      InvalidArgumentError: for coordinates outside of ``tensor``, for updates of another shape, and
        for other dtypes.
    """


@public("tensor_scatter_nd_add")
@_scatters("TensorScatterAdd")
def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of ``tensor`` in which ``updates`` are added to what stands at coordinates.

    >>> fg.tensor_scatter_nd_add([1, 2, 3], [[1]], [9]).numpy()
    array([ 1, 11,  3], dtype=int32)

    Args:
      tensor: a tensor of numbers, or what converts to one.
      indices: a tensor of int32 or int64, whose last axis holds coordinates; where these are fewer
        than axes of ``tensor``, they are those of slices.
      updates: an element or a slice for each coordinate, of the dtype of ``tensor``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``.

    Raises:
      InvalidArgumentError: for coordinates outside of ``tensor``, for updates of another shape, and
        for other dtypes.
    """


@public("tensor_scatter_nd_sub")
@_scatters("TensorScatterSub")
def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of ``tensor`` in which ``updates`` are taken from what stands at coordinates.

    >>> fg.tensor_scatter_nd_sub([1, 2, 3], [[1]], [9]).numpy()
    array([ 1, -7,  3], dtype=int32)

    Args:
      tensor: a tensor of numbers, or what converts to one.
      indices: a tensor of int32 or int64, whose last axis holds coordinates; where these are fewer
        than axes of ``tensor``, they are those of slices.
      updates: an element or a slice for each coordinate, of the dtype of ``tensor``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``.

    Raises:
      InvalidArgumentError: for coordinates outside of ``tensor``, for updates of another shape, and
        for other dtypes.
    """


@public("tensor_scatter_nd_max")
@_scatters("TensorScatterMax")
def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of ``tensor`` in which ``updates`` stand where larger than what stood at coordinates.

    >>> fg.tensor_scatter_nd_max([1, 2, 3], [[1]], [9]).numpy()
    array([1, 9, 3], dtype=int32)

    Args:
      tensor: a tensor of real numbers, or what converts to one.
      indices: a tensor of int32 or int64, whose last axis holds coordinates; where these are fewer
        than axes of ``tensor``, they are those of slices.
      updates: an element or a slice for each coordinate, of the dtype of ``tensor``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``.

    Raises:
      InvalidArgumentError: for coordinates outside of ``tensor``, for updates of another shape, and
        for other dtypes.
    """


@public("tensor_scatter_nd_min")
@_scatters("TensorScatterMin")
def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of ``tensor`` in which ``updates`` stand where smaller than what stood at coordinates.

    >>> fg.tensor_scatter_nd_min([1, 2, 3], [[1]], [9]).numpy()
    array([1, 2, 3], dtype=int32)

    Args:
      tensor: a tensor of real numbers, or what converts to one.
      indices: a tensor of int32 or int64, whose last axis holds coordinates; where these are fewer
        than axes of ``tensor``, they are those of slices.
      updates: an element or a slice for each coordinate, of the dtype of ``tensor``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``.

    Raises:
      InvalidArgumentError: for coordinates outside of ``tensor``, for updates of another shape, and
        for other dtypes.
    """


@public("where")
@dispatched
def where(
    condition: TensorLike, x: TensorLike = None, y: TensorLike = None, name: str | None = None
) -> Any:
    """``x`` where the condition is True and ``y`` elsewhere; alone, the coordinates where it is
    True.

    >>> fg.where([True, False, True], [1, 2, 3], 0).numpy()
    array([1, 0, 3], dtype=int32)
    >>> fg.where([[True, False], [False, True]]).numpy().tolist()
    [[0, 0], [1, 1]]

    Args:
      condition: a tensor of bools; alone, anything that may be compared with zero.
      x: a tensor; the three shapes broadcast.
      y: likewise, of the same dtype.
      name: a name for the operation.

    Returns:
      A tensor of the broadcast shape, or an int64 matrix of coordinates in row order.

    Raises:
      ValueError: where one of ``x`` and ``y`` is given alone.
    """
    if x is None and y is None:
        return emit("Where", (condition,), None, name)
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither")
    x, y = convert_pair(x, y)
    return emit("SelectV2", (convert(condition, dtype_hint=bool), x, y), None, name)


@public("boolean_mask")
@dispatched
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Any = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The slices of ``tensor`` where ``mask`` is True, in order, the masked axes becoming one.

    >>> fg.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy().tolist()
    [[1, 2], [5, 6]]

    Args:
      tensor: a tensor.
      mask: bools whose shape is that of so many axes of ``tensor``, from ``axis`` on.
      axis: the first axis masked; 0 unless told.
      name: a name for the operation.

    Raises:
      ValueError: for a scalar mask, one of unknown rank, or sizes that differ.
    """
    tensor, mask = convert(tensor), convert(mask, dtype_hint=bool)
    axis = 0 if axis is None else whole(axis, "boolean_mask: axis")
    _check_mask(tensor, mask, axis)
    sizes, end = shape(tensor), axis + mask.ndim
    if not (tensor.shape.is_fully_defined() and mask.shape.is_fully_defined()):
        text = "boolean_mask: the mask does not fit the axes that it masks:"
        _assert_same(shape(mask), sizes[axis:end], text)
    length = emit("Prod", (sizes[axis:end], [0]), None, None)
    rows = reshape(tensor, concat([sizes[:axis], expand_dims(length, 0), sizes[end:]], 0))
    places = emit("Where", (reshape(mask, [-1]),), None, None)
    places = emit("Squeeze", (places,), {"squeeze_dims": [1]}, None)
    return emit("GatherV2", (rows, places, axis), {"batch_dims": 0}, name)


def _assert_same(sizes: Any, others: Any, text: str) -> None:
    """Checks that sizes are equal when they are known, else refuses with a text and both."""
    same = emit("All", (emit("Equal", (sizes, others), None, None), [0]), None, None)
    emit("Assert", (same, convert(text), sizes, others), {"summarize": 9}, None)


def _check_mask(tensor: Any, mask: Any, axis: Any) -> Any:
    """Checks what is known of a mask against the axes that it masks."""
    if not mask.ndim:
        raise ValueError(
            f"boolean_mask needs a mask of at least one axis, of known rank; got shape {mask.shape}"
        )
    if tensor.ndim is None:
        return
    sizes = mask.shape.as_list()
    masked = tensor.shape.as_list()[axis : axis + len(sizes)]
    if len(masked) != len(sizes) or any(_differ(a, b) for a, b in zip(masked, sizes, strict=True)):
        raise ValueError(f"a mask of shape {mask.shape} does not fit axis {axis} of {tensor.shape}")


def _differ(a: Any, b: Any) -> Any:
    return a is not None and b is not None and a != b
