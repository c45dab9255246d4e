//! Gradients of functions of one number: `g` times the conjugate of the derivative.

use super::unary::UnaryCall;
use crate::emit::*;
use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::{DType, Result};

type Rule = Result<Val>;
type E<'a> = dyn Emitter + 'a;

/// `g * conj(slope)`
fn times(e: &mut E<'_>, c: &UnaryCall<'_>, slope: &Val) -> Rule {
    let slope = e.conj(slope)?;
    e.mul(c.g, &slope)
}

/// `g / conj(divisor)`
fn over(e: &mut E<'_>, c: &UnaryCall<'_>, divisor: &Val) -> Rule {
    let divisor = e.conj(divisor)?;
    e.div(c.g, &divisor)
}

/// `a * x² + b`
fn quadratic(e: &mut E<'_>, x: &Val, a: f64, b: f64) -> Rule {
    let square = e.square(x)?;
    let b = e.scalar(b, x.dtype())?;
    if a < 0.0 {
        e.sub(&b, &square)
    } else {
        e.add(&square, &b)
    }
}

pub(super) fn neg(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    e.neg(c.g)
}

pub(super) fn abs(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let sign = e.sign(c.x)?;
    e.mul(c.g, &sign)
}

pub(super) fn complex_abs(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let (g, y) = (e.cast(c.g, c.x.dtype())?, e.cast(c.y, c.x.dtype())?);
    let sign = e.div_no_nan(c.x, &y)?;
    e.mul(&g, &sign)
}

/// Zeros; of a complex number the part of `g` across the direction `y`, over the magnitude.
pub(super) fn sign(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    if !c.x.dtype().is_complex() {
        return e.zeros_like(c.x);
    }
    let conj = e.conj(c.y)?;
    let turned = e.mul(&conj, c.g)?;
    let along = e.real(&turned)?;
    let along = e.cast(&along, c.x.dtype())?;
    let along = e.mul(c.y, &along)?;
    let across = e.sub(c.g, &along)?;
    let size = e.complex_abs(c.x)?;
    let size = e.cast(&size, c.x.dtype())?;
    e.div_no_nan(&across, &size)
}

pub(super) fn square(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.scale(c.x, 2.0)?;
    times(e, c, &slope)
}

/// `g / (2 y)`, 0 where `g` is 0.
pub(super) fn sqrt(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let half = e.scale(c.g, 0.5)?;
    let y = e.conj(c.y)?;
    e.xdivy(&half, &y)
}

/// `g * conj(slope)`, 0 where `g` is 0 even if the slope is infinite.
fn times_no_nan(e: &mut E<'_>, c: &UnaryCall<'_>, slope: &Val) -> Rule {
    let slope = e.conj(slope)?;
    e.mul_no_nan(&slope, c.g)
}

/// `-y³ / 2`
pub(super) fn rsqrt(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let square = e.square(c.y)?;
    let cube = e.mul(&square, c.y)?;
    let slope = e.scale(&cube, -0.5)?;
    times_no_nan(e, c, &slope)
}

/// `-y²`
pub(super) fn reciprocal(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let square = e.square(c.y)?;
    let slope = e.neg(&square)?;
    times_no_nan(e, c, &slope)
}

pub(super) fn exp(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    times(e, c, c.y)
}

pub(super) fn expm1(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.exp(c.x)?;
    times(e, c, &slope)
}

pub(super) fn log(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    over(e, c, c.x)
}

pub(super) fn log1p(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let one = e.scalar(1.0, c.x.dtype())?;
    let shifted = e.add(c.x, &one)?;
    over(e, c, &shifted)
}

pub(super) fn sin(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.cos(c.x)?;
    times(e, c, &slope)
}

pub(super) fn cos(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let sin = e.sin(c.x)?;
    let slope = e.neg(&sin)?;
    times(e, c, &slope)
}

pub(super) fn tan(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = quadratic(e, c.y, 1.0, 1.0)?;
    times(e, c, &slope)
}

pub(super) fn asin(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let inside = quadratic(e, c.x, -1.0, 1.0)?;
    let root = e.sqrt(&inside)?;
    over(e, c, &root)
}

pub(super) fn acos(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let grad = asin(e, c)?;
    e.neg(&grad)
}

pub(super) fn atan(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let divisor = quadratic(e, c.x, 1.0, 1.0)?;
    over(e, c, &divisor)
}

pub(super) fn sinh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.cosh(c.x)?;
    times(e, c, &slope)
}

pub(super) fn cosh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.sinh(c.x)?;
    times(e, c, &slope)
}

pub(super) fn tanh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let y = e.conj(c.y)?;
    e.tanh_grad(&y, c.g)
}

pub(super) fn asinh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let divisor = e.cosh(c.y)?;
    over(e, c, &divisor)
}

pub(super) fn acosh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let divisor = e.sinh(c.y)?;
    over(e, c, &divisor)
}

pub(super) fn atanh(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let divisor = quadratic(e, c.x, -1.0, 1.0)?;
    over(e, c, &divisor)
}

/// `g * factor * exp(sign * x²)`
fn bell(e: &mut E<'_>, c: &UnaryCall<'_>, x: &Val, factor: f64, sign: f64) -> Rule {
    let square = e.square(x)?;
    let exponent = e.scale(&square, sign)?;
    let bell = e.exp(&exponent)?;
    let slope = e.scale(&bell, factor)?;
    e.mul(c.g, &slope)
}

pub(super) fn erf(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    bell(e, c, c.x, std::f64::consts::FRAC_2_SQRT_PI, -1.0)
}

pub(super) fn erfc(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    bell(e, c, c.x, -std::f64::consts::FRAC_2_SQRT_PI, -1.0)
}

pub(super) fn erfinv(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    bell(e, c, c.y, 1.0 / std::f64::consts::FRAC_2_SQRT_PI, 1.0)
}

pub(super) fn ndtri(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    bell(e, c, c.y, std::f64::consts::TAU.sqrt(), 0.5)
}

pub(super) fn lgamma(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let slope = e.digamma(c.x)?;
    e.mul(c.g, &slope)
}

/// The trigamma function; of 16-bit floats through `f32`.
pub(super) fn digamma(e: &mut E<'_>, c: &UnaryCall<'_>) -> Rule {
    let dtype = c.x.dtype();
    let wide = if dtype == DType::Float64 {
        dtype
    } else {
        DType::Float32
    };
    let x = e.cast(c.x, wide)?;
    let one = e.scalar(1.0, wide)?;
    let slope = e.polygamma(&one, &x)?;
    let slope = e.cast(&slope, dtype)?;
    e.mul(c.g, &slope)
}
