//! Samples of the gamma distribution (Marsaglia and Tsang, ACM TOMS 26 (2000), 363).

use crate::numbers::Numbers;
use ferrograph_kernels::stop::poll_cancellation;

/// A sample for the shape `alpha` and the rate 1.
pub(crate) fn gamma(alpha: f64, numbers: &mut Numbers) -> f64 {
    if !alpha.is_finite() || alpha < 0.0 {
        return f64::NAN;
    }
    if alpha == 0.0 {
        return 0.0;
    }
    if alpha == 1.0 {
        return -(-numbers.uniform()).ln_1p();
    }
    // A shape below 1 is raised by 1, and the sample brought down by a power of a uniform number.
    let raised = alpha < 1.0;
    let d = alpha + if raised { 2.0 / 3.0 } else { -1.0 / 3.0 };
    let c = 1.0 / 3.0 / d.sqrt();
    loop {
        poll_cancellation();
        let x = numbers.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = numbers.uniform();
        let squeezed = u < 1.0 - 0.0331 * (x * x) * (x * x);
        if squeezed || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            let sample = d * v;
            return match raised {
                true => sample * numbers.uniform().powf(1.0 / alpha),
                false => sample,
            };
        }
    }
}
