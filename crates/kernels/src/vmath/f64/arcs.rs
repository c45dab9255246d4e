//! Inverse circular and hyperbolic functions, within two units of the last place.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};

use super::{log1p, poly};
use crate::isa::Isa;

/// What the rounded right angle lacks.
const PI_2_REST: f64 = 6.123_233_995_736_766e-17;

/// The tangents of an eighth and of three eighths of a straight angle.
const EIGHTH: f64 = 0.414_213_562_373_095_03;
const THREE_EIGHTHS: f64 = 2.414_213_562_373_095;

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<I: Isa>(y: f64, x: f64) -> f64 {
    let (high, wide) = (y.abs(), x.abs());
    let scale = if high > 1e300 || wide > 1e300 {
        0.25
    } else {
        1.0
    };
    let (a, b) = (high * scale, wide * scale);
    let steep = a > THREE_EIGHTHS * b;
    let between = !steep && a > EIGHTH * b;
    let above = if between { a - b } else { a };
    let above = if steep { -b } else { above };
    let below = if between { a + b } else { b };
    let below = if steep { a } else { below };
    // Both are zero or both infinite.
    let same = a == b && (a == 0.0 || a == f64::INFINITY);
    let q = above / below;
    let q = if same { 0.0 } else { q };
    let between = between || (same && a > 0.0);
    let (base, rest) = if between {
        (FRAC_PI_4, 0.5 * PI_2_REST)
    } else {
        (0.0, 0.0)
    };
    let base = if steep { FRAC_PI_2 } else { base };
    let rest = if steep { PI_2_REST } else { rest };
    let z = q * q;
    let angle = base + (I::fma64(q * z, poly::<I, 12>(z, ATAN), q) + rest);
    let turned = PI - (angle - 2.0 * PI_2_REST);
    let angle = if x.is_sign_negative() { turned } else { angle };
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else {
        angle.copysign(y)
    }
}

/// The inverse tangent.
#[inline(always)]
pub fn atan<I: Isa>(x: f64) -> f64 {
    atan2::<I>(x, 1.0)
}

/// The inverse sine of `a`, to a half; and of what it becomes beyond, where the angle is a right one less twice that.
#[inline(always)]
fn asin_core<I: Isa>(a: f64) -> (bool, f64) {
    let far = a > 0.5;
    let z = if far { 0.5 * (1.0 - a) } else { a * a };
    let s = if far { z.sqrt() } else { a };
    (far, I::fma64(s * z, poly::<I, 14>(z, ASIN), s))
}

/// The inverse sine; NaN beyond one.
#[inline(always)]
pub fn asin<I: Isa>(x: f64) -> f64 {
    let (far, angle) = asin_core::<I>(x.abs());
    let beyond = FRAC_PI_2 - (2.0 * angle - PI_2_REST);
    (if far { beyond } else { angle }).copysign(x)
}

/// The inverse cosine; NaN beyond one.
#[inline(always)]
pub fn acos<I: Isa>(x: f64) -> f64 {
    let (far, angle) = asin_core::<I>(x.abs());
    let signed = if x < 0.0 { -angle } else { angle };
    let near = FRAC_PI_2 - (signed - PI_2_REST);
    let beyond = if x < 0.0 {
        PI - (2.0 * angle - 2.0 * PI_2_REST)
    } else {
        2.0 * angle
    };
    if far { beyond } else { near }
}

/// Beyond it one is nothing beside the square.
const LARGE: f64 = 268_435_456.0;

/// The inverse hyperbolic sine.
#[inline(always)]
pub fn asinh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let large = a > LARGE;
    let c = if large { 1.0 } else { a };
    let z = c * c;
    let excess = c + z / (1.0 + (1.0 + z).sqrt());
    let y = log1p::<I>(if large { a - 1.0 } else { excess });
    (if large { y + LN_2 } else { y }).copysign(x)
}

/// The inverse hyperbolic cosine; NaN below one.
#[inline(always)]
pub fn acosh<I: Isa>(x: f64) -> f64 {
    let large = x > LARGE;
    let t = if large { 1.0 } else { x - 1.0 };
    let excess = t + I::fma64(t, t, 2.0 * t).sqrt();
    let y = log1p::<I>(if large { x - 1.0 } else { excess });
    let y = if large { y + LN_2 } else { y };
    if x < 1.0 { f64::NAN } else { y }
}

/// The inverse hyperbolic tangent; infinite at one, NaN beyond.
#[inline(always)]
pub fn atanh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * log1p::<I>(2.0 * a / (1.0 - a))).copysign(x)
}

/// `(atan(q) / q - 1) / q²` in `q²`, for the tangents to that of an eighth: a Chebyshev fit, as the next is.
const ATAN: [f64; 12] = [
    0.016_283_572_356_482_59,
    -0.034_568_590_668_606_9,
    0.045_515_165_635_903_104,
    -0.052_304_374_642_516_874,
    0.058_789_267_157_567_26,
    -0.066_664_246_872_465,
    0.076_922_963_639_799_52,
    -0.090_909_087_531_185_94,
    0.111_111_111_051_477_64,
    -0.142_857_142_856_597_48,
    0.199_999_999_999_998_04,
    -0.333_333_333_333_333_3,
];

/// `(asin(s) / s - 1) / s²` in `s²`, for `s` to a half.
const ASIN: [f64; 14] = [
    0.029_612_011_264_955_12,
    -0.019_241_671_746_743_04,
    0.019_554_513_336_123_378,
    3.044_879_909_455_677_3e-3,
    9.319_560_794_767_446e-3,
    9.621_842_970_100_282e-3,
    0.011_566_459_612_121_669,
    0.013_963_780_012_203_57,
    0.017_352_816_540_325_496,
    0.022_372_157_443_507_22,
    0.030_381_944_475_532_34,
    0.044_642_857_142_551_895,
    0.075_000_000_000_001_18,
    0.166_666_666_666_666_66,
];
