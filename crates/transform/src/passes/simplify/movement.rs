//! Rules for operations that only move elements, or give them another shape.

use super::Site;
use crate::passes::permutation;
use crate::rewrite::{Operand, Rewrite};
use ferrograph_graph::{Batching, Interpreter};
use ferrograph_ops::{BroadcastTo, attempt};
use ferrograph_tensor::{Shape, Tensor};
use smallvec::smallvec;
use std::sync::Arc;

/// A shape that is there already.
pub(super) fn same_shape(site: &Site<'_>) -> Option<Rewrite> {
    site.of_same_shape(0).map(Rewrite::replace)
}

/// One number everywhere, of which only the shape is another value's: the number, repeated.
pub(super) fn filled(site: &Site<'_>) -> Option<Rewrite> {
    if site.node.op.decl().batch != Batching::Broadcasts {
        return None; // not of the shape of its input
    }
    let dtype = site.spec(site.node.outputs[0]).dtype;
    let shape = site.shape().to_static().filter(|_| dtype.is_dense())?;
    let blank = Tensor::zeros(dtype, Shape::scalar()).ok()?;
    let number = attempt(site.node.op.eval(&Interpreter, &[blank]))?.pop()?;
    let shape = shape.iter().map(|&n| i64::try_from(n).ok());
    let shape = shape.collect::<Option<Vec<i64>>>()?;
    let operands = smallvec![
        Operand::Constant(number),
        Operand::Constant(Tensor::vector(&shape).ok()?)
    ];
    Some(Rewrite::Become(Arc::new(BroadcastTo), operands))
}

/// A shape that is there already, or given twice: the last one counts. One of sizes that nobody knows yet may fail.
pub(super) fn reshape(site: &Site<'_>) -> Option<Rewrite> {
    if !site.is_known(1) {
        return None;
    }
    if let Some(same) = same_shape(site) {
        return Some(same);
    }
    let before = site.same_before(0).filter(|before| before.is_known(1))?;
    let (first, shape) = (before.input(0)?, site.input(1)?);
    let is_static = |v| site.spec(v).shape.is_static();
    if !is_static(first) || !is_static(site.input(0)?) {
        return None; // the reshape before this one may fail
    }
    if site.spec(first).shape == *site.shape() {
        return Some(Rewrite::replace(first));
    }
    let operands = smallvec![Operand::Value(first), Operand::Value(shape)];
    Some(Rewrite::Become(site.node.op.clone(), operands))
}

/// Input 0, where the integers in input 1 are all that number.
pub(super) fn no_op_operand(site: &Site<'_>, number: i64) -> Option<Rewrite> {
    let given = site.constant(1)?.to_i64s().ok()?;
    let is_no_op = given.iter().all(|n| *n == number);
    is_no_op.then(|| site.input(0).map(Rewrite::replace))?
}

/// Axes in the order in which they are, or permuted twice.
pub(super) fn transpose(site: &Site<'_>) -> Option<Rewrite> {
    let perm = permutation(site.constant(1)?)?;
    if is_identity(&perm) {
        return site.input(0).map(Rewrite::replace);
    }
    let before = site.same_before(0)?;
    let (first, inner) = (before.input(0)?, permutation(before.constant(1)?)?);
    let both: Vec<usize> = perm
        .iter()
        .map(|&axis| inner.get(axis).copied())
        .collect::<Option<_>>()?;
    if is_identity(&both) {
        return Some(Rewrite::replace(first));
    }
    let both: Vec<i32> = both
        .into_iter()
        .map(|axis| i32::try_from(axis).ok())
        .collect::<Option<_>>()?;
    let operands = smallvec![
        Operand::Value(first),
        Operand::Constant(Tensor::vector(&both).ok()?)
    ];
    Some(Rewrite::Become(site.node.op.clone(), operands))
}

fn is_identity(perm: &[usize]) -> bool {
    perm.iter().enumerate().all(|(i, &axis)| i == axis)
}
