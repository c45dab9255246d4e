//! The functions, of one number after the other in double precision, from published formulas: "DLMF" is the Digital
//! Library of Mathematical Functions of NIST.

pub mod bessel;
pub mod beta;
pub mod gamma;
pub mod integrals;
mod jet;
mod tables;

/// The value of a polynomial, its constant first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |y, c| y * x + c)
}

/// `ln(r) - m` for `r = 1 + m`, without cancellation, by the series of `artanh(m / (2 + m))`.
fn log1pmx(r: f64, m: f64) -> f64 {
    if m.abs() > 0.6 {
        return r.ln() - m;
    }
    let s = m / (2.0 + m);
    let (square, mut power, mut sum) = (s * s, 1.0, 0.0);
    for k in 0..40 {
        let term = power / f64::from(2 * k + 3);
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
        power *= square;
    }
    s * (2.0 * square * sum - m)
}

/// `Gamma(a) / (sqrt(2 pi / a) (a / e)^a)` for `a` from 10: Stirling's series, DLMF 5.11.1.
fn scaled_gamma(a: f64) -> f64 {
    let terms = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    (polynomial(&terms, (a * a).recip()) / a).exp()
}

#[cfg(test)]
pub(crate) fn near(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance * want.abs(),
        "{got:e} is not {want:e}"
    );
}
