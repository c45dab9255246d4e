"""Elementwise functions made of several operations: casts, complex numbers, clipping, sums of
lists.
"""

from __future__ import annotations

from ..hints import Any
from ..native import _core
from ..values.dtypes import FLOAT8_DTYPES, int16
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    all_axes,
    as_dtype,
    bool,
    convert,
    convert_all,
    emit,
    int32,
    int_vector,
    is_slices,
    is_tensor,
    map_values,
    refined,
)
from ._dispatch import dispatched, told
from ._numbers import several
from .arithmetic import add, divide, greater, less, maximum, minimum, multiply, subtract
from .elementwise import abs, lgamma, rsqrt, sqrt, square


@public("cast", "dtypes.cast", ragged="flat", sparse="zero")
@dispatched
def cast(x: TensorLike, dtype: Any, name: str | None = None) -> Tensor:
    """``x`` converted to another dtype.

    Floats become integers by dropping the fraction; those beyond int32 (int64 for wider targets),
    and NaN, become its lowest number. Integers wrap around into narrower ones. Anything but zero
    (NaN included) is True. Complex numbers lose their imaginary part. Floats of one byte are
    rounded once, to nearest even; what is beyond them becomes infinite, or NaN where they have no
    infinity.

    >>> fg.cast([1.8, -2.2], fg.int32).numpy()
    array([ 1, -2], dtype=int32)

    Args:
      x: a tensor of numbers, or ``IndexedSlices``.
      dtype: the dtype wanted; where ``x`` has it already, ``x`` itself is returned.
      name: a name for the operation.

    Raises:
      TypeError, UnimplementedError: between strings and numbers.
    """
    dtype = as_dtype(dtype)
    if is_slices(x):
        return map_values(lambda values: cast(values, dtype, name), x)
    x = convert(x)
    return x if x.dtype == dtype else emit("Cast", (x,), {"DstT": dtype}, name)


@public("saturate_cast", "dtypes.saturate_cast", ragged="flat")
@dispatched
def saturate_cast(value: TensorLike, dtype: Any, name: str | None = None) -> Tensor:
    """``value`` converted to ``dtype`` after clipping it to what that can hold, which is finite.

    The parts of complex numbers are clipped each by itself.

    >>> fg.saturate_cast([300.7, -5.0], fg.uint8).numpy()
    array([255,   0], dtype=uint8)

    Args:
      value: a tensor of numbers or bools, or what converts to one; of any shape.
      dtype: the dtype wanted, of numbers or bools.
      name: a name for the operation.

    Returns:
      A tensor of ``dtype`` and the shape of ``value``.

    Raises:
      TypeError: for strings.
    """
    dtype, value = as_dtype(dtype), convert(value)
    source = value.dtype
    if bool in (source, dtype) or (source == dtype and not source.is_floating):
        return cast(value, dtype, name)
    parts = dtype.real_dtype
    if source.is_complex and dtype.is_complex:
        value = complex(_clipped(real(value), parts), _clipped(imag(value), parts))
    else:
        value = _clipped(real(value) if source.is_complex else value, parts)
    return cast(value, dtype, name)


def widened(value: TensorLike) -> Tensor:
    """Indices as a tensor, those of int16 as int32."""
    value = convert(value)
    return cast(value, int32) if value.dtype == int16 else value


def _clipped(value: Tensor, target: Any) -> Tensor:
    """Real numbers clipped to what another dtype can hold."""
    low, high = (convert(limit, value.dtype) for limit in _common_limits(value.dtype, target))
    # The limits stand first: of what cannot be compared, the gradient goes to the value.
    return minimum(high, maximum(low, value))


@public("bitcast")
@dispatched
def bitcast(input: TensorLike, type: Any, name: str | None = None) -> Tensor:
    """The same bytes read as another dtype.

    Where the new dtype is smaller, the pieces of an element make a new last axis; where it is
    larger, the last axis must hold the pieces of one.

    >>> fg.bitcast([1.0], fg.int32).numpy()
    array([1065353216], dtype=int32)

    Args:
      input: a tensor of numbers, or what converts to one; of any shape.
      type: the dtype wanted, of numbers.
      name: a name for the operation.

    Returns:
      A tensor of dtype ``type``.

    Raises:
      InvalidArgumentError: for bools and strings, and where the last axis does not hold the pieces
        of one element.
    """
    return emit("Bitcast", (input,), {"type": as_dtype(type)}, name)


