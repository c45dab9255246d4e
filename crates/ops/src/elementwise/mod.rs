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
mod select;
mod special;
mod strings;
mod unary;

pub use binary::Binary;
pub use cast::Cast;
pub use compare::Equality;
pub use unary::Unary;

pub(crate) use strings::broadcast_indices;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    arithmetic::register(r);
    compare::register(r);
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
