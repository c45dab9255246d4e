//! The regularised incomplete gamma functions and their derivatives by the parameter.

use super::jet::{Jet, Real};
use super::tables::{ETA, LGAMMA, TEMME};
use super::{log1pmx, polynomial, scaled_gamma};
use ferrograph_kernels::special::Double;
use ferrograph_kernels::special::polygamma;

/// From this parameter on the uniform expansion is used around `x = a`.
const UNIFORM: f64 = 100.0;
/// Exponents below this one are computed in double precision twice over.
const FAR: f64 = -1.0;
/// Below this exponent nothing is left; far below it the parts of a [`Double`] are infinite.
const GONE: f64 = -800.0;
/// How many terms a series or fraction may need; parameters below [`UNIFORM`] need far fewer.
const TERMS: u32 = 2000;

/// What was computed: the lower function `P` or the upper one `Q`, which sum to 1.
enum Part<R> {
    Lower(R),
    Upper(R),
}

/// `P(a, x)`: the integral of `t^(a-1) e^-t` from 0 to `x`, over `Gamma(a)`.
pub fn igamma(a: f64, x: f64) -> f64 {
    if let Some(lower) = edge(a, x) {
        return lower;
    }
    match part(a, x) {
        Part::Lower(p) => p,
        Part::Upper(q) => 1.0 - q,
    }
}

/// `Q(a, x) = 1 - P(a, x)`, accurate where it is small.
pub fn igammac(a: f64, x: f64) -> f64 {
    if a <= 0.0 {
        return f64::NAN;
    }
    if let Some(lower) = edge(a, x) {
        return 1.0 - lower;
    }
    match part(a, x) {
        Part::Lower(p) => 1.0 - p,
        Part::Upper(q) => q,
    }
}

/// The derivative of `P(a, x)` by `a`.
pub fn igamma_grad_a(a: f64, x: f64) -> f64 {
    derivatives(a, x)[1]
}

/// The second derivative of `P(a, x)` by `a`.
pub fn igamma_grad_aa(a: f64, x: f64) -> f64 {
    derivatives(a, x)[2]
}

/// `P` where the arguments alone say it.
fn edge(a: f64, x: f64) -> Option<f64> {
    if x < 0.0 || x.is_nan() || a.is_nan() {
        return Some(f64::NAN);
    }
    if x == 0.0 {
        return Some(0.0);
    }
    if a <= 0.0 {
        return Some(f64::NAN);
    }
    if a.is_infinite() {
        return Some(0.0);
    }
    x.is_infinite().then_some(1.0)
}

fn derivatives(a: f64, x: f64) -> [f64; 3] {
    match edge(a, x) {
        Some(lower) => [lower, lower * 0.0, lower * 0.0],
        None => match part(Jet::parameter(a), x) {
            Part::Lower(Jet(p)) => p,
            Part::Upper(Jet([q, d, dd])) => [1.0 - q, -d, -dd],
        },
    }
}

/// The smaller one of both functions, or nearly.
fn part<R: Parameter>(a: R, x: f64) -> Part<R> {
    let at = a.value();
    let off = (x - at) / at;
    if at >= UNIFORM && off.abs() < 0.2 {
        return uniform(a, x);
    }
    if x > 1.1 {
        return match x < at {
            true => Part::Lower(series(a, x)),
            false => Part::Upper(fraction(a, x)),
        };
    }
    // Below, Q is small only where a is: compare DiDonato and Morris, ACM TOMS 12 (1986), section 2.
    let bound = if x <= 0.5 { -0.4 / x.ln() } else { x / 1.1 };
    match at > bound {
        true => Part::Lower(series(a, x)),
        false => Part::Upper(complement(a, x)),
    }
}

