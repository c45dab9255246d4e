//! Derivatives of the functions of one number, from the number `x` and the value `y`: DLMF 10.6, 10.29, 7.10, 25.12.

use crate::emit::*;
use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::Result;

/// The derivative, from the number and the value.
pub(crate) type Slope = fn(&mut dyn Emitter, &Val, &Val) -> Result<Val>;

type E<'a> = dyn Emitter + 'a;

/// `g * slope`, 0 where `g` is 0 even at a pole of the slope.
pub(crate) fn times(e: &mut E<'_>, g: &Val, slope: &Val) -> Result<Val> {
    e.mul_no_nan(slope, g)
}

pub(crate) fn bessel_i0(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    e.bessel_i1(x)
}

/// `I0 - I1 / x`
pub(crate) fn bessel_i1(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_i0(x)?;
    let ratio = e.ratio_at_zero(y, x, 0.5)?;
    e.sub(&other, &ratio)
}

pub(crate) fn bessel_k0(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let other = e.bessel_k1(x)?;
    e.neg(&other)
}

/// `-K0 - K1 / x`
pub(crate) fn bessel_k1(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_k0(x)?;
    let ratio = e.div(y, x)?;
    let sum = e.add(&other, &ratio)?;
    e.neg(&sum)
}

/// `K0e - K1e`
pub(crate) fn bessel_k0e(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_k1e(x)?;
    e.sub(y, &other)
}

/// `K1e (1 - 1 / x) - K0e`, whose terms are of one sign at the pole
pub(crate) fn bessel_k1e(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_k0e(x)?;
    let one = e.scalar(1.0, x.dtype())?;
    let inverse = e.div(&one, x)?;
    let factor = e.sub(&one, &inverse)?;
    let product = e.mul(y, &factor)?;
    e.sub(&product, &other)
}

pub(crate) fn bessel_j0(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let other = e.bessel_j1(x)?;
    e.neg(&other)
}

/// `J0 - J1 / x`
pub(crate) fn bessel_j1(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_j0(x)?;
    let ratio = e.ratio_at_zero(y, x, 0.5)?;
    e.sub(&other, &ratio)
}

pub(crate) fn bessel_y0(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let other = e.bessel_y1(x)?;
    e.neg(&other)
}

/// `Y0 - Y1 / x`
pub(crate) fn bessel_y1(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let other = e.bessel_y0(x)?;
    let ratio = e.div(y, x)?;
    e.sub(&other, &ratio)
}

/// `1 - 2 x y`
pub(crate) fn dawsn(e: &mut E<'_>, x: &Val, y: &Val) -> Result<Val> {
    let one = e.scalar(1.0, x.dtype())?;
    let product = e.mul(x, y)?;
    let twice = e.scale(&product, 2.0)?;
    e.sub(&one, &twice)
}

/// `e^x / x`
pub(crate) fn expint(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let power = e.exp(x)?;
    e.div(&power, x)
}

/// `pi x² / 2`
fn turns(e: &mut E<'_>, x: &Val) -> Result<Val> {
    let square = e.square(x)?;
    e.scale(&square, std::f64::consts::FRAC_PI_2)
}

pub(crate) fn fresnel_cos(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let angle = turns(e, x)?;
    e.cos(&angle)
}

pub(crate) fn fresnel_sin(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let angle = turns(e, x)?;
    e.sin(&angle)
}

/// `-ln(x) / (x - 1)`, which is -1 at 1.
pub(crate) fn spence(e: &mut E<'_>, x: &Val, _y: &Val) -> Result<Val> {
    let one = e.scalar(1.0, x.dtype())?;
    let off = e.sub(x, &one)?;
    let log = e.log(x)?;
    let slope = e.ratio_at_zero(&log, &off, 1.0)?;
    e.neg(&slope)
}
