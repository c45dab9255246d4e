//! Hash tables: what programs keep from call to call by key.
//!
//! A table is a [`TableCell`], which travels as a resource tensor. It holds a [`store`](store), rows of keys and values
//! in [`columns`](column) with an index over them, which readers of many keys share and writers replace.

mod cell;
mod column;
pub mod emit;
mod file_ops;
mod lines;
mod lock;
mod make_ops;
mod rows;
mod store;
mod table_ops;
#[cfg(test)]
mod tests;

pub use cell::{Item, TableCell};

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    make_ops::register(registry);
    table_ops::register(registry);
    file_ops::register(registry);
}
