//! Numbers of twice the precision: what exponents are computed in, whose errors the exponential function multiplies by
//! their size.

use std::ops::{Add, Div, Mul, Sub};

/// The sum of two numbers, the second of which is below a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub struct Double(pub f64, pub f64);

const LN_2: Double = Double(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
/// Terms of the series of the logarithm that count, and those among them that need both parts.
const TERMS: u32 = 22;
const EXACT: u32 = 11;

impl From<f64> for Double {
    fn from(x: f64) -> Double {
        Double(x, 0.0)
    }
}

impl Double {
    /// `a + b` (Knuth).
    pub fn sum(a: f64, b: f64) -> Double {
        let sum = a + b;
        let part = sum - a;
        Double(sum, (a - (sum - part)) + (b - part))
    }

    /// `a * b`.
    pub fn product(a: f64, b: f64) -> Double {
        let product = a * b;
        Double(product, a.mul_add(b, -product))
    }

    /// Both parts, the second of which may overlap the first.
    fn settled(high: f64, low: f64) -> Double {
        let sum = high + low;
        Double(sum, low - (sum - high))
    }

    /// Whether one number holds it.
    pub fn is_single(self) -> bool {
        self.1 == 0.0
    }

    /// The natural logarithm of a positive number: `2 artanh((m - 1) / (m + 1))` of a part near 1.
    pub fn ln(self) -> Double {
        let exponent = (self.0.log2() + 0.5).floor();
        // By halves: the power alone may be out of range.
        let half = (exponent * -0.5).floor();
        let scale = |x: f64| x * half.exp2() * (-exponent - half).exp2();
        let m = Double(scale(self.0), scale(self.1));
        let s = (m - 1.0.into()) / (m + 1.0.into());
        let square = s * s;
        let mut tail = 0.0;
        for k in (EXACT..TERMS).rev() {
            tail = tail * square.0 + 1.0 / f64::from(2 * k + 1);
        }
        let mut sum = Double::from(tail);
        for k in (0..EXACT).rev() {
            sum = sum * square + Double::from(1.0) / f64::from(2 * k + 1).into();
        }
        LN_2 * exponent.into() + s * sum * 2.0.into()
    }

    /// The exponential.
    pub fn exp(self) -> f64 {
        let high = self.0.exp();
        if high.is_finite() {
            high + high * self.1
        } else {
            high
        }
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let (high, low) = (Double::sum(self.0, other.0), Double::sum(self.1, other.1));
        let first = Double::settled(high.0, high.1 + low.0);
        Double::settled(first.0, first.1 + low.1)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + Double(-other.0, -other.1)
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let product = Double::product(self.0, other.0);
        Double::settled(product.0, product.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Double {
    type Output = Double;
    fn div(self, other: Double) -> Double {
        let first = self.0 / other.0;
        let rest = self - other * first.into();
        let second = rest.0 / other.0;
        let rest = rest - other * second.into();
        Double::settled(first, second) + (rest.0 / other.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_have_both_parts() {
        // ln(3) and ln(10) to 32 digits, in two parts.
        for (x, high, low) in [
            (3.0, 1.098_612_288_668_109_8, -9.071_297_235_001_53e-17),
            (10.0, std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16),
        ] {
            let found = Double::from(x).ln();
            assert!((found.0 - high).abs() < 1e-15);
            assert!(
                (found.0 - high + found.1 - low).abs() < 1e-30,
                "{x}: {found:?}"
            );
        }
        let tiny = Double(1.0, -1e-20).ln();
        assert!((tiny.0 + 1e-20).abs() < 1e-35);
        for x in [5e-324, 1e-300, 1e300, f64::MAX] {
            assert!((Double::from(x).ln().0 - x.ln()).abs() < 2e-13, "{x}");
        }
    }

    #[test]
    fn quotients_and_products_undo_each_other() {
        let (a, b) = (Double::sum(1.0, 1e-17) / 3.0.into(), Double::from(7.3));
        let back = a * b / b - a;
        assert!(back.0.abs() < 1e-31);
        assert!(Double::from(0.1).is_single() && !Double::sum(1.0, -1e-20).is_single());
    }
}
