//! The complement of the error function.

use super::{erf_small, exp_tail, exp2i, poly, reduce_ln2};
use crate::isa::Isa;

/// Below it the error function is small enough to be taken from one.
const NEAR: f32 = 0.6;

/// One minus the error function: beyond what is near 0, `e^-t²` times a smooth function of `t = |x|`.
#[inline(always)]
pub fn erfc<I: Isa>(x: f32) -> f32 {
    let t = x.abs();
    let t = if t > 10.25 { 10.25 } else { t };
    let smooth = poly::<I, 10>((t - 3.0) / (t + 3.0), ERFC) / (t + 3.0);
    let y = smooth * exp_of_square::<I>(t);
    let y = if x < 0.0 { 2.0 - y } else { y };
    let y = if t < NEAR { 1.0 - erf_small::<I>(x) } else { y };
    if x.is_nan() { x } else { y }
}

/// `e^-t²` for `0 <= t <= 10.25`: the square of the leading bits is exact, the rest is small.
#[inline(always)]
fn exp_of_square<I: Isa>(t: f32) -> f32 {
    let leading = f32::from_bits(t.to_bits() & 0xffff_f000);
    let rest = (t - leading) * (t + leading);
    let (n, r) = reduce_ln2::<I>(-leading * leading);
    let r = r - rest;
    let y = I::fma32(exp_tail::<I>(r), r * r, r) + 1.0;
    let half = n >> 1;
    y * exp2i(half) * exp2i(n - half)
}

/// `(t + 3) e^t² erfc(t)` in `(t - 3) / (t + 3)`, for `t` to 10.25: a Chebyshev fit.
const ERFC: [f32; 10] = [
    -3.337_180_532_980_71e-4,
    -4.987_611_901_015_043e-4,
    3.078_341_251_239_180_6e-3,
    -1.216_994_365_677_237_5e-3,
    -0.026_836_795_732_378_96,
    0.119_527_198_374_271_39,
    -0.310_466_587_543_487_55,
    0.590_228_438_377_380_4,
    -0.883_394_479_751_586_9,
    1.074_006_915_092_468_3,
];
