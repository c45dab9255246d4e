//! Single precision.

use super::coefficients::single::{
    ERF_NEAR, ERF_ROOT, ERF_SMALL, EXP_TAIL, EXP_TWICE, LN2_HALF, LN2_HI, LN2_LO, LOG, LOG_SCALE,
    ROUND, SQRT_HALF, TANH, TANH_NEAR,
};
use crate::isa::Isa;

mod arcs;
mod error;

pub use arcs::{acos, acosh, asin, asinh, atan, atan2, atanh};
pub use error::erfc;

const LOG2_E: f32 = std::f32::consts::LOG2_E;

/// Horner's scheme, the highest coefficient first.
#[inline(always)]
fn poly<I: Isa, const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut y = c[0];
    let mut i = 1;
    while i < N {
        y = I::fma32(y, x, c[i]);
        i += 1;
    }
    y
}

/// `2^n` for an integer that is a normal exponent.
#[inline(always)]
fn exp2i(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23) as u32)
}

/// `x = n ln 2 + r`: n as float and as integer, and r.
#[inline(always)]
fn reduce_ln2<I: Isa>(x: f32) -> (i32, f32) {
    let shifted = I::fma32(x, LOG2_E, ROUND);
    let n = shifted - ROUND;
    let i = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    (i, I::fma32(n, -LN2_LO, I::fma32(n, -LN2_HI, x)))
}

/// `(e^r - 1 - r) / r²` for `|r| <= ln 2 / 2`.
#[inline(always)]
fn exp_tail<I: Isa>(r: f32) -> f32 {
    poly::<I, 6>(r, EXP_TAIL)
}

/// `e^x`
#[inline(always)]
pub fn exp<I: Isa>(x: f32) -> f32 {
    let x = if x > 89.5 { 89.5 } else { x };
    let x = if x < -105.0 { -105.0 } else { x };
    let (n, r) = reduce_ln2::<I>(x);
    let y = I::fma32(exp_tail::<I>(r), r * r, r) + 1.0;
    // Two steps, so that results below the normal range round once and those above it become infinite.
    let half = n >> 1;
    y * exp2i(half) * exp2i(n - half)
}

/// `e^x - 1`
#[inline(always)]
pub fn expm1<I: Isa>(x: f32) -> f32 {
    let c = if x > 89.0 { 89.0 } else { x };
    let c = if c < -18.0 { -18.0 } else { c };
    let (n, r) = reduce_ln2::<I>(c);
    let p = I::fma32(exp_tail::<I>(r), r * r, r);
    let s = exp2i(n - 1);
    let y = I::fma32(s, p, s - 0.5) * 2.0;
    if x == 0.0 { x } else { y }
}

/// The natural logarithm.
#[inline(always)]
pub fn log<I: Isa>(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * LOG_SCALE } else { x };
    let bits = scaled.to_bits().wrapping_sub(SQRT_HALF);
    let e = (((bits as i32) >> 23) - if tiny { 23 } else { 0 }) as f32;
    let f = f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF)) - 1.0;
    let z = f * f;
    let p = poly::<I, 9>(f, LOG);
    let y = I::fma32(e, LN2_LO, p * f * z);
    let y = I::fma32(-0.5, z, y);
    let y = I::fma32(e, LN2_HI, f + y);
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    if x >= 0.0 { y } else { f32::NAN }
}

/// `log(1 + x)`
#[inline(always)]
pub fn log1p<I: Isa>(x: f32) -> f32 {
    let u = 1.0 + x;
    let lost = x - (u - 1.0);
    let y = log::<I>(u) + lost / u;
    let y = if u == 1.0 { x } else { y };
    let y = if x == -1.0 { f32::NEG_INFINITY } else { y };
    if x == f32::INFINITY { x } else { y }
}

/// `e^2x` for `0 <= x <= 10`, within two units of the last place while it is small.
#[inline(always)]
fn exp_twice<I: Isa>(x: f32) -> f32 {
    let shifted = I::fma32(x, 2.0 * LOG2_E, ROUND);
    let r = I::fma32(shifted - ROUND, -LN2_HALF, x);
    // The integer is in the low bits of the sum, whose high ones are shifted out.
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
    poly::<I, 7>(r, EXP_TWICE) * scale
}

/// The hyperbolic tangent: behind a polynomial it is one less what is small, so that the errors of that hardly matter.
#[inline(always)]
pub fn tanh<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 10.0 { 10.0 } else { a };
    let z = a * a;
    let near = I::fma32(a * z, poly::<I, 4>(z, TANH), a);
    let far = 1.0 - 2.0 / (exp_twice::<I>(a) + 1.0);
    let y = if a < TANH_NEAR { near } else { far };
    y.copysign(x)
}

