//! Element by element: families of operations declared by tables, each row one operation.

mod activation;
mod arithmetic;
mod binary;
mod bits;
mod cast;
mod check;
mod clip;
mod compare;
mod complex;
pub(crate) mod families;
mod float8;
mod leaky;
mod like;
mod math;
mod math_grads;
mod order;
mod scalar;
mod select;
mod strings;
mod unary;

pub use activation::{EmitActivationGradients, EmitActivations};
pub use arithmetic::EmitArithmetic;
pub use binary::Binary;
pub use bits::{EmitBits, EmitLogic};
pub use cast::{Cast, EmitCast};
pub use check::{CheckNumericsV2, EmitChecks, Faults};
pub use clip::EmitClip;
pub use compare::{EmitEquality, Equality};
pub use complex::{EmitComplex, EmitParts};
pub use leaky::EmitSloped;
pub use like::EmitLikes;
pub use math::EmitMath;
pub use order::EmitOrder;
pub use scalar::{ScalarFunction, scalar_function};
pub use select::EmitSelect;
pub use unary::Unary;

pub(crate) use strings::broadcast_indices;

use ferrograph_graph::{Op, OpRef, Registry, Runner};
use ferrograph_tensor::{Result, Tensor, err};
use std::sync::Arc;

/// `x + y` at once.
pub(crate) fn add_now(runner: &dyn Runner, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    now(&arithmetic::ADD_V2, runner, x, y)
}

/// `x - y` at once.
pub(crate) fn sub_now(runner: &dyn Runner, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    now(&arithmetic::SUB, runner, x, y)
}

/// The operation that adds, or subtracts.
pub(crate) fn sum_or_difference(subtracts: bool) -> OpRef {
    let def = if subtracts {
        &arithmetic::SUB
    } else {
        &arithmetic::ADD_V2
    };
    Arc::new(Binary { def })
}

fn now(
    def: &'static binary::BinaryDef,
    runner: &dyn Runner,
    x: &Tensor,
    y: &Tensor,
) -> Result<Tensor> {
    let out = Binary { def }.eval(runner, &[x.clone(), y.clone()])?;
    let first = out.into_iter().next();
    first.ok_or_else(|| err!(Internal, "{} gave nothing", def.decl.name))
}

pub(crate) fn register(r: &mut Registry) {
    arithmetic::register(r);
    compare::register(r);
    order::register(r);
    bits::register(r);
    math::register(r);
    activation::register(r);
    leaky::register(r);
    complex::parts::register(r);
    complex::register(r);
    cast::register(r);
    select::register(r);
    clip::register(r);
    like::register(r);
    check::register(r);
}

#[cfg(test)]
mod tests;
