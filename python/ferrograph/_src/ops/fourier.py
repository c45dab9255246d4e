"""Fourier and cosine transforms.

Transforms run along the last axes; the leading ones are stacks. Complex numbers are complex64 or
complex128, real ones float32 or float64.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

from ..values.dtypes import complex64, complex128
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_list,
    axis_error,
    convert,
    emit,
    float32,
    float64,
    int32,
    is_tensor,
    known_size,
    rank_of,
    refined,
)
from ._dispatch import told
from ._numbers import int32_of, whole
from .arithmetic import floordiv, multiply
from .arrays import concat, pad, roll, shape
from .creation import range
from .elementwise import rsqrt
from .numeric import cast, complex, real
from .selection import gather
from .windows import number

__all__ = ["fitted", "size_along"]


@public("signal.fft")
def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last axis.

    >>> fg.signal.fft(fg.constant([1, 2], fg.complex64)).numpy()
    array([ 3.+0.j, -1.+0.j], dtype=complex64)

    Args:
      input: complex numbers, of rank 1 at least.
      name: a name for the operation.
    """
    return emit("FFT", (_complex(input),), None, name)


@public("signal.ifft")
def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of the discrete Fourier transform along the last axis.

    >>> fg.signal.ifft(fg.constant([3, -1], fg.complex64)).numpy()
    array([1.+0.j, 2.+0.j], dtype=complex64)

    Args:
      input: a tensor of complex64 or complex128, or what converts to one (real numbers that are no
        tensor become complex64); of rank 1 at least.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype, and for a rank below 1.
    """
    return emit("IFFT", (_complex(input),), None, name)


@public("signal.fft2d")
def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last two axes.

    >>> fg.signal.fft2d(fg.constant([[1, 2], [3, 4]], fg.complex64)).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)

    Args:
      input: a tensor of complex64 or complex128, or what converts to one (real numbers that are no
        tensor become complex64); of rank 2 at least.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype, and for a rank below 2.
    """
    return emit("FFT2D", (_complex(input),), None, name)


@public("signal.ifft2d")
def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of the discrete Fourier transform along the last two axes.

    >>> fg.signal.ifft2d(fg.constant([[10, -2], [-4, 0]], fg.complex64)).numpy()
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)

    Args:
      input: a tensor of complex64 or complex128, or what converts to one (real numbers that are no
        tensor become complex64); of rank 2 at least.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype, and for a rank below 2.
    """
    return emit("IFFT2D", (_complex(input),), None, name)


@public("signal.fft3d")
def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last three axes.

    >>> fg.signal.fft3d(fg.constant([[[1, 2]], [[3, 4]]], fg.complex64)).numpy().ravel()
    array([10.+0.j, -2.+0.j, -4.+0.j,  0.+0.j], dtype=complex64)

    Args:
      input: a tensor of complex64 or complex128, or what converts to one (real numbers that are no
        tensor become complex64); of rank 3 at least.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype, and for a rank below 3.
    """
    return emit("FFT3D", (_complex(input),), None, name)


@public("signal.ifft3d")
def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of the discrete Fourier transform along the last three axes.

    >>> fg.signal.ifft3d(fg.constant([[[10, -2]], [[-4, 0]]], fg.complex64)).numpy().ravel()
    array([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j], dtype=complex64)

    Args:
      input: a tensor of complex64 or complex128, or what converts to one (real numbers that are no
        tensor become complex64); of rank 3 at least.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype, and for a rank below 3.
    """
    return emit("IFFT3D", (_complex(input),), None, name)


@public("signal.rfft")
def rfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The discrete Fourier transform of real numbers along the last axis, up to half the length.

    >>> fg.signal.rfft([1.0, 2.0, 3.0, 4.0]).numpy()
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)

    Args:
      input_tensor: real numbers.
      fft_length: the length of the transform, a vector of one integer; numbers beyond it are left
        out, missing ones are zeros. By default the length of the axis.
      name: a name for the operation.

    Returns:
      ``fft_length // 2 + 1`` complex numbers along the last axis.

    Raises:
      ValueError: for a scalar, or numbers that are neither float32 nor float64.
    """
    return _forward("RFFT", input_tensor, fft_length, 1, name)


