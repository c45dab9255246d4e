//! Datasets: pipelines of elements, their iterators, and the operations that make and run them.
//!
//! * [`Dataset`] is a pipeline, [`Elements`] an iteration over it. A dataset travels as a variant tensor, a
//!   [`DatasetHandle`]; an iterator as a resource, an [`IteratorCell`].
//! * Functions that a pipeline applies are graphs, run by whoever takes the elements.
//! * [`registry`] lists these operations together with those of the crates before this one.

mod batch;
mod choose;
mod combine;
mod count;
mod dataset;
pub mod emit;
mod files;
mod flat;
mod function;
mod generator;
mod group;
mod history;
mod interleave;
mod iterator;
mod iterator_ops;
mod keep;
mod map;
mod op;
mod optional;
mod order;
mod padded;
mod parallel;
mod parallel_interleave;
mod prefetch;
mod rebatch;
mod reduce;
mod scan;
mod shuffle;
mod source;
mod store;
#[cfg(test)]
mod tests;
mod window;
mod worker;
mod worker_pool;

pub use dataset::{BoxedElements, Cardinality, Dataset, DatasetHandle, DatasetRef, Elements, Sink};
pub use generator::{Generator, generator_op};
pub use iterator::IteratorCell;
pub use optional::OptionalValue;
pub use order::Orders;

pub use reduce::reduction;
pub use worker::{set_passage, stop_workers};

use ferrograph_graph::Registry;
use std::sync::LazyLock;

/// All operations by name, those of the `ops` crate among them.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::new();
        ferrograph_ops::register(&mut registry);
        ferrograph_linalg::register(&mut registry);
        ferrograph_convolution::register(&mut registry);
        ferrograph_signal::register(&mut registry);
        ferrograph_special::register(&mut registry);
        ferrograph_text::register(&mut registry);
        ferrograph_ctc::register(&mut registry);
        ferrograph_distributions::register(&mut registry);
        ferrograph_image::register(&mut registry);
        ferrograph_files::register(&mut registry);
        ferrograph_tables::register(&mut registry);
        ferrograph_checkpoints::register(&mut registry);
        source::register(&mut registry);
        files::register(&mut registry);
        store::register(&mut registry);
        store::register_note(&mut registry);
        map::register(&mut registry);
        parallel::register(&mut registry);
        scan::register(&mut registry);
        flat::register(&mut registry);
        interleave::register(&mut registry);
        parallel_interleave::register(&mut registry);
        choose::register(&mut registry);
        combine::register(&mut registry);
        count::register(&mut registry);
        batch::register(&mut registry);
        rebatch::register(&mut registry);
        padded::register(&mut registry);
        window::register(&mut registry);
        group::register(&mut registry);
        keep::register(&mut registry);
        shuffle::register(&mut registry);
        reduce::register(&mut registry);
        iterator_ops::register(&mut registry);
        optional::register(&mut registry);
        registry
    });
    &REGISTRY
}
