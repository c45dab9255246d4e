//! Checkpoints: named tensors on disk, in bundles.
//!
//! A checkpoint of a prefix is `PREFIX.index` and the data files that it names. It is whole once the index is there,
//! which is written last: the files are made under temporary names beside their places, flushed to the disk, and renamed.

mod ops;
mod store;

pub use store::{Stored, save};

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    ops::register(registry);
}
