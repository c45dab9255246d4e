"""More functions of numbers: parts, bits, rounding, divisors, comparisons up to a tolerance."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import ops
from ..context.hooks import hooks
from ..native import _core
from ..ops import arithmetic, elementwise, numeric
from ..ops._base import emit
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..values.public import public
from .promotion import array, inexact, promoted

__all__: list[str] = []


@public("experimental.numpy.real")
def real(val: Any) -> Any:
    """The real parts.

    >>> fg.experimental.numpy.real([1 + 2j]).numpy()
    array([1.])

    Args:
      val: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the shape of val, of the real dtype that belongs to a complex one, else of that of
        val.

    Raises:
      TypeError: for strings.
    """
    return numeric.real(array(val))


@public("experimental.numpy.imag")
def imag(val: Any) -> Any:
    """The imaginary parts, zeros for real numbers.

    >>> fg.experimental.numpy.imag([1 + 2j]).numpy()
    array([2.])

    Args:
      val: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the shape of val, of the real dtype that belongs to a complex one, else of that of
        val.
    """
    val = array(val)
    return numeric.imag(val) if val.dtype.is_complex else ops.zeros_like(val)


@public("experimental.numpy.conj", "experimental.numpy.conjugate")
def conj(x: Any) -> Any:
    """The complex conjugates; real numbers as they are.

    >>> fg.experimental.numpy.conj([1 + 2j]).numpy()
    array([1.-2.j])

    Args:
      x: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.
    """
    x = array(x)
    return numeric.conj(x) if x.dtype.is_complex else x


@public("experimental.numpy.iscomplex")
def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is other than zero.

    >>> fg.experimental.numpy.iscomplex([1, 2j]).numpy().tolist()
    [False, True]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      TypeError: for strings.
    """
    part = imag(x)
    return ops.not_equal(part, False if part.dtype.is_bool else 0)


@public("experimental.numpy.isreal")
def isreal(x: Any) -> Any:
    """Whether the imaginary part is zero.

    >>> fg.experimental.numpy.isreal([1, 2j]).numpy().tolist()
    [True, False]

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      TypeError: for strings.
    """
    return ops.logical_not(iscomplex(x))


@public("experimental.numpy.iscomplexobj")
def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex.

    >>> fg.experimental.numpy.iscomplexobj(1j)
    True

    Args:
      x: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A bool.
    """
    return builtins.bool(array(x).dtype.is_complex)


@public("experimental.numpy.isrealobj")
def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex.

    >>> fg.experimental.numpy.isrealobj(1)
    True

    Args:
      x: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A bool.
    """
    return not iscomplexobj(x)


@public("experimental.numpy.isscalar")
def isscalar(num: Any) -> Any:
    """Whether it is a scalar: a number, a text, or an array without axes.

    >>> fg.experimental.numpy.isscalar(3.5), fg.experimental.numpy.isscalar([3.5])
    (True, False)

    Args:
      num: any value.

    Returns:
      A bool; a bool tensor for a tensor of unknown rank.
    """
    shape = getattr(num, "shape", None)
    if shape is None:
        return np.isscalar(num)
    unknown = isinstance(num, _core.Tensor) and shape.rank is None
    return ops.equal(ops.rank(num), 0) if unknown else len(shape) == 0


@public("experimental.numpy.bitwise_and")
@told
def bitwise_and(x1: Any, x2: Any) -> Any:
    """The bits that both have.

    >>> fg.experimental.numpy.bitwise_and(6, 3).numpy().tolist()
    2

    Args:
      x1, x2: tensors of integers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return _bits("BitwiseAnd", ops.logical_and, x1, x2)


@public("experimental.numpy.bitwise_or")
@told
def bitwise_or(x1: Any, x2: Any) -> Any:
    """The bits that one has.

    >>> fg.experimental.numpy.bitwise_or(6, 3).numpy().tolist()
    7

    Args:
      x1, x2: tensors of integers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return _bits("BitwiseOr", ops.logical_or, x1, x2)


@public("experimental.numpy.bitwise_xor")
@told
def bitwise_xor(x1: Any, x2: Any) -> Any:
    """The bits that one alone has.

    >>> fg.experimental.numpy.bitwise_xor(6, 3).numpy().tolist()
    5

    Args:
      x1, x2: tensors of integers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, and shapes that do not broadcast.
    """
    return _bits("BitwiseXor", ops.not_equal, x1, x2)


def _bits(op: str, of_truths: Any, x1: Any, x2: Any) -> Any:
    x1, x2 = promoted(x1, x2)
    return of_truths(x1, x2) if x1.dtype.is_bool else emit(op, (x1, x2))


@public("experimental.numpy.bitwise_not")
def bitwise_not(x: Any) -> Any:
    """The bits that it has not.

    >>> fg.experimental.numpy.bitwise_not([0, 5]).numpy().tolist()
    [-1, -6]

    Args:
      x: a tensor of integers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x.

    Raises:
      InvalidArgumentError: for other dtypes.
    """
    x = array(x)
    return ops.logical_not(x) if x.dtype.is_bool else emit("Invert", (x,))


