//! Functions of complex numbers of moderate size, without branches: what is beyond is left to the functions of
//! [`complex`](super).

use super::{C, LARGE, over_i, times_i};
use crate::isa::Isa;
use crate::vmath::f64 as v;

#[inline(always)]
fn square_of_size(z: C) -> f64 {
    z.re * z.re + z.im * z.im
}

/// Whether the square of a number's magnitude is no number of full precision.
#[inline(always)]
pub fn is_extreme(z: C) -> bool {
    !(1e-280..1e300).contains(&square_of_size(z))
}

/// Whether `e^z` may overflow, or the angle is beyond the reach of the reduction.
#[inline(always)]
pub fn is_far(z: C) -> bool {
    !(z.re.abs() <= LARGE && z.im.abs() <= v::FAR)
}

/// The same of `i z`.
#[inline(always)]
pub fn is_far_turned(z: C) -> bool {
    is_far(times_i(z))
}

/// The magnitude, where it is not [extreme](is_extreme).
#[inline(always)]
pub fn abs(z: C) -> f64 {
    square_of_size(z).sqrt()
}

/// The square root, where the number is not [extreme](is_extreme).
#[inline(always)]
pub fn sqrt(z: C) -> C {
    let t = (0.5 * (z.re.abs() + abs(z))).sqrt();
    let other = z.im / (2.0 * t);
    let is_right = z.re >= 0.0;
    C::new(
        if is_right { t } else { other.abs() },
        if is_right { other } else { t.copysign(z.im) },
    )
}

/// The natural logarithm, where the number is not [extreme](is_extreme).
#[inline(always)]
pub fn log<I: Isa>(z: C) -> C {
    let (re, im) = (z.re.abs(), z.im.abs());
    let (large, small) = (re.max(im), re.min(im));
    // Near the unit circle the logarithm is that of what the square is beyond 1.
    let near = v::log1p::<I>((large - 1.0) * (large + 1.0) + small * small);
    let far = v::log::<I>(square_of_size(z));
    let is_near = (0.5..2.0).contains(&large);
    let size = 0.5 * if is_near { near } else { far };
    C::new(size, v::atan2::<I>(z.im, z.re))
}

/// `e^z`, where it is not [far](is_far).
#[inline(always)]
pub fn exp<I: Isa>(z: C) -> C {
    let size = v::exp::<I>(z.re);
    C::new(size * v::cos::<I>(z.im), size * v::sin::<I>(z.im))
}

/// The hyperbolic sine, where the number is not [far](is_far).
#[inline(always)]
pub fn sinh<I: Isa>(z: C) -> C {
    C::new(
        v::sinh::<I>(z.re) * v::cos::<I>(z.im),
        v::cosh::<I>(z.re) * v::sin::<I>(z.im),
    )
}

/// The hyperbolic cosine, where the number is not [far](is_far).
#[inline(always)]
pub fn cosh<I: Isa>(z: C) -> C {
    C::new(
        v::cosh::<I>(z.re) * v::cos::<I>(z.im),
        v::sinh::<I>(z.re) * v::sin::<I>(z.im),
    )
}

/// The sine, where the number is not [far](is_far_turned).
#[inline(always)]
pub fn sin<I: Isa>(z: C) -> C {
    over_i(sinh::<I>(times_i(z)))
}

/// The cosine, where the number is not [far](is_far_turned).
#[inline(always)]
pub fn cos<I: Isa>(z: C) -> C {
    cosh::<I>(times_i(z))
}

#[cfg(test)]
mod tests {
    use super::super as plain;
    use super::*;
    use crate::isa::{Fused, Unfused};

    fn samples() -> Vec<C> {
        let parts = [
            0.0, -0.0, 1e-9, 0.3, -0.7, 1.0, -1.0, 1.5, -2.5, 17.25, -80.0, 600.0, 1e5,
        ];
        let pairs = parts.iter().flat_map(|&re| parts.map(|im| C::new(re, im)));
        let circle = (0..500).map(|i| C::from_polar(1.0 + f64::from(i % 7) * 1e-9, f64::from(i)));
        pairs.chain(circle).collect()
    }

    fn agrees(fast: fn(C) -> C, plain: fn(C) -> C, is_rare: fn(C) -> bool) {
        for z in samples().into_iter().filter(|&z| !is_rare(z)) {
            let (a, b) = (fast(z), plain(z));
            for (a, b, other) in [(a.re, b.re, b.im), (a.im, b.im, b.re)] {
                let close = (a - b).abs() <= 8.0 * f64::EPSILON * b.abs().max(1e-3 * other.abs());
                let same = b == 0.0 || a.is_sign_negative() == b.is_sign_negative();
                assert!(close && same, "{z}: {a} {b}");
            }
        }
    }

    #[test]
    fn functions_agree_with_those_of_all_numbers() {
        agrees(exp::<Fused>, plain::exp, is_far);
        agrees(exp::<Unfused>, plain::exp, is_far);
        agrees(sqrt, plain::sqrt, is_extreme);
        agrees(log::<Fused>, plain::log, is_extreme);
        agrees(log::<Unfused>, plain::log, is_extreme);
        agrees(sinh::<Fused>, plain::sinh, is_far);
        agrees(cosh::<Fused>, plain::cosh, is_far);
        agrees(sin::<Fused>, plain::sin, is_far_turned);
        agrees(cos::<Fused>, plain::cos, is_far_turned);
    }

    #[test]
    fn what_is_no_number_is_left_to_others() {
        for x in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            for z in [C::new(x, 0.5), C::new(0.5, x)] {
                assert!(is_extreme(z) && is_far(z) && is_far_turned(z));
            }
        }
        assert!(is_extreme(C::new(0.0, 0.0)));
    }
}