@public("signal.rfft2d")
def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As ``signal.rfft`` along the last two axes, the last of which is halved.

    >>> fg.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)

    Args:
      input_tensor: a tensor of float32 or float64, or what converts to one; of rank 2 at least.
      fft_length: the lengths of the transform, a vector of two integers; numbers beyond them are
        left out, missing ones are zeros. The sizes of the axes unless told.
      name: a name for the operation.

    Returns:
      A tensor of complex64 for float32, else of complex128, with ``fft_length[-1] // 2 + 1``
        numbers along the last axis.

    Raises:
      ValueError: for another dtype, and for a rank below 2.
      InvalidArgumentError: where ``fft_length`` is no vector of two numbers, or one is negative.
    """
    return _forward("RFFT2D", input_tensor, fft_length, 2, name)


@public("signal.rfft3d")
def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As ``signal.rfft`` along the last three axes, the last of which is halved.

    >>> fg.signal.rfft3d(fg.ones([2, 2, 2])).numpy()[0, 0]
    array([8.+0.j, 0.+0.j], dtype=complex64)

    Args:
      input_tensor: a tensor of float32 or float64, or what converts to one; of rank 3 at least.
      fft_length: the lengths of the transform, a vector of three integers; numbers beyond them are
        left out, missing ones are zeros. The sizes of the axes unless told.
      name: a name for the operation.

    Returns:
      A tensor of complex64 for float32, else of complex128, with ``fft_length[-1] // 2 + 1``
        numbers along the last axis.

    Raises:
      ValueError: for another dtype, and for a rank below 3.
      InvalidArgumentError: where ``fft_length`` is no vector of three numbers, or one is negative.
    """
    return _forward("RFFT3D", input_tensor, fft_length, 3, name)


@public("signal.irfft")
def irfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The real numbers whose discrete Fourier transform begins with ``input_tensor``.

    >>> fg.signal.irfft(fg.signal.rfft([1.0, 2.0, 3.0, 4.0])).numpy()
    array([1., 2., 3., 4.], dtype=float32)

    Args:
      input_tensor: complex numbers.
      fft_length: how many numbers there are, a vector of one integer. By default twice as many as
        the input has after its first: an odd length has to be given.
      name: a name for the operation.

    Raises:
      ValueError: for a scalar, or numbers that are not complex.
    """
    return _inverse("IRFFT", input_tensor, fft_length, 1, name)


@public("signal.irfft2d")
def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As ``signal.irfft`` along the last two axes, the last of which is halved.

    >>> fg.signal.irfft2d(fg.signal.rfft2d([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input_tensor: a tensor of complex64 or complex128, or what converts to one; of rank 2 at
        least.
      fft_length: the sizes of the result along these axes, a vector of two integers. Unless told,
        the sizes of the axes, and for the last one twice as many as the input has after its first:
        an odd length has to be given.
      name: a name for the operation.

    Returns:
      A tensor of float32 for complex64, else of float64.

    Raises:
      ValueError: for another dtype, and for a rank below 2.
      InvalidArgumentError: where ``fft_length`` is no vector of two numbers, or one is negative.
    """
    return _inverse("IRFFT2D", input_tensor, fft_length, 2, name)


