"""Creation of tensors: constants, ranges, grids, one-hot rows."""

from __future__ import annotations

import builtins

from ..hints import Any
from ..native import FG, _core
from ..values.composite import CompositeInput
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_dtype,
    bool,
    convert,
    convert_all,
    convert_pair,
    dtype_or,
    emit,
    float32,
    float64,
    int32,
    integers,
    is_tensor,
    known_size,
    shape_argument,
    string,
)
from ._dispatch import ask, asks, dispatched
from ._numbers import whole
from .arithmetic import add, equal, less, multiply, subtract
from .arrays import broadcast_to, concat, expand_dims, reshape, shape, stack
from .numeric import cast


@public("fill")
@asks
def fill(dims: TensorLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of shape ``dims`` full of one scalar.

    >>> fg.fill([2, 3], 9).numpy().tolist()
    [[9, 9, 9], [9, 9, 9]]

    Args:
      dims: the shape: a ``TensorShape``, a list or a vector of int32 or int64; one int makes a
        vector.
      value: a scalar of any dtype, or what converts to one.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``value``.

    Raises:
      InvalidArgumentError: for a negative size, or a value that is no scalar.
    """
    try:
        return emit("Fill", (shape_argument(dims), value), None, name)
    except CompositeInput as e:
        return ask(fill, (dims, value), {}, e)


def _full(dims: Any, value: Any, dtype: Any, name: Any) -> Any:
    dtype = as_dtype(dtype)
    if dtype == string:
        value = "" if value == 0 else "1"
    elif dtype == bool:
        value = value != 0
    return emit("Fill", (_sizes(dims), convert(value, dtype)), None, name)


def _sizes(dims: Any) -> Any:
    """A shape as a vector; one integer is the shape of a vector of that length."""
    if isinstance(dims, int):
        return [dims]
    dims = shape_argument(dims)
    return reshape(dims, [-1]) if getattr(dims, "shape", None) == () else dims


@public("zeros")
@asks
def zeros(
    shape: TensorLike, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """A tensor of zeros (False, empty strings) of this shape and dtype.

    >>> fg.zeros([2, 2], fg.int32).numpy().tolist()
    [[0, 0], [0, 0]]

    Args:
      shape: the shape: a ``TensorShape``, a list or a vector of int32 or int64; one int makes a
        vector.
      dtype: the dtype, float32 by default.
      name: a name for the operation.
      layout: not used.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      ValueError: where a size is None.
      InvalidArgumentError: for a negative size.
    """
    try:
        return _full(shape, 0, dtype, name)
    except CompositeInput as e:
        return ask(zeros, (shape, dtype), {}, e)


@public("ones")
@asks
def ones(
    shape: TensorLike, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """A tensor of ones (True) of this shape and dtype.

    >>> fg.ones([3]).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
      shape: the shape: a ``TensorShape``, a list or a vector of int32 or int64; one int makes a
        vector.
      dtype: the dtype, float32 by default.
      name: a name for the operation.
      layout: not used.

    Returns:
      A tensor of that shape and dtype.

    Raises:
      TypeError: for strings, which have no ones.
      ValueError: where a size is None.
      InvalidArgumentError: for a negative size.
    """
    if as_dtype(dtype) == string:
        raise TypeError(f"there are no ones of dtype string; use {FG}.fill")
    try:
        return _full(shape, 1, dtype, name)
    except CompositeInput as e:
        return ask(ones, (shape, dtype), {}, e)


@public("zeros_like", ragged="flat")
@dispatched
def zeros_like(
    input: TensorLike, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros (False, empty strings) of the shape of a tensor.

    >>> fg.zeros_like([[1.5, 2.5]]).numpy()
    array([[0., 0.]], dtype=float32)

    Args:
      input: a tensor, or what converts to one; of any dtype and shape.
      dtype: the dtype of the result, that of ``input`` unless told.
      name: a name for the operation.
      layout: not used.

    Returns:
      A tensor of the shape of ``input``.
    """
    input = convert(input)
    if dtype is None or as_dtype(dtype) == input.dtype:
        return emit("ZerosLike", (input,), None, name)
    return zeros(_shape_of(input), dtype, name)


@public("ones_like", ragged="flat")
@dispatched
def ones_like(
    input: TensorLike, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Ones (True) of the shape of a tensor.

    >>> fg.ones_like([[1.5, 2.5]]).numpy()
    array([[1., 1.]], dtype=float32)

    Args:
      input: a tensor, or what converts to one; of any shape.
      dtype: the dtype of the result, that of ``input`` unless told.
      name: a name for the operation.
      layout: not used.

    Returns:
      A tensor of the shape of ``input``.

    Raises:
      TypeError, InvalidArgumentError: for strings, which have no ones: where ``dtype`` says so, and
        where ``input`` has them.
    """
    input = convert(input)
    if dtype is None or as_dtype(dtype) == input.dtype:
        return emit("OnesLike", (input,), None, name)
    return ones(_shape_of(input), dtype, name)


def _shape_of(tensor: Any) -> Any:
    return tensor.shape if tensor.shape.is_fully_defined() else shape(tensor)


@public("linalg.eye", "eye")
def eye(
    num_rows: TensorLike,
    num_columns: TensorLike = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """Matrices with ones on the diagonal and zeros elsewhere.

    >>> fg.eye(2, num_columns=3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; that of rows unless told.
      batch_shape: a vector of sizes of axes before those two.
      dtype: the dtype.
      name: a name for the operation.
    """
    columns = num_rows if num_columns is None else num_columns
    down = expand_dims(range(num_rows), 1)
    across = cast(range(columns), down.dtype)
    matrix = cast(equal(down, across), dtype, name if batch_shape is None else None)
    if batch_shape is None:
        return matrix
    batch = convert(shape_argument(batch_shape))
    full = emit("ConcatV2", (batch, cast(shape(matrix), batch.dtype), 0), None, None)
    return broadcast_to(matrix, full, name)


_RANGE_ORDER = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


@public("range")
def range(
    start: TensorLike,
    limit: TensorLike = None,
    delta: TensorLike = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Tensor:
    """Numbers from ``start`` up to ``limit``, which is left out, ``delta`` apart; from 0 with one
    bound alone.

    >>> fg.range(5).numpy(), fg.range(3, 0, -1).numpy()
    (array([0, 1, 2, 3, 4], dtype=int32), array([3, 2, 1], dtype=int32))

    Args:
      start: a scalar.
      limit: likewise.
      delta: likewise; negative to count down.
      dtype: the dtype; the widest of the three unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``delta`` is 0 or leads away from ``limit``.
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None and all(v.__class__ is int and abs(v) < 2**31 for v in (start, limit, delta)):
        return emit("Range", (start, limit, delta), None, name)
    if dtype is not None:
        bounds = [_bound(v, as_dtype(dtype)) for v in (start, limit, delta)]
        return emit("Range", bounds, None, name)
    bounds = [convert(v) for v in (start, limit, delta)]
    widest = max((b.dtype for b in bounds), key=_order)
    return emit("Range", [cast(b, widest) for b in bounds], None, name)


def _bound(value: Any, dtype: Any) -> Any:
    return cast(value, dtype) if is_tensor(value) else convert(value, dtype)


def _order(dtype: Any) -> Any:
    name = dtype.name
    return _RANGE_ORDER.index(name) if name in _RANGE_ORDER else len(_RANGE_ORDER)


@public("linspace")
def linspace(
    start: TensorLike, stop: TensorLike, num: Any, name: str | None = None, axis: Any = 0
) -> Tensor:
    """``num`` numbers evenly spaced from ``start`` to ``stop``, both included, along a new axis.

    >>> fg.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)

    Args:
      start: a tensor; integers become float64, those of 16 bits and less float32.
      stop: likewise, of the same dtype.
      num: how many.
      name: a name for the operation.
      axis: where the new axis goes.
    """
    start, stop = convert_pair(start, stop)
    if start.dtype.is_integer:
        dtype = float32 if start.dtype.size < 4 else float64
        start, stop = cast(start, dtype), cast(stop, dtype)
    axis = whole(axis, "linspace: axis")
    num = cast(num, int32) if is_tensor(num) else whole(num, "linspace: num")
    none = not is_tensor(num) and num == 0
    if start.ndim == 0 and stop.ndim == 0 and axis in (0, -1) and not none:
        return emit("LinSpace", (start, stop, num), None, name)
    return _linspace_along(start, stop, convert(num), axis, name)


def _linspace_along(start: Any, stop: Any, num: Any, axis: Any, name: Any) -> Any:
    start, stop = add(start, zeros_like(stop)), add(stop, zeros_like(start))
    steps = emit("Maximum", (subtract(num, 1), 1), None, None)
    ticks = cast(range(num), start.dtype)
    if axis < 0:
        sizes: Any = [-1] + [1] * (-1 - axis)
    else:
        sizes = concat([[-1], ones_like(shape(start)[axis:])], 0)
    column = reshape(ticks, sizes)
    at_begin = equal(column, convert(0, start.dtype))
    step = emit("RealDiv", (subtract(stop, start), cast(steps, start.dtype)), None, None)
    first, last = expand_dims(start, axis), expand_dims(stop, axis)
    line = add(first, multiply(expand_dims(step, axis), column))
    at_end = equal(column, cast(steps, start.dtype))
    # The ends are what they are, infinite ones too.
    line = emit("SelectV2", (at_begin, first, line), None, None)
    return emit("SelectV2", (at_end, last, line), None, name)


@public("one_hot")
@dispatched
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike = None,
    off_value: TensorLike = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Rows of ``depth`` places, ``on_value`` at the index and ``off_value`` elsewhere.

    Indices outside of the depth give rows of ``off_value`` alone.

    >>> fg.one_hot([0, 2], 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    Args:
      indices: a tensor of integers.
      depth: the number of places, a scalar.
      on_value: 1 unless told.
      off_value: 0 unless told.
      axis: where the new axis goes; last unless told.
      dtype: the dtype; that of the values, or float32, unless told.
      name: a name for the operation.

    Raises:
      TypeError: where the values and ``dtype`` do not fit together.
    """
    dtype = as_dtype(dtype) if dtype is not None else None
    given = [v for v in (on_value, off_value) if v is not None]
    if dtype is None:
        dtype = convert_all(given)[0].dtype if given else float32
    for what, value in (("on_value", on_value), ("off_value", off_value)):
        if value is not None and convert(value, dtype_hint=dtype).dtype != dtype:
            found = convert(value, dtype_hint=dtype).dtype
            raise TypeError(
                f"{what} has dtype {found.name}, the other values {dtype.name}"
                + _core.explain_dtype(what, convert(value), dtype)
            )
    on = convert(1, dtype) if on_value is None else convert(on_value, dtype)
    off = convert(0, dtype) if off_value is None else convert(off_value, dtype)
    attrs = {"axis": -1 if axis is None else axis}
    return emit("OneHot", (integers(indices), depth, on, off), attrs, name)


@public("sequence_mask")
def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: Any = bool, name: str | None = None
) -> Tensor:
    """For each length, a row that is True in so many first places.

    >>> fg.sequence_mask([1, 3], 4).numpy().tolist()
    [[True, False, False, False], [True, True, True, False]]

    Args:
      lengths: a tensor of integers.
      maxlen: the length of the rows; the largest of ``lengths`` unless told.
      dtype: the dtype of the result.
      name: a name for the operation.
    """
    lengths = convert(lengths)
    if maxlen is None:
        flat = reshape(lengths, [-1])
        none = convert([0], lengths.dtype)
        maxlen = emit("Max", (emit("ConcatV2", (none, flat, 0), None, None), 0), None, None)
    places = range(maxlen if is_tensor(maxlen) else convert(maxlen, lengths.dtype))
    return cast(
        less(places, cast(expand_dims(lengths, -1), places.dtype)), dtype_or(dtype, bool), name
    )


@public("meshgrid")
def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid: for n vectors, n tensors of rank n, the i-th varying with the
    i-th vector.

    >>> x, y = fg.meshgrid([1, 2, 3], [4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])

    Args:
      *args: vectors.
      **kwargs: ``indexing``, "xy" (the default: the first two axes change places) or "ij", and
        ``name``.

    Raises:
      ValueError: for another ``indexing``.
      TypeError: for another keyword.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"meshgrid has no argument {shown(next(iter(kwargs)))}")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {shown(indexing)}")
    vectors = [reshape(v, [-1]) for v in args]
    order = list(builtins.range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    lengths: list[Any] = [None] * len(order)
    for vector, place in zip(vectors, order, strict=True):
        static = known_size(vector, 0)
        lengths[place] = shape(vector)[0] if static is None else static
    full = lengths if all(isinstance(n, int) for n in lengths) else stack(lengths)
    return [
        broadcast_to(
            reshape(v, [-1 if i == place else 1 for i in builtins.range(len(order))]), full
        )
        for v, place in zip(vectors, order, strict=True)
    ]


@public("unravel_index")
def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """The coordinates, in an array of shape ``dims``, of positions counted in row order.

    >>> fg.unravel_index([2, 5], [2, 3]).numpy().tolist()
    [[0, 1], [2, 2]]

    Args:
      indices: a scalar or vector of integers.
      dims: the shape, a vector of the same dtype.
      name: a name for the operation.

    Returns:
      A tensor with one row for each axis.

    Raises:
      InvalidArgumentError: for a position behind the last one.
    """
    indices, dims = convert_pair(indices, dims)
    is_inside = less(indices, emit("Prod", (dims, [0]), None, None))
    is_inside = emit("All", (reshape(is_inside, [-1]), [0]), None, None)
    emit(
        "Assert", (is_inside, "an index lies behind the end of an array of shape", dims), None, None
    )
    below = emit("Cumprod", (dims, 0), {"exclusive": True, "reverse": True}, None)
    # As many axes of size 1 behind the one of ``dims`` as the indices have.
    sizes = concat([shape(dims), ones_like(shape(indices))], 0)
    below, dims = reshape(below, sizes), reshape(dims, sizes)
    return emit(
        "TruncateMod", (emit("TruncateDiv", (indices, below), None, None), dims), None, name
    )
