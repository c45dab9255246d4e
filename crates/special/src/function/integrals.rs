//! Functions that are integrals: the exponential integral, Fresnel's, Dawson's, the dilogarithm.

use super::polynomial;
use super::tables::BERNOULLI;
use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, PI};

const EULER: f64 = 0.577_215_664_901_532_9;

/// The integral of `e^t / t` from minus infinity to `x`, its principal value above 0; NaN below.
pub fn expint(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    if x < 1.0 {
        return around_its_root(x);
    }
    if x <= 40.0 {
        return EULER + x.ln() + entire(x);
    }
    // The asymptotic series, DLMF 6.12.2, up to its smallest term.
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..60 {
        let next = term * f64::from(k) / x;
        if next >= term || next < 1e-18 {
            break;
        }
        term = next;
        sum += term;
    }
    let half = (0.5 * x).exp();
    half * (sum / x) * half
}

/// The sum of `x^k / (k k!)`, DLMF 6.6.1.
fn entire(x: f64) -> f64 {
    let (mut sum, mut power) = (0.0, 1.0);
    for k in 1..200 {
        let k = f64::from(k);
        power *= x / k;
        let term = power / k;
        sum += term;
        if term.abs() <= 1e-17 * f64::abs(sum) {
            break;
        }
    }
    sum
}

/// The same series as a difference from the root, near which its parts cancel.
fn around_its_root(x: f64) -> f64 {
    const ROOT: f64 = 0.372_507_410_781_366_6;
    const REST: f64 = 1.314_018_341_438_602_8e-17;
    let off = (x - ROOT) - REST;
    if off.abs() > 0.25 {
        return EULER + x.ln() + entire(x);
    }
    // x^k - root^k over off, its recurrence, and root^k.
    let (mut difference, mut power, mut factorial, mut sum) = (1.0, ROOT, 1.0, 1.0);
    for k in 2..40 {
        let k = f64::from(k);
        difference = x * difference + power;
        power *= ROOT;
        factorial *= k;
        let term = difference / (k * factorial);
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
    }
    (off / ROOT).ln_1p() + off * sum
}

/// Dawson's integral `e^-x²` times the integral of `e^t²` from 0 to `x`: Rybicki's sampled Gaussians (Computers in
/// Physics 3 (1989), 85), with a step that makes their error smaller than the precision.
pub fn dawsn(x: f64) -> f64 {
    const STEP: f64 = 0.25;
    if x.abs() < 0.25 {
        // DLMF 7.6.2 times the Gaussian.
        let terms = [
            1.0,
            -2.0 / 3.0,
            4.0 / 15.0,
            -8.0 / 105.0,
            16.0 / 945.0,
            -32.0 / 10_395.0,
            64.0 / 135_135.0,
            -128.0 / 2_027_025.0,
            256.0 / 34_459_425.0,
        ];
        return x * polynomial(&terms, x * x);
    }
    if x.abs() > 1e6 {
        return 0.5 / x * (1.0 + 0.5 / x / x);
    }
    let size = x.abs();
    let even = 2.0 * (0.5 * size / STEP).round();
    let off = size - even * STEP;
    let (mut sum, mut n) = (0.0, 1.0);
    while n < 30.0 {
        let (above, below) = (off - n * STEP, off + n * STEP);
        sum += (-above * above).exp() / (even + n) + (-below * below).exp() / (even - n);
        n += 2.0;
    }
    (sum / PI.sqrt()).copysign(x)
}

/// The integral of `cos(pi t² / 2)` from 0 to `x`.
pub fn fresnel_cos(x: f64) -> f64 {
    fresnel(x).re
}

/// The integral of `sin(pi t² / 2)` from 0 to `x`.
pub fn fresnel_sin(x: f64) -> f64 {
    fresnel(x).im
}

/// Both of Fresnel's integrals as `C + i S`.
fn fresnel(x: f64) -> Complex64 {
    if x.is_nan() {
        return Complex64::new(x, x);
    }
    let size = x.abs();
    let value = if size < 1.6 {
        fresnel_near(size)
    } else if size < 1e10 {
        fresnel_far(size)
    } else {
        Complex64::new(0.5, 0.5)
    };
    value * 1.0_f64.copysign(x)
}

/// By the power series of `e^(i pi t² / 2)`, integrated (DLMF 7.6.4 and 7.6.6).
fn fresnel_near(x: f64) -> Complex64 {
    let square = FRAC_PI_2 * x * x;
    // Terms go round the four directions; each part is summed by itself, so that a small one keeps its precision.
    let (mut parts, mut power) = ([0.0, 0.0], x);
    for n in 0..60_usize {
        let sign = if n % 4 < 2 { 1.0 } else { -1.0 };
        parts[n % 2] += sign * power / (2 * n + 1) as f64;
        power *= square / (n + 1) as f64;
        if power < 1e-18 * parts[1].abs() {
            break;
        }
    }
    Complex64::new(parts[0], parts[1])
}

