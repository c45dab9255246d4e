//! Hash tables and queues: what programs keep from call to call by key, and in line.
//!
//! A table is a [`TableCell`], which travels as a resource tensor. It holds a [`store`](store), rows of keys and values
//! in [`columns`](column) with an index over them, which readers of many keys share and writers replace. A queue is a
//! [`QueueCell`], in which threads wait for room and for elements.

mod cell;
mod column;
pub mod emit;
mod file_ops;
mod line;
mod lines;
mod lock;
mod make_ops;
mod queue;
mod queue_ops;
mod rows;
mod stack;
mod store;
mod table_ops;
#[cfg(test)]
mod tests;

pub use cell::{Item, TableCell};
pub use queue::QueueCell;
pub use table_ops::import_into;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    make_ops::register(registry);
    table_ops::register(registry);
    file_ops::register(registry);
    queue_ops::register(registry);
}