@public("experimental.numpy.around", "experimental.numpy.round")
def around(a: Any, decimals: int = 0) -> Any:
    """The numbers to this number of decimals, halves to the even one.

    >>> fg.experimental.numpy.around([1.25, 2.5], 0).numpy()
    array([1., 2.])

    Args:
      a: a tensor of real numbers, or what converts to one; of any shape.
      decimals: an int; a negative one counts before the point. 0 by default.

    Returns:
      A tensor of the dtype and the shape of a.

    Raises:
      TypeError: where decimals is no integer.
      InvalidArgumentError: for another dtype.
    """
    a, decimals = array(a), whole(decimals, "around: decimals")
    if decimals == 0:
        return a if a.dtype.is_integer or a.dtype.is_bool else ops.round(a)
    scale = 10.0 ** builtins.abs(decimals)
    wide = inexact(a)
    made = ops.round(wide * scale) / scale if decimals > 0 else ops.round(wide / scale) * scale
    return ops.cast(made, a.dtype)


@public("experimental.numpy.fix")
def fix(x: Any) -> Any:
    """The whole number next towards zero.

    >>> fg.experimental.numpy.fix([1.7, -1.7]).numpy()
    array([ 1., -1.])

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      InvalidArgumentError: for complex numbers.
      UnimplementedError: for strings.
    """
    x = inexact(x)
    return ops.where(ops.greater_equal(x, 0), elementwise.floor(x), elementwise.ceil(x))


@public("experimental.numpy.float_power")
@told
def float_power(x1: Any, x2: Any) -> Any:
    """The first number to the power of the second; integers stay such.

    >>> fg.experimental.numpy.float_power([2, 3], 2).numpy()
    array([4, 9])

    Args:
      x1, x2: tensors of numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, shapes that do not broadcast, and integers to negative
        powers.
    """
    return ops.pow(*promoted(x1, x2))


@public("experimental.numpy.divmod")
@told
def divmod(x1: Any, x2: Any) -> tuple[Any, ...]:
    """The quotient down to a whole number, and what is left.

    >>> [t.numpy().tolist() for t in fg.experimental.numpy.divmod(7, [2, 4])]
    [[3, 1], [1, 3]]

    Args:
      x1, x2: tensors of real numbers, or what converts to such, whose shapes broadcast.

    Returns:
      A pair of tensors of the dtype that NumPy gives both together and the shape that they
        broadcast to.

    Raises:
      InvalidArgumentError: for other dtypes, shapes that do not broadcast, and integers by 0.
    """
    x1, x2 = promoted(x1, x2)
    return arithmetic.floordiv(x1, x2), arithmetic.floormod(x1, x2)


@public("experimental.numpy.gcd")
@told
def gcd(x1: Any, x2: Any) -> Any:
    """The greatest common divisor.

    >>> fg.experimental.numpy.gcd([4, 9], 6).numpy().tolist()
    [2, 3]

    Args:
      x1, x2: tensors of integers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      ValueError: for numbers that are no integers.
      InvalidArgumentError: for shapes that do not broadcast.
    """
    x1, x2 = _integers("gcd", x1, x2)
    x1, x2 = (ops.abs(x) if "uint" not in x.dtype.name else x for x in (x1, x2))

    def step(a: Any, b: Any) -> tuple[Any, ...]:
        safe = ops.maximum(b, ops.ones_like(b))
        done = ops.equal(b, 0)
        rest = arithmetic.floormod(a, safe)
        return ops.where(done, a, b), ops.where(done, b, rest)

    shape = ops.shape(x1 + x2)
    pair = [ops.broadcast_to(x1, shape), ops.broadcast_to(x2, shape)]
    return hooks.while_loop(lambda a, b: ops.reduce_any(ops.not_equal(b, 0)), step, pair)[0]


@public("experimental.numpy.lcm")
@told
def lcm(x1: Any, x2: Any) -> Any:
    """The least common multiple.

    >>> fg.experimental.numpy.lcm([4, 9], 6).numpy().tolist()
    [12, 18]

    Args:
      x1, x2: tensors of integers, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape that they broadcast to.

    Raises:
      ValueError: for numbers that are no integers.
      InvalidArgumentError: for shapes that do not broadcast.
    """
    x1, x2 = _integers("lcm", x1, x2)
    divisor = gcd(x1, x2)
    safe = ops.maximum(divisor, ops.ones_like(divisor))
    made = arithmetic.floordiv(x1, safe) * x2
    return made if "uint" in made.dtype.name else ops.abs(made)


def _integers(name: str, x1: Any, x2: Any) -> list[Any]:
    made = promoted(x1, x2)
    if not made[0].dtype.is_integer:
        raise ValueError(f"{name} takes integers, got {made[0].dtype.name}")
    return made


