"""Reductions, cumulative sums and positions of extremes."""

from __future__ import annotations

from collections.abc import Callable

from ..hints import Any, TypeVar
from ..values.dtypes import bool as boolean
from ..values.dtypes import int16, uint16
from ..values.public import public
from ._base import (
    DROP,
    KEEP,
    Tensor,
    TensorLike,
    all_axes,
    as_dtype,
    convert,
    dtype_or,
    emit,
    float32,
    int64,
    int_vector,
    is_tensor,
)
from ._dispatch import dispatched
from ._emits import dressed
from ._numbers import flag
from .arithmetic import add, divide, greater, greater_equal, not_equal, subtract
from .elementwise import abs, exp, is_finite, log, sqrt, square
from .numeric import cast, widened

F = TypeVar("F", bound=Callable[..., Any])


def _over_all(op: Any, x: Any, keepdims: Any, name: Any) -> Any:
    out = emit(op, (x, all_axes(x)), KEEP if keepdims else DROP, name)
    if x.ndim is None and not keepdims:
        out.set_shape(())
    return out


def _reduces(op: str) -> Callable[[F], F]:
    """The body of a function that is the reduction ``op``, of all axes unless told."""

    dtype = boolean if op in ("All", "Any") else None

    def make(declared: F) -> F:
        def reduce(input_tensor, axis=None, keepdims=False, name=None):
            if dtype is not None and not is_tensor(input_tensor):
                input_tensor = convert(input_tensor, dtype)
            if keepdims is not False and keepdims is not True:
                keepdims = flag(keepdims, f"{declared.__name__}: keepdims")
            if axis is None:
                return _over_all(op, convert(input_tensor), keepdims, name)
            if axis.__class__ is not int:
                axis = int_vector(axis)
            return emit(op, (input_tensor, axis), KEEP if keepdims else DROP, name)

        made: Any = dispatched(dressed(reduce, declared))
        return made

    return make


@public("math.reduce_sum", "reduce_sum")
@_reduces("Sum")
def reduce_sum(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over axes; 0 where nothing is added.

    >>> fg.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6], dtype=int32)

    Args:
      input_tensor: a tensor of numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_mean", "reduce_mean")
