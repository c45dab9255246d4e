//! Random numbers: drawn from a seed given as a tensor, from the state of a generator, or from a stream that the
//! operation itself keeps or that the program's global seed begins.

mod categorical;
mod draw;
mod fill;
mod global;
mod iteration;
mod key;
mod reserve;
mod seeds;
mod shuffle;
mod stateless_categorical;
mod stateless_shuffle;
mod stream;
mod twister;

pub use categorical::EmitCategorical;
pub use draw::keyed;
pub use global::{SEED_MODULUS, set_global_seed};
pub use iteration::{Iteration, number_draws};
pub use key::{EmitKeys, check_seed, read_seed};
pub use seeds::EmitSeeds;
pub use shuffle::EmitShuffle;
pub use stateless_categorical::EmitStatelessCategorical;
pub use stateless_shuffle::EmitStatelessShuffle;
pub use stream::Stream;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    draw::register(r);
    categorical::register(r);
    key::register(r);
    reserve::register(r);
    seeds::register(r);
    shuffle::register(r);
    stateless_categorical::register(r);
    stateless_shuffle::register(r);
}

#[cfg(test)]
mod tests;