@public("signal.irfft3d")
def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As ``signal.irfft`` along the last three axes, the last of which is halved.

    >>> fg.signal.irfft3d(fg.signal.rfft3d(fg.ones([1, 1, 2]))).numpy()
    array([[[1., 1.]]], dtype=float32)

    Args:
      input_tensor: a tensor of complex64 or complex128, or what converts to one; of rank 3 at
        least.
      fft_length: the sizes of the result along these axes, a vector of three integers. Unless told,
        the sizes of the axes, and for the last one twice as many as the input has after its first:
        an odd length has to be given.
      name: a name for the operation.

    Returns:
      A tensor of float32 for complex64, else of float64.

    Raises:
      ValueError: for another dtype, and for a rank below 3.
      InvalidArgumentError: where ``fft_length`` is no vector of three numbers, or one is negative.
    """
    return _inverse("IRFFT3D", input_tensor, fft_length, 3, name)


def _complex(x: Any) -> Any:
    """Values that are no tensor as complex numbers, real ones as complex64."""
    if is_tensor(x):
        return x
    made = convert(x)
    return made if made.dtype.is_complex else cast(made, complex64)


def _forward(op: str, x: Any, fft_length: Any, rank: int, name: Any) -> Tensor:
    x = convert(x, dtype_hint=float32)
    if x.dtype not in (float32, float64):
        raise ValueError(f"{op} requires float32 or float64 inputs, got {x.dtype.name}")
    lengths = _lengths(x, fft_length, rank)
    dtype = complex64 if x.dtype == float32 else complex128
    return emit(op, (x, lengths), {"Tcomplex": dtype}, name)


def _inverse(op: str, x: Any, fft_length: Any, rank: int, name: Any) -> Tensor:
    x = convert(x, dtype_hint=complex64)
    if not x.dtype.is_complex:
        raise ValueError(f"{op} requires complex64 or complex128 inputs, got {x.dtype.name}")
    lengths = _lengths(x, fft_length, rank, halved=True)
    dtype = float32 if x.dtype == complex64 else float64
    return emit(op, (x, lengths), {"Treal": dtype}, name)


def _lengths(x: Any, fft_length: Any, rank: int, halved: bool = False) -> Tensor:
    """The lengths of a transform of the last ``rank`` axes, those of ``x`` where none are given."""
    if x.ndim is not None and x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    if fft_length is not None:
        return int32_of(fft_length)
    sizes: list[Any] = x.shape.as_list()[-rank:] if x.ndim is not None else [None]
    if None not in sizes:
        if halved:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert(sizes, int32)
    lengths = shape(x)[-rank:]
    if not halved:
        return lengths
    last = emit("Maximum", (0, 2 * (lengths[-1:] - 1)), None, None)
    return concat([lengths[:-1], last], 0)


@public("signal.fftshift")
def fftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """The elements moved so that the first one comes to lie in the middle.

    >>> fg.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)

    Args:
      x: a tensor.
      axes: the axis or axes; all by default.
      name: a name for the operation.
    """
    return _shifted(x, axes, 1, "fftshift", name)


@public("signal.ifftshift")
def ifftshift(x: TensorLike, axes: Any = None, name: str | None = None) -> Tensor:
    """The elements moved back from where ``signal.fftshift`` puts them.

    >>> fg.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)

    Args:
      x: a tensor, or what converts to one; of any dtype and shape.
      axes: the axes, an int or a list of them; negative ones count from the end. All of them unless
        told.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``x``.

    Raises:
      TypeError: where an axis is no integer.
      ValueError, InvalidArgumentError: where one is outside of the rank, while tracing and when
        run.
    """
    return _shifted(x, axes, -1, "ifftshift", name)


def _shifted(x: Any, axes: Any, sign: int, what: str, name: Any) -> Tensor:
    x = convert(x)
    if axes is None:
        rank = rank_of(x)
        axes = range(rank) if is_tensor(rank) else list(builtins.range(rank))
    if not is_tensor(axes):
        axes = [whole(axis, f"{what}: axes") for axis in as_list(axes)]
        for axis in axes:
            if x.ndim is not None and not -x.ndim <= axis < x.ndim:
                raise axis_error(axis, x.shape)
    sizes: list[Any] = [known_size(x, axis) for axis in axes] if isinstance(axes, list) else [None]
    if None not in sizes:
        halves: Any = [sign * (size // 2) for size in sizes]
    else:
        halves = sign * floordiv(gather(shape(x), _from_start(x, axes)), 2)
    return roll(x, halves, axes, name)


def _from_start(x: Any, axes: Any) -> Tensor:
    """Axes counted from the first one."""
    axes = convert(axes, int32)
    return emit("SelectV2", (emit("Less", (axes, 0), None, None), axes + rank_of(x), axes))


_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


@public("signal.dct")
@told
def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of type 1, 2, 3 or 4 along the last axis.

    >>> fg.signal.dct([1.0, 0.0, 0.0, 1.0], type=1).numpy()
    array([2., 0., 2., 0.], dtype=float32)

    Args:
      input: float32 or float64 numbers.
      type: which transform.
      n: its length; numbers beyond it are left out, missing ones are zeros.
      axis: -1.
      norm: None, or "ortho" for the orthonormal transform of type 2, 3 or 4.
      name: a name for the operation.

    Raises:
      ValueError: for another type or norm, a length below 1, or a type 1 of less than two numbers.
      NotImplementedError: for another axis.
    """
    x, type = convert(input, dtype_hint=float32), whole(type, "dct: type", ValueError)
    if x.dtype not in (float32, float64):
        raise TypeError(f"a cosine transform is of float32 or float64, got {x.dtype.name}")
    _check_cosine(x, type, n, axis, norm)
    if n is not None:
        x = fitted(x, int32_of(n) if is_tensor(n) else n)
    found = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}[type](x, norm)
    return found if name is None else emit("Identity", (found,), None, name)


