"""Functions of one tensor, element by element: mostly one operation each."""

from __future__ import annotations

from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit
from ._dispatch import dispatched
from ._emits import emits


@public("math.acos", "acos", ragged="flat")
@emits("Acos")
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [0, pi] whose cosine is x."""


@public("math.acosh", "acosh", ragged="flat")
@emits("Acosh")
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The non-negative number whose hyperbolic cosine is x, for x >= 1."""


@public("math.asin", "asin", ragged="flat", sparse="zero")
@emits("Asin")
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is x."""


@public("math.asinh", "asinh", ragged="flat", sparse="zero")
@emits("Asinh")
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic sine is x."""


@public("math.atan", "atan", ragged="flat", sparse="zero")
@emits("Atan")
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is x."""


@public("math.atanh", "atanh", ragged="flat", sparse="zero")
@emits("Atanh")
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic tangent is x, for x in [-1, 1]."""


@public("math.ceil", ragged="flat", sparse="zero")
@emits("Ceil")
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number that is not below x."""


@public("math.cos", "cos", ragged="flat")
@emits("Cos")
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of x, an angle in radians."""


@public("math.cosh", "cosh", ragged="flat")
@emits("Cosh")
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2."""


@public("math.digamma", ragged="flat")
@emits("Digamma")
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of lgamma, Gamma'(x) / Gamma(x)."""


@public("math.erf", ragged="flat", sparse="zero")
@emits("Erf")
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""


@public("math.erfc", ragged="flat")
@emits("Erfc")
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate also where erf(x) is close to 1."""


@public("math.erfinv", ragged="flat", sparse="zero")
@emits("Erfinv")
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose error function is x, for x in [-1, 1]."""


@public("math.exp", "exp", ragged="flat")
@emits("Exp")
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of x."""


@public("math.expm1", ragged="flat", sparse="zero")
@emits("Expm1")
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate also for x close to 0."""


@public("math.floor", "floor", ragged="flat", sparse="zero")
@emits("Floor")
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not above x."""


@public("math.is_finite", ragged="flat")
@emits("IsFinite")
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is neither infinite nor NaN, as bool."""


@public("math.is_inf", ragged="flat")
@emits("IsInf")
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is infinite, as bool."""


@public("math.is_nan", ragged="flat")
@emits("IsNan")
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is NaN, as bool."""


@public("math.lgamma", ragged="flat")
@emits("Lgamma")
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of Gamma(x)."""


@public("math.log", ragged="flat")
@emits("Log")
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of x; NaN below 0 and -inf at 0."""


@public("math.log1p", ragged="flat", sparse="zero")
@emits("Log1p")
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), accurate also for x close to 0."""


@public("math.logical_not", "logical_not", ragged="flat")
@emits("LogicalNot")
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is False; for bool tensors."""


@public("math.ndtri", ragged="flat")
@emits("Ndtri")
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The number below which the normal distribution has probability x."""


@public("math.negative", "negative", ragged="flat", sparse="zero")
@emits("Neg")
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x."""


@public("math.reciprocal", ragged="flat")
@emits("Reciprocal")
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x."""


@public("math.rint", ragged="flat", sparse="zero")
@emits("Rint")
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The whole number nearest to x, halves going to the even one."""


@public("math.rsqrt", ragged="flat")
@emits("Rsqrt")
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x)."""


@public("math.sigmoid", "nn.sigmoid", "sigmoid", ragged="flat")
@emits("Sigmoid")
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), without overflow."""


@public("math.sign", "sign", ragged="flat", sparse="zero")
@emits("Sign")
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 as x is negative, zero or positive; x / |x| for complex x."""


@public("math.sin", "sin", ragged="flat", sparse="zero")
@emits("Sin")
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of x, an angle in radians."""


@public("math.sinh", "sinh", ragged="flat", sparse="zero")
@emits("Sinh")
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2."""


@public("math.sqrt", "sqrt", ragged="flat", sparse="zero")
@emits("Sqrt")
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of x; NaN below 0."""


@public("math.square", "square", ragged="flat", sparse="zero")
@emits("Square")
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x."""


@public("math.tan", "tan", ragged="flat", sparse="zero")
@emits("Tan")
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of x, an angle in radians."""


@public("math.tanh", "nn.tanh", "tanh", ragged="flat", sparse="zero")
@emits("Tanh")
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x))."""


@public("nn.elu", ragged="flat")
@emits("Elu")
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """features where positive, else exp(features) - 1."""


@public("nn.relu", ragged="flat", sparse="zero")
@emits("Relu")
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0)."""


@public("nn.relu6", ragged="flat", sparse="zero")
@emits("Relu6")
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6)."""


@public("nn.selu", ragged="flat")
@emits("Selu")
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """1.0507 * features where positive, else 1.7581 * (exp(features) - 1): self-normalising."""


@public("math.softplus", "nn.softplus", ragged="flat")
@emits("Softplus")
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features)), without overflow."""


@public("math.softsign", "nn.softsign", ragged="flat", sparse="zero")
@emits("Softsign")
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """features / (1 + |features|)."""


@public("bitwise.invert", ragged="flat")
@emits("Invert")
def invert(a: TensorLike, name: str | None = None) -> Tensor:
    """Every bit flipped; for integers."""


@public("math.abs", "abs", ragged="flat", sparse="zero")
@dispatched
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value, element by element: sqrt(re^2 + im^2) for complex ``x``.

    >>> fg.abs([-2.5, 0.0, 3.0]).numpy()
    array([2.5, 0. , 3. ], dtype=float32)

    Args:
      x: a tensor of numbers.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``x``; real numbers of half the size where ``x`` is complex.
    """
    x = convert(x)
    return emit("ComplexAbs" if x.dtype.is_complex else "Abs", (x,), None, name)


@public("math.round", "round", ragged="flat", sparse="zero")
@dispatched
def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, halves going to the even one; integers stay as they are.

    >>> fg.round([0.5, 1.5, -2.4]).numpy()
    array([ 0.,  2., -2.], dtype=float32)
    """
    x = convert(x)
    return x if x.dtype.is_integer else emit("Round", (x,), None, name)
