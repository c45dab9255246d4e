//! What the gradient rules of lists share.

use crate::emit::*;
use ferrograph_graph::{Emitter, Grads, Val};
use ferrograph_tensor::{DType, Result, Tensor};

/// An element shape that says nothing.
pub(super) fn any_shape(e: &mut dyn Emitter) -> Result<Val> {
    e.constant(Tensor::scalar(-1i32)?)
}

/// A list as long as `list` with nothing in it.
pub(super) fn empty_like(e: &mut dyn Emitter, list: &Val, dtype: DType) -> Result<Val> {
    let n = e.tensor_list_length(list)?;
    let shape = any_shape(e)?;
    e.tensor_list_reserve(&shape, &n, dtype)
}

/// Dense gradients.
pub(super) fn grads<const N: usize>(all: [Option<Val>; N]) -> Grads {
    all.into_iter().map(|g| g.map(Into::into)).collect()
}
