//! The gradient that functions of matrices have in common.

use ferrograph_graph::{Emitter, Grads, Val, VjpCall};
use ferrograph_tensor::{DType, Result};
use smallvec::smallvec;

use crate::emit::*;

/// The gradient of a function of a matrix that power series define, by the function itself of a matrix twice the size.
pub(crate) fn chained(
    e: &mut dyn Emitter,
    call: &VjpCall<'_>,
    function: impl Fn(&mut dyn Emitter, &Val) -> Result<Val>,
) -> Result<Grads> {
    let block = paired_with(e, &call.inputs[0], call.grad()?)?;
    let both = function(e, &block)?;
    Ok(smallvec![Some(upper_right(e, &both)?.into())])
}

/// `[[A^H, G], [0, A^H]]`, of which a function of matrices has the gradient for `A` in its upper right quarter, where
/// `G` is that of the function (Mathias, "A chain rule for matrix functions and applications", 1996).
fn paired_with(e: &mut dyn Emitter, a: &Val, grad: &Val) -> Result<Val> {
    let adjoint = e.adjoint(a)?;
    let zero = e.zeros_like(&adjoint)?;
    let [rows, columns] = [-2.0, -1.0].map(|axis| e.scalar(axis, DType::Int32));
    let (rows, columns) = (rows?, columns?);
    let top = e.concat_v2(&[adjoint.clone(), grad.clone()], &columns)?;
    let bottom = e.concat_v2(&[zero, adjoint], &columns)?;
    e.concat_v2(&[top, bottom], &rows)
}

fn upper_right(e: &mut dyn Emitter, block: &Val) -> Result<Val> {
    let [rows, columns] = [-2.0, -1.0].map(|axis| e.scalar(axis, DType::Int32));
    let halves = e.split(&rows?, block, 2)?;
    let quarters = e.split(&columns?, &halves[0], 2)?;
    Ok(quarters[1].clone())
}
