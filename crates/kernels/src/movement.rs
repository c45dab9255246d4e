//! Moving elements: views, gathers, scatters, pads, scans and sorts.
//!
//! What only moves is generic over any `Copy` type; a caller with many element types passes them as unsigned integers
//! of their size.

mod gather;
mod join;
mod pad;
mod scan;
mod sort;
mod view;

pub use gather::{gather, gather_rows, linear_indices, scatter_rows, scatter_rows_set};
pub use join::{band_part, concat, one_hot};
pub use pad::{PadMode, index_map, pad_constant, take, take_add};
pub use scan::{Scan, cumulate};
pub use sort::{Ordered, argsort, sort, top_k};
pub use view::View;
