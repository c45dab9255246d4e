"""Reductions, cumulative sums and positions of extremes."""

from ..context.hooks import hooks
from ._base import (
    DROP,
    KEEP,
    all_axes,
    as_dtype,
    convert,
    emit,
    float32,
    int64,
    int_vector,
    known_size,
)
from ._dispatch import dispatched
from .elementwise import (
    abs,
    add,
    divide,
    exp,
    greater,
    greater_equal,
    is_finite,
    less,
    log,
    maximum,
    not_equal,
    sqrt,
    square,
    subtract,
)
from .numeric import cast

_DOC = """{doc}

>>> {example}

Args:
  input_tensor: a tensor{dtypes}.
  axis: the axes to reduce, an integer or a list of them; negative ones count from the end. All of
    them
    unless told, none for an empty list.
  keepdims: whether reduced axes stay, with size 1.
  name: a name for the operation.

Returns:
  The reduced tensor, of the dtype of ``input_tensor``.

Raises:
  ValueError, InvalidArgumentError: where an axis is outside the rank, while tracing and when run
  eagerly.
"""


def _over_all(op, x, keepdims, name):
    out = emit(op, (x, all_axes(x)), KEEP if keepdims else DROP, name)
    if x.ndim is None and not keepdims:
        out.set_shape(())
    return out


def _reduction(name, op, doc, example, dtypes=" of numbers"):
    @dispatched
    def reduce(input_tensor, axis=None, keepdims=False, name=None):
        if axis is None:
            return _over_all(op, convert(input_tensor), keepdims, name)
        if axis.__class__ is not int:
            axis = int_vector(axis)
        return emit(op, (input_tensor, axis), KEEP if keepdims else DROP, name)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = _DOC.format(doc=doc, example=example, dtypes=dtypes)
    return reduce


reduce_sum = _reduction(
    "reduce_sum",
    "Sum",
    "The sum over axes; 0 where nothing is added.",
    "fg.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()\narray([4, 6], dtype=int32)",
)
reduce_mean = _reduction(
    "reduce_mean",
    "Mean",
    "The mean over axes; that of integers drops its fraction.",
    "fg.reduce_mean([[1.0, 2.0], [3.0, 5.0]], axis=1).numpy()\narray([1.5, 4. ], dtype=float32)",
)
reduce_prod = _reduction(
    "reduce_prod",
    "Prod",
    "The product over axes; 1 where nothing is multiplied.",
    "fg.reduce_prod([2, 3, 4]).numpy()\nnp.int32(24)",
)
reduce_max = _reduction(
    "reduce_max",
    "Max",
    "The maximum over axes; the least number of the dtype (-inf for floats) where there is none.",
    "fg.reduce_max([[1, 7], [5, 3]], axis=-1).numpy()\narray([7, 5], dtype=int32)",
)
reduce_min = _reduction(
    "reduce_min",
    "Min",
    "The minimum over axes; the greatest number of the dtype (inf for floats) where there is none.",
    "fg.reduce_min([[1, 7], [5, 3]], axis=-1).numpy()\narray([1, 3], dtype=int32)",
)
reduce_all = _reduction(
    "reduce_all",
    "All",
    "Whether all elements over axes are True; True where there is none.",
    "fg.reduce_all([[True, True], [False, True]], axis=1).numpy()\narray([ True, False])",
    " of bools",
)
reduce_any = _reduction(
    "reduce_any",
    "Any",
    "Whether any element over axes is True; False where there is none.",
    "fg.reduce_any([[True, True], [False, False]], axis=1).numpy()\narray([ True, False])",
    " of bools",
)
reduce_euclidean_norm = _reduction(
    "reduce_euclidean_norm",
    "EuclideanNorm",
    "The square root of the sum of squares over axes.",
    "fg.math.reduce_euclidean_norm([3.0, 4.0]).numpy()\nnp.float32(5.0)",
)


