//! Double precision: the reductions and polynomials of fdlibm, without branches.

use crate::isa::Isa;

const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `2^n` for an integer-valued float that is a normal exponent.
#[inline(always)]
fn exp2i(n: f64) -> f64 {
    f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52)
}

/// `e^x`
#[inline(always)]
pub fn exp<I: Isa>(x: f64) -> f64 {
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let n = I::fma64(x, std::f64::consts::LOG2_E, ROUND) - ROUND;
    let hi = I::fma64(n, -LN2_HI, x);
    let lo = n * LN2_LO;
    let r = hi - lo;
    let z = r * r;
    let c = I::fma64(z, 4.138_136_797_057_238_5e-8, -1.653_390_220_546_525_2e-6);
    let c = I::fma64(c, z, 6.613_756_321_437_934e-5);
    let c = I::fma64(c, z, -2.777_777_777_701_559_3e-3);
    let c = I::fma64(c, z, 1.666_666_666_666_66e-1);
    let c = I::fma64(-z, c, r);
    let y = 1.0 + (r * c / (2.0 - c) - lo + hi);
    let half = I::fma64(n, 0.5, ROUND) - ROUND;
    y * exp2i(half) * exp2i(n - half)
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
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const EXPONENT: u64 = 0x7ff;
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny {
        x * 18_014_398_509_481_984.0
    } else {
        x
    };
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
    let p = I::fma64(z, 1.479_819_860_511_658_6e-1, 1.531_383_769_920_937_3e-1);
    let p = I::fma64(p, z, 1.818_357_216_161_805e-1);
    let p = I::fma64(p, z, 2.222_219_843_214_978_4e-1);
    let p = I::fma64(p, z, 2.857_142_874_366_239e-1);
    let p = I::fma64(p, z, 3.999_999_999_940_942e-1);
    let p = I::fma64(p, z, 6.666_666_666_666_735e-1) * z;
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
    let p = I::fma64(z, -9.643_991_794_250_523e-1, -9.928_772_310_019_185e1);
    let p = I::fma64(p, z, -1.614_687_684_417_084_5e3);
    let q = z + 1.128_116_784_916_329_3e2;
    let q = I::fma64(q, z, 2.235_488_390_601_004_5e3);
    let q = I::fma64(q, z, 4.844_063_053_251_255e3);
    let near = I::fma64(x * z, p / q, x);
    let far = (1.0 - 2.0 / (exp::<I>(2.0 * size) + 1.0)).copysign(x);
    let y = if size < 0.625 { near } else { far };
    if x == 0.0 || x.is_nan() { x } else { y }
}
