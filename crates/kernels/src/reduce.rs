//! Reductions: the operations, and the layouts they run over.
//!
//! Every reduction is a tree over blocks of a fixed size, so that its result does not depend on the number of threads
//! and float sums lose little.

mod arg;
mod axes;
mod ops;
#[cfg(target_arch = "x86_64")]
mod short;
mod streaming;
mod tree;

pub use arg::{ArgMax, ArgMin, ArgOp, arg_reduce};
pub use axes::{reduce, reduce_axes};
pub use ops::{All, Any, Max, Mean, Min, Prod, ReduceOp, Sum};
pub use streaming::{ReductionStream, StreamingReduction};
pub(crate) use tree::of_rows;