@dispatched
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The variance over axes, of the population: ``mean(|x - mean(x)|^2)``.

    >>> fg.math.reduce_variance([1.0, 2.0, 3.0, 6.0]).numpy()
    np.float32(3.5)

    Raises:
      TypeError: for integers.
    """
    x = convert(input_tensor)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise TypeError(f"the variance needs floats or complex numbers, got dtype {x.dtype.name}")
    apart = subtract(x, reduce_mean(x, axis, True))
    return reduce_mean(square(abs(apart) if x.dtype.is_complex else apart), axis, keepdims, name)


@dispatched
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The standard deviation over axes, of the population: the square root of ``reduce_variance``.

    >>> fg.math.reduce_std([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy()
    array([1., 0.], dtype=float32)
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """``log(sum(exp(x)))`` over axes, computed about the maximum so that nothing overflows.

    >>> fg.reduce_logsumexp([1000.0, 1000.0]).numpy().round(2)
    np.float32(1000.69)
    """
    x = convert(input_tensor)
    top = reduce_max(x, axis, True)
    finite = emit("SelectV2", (is_finite(top), top, convert(0, top.dtype)), None, None)
    top = emit("StopGradient", (finite,), None, None)
    total = log(reduce_sum(exp(subtract(x, top)), axis, keepdims))
    if not keepdims:
        top = emit("Reshape", (top, emit("Shape", (total,), None, None)), None, None)
    return add(total, top, name)


def count_nonzero(input, axis=None, keepdims=None, dtype=int64, name=None):
    """How many elements over axes are not zero (for strings, not empty).

    >>> fg.math.count_nonzero([[0.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([1, 2])
    """
    x = convert(input)
    zeros = emit("ZerosLike", (x,), None, None)
    return reduce_sum(cast(not_equal(x, zeros), as_dtype(dtype)), axis, keepdims or False, name)


def zero_fraction(value, name=None):
    """The fraction of elements that are zero, as float32; NaN where there are none.

    >>> fg.math.zero_fraction([0.0, 3.0, 0.0, 1.0]).numpy()
    np.float32(0.5)
    """
    value = convert(value)
    size = emit("Size", (value,), {"out_type": int64}, None)
    zeros = subtract(size, count_nonzero(value))
    return divide(cast(zeros, float32), cast(size, float32), name)


def argmax(input, axis=None, output_type=int64, name=None):
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
    attrs = {"output_type": as_dtype(output_type)}
    return emit("ArgMax", (input, 0 if axis is None else axis), attrs, name)


def argmin(input, axis=None, output_type=int64, name=None):
    """The position of the smallest element along an axis, the first among equals; see ``argmax``.

    >>> fg.argmin([[1, 9, 3], [7, 5, 7]], axis=1).numpy()
    array([0, 1])
    """
    attrs = {"output_type": as_dtype(output_type)}
    return emit("ArgMin", (input, 0 if axis is None else axis), attrs, name)


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
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


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running products along an axis; the arguments are those of ``cumsum``.

    >>> fg.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """
    return emit("Cumprod", (x, axis), {"exclusive": exclusive, "reverse": reverse}, name)


def is_non_decreasing(x, name=None):
    """Whether no element is below the one before it, in row order; True for fewer than two.

    >>> fg.math.is_non_decreasing([1, 1, 2]).numpy()
    np.True_
    """
    return _ordered(greater_equal, x, name)


def is_strictly_increasing(x, name=None):
    """Whether each element is above the one before it, in row order; True for fewer than two.

    >>> fg.math.is_strictly_increasing([1, 1, 2]).numpy()
    np.False_
    """
    return _ordered(greater, x, name)


def _ordered(compare, x, name):
    flat = emit("Reshape", (x, [-1]), None, None)
    later = emit("StridedSlice", (flat, [1], [0], [1]), {"end_mask": 1}, None)
    earlier = emit("StridedSlice", (flat, [0], [-1], [1]), {"begin_mask": 1}, None)
    return reduce_all(compare(later, earlier), None, False, name)


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """``log(cumsum(exp(x)))`` along an axis, without overflow; for the arguments see ``cumsum``.

    >>> fg.math.cumulative_logsumexp([0.0, 0.0]).numpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    x = convert(x)
    axis %= x.ndim
    lowest = convert(float("-inf"), x.dtype)
    total = _shifted(x, 1, axis, reverse, lowest) if exclusive else x

    def widened(total, step):
        return _log_add(total, _shifted(total, step, axis, reverse, lowest)), step * 2

    # After each round a sum reaches over twice as many places.
    step, length = 1, known_size(x, axis)
    if length is None:
        length = _length(x, axis)
        start = [total, convert(step)]
        total, _ = hooks.while_loop(lambda _, step: less(step, length), widened, start)
    else:
        while step < length:
            total, step = widened(total, step)
    return emit("Identity", (total,), None, name)


def _length(x, axis):
    known = known_size(x, axis)
    return emit("Shape", (x,), None, None)[axis] if known is None else known


def _shifted(x, step, axis, reverse, fill):
    """``x`` moved ``step`` places along an axis, the places left free filled."""
    rank, length = x.ndim, _length(x, axis)
    step = emit("Minimum", (step, length), None, None)
    begin, end, paddings = [0] * rank, [0] * rank, [[0, 0] for _ in range(rank)]
    if reverse:
        begin[axis], end[axis], paddings[axis] = step, length, [0, step]
    else:
        end[axis], paddings[axis] = subtract(length, step), [step, 0]
    mask = ((1 << rank) - 1) & ~(1 << axis)
    masks = {"begin_mask": mask, "end_mask": mask}
    kept = emit("StridedSlice", (x, begin, end, [1] * rank), masks, None)
    moved = emit("PadV2", (kept, paddings, fill), None, None)
    moved.set_shape(x.shape)
    return moved


def _log_add(x, y):
    """``log(exp(x) + exp(y))``."""
    top = maximum(x, y)
    top = emit("SelectV2", (is_finite(top), top, convert(0, top.dtype)), None, None)
    top = emit("StopGradient", (top,), None, None)
    return add(log(add(exp(subtract(x, top)), exp(subtract(y, top)))), top)
