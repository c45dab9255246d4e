//! The complement of the error function.

use super::{erf_small, exp_tail, exp2i, poly, reduce_ln2};
use crate::isa::Isa;
use crate::vmath::coefficients::single::{ERFC, ERFC_NEAR};

/// One minus the error function: beyond what is near 0, `e^-t²` times a smooth function of `t = |x|`.
#[inline(always)]
pub fn erfc<I: Isa>(x: f32) -> f32 {
    let t = x.abs();
    let t = if t > 10.25 { 10.25 } else { t };
    let smooth = poly::<I, 10>((t - 3.0) / (t + 3.0), ERFC) / (t + 3.0);
    let y = smooth * exp_of_square::<I>(t);
    let y = if x < 0.0 { 2.0 - y } else { y };
    let y = if t < ERFC_NEAR {
        1.0 - erf_small::<I>(x)
    } else {
        y
    };
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
