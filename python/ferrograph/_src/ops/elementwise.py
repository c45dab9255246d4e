"""Elementwise mathematics: mostly one operation a function."""

from functools import partial

from ._base import binary, convert, convert_pair, emit, float32, float64
from ._dispatch import dispatched
from ._table import pair, unary

_of_x = partial(unary, __name__, "x")
_of_features = partial(unary, __name__, "features")
_of_a = partial(unary, __name__, "a")
_of_pair = partial(pair, __name__)

acos = _of_x("acos", "Acos", "The angle in [0, pi] whose cosine is x.")
acosh = _of_x("acosh", "Acosh", "The non-negative number whose hyperbolic cosine is x, for x >= 1.")
asin = _of_x("asin", "Asin", "The angle in [-pi/2, pi/2] whose sine is x.")
asinh = _of_x("asinh", "Asinh", "The number whose hyperbolic sine is x.")
atan = _of_x("atan", "Atan", "The angle in (-pi/2, pi/2) whose tangent is x.")
atanh = _of_x("atanh", "Atanh", "The number whose hyperbolic tangent is x, for x in [-1, 1].")
ceil = _of_x("ceil", "Ceil", "The smallest whole number that is not below x.")
cos = _of_x("cos", "Cos", "The cosine of x, an angle in radians.")
cosh = _of_x("cosh", "Cosh", "The hyperbolic cosine, (exp(x) + exp(-x)) / 2.")
digamma = _of_x("digamma", "Digamma", "The derivative of lgamma, Gamma'(x) / Gamma(x).")
erf = _of_x(
    "erf", "Erf", "The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."
)
erfc = _of_x("erfc", "Erfc", "1 - erf(x), accurate also where erf(x) is close to 1.")
erfinv = _of_x("erfinv", "Erfinv", "The number whose error function is x, for x in [-1, 1].")
exp = _of_x("exp", "Exp", "e to the power of x.")
expm1 = _of_x("expm1", "Expm1", "exp(x) - 1, accurate also for x close to 0.")
floor = _of_x("floor", "Floor", "The largest whole number that is not above x.")
is_finite = _of_x("is_finite", "IsFinite", "Whether x is neither infinite nor NaN, as bool.")
is_inf = _of_x("is_inf", "IsInf", "Whether x is infinite, as bool.")
is_nan = _of_x("is_nan", "IsNan", "Whether x is NaN, as bool.")
lgamma = _of_x("lgamma", "Lgamma", "The logarithm of the absolute value of Gamma(x).")
log = _of_x("log", "Log", "The natural logarithm of x; NaN below 0 and -inf at 0.")
log1p = _of_x("log1p", "Log1p", "log(1 + x), accurate also for x close to 0.")
logical_not = _of_x("logical_not", "LogicalNot", "True where x is False; for bool tensors.")
ndtri = _of_x("ndtri", "Ndtri", "The number below which the normal distribution has probability x.")
negative = _of_x("negative", "Neg", "-x.")
reciprocal = _of_x("reciprocal", "Reciprocal", "1 / x.")
rint = _of_x("rint", "Rint", "The whole number nearest to x, halves going to the even one.")
rsqrt = _of_x("rsqrt", "Rsqrt", "1 / sqrt(x).")
sigmoid = _of_x("sigmoid", "Sigmoid", "1 / (1 + exp(-x)), without overflow.")
sign = _of_x(
    "sign", "Sign", "-1, 0 or 1 as x is negative, zero or positive; x / |x| for complex x."
)
sin = _of_x("sin", "Sin", "The sine of x, an angle in radians.")
sinh = _of_x("sinh", "Sinh", "The hyperbolic sine, (exp(x) - exp(-x)) / 2.")
sqrt = _of_x("sqrt", "Sqrt", "The square root of x; NaN below 0.")
square = _of_x("square", "Square", "x * x.")
tan = _of_x("tan", "Tan", "The tangent of x, an angle in radians.")
tanh = _of_x("tanh", "Tanh", "The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x)).")

