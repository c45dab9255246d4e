//! Reductions whatever their element types.

use super::axes::Marks;
use ferrograph_graph::Kernel;
use ferrograph_kernels::reduce::{ReduceOp, Sum, reduce, reduce_axes};
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
        match middle(&shape, &marks) {
            Some((n, 1)) if n <= FEW && shape.n_elements() <= SMALL => Box::new(move |o| {
                few::<T, O>(o.input(0), n, o.output(0));
                Ok(())
            }),
            Some((n, inner)) => Box::new(move |o| {
                reduce::<T, O>(o.input(0), n, inner, o.output(0));
                Ok(())
            }),
            None => Box::new(move |o| {
                reduce_axes::<T, O>(o.input(0), &shape, &marks, o.output(0));
                Ok(())
            }),
        }
    }
}

/// Elements that are folded one by one.
const FEW: usize = 7;
/// Elements of a tensor that is not worth threads.
const SMALL: usize = 4096;

/// Reduces rows of `n` elements, at least one, one by one.
fn few<T: Copy, O: ReduceOp<T>>(x: &[T], n: usize, out: &mut [O::Out]) {
    for (out, row) in out.iter_mut().zip(x.chunks_exact(n)) {
        let merged = row[1..]
            .iter()
            .fold(O::lift(row[0]), |a, &v| O::merge(a, O::lift(v)));
        *out = O::finish(merged, n);
    }
}

/// The lengths of the reduced middle and of what is inside it, where the reduced axes are neighbours.
fn middle(shape: &[usize], marks: &[bool]) -> Option<(usize, usize)> {
    if shape.contains(&0) {
        return None;
    }
    let counts = || shape.iter().zip(marks).filter(|&(&n, _)| n > 1);
    let inner = counts().rev().take_while(|&(_, &reduced)| !reduced).count();
    let n = counts().filter(|&(_, &reduced)| reduced).count();
    let together = counts()
        .rev()
        .skip(inner)
        .take_while(|&(_, &reduced)| reduced)
        .count();
    (n == together).then(|| {
        let sizes = |from: usize, to: usize| {
            counts()
                .rev()
                .skip(from)
                .take(to)
                .map(|(&n, _)| n)
                .product()
        };
        if n == 0 {
            (1, 1)
        } else {
            (sizes(inner, n), sizes(0, inner))
        }
    })
}

/// The root of the sum of squares.
pub(crate) struct EuclideanNorm;

macro_rules! norm {
    ($($t:ty, $acc:ty, |$x:ident| $square:expr, |$r:ident| $finish:expr;)*) => {$(
        impl ReduceOp<$t> for EuclideanNorm {
            type Acc = $acc;
            type Out = $t;
            type Loop = EuclideanNorm;
            type Merge = Sum;
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