/// `1 / (1 + e^-x)`: below zero `e - e y` for `e = e^x` and the rounded quotient `y`.
#[inline(always)]
pub fn sigmoid<I: Isa>(x: f32) -> f32 {
    let e = exp::<I>(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    let y = top / (1.0 + e);
    if x < 0.0 { I::fma32(-e, y, e) } else { y }
}

/// `log(1 + e^x)`
#[inline(always)]
pub fn softplus<I: Isa>(x: f32) -> f32 {
    let positive = if x < 0.0 { 0.0 } else { x };
    positive + log1p::<I>(exp::<I>(-x.abs()))
}

/// Whether `sin` and `cos` are beyond the reach of their reduction.
#[inline(always)]
pub fn is_far(x: f32) -> bool {
    x.abs() > 1e8
}

/// `x = n π/2 + r` for `|x| <= 1e8`.
#[inline(always)]
fn reduce_pi<I: Isa>(x: f32) -> (u32, f64) {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const PIO2_HI: f64 = f64::from_bits(0x3ff9_21fb_5000_0000);
    const PIO2_LO: f64 = f64::from_bits(0x3e51_10b4_611a_6263);
    let x = x as f64;
    let shifted = I::fma64(x, std::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let r = I::fma64(n, -PIO2_LO, I::fma64(n, -PIO2_HI, x));
    (shifted.to_bits() as u32, r)
}

/// The sine and the cosine, to an eighth of a turn.
#[inline(always)]
fn both<I: Isa>(r: f64) -> (f64, f64) {
    let z = r * r;
    let s = I::fma64(z, 2.718_311_493_989_822_4e-6, -1.983_933_483_603_121_3e-4);
    let s = I::fma64(
        I::fma64(s, z, 8.333_329_385_889_463e-3),
        z,
        -0.166_666_664_163_247_35,
    );
    let s = I::fma64(s * z, r, r);
    let c = I::fma64(z, 2.439_044_879_627_741_6e-5, -0.001_388_676_377_460_993);
    let c = I::fma64(
        I::fma64(c, z, 0.041_666_623_323_739_06),
        z,
        -0.499_999_997_251_031,
    );
    (s, I::fma64(c, z, 1.0))
}

/// The sine of `n` right angles and the rest.
#[inline(always)]
fn turned<I: Isa>(n: u32, r: f64) -> f32 {
    let (s, c) = both::<I>(r);
    let y = (if n & 1 == 0 { s } else { c }) as f32;
    f32::from_bits(y.to_bits() ^ ((n & 2) << 30))
}

/// The sine, for arguments that are not [far](is_far).
#[inline(always)]
pub fn sin<I: Isa>(x: f32) -> f32 {
    let (n, r) = reduce_pi::<I>(x);
    let y = turned::<I>(n, r);
    if x == 0.0 { x } else { y }
}

/// The cosine, for arguments that are not [far](is_far).
#[inline(always)]
pub fn cos<I: Isa>(x: f32) -> f32 {
    let (n, r) = reduce_pi::<I>(x);
    turned::<I>(n.wrapping_add(1), r)
}

/// The tangent, for arguments that are not [far](is_far).
#[inline(always)]
pub fn tan<I: Isa>(x: f32) -> f32 {
    let (n, r) = reduce_pi::<I>(x);
    let (s, c) = both::<I>(r);
    let odd = n & 1 == 1;
    let above = if odd { -c } else { s };
    let below = if odd { s } else { c };
    let y = (above / below) as f32;
    if x == 0.0 { x } else { y }
}

/// The hyperbolic sine, by its series near 0.
#[inline(always)]
pub fn sinh<I: Isa>(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let e = super::f64::exp_short::<I>(a);
    let z = a * a;
    let c = [1.0 / 362_880.0, 1.0 / 5_040.0, 1.0 / 120.0, 1.0 / 6.0, 1.0];
    let near = a * super::f64::poly::<I, 5>(z, c);
    let y = if a < 0.5 { near } else { 0.5 * e - 0.5 / e };
    (y as f32).copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<I: Isa>(x: f32) -> f32 {
    let e = super::f64::exp_short::<I>(f64::from(x.abs()));
    (0.5 * e + 0.5 / e) as f32
}

/// The error function near 0.
#[inline(always)]
fn erf_small<I: Isa>(x: f32) -> f32 {
    I::fma32(poly::<I, 7>(x * x, ERF_SMALL), x, x)
}

/// The error function: behind a polynomial it is one less the fourth power of another one, which falls so slowly that few
/// coefficients do.
#[inline(always)]
pub fn erf<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let c = if a > 4.0 { 4.0 } else { a };
    let small = erf_small::<I>(c);
    let root = poly::<I, 8>(c, ERF_ROOT);
    let square = root * root;
    let large = I::fma32(-square, square, 1.0);
    let y = if c < ERF_NEAR { small } else { large };
    y.copysign(x)
}

/// `x^y`: through double precision, so that the logarithm's error does not grow with the exponent.
#[inline(always)]
pub fn pow<I: Isa>(x: f32, y: f32) -> f32 {
    let magnitude =
        super::f64::exp_short::<I>(y as f64 * super::f64::log_positive::<I>(x.abs() as f64)) as f32;
    let half = y * 0.5;
    let whole = y.trunc() == y;
    let odd = whole && half.trunc() != half;
    let signed = if odd && x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    };
    let r = if x < 0.0 && !whole && x != f32::NEG_INFINITY {
        f32::NAN
    } else {
        signed
    };
    let r = if x == -1.0 && y.is_infinite() { 1.0 } else { r };
    let r = if x.is_nan() || y.is_nan() {
        f32::NAN
    } else {
        r
    };
    if y == 0.0 || x == 1.0 { 1.0 } else { r }
}