# Bits of the mantissa, the hidden one included.
_PRECISION = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_PRECISION |= {dtype.name: 3 if "e5m2" in dtype.name else 4 for dtype in FLOAT8_DTYPES}


def _common_limits(source: Any, target: Any) -> Any:
    """The least and greatest numbers that both dtypes hold, as the first one writes them."""
    low, high = int(max(source.min, target.min)), int(min(source.max, target.max))
    if source.is_integer:
        return low, high
    spare = max(high.bit_length() - _PRECISION[source.name], 0)
    high = high >> spare << spare
    return float(-high if target.is_floating else low), float(high)


@public("complex", "dtypes.complex", ragged="pair")
@dispatched
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers of a real and an imaginary part.

    >>> fg.complex(2.25, 4.75).numpy()
    np.complex64(2.25+4.75j)

    Args:
      real: a tensor of float32 or float64, or what converts to one; of any shape.
      imag: another one of the same dtype, whose shape broadcasts with that of ``real``.
      name: a name for the operation.

    Returns:
      A tensor of the shape that both broadcast to: complex64 of float32, complex128 of float64.

    Raises:
      TypeError: for parts of other dtypes, or of two.
    """
    real, imag = convert_all([real, imag])
    if real.dtype != imag.dtype or real.dtype.name not in ("float32", "float64"):
        mixed = real.dtype != imag.dtype
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of float32 and float64"
            + (_core.explain_dtypes(("real", real), ("imag", imag)) if mixed else "")
        )
    return emit("Complex", (real, imag), None, name)


def _expect_parts(function: str, x: Tensor) -> None:
    if not (x.dtype.is_numeric or x.dtype.is_bool):
        raise TypeError(f"{function} needs a tensor of numbers, got dtype {x.dtype.name}")


@public("math.real", ragged="flat")
@dispatched
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; real numbers are returned as they are.

    >>> fg.math.real([1 + 2j]).numpy()
    array([1.])

    Args:
      input: a tensor of numbers or bools, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``input``: float32 of complex64, float64 of complex128, else
        ``input``.

    Raises:
      TypeError: for strings.
    """
    input = convert(input)
    _expect_parts("real", input)
    return emit("Real", (input,), None, name) if input.dtype.is_complex else input


@public("math.imag", ragged="flat")
@dispatched
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for real numbers.

    >>> fg.math.imag([1 + 2j]).numpy()
    array([2.])

    Args:
      input: a tensor of numbers or bools, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``input``: float32 of complex64, float64 of complex128, else of the
        dtype of ``input``.

    Raises:
      TypeError: for strings.
    """
    input = convert(input)
    _expect_parts("imag", input)
    return emit("Imag" if input.dtype.is_complex else "ZerosLike", (input,), None, name)


@public("math.angle", ragged="flat")
@dispatched
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of a complex number in radians, ``atan2(imag, real)``; 0 or pi for real
    numbers.

    >>> fg.math.angle([1j]).numpy().round(4)
    array([1.5708])

    Args:
      input: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``input``: float32 of complex64, float64 of complex128, else of the
        dtype of ``input``.

    Raises:
      TypeError: for another dtype.
    """
    input = convert(input)
    if input.dtype.is_complex:
        return emit("Angle", (input,), None, name)
    zeros = emit("ZerosLike", (input,), None, None)
    pi = convert(3.141592653589793, input.dtype)
    return emit("SelectV2", (less(input, zeros), pi, zeros), None, name)


@public("math.conj", ragged="flat")
@dispatched
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate; real numbers are returned as they are.

    >>> fg.math.conj([1 + 2j]).numpy()
    array([1.-2.j])

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      TypeError: where ``x`` is not numeric.
    """
    x = convert(x)
    if x.dtype.is_complex:
        return emit("Conj", (x,), None, name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"conj needs a tensor of numbers, got dtype {x.dtype.name}")


@public("math.add_n", "add_n")
@dispatched
def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype, with no broadcasting.

    >>> fg.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)

    Args:
      inputs: a list of tensors of numbers, or of ``IndexedSlices``, of one shape and dtype; or a
        tensor, whose slices along the first axis are added.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      ValueError: where ``inputs`` is no list or is empty, and where the shapes differ while
        tracing.
      InvalidArgumentError: where the shapes differ when run, and for another dtype.
    """
    if is_tensor(inputs) and inputs.shape.rank != 0:
        inputs = several(inputs, "add_n: inputs")
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(f"add_n needs a list of at least one tensor, got {shown(inputs)}")
    tensors = convert_all([convert(x) if is_slices(x) else x for x in inputs])
    if len(tensors) == 1:
        return emit("Identity", tensors, None, name)
    return emit("AddN", tensors, None, name)