@public("signal.idct")
@told
def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``signal.dct`` of that type, but for a factor where ``norm`` is None.

    >>> fg.signal.idct(fg.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2.], dtype=float32)

    Args:
      input: a tensor of float32 or float64, or what converts to one; of rank 1 at least.
      type: which transform to undo: 1, 2 (the default), 3 or 4.
      n: its length, an int; numbers beyond it are left out, missing ones are zeros. The size of the
        axis unless told.
      axis: -1, the default.
      norm: None (the default), or "ortho" for the orthonormal transform of type 2, 3 or 4.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input``, with ``n`` numbers along the last axis.

    Raises:
      ValueError: for another type or norm, a length below 1, a scalar, or a type 1 of less than two
        numbers.
      TypeError: for another dtype.
      NotImplementedError: for another axis.
    """
    type = whole(type, "idct: type", ValueError)
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    return dct(input, _INVERSE[type], n, axis, norm, name)


def _check_cosine(x: Any, type: int, n: Any, axis: int, norm: Any) -> None:
    if whole(axis, "axis") != -1:
        raise NotImplementedError(f"axis must be -1. Got: {shown(axis)}")
    if n is not None and not is_tensor(n) and whole(n, "a cosine transform's n") < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {shown(norm)}")
    if x.ndim == 0:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    if type != 1:
        return
    if norm is not None:
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    size = known_size(x, -1) if n is None else n
    if size is not None and size < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")


def size_along(x: Any, axis: int) -> Any:
    """The size of an axis: a number where it is known, else a scalar tensor."""
    size = known_size(x, axis)
    return shape(x)[axis] if size is None else size


def fitted(x: Any, n: Any) -> Tensor:
    """``x`` cut or continued by zeros to ``n`` numbers along the last axis."""
    x = x[..., :n]
    size = known_size(x, -1)
    if size is not None and not is_tensor(n) and size == n:
        return x
    if x.ndim is not None:
        quiet = [[0, 0]] * (x.ndim - 1)
        out = pad(x, [*quiet, [0, n - size_along(x, -1)]])
        return refined(out, *x.shape.as_list()[:-1], n)
    rank = rank_of(x)
    before = emit("Fill", (emit("Pack", [rank, 2], {"axis": 0}, None), 0), None, None)
    missing = emit("Pack", [[0, n - size_along(x, -1)]], {"axis": 0}, None)
    return pad(x, concat([before[1:], missing], 0))


def _dct1(x: Any, norm: Any) -> Tensor:
    return real(rfft(concat([x, x[..., -2:0:-1]], -1)))


def _dct2(x: Any, norm: Any) -> Tensor:
    n = size_along(x, -1)
    turned = rfft(x, [2 * n])[..., :n]
    found = real(multiply(turned, _turns(n, -1.0, x.dtype)))
    return found if norm is None else multiply(found, _orthonormal(n, 0.5, math.sqrt(0.5), x.dtype))


def _dct3(x: Any, norm: Any) -> Tensor:
    n = size_along(x, -1)
    if norm is None:
        x = multiply(x, number(n, x.dtype))
    else:
        # An orthonormal transform of this type undoes that of type 2.
        factors = _orthonormal(n, 1.0, math.sqrt(0.5), x.dtype)
        x = multiply(x, multiply(factors, number(n, x.dtype)))
    halves = multiply(cast(x, _complex_of(x.dtype)), _turns(n, 1.0, x.dtype))
    return irfft(halves, [2 * n])[..., :n]


def _dct4(x: Any, norm: Any) -> Tensor:
    n = size_along(x, -1)
    found = _dct2(fitted(x, 2 * n), None)[..., 1::2]
    return found if norm is None else multiply(found, rsqrt(number(2 * n, x.dtype)))


def _complex_of(dtype: Any) -> Any:
    return complex64 if dtype == float32 else complex128


def _turns(n: Any, sign: float, dtype: Any) -> Tensor:
    """Twice the numbers of size 1 and angles ``sign * pi * k / (2 * n)``, ``k`` below ``n``."""
    angles = range(n, dtype=dtype) * (sign * math.pi / 2) / number(n, dtype)
    return complex(2.0 * emit("Cos", (angles,)), 2.0 * emit("Sin", (angles,)))


def _orthonormal(n: Any, first: float, others: float, dtype: Any) -> Tensor:
    """The factors that make a cosine transform orthonormal, times the square root of ``n``."""
    place = range(n, dtype=dtype)
    is_first = emit("Equal", (place, convert(0.0, dtype)), None, None)
    factors = emit("SelectV2", (is_first, convert(first, dtype), convert(others, dtype)))
    return multiply(factors, rsqrt(number(n, dtype)))
