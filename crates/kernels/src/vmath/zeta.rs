//! The zeta function and the derivatives of the logarithm of the gamma function.

use super::special::digamma;

/// Bernoulli numbers of even index over the factorials of their indices.
const BERNOULLI: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
];

/// The Hurwitz zeta function: the sum of `(q + n)^-x` over all `n` from 0.
///
/// Terms are added up until `q` is large; the rest is an integral with corrections at its lower end.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        return zeta_below(x, q);
    }
    if q.is_infinite() || x.is_infinite() {
        return if q > 1.0 { 0.0 } else { q.powf(-x) };
    }
    let (mut sum, mut q) = (0.0, q);
    // The corrections fall off where q is larger than their order beyond x.
    while q < 10.0 + x {
        let term = q.powf(-x);
        sum += term;
        if term <= 1e-17 * sum / q {
            return sum;
        }
        q += 1.0;
    }
    let last = q.powf(-x);
    if last == 0.0 {
        return sum; // the corrections of nothing, whose factors may be infinite
    }
    sum += last * q / (x - 1.0) + 0.5 * last;
    let (mut factor, mut power) = (x, last / q);
    for (i, b) in (1u32..).zip(BERNOULLI) {
        sum += b * factor * power;
        let k = f64::from(2 * i);
        factor *= (x + k - 1.0) * (x + k);
        power /= q * q;
    }
    sum
}

/// For `q` at or below 0: a pole at integers; else the negative terms, counted from the one next to 0, and the
/// positive ones.
fn zeta_below(x: f64, q: f64) -> f64 {
    if q == q.floor() {
        return f64::INFINITY;
    }
    if x != x.floor() {
        return f64::NAN;
    }
    let nearest = -q - (-q).floor();
    let negative = zeta(x, nearest) - zeta(x, 1.0 - q);
    let sign = if x % 2.0 == 0.0 { 1.0 } else { -1.0 };
    sign * negative + zeta(x, 1.0 - nearest)
}

/// Derivative number `a`, from 0, of the digamma function.
pub fn polygamma(a: f64, x: f64) -> f64 {
    if a == 0.0 {
        return digamma(x);
    }
    if a < 0.0 || a != a.floor() {
        return f64::NAN;
    }
    let sign = if a % 2.0 == 0.0 { -1.0 } else { 1.0 };
    // Beyond 170 the factorial is infinite.
    let factorial: f64 = (1..=(a.min(171.0) as u32)).map(f64::from).product();
    sign * factorial * zeta(a + 1.0, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_known_points() {
        let pi = std::f64::consts::PI;
        assert!((zeta(2.0, 1.0) - pi * pi / 6.0).abs() < 1e-14);
        assert!((zeta(4.0, 1.0) - pi.powi(4) / 90.0).abs() < 1e-14);
        assert!((zeta(3.0, 0.5) - 7.0 * 1.202_056_903_159_594_2).abs() < 1e-13);
        assert!((zeta(2.0, -0.5) - (4.0 + pi * pi / 2.0)).abs() < 1e-13);
        assert!((zeta(2.0, -2.5) - zeta(2.0, 0.5) - 4.0 - 4.0 / 9.0 - 4.0 / 25.0).abs() < 1e-13);
        assert!(zeta(2.0, -1e9 - 0.5).is_finite() && zeta(3.0, f64::INFINITY) == 0.0);
        assert!((polygamma(1.0, 0.5) - pi * pi / 2.0).abs() < 1e-13);
        assert!((zeta(50.0, 30.0) / 1.733_935_477_608_193_6e-74 - 1.0).abs() < 1e-13);
        assert!(zeta(1.0, 2.0).is_infinite() && zeta(0.5, 2.0).is_nan());
    }
}
