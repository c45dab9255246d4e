//! Special functions that are evaluated one by one.

/// The logarithmic derivative of the gamma function; NaN at its poles.
pub fn digamma(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection, with the tangent's argument brought near zero first.
        return digamma(1.0 - x) - PI / (PI * (x - x.floor())).tan();
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

/// `ln |Γ(x)|`, infinite at the poles.
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `log(1 + e^x)`
pub fn softplus(x: f64) -> f64 {
    let positive = if x < 0.0 { 0.0 } else { x };
    positive + (-x.abs()).exp().ln_1p()
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
}
