"""Shapes of tensors and rearrangements: reshape, transpose, concatenate, split, pad."""

from __future__ import annotations

from collections.abc import Iterable

from ..hints import Any
from ..values import errors
from ..values.composite import CompositeInput
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    TensorShape,
    as_dtype,
    as_list,
    contains_tensor,
    convert,
    convert_all,
    dtype_or,
    emit,
    executing_eagerly,
    int32,
    int64,
    int_vector,
    integers,
    is_tensor,
    known_size,
    listed,
    refined,
    shape_argument,
    static_value,
)
from ._dispatch import ask, asks, dispatched, told
from ._numbers import several, whole, wholes
from ._ranks import in_three
from .numeric import conj


@public("shape")
@dispatched
def shape(input: TensorLike, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape of a tensor as a vector: known when run, where ``input.shape`` is what is known
    before.

    >>> fg.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)

    Args:
      input: a tensor.
      out_type: int32 (unless told) or int64.
      name: a name for the operation.
    """
    return emit("Shape", (input,), {"out_type": as_dtype(out_type or int32)}, name)


@public("shape_n")
def shape_n(input: TensorLike, out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of a list of tensors; see ``shape``.

    >>> [s.numpy().tolist() for s in fg.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]

    Args:
      input: a list of tensors, or a tensor, whose slices along the first axis are taken.
      out_type: the dtype of the shapes, int32 (the default) or int64.
      name: a name for the operation.

    Returns:
      A list with a vector of ``out_type`` for each tensor.

    Raises:
      TypeError: where ``input`` is no list.
      InvalidArgumentError: for another ``out_type``.
    """
    attrs = {"out_type": dtype_or(out_type, int32)}
    return listed(emit("ShapeN", several(input, "shape_n: input"), attrs, name))