/// By the continued fraction of the complementary error function at `sqrt(pi) (1 - i) x / 2` (DLMF 7.9.3), evaluated
/// from the front (Lentz).
fn fresnel_far(x: f64) -> Complex64 {
    let square = Complex64::new(0.0, -PI * x * x);
    let mut b = square + 1.0;
    let mut c = Complex64::new(1e300, 0.0);
    let mut d = b.inv();
    let mut h = d;
    for n in 1..400 {
        let n = f64::from(n);
        let a = -2.0 * n * (2.0 * n - 1.0);
        b += 4.0;
        d = (a * d + b).inv();
        c = b + a / c;
        let delta = c * d;
        h *= delta;
        if (delta - 1.0).norm() < 1e-16 {
            break;
        }
    }
    let (sin, cos) = quarter_turns(x);
    let turned = Complex64::new(cos, sin) * Complex64::new(x, -x) * h;
    Complex64::new(0.5, 0.5) * (1.0 - turned)
}

/// Sine and cosine of `pi x² / 2`: the square is kept in two parts, and its whole fours are left out exactly.
fn quarter_turns(x: f64) -> (f64, f64) {
    let high = x * x;
    let low = x.mul_add(x, -high);
    (FRAC_PI_2 * (high % 4.0 + low)).sin_cos()
}

/// Minus the integral of `ln(t) / (t - 1)` from 1 to `x`: the dilogarithm of `1 - x`; NaN below 0.
pub fn spence(x: f64) -> f64 {
    const AT_ZERO: f64 = PI * PI / 6.0;
    if x.is_nan() || x < 0.0 {
        f64::NAN
    } else if x == 0.0 {
        AT_ZERO
    } else if x == 1.0 {
        0.0
    } else if x.is_infinite() {
        f64::NEG_INFINITY
    } else if x < 0.5 {
        // DLMF 25.12.6
        AT_ZERO - x.ln() * (-x).ln_1p() - around_one(-(-x).ln_1p())
    } else if x <= 2.0 {
        around_one(-x.ln())
    } else {
        // DLMF 25.12.4
        let log = x.ln();
        -0.5 * log * log - spence(x.recip())
    }
}

/// The dilogarithm of `1 - e^-u` by the series of Debye's function, DLMF 25.12.11 and 27.7.
fn around_one(u: f64) -> f64 {
    let square = u * u;
    u - 0.25 * square + u * square * polynomial(&BERNOULLI, square)
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::*;

    #[test]
    fn values_at_known_points() {
        near(expint(1.0), 1.895_117_816_355_936_8, 4e-16);
        near(expint(0.5), 0.454_219_904_863_173_6, 1e-15);
        near(expint(50.0), 1.058_563_689_713_169e20, 1e-14);
        near(dawsn(0.2), 0.194_751_033_368_028_06, 1e-15);
        near(dawsn(1.0), 0.538_079_506_912_768_4, 1e-15);
        near(dawsn(-2.0), -0.301_340_388_923_792, 1e-14);
        near(dawsn(1e5), 5.000_000_000_25e-6, 1e-15);
        near(fresnel_cos(1.0), 0.779_893_400_376_822_8, 1e-15);
        near(fresnel_sin(1.0), 0.438_259_147_390_354_8, 1e-15);
        near(fresnel_sin(-2.0), -0.343_415_678_363_698_2, 1e-14);
        near(fresnel_cos(2.0), 0.488_253_406_075_340_8, 1e-14);
        near(spence(0.5), 0.582_240_526_465_012_5, 1e-15);
        near(spence(2.0), -PI * PI / 12.0, 1e-15);
        near(spence(1000.0), -25.495_564_102_428_91, 1e-15);
        assert!(spence(1.0).is_sign_positive() && spence(1.0) == 0.0);
        assert!(spence(-1.0).is_nan() && expint(-1.0).is_nan());
    }

    #[test]
    fn branches_meet() {
        for (f, edge) in [
            (fresnel_cos as fn(f64) -> f64, 1.6),
            (fresnel_sin, 1.6),
            (dawsn, 0.25),
            (expint, 1.0),
            (expint, 40.0),
            (spence, 0.5),
            (spence, 2.0),
        ] {
            // The neighbours of 40 are so far apart that the exponential moves by more than its precision.
            near(f(f64::next_down(edge)), f(f64::next_up(edge)), 2e-14);
        }
    }
}
