//! Files: read and written whole, found by patterns, and what their contents are.
//!
//! Each operation on the file system has an external effect, so that a graph keeps the program's order. Names of files
//! are bytes, as strings are.

pub mod base64;
mod compressed;
mod events;
mod examples;
mod glob;
mod json;
mod records;
mod serialized;
mod sparse;
mod whole;

use ferrograph_graph::Registry;

pub use ferrograph_formats::wire::varint;
pub use glob::matching;
pub use records::RecordFile;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    whole::register(registry);
    serialized::register(registry);
    sparse::register(registry);
    compressed::register(registry);
    examples::register_all(registry);
    json::register(registry);
    events::register(registry);
}
