//! Element by element: operations as types, kernels as function pointers, broadcasting as a plan.
//!
//! `Binary::<f32, f32>::of::<Add>()` gives the three loops of an addition once; they are plain function pointers, to
//! be called many times. [`Broadcast`] walks n-dimensional operands and calls them on runs.

mod binary;
mod blocks;
mod broadcast;
mod cast;
mod clip;
mod compare;
mod complex;
mod float;
mod gradients;
mod half_floats;
mod integer;
mod no_nan;
mod scalar;
mod select;
mod special;
mod unary;

pub use binary::*;
pub use broadcast::Broadcast;
pub use cast::{CastTo, cast};
pub use clip::{clip, clipped_to};
pub use compare::*;
pub use complex::{Angle, Conj, Imag, Real};
/// Another name of [`Round`], which takes halves to even.
pub use float::Round as Rint;
pub use float::*;
pub use gradients::*;
pub use integer::*;
pub use no_nan::*;
pub use scalar::{binary_scalar, unary_scalar};
pub use select::{Chosen, select_broadcast};
pub use special::*;
pub use unary::*;

use crate::isa::Isa;

/// A function of one element. `f16` and `bf16` come through `f32`.
pub trait UnaryOp<T: Copy>: 'static {
    /// The element type of the result.
    type Out: Copy + Send;
    /// A rough cost, for deciding about threads.
    const COST_NS: f64 = 0.4;
    /// Whether the loop gains from wide vectors, and so is compiled for each instruction set.
    const WIDE: bool = true;
    /// The function.
    fn apply<I: Isa>(x: T) -> Self::Out;
    /// Whether `x` is where `apply` is not accurate and [`UnaryOp::rare`] must be used.
    #[inline(always)]
    fn is_rare(_x: T) -> bool {
        false
    }
    /// The slow exact function for rare inputs.
    fn rare(_x: T) -> Self::Out {
        unreachable!("no rare inputs")
    }
    /// The loop over slices.
    fn slice(x: &[T], out: &mut [Self::Out])
    where
        Self: Sized,
    {
        unary::run::<T, Self>(x, out)
    }
}

/// A function of two elements of one type. `f16` and `bf16` come through `f32`.
pub trait BinaryOp<T: Copy>: 'static {
    /// The element type of the result.
    type Out: Copy + Send;
    /// A rough cost, for deciding about threads.
    const COST_NS: f64 = 0.4;
    /// Whether the loop gains from wide vectors, and so is compiled for each instruction set.
    const WIDE: bool = true;
    /// The function.
    fn apply<I: Isa>(a: T, b: T) -> Self::Out;
    /// The loop over two slices.
    fn vec_vec(a: &[T], b: &[T], out: &mut [Self::Out])
    where
        Self: Sized,
    {
        binary::run_vec_vec::<T, Self>(a, b, out)
    }
    /// The loop over a scalar and a slice.
    fn scalar_vec(a: T, b: &[T], out: &mut [Self::Out])
    where
        Self: Sized,
    {
        binary::run_scalar_vec::<T, Self>(a, b, out)
    }
    /// The loop over a slice and a scalar.
    fn vec_scalar(a: &[T], b: T, out: &mut [Self::Out])
    where
        Self: Sized,
    {
        binary::run_vec_scalar::<T, Self>(a, b, out)
    }
}

#[cfg(test)]
mod tests;
