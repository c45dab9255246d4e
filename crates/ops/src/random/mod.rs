//! Random numbers: drawn from a seed given as a tensor, from the state of a generator, or from a stream that the
//! operation itself keeps.

mod draw;
mod fill;
mod key;
mod shuffle;
mod stream;

pub use key::EmitKeys;
pub use shuffle::EmitShuffle;
pub use stream::Stream;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    draw::register(r);
    key::register(r);
    shuffle::register(r);
}

#[cfg(test)]
mod tests;
