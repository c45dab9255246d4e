"""Arithmetic and comparisons of two tensors, element by element: mostly one operation each."""

from __future__ import annotations

from ..hints import Any
from ..native import _core
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    binary,
    convert,
    convert_pair,
    emit,
    float32,
    float64,
    is_tensor,
)
from ._dispatch import dispatched
from ._emits import emits
from ._ranks import of_rank
from .elementwise import logical_not, ndtri, negative, softplus


@public("math.add", "add", ragged="pair")
@emits("AddV2")
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y; strings are joined.

    >>> fg.add([1, 2], 10).numpy()
    array([11, 12], dtype=int32)

    Args:
      x: a tensor of numbers or strings, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("bitwise.bitwise_and", ragged="pair")
@emits("BitwiseAnd")
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in both x and y; for integers.

    >>> fg.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("bitwise.bitwise_or", ragged="pair")
@emits("BitwiseOr")
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in x or y; for integers.

    >>> fg.bitwise.bitwise_or([6, 5], 3).numpy()
    array([7, 7], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("bitwise.bitwise_xor", ragged="pair")
@emits("BitwiseXor")
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in one of x and y alone; for integers.

    >>> fg.bitwise.bitwise_xor([6, 5], 3).numpy()
    array([5, 6], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.divide_no_nan", ragged="pair")
@dispatched
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 wherever y is 0. Integers become floats first, as ``truediv`` makes them.

    >>> fg.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the shape that x and y broadcast to and the dtype of x; float32 for integers
        of 8 and 16 bits, float64 for others.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return emit("DivNoNan", _divided(x, y), None, name)


@public("math.equal", "equal", ragged="pair")
@emits("Equal")
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x equals y, as bool.

    >>> fg.equal([1, 2], 2).numpy()
    array([False,  True])

    Args:
      x: a tensor of numbers, bools or strings, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.
    """


@public("math.floordiv", ragged="pair")
@emits("FloorDiv")
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards minus infinity, as Python's ``//``.

    >>> fg.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.floormod", "math.mod", ragged="pair")
@emits("FloorMod")
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of floordiv: it has the sign of y, as Python's ``%``.

    >>> fg.math.floormod([7, -7], 2).numpy()
    array([1, 1], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.greater", "greater", ragged="pair")
@emits("Greater")
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x > y, as bool.

    >>> fg.greater([1, 3], 2).numpy()
    array([False,  True])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.greater_equal", "greater_equal", ragged="pair")
@emits("GreaterEqual")
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x >= y, as bool.

    >>> fg.greater_equal([1, 2], 2).numpy()
    array([False,  True])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("bitwise.left_shift", ragged="pair")
@emits("LeftShift")
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved y places up; for integers.

    >>> fg.bitwise.left_shift([1, 3], 2).numpy()
    array([ 4, 12], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.less", "less", ragged="pair")
@emits("Less")
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x < y, as bool.

    >>> fg.less([1, 3], 2).numpy()
    array([ True, False])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.less_equal", "less_equal", ragged="pair")
@emits("LessEqual")
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x <= y, as bool.

    >>> fg.less_equal([2, 3], 2).numpy()
    array([ True, False])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.logical_and", "logical_and", ragged="pair")
@dispatched
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether both x and y are True; for bool tensors, and arrays, which become such.

    >>> fg.logical_and([True, False], True).numpy()
    array([ True, False])

    Args:
      x: a tensor of bools, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return emit("LogicalAnd", _bools(x, y), None, name)


@public("math.logical_or", "logical_or", ragged="pair")
@dispatched
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x or y is True; for bool tensors, and arrays, which become such.

    >>> fg.logical_or([True, False], False).numpy()
    array([ True, False])

    Args:
      x: a tensor of bools, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return emit("LogicalOr", _bools(x, y), None, name)


def _bools(*values: Any) -> tuple[Any, ...]:
    """Arguments of logic: what is no tensor becomes bools."""
    return tuple(v if is_tensor(v) else convert(v, bool) for v in values)


@public("math.maximum", "maximum", ragged="pair")
@emits("Maximum")
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y; NaN where either is NaN.

    >>> fg.maximum([1, 5], 3).numpy()
    array([3, 5], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.minimum", "minimum", ragged="pair")
@emits("Minimum")
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y; NaN where either is NaN.

    >>> fg.minimum([1, 5], 3).numpy()
    array([1, 3], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.multiply", "multiply", ragged="pair")
@emits("Mul")
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y.

    >>> fg.multiply([2, 3], 4).numpy()
    array([ 8, 12], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.multiply_no_nan", ragged="pair")
@emits("MulNoNan")
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, and 0 wherever y is 0, even if x is NaN or infinite.

    >>> fg.math.multiply_no_nan([1.0, float("inf")], [2.0, 0.0]).numpy()
    array([2., 0.], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.not_equal", "not_equal", ragged="pair")
@emits("NotEqual")
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x differs from y, as bool.

    >>> fg.not_equal([1, 2], 2).numpy()
    array([ True, False])

    Args:
      x: a tensor of numbers, bools or strings, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape that x and y broadcast to.
    """


@public("math.pow", "pow", ragged="pair")
@emits("Pow")
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power of y. Negative powers of integers are refused.

    >>> fg.pow([2, 3], 2).numpy()
    array([4, 9], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("realdiv", ragged="pair")
@emits("RealDiv")
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, for floats and complex numbers.

    >>> fg.realdiv([1.0, 3.0], 2.0).numpy()
    array([0.5, 1.5], dtype=float32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("bitwise.right_shift", ragged="pair")
@emits("RightShift")
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved y places down, keeping the sign.

    >>> fg.bitwise.right_shift([8, -8], 2).numpy()
    array([ 2, -2], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.squared_difference", ragged="pair")
@emits("SquaredDifference")
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y)^2, times its conjugate if complex.

    >>> fg.math.squared_difference([1, 5], 3).numpy()
    array([4, 4], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.subtract", "subtract", ragged="pair")
@emits("Sub")
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y.

    >>> fg.subtract([5, 7], 2).numpy()
    array([3, 5], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("truncatediv", ragged="pair")
@emits("TruncateDiv")
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards zero; for integers.

    >>> fg.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("truncatemod", ragged="pair")
@emits("TruncateMod")
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of truncatediv: it has the sign of x.

    >>> fg.truncatemod([7, -7], 2).numpy()
    array([ 1, -1], dtype=int32)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.xdivy", ragged="pair")
@emits("Xdivy")
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 wherever x is 0.

    >>> fg.math.xdivy([0.0, 1.0], [0.0, 2.0]).numpy()
    array([0. , 0.5], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.xlog1py", ragged="pair")
@emits("Xlog1py")
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 wherever x is 0.

    >>> fg.math.xlog1py([0.0, 1.0], [-1.0, 0.5]).numpy().round(4)
    array([0.    , 0.4055], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


@public("math.xlogy", ragged="pair")
@emits("Xlogy")
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 wherever x is 0.

    >>> fg.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """


mod = floormod

# What true division turns narrow and wide integers into.
_DIVISION = dict.fromkeys(("int8", "uint8", "int16", "uint16"), float32) | dict.fromkeys(
    ("int32", "uint32", "int64", "uint64"), float64
)


@public("math.atan2", "atan2", ragged="pair")
@dispatched
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point ``(x, y)`` in [-pi, pi], in the quadrant that both signs tell.

    >>> fg.atan2([1.0, -1.0], [-1.0, -1.0]).numpy().round(4)
    array([ 2.3562, -2.3562], dtype=float32)

    Args:
      y: a tensor of floats.
      x: likewise, of the same dtype; the shapes broadcast.
      name: a name for the operation.
    """
    return binary("Atan2", y, x, name)


@public("math.truediv", "truediv", ragged="pair")
@dispatched
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y``. Integers become floats first: those of 8 and 16 bits float32, wider ones float64.

    >>> fg.truediv(fg.constant([7, 3]), 2).numpy()
    array([3.5, 1.5])

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the shape that x and y broadcast to and the dtype of x; float32 for integers
        of 8 and 16 bits, float64 for others.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return emit("RealDiv", _divided(x, y), None, name)


def _divided(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """The operands of a division: integers as floats."""
    x, y = convert_pair(x, y)
    if x.dtype != y.dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {x.dtype.name} != {y.dtype.name}"
            + _core.explain_dtypes(("x", x), ("y", y))
        )
    wide = _DIVISION.get(x.dtype.name)
    if wide is not None:
        x, y = emit("Cast", (x,), {"DstT": wide}, None), emit("Cast", (y,), {"DstT": wide}, None)
    return x, y


@public("math.divide", "divide", ragged="pair")
@dispatched
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y`` as Python's operator gives it: true division, floats for integers.

    >>> fg.divide([3.0, 1.0], 2.0).numpy()
    array([1.5, 0.5], dtype=float32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the shape that x and y broadcast to and the dtype of x; float32 for integers
        of 8 and 16 bits, float64 for others.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return truediv(x, y, name)


@public("math.logical_xor", ragged="pair")
@dispatched
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Whether exactly one of ``x`` and ``y`` is True, element by element; shapes broadcast.

    >>> fg.math.logical_xor([True, False], True).numpy()
    array([False,  True])

    Args:
      x: a tensor of bools, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and y broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    x, y = _bools(x, y)
    either, both = logical_or(x, y), logical_and(x, y)
    return logical_and(either, logical_not(both), name)


@public("math.reciprocal_no_nan", ragged="flat")
@dispatched
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """``1 / x``, and 0 wherever ``x`` is 0.

    >>> fg.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the shape of x and the dtype of x; float32 for integers of 8 and 16 bits,
        float64 for others.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    x = convert(x)
    return divide_no_nan(emit("OnesLike", (x,), None, None), x, name)


@public("math.erfcinv", ragged="flat")
@dispatched
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose complementary error function is ``x``, for ``x`` in [0, 2].

    >>> fg.math.erfcinv([1.0]).numpy() + 0.0
    array([0.], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.
    """
    return multiply(ndtri(multiply(0.5, x)), -0.7071067811865476, name)


@public("math.nextafter", ragged="pair")
@dispatched
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The floating-point number next to ``x1`` in the direction of ``x2``; shapes broadcast.

    >>> float(fg.math.nextafter(1.0, 2.0)) > 1.0
    True

    Args:
      x1: a tensor of float32 or float64, or what converts to one; of any shape.
      x2: another one of the same dtype, whose shape broadcasts with that of x1.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x1 and the shape that x1 and x2 broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return binary("NextAfter", x1, x2, name)


@public("math.polygamma", ragged="pair")
@dispatched
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative number ``a`` of ``digamma`` at ``x``, for whole ``a``; shapes broadcast.

    >>> round(float(fg.math.polygamma(1.0, 1.0)), 4)
    1.6449

    Args:
      a: a tensor of float32 or float64, or what converts to one; of any shape.
      x: another one of the same dtype, whose shape broadcasts with that of a.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of a and the shape that a and x broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return binary("Polygamma", a, x, name)


@public("math.zeta", ragged="pair")
@dispatched
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """The sum of ``(q + n)^-x`` over n = 0, 1, ... (Hurwitz); shapes broadcast.

    >>> round(float(fg.math.zeta(2.0, 1.0)), 4)
    1.6449

    Args:
      x: a tensor of float32 or float64, or what converts to one; of any shape.
      q: another one of the same dtype, whose shape broadcasts with that of x.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape that x and q broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, or shapes that do not broadcast.
    """
    return binary("Zeta", x, q, name)


@public("math.log_sigmoid", ragged="flat")
@dispatched
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """``log(sigmoid(x))`` as ``-softplus(-x)``, which stays finite for large negative ``x``.

    >>> fg.math.log_sigmoid([0.0, -200.0]).numpy().round(4)
    array([  -0.6931, -200.    ], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return negative(softplus(negative(x)), name)


@public("math.scalar_mul", "scalar_mul", ragged="flat")
@dispatched
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """``scalar * x`` for a number or a scalar tensor.

    >>> fg.scalar_mul(2.0, [1.0, 3.0]).numpy()
    array([2., 6.], dtype=float32)

    Args:
      scalar: a number, or a scalar tensor of the dtype of ``x``.
      x: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      ValueError: where ``scalar`` is no scalar.
      InvalidArgumentError: for another dtype.
    """
    x, scalar = convert_pair(x, scalar)
    if scalar.ndim not in (0, None):
        raise ValueError(f"scalar_mul needs a scalar, got shape {scalar.shape}")
    scalar = of_rank(scalar, 0)
    return multiply(scalar, x, name)