elu = _of_features("elu", "Elu", "features where positive, else exp(features) - 1.")
relu = _of_features("relu", "Relu", "max(features, 0).")
relu6 = _of_features("relu6", "Relu6", "min(max(features, 0), 6).")
selu = _of_features(
    "selu",
    "Selu",
    "1.0507 * features where positive, else 1.7581 * (exp(features) - 1): self-normalising.",
)
softplus = _of_features("softplus", "Softplus", "log(1 + exp(features)), without overflow.")
softsign = _of_features("softsign", "Softsign", "features / (1 + |features|).")

invert = _of_a("invert", "Invert", "Every bit flipped; for integers.")

add = _of_pair("add", "AddV2", "x + y; strings are joined.")
bitwise_and = _of_pair("bitwise_and", "BitwiseAnd", "The bits set in both x and y; for integers.")
bitwise_or = _of_pair("bitwise_or", "BitwiseOr", "The bits set in x or y; for integers.")
bitwise_xor = _of_pair(
    "bitwise_xor", "BitwiseXor", "The bits set in one of x and y alone; for integers."
)
divide_no_nan = _of_pair("divide_no_nan", "DivNoNan", "x / y, and 0 wherever y is 0.")
equal = _of_pair("equal", "Equal", "Whether x equals y, as bool.")
floordiv = _of_pair(
    "floordiv", "FloorDiv", "x / y rounded towards minus infinity, as Python's ``//``."
)
floormod = _of_pair(
    "floormod", "FloorMod", "The remainder of floordiv: it has the sign of y, as Python's ``%``."
)
greater = _of_pair("greater", "Greater", "Whether x > y, as bool.")
greater_equal = _of_pair("greater_equal", "GreaterEqual", "Whether x >= y, as bool.")
left_shift = _of_pair("left_shift", "LeftShift", "The bits of x moved y places up; for integers.")
less = _of_pair("less", "Less", "Whether x < y, as bool.")
less_equal = _of_pair("less_equal", "LessEqual", "Whether x <= y, as bool.")
logical_and = _of_pair(
    "logical_and", "LogicalAnd", "Whether both x and y are True; for bool tensors."
)
logical_or = _of_pair("logical_or", "LogicalOr", "Whether x or y is True; for bool tensors.")
maximum = _of_pair("maximum", "Maximum", "The larger of x and y; NaN where either is NaN.")
minimum = _of_pair("minimum", "Minimum", "The smaller of x and y; NaN where either is NaN.")
multiply = _of_pair("multiply", "Mul", "x * y.")
multiply_no_nan = _of_pair(
    "multiply_no_nan", "MulNoNan", "x * y, and 0 wherever y is 0, even if x is NaN or infinite."
)
not_equal = _of_pair("not_equal", "NotEqual", "Whether x differs from y, as bool.")
pow = _of_pair("pow", "Pow", "x to the power of y. Negative powers of integers are refused.")
realdiv = _of_pair("realdiv", "RealDiv", "x / y, for floats and complex numbers.")
right_shift = _of_pair(
    "right_shift", "RightShift", "The bits of x moved y places down, keeping the sign."
)
squared_difference = _of_pair(
    "squared_difference", "SquaredDifference", "(x - y)^2, times its conjugate if complex."
)
subtract = _of_pair("subtract", "Sub", "x - y.")
truncatediv = _of_pair("truncatediv", "TruncateDiv", "x / y rounded towards zero; for integers.")
truncatemod = _of_pair(
    "truncatemod", "TruncateMod", "The remainder of truncatediv: it has the sign of x."
)
xdivy = _of_pair("xdivy", "Xdivy", "x / y, and 0 wherever x is 0.")
xlog1py = _of_pair("xlog1py", "Xlog1py", "x * log(1 + y), and 0 wherever x is 0.")
xlogy = _of_pair("xlogy", "Xlogy", "x * log(y), and 0 wherever x is 0.")
mod = floormod

# What true division turns narrow and wide integers into.
_DIVISION = dict.fromkeys(("int8", "uint8", "int16", "uint16"), float32) | dict.fromkeys(
    ("int32", "uint32", "int64", "uint64"), float64
)


@dispatched
def abs(x, name=None):
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


@dispatched
def round(x, name=None):
    """The nearest whole number, halves going to the even one; integers stay as they are.

    >>> fg.round([0.5, 1.5, -2.4]).numpy()
    array([ 0.,  2., -2.], dtype=float32)
    """
    x = convert(x)
    return x if x.dtype.is_integer else emit("Round", (x,), None, name)


