//! The regularised incomplete beta function.

use super::gamma::{igamma, igammac};
use super::{log1pmx, scaled_gamma};
use ferrograph_kernels::special::Double;

/// Parameters above this are in the limits of large ones.
const LARGE: f64 = 1e9;
/// Exponents below this one are computed in double precision twice over.
const FAR: f64 = -1.0;
/// What the continued fraction needs at most for parameters up to [`LARGE`].
const TERMS: u32 = 200_000;

/// `I_x(a, b)`: the integral of `t^(a-1) (1-t)^(b-1)` from 0 to `x`, over that to 1.
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    if a <= 0.0 || b <= 0.0 || !(0.0..=1.0).contains(&x) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    if !(a.is_finite() && b.is_finite()) {
        return f64::NAN;
    }
    let (exact, rest) = (Double::from(x), Double::sum(1.0, -x));
    let y = rest.0;
    if a.max(b) > LARGE {
        return large(a, b, x, y);
    }
    if b * x <= 1.0 && x <= 0.95 {
        return series(a, b, exact, rest);
    }
    if a * y <= 1.0 && y <= 0.95 {
        return 1.0 - series(b, a, rest, exact);
    }
    match x < (a + 1.0) / (a + b + 2.0) {
        true => fraction(a, b, exact, rest),
        false => 1.0 - fraction(b, a, rest, exact),
    }
}

/// By its power series, DLMF 8.17.7 and 15.2.1.
fn series(a: f64, b: f64, x: Double, y: Double) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    for n in 1..2000 {
        let n = f64::from(n);
        term *= (n - b) / n * x.0;
        let part = term / (a + n);
        sum += part;
        if part.abs() <= 1e-17 * sum.abs() || part == 0.0 {
            break;
        }
    }
    // The power of `1 - x` in the prefix does not belong to this series.
    prefix(a, b, x, y) / power(y, b) * (1.0 + a * sum)
}