/// What the functions need of their parameter.
trait Parameter: Real {
    /// `x^a e^-x / Gamma(a + 1)`
    fn prefix(self, x: f64) -> Self {
        let a = self.value();
        let y = prefix(a, x);
        // The derivative of its logarithm.
        let slope = x.ln() - polygamma(0.0, a + 1.0);
        self.chain([y, y * slope, y * (slope * slope - polygamma(1.0, a + 1.0))])
    }
    /// `ln Gamma(1 + a)`
    fn lgamma1p(self) -> Self {
        let a = self.value();
        self.chain([
            lgamma1p(a),
            polygamma(0.0, a + 1.0),
            polygamma(1.0, a + 1.0),
        ])
    }
    /// The complementary error function of `a`.
    fn erfc(self) -> Self {
        let a = self.value();
        let slope = -std::f64::consts::FRAC_2_SQRT_PI * (-a * a).exp();
        self.chain([libm::erfc(a), slope, -2.0 * a * slope])
    }
    /// A polynomial of it.
    fn polynomial(self, coefficients: &[f64]) -> Self {
        let step = |y: Self, c: &f64| y * self + (*c).into();
        coefficients.iter().rev().fold(Self::from(0.0), step)
    }
}

impl Parameter for f64 {
    fn prefix(self, x: f64) -> f64 {
        prefix(self, x)
    }
    fn lgamma1p(self) -> f64 {
        lgamma1p(self)
    }
    fn erfc(self) -> f64 {
        libm::erfc(self)
    }
}

impl Parameter for Jet {}

/// `x^a e^-x / Gamma(a + 1)`
fn prefix(a: f64, x: f64) -> f64 {
    if a < 10.0 {
        let half = (-0.5 * x).exp();
        return if half == 0.0 {
            0.0
        } else {
            half * x.powf(a) / libm::tgamma(a + 1.0) * half
        };
    }
    let (ratio, off) = (x / a, (x - a) / a);
    let exponent = a * log1pmx(ratio, off);
    let bell = match exponent {
        e if e < GONE => 0.0,
        e if e < FAR => far_bell(a, x),
        e => e.exp(),
    };
    bell / ((std::f64::consts::TAU * a).sqrt() * scaled_gamma(a))
}

/// `(x / a)^a e^(a - x)`, accurate where it is small.
fn far_bell(a: f64, x: f64) -> f64 {
    let power = (Double::from(x) / a.into()).ln() * a.into();
    (power - Double::sum(x, -a)).exp()
}

/// `ln Gamma(1 + a)`, accurate near 0: DLMF 5.7.3.
fn lgamma1p(a: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    if a.abs() > 0.6 {
        return libm::lgamma(1.0 + a);
    }
    a * (1.0 - EULER) - a.ln_1p() + a * a * polynomial(&LGAMMA, a)
}

/// `P` by its power series, DLMF 8.11.4.
fn series<R: Parameter>(a: R, x: f64) -> R {
    let (mut sum, mut term) = (R::from(1.0), R::from(1.0));
    for n in 1..TERMS {
        term = term * (R::from(x) / (a + f64::from(n).into()));
        sum = sum + term;
        if term.size() <= 1e-17 * sum.value() {
            break;
        }
    }
    a.prefix(x) * sum
}

/// `Q` by its continued fraction, DLMF 8.9.2, evaluated from the front (Lentz).
fn fraction<R: Parameter>(a: R, x: f64) -> R {
    let one = R::from(1.0);
    let mut b = R::from(x + 1.0) - a;
    let mut c = R::from(1e300);
    let mut d = one / b;
    let mut h = d;
    for n in 1..TERMS {
        let n = R::from(f64::from(n));
        let numerator = n * (a - n);
        b = b + 2.0.into();
        d = one / (numerator * d + b);
        c = b + numerator / c;
        let delta = c * d;
        h = h * delta;
        if (delta - one).size() < 1e-16 {
            break;
        }
    }
    a.prefix(x) * a * h
}

/// `Q` for small parameters: what is left of 1 by the first term of `P`, and its other terms (DLMF 8.7.1).
fn complement<R: Parameter>(a: R, x: f64) -> R {
    let exponent = a * R::from(x.ln()) - a.lgamma1p();
    let (mut sum, mut power) = (R::from(0.0), 1.0);
    for n in 1..TERMS {
        let n = f64::from(n);
        power *= -x / n;
        let term = R::from(power) / (a + n.into());
        sum = sum + term;
        if term.size() <= 1e-17 * sum.size() {
            break;
        }
    }
    R::from(0.0) - exponent.expm1() - exponent.exp() * a * sum
}

