//! Reductions, scans and sums of many.

mod arg;
mod axes;
mod family;
mod gradients;
mod kernels;
mod scan;
mod sums;

pub use arg::EmitExtremes;
pub use axes::EmitReducedAxes;
pub use family::{EmitReductions, Reduce};
pub use scan::EmitScans;
pub use sums::EmitSums;

pub(crate) use family::lower_sum;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    family::register(r);
    axes::register(r);
    arg::register(r);
    scan::register(r);
    sums::register(r);
}

#[cfg(test)]
mod tests;