@dispatched
def atan2(y, x, name=None):
    """The angle of the point ``(x, y)`` in [-pi, pi], in the quadrant that both signs tell.

    >>> fg.atan2([1.0, -1.0], [-1.0, -1.0]).numpy()
    array([ 2.3561945, -2.3561945], dtype=float32)

    Args:
      y: a tensor of floats.
      x: likewise, of the same dtype; the shapes broadcast.
      name: a name for the operation.
    """
    return binary("Atan2", y, x, name)


@dispatched
def truediv(x, y, name=None):
    """``x / y``. Integers become floats first: those of 8 and 16 bits float32, wider ones float64.

    >>> fg.truediv(fg.constant([7, 3]), 2).numpy()
    array([3.5, 1.5])
    """
    x, y = convert_pair(x, y)
    wide = _DIVISION.get(x.dtype.name)
    if wide is not None and x.dtype == y.dtype:
        x, y = emit("Cast", (x,), {"DstT": wide}, None), emit("Cast", (y,), {"DstT": wide}, None)
    return emit("RealDiv", (x, y), None, name)


@dispatched
def divide(x, y, name=None):
    """``x / y`` as Python's operator gives it: true division, floats for integers.

    >>> fg.divide([3.0, 1.0], 2.0).numpy()
    array([1.5, 0.5], dtype=float32)
    """
    return truediv(x, y, name)


@dispatched
def logical_xor(x, y, name="LogicalXor"):
    """Whether exactly one of ``x`` and ``y`` is True, element by element; shapes broadcast.

    >>> fg.math.logical_xor([True, False], True).numpy()
    array([False,  True])
    """
    either, both = logical_or(x, y), logical_and(x, y)
    return logical_and(either, logical_not(both), name)


@dispatched
def reciprocal_no_nan(x, name=None):
    """``1 / x``, and 0 wherever ``x`` is 0.

    >>> fg.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    x = convert(x)
    return divide_no_nan(emit("OnesLike", (x,), None, None), x, name)


@dispatched
def erfcinv(x, name=None):
    """The number whose complementary error function is ``x``, for ``x`` in [0, 2].

    >>> fg.math.erfcinv([1.0]).numpy() + 0.0
    array([0.], dtype=float32)
    """
    return multiply(ndtri(multiply(0.5, x)), -0.7071067811865476, name)


@dispatched
def nextafter(x1, x2, name=None):
    """The floating-point number next to ``x1`` in the direction of ``x2``; shapes broadcast.

    >>> float(fg.math.nextafter(1.0, 2.0)) > 1.0
    True
    """
    return binary("NextAfter", x1, x2, name)


@dispatched
def polygamma(a, x, name=None):
    """The derivative number ``a`` of ``digamma`` at ``x``, for whole ``a``; shapes broadcast.

    >>> round(float(fg.math.polygamma(1.0, 1.0)), 4)
    1.6449
    """
    return binary("Polygamma", a, x, name)


@dispatched
def zeta(x, q, name=None):
    """The sum of ``(q + n)^-x`` over n = 0, 1, ... (Hurwitz); shapes broadcast.

    >>> round(float(fg.math.zeta(2.0, 1.0)), 4)
    1.6449
    """
    return binary("Zeta", x, q, name)


@dispatched
def log_sigmoid(x, name=None):
    """``log(sigmoid(x))`` as ``-softplus(-x)``, which stays finite for large negative ``x``.

    >>> fg.math.log_sigmoid([0.0, -200.0]).numpy()
    array([  -0.6931472, -200.       ], dtype=float32)
    """
    return negative(softplus(negative(x)), name)


@dispatched
def scalar_mul(scalar, x, name=None):
    """``scalar * x`` for a number or a scalar tensor.

    Raises:
      ValueError: where ``scalar`` is no scalar.
    """
    x, scalar = convert_pair(x, scalar)
    if scalar.ndim not in (0, None):
        raise ValueError(f"scalar_mul needs a scalar, got shape {scalar.shape}")
    return multiply(scalar, x, name)
