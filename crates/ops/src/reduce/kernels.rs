//! Reductions whatever their element types.

use super::axes::Marks;
use ferrograph_graph::Kernel;
use ferrograph_kernels::reduce::{ReduceOp, reduce_axes};
use ferrograph_tensor::{Complex32, Complex64, Element, Shape, bf16, f16};
use std::marker::PhantomData;

/// The loops of a reduction.
pub(crate) trait Loops: Sync {
    /// A kernel for an operand of that shape whose marked axes are reduced.
    fn bind(&self, shape: Shape, marks: Marks) -> Kernel;
}

/// The loops of one reduction at one element type.
pub(crate) struct Of<T, O>(PhantomData<fn() -> (T, O)>);

impl<T, O> Of<T, O> {
    /// The loops.
    pub const LOOPS: Of<T, O> = Of(PhantomData);
}

impl<T: Element, O: ReduceOp<T, Out = T>> Loops for Of<T, O> {
    fn bind(&self, shape: Shape, marks: Marks) -> Kernel {
        Box::new(move |o| {
            reduce_axes::<T, O>(o.input(0), &shape, &marks, o.output(0));
            Ok(())
        })
    }
}

/// The root of the sum of squares.
pub(crate) struct EuclideanNorm;

macro_rules! norm {
    ($($t:ty, $acc:ty, |$x:ident| $square:expr, |$r:ident| $finish:expr;)*) => {$(
        impl ReduceOp<$t> for EuclideanNorm {
            type Acc = $acc;
            type Out = $t;
            #[inline(always)]
            fn identity() -> $acc {
                0.0
            }
            #[inline(always)]
            fn lift($x: $t) -> $acc {
                $square
            }
            #[inline(always)]
            fn merge(a: $acc, b: $acc) -> $acc {
                a + b
            }
            #[inline(always)]
            fn finish($r: $acc, _n: usize) -> $t {
                $finish
            }
        }
    )*};
}

norm! {
    f32, f32, |x| x * x, |r| r.sqrt();
    f64, f64, |x| x * x, |r| r.sqrt();
    f16, f32, |x| x.to_f32() * x.to_f32(), |r| f16::from_f32(r.sqrt());
    bf16, f32, |x| x.to_f32() * x.to_f32(), |r| bf16::from_f32(r.sqrt());
    Complex32, f32, |x| x.norm_sqr(), |r| Complex32::new(r.sqrt(), 0.0);
    Complex64, f64, |x| x.norm_sqr(), |r| Complex64::new(r.sqrt(), 0.0);
}

macro_rules! integer_norm {
    ($($t:ty)*) => {$(
        norm! { $t, f64, |x| (x as f64) * (x as f64), |r| r.sqrt() as $t; }
    )*};
}
integer_norm!(i8 i16 i32 i64 u8 u16 u32 u64);
