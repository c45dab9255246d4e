//! Powers: the logarithm in two parts, so that its error does not grow with the exponent.

use super::{exp_of_sum, poly};
use crate::isa::Isa;
use crate::vmath::coefficients::double::{LOG_SCALE, SQRT_HALF};

/// `x^y`, with one rounding to speak of where multiply-adds have one; by the library where they have not.
#[inline(always)]
pub fn pow<I: Isa>(x: f64, y: f64) -> f64 {
    if !I::FUSED {
        return x.powf(y);
    }
    let (high, low) = log_parts::<I>(x.abs());
    let product = y * high;
    let rest = I::fma64(y, high, -product) + y * low;
    let rest = if product.abs() < 1e4 { rest } else { 0.0 };
    let magnitude = exp_of_sum::<I>(product, rest);
    let half = y * 0.5;
    let whole = y.trunc() == y;
    let odd = whole && half.trunc() != half;
    let signed = if odd && x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    };
    let r = if x < 0.0 && !whole && x != f64::NEG_INFINITY {
        f64::NAN
    } else {
        signed
    };
    let r = if x == -1.0 && y.is_infinite() { 1.0 } else { r };
    let r = if x.is_nan() || y.is_nan() {
        f64::NAN
    } else {
        r
    };
    if y == 0.0 || x == 1.0 { 1.0 } else { r }
}

/// The natural logarithm of a number that is positive, zero or NaN, in two parts: `e ln 2` and the series of
/// `log((1 + s) / (1 - s))` for `s = (m - 1) / (m + 1)`, each term as exact as its size asks.
#[inline(always)]
fn log_parts<I: Isa>(x: f64) -> (f64, f64) {
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny { x * LOG_SCALE } else { x };
    let bits = scaled
        .to_bits()
        .wrapping_sub(SQRT_HALF)
        .wrapping_add(1024 << 52);
    let biased =
        f64::from_bits((bits >> 52) & 0xfff | 0x4330_0000_0000_0000) - 4_503_599_627_370_496.0;
    let e = biased - 1024.0 - if tiny { 54.0 } else { 0.0 };
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    let (above, below) = (m - 1.0, m + 1.0);
    let below_rest = (1.0 - below) + m;
    let s = above / below;
    let s_rest = (I::fma64(-s, below, above) - s * below_rest) / below;
    let z = s * s;
    let z_rest = I::fma64(s, s, -z) + 2.0 * s * s_rest;
    // s³ (2/3 + s² q): the first factor's product in two parts.
    let cube = z * s;
    let cube_rest = I::fma64(z, s, -cube) + z * s_rest + z_rest * s;
    let third = cube * TWO_THIRDS;
    let third_rest =
        I::fma64(cube, TWO_THIRDS, -third) + cube * TWO_THIRDS_REST + cube_rest * TWO_THIRDS;
    let tail = cube * z * poly::<I, 8>(z, LOG);
    let (lead, lead_rest) = sum(e * LN2_HI, 2.0 * s);
    let (high, high_rest) = sum(lead, third);
    let low = high_rest + lead_rest + (I::fma64(e, LN2_LO, tail) + (third_rest + 2.0 * s_rest));
    let (high, low) = (high + low, (high - (high + low)) + low);
    let high = if x == f64::INFINITY { x } else { high };
    let high = if x == 0.0 { f64::NEG_INFINITY } else { high };
    (high, low)
}

/// `a + b` and what the rounding took from it.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let back = s - a;
    (s, (a - (s - back)) + (b - back))
}

/// Leading bits of ln 2, so that its product with an exponent is exact, and the rest.
const LN2_HI: f64 = 0.693_147_180_559_890_3;
const LN2_LO: f64 = 5.497_923_018_708_371e-14;

const TWO_THIRDS: f64 = 2.0 / 3.0;
const TWO_THIRDS_REST: f64 = 3.700_743_415_417_188e-17;

/// `(log((1 + s) / (1 - s)) - 2 s - 2/3 s³) / s⁵` in `s²`: a Chebyshev fit.
const LOG: [f64; 8] = [
    0.117_236_036_229_054_11,
    0.117_061_956_898_813_64,
    0.133_348_062_121_006_03,
    0.153_845_949_345_979_17,
    0.181_818_183_356_541_6,
    0.222_222_222_216_547_33,
    0.285_714_285_714_293_7,
    0.4,
];