@_reduces("Mean")
def reduce_mean(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over axes; that of integers drops its fraction.

    >>> fg.reduce_mean([[1.0, 2.0], [3.0, 5.0]], axis=1).numpy()
    array([1.5, 4. ], dtype=float32)

    Args:
      input_tensor: a tensor of numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_prod", "reduce_prod")
@_reduces("Prod")
def reduce_prod(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The product over axes; 1 where nothing is multiplied.

    >>> fg.reduce_prod([2, 3, 4]).numpy()
    np.int32(24)

    Args:
      input_tensor: a tensor of numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_max", "reduce_max")
@_reduces("Max")
def reduce_max(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The maximum over axes; the least number of the dtype (-inf for floats) where there is none.

    >>> fg.reduce_max([[1, 7], [5, 3]], axis=-1).numpy()
    array([7, 5], dtype=int32)

    Args:
      input_tensor: a tensor of real numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_min", "reduce_min")
@_reduces("Min")
def reduce_min(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The minimum over axes; the greatest number of the dtype (inf for floats) where there is none.

    >>> fg.reduce_min([[1, 7], [5, 3]], axis=-1).numpy()
    array([1, 3], dtype=int32)

    Args:
      input_tensor: a tensor of real numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_all", "reduce_all")
@_reduces("All")
def reduce_all(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements over axes are True; True where there is none.

    >>> fg.reduce_all([[True, True], [False, True]], axis=1).numpy()
    array([ True, False])

    Args:
      input_tensor: a tensor of bools, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of bools, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_any", "reduce_any")
@_reduces("Any")
def reduce_any(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over axes is True; False where there is none.

    >>> fg.reduce_any([[True, True], [False, False]], axis=1).numpy()
    array([ True, False])

    Args:
      input_tensor: a tensor of bools, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of bools, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_euclidean_norm")
@_reduces("EuclideanNorm")
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over axes.

    >>> fg.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)

    Args:
      input_tensor: a tensor of numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """


@public("math.reduce_variance")
@dispatched
def reduce_variance(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The variance over axes, of the population: ``mean(|x - mean(x)|^2)``.

    >>> fg.math.reduce_variance([1.0, 2.0, 3.0, 6.0]).numpy()
    np.float32(3.5)

    Args:
      input_tensor: a tensor of floats or complex numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor`` (for complex numbers, of that of their parts),
        without the reduced axes.

    Raises:
      TypeError: for another dtype.
      InvalidArgumentError: where an axis is outside of the rank.
    """
    x = convert(input_tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(f"the variance needs floats or complex numbers, got dtype {x.dtype.name}")
    apart = subtract(x, reduce_mean(x, axis, True))
    return reduce_mean(square(abs(apart) if x.dtype.is_complex else apart), axis, keepdims, name)


@public("math.reduce_std")
@dispatched
def reduce_std(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation over axes, of the population: the square root of ``reduce_variance``.

    >>> fg.math.reduce_std([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy()
    array([1., 0.], dtype=float32)

    Args:
      input_tensor: a tensor of floats or complex numbers, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor`` (for complex numbers, of that of their parts),
        without the reduced axes.

    Raises:
      TypeError: for another dtype.
      InvalidArgumentError: where an axis is outside of the rank.
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


@public("math.reduce_logsumexp", "reduce_logsumexp")
@dispatched
def reduce_logsumexp(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """``log(sum(exp(x)))`` over axes, computed about the maximum so that nothing overflows.

    >>> fg.reduce_logsumexp([1000.0, 1000.0]).numpy().round(2)
    np.float32(1000.69)

    Args:
      input_tensor: a tensor of floats, or what converts to one; of any shape.
      axis: the axes to reduce, an int or a list of them; negative ones count from the end. All of
        them unless told, none for an empty list.
      keepdims: whether reduced axes stay, with size 1, a bool; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``, without the reduced axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """
    x = convert(input_tensor)
    top = reduce_max(x, axis, True)
    finite = emit("SelectV2", (is_finite(top), top, convert(0, top.dtype)), None, None)
    top = emit("StopGradient", (finite,), None, None)
    total = log(reduce_sum(exp(subtract(x, top)), axis, keepdims))
    if not flag(keepdims, "reduce_logsumexp: keepdims"):
        top = emit("Reshape", (top, emit("Shape", (total,), None, None)), None, None)
    return add(total, top, name)


@public("math.count_nonzero")
def count_nonzero(
    input: TensorLike,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = int64,
    name: str | None = None,
) -> Tensor:
    """How many elements over axes are not zero (for strings, not empty).

    >>> fg.math.count_nonzero([[0.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([1, 2])

    Args:
      input: a tensor of numbers, bools or strings, or what converts to one; of any shape.
      axis: the axes to count over, an int or a list of them; negative ones count from the end. All
        of them unless told.
      keepdims: a bool, whether these axes stay, with size 1; not unless told.
      dtype: the dtype of the counts, int64 by default.
      name: a name for the operation.

    Returns:
      A tensor of ``dtype``, without the axes counted over.

    Raises:
      InvalidArgumentError: where an axis is outside of the rank.
    """
    x = convert(input)
    zeros = emit("ZerosLike", (x,), None, None)
    return reduce_sum(cast(not_equal(x, zeros), as_dtype(dtype)), axis, keepdims or False, name)


@public("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero (for strings, empty); NaN where there are none.

    >>> fg.math.zero_fraction([0.0, 3.0, 0.0, 1.0]).numpy()
    np.float32(0.5)

    Args:
      value: a tensor of numbers, bools or strings, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A float32 scalar.
    """
    value = convert(value)
    size = emit("Size", (value,), {"out_type": int64}, None)
    zeros = subtract(size, count_nonzero(value))
    return divide(cast(zeros, float32), cast(size, float32), name)


@public("math.argmax", "argmax")
def argmax(
    input: TensorLike, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """The position of the largest element along an axis, the first among equals.

    >>> fg.argmax([[1, 9, 3], [7, 5, 7]], axis=1).numpy()
    array([1, 0])

    Args:
      input: a tensor of numbers or bools.
      axis: the axis to search; 0 unless told.
      output_type: int64, or int32, int16, uint16.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the axis is empty.
    """
    dtype = dtype_or(output_type, int64)
    is_narrow = dtype in (int16, uint16)
    attrs = {"output_type": int64 if is_narrow else dtype}
    found = emit("ArgMax", (input, _axis_of(axis)), attrs, name)
    return cast(found, dtype) if is_narrow else found


def _axis_of(axis: Any) -> Any:
    """The axis to search: the first unless told."""
    if axis is None:
        return 0
    return widened(axis) if is_tensor(axis) else axis


@public("math.argmin", "argmin")
def argmin(
    input: TensorLike, axis: Any = None, output_type: Any = int64, name: str | None = None
) -> Tensor:
    """The position of the smallest element along an axis, the first among equals.

    >>> fg.argmin([[1, 9, 3], [7, 5, 7]], axis=1).numpy()
    array([0, 1])

    Args:
      input: a tensor of real numbers or bools, or what converts to one; of rank 1 or more.
      axis: the axis to search, an int scalar; 0 unless told, negative ones count from the end.
      output_type: int64 (the default) or int32.
      name: a name for the operation.

    Returns:
      A tensor of ``output_type``, of the shape of ``input`` without that axis.

    Raises:
      InvalidArgumentError: where the axis is empty or outside of the rank, and for other dtypes.
    """
    attrs = {"output_type": dtype_or(output_type, int64)}
    return emit("ArgMin", (input, _axis_of(axis)), attrs, name)


@public("math.cumsum", "cumsum")
@dispatched
def cumsum(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sums along an axis.

    >>> fg.cumsum([1, 2, 3]).numpy(), fg.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))

    Args:
      x: a tensor of numbers.
      axis: the axis to run along.
      exclusive: whether each sum leaves its own element out.
      reverse: whether to run from the end.
      name: a name for the operation.
    """
    return emit("Cumsum", (x, axis), {"exclusive": exclusive, "reverse": reverse}, name)


@public("math.cumprod")
def cumprod(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running products along an axis.

    >>> fg.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of rank 1 or more.
      axis: the axis, an int scalar; 0 by default, negative ones count from the end.
      exclusive: a bool, whether each product leaves its own element out; False by default.
      reverse: a bool, whether to begin at the end; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      InvalidArgumentError: for another dtype, and where the axis is outside of the rank.
    """
    return emit("Cumprod", (x, axis), {"exclusive": exclusive, "reverse": reverse}, name)


@public("math.is_non_decreasing")
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is below the one before it, in row order; True for fewer than two.

    >>> fg.math.is_non_decreasing([1, 1, 2]).numpy()
    np.True_

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A scalar bool.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return _ordered(greater_equal, x, name)


@public("math.is_strictly_increasing")
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is above the one before it, in row order; True for fewer than two.

    >>> fg.math.is_strictly_increasing([1, 1, 2]).numpy()
    np.False_

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A scalar bool.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return _ordered(greater, x, name)


def _ordered(compare: Any, x: Any, name: Any) -> Any:
    flat = emit("Reshape", (x, [-1]), None, None)
    later = emit("StridedSlice", (flat, [1], [0], [1]), {"end_mask": 1}, None)
    earlier = emit("StridedSlice", (flat, [0], [-1], [1]), {"begin_mask": 1}, None)
    return reduce_all(compare(later, earlier), None, False, name)


@public("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: TensorLike,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """``log(cumsum(exp(x)))`` along an axis, without overflow.

    >>> fg.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of rank 1 or more.
      axis: the axis, an int scalar; 0 by default, negative ones count from the end.
      exclusive: a bool, whether each sum leaves its own element out; False by default.
      reverse: a bool, whether to begin at the end; False by default.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      InvalidArgumentError: for another dtype, and where the axis is outside of the rank.
    """
    attrs = {"exclusive": exclusive, "reverse": reverse}
    return emit("CumulativeLogsumexp", (x, axis), attrs, name)