@public("math.accumulate_n")
@told
def accumulate_n(
    inputs: TensorLike, shape: TensorLike = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of a list of tensors, as ``add_n``.

    >>> fg.math.accumulate_n([fg.constant([1, 2]), fg.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Args:
      inputs: a list of tensors of numbers of one shape and dtype.
      shape: a ``TensorShape``, or what makes one, that all must be compatible with; not checked
        unless told.
      tensor_dtype: the dtype that all must have; not checked unless told.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and shape.

    Raises:
      ValueError: where ``inputs`` is no list or is empty, and where one is not of the shape or
        dtype told.
      InvalidArgumentError: where the shapes differ.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(f"accumulate_n needs a list of tensors, got {shown(inputs)}")
    tensors = convert_all(inputs)
    for tensor in tensors:
        if tensor_dtype is not None and tensor.dtype != as_dtype(tensor_dtype):
            raise ValueError(f"expected inputs of dtype {tensor_dtype}, got {tensor.dtype.name}")
        if shape is not None and not tensor.shape.is_compatible_with(shape):
            raise ValueError(f"expected inputs of shape {shape}, got {tensor.shape}")
    return add_n(tensors, name)


@public("math.polyval")
@told
def polyval(coeffs: Any, x: TensorLike, name: str | None = None) -> Tensor:
    """The value of a polynomial, by Horner's scheme.

    >>> fg.math.polyval([2.0, -1.0, 3.0], 2.0).numpy()
    np.float32(9.0)

    Args:
      coeffs: a list of coefficients, the highest power first: tensors of the dtype of ``x``, or
        what converts to them, whose shapes broadcast with it. An empty one is 0.
      x: where to take it: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``x`` and the shape that all broadcast to.

    Raises:
      ValueError: where ``coeffs`` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval needs a list of coefficients, got {type(coeffs).__name__}")
    x = convert(x)
    if not coeffs:
        return emit("ZerosLike", (x,), None, name)
    coeffs = convert_all([x, *coeffs])[1:]
    total = coeffs[0]
    for coefficient in coeffs[1:]:
        total = add(coefficient, multiply(total, x))
    return emit("Identity", (total,), None, name)


@public("clip_by_value", ragged="flat")
@dispatched
def clip_by_value(
    t: TensorLike, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """``t`` with what is below ``clip_value_min`` or above ``clip_value_max`` replaced by it.

    >>> fg.clip_by_value([-3.0, 0.5, 9.0], -1.0, 2.0).numpy()
    array([-1. ,  0.5,  2. ], dtype=float32)

    Args:
      t: a tensor, or ``IndexedSlices``.
      clip_value_min: the lower bound, of a shape that broadcasts to that of ``t``.
      clip_value_max: the upper bound, likewise.
      name: a name for the operation.

    Raises:
      ValueError, InvalidArgumentError: where the bounds would enlarge ``t``.
    """
    if is_slices(t):
        return map_values(lambda v: clip_by_value(v, clip_value_min, clip_value_max, name), t)
    t = convert(t)
    upper = minimum(t, clip_value_max)
    both = maximum(upper, clip_value_min, name)
    if not t.shape.is_compatible_with(both.shape):
        raise ValueError(f"the bounds broadcast {t.shape} to {both.shape}, which is another shape")
    return both


def _sum(x: Any, axis: Any, keepdims: Any) -> Any:
    axis = all_axes(x) if axis is None else int_vector(axis)
    return emit("Sum", (x, axis), {"keep_dims": keepdims}, None)


@public("clip_by_norm")
def clip_by_norm(
    t: TensorLike, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Tensor:
    """``t`` scaled down, where its Euclidean norm is above ``clip_norm``, to have that norm.

    >>> fg.clip_by_norm([6.0, 8.0], 5.0).numpy()
    array([3., 4.], dtype=float32)

    Args:
      t: a tensor of floats, or ``IndexedSlices``.
      clip_norm: a positive scalar; a negative one counts as 0.
      axes: the axes that one norm is taken over; all of them unless told.
      name: a name for the operation.
    """
    if is_slices(t):
        return map_values(lambda values: clip_by_norm(values, clip_norm, axes, name), t)
    t = convert(t)
    clip_norm = maximum(convert(clip_norm, t.dtype), 0)
    total = _sum(multiply(t, t), axes, True)
    some = greater(total, 0)
    safe = emit("SelectV2", (some, total, emit("OnesLike", (total,), None, None)), None, None)
    norm = emit("SelectV2", (some, sqrt(safe), total), None, None)
    return divide(multiply(t, clip_norm), maximum(norm, clip_norm), name)


@public("linalg.global_norm")
@told
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of several tensors taken together.

    >>> fg.linalg.global_norm([[3.0], [4.0]]).numpy()
    np.float32(5.0)

    Args:
      t_list: a list of tensors of floats or complex numbers of one dtype and any shapes, of
        ``IndexedSlices``, and of None, which does not count.
      name: a name for the operation.

    Returns:
      A scalar of that dtype, of the parts of complex numbers; 0 of float32 where there is none.

    Raises:
      TypeError: where ``t_list`` is no list.
      InvalidArgumentError: for integers.
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"global_norm needs a list of tensors, got {type(t_list).__name__}")
    tensors = [convert(t.values if is_slices(t) else t) for t in t_list if t is not None]
    squares = [_sum(multiply(t, conj(t)), None, False) for t in tensors]
    if not squares:
        return convert(0.0)
    return refined(sqrt(real(add_n(squares)), name))


@public("clip_by_global_norm")
@told
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> Any:
    """Several tensors scaled by one factor, so that their norm taken together is at most
    ``clip_norm``.

    The factor is ``clip_norm / max(global_norm, clip_norm)``. Where the norm is infinite or NaN,
    all results are NaN.

    >>> clipped, norm = fg.clip_by_global_norm([[3.0], None, [4.0]], 2.5)
    >>> norm.numpy(), clipped[1] is None
    (np.float32(5.0), True)

    Args:
      t_list: a list of tensors, ``IndexedSlices`` and None.
      clip_norm: a positive scalar.
      use_norm: the norm, where it is known already.
      name: a name for the operation.

    Returns:
      The list of scaled tensors, and the norm.
    """
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(f"clip_by_global_norm needs a list, got {type(t_list).__name__}")
    norm = global_norm(t_list) if use_norm is None else convert(use_norm)
    clip = convert(clip_norm, norm.dtype)
    one = convert(1.0, norm.dtype)
    scale = multiply(clip, minimum(divide(one, norm), divide(one, clip)))
    # inf - inf and NaN - NaN are NaN: a norm that is not finite spoils the results visibly.
    scale = add(scale, subtract(norm, norm))

    def clipped(values):
        values = convert(values)
        return multiply(values, cast(scale, values.dtype))

    return [t if t is None else map_values(clipped, t) for t in t_list], norm


@public("linalg.l2_normalize", "math.l2_normalize", "nn.l2_normalize")
@told
def l2_normalize(
    x: TensorLike,
    axis: Any = None,
    epsilon: Any = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """``x / sqrt(max(sum(x^2), epsilon))``, with sums along axes.

    >>> fg.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      axis: the axes of a sum, an int or a list of them; negative ones count from the end. All of
        them unless told.
      epsilon: the least sum, a scalar; 1e-12 by default.
      name: a name for the operation.
      dim: an older name of ``axis``.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      ValueError: where both ``axis`` and ``dim`` are given.
    """
    if axis is not None and dim is not None:
        raise ValueError("l2_normalize: give axis or dim, not both")
    x, axis = convert(x), dim if axis is None else axis
    squares = square(abs(x)) if x.dtype.is_complex else square(x)
    scale = rsqrt(maximum(_sum(squares, axis, True), epsilon))
    return multiply(x, cast(scale, x.dtype), name)


@public("math.lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """log |Beta(x)| over the last axis: ``sum(lgamma(x)) - lgamma(sum(x))``.

    >>> fg.math.lbeta([1.0, 1.0]).numpy() + 0.0
    np.float32(0.0)

    Args:
      x: a tensor of floats, or what converts to one; of rank 1 or more.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``x``, without the last axis.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    x = convert(x)
    return subtract(_sum(lgamma(x), -1, False), lgamma(_sum(x, -1, False)), name)


@public("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: TensorLike) -> Any:
    """Whether something is a tensor or variable of numbers.

    >>> fg.debugging.is_numeric_tensor(fg.constant([1.0]))
    True

    Args:
      tensor: anything.

    Returns:
      A bool; False for bools and strings, and for what is no tensor.
    """
    return is_tensor(tensor) and tensor.dtype.is_numeric
