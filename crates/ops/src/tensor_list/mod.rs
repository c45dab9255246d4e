//! Lists of tensors: what tensor arrays are made of. A list is a value like any other: writing to one gives another,
//! which shares all but the path to what was written.

mod ends;
mod grad;
mod list;
mod move_ops;
mod ops;
mod tree;

pub use ends::EmitListEnds;
pub use list::TensorList;
pub use move_ops::EmitListMoves;
pub use ops::EmitListItems;
pub use tree::PACKED_BYTES;

pub(crate) use list::{sum_of_lists, zeros_like_list};

pub(crate) fn register(r: &mut ferrograph_graph::Registry) {
    ops::register(r);
    ends::register(r);
    move_ops::register(r);
}

#[cfg(test)]
mod tests;
