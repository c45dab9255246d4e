"""Special functions of one, two and three numbers.

They are computed in double precision whatever the dtype of their arguments.
"""

from __future__ import annotations

from ..values.public import public
from ._base import Tensor, TensorLike, binary, convert_all, emit
from ._dispatch import dispatched
from ._emits import emits
from ._ranks import of_one_shape


@public("math.bessel_i0", "math.special.bessel_i0", ragged="flat")
@emits("BesselI0")
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    >>> fg.math.bessel_i0([0.0, 1.0]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.bessel_i1", "math.special.bessel_i1", ragged="flat", sparse="zero")
@emits("BesselI1")
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    >>> fg.math.bessel_i1([0.0, 1.0]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_k0", ragged="flat")
@emits("BesselK0")
def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0: infinite from 0 down.

    >>> fg.math.special.bessel_k0([0.5, 1.0]).numpy().round(4)
    array([0.9244, 0.421 ], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_k0e", ragged="flat")
@emits("BesselK0e")
def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) K0(x) for the modified Bessel function of the second kind of order 0.

    >>> fg.math.special.bessel_k0e([0.5, 1.0]).numpy().round(4)
    array([1.5241, 1.1445], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_k1", ragged="flat")
@emits("BesselK1")
def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1: infinite from 0 down.

    >>> fg.math.special.bessel_k1([0.5, 1.0]).numpy().round(4)
    array([1.6564, 0.6019], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_k1e", ragged="flat")
@emits("BesselK1e")
def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) K1(x) for the modified Bessel function of the second kind of order 1.

    >>> fg.math.special.bessel_k1e([0.5, 1.0]).numpy().round(4)
    array([2.731 , 1.6362], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_j0", ragged="flat")
@emits("BesselJ0")
def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0.

    >>> fg.math.special.bessel_j0([0.5, 1.0]).numpy().round(4)
    array([0.9385, 0.7652], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_j1", ragged="flat", sparse="zero")
@emits("BesselJ1")
def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1.

    >>> fg.math.special.bessel_j1([0.5, 1.0]).numpy().round(4)
    array([0.2423, 0.4401], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_y0", ragged="flat")
@emits("BesselY0")
def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0: -infinity from 0 down.

    >>> fg.math.special.bessel_y0([0.5, 1.0]).numpy().round(4)
    array([-0.4445,  0.0883], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.bessel_y1", ragged="flat")
@emits("BesselY1")
def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1: -infinity from 0 down.

    >>> fg.math.special.bessel_y1([0.5, 1.0]).numpy().round(4)
    array([-1.4715, -0.7812], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.dawsn", ragged="flat", sparse="zero")
@emits("Dawsn")
def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.

    >>> fg.math.special.dawsn([0.5, 1.0]).numpy().round(4)
    array([0.4244, 0.5381], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.expint", ragged="flat")
@emits("Expint")
def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of exp(t) / t from -infinity to x (its principal value); NaN below 0.

    >>> fg.math.special.expint([0.5, 1.0]).numpy().round(4)
    array([0.4542, 1.8951], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.fresnel_cos", ragged="flat", sparse="zero")
@emits("FresnelCos")
def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of cos(pi t^2 / 2) from 0 to x.

    >>> fg.math.special.fresnel_cos([0.5, 1.0]).numpy().round(4)
    array([0.4923, 0.7799], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.fresnel_sin", ragged="flat", sparse="zero")
@emits("FresnelSin")
def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of sin(pi t^2 / 2) from 0 to x.

    >>> fg.math.special.fresnel_sin([0.5, 1.0]).numpy().round(4)
    array([0.0647, 0.4383], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.special.spence", ragged="flat")
@emits("Spence")
def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's integral: minus that of log(t) / (t - 1) from 1 to x, which is Li2(1 - x).

    NaN for x below 0.

    >>> fg.math.special.spence([0.5, 1.0, 2.0]).numpy().round(4)
    array([ 0.5822,  0.    , -0.8225], dtype=float32)

    Args:
      x: a tensor of floats, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of x and the shape of x.

    Raises:
      InvalidArgumentError: for another dtype.
    """


@public("math.igamma", ragged="pair")
@dispatched
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function P(a, x); shapes broadcast.

    The integral of t^(a-1) exp(-t) from 0 to x, over Gamma(a). It is differentiable by both
    arguments: twice by ``a``.

    >>> fg.math.igamma([1.0, 2.0], 1.0).numpy().round(4)
    array([0.6321, 0.2642], dtype=float32)

    Args:
      a: the parameter, above 0; NaN else.
      x: the upper end of the integral, from 0 on; NaN else.
      name: the name of the operation.

    Returns:
      A tensor of the operands' dtype and the shape that they broadcast to.
    """
    return binary("Igamma", a, x, name)


@public("math.igammac", ragged="pair")
@dispatched
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function Q(a, x) = 1 - P(a, x); shapes broadcast.

    It is accurate where it is small, and differentiable as ``igamma`` is.

    >>> fg.math.igammac([1.0, 2.0], 1.0).numpy().round(4)
    array([0.3679, 0.7358], dtype=float32)

    Args:
      a: the parameter, above 0; NaN else.
      x: the lower end of the integral, from 0 on; NaN else.
      name: the name of the operation.

    Returns:
      A tensor of the operands' dtype and the shape that they broadcast to.
    """
    return binary("Igammac", a, x, name)


@public("math.betainc")
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function I_x(a, b); shapes broadcast.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, over that to 1. The gradient flows to ``x``
    alone. An operand of which a trace does not know the rank takes the shape of the others.

    >>> fg.math.betainc(2.0, [1.0, 2.0], 0.5).numpy()
    array([0.25, 0.5 ], dtype=float32)

    Args:
      a, b: the parameters, float32 or float64, above 0; NaN else.
      x: the upper end of the integral, in [0, 1]; NaN else.
      name: the name of the operation.

    Returns:
      A tensor of the operands' dtype and the shape that they broadcast to.
    """
    return emit("Betainc", tuple(of_one_shape(convert_all((a, b, x)))), None, name)
