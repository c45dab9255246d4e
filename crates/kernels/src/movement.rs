//! Moving elements: strided copies, gathers, scatters, joins, scans, the greatest.
//!
//! A movement is bound to shapes once, before there are elements, and run often. What only moves is generic over any
//! element that can be cloned; a caller with many element types passes dense ones as chunks of bytes of their size.

mod band;
mod block;
mod distinct;
mod fill;
mod gather;
mod indices;
mod join;
mod mapped;
mod merge;
mod nonzero;
mod radix;
mod scan;
mod scatter;
mod search;
pub(crate) mod square;
mod strided;
mod top_k;
mod view;

#[cfg(test)]
mod tests;

pub use band::{band_part, diagonal};
pub use distinct::Distinct;
pub use fill::{copy, fill, one_hot};
pub use gather::{Gather, gather_rows};
pub use indices::{Indices, Rows};
pub use join::Join;
pub use mapped::{PadMode, Stretches, mapped, mirrored, rolled, unmapped};
pub use merge::merge_by;
pub use nonzero::Truths;
pub use scan::Scan;
pub use scatter::{Put, merge_rows, put_rows, scatter_in_any_order, scatter_rows};
pub use search::{Ints, search_sorted};
pub use strided::Strided;
pub use top_k::{Ordered, top_k};
pub use view::View;
