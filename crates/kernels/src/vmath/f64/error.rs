//! The error function and its complement.

use super::{exp_of_sum, poly};
use crate::isa::Isa;

/// Below it the error function is a polynomial.
const NEAR: f64 = 0.75;

/// The error function.
#[inline(always)]
pub fn erf<I: Isa>(x: f64) -> f64 {
    let t = x.abs();
    let near = I::fma64(t, poly::<I, 11>(t * t, ERF), t);
    let far = 1.0 - upper::<I>(t);
    let y = if t < NEAR { near } else { far };
    y.copysign(x)
}

/// One minus the error function.
#[inline(always)]
pub fn erfc<I: Isa>(x: f64) -> f64 {
    let t = x.abs();
    let far = upper::<I>(t);
    let far = if x < 0.0 { 2.0 - far } else { far };
    let near = 1.0 - I::fma64(x, poly::<I, 11>(t * t, ERF), x);
    if t < 0.25 { near } else { far }
}

/// `erfc(t)` for `t >= 0`: `e^-t²` times a smooth function of `t`.
#[inline(always)]
fn upper<I: Isa>(t: f64) -> f64 {
    let c = if t > 27.5 { 27.5 } else { t };
    let q = 1.0 / (c + 4.0);
    let smooth = poly::<I, 23>((c - 4.0) * q, ERFC) * q;
    // The square of the leading bits is exact, the rest is small.
    let leading = f64::from_bits(c.to_bits() & 0xffff_ffff_f800_0000);
    let y = smooth * exp_of_sum::<I>(-leading * leading, (leading - c) * (leading + c));
    if t.is_nan() { t } else { y }
}

/// `erf(t) / t - 1` in `t²`, for `t` to 0.75: a Chebyshev fit, as the next is.
const ERF: [f64; 11] = [
    1.147_249_970_109_469_1e-8,
    -1.594_006_685_466_171_7e-7,
    1.643_068_417_974_155e-6,
    -1.492_419_630_556_961_7e-5,
    1.205_528_956_754_170_6e-4,
    -8.548_326_188_759_752e-4,
    5.223_977_615_420_539e-3,
    -0.026_866_170_644_428_485,
    0.112_837_916_709_525_96,
    -0.376_126_389_031_837_15,
    0.128_379_167_095_512_6,
];

/// `(t + 4) e^t² erfc(t)` in `(t - 4) / (t + 4)`, for `t` to 27.5.
const ERFC: [f64; 23] = [
    8.892_365_082_453_874e-10,
    -6.973_176_548_183_896e-10,
    -1.522_484_788_368_763_6e-8,
    3.526_515_773_317_7e-9,
    1.240_801_098_592_353_7e-7,
    -7.912_789_673_646_787e-8,
    -8.464_456_189_715_969e-7,
    1.426_906_279_643_808_6e-6,
    4.694_725_890_285_188e-6,
    -1.886_214_178_875_036_8e-5,
    -3.635_338_935_865_469e-6,
    1.768_131_875_167_485e-4,
    -4.550_526_352_749_478_3e-4,
    -2.809_589_342_023_493_7e-4,
    6.112_055_647_760_742_5e-3,
    -0.026_370_053_332_541_235,
    0.076_381_514_910_006_42,
    -0.174_010_937_240_425_24,
    0.330_851_587_877_982_5,
    -0.540_853_831_313_220_7,
    0.773_208_702_265_237_5,
    -0.976_548_729_080_882_1,
    1.095_995_661_000_491,
];
