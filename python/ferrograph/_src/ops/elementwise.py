"""Functions of one tensor, element by element: mostly one operation each."""

from __future__ import annotations

from ..values.dtypes import bool as bool_dtype
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, is_tensor
from ._dispatch import dispatched
from ._emits import emits


@public("math.acos", "acos", ragged="flat")
@emits("Acos")
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [0, pi] whose cosine is x.

    >>> fg.acos([0.5]).numpy().round(4)
    array([1.0472], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.acosh", "acosh", ragged="flat")
@emits("Acosh")
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The non-negative number whose hyperbolic cosine is x, for x >= 1.

    >>> fg.acosh([1.0, 2.0]).numpy().round(4)
    array([0.   , 1.317], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.asin", "asin", ragged="flat", sparse="zero")
@emits("Asin")
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is x.

    >>> fg.asin([0.5]).numpy().round(4)
    array([0.5236], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.asinh", "asinh", ragged="flat", sparse="zero")
@emits("Asinh")
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic sine is x.

    >>> fg.asinh([0.5]).numpy().round(4)
    array([0.4812], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.atan", "atan", ragged="flat", sparse="zero")
@emits("Atan")
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is x.

    >>> fg.atan([0.5]).numpy().round(4)
    array([0.4636], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.atanh", "atanh", ragged="flat", sparse="zero")
@emits("Atanh")
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose hyperbolic tangent is x, for x in [-1, 1].

    >>> fg.atanh([0.0, 0.5]).numpy().round(4)
    array([0.    , 0.5493], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.bessel_i0e", "math.special.bessel_i0e", ragged="flat")
@emits("BesselI0e")
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-|x|) I0(x) for the modified Bessel function of the first kind of order 0.

    >>> fg.math.bessel_i0e([0.0, 1.0]).numpy().round(4)
    array([1.    , 0.4658], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.bessel_i1e", "math.special.bessel_i1e", ragged="flat", sparse="zero")
@emits("BesselI1e")
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-|x|) I1(x) for the modified Bessel function of the first kind of order 1.

    >>> fg.math.bessel_i1e([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.2079], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.ceil", ragged="flat", sparse="zero")
@emits("Ceil")
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number that is not below x.

    >>> fg.math.ceil([1.2, -1.2]).numpy()
    array([ 2., -1.], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.cos", "cos", ragged="flat")
@emits("Cos")
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of x, an angle in radians.

    >>> fg.cos([0.5]).numpy().round(4)
    array([0.8776], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.cosh", "cosh", ragged="flat")
@emits("Cosh")
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2.

    >>> fg.cosh([0.5]).numpy().round(4)
    array([1.1276], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.digamma", ragged="flat")
@emits("Digamma")
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of lgamma, Gamma'(x) / Gamma(x).

    >>> fg.math.digamma([0.5]).numpy()
    array([-1.96351], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.erf", ragged="flat", sparse="zero")
@emits("Erf")
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    >>> fg.math.erf([0.5]).numpy().round(4)
    array([0.5205], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.erfc", ragged="flat")
@emits("Erfc")
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), accurate also where erf(x) is close to 1.

    >>> fg.math.erfc([0.5]).numpy().round(4)
    array([0.4795], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.erfinv", ragged="flat", sparse="zero")
@emits("Erfinv")
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose error function is x, for x in [-1, 1].

    >>> fg.math.erfinv([0.5]).numpy().round(4)
    array([0.4769], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.exp", "exp", ragged="flat")
@emits("Exp")
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of x.

    >>> fg.exp([0.0, 1.0]).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.expm1", ragged="flat", sparse="zero")
@emits("Expm1")
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate also for x close to 0.

    >>> fg.math.expm1([0.0, 1.0]).numpy().round(4)
    array([0.    , 1.7183], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.floor", "floor", ragged="flat", sparse="zero")
@emits("Floor")
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not above x.

    >>> fg.floor([1.2, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.is_finite", ragged="flat")
@emits("IsFinite")
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is neither infinite nor NaN, as bool.

    >>> fg.math.is_finite([1.0, float("inf")]).numpy()
    array([ True, False])

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.is_inf", ragged="flat")
@emits("IsInf")
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is infinite, as bool.

    >>> fg.math.is_inf([1.0, float("inf")]).numpy()
    array([False,  True])

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.is_nan", ragged="flat")
@emits("IsNan")
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x is NaN, as bool.

    >>> fg.math.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of bools, of the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.lgamma", ragged="flat")
@emits("Lgamma")
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of Gamma(x).

    >>> fg.math.lgamma([0.5]).numpy().round(4)
    array([0.5724], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.log", ragged="flat")
@emits("Log")
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of x; NaN below 0 and -inf at 0.

    >>> fg.math.log([1.0, 2.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.log1p", ragged="flat", sparse="zero")
@emits("Log1p")
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), accurate also for x close to 0.

    >>> fg.math.log1p([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.logical_not", "logical_not", ragged="flat")
@dispatched
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is False; for bool tensors, and arrays, which become such.

    >>> fg.logical_not([True, False]).numpy()
    array([False,  True])

    Args:
      x: a tensor of bools, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return emit("LogicalNot", (x if is_tensor(x) else convert(x, bool_dtype),), None, name)


@public("math.ndtri", ragged="flat")
@emits("Ndtri")
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The number below which the normal distribution has probability x.

    >>> fg.math.ndtri([0.5]).numpy()
    array([0.], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.negative", "negative", ragged="flat", sparse="zero")
@emits("Neg")
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x.

    >>> fg.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)

    Args:
      x: a tensor of floats, complex numbers, int16, int32, int64 or int8, or what converts to
        one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.reciprocal", ragged="flat")
@emits("Reciprocal")
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x.

    >>> fg.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.rint", ragged="flat", sparse="zero")
@emits("Rint")
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The whole number nearest to x, halves going to the even one.

    >>> fg.math.rint([0.5, 1.5, -1.2]).numpy()
    array([ 0.,  2., -1.], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.rsqrt", ragged="flat")
@emits("Rsqrt")
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x).

    >>> fg.math.rsqrt([4.0, 0.25]).numpy()
    array([0.5, 2. ], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.sigmoid", "nn.sigmoid", "sigmoid", ragged="flat")
@emits("Sigmoid")
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), without overflow.

    >>> fg.sigmoid([0.0, 100.0]).numpy()
    array([0.5, 1. ], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.sign", "sign", ragged="flat", sparse="zero")
@emits("Sign")
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 as x is negative, zero or positive; x / |x| for complex x.

    >>> fg.sign([-2.0, 0.0, 3.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.sin", "sin", ragged="flat", sparse="zero")
@emits("Sin")
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of x, an angle in radians.

    >>> fg.sin([0.5]).numpy().round(4)
    array([0.4794], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.sinh", "sinh", ragged="flat", sparse="zero")
@emits("Sinh")
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2.

    >>> fg.sinh([0.5]).numpy().round(4)
    array([0.5211], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.sqrt", "sqrt", ragged="flat", sparse="zero")
@emits("Sqrt")
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root of x; NaN below 0.

    >>> fg.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.square", "square", ragged="flat", sparse="zero")
@emits("Square")
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x.

    >>> fg.square([1, -3]).numpy()
    array([1, 9], dtype=int32)

    Args:
      x: a tensor of numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.tan", "tan", ragged="flat", sparse="zero")
@emits("Tan")
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of x, an angle in radians.

    >>> fg.tan([0.5]).numpy().round(4)
    array([0.5463], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.tanh", "nn.tanh", "tanh", ragged="flat", sparse="zero")
@emits("Tanh")
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    >>> fg.tanh([0.5]).numpy().round(4)
    array([0.4621], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("nn.elu", ragged="flat")
@emits("Elu")
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """features where positive, else exp(features) - 1.

    >>> fg.nn.elu([-1.0, 2.0]).numpy().round(4)
    array([-0.6321,  2.    ], dtype=float32)

    Args:
      features: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("nn.relu", ragged="flat", sparse="zero")
@emits("Relu")
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0).

    >>> fg.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)

    Args:
      features: a tensor of real numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("nn.relu6", ragged="flat", sparse="zero")
@emits("Relu6")
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    >>> fg.nn.relu6([-1.0, 2.0, 9.0]).numpy()
    array([0., 2., 6.], dtype=float32)

    Args:
      features: a tensor of real numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("nn.selu", ragged="flat")
@emits("Selu")
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """1.0507 * features where positive, else 1.7581 * (exp(features) - 1): self-normalising.

    >>> fg.nn.selu([-1.0, 2.0]).numpy().round(4)
    array([-1.1113,  2.1014], dtype=float32)

    Args:
      features: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.softplus", "nn.softplus", ragged="flat")
@emits("Softplus")
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(features)), without overflow.

    >>> fg.math.softplus([0.0, 100.0]).numpy().round(4)
    array([  0.6931, 100.    ], dtype=float32)

    Args:
      features: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.softsign", "nn.softsign", ragged="flat", sparse="zero")
@emits("Softsign")
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """features / (1 + |features|).

    >>> fg.math.softsign([-1.0, 3.0]).numpy()
    array([-0.5 ,  0.75], dtype=float32)

    Args:
      features: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of features and the shape of features.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("bitwise.invert", ragged="flat")
@emits("Invert")
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit flipped; for integers.

    >>> fg.bitwise.invert([0, 1]).numpy()
    array([-1, -2], dtype=int32)

    Args:
      x: a tensor of integers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


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

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    x = convert(x)
    return x if x.dtype.is_integer else emit("Round", (x,), None, name)
