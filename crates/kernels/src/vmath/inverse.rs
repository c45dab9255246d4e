//! Inverses of the error function and of what is made from it.

use std::f64::consts::{FRAC_2_SQRT_PI, PI, SQRT_2, TAU};

/// The point below which a standard normal variable is with probability `p`; NaN outside of `[0, 1]`.
pub fn ndtri(p: f64) -> f64 {
    match p {
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        p if !(0.0..1.0).contains(&p) => f64::NAN,
        p if (p - 0.5).abs() < 0.25 => erfinv(2.0 * p - 1.0) * SQRT_2,
        p if p < 0.5 => -upper(p),
        p => upper(1.0 - p),
    }
}

/// The point above which a standard normal variable is with probability `q`, for `q` up to a half.
///
/// A first guess within 5e-4 (Abramowitz and Stegun 26.2.23), then steps of Halley's method.
fn upper(q: f64) -> f64 {
    if q < 1e-290 {
        return far(q);
    }
    let t = (-2.0 * q.ln()).sqrt();
    let above = (0.010_328 * t + 0.802_853) * t + 2.515_517;
    let below = ((0.001_308 * t + 0.189_269) * t + 1.432_788) * t + 1.0;
    let mut x = t - above / below;
    for _ in 0..3 {
        let density = (-0.5 * x * x).exp() / TAU.sqrt();
        let step = (0.5 * libm::erfc(x / SQRT_2) - q) / density;
        x += step / (1.0 + 0.5 * x * step);
    }
    x
}

/// As [`upper`] for the smallest numbers, whose own digits and those of the density are too few: Newton's method for the
/// logarithm of the asymptotic series (Abramowitz and Stegun 26.2.12), which is exact to the last digit from 36 on.
fn far(q: f64) -> f64 {
    let log = q.ln();
    let mut x = (-2.0 * log).sqrt();
    for _ in 0..4 {
        let z = 1.0 / (x * x);
        let tail = (1..=7)
            .rev()
            .fold(1.0, |sum, k| 1.0 - f64::from(2 * k - 1) * z * sum);
        let excess = 0.5 * x * x + x.ln() + 0.5 * TAU.ln() - tail.ln() + log;
        x -= excess / (x + 1.0 / x);
    }
    x
}

/// The inverse of the error function; 0.0 of both zeros, as tensorflow 2.21 gives it.
pub fn erfinv(y: f64) -> f64 {
    match y {
        0.0 => 0.0,
        1.0 => f64::INFINITY,
        -1.0 => f64::NEG_INFINITY,
        y if y.abs() < 0.5 => central(y),
        y if y.abs() < 1.0 => (upper(0.5 * (1.0 - y.abs())) / SQRT_2).copysign(y),
        _ => f64::NAN,
    }
}

/// The inverse of the error function for `y` up to a half.
///
/// A first guess by an elementary approximation, then steps of Halley's method, which triples the digits each time.
fn central(y: f64) -> f64 {
    const A: f64 = 0.147;
    let log = (-y * y).ln_1p();
    let half = 2.0 / (PI * A) + 0.5 * log;
    let root = ((half * half - log / A).sqrt() - half).max(0.0).sqrt();
    let mut x = if y * y < f64::EPSILON {
        y / FRAC_2_SQRT_PI
    } else {
        root.copysign(y)
    };
    for _ in 0..3 {
        let step = (libm::erf(x) - y) / (FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(got: f64, want: f64) {
        assert!((got - want).abs() <= 4e-15 * want.abs(), "{got} {want}");
    }

    #[test]
    fn at_known_points() {
        near(erfinv(0.5), 0.476_936_276_204_469_9);
        near(erfinv(-0.999), -2.326_753_765_513_525);
        near(erfinv(1e-20), 1e-20 / FRAC_2_SQRT_PI);
        near(ndtri(0.975), 1.959_963_984_540_054);
        near(ndtri(1e-30), -11.464_024_688_443_615);
        near(ndtri(1e-300), -37.047_096_299_361_2);
        near(ndtri(1e-290), -36.420_731_673_207_996);
        near(ndtri(1e-310), -37.663_060_331_949_524);
        near(ndtri(1e-315), -37.967_300_351_067_365);
        near(ndtri(1e-320), -38.269_125_343_032_65);
        near(ndtri(5e-324), -38.467_405_617_144_344);
        assert!(erfinv(1.0) == f64::INFINITY && ndtri(0.0) == f64::NEG_INFINITY);
        assert!(erfinv(1.5).is_nan() && erfinv(f64::NAN).is_nan() && erfinv(0.0) == 0.0);
        assert!(erfinv(-0.0).is_sign_positive());
        assert!(ndtri(-1e-300).is_nan() && ndtri(1.5).is_nan() && ndtri(f64::NAN).is_nan());
    }

    #[test]
    fn ways_meet() {
        near(ndtri(1e-290), ndtri(1e-290_f64.next_down()));
        near(ndtri(0.25), ndtri(0.25_f64.next_up()));
        near(erfinv(0.5), erfinv(0.5_f64.next_down()));
    }
}
