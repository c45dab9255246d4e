//! Random numbers of distributions with parameters: gamma, Poisson, binomial; and points of the Sobol sequence.
//!
//! Each sample has a part of the stream for itself, so that it does not depend on the others; it is made in double
//! precision from uniform and normal numbers.

mod binomial;
mod candidates;
mod gamma;
mod numbers;
mod op;
mod poisson;
mod sampler;
mod sobol;
mod truncated;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    op::register(registry);
    candidates::register(registry);
    sobol::register(registry);
}
