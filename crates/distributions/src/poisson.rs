//! Samples of the Poisson distribution.

use crate::numbers::Numbers;
use ferrograph_kernels::special::lgamma;
use ferrograph_kernels::stop::poll_cancellation;

/// A sample for that rate; NaN for a rate that is none.
pub(crate) fn poisson(rate: f64, numbers: &mut Numbers) -> f64 {
    if !rate.is_finite() || rate < 0.0 {
        return f64::NAN;
    }
    match rate < 10.0 {
        true => by_product(rate, numbers),
        false => by_rejection(rate, numbers),
    }
}

/// As many uniform numbers as have a product above `e^-rate` (Knuth, The Art of Computer Programming 2, 3.4.1).
fn by_product(rate: f64, numbers: &mut Numbers) -> f64 {
    let bound = (-rate).exp();
    let (mut product, mut count) = (1.0, 0.0);
    loop {
        product *= numbers.uniform();
        if product <= bound {
            return count;
        }
        count += 1.0;
    }
}

/// Transformed rejection with squeeze (Hörmann, Insurance: Mathematics and Economics 12 (1993), 39: PTRS).
fn by_rejection(rate: f64, numbers: &mut Numbers) -> f64 {
    let log_rate = rate.ln();
    let b = 0.931 + 2.53 * rate.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    loop {
        poll_cancellation();
        let u = numbers.uniform() - 0.5;
        let v = numbers.uniform();
        let shifted = 0.5 - u.abs();
        let k = ((2.0 * a / shifted + b) * u + rate + 0.43).floor();
        if shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0) {
            return k;
        }
        if k < 0.0 || (shifted < 0.013 && v > shifted) {
            continue;
        }
        let s = (v * inverse_alpha / (a / (shifted * shifted) + b)).ln();
        if s <= -rate + k * log_rate - lgamma(k + 1.0) {
            return k;
        }
    }
}
