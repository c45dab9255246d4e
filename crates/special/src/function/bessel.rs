//! Bessel functions of order 0 and 1; those of the first and second kind are `libm`'s.

use ferrograph_kernels::special::bessel_ie;

/// `e^|x| scaled`, infinite only where the product is.
fn unscaled(x: f64, scaled: f64) -> f64 {
    if x.is_infinite() {
        return x
            .abs()
            .copysign(if scaled.is_sign_negative() { -1.0 } else { 1.0 });
    }
    let half = (0.5 * x.abs()).exp();
    half * scaled * half
}

/// The modified function of the first kind of order 0.
pub fn i0(x: f64) -> f64 {
    unscaled(x, bessel_ie(0, x))
}

/// The modified function of the first kind of order 1.
pub fn i1(x: f64) -> f64 {
    unscaled(x, bessel_ie(1, x))
}

/// `e^x K0(x)`; infinite from 0 down, as all functions of the second kind are.
pub fn k0e(x: f64) -> f64 {
    if x <= 1.0 {
        return k_near(x)[0] * x.max(0.0).exp();
    }
    k_far(x)[0]
}

/// `e^x K1(x)`
pub fn k1e(x: f64) -> f64 {
    if x <= 1.0 {
        return k_near(x)[1] * x.max(0.0).exp();
    }
    k_far(x)[1]
}

/// The modified function of the second kind of order 0.
pub fn k0(x: f64) -> f64 {
    if x <= 1.0 {
        return k_near(x)[0];
    }
    damped(x, k_far(x)[0])
}

/// The modified function of the second kind of order 1.
pub fn k1(x: f64) -> f64 {
    if x <= 1.0 {
        return k_near(x)[1];
    }
    damped(x, k_far(x)[1])
}

/// `e^-x scaled`, where the exponential alone may fall below the normal range.
fn damped(x: f64, scaled: f64) -> f64 {
    let half = (-0.5 * x).exp();
    half * scaled * half
}

/// Both functions of the second kind up to 1 by their power series, DLMF 10.31.1 and 10.31.2.
fn k_near(x: f64) -> [f64; 2] {
    if x <= 0.0 {
        return [f64::INFINITY; 2];
    }
    const EULER: f64 = 0.577_215_664_901_532_9;
    let quarter = 0.25 * x * x;
    // The half of the smallest number would be zero.
    let log = x.ln() - std::f64::consts::LN_2 + EULER;
    // Powers over factorials of both orders, and the sums of the reciprocals of 1 to k.
    let (mut even, mut odd, mut harmonic) = (1.0, 1.0, 0.0);
    let (mut zero, mut one) = (-log, log - 0.5);
    for k in 1..30 {
        let k = f64::from(k);
        even *= quarter / (k * k);
        odd *= quarter / (k * (k + 1.0));
        harmonic += 1.0 / k;
        zero += even * (harmonic - log);
        one += odd * (log - harmonic - 0.5 / (k + 1.0));
        if even < 1e-18 {
            break;
        }
    }
    [zero, 1.0 / x + 0.5 * x * one]
}

/// From where three terms of the asymptotic series are exact; the continued fraction's terms grow beyond it.
const ASYMPTOTIC: f64 = 1e6;

/// The function of the second kind whose order's square is a quarter of `mu`, scaled by `e^x`, DLMF 10.40.2.
fn asymptotic(x: f64, mu: f64) -> f64 {
    let unit = 0.125 / x;
    let series = 1.0 + (mu - 1.0) * unit * (1.0 + 0.5 * (mu - 9.0) * unit);
    (std::f64::consts::FRAC_PI_2 / x).sqrt() * series
}

/// Both functions of the second kind, scaled by `e^x`, from 1: the continued fraction of their ratio and the sum that
/// normalises it, by Steed's algorithm (Temme, J. Comput. Phys. 19 (1975), 324).
fn k_far(x: f64) -> [f64; 2] {
    if !x.is_finite() {
        return [if x > 0.0 { 0.0 } else { f64::NAN }; 2];
    }
    if x > ASYMPTOTIC {
        return [0.0, 4.0].map(|mu| asymptotic(x, mu));
    }
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let (mut h, mut step) = (d, d);
    let (mut before, mut now) = (0.0, 1.0);
    let first = 0.25;
    let (mut c, mut weight, mut a) = (first, first, -first);
    let mut sum = 1.0 + weight * step;
    for i in 2..500 {
        let i = f64::from(i);
        a -= 2.0 * (i - 1.0);
        c = -a * c / i;
        let next = (before - b * now) / a;
        (before, now) = (now, next);
        weight += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        step *= b * d - 1.0;
        h += step;
        let part = weight * step;
        sum += part;
        if (part / sum).abs() < 1e-17 {
            break;
        }
    }
    let zero = (std::f64::consts::PI / (2.0 * x)).sqrt() / sum;
    [zero, zero * (0.5 + x - first * h) / x]
}

/// The first kind, of order 0.
pub fn j0(x: f64) -> f64 {
    libm::j0(x)
}

/// The first kind, of order 1.
pub fn j1(x: f64) -> f64 {
    libm::j1(x)
}

/// The second kind, of order 0; minus infinity from 0 down.
pub fn y0(x: f64) -> f64 {
    if x <= 0.0 {
        return f64::NEG_INFINITY;
    }
    libm::y0(x)
}

/// The second kind, of order 1; minus infinity from 0 down.
pub fn y1(x: f64) -> f64 {
    if x <= 0.0 {
        return f64::NEG_INFINITY;
    }
    libm::y1(x)
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::*;

    #[test]
    fn values_at_known_points() {
        near(i0(1.0), 1.266_065_877_752_008_4, 1e-15);
        near(i1(-2.0), -1.590_636_854_637_329, 1e-15);
        near(i0(710.0), 3.345_334_558_619_656_4e306, 1e-14);
        near(k0(0.1), 2.427_069_024_702_017, 1e-15);
        near(k0(1.0), 0.421_024_438_240_708_34, 1e-15);
        near(k1(1.0), 0.601_907_230_197_234_6, 1e-15);
        near(k0(2.0), 0.113_893_872_749_533_4, 3e-15);
        near(k1(2.0), 0.139_865_881_816_522_4, 3e-15);
        near(k0e(1000.0), 0.039_628_321_600_754_22, 1e-14);
        assert!(k0(0.0) == f64::INFINITY && k1(-1.0) == f64::INFINITY && k0(f64::INFINITY) == 0.0);
    }

    #[test]
    fn second_kind_at_the_ends_of_the_range() {
        for x in [1e12, 1e30, 3.4e38, 1e200, f64::MAX] {
            let scaled = (std::f64::consts::FRAC_PI_2 / x).sqrt();
            near(k0e(x), scaled, 1e-12);
            near(k1e(x), scaled, 1e-12);
            assert!(k0(x) == 0.0 && k1(x) == 0.0);
        }
        near(k0(5e-324), 744.556_003_437_039_7, 1e-14);
        near(k0(1e-310), 713.917_310_343_812_6, 1e-14);
        assert!(k1(5e-324) == f64::INFINITY);
    }

    #[test]
    fn fraction_and_asymptotic_series_agree() {
        for x in [0.9e6, 1e6] {
            for (far, mu) in k_far(x).into_iter().zip([0.0, 4.0]) {
                near(far, asymptotic(x, mu), 2e-15);
            }
        }
    }

    #[test]
    fn series_and_fraction_agree() {
        for (near_one, far) in k_near(1.0).into_iter().zip(k_far(1.0)) {
            near(far * (-1.0_f64).exp(), near_one, 2e-15);
        }
    }
}
