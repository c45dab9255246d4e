//! Inverses of the error function and of what is made from it.

/// The point below which a standard normal variable lies with probability `p`.
pub fn ndtri(p: f64) -> f64 {
    erfinv(2.0 * p - 1.0) * std::f64::consts::SQRT_2
}

/// The inverse of the error function.
///
/// A first guess by an elementary approximation, then steps of Halley's method, which triples the digits each time.
pub fn erfinv(y: f64) -> f64 {
    if y.is_nan() || y.abs() >= 1.0 {
        return match y {
            1.0 => f64::INFINITY,
            -1.0 => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
    }
    const A: f64 = 0.147;
    let log = (-y * y).ln_1p();
    let half = 2.0 / (std::f64::consts::PI * A) + log / 2.0;
    let mut x = ((half * half - log / A).sqrt() - half)
        .max(0.0)
        .sqrt()
        .copysign(y);
    for _ in 0..3 {
        let miss = if y.abs() < 0.5 {
            libm::erf(x) - y
        } else {
            tail_miss(x, y)
        };
        let step = miss / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

/// `erf(x) - y` for `y` near ±1, without cancellation.
fn tail_miss(x: f64, y: f64) -> f64 {
    y.signum() * ((1.0 - y.abs()) - libm::erfc(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_known_points() {
        assert!((erfinv(0.5) - 0.476_936_276_204_469_9).abs() < 1e-15);
        assert!((erfinv(-0.999) + 2.326_753_765_513_525).abs() < 1e-13);
        assert!((ndtri(0.975) - 1.959_963_984_540_054).abs() < 1e-13);
        assert!(erfinv(1.0) == f64::INFINITY && ndtri(0.0) == f64::NEG_INFINITY);
        assert!(erfinv(1.5).is_nan() && erfinv(f64::NAN).is_nan() && erfinv(0.0) == 0.0);
    }
}
