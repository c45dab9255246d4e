//! Fourier transforms along the last axes of tensors, and their gradients; sound as files.
//!
//! * Transforms of one axis are `rustfft`'s, of real numbers `realfft`'s; rows are spread over the pool. Along other axes
//!   than the last one, columns are turned into rows and back.
//! * [`plans`] keeps the tables of lengths in use, so that eager calls do not make them again.

mod chunks;
mod complex;
mod emit;
mod gradients;
mod numbers;
mod packed;
mod plans;
mod real;
mod shapes;
mod transform;
mod wav;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    complex::register(registry);
    real::register(registry);
    wav::register(registry);
}
