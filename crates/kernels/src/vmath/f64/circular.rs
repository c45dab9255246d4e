//! Sine, cosine and tangent: the reduction by parts of a right angle and the polynomials of fdlibm, without branches.

use super::poly;
use crate::isa::Isa;

/// The largest numbers within the reach of the reduction.
pub const FAR: f64 = 1e6;

/// Whether a number is beyond the reach of the reduction.
#[inline(always)]
pub fn is_far(x: f64) -> bool {
    x.abs() > FAR
}

/// A right angle in parts of 33 bits, whose products with the number of right angles are exact; and what they lack.
const PARTS: [f64; 3] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
];
const REST: f64 = 8.478_427_660_368_9e-32;

/// `a - b` and what the rounding took from it.
#[inline(always)]
fn difference(a: f64, b: f64) -> (f64, f64) {
    let d = a - b;
    let back = d - a;
    (d, (a - (d - back)) - (b + back))
}

/// `x = n π/2 + r` for `|x| <= 1e6`: n in the low bits, and r in two parts.
#[inline(always)]
fn reduce<I: Isa>(x: f64) -> (u64, f64, f64) {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = I::fma64(x, std::f64::consts::FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    let first = x - n * PARTS[0];
    let (second, lost) = difference(first, n * PARTS[1]);
    let (third, more) = difference(second, n * PARTS[2]);
    let low = lost + (more - n * REST);
    let r = third + low;
    (shifted.to_bits(), r, (third - r) + low)
}

/// The sine and the cosine of the sum of two parts, the second far smaller than the first, to an eighth of a turn.
#[inline(always)]
fn both<I: Isa>(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let v = z * r;
    let s = poly::<I, 5>(z, SIN);
    let sine = r - ((z * (0.5 * low - v * s) - low) - v * SIN_FIRST);
    let c = z * poly::<I, 6>(z, COS);
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cosine = w + (((1.0 - w) - half) + I::fma64(z, c, -r * low));
    (sine, cosine)
}

/// The sine of `n` right angles and the rest.
#[inline(always)]
fn turned<I: Isa>(n: u64, r: f64, low: f64) -> f64 {
    let (sine, cosine) = both::<I>(r, low);
    let y = if n & 1 == 0 { sine } else { cosine };
    f64::from_bits(y.to_bits() ^ ((n & 2) << 62))
}

/// The sine, for arguments that are not [far](is_far).
#[inline(always)]
pub fn sin<I: Isa>(x: f64) -> f64 {
    let (n, r, low) = reduce::<I>(x);
    let y = turned::<I>(n, r, low);
    if x == 0.0 { x } else { y }
}

/// The cosine, for arguments that are not [far](is_far).
#[inline(always)]
pub fn cos<I: Isa>(x: f64) -> f64 {
    let (n, r, low) = reduce::<I>(x);
    turned::<I>(n.wrapping_add(1), r, low)
}

/// The tangent, for arguments that are not [far](is_far).
#[inline(always)]
pub fn tan<I: Isa>(x: f64) -> f64 {
    let (n, r, low) = reduce::<I>(x);
    let (sine, cosine) = both::<I>(r, low);
    let odd = n & 1 == 1;
    let above = if odd { -cosine } else { sine };
    let below = if odd { sine } else { cosine };
    if x == 0.0 { x } else { above / below }
}

/// `(sin(r) - r) / r³` in `r²`, but for the last coefficient.
const SIN: [f64; 5] = [
    1.589_690_995_211_55e-10,
    -2.505_076_025_340_686_4e-8,
    2.755_731_370_707_007e-6,
    -1.984_126_982_985_795e-4,
    8.333_333_333_322_49e-3,
];
const SIN_FIRST: f64 = -0.166_666_666_666_666_32;

/// `(cos(r) - 1 + r²/2) / r⁴` in `r²`.
const COS: [f64; 6] = [
    -1.135_964_755_778_819_5e-11,
    2.087_572_321_298_175e-9,
    -2.755_731_435_139_066_4e-7,
    2.480_158_728_947_673e-5,
    -1.388_888_888_887_411e-3,
    4.166_666_666_666_66e-2,
];
