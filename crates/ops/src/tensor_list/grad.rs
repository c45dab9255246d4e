//! What the gradient rules of lists share.

use crate::emit::*;
use ferrograph_graph::{Attr, Emitter, Grads, Val};
use ferrograph_tensor::{DType, Result, Tensor};
use smallvec::smallvec;

/// The attribute that names the dtype of elements.
pub(super) fn element_dtype(dtype: DType) -> (&'static str, Attr) {
    ("element_dtype", Attr::DType(dtype))
}

/// An element shape that says nothing.
pub(super) fn any_shape(e: &mut dyn Emitter) -> Result<Val> {
    e.constant(Tensor::scalar(-1i32)?)
}

/// A list as long as `list` with nothing in it.
pub(super) fn empty_like(e: &mut dyn Emitter, list: &Val, dtype: DType) -> Result<Val> {
    let n = e.op("TensorListLength", &[list], vec![])?;
    let shape = any_shape(e)?;
    e.op(
        "TensorListReserve",
        &[&shape, &n],
        vec![element_dtype(dtype)],
    )
}

/// Dense gradients.
pub(super) fn grads<const N: usize>(all: [Option<Val>; N]) -> Grads {
    all.into_iter().map(|g| g.map(Into::into)).collect()
}

/// No gradient for any of `n` inputs.
pub(super) fn no_grad(n: usize) -> Grads {
    smallvec![None; n]
}