/// The smaller of both by Temme's uniform expansion, DLMF 8.12.3, 8.12.4 and 8.12.7.
fn uniform<R: Parameter>(a: R, x: f64) -> Part<R> {
    let off = (R::from(x) - a) / a;
    let eta = off * off.polynomial(&ETA);
    let mut sum = R::from(0.0);
    for row in TEMME.iter().rev() {
        sum = sum / a + eta.polynomial(row);
    }
    let square = R::from(0.5) * a * eta * eta;
    let at = eta * (a * R::from(0.5)).sqrt();
    let (bell, erfc) = mended(a.value(), x, square.value(), at.value());
    let bell = (R::from(0.0) - square).exp() * bell.into();
    let rest = bell * sum / (R::from(std::f64::consts::TAU) * a).sqrt();
    let half = R::from(0.5 * erfc);
    match eta.value() < 0.0 {
        true => Part::Lower(half * (R::from(0.0) - at).erfc() - rest),
        false => Part::Upper(half * at.erfc() + rest),
    }
}

/// What mends the rounding of the exponents in [`uniform`]: factors of `e^-square` and of the complementary error function
/// at `at`, whose square it is.
fn mended(a: f64, x: f64, square: f64, at: f64) -> (f64, f64) {
    let found = (-square).exp();
    if -square >= FAR || found == 0.0 {
        return (1.0, 1.0);
    }
    let bell = far_bell(a, x);
    let product = Double::product(at, at);
    (bell / found, bell * product.exp())
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::*;

    #[test]
    fn parameters_up_to_the_largest() {
        for a in [1e30, 1e300, f64::MAX] {
            for x in [1e-300, 0.5, 2.0, 1e20] {
                assert!(igamma(a, x) == 0.0 && igammac(a, x) == 1.0, "{a} {x}");
                assert!(igamma_grad_a(a, x) == 0.0, "{a} {x}");
            }
        }
    }

    #[test]
    fn values_at_known_points() {
        near(igamma(1.0, 1.0), 1.0 - (-1.0_f64).exp(), 1e-15);
        near(igammac(0.5, 4.0), libm::erfc(2.0), 4e-15);
        near(igamma(100.0, 81.0), 0.022_651_521_420_341_583, 1e-14);
        near(igamma(100.0, 119.0), 0.965_947_050_318_387_6, 1e-14);
        near(igammac(1e-10, 0.5), 5.597_735_948_054_988e-11, 1e-13);
        assert!(igamma(-1.0, 1.0).is_nan() && igamma(1.0, -1.0).is_nan());
        assert_eq!(igamma(2.0, 0.0), 0.0);
        assert_eq!(igammac(2.0, f64::INFINITY), 0.0);
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for (a, x) in [
            (0.3, 0.2),
            (0.3, 3.0),
            (2.5, 1.0),
            (2.5, 8.0),
            (40.0, 35.0),
            (150.0, 160.0),
            (150.0, 130.0),
            (1e-3, 0.4),
        ] {
            let h = 2e-3 * a;
            let at = |f: fn(f64, f64) -> f64, k: f64| f(a + k * h, x);
            let first = |f: fn(f64, f64) -> f64| {
                (8.0 * (at(f, 1.0) - at(f, -1.0)) - (at(f, 2.0) - at(f, -2.0))) / (12.0 * h)
            };
            near(igamma_grad_a(a, x), -first(igammac), 1e-6);
            near(igamma_grad_aa(a, x), first(igamma_grad_a), 1e-6);
        }
    }

    #[test]
    fn branches_meet() {
        for a in [100.0, 1000.0, 1e6, 1e12] {
            for edge in [0.8_f64, 1.2] {
                let (low, high) = ((edge - 1e-12) * a, (edge + 1e-12) * a);
                let (p, q) = (igamma(a, low), igamma(a, high));
                assert!(p == q || (p - q).abs() <= 1e-6 * p, "{a} {edge}: {p} {q}");
            }
        }
    }
}
