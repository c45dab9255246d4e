//! Softmax and the losses made of it, over rows of `[n, c]`.

mod loss;
mod softmax;

pub use loss::{Loss, softmax_cross_entropy, sparse_softmax_cross_entropy};
pub use softmax::{Rows, log_softmax, softmax};
