//! Double precision: the reductions and polynomials of fdlibm, without branches.

use super::coefficients::double::{
    EXP, LN2_HI, LN2_LO, LOG, LOG_SCALE, ROUND, SQRT_HALF, TANH_ABOVE, TANH_BELOW, TANH_NEAR,
};
use crate::isa::Isa;

mod arcs;
mod circular;
mod error;
mod power;

pub use arcs::{acos, acosh, asin, asinh, atan, atan2, atanh};
pub use circular::{FAR, cos, is_far, sin, tan};
pub use error::{erf, erfc};
pub use power::pow;

/// Horner's scheme, the highest coefficient first.
#[inline(always)]
pub(super) fn poly<I: Isa, const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut y = c[0];
    let mut i = 1;
    while i < N {
        y = I::fma64(y, x, c[i]);
        i += 1;
    }
    y
}

/// `2^n` for an integer-valued float that is a normal exponent.
#[inline(always)]
fn exp2i(n: f64) -> f64 {
    f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52)
}

/// `e^x`
#[inline(always)]
pub fn exp<I: Isa>(x: f64) -> f64 {
    exp_of_sum::<I>(x, 0.0)
}

/// `e^(x + rest)`, where the rest is at most some hundredths.
#[inline(always)]
fn exp_of_sum<I: Isa>(x: f64, rest: f64) -> f64 {
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (n, p) = exp_less_one::<I>(x, rest);
    let half = I::fma64(n, 0.5, ROUND) - ROUND;
    (1.0 + p) * exp2i(half) * exp2i(n - half)
}

/// `x + rest = n ln 2 + r`: n, and `e^r - 1`.
#[inline(always)]
fn exp_less_one<I: Isa>(x: f64, rest: f64) -> (f64, f64) {
    let n = I::fma64(x, std::f64::consts::LOG2_E, ROUND) - ROUND;
    let hi = I::fma64(n, -LN2_HI, x);
    let lo = n * LN2_LO - rest;
    let r = hi - lo;
    let z = r * r;
    let c = I::fma64(-z, poly::<I, 5>(z, EXP), r);
    (n, r * c / (2.0 - c) - lo + hi)
}

/// `e^x - 1`
#[inline(always)]
pub fn expm1<I: Isa>(x: f64) -> f64 {
    let c = if x > 710.0 { 710.0 } else { x };
    let c = if c < -40.0 { -40.0 } else { c };
    let (n, p) = exp_less_one::<I>(c, 0.0);
    let s = exp2i(n - 1.0);
    let y = I::fma64(s, p, s - 0.5) * 2.0;
    if x == 0.0 { x } else { y }
}

/// `e^a / 2` for large `a`, in two factors.
#[inline(always)]
fn half_exp<I: Isa>(a: f64) -> f64 {
    let root = exp::<I>(0.5 * a);
    0.5 * root * root
}

/// Beyond it the hyperbolic functions are half an exponential, which may be too large where they are not.
const HYPERBOLIC_FAR: f64 = 700.0;

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let t = expm1::<I>(a);
    let near = 0.5 * (t + t / (t + 1.0));
    let y = if a > HYPERBOLIC_FAR {
        half_exp::<I>(a)
    } else {
        near
    };
    y.copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let e = exp::<I>(a);
    if a > HYPERBOLIC_FAR {
        half_exp::<I>(a)
    } else {
        0.5 * e + 0.5 / e
    }
}

/// `log(1 + e^x)`
#[inline(always)]
pub fn softplus<I: Isa>(x: f64) -> f64 {
    let positive = if x < 0.0 { 0.0 } else { x };
    positive + log1p::<I>(exp::<I>(-x.abs()))
}

/// `e^x` to the precision of f32 and some bits more, without a division.
#[inline(always)]
pub fn exp_short<I: Isa>(x: f64) -> f64 {
    let x = if x > 200.0 { 200.0 } else { x };
    let x = if x < -200.0 { -200.0 } else { x };
    let shifted = I::fma64(x, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = I::fma64(n, -std::f64::consts::LN_2, x);
    let mut y = 1.0 / 362_880.0;
    for c in [
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        y = I::fma64(y, r, c);
    }
    y * exp2i(n)
}

/// The natural logarithm.
#[inline(always)]
pub fn log<I: Isa>(x: f64) -> f64 {
    let y = log_positive::<I>(x);
    if x >= 0.0 { y } else { f64::NAN }
}

/// The natural logarithm of a number that is positive, zero or NaN.
#[inline(always)]
pub fn log_positive<I: Isa>(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff;
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny { x * LOG_SCALE } else { x };
    // The exponent stays positive (bias 1024 more), so that a logical shift serves and its bits make a float.
    let bits = scaled
        .to_bits()
        .wrapping_sub(SQRT_HALF)
        .wrapping_add(1024 << 52);
    let biased = f64::from_bits((bits >> 52) & (EXPONENT + 2048) | 0x4330_0000_0000_0000)
        - 4_503_599_627_370_496.0;
    let e = biased - 1024.0 - if tiny { 54.0 } else { 0.0 };
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let p = poly::<I, 7>(z, LOG) * z;
    let half = 0.5 * f * f;
    let y = I::fma64(e, LN2_HI, f - (half - I::fma64(s, half + p, e * LN2_LO)));
    let y = if x == f64::INFINITY { x } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    if x.is_nan() { x } else { y }
}

/// `1 / (1 + e^-x)`
#[inline(always)]
pub fn sigmoid<I: Isa>(x: f64) -> f64 {
    let e = exp::<I>(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    top / (1.0 + e)
}

/// `log(1 + x)`: the logarithm of the rounded sum, and what the rounding took.
#[inline(always)]
pub fn log1p<I: Isa>(x: f64) -> f64 {
    let sum = 1.0 + x;
    let lost = x - (sum - 1.0);
    let y = log::<I>(sum) + lost / sum;
    let y = if sum == 1.0 || x == f64::INFINITY {
        x
    } else {
        y
    };
    if x == -1.0 { f64::NEG_INFINITY } else { y }
}

/// The hyperbolic tangent: near 0 by a quotient of polynomials in `x²` (Cephes), beyond by an exponential.
#[inline(always)]
pub fn tanh<I: Isa>(x: f64) -> f64 {
    let size = x.abs();
    let z = x * x;
    let p = poly::<I, 3>(z, TANH_ABOVE);
    let q = poly::<I, 4>(z, TANH_BELOW);
    let near = I::fma64(x * z, p / q, x);
    let far = (1.0 - 2.0 / (exp::<I>(2.0 * size) + 1.0)).copysign(x);
    let y = if size < TANH_NEAR { near } else { far };
    if x == 0.0 || x.is_nan() { x } else { y }
}
