//! Numbers that carry their first two derivatives by one parameter, and what series need of a number.

use std::ops::{Add, Div, Mul, Sub};

/// A plain number, or one with derivatives.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + From<f64>
{
    /// The number itself.
    fn value(self) -> f64;
    /// The largest magnitude among number and derivatives.
    fn size(self) -> f64;
    /// A function of it, from the function's value and first two derivatives there.
    fn chain(self, f: [f64; 3]) -> Self;

    /// `e` to its power.
    fn exp(self) -> Self {
        let y = self.value().exp();
        self.chain([y; 3])
    }
    /// `self - 1` of [`Real::exp`], exact near 0.
    fn expm1(self) -> Self {
        let y = self.value().exp();
        self.chain([self.value().exp_m1(), y, y])
    }
    /// The square root.
    fn sqrt(self) -> Self {
        let y = self.value().sqrt();
        self.chain([y, 0.5 / y, -0.25 / (y * self.value())])
    }
}

impl Real for f64 {
    fn value(self) -> f64 {
        self
    }
    fn size(self) -> f64 {
        self.abs()
    }
    fn chain(self, f: [f64; 3]) -> f64 {
        f[0]
    }
}

/// A number, its derivative and its second derivative.
#[derive(Clone, Copy, Debug)]
pub struct Jet(pub [f64; 3]);

impl Jet {
    /// The parameter itself.
    pub fn parameter(a: f64) -> Jet {
        Jet([a, 1.0, 0.0])
    }
}

impl From<f64> for Jet {
    fn from(x: f64) -> Jet {
        Jet([x, 0.0, 0.0])
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, o: Jet) -> Jet {
        Jet(std::array::from_fn(|i| self.0[i] + o.0[i]))
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, o: Jet) -> Jet {
        Jet(std::array::from_fn(|i| self.0[i] - o.0[i]))
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, o: Jet) -> Jet {
        let ([a, da, dda], [b, db, ddb]) = (self.0, o.0);
        Jet([a * b, da * b + a * db, dda * b + 2.0 * da * db + a * ddb])
    }
}

impl Div for Jet {
    type Output = Jet;
    fn div(self, o: Jet) -> Jet {
        let b = o.0[0];
        let q = self.0[0] / b;
        let dq = (self.0[1] - q * o.0[1]) / b;
        Jet([q, dq, (self.0[2] - 2.0 * dq * o.0[1] - q * o.0[2]) / b])
    }
}

impl Real for Jet {
    fn value(self) -> f64 {
        self.0[0]
    }
    fn size(self) -> f64 {
        self.0.iter().fold(0.0, |y, x| y.max(x.abs()))
    }
    fn chain(self, [f, df, ddf]: [f64; 3]) -> Jet {
        let [_, d, dd] = self.0;
        Jet([f, df * d, ddf * d * d + df * dd])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_a_composition() {
        // f = exp(a) / (1 + a²) at 1, by hand: f = e / 2, f' = 0, f'' = 0.
        let a = Jet::parameter(1.0);
        let y = a.exp() / (Jet::from(1.0) + a * a);
        let half = std::f64::consts::E / 2.0;
        assert!((y.0[0] - half).abs() < 1e-15 && y.0[1].abs() < 1e-15);
        assert!(y.0[2].abs() < 1e-15);
        let root = (a * a * a).sqrt();
        assert!((root.0[1] - 1.5).abs() < 1e-15 && (root.0[2] - 0.75).abs() < 1e-15);
    }
}
