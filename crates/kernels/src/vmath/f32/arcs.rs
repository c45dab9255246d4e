//! Inverse functions, in double precision inside, so that they are rounded once.

use crate::isa::Isa;
use crate::vmath::f64::{log, poly};
use std::f64::consts::{FRAC_PI_2, PI};

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<I: Isa>(y: f32, x: f32) -> f32 {
    let (high, wide) = (f64::from(y.abs()), f64::from(x.abs()));
    let steep = high > wide;
    let (low, top) = if steep { (wide, high) } else { (high, wide) };
    let q = low / top;
    // Both are zero or both infinite.
    let q = if low == top { 1.0 } else { q };
    let q = if top == 0.0 { 0.0 } else { q };
    let a = q * poly::<I, 11>(q * q, ATAN);
    let a = if steep { FRAC_PI_2 - a } else { a };
    let a = if x.is_sign_negative() { PI - a } else { a };
    let a = (a as f32).copysign(y);
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else {
        a
    }
}

/// The inverse tangent.
#[inline(always)]
pub fn atan<I: Isa>(x: f32) -> f32 {
    atan2::<I>(x, 1.0)
}

/// The inverse sine of `a`, to a half; and of what it becomes beyond, where the angle is a right one less twice that.
#[inline(always)]
fn asin_core<I: Isa>(a: f64) -> (bool, f64) {
    let far = a > 0.5;
    let z = if far { 0.5 * (1.0 - a) } else { a * a };
    let s = if far { z.sqrt() } else { a };
    (far, I::fma64(s * z, poly::<I, 7>(z, ASIN), s))
}

/// The inverse sine; NaN beyond one.
#[inline(always)]
pub fn asin<I: Isa>(x: f32) -> f32 {
    let (far, angle) = asin_core::<I>(f64::from(x.abs()));
    let angle = if far { FRAC_PI_2 - 2.0 * angle } else { angle };
    (angle as f32).copysign(x)
}

/// The inverse cosine; NaN beyond one.
#[inline(always)]
pub fn acos<I: Isa>(x: f32) -> f32 {
    let (far, angle) = asin_core::<I>(f64::from(x.abs()));
    let angle = match (far, x < 0.0) {
        (true, true) => PI - 2.0 * angle,
        (true, false) => 2.0 * angle,
        (false, true) => FRAC_PI_2 + angle,
        (false, false) => FRAC_PI_2 - angle,
    };
    angle as f32
}

/// Below it the inverse hyperbolic functions are their series.
const NEAR: f64 = 0.01;

/// The inverse hyperbolic sine.
#[inline(always)]
pub fn asinh<I: Isa>(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let z = a * a;
    let near = a * poly::<I, 4>(z, [-15.0 / 336.0, 3.0 / 40.0, -1.0 / 6.0, 1.0]);
    let far = log::<I>(a + (z + 1.0).sqrt());
    let y = if a < NEAR { near } else { far };
    (y as f32).copysign(x)
}

/// The inverse hyperbolic cosine; NaN below one.
#[inline(always)]
pub fn acosh<I: Isa>(x: f32) -> f32 {
    let a = f64::from(x);
    let y = log::<I>(a + ((a - 1.0) * (a + 1.0)).sqrt()) as f32;
    if x < 1.0 { f32::NAN } else { y }
}

/// The inverse hyperbolic tangent; infinite at one, NaN beyond.
#[inline(always)]
pub fn atanh<I: Isa>(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let near = a * poly::<I, 5>(a * a, [1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0]);
    let far = 0.5 * log::<I>((1.0 + a) / (1.0 - a));
    let y = if a < NEAR { near } else { far };
    (y as f32).copysign(x)
}

/// `atan(q) / q` in `q²`, for `q` to one: a Chebyshev fit, as the next is.
const ATAN: [f64; 11] = [
    1.057_607_438_057_242e-3,
    -7.030_669_470_424_213e-3,
    0.021_912_945_865_448_393,
    -0.043_928_410_733_267_46,
    0.066_852_815_178_774_24,
    -0.087_850_432_823_628_45,
    0.110_507_712_758_496_6,
    -0.142_785_760_248_079_85,
    0.199_995_581_003_639_82,
    -0.333_333_224_889_115_93,
    0.999_999_999_553_537_6,
];

/// `(asin(s) / s - 1) / s²` in `s²`, for `s` to a half.
const ASIN: [f64; 7] = [
    0.030_974_540_371_355_073,
    0.010_574_415_516_912_909,
    0.023_611_817_008_891_752,
    0.030_269_138_728_589_183,
    0.044_647_663_888_134_85,
    0.074_999_924_044_018_38,
    0.166_666_666_860_856_43,
];
