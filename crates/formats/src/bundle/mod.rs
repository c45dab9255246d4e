//! Bundles of tensors: an index, a sorted table of names with what stands under each, and files of raw elements.
//!
//! An [`Index`] is read from the bytes of `PREFIX.index`, and tells of each tensor what it is and in which data file its
//! elements are; an [`Entry`] reads them from there. A [`Writer`] appends tensors to one data file and gives the bytes
//! of the index in the end.

mod element;
mod index;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use index::{Entry, Index};
pub use writer::Writer;