@public("experimental.numpy.signbit")
def signbit(x: Any) -> Any:
    """Whether numbers are below zero: -0.0 is not.

    >>> fg.experimental.numpy.signbit([-1.0, 0.0, -0.0]).numpy().tolist()
    [True, False, False]

    Args:
      x: a tensor of real numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for complex numbers and strings.
    """
    x = array(x)
    return ops.zeros_like(x) if x.dtype.is_bool else ops.less(x, ops.zeros_like(x))


@public("experimental.numpy.sinc")
def sinc(x: Any) -> Any:
    """``sin(pi x) / (pi x)``, 1 at 0.

    >>> fg.experimental.numpy.sinc([0.0, 1.0]).numpy().round(6)
    array([1., 0.])

    Args:
      x: a tensor of numbers or bools, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype and the shape of x; of float64 for integers and bools.

    Raises:
      UnimplementedError: for strings.
    """
    angle = inexact(x) * np.pi
    is_zero = ops.equal(angle, 0)
    safe = ops.where(is_zero, ops.ones_like(angle), angle)
    return ops.where(is_zero, ops.ones_like(angle), ops.sin(safe) / safe)


@public("experimental.numpy.nextafter")
@told
def nextafter(x1: Any, x2: Any) -> Any:
    """The next number from the first towards the second.

    >>> float(fg.experimental.numpy.nextafter(0.0, 1.0))
    5e-324

    Args:
      x1, x2: tensors of real numbers or bools, or what converts to such, whose shapes broadcast.

    Returns:
      A tensor of the shape that x1 and x2 broadcast to, of float32 for numbers of it, else of
        float64.

    Raises:
      InvalidArgumentError: for float16, bfloat16, complex numbers, and shapes that do not
        broadcast.
      UnimplementedError: for strings.
    """
    return emit("NextAfter", tuple(inexact(x) for x in promoted(x1, x2)))


@public("experimental.numpy.isclose")
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether ``abs(a - b) <= atol + rtol * abs(b)``; infinities are close to their like.

    >>> fg.experimental.numpy.isclose([1.0, 2.0], [1.0, 2.1]).numpy().tolist()
    [True, False]

    Args:
      a, b: tensors of numbers or bools, or what converts to such, whose shapes broadcast.
      rtol: a real number, what may differ by the size of b; 1e-05 by default.
      atol: a real number, what may differ in any case; 1e-08 by default.
      equal_nan: a bool, whether NaN is close to NaN; False by default.

    Returns:
      A tensor of bools, of the shape that a and b broadcast to.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    a, b = promoted(inexact(a), inexact(b))
    near = ops.less_equal(ops.abs(a - b), atol + rtol * ops.abs(b))
    finite = elementwise.is_finite(b) if not b.dtype.is_complex else ops.equal(b, b)
    made = ops.logical_or(ops.equal(a, b), ops.logical_and(near, finite))
    if equal_nan:
        both = ops.logical_and(ops.not_equal(a, a), ops.not_equal(b, b))
        made = ops.logical_or(made, both)
    return made


@public("experimental.numpy.allclose")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether all elements are close, as ``isclose`` says.

    >>> bool(fg.experimental.numpy.allclose([1.0], [1.0]))
    True

    Args:
      a, b: tensors of numbers or bools, or what converts to such, whose shapes broadcast.
      rtol: a real number, what may differ by the size of b; 1e-05 by default.
      atol: a real number, what may differ in any case; 1e-08 by default.
      equal_nan: a bool, whether NaN is close to NaN; False by default.

    Returns:
      A bool scalar.

    Raises:
      InvalidArgumentError: for shapes that do not broadcast.
      UnimplementedError: for strings.
    """
    return ops.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@public("experimental.numpy.array_equal")
def array_equal(a1: Any, a2: Any) -> Any:
    """Whether shapes and all elements are the same.

    >>> bool(fg.experimental.numpy.array_equal([1, 2], [1, 2]))
    True

    Args:
      a1, a2: tensors, or what converts to such; of any shapes.

    Returns:
      A bool scalar.
    """
    a1, a2 = promoted(a1, a2)
    if not a1.shape.is_compatible_with(a2.shape):
        return array(False)

    def equal() -> Any:
        return ops.reduce_all(ops.equal(a1, a2))

    if a1.shape.is_fully_defined() and a2.shape.is_fully_defined():
        return equal()
    sizes = ops.shape(a1), ops.shape(a2)
    ranks_agree = ops.equal(ops.size(sizes[0]), ops.size(sizes[1]))
    none = array(False)
    fits = hooks.cond(
        ranks_agree, lambda: ops.reduce_all(ops.equal(sizes[0], sizes[1])), lambda: none
    )
    return hooks.cond(fits, equal, lambda: none)
