//! Operations on one element as functions that machine code may call: with the bits that the loops give.

use super::{BinaryOp, UnaryOp};

/// The operation on one element, by its loop.
pub extern "C" fn unary_scalar<T: Copy, O: UnaryOp<T, Out = T>>(x: T) -> T {
    let mut y = [x];
    O::slice(&[x], &mut y);
    y[0]
}

/// The operation on two elements, by its loop.
pub extern "C" fn binary_scalar<T: Copy, O: BinaryOp<T, Out = T>>(a: T, b: T) -> T {
    let mut y = [a];
    O::vec_vec(&[a], &[b], &mut y);
    y[0]
}
