//! Element by element: families of operations declared by tables, each row one operation.

mod activation;
mod arithmetic;
mod binary;
mod bits;
mod cast;
mod check;
mod compare;
mod complex;
mod families;
mod gamma;
mod math;
mod math_grads;
mod order;
mod select;
mod special;
mod strings;
mod unary;

pub use activation::{EmitActivationGradients, EmitActivations};
pub use arithmetic::EmitArithmetic;
pub use binary::Binary;
pub use bits::{EmitBits, EmitLogic};
pub use cast::Cast;
pub use compare::{EmitEquality, Equality};
pub use complex::EmitParts;
pub use math::EmitMath;
pub use order::EmitOrder;
pub use unary::Unary;

pub(crate) use strings::broadcast_indices;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    arithmetic::register(r);
    compare::register(r);
    order::register(r);
    bits::register(r);
    math::register(r);
    activation::register(r);
    complex::register(r);
    cast::register(r);
    select::register(r);
    check::register(r);
}

#[cfg(test)]
mod tests;