@public("size")
@dispatched
def size(input: TensorLike, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements of a tensor.

    >>> fg.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      out_type: the dtype of the result, int32 (unless told) or int64.
      name: a name for the operation.

    Returns:
      A scalar of ``out_type``.

    Raises:
      InvalidArgumentError: for another ``out_type``.
    """
    return emit("Size", (input,), {"out_type": dtype_or(out_type, int32)}, name)


@public("rank")
@dispatched
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes of a tensor.

    >>> fg.rank([[1, 2, 3]]).numpy()
    np.int32(2)

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      name: a name for the operation.

    Returns:
      An int32 scalar.
    """
    tensor = convert(input)
    known = None if executing_eagerly() else tensor.ndim
    if known is not None:
        return convert(known, int32, name=name)
    return emit("Rank", (tensor,), None, name)


@public("identity", ragged="flat", sparse="zero")
@dispatched
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """The same values as a tensor of its own: reading a variable, or naming a value.

    >>> fg.identity([1, 2]).numpy()
    array([1, 2], dtype=int32)

    Args:
      input: a tensor or variable, or what converts to one; of any dtype and shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.
    """
    return emit("Identity", (input,), None, name)


@public("identity_n")
def identity_n(input: TensorLike, name: str | None = None) -> list[Tensor]:
    """The same list of tensors.

    >>> [t.numpy().tolist() for t in fg.identity_n([1, [2, 3]])]
    [1, [2, 3]]

    Args:
      input: a list of tensors of any dtypes and shapes, or a tensor, whose slices along the first
        axis are taken.
      name: a name for the operation.

    Returns:
      A list of tensors.

    Raises:
      TypeError: where ``input`` is no list.
    """
    return listed(emit("IdentityN", several(input, "identity_n: input"), None, name))


@public("stop_gradient", ragged="flat", sparse="zero")
@dispatched
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """The same values, through which no gradient flows.

    >>> x = fg.constant(3.0)
    >>> with fg.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * fg.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.
    """
    return emit("StopGradient", (input,), None, name)


@public("ensure_shape")
@told
def ensure_shape(x: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """``x``, checked when run to have a shape; while tracing, its static shape is refined by it.

    >>> fg.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])

    Args:
      x: a tensor, or what converts to one; of any dtype.
      shape: a ``TensorShape``, or what makes one: a list with an int, or None for any size, for
        each axis; None for any rank.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the elements of ``x``.

    Raises:
      InvalidArgumentError: when run, where the shape is another.
      ValueError: while tracing, where the known part of the shape contradicts it.
    """
    return emit("EnsureShape", (x,), {"shape": TensorShape(shape)}, name)


@public("reshape")
@asks
def reshape(tensor: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The same elements in row order with another shape.

    >>> fg.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy()
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)

    Args:
      tensor: a tensor.
      shape: integers or a vector of them; one may be -1 for what is left over.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where the number of elements differs, while tracing and
      when run.
    """
    try:
        return emit("Reshape", (tensor, shape_argument(shape)), None, name)
    except CompositeInput as e:
        return ask(reshape, (tensor, shape), {}, e)


@public("expand_dims")
@dispatched
def expand_dims(input: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with one more axis, of size 1.

    >>> fg.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      axis: where the new axis goes: an int32 or int64 scalar from ``-rank - 1``, which puts it
        first, to ``rank``; -1 and ``rank`` put it last.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the elements of ``input``, of one more axis.

    Raises:
      ValueError, InvalidArgumentError: where the axis is outside of that, while tracing and when
        run.
    """
    return emit("ExpandDims", (input, axis), None, name)


@public("squeeze")
@dispatched
def squeeze(input: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """The tensor without axes of size 1.

    While tracing, squeezing without ``axis`` what has unknown sizes gives an unknown rank.

    >>> fg.squeeze([[[1], [2]]]).shape
    TensorShape([2])

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      axis: the axes to drop, an int or a list of them, which must be known; negative ones count
        from the end. All of size 1 unless told.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the elements of ``input``.

    Raises:
      ValueError, InvalidArgumentError: where an axis named has another size or is outside of the
        rank, while tracing and when run.
    """
    axes = [] if axis is None else wholes(axis, "squeeze: axis")
    return emit("Squeeze", (input,), {"squeeze_dims": axes}, name)


@public("transpose")
def transpose(
    a: TensorLike, perm: TensorLike = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """The axes in another order: axis ``i`` of the result is axis ``perm[i]`` of ``a``.

    >>> fg.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [[1, 4], [2, 5], [3, 6]]

    Args:
      a: a tensor.
      perm: a permutation of the axes; reversed order unless told.
      conjugate: whether to take complex conjugates as well.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where ``perm`` is no permutation of the axes.
    """
    a = convert(a)
    if perm is None:
        axes = a.ndim
        if axes is None:
            perm = emit("Range", (emit("Sub", (rank(a), 1), None, None), -1, -1), None, None)
        else:
            perm = list(range(axes - 1, -1, -1))
    out = emit("Transpose", (a, int_vector(perm)), None, name)
    return conj(out) if conjugate and a.dtype.is_complex else out


@public("concat")
@dispatched
def concat(values: TensorLike, axis: Any, name: str | None = "concat") -> Tensor:
    """Tensors joined along an axis that they have; the other sizes must agree.

    >>> fg.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy().tolist()
    [[1, 2], [3, 4], [5, 6]]

    Args:
      values: a list of tensors of one dtype and rank.
      axis: the axis; negative ones count from the end.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where shapes differ elsewhere, and for scalars (use
      ``stack``).
    """
    values = as_list(values)
    if not values:
        raise errors.InvalidArgumentError(None, None, "concat needs one tensor at least")
    return emit("ConcatV2", (*convert_all(values), axis), None, name)


@public("stack")
@dispatched
def stack(values: TensorLike, axis: Any = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape joined along a new axis.

    >>> fg.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]

    Args:
      values: a list of tensors of one dtype and shape.
      axis: where the new axis goes; -1 is last.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where the shapes differ or the axis is outside.
    """
    if is_tensor(values):
        return _moved_first(convert(values), whole(axis, "stack: axis"), name)
    if not isinstance(values, (list, tuple)):
        values = several(values, "stack: values")
    axis = whole(axis, "stack: axis")
    if not values and axis == 0:
        return convert(values)
    if axis == 0 and not hasattr(values[0], "dtype") and _are_plain(values):
        return emit("Identity", (convert(values),), None, name)
    parts = convert_all(values)
    rank = parts[0].shape.rank if parts else None
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})")
    return emit("Pack", parts, {"axis": axis}, name)


def _are_plain(values: Any) -> Any:
    """Whether there are only Python numbers and nests of them."""
    return not contains_tensor(values) and not any(hasattr(v, "dtype") for v in values)


def _moved_first(value: Any, axis: Any, name: Any) -> Tensor:
    """A tensor with its first axis at another place: its slices stacked there."""
    axes = value.ndim
    if axis == 0 or axes is None:
        return emit("Identity", (value,), None, name) if axis == 0 else stack(unstack(value), axis)
    if not axes or not -axes <= axis < axes:
        raise ValueError(f"axis {axis} is outside of a tensor of rank {axes}")
    order = list(range(1, axes))
    order.insert(axis % axes, 0)
    return emit("Transpose", (value, order), None, name)


@public("unstack")
def unstack(
    value: TensorLike, num: Any = None, axis: Any = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The slices of a tensor along an axis, without it, as a list.

    >>> [t.numpy().tolist() for t in fg.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]

    Args:
      value: a tensor.
      num: the number of slices; the size of the axis unless told.
      axis: the axis to take apart.
      name: a name for the operation.

    Raises:
      ValueError: while tracing, where the size is unknown and ``num`` not given.
    """
    value = convert(value)
    axes = value.ndim
    axis = whole(axis, "unstack: axis")
    if axes is not None and not -axes <= axis < axes:
        raise ValueError(f"axis {axis} is outside of a tensor of rank {axes}")
    if num is not None:
        num = whole(num, "unstack: num")
        if num == 0:
            return []
    else:
        num = known_size(value, axis)
        if num is None:
            raise ValueError(
                f"axis {axis} of shape {value.shape} has no known size to unstack; give num"
            )
    return listed(emit("Unpack", (value,), {"num": num, "axis": axis}, name))


# The number of rows that are taken apart at a time during iteration, unless that makes more blocks.
_ROWS, _BLOCKS = 1024, 65536


def row_blocks(value: Any) -> list[Tensor]:
    """A tensor of a known number of rows cut into blocks, all but the last of as many rows."""
    count = value.shape[0]
    size = max(_ROWS, -(-count // _BLOCKS))
    if count <= size:
        return [value]
    whole, rest = divmod(count, size)
    sizes = [size] * whole + [rest] * (rest > 0)
    return emit("SplitV", (value, sizes, 0), {"num_split": len(sizes)})


def rows(value: Any) -> Iterable[Tensor]:
    """The rows of a tensor as a loop takes them; those of a long one are not all there at once."""
    blocks = row_blocks(value)
    if len(blocks) == 1:
        return unstack(value)
    return (row for block in blocks for row in unstack(block))


@public("split")
@dispatched
def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: Any = None,
    name: str | None = "split",
) -> list[Tensor]:
    """A tensor cut along an axis into equal parts or into parts of given sizes, as a list.

    >>> [t.numpy().tolist() for t in fg.split([1, 2, 3, 4, 5, 6], [2, -1])]
    [[1, 2], [3, 4, 5, 6]]

    Args:
      value: a tensor.
      num_or_size_splits: how many equal parts, or a vector of sizes of which one may be -1.
      axis: the axis to cut.
      num: the number of parts, where the length of a vector of sizes is not known.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where the parts do not add up, while tracing and when run.
    """
    value = convert(value)
    if isinstance(num_or_size_splits, int):
        attrs = {"num_split": num_or_size_splits}
        return listed(emit("Split", (axis, value), attrs, name))
    sizes = convert(int_vector(num_or_size_splits))
    if sizes.ndim == 0:
        parts = static_value(sizes)
        if parts is None:
            raise ValueError("the number of parts to split into must be known while tracing")
        return split(value, int(parts), axis, None, name)
    num = known_size(sizes, 0) if num is None else num
    if num is None:
        raise ValueError("the number of sizes to split into is not known; give num")
    return listed(emit("SplitV", (value, sizes, axis), {"num_split": num}, name))


@public("tile")
@dispatched
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """The tensor repeated ``multiples[i]`` times along each axis ``i``.

    >>> fg.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      multiples: how often, a vector of int32 or int64 with a number for each axis, none negative.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input``, whose axis ``i`` is ``multiples[i]`` times as long.

    Raises:
      ValueError, InvalidArgumentError: for a negative number, or another count of them, while
        tracing and when run.
    """
    return emit("Tile", (input, int_vector(multiples)), None, name)


@public("broadcast_to")
@asks
def broadcast_to(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """The tensor stretched to a shape that it broadcasts to.

    >>> fg.broadcast_to([[1], [2]], [2, 3]).numpy().tolist()
    [[1, 1, 1], [2, 2, 2]]

    Args:
      input: a tensor, or what converts to one; of any dtype.
      shape: the shape, a ``TensorShape``, a list or a vector of int32 or int64.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input`` and this shape.

    Raises:
      ValueError, InvalidArgumentError: where ``input`` does not broadcast to it, while tracing and
        when run.
    """
    try:
        return emit("BroadcastTo", (input, shape_argument(shape)), None, name)
    except CompositeInput as e:
        return ask(broadcast_to, (input, shape), {}, e)


@public("broadcast_dynamic_shape")
@dispatched
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes, given as vectors, broadcast to.

    >>> fg.broadcast_dynamic_shape([2, 1, 4], [3, 1]).numpy()
    array([2, 3, 4], dtype=int32)

    Args:
      shape_x: a shape: a ``TensorShape`` that is known, a list or a vector of int32 or int64.
      shape_y: another one, of the same dtype.

    Returns:
      A vector of that dtype.

    Raises:
      InvalidArgumentError: where they do not broadcast.
    """
    shapes = convert_all([shape_argument(shape_x), shape_argument(shape_y)])
    return emit("BroadcastArgs", shapes, None, None)


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The ``TensorShape`` that two of them broadcast to; a size unknown in both stays so.

    >>> fg.broadcast_static_shape(fg.TensorShape([2, 1]), fg.TensorShape([1, 3]))
    TensorShape([2, 3])

    Args:
      shape_x: a ``TensorShape``, or what makes one.
      shape_y: another one.

    Returns:
      A ``TensorShape``; of unknown rank where one of them is.

    Raises:
      ValueError: where they do not broadcast.
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    length = max(x.rank, y.rank)
    x_sizes = [1] * (length - x.rank) + x.as_list()
    y_sizes = [1] * (length - y.rank) + y.as_list()
    return TensorShape([_broadcast(a, b, x, y) for a, b in zip(x_sizes, y_sizes, strict=True)])


def _broadcast(a: Any, b: Any, x: Any, y: Any) -> Any:
    if a == 1 or b == 1:
        return b if a == 1 else a
    if a is None or b is None:
        return b if a is None else a
    if a != b:
        raise ValueError(f"shapes {shown(x)} and {shown(y)} do not broadcast: {a} against {b}")
    return a


@public("reverse")
@dispatched
def reverse(tensor: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with the order along some axes reversed.

    >>> fg.reverse([[1, 2, 3]], axis=[-1]).numpy()
    array([[3, 2, 1]], dtype=int32)

    Args:
      tensor: a tensor.
      axis: a vector of axes.
      name: a name for the operation.
    """
    return emit("ReverseV2", (tensor, int_vector(axis)), None, name)


@public("roll")
def roll(input: TensorLike, shift: TensorLike, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved by ``shift`` places along an axis, those that leave at one end entering
    at the other.

    >>> fg.roll([1, 2, 3, 4], 1, axis=0).numpy()
    array([4, 1, 2, 3], dtype=int32)

    Args:
      input: a tensor.
      shift: an integer, or one for each of several axes.
      axis: the axis, or several.
      name: a name for the operation.
    """
    return emit("Roll", (input, int_vector(shift), int_vector(axis)), None, name)


@public("pad")
@told
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """The tensor with ``paddings[i] = [before, after]`` places added along each axis ``i``.

    >>> fg.pad([1, 2, 3], [[2, 1]], mode="REFLECT").numpy()
    array([3, 2, 1, 2, 3, 2], dtype=int32)

    Args:
      tensor: a tensor.
      paddings: an integer matrix with one row for each axis.
      mode: "CONSTANT", or "REFLECT" (mirrored about the edge elements) or "SYMMETRIC" (about the
        edges).
      constant_values: what to fill with.
      name: a name for the operation.

    Raises:
      ValueError: for another mode.
      InvalidArgumentError: where there is too little to mirror, or a padding is negative.
    """
    tensor = convert(tensor)
    mode = mode.upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        return emit("MirrorPad", (tensor, int_vector(paddings)), {"mode": mode}, name)
    if mode != "CONSTANT":
        raise ValueError(
            f"unknown padding mode {shown(mode)}; CONSTANT, REFLECT and SYMMETRIC exist"
        )
    if not is_tensor(constant_values) and constant_values == 0:
        return emit("Pad", (tensor, int_vector(paddings)), None, name)
    value = convert(constant_values, tensor.dtype)
    return emit("PadV2", (tensor, int_vector(paddings), value), None, name)


@public("repeat")
def repeat(
    input: TensorLike, repeats: TensorLike, axis: Any = None, name: str | None = None
) -> Tensor:
    """Each element (or each slice along ``axis``) several times in a row.

    >>> fg.repeat([[1, 2], [3, 4]], [2, 1], axis=0).numpy().tolist()
    [[1, 2], [1, 2], [3, 4]]

    Args:
      input: a tensor.
      repeats: how often: one integer, or one for each slice.
      axis: the axis; the flattened tensor unless told.
      name: a name for the operation.

    Raises:
      ValueError: where there are not as many numbers as slices.
      InvalidArgumentError: for a negative number of repetitions; where the sizes are known only
        when the graph runs, also for another count of them.
    """
    data, repeats = convert(input), convert(int_vector(repeats))
    if repeats.dtype not in (int32, int64):
        repeats = emit("Cast", (repeats,), {"DstT": int32}, None)
    _refuse_negative(repeats)
    return repeated(data, repeats, axis, name)


def repeated(data: Any, repeats: Any, axis: Any = None, name: Any = None) -> Tensor:
    """``repeat`` by numbers that are known not to be negative."""
    if axis is None:
        data, axis = reshape(data, [-1]), 0
    repeats = reshape(repeats, [-1]) if repeats.ndim is None else repeats
    axis, axes = whole(axis, "repeat: axis"), data.ndim
    if axes is None:
        data, before, behind = in_three(data, axis)
        made = repeated(data, repeats, 1)
        return reshape(made, concat([before, shape(made)[1:2], behind], 0), name)
    if not -axes <= axis < axes:
        raise ValueError(f"axis {axis} is outside of a tensor of rank {axes}")
    axis %= axes
    if repeats.ndim == 0 or (known_size(repeats, 0) == 1 and known_size(data, axis) != 1):
        count = reshape(repeats, []) if repeats.ndim else repeats
        return _repeat_evenly(data, count, axis, name)
    _check_repeats(known_size(repeats, 0), known_size(data, axis), repeats, data, axis)
    if known_size(repeats, 0) is None:
        repeats = emit("BroadcastTo", (repeats, shape(data)[axis : axis + 1]), None, None)
    rows = _repeat_rows(emit("Cumsum", (repeats, 0), None, None))
    if (known := static_value(repeats)) is not None:
        refined(rows, int(known.sum()))
    from_end = axis - axes  # of which the gradient is dense
    return emit("GatherV2", (data, rows, from_end), {"batch_dims": 0}, name)


def _check_repeats(given: Any, wanted: Any, repeats: Any, data: Any, axis: int) -> None:
    """Hold the count of repetitions against that of the slices: now, or when the graph runs."""
    if given is not None and wanted is not None:
        if given != wanted:
            raise ValueError(f"repeat: {given} numbers of repetitions stand beside {wanted} slices")
        return
    count = shape(repeats)[0]
    fits = emit("Equal", (count, shape(data)[axis]), None, None)
    if given is None:
        fits = emit("LogicalOr", (fits, emit("Equal", (count, 1), None, None)), None, None)
    message = "repeat: there are not as many numbers of repetitions as slices"
    emit("Assert", (fits, convert(message)), {"summarize": 3}, None)


def _refuse_negative(repeats: Any) -> None:
    """InvalidArgumentError for a negative number of repetitions: now, or when the graph runs."""
    signs = emit("GreaterEqual", (repeats, convert(0, repeats.dtype)), None, None)
    fine = emit("All", (emit("Reshape", (signs, [-1]), None, None), 0), None, None)
    known = fine._constant_value()
    message = "repeats must not be negative"
    if known is None:
        emit("Assert", (fine, convert(message)), {"summarize": 3}, None)
    elif not bool(known):
        raise errors.InvalidArgumentError(None, None, message)


def _repeat_evenly(data: Any, count: Any, axis: Any, name: Any) -> Any:
    sizes = unstack(shape(data, out_type=count.dtype), data.ndim)
    multiples = [1] * (len(sizes) + 1)
    multiples[axis + 1] = count
    sizes[axis] = emit("Mul", (sizes[axis], count), None, None)
    made = reshape(tile(expand_dims(data, axis + 1), convert(multiples)), sizes, name)
    if not made.shape.is_fully_defined():
        kept = data.shape.as_list()
        times = static_value(count)
        told = times is not None and kept[axis] is not None
        kept[axis] = kept[axis] * int(times) if told else made.shape.as_list()[axis]
        made = ensure_shape(made, kept)
    return made


def _repeat_rows(ends: Any) -> Any:
    """The row that each place shows, where row i fills the places from ``ends[i - 1]`` to
    ``ends[i]``.
    """
    total = emit("Max", (concat([convert([0], ends.dtype), ends], 0), 0), None, None)
    places = emit("AddV2", (total, convert(1, total.dtype)), None, None)
    ones = emit("OnesLike", (ends,), None, None)
    rows = emit(
        "Cumsum", (emit("UnsortedSegmentSum", (ones, ends, places), None, None), 0), None, None
    )
    return rows[:total]


@public("math.invert_permutation")
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes ``x``: ``y[x[i]] == i``.

    >>> fg.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)

    Args:
      x: a vector of int32 or int64 that has each number from 0 up to its length once.
      name: a name for the operation.

    Returns:
      A vector of the dtype and the length of ``x``.

    Raises:
      InvalidArgumentError: where ``x`` is no permutation, no vector, or of another dtype.
    """
    return emit("InvertPermutation", (integers(x),), None, name)
