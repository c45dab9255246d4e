//! Connectionist temporal classification (Graves et al., ICML 2006): the loss of label sequences under scores over time,
//! and decoders of scores into labels.
//!
//! Scores are `[time, batch, class]`; each sequence of a batch is worked on alone, in double precision.

mod alignment;
mod beam;
mod decoded;
mod frames;
mod greedy;
mod loss;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    loss::register(registry);
    greedy::register(registry);
    beam::register(registry);
}
