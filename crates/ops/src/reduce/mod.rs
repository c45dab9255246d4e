//! Reductions, scans and sums of many.

mod arg;
mod axes;
mod family;
mod gradients;
mod kernels;
mod scan;
mod sums;

pub use family::Reduce;

pub(crate) use family::sum_kernel;

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
