//! Special functions that are evaluated one by one.

/// The logarithmic derivative of the gamma function; NaN at its poles.
pub fn digamma(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection, with the tangent's argument brought near zero first.
        return digamma(1.0 - x) - PI / (PI * (x - x.round())).tan();
    }
    let (mut shift, mut x) = (0.0, x);
    while x < 10.0 {
        shift += 1.0 / x;
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let c = [
        1.0 / 12.0,
        -691.0 / 32760.0,
        1.0 / 132.0,
        -1.0 / 240.0,
        1.0 / 252.0,
        -1.0 / 120.0,
        1.0 / 12.0,
    ];
    let tail = z * c.iter().fold(0.0, |y, c| y * z + c);
    x.ln() - 0.5 / x - tail - shift
}

/// `e^-|x| I_order(x)` for the modified Bessel functions of the first kind of order 0 and 1.
///
/// Up to 20 by the power series, whose terms have one sign; beyond by the asymptotic series, whose terms fall below
/// the precision there (Abramowitz and Stegun 9.6.10 and 9.7.1).
pub fn bessel_ie(order: u8, x: f64) -> f64 {
    let (order, size) = (f64::from(order), x.abs());
    let next: &dyn Fn(f64) -> f64 = if size <= 20.0 {
        &|k| size * size / (4.0 * k * (k + order))
    } else {
        &|k| ((2.0 * k - 1.0).powi(2) - 4.0 * order * order) / (8.0 * k) / size
    };
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..100 {
        term *= next(f64::from(k));
        sum += term;
        if term.abs() <= 1e-17 * sum || sum.is_nan() {
            break;
        }
    }
    let scale = if size <= 20.0 {
        (0.5 * size).powf(order) * (-size).exp()
    } else {
        (std::f64::consts::TAU.sqrt() * size.sqrt()).recip()
    };
    let value = sum * scale;
    if order == 1.0 && x < 0.0 {
        -value
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_at_known_points() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-14);
        assert!((digamma(0.5) + EULER + 2.0 * std::f64::consts::LN_2).abs() < 1e-14);
        assert!((digamma(-0.5) - 0.036_489_973_978_576_52).abs() < 1e-13);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan());
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn scaled_bessel_functions_at_known_points() {
        let near =
            |got: f64, want: f64| assert!((got - want).abs() < 1e-14 * want.abs(), "{got} {want}");
        near(bessel_ie(0, 0.0), 1.0);
        assert_eq!(bessel_ie(1, 0.0), 0.0);
        near(bessel_ie(0, 1.0), 0.465_759_607_593_640_4);
        near(bessel_ie(1, 1.0), 0.207_910_415_349_708_5);
        near(bessel_ie(1, -1.0), -0.207_910_415_349_708_5);
        near(bessel_ie(0, 10.0), 0.127_833_337_163_428_6);
        near(bessel_ie(0, 100.0), 0.039_944_379_299_096_68);
        near(bessel_ie(1, 100.0), 0.039_744_153_025_130_25);
        assert!(bessel_ie(0, f64::NAN).is_nan() && bessel_ie(0, f64::INFINITY) == 0.0);
        // Both series meet where one takes over from the other.
        for order in [0, 1] {
            near(bessel_ie(order, 20.0_f64.next_up()), bessel_ie(order, 20.0));
        }
    }
}
