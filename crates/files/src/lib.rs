//! Files: read and written whole, found by patterns, and what their contents are.
//!
//! Each operation on the file system acts on the world, so that a graph keeps the program's order. Names of files are
//! bytes, as strings are.

mod glob;
mod serialized;
mod whole;

use ferrograph_graph::Registry;

pub use glob::matching;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    whole::register(registry);
    serialized::register(registry);
}