/// By the even part of its continued fraction, DLMF 8.17.22, from the front (Lentz): in terms of `1 - x`, so that nothing
/// cancels near 1 (Didonato and Morris, ACM TOMS 18 (1992), 360).
fn fraction(a: f64, b: f64, exact: Double, rest: Double) -> f64 {
    let (x, y) = (exact.0, rest.0);
    let off = a * y - b * x + 1.0;
    let denominator = |m: f64| {
        let first = m + m * (b - m) * x / (a + 2.0 * m - 1.0);
        first + (a + m) * (off + m * (1.0 + y)) / (a + 2.0 * m + 1.0)
    };
    let mut f = a * off / (a + 1.0);
    let (mut c, mut d) = (f, 0.0);
    for m in 1..TERMS {
        let m = f64::from(m);
        let odd = a + 2.0 * m - 1.0;
        let numerator = (a + m - 1.0) / odd * ((a + b + m - 1.0) / odd) * m * (b - m) * x * x;
        let next = denominator(m);
        d = 1.0 / (next + numerator * d);
        c = next + numerator / c;
        f *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    prefix(a, b, exact, rest) * a / f
}

/// `x^a`
fn power(x: Double, a: f64) -> f64 {
    match x.is_single() {
        true => x.0.powf(a),
        false => (x.ln() * a.into()).exp(),
    }
}

/// `x^a y^b / (a B(a, b))` with `y = 1 - x`.
fn prefix(a: f64, b: f64, x: Double, y: Double) -> f64 {
    if a >= 10.0 && b >= 10.0 {
        return bell(a, b, x, y)
            * (b / (std::f64::consts::TAU * a * (a + b))).sqrt()
            * scaled_gamma(a + b)
            / (scaled_gamma(a) * scaled_gamma(b));
    }
    let powers = power(x, a) * power(y, b);
    powers * gamma_ratio(a.max(b), a.min(b)) / a
}

/// `Gamma(a + b) / (Gamma(a) Gamma(b))` for `b` below 10 and no larger than `a`.
fn gamma_ratio(a: f64, b: f64) -> f64 {
    let gamma = libm::tgamma(b);
    if a < 10.0 {
        return libm::tgamma(a + b) / (libm::tgamma(a) * gamma);
    }
    // Both gamma functions of large arguments by Stirling's formula, the powers that cancel left out.
    let exponent = (a + b - 0.5) * (b / a).ln_1p() - b;
    a.powf(b) * exponent.exp() * scaled_gamma(a + b) / (scaled_gamma(a) * gamma)
}

/// `(x / p)^a (y / q)^b` where `p = a / (a + b)` and `q = b / (a + b)`: 1 at `x = p`.
fn bell(a: f64, b: f64, x: Double, y: Double) -> f64 {
    let near = exponent(a, b, x.0, y.0);
    if near >= FAR {
        return near.exp();
    }
    let sum = Double::sum(a, b);
    let part = |x: Double, a: f64| (x * sum / a.into()).ln() * a.into();
    (part(x, a) + part(y, b)).exp()
}

/// The logarithm of [`bell`].
fn exponent(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let off = x.mul_add(b, -(a * y));
    let (p, q) = (x * ((a + b) / a), y * ((a + b) / b));
    a * log1pmx(p, off / a) + b * log1pmx(q, -off / b)
}

/// For a very large parameter: the leading terms of the uniform expansion (DLMF 8.18.9) where both are large, else the
/// limit of the incomplete gamma functions (DLMF 8.18.1); relative errors are below 1e-8.
fn large(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let scale = |of: f64, other: f64| other + 0.5 * (of - 1.0);
    if a < 1e4 {
        return igamma(a, -scale(a, b) * (-x).ln_1p());
    }
    if b < 1e4 {
        return igammac(b, -scale(b, a) * (-y).ln_1p());
    }
    let (sum, square) = (a + b, exponent(a, b, x, y));
    let (p, q) = (a / sum, b / sum);
    let off = (x * b - a * y) / sum;
    if off == 0.0 {
        return 0.5;
    }
    let eta = (-2.0 * square / sum).sqrt().copysign(off);
    let rest = square.exp() / (std::f64::consts::TAU * sum).sqrt();
    let slope = 1.0 / eta - (p * q).sqrt() / off;
    (0.5 * libm::erfc(-eta * (0.5 * sum).sqrt()) + rest * slope).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::*;

    #[test]
    fn values_at_known_points() {
        near(betainc(1.0, 3.0, 0.25), 1.0 - 0.75_f64.powi(3), 4e-16);
        near(betainc(2.0, 2.0, 0.5), 0.5, 1e-15);
        near(betainc(1.0, 1e-10, 0.9), 2.302_585_092_728_953e-10, 1e-13);
        near(betainc(300.0, 300.0, 0.5), 0.5, 1e-14);
        // I_x(a, 1) = x^a and I_x(1, b) = 1 - (1 - x)^b
        near(betainc(2e3, 1.0, 0.99), 0.99_f64.powf(2e3), 1e-12);
        near(betainc(1.0, 5e9, 1e-10), -(-0.5_f64).exp_m1(), 1e-8);
        near(betainc(5e9, 5e9, 0.500_002), 0.655_421_741_6, 1e-9);
        assert!(betainc(0.0, 1.0, 0.5).is_nan() && betainc(1.0, 1.0, 1.5).is_nan());
        assert_eq!((betainc(2.0, 3.0, 0.0), betainc(2.0, 3.0, 1.0)), (0.0, 1.0));
    }

    #[test]
    fn both_sides_sum_to_one() {
        for a in [1e-3, 0.7, 9.0, 30.0, 1e4, 1e7] {
            for b in [2e-3, 1.0, 12.0, 4e3, 1e6] {
                for x in [0.125, 0.5, 0.75, 0.984_375] {
                    let sum = betainc(a, b, x) + betainc(b, a, 1.0 - x);
                    near(sum, 1.0, 1e-11);
                }
            }
        }
    }
}
