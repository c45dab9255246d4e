//! Softmax of rows: shifted by the greatest, so that nothing overflows.

use half::{bf16, f16};

use crate::halves::Half;
use crate::isa::{Isa, Job, dispatch};
use crate::reduce::{Max, Sum, of_rows};
use crate::scratch::vec_of;
use crate::{pool, vmath};

/// Rows that are reduced side by side.
const SOME: usize = 8;

/// A float that rows are computed in.
pub trait Real: Copy + Send + Sync + num_traits::Float + std::ops::AddAssign + 'static {
    fn exp_in<I: Isa>(self) -> Self;
    /// The greatest of each row of `c`; NaN where one is.
    fn greatest(x: &[Self], c: usize, out: &mut [Self]);
    /// The sum of each row of `c`.
    fn sums(x: &[Self], c: usize, out: &mut [Self]);
}

macro_rules! reals {
    ($($t:ident)*) => {$(
        impl Real for $t {
            #[inline(always)]
            fn exp_in<I: Isa>(self) -> $t {
                vmath::$t::exp::<I>(self)
            }
            fn greatest(x: &[$t], c: usize, out: &mut [$t]) {
                of_rows::<$t, Max>(x, c, out);
            }
            fn sums(x: &[$t], c: usize, out: &mut [$t]) {
                of_rows::<$t, Sum>(x, c, out);
            }
        }
    )*};
}
reals!(f32 f64);

/// Fills rows of `out` with `e^(x - max)`.
struct Exponentials<'a, R>(&'a [R], usize, &'a [R], &'a mut [R]);

impl<R: Real> Job for Exponentials<'_, R> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Exponentials(x, c, max, out) = self;
        for ((out, x), &max) in out.chunks_exact_mut(c).zip(x.chunks_exact(c)).zip(max) {
            for (o, &v) in out.iter_mut().zip(x) {
                *o = (v - max).exp_in::<I>();
            }
        }
    }
}

/// The greatest number of a row, and the sum of its exponentials.
#[derive(Clone, Copy)]
pub struct Shift<R> {
    pub max: R,
    pub sum: R,
}

/// `e^(x - max)` of some rows of `c` into `out`, with the greatest and the sum of each, of which only as many count.
pub(super) fn exponentials<R: Real>(x: &[R], c: usize, out: &mut [R]) -> [Shift<R>; SOME] {
    let n = x.len() / c.max(1);
    let (mut max, mut sum) = ([R::neg_infinity(); SOME], [R::zero(); SOME]);
    if c > 0 {
        R::greatest(x, c, &mut max[..n]);
        dispatch(Exponentials(x, c, &max, out));
        R::sums(out, c, &mut sum[..n]);
    }
    std::array::from_fn(|row| Shift {
        max: max[row],
        sum: sum[row],
    })
}

/// Calls `f(first row, rows of out)` for all rows of `c`, some at a time.
pub(super) fn some_rows<R>(c: usize, out: &mut [R], mut f: impl FnMut(usize, &mut [R])) {
    for (block, out) in out.chunks_mut(SOME * c).enumerate() {
        f(block * SOME, out);
    }
}

/// Multiplies all elements.
pub(super) struct Scaled<'a, R>(pub &'a mut [R], pub R);

impl<R: Real> Job for Scaled<'_, R> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Scaled(out, scale) = self;
        out.iter_mut().for_each(|o| *o = *o * scale);
    }
}

/// Takes two numbers from all elements, one after the other.
struct Lowered<'a, R>(&'a [R], &'a mut [R], [R; 2]);

impl<R: Real> Job for Lowered<'_, R> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Lowered(x, out, [first, second]) = self;
        for (o, &v) in out.iter_mut().zip(x) {
            *o = v - first - second;
        }
    }
}

/// An element type whose rows have a softmax.
pub trait Rows: Copy + Send + Sync + 'static {
    /// Applies a function to some rows of `c`, in the type itself or in `f32`.
    #[doc(hidden)]
    fn apply(x: &[Self], c: usize, out: &mut [Self], kind: Kind);
}

/// Which function of a row.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The softmax.
    Softmax,
    /// Its logarithm.
    LogSoftmax,
}

fn apply<R: Real>(x: &[R], c: usize, out: &mut [R], kind: Kind) {
    let shifts = exponentials(x, c, out);
    let rows = out.chunks_exact_mut(c).zip(x.chunks_exact(c)).zip(shifts);
    for ((out, x), Shift { max, sum }) in rows {
        match kind {
            Kind::Softmax => dispatch(Scaled(out, R::one() / sum)),
            Kind::LogSoftmax => dispatch(Lowered(x, out, [max, sum.ln()])),
        }
    }
}

macro_rules! rows {
    ($($t:ty)*) => {$(
        impl Rows for $t {
            fn apply(x: &[$t], c: usize, out: &mut [$t], kind: Kind) {
                apply(x, c, out, kind);
            }
        }
    )*};
}
rows!(f32 f64);

macro_rules! half_rows {
    ($($t:ty)*) => {$(
        impl Rows for $t {
            fn apply(x: &[$t], c: usize, out: &mut [$t], kind: Kind) {
                let (mut wide, mut res) = (vec_of(0f32, x.len()), vec_of(0f32, x.len()));
                <$t as Half>::widen(x, &mut wide);
                apply(&wide, c, &mut res, kind);
                <$t as Half>::narrow(&res, out);
            }
        }
    )*};
}
half_rows!(f16 bf16);

fn rows<T: Rows>(x: &[T], c: usize, out: &mut [T], kind: Kind) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    pool::par_rows_mut(out, c, 10.0 + c as f64, |first, out| {
        some_rows(c, out, |row, out| {
            T::apply(&x[(first + row) * c..][..out.len()], c, out, kind);
        });
    });
}

/// `e^x / sum(e^x)` of each row of `c`.
pub fn softmax<T: Rows>(x: &[T], c: usize, out: &mut [T]) {
    rows(x, c, out, Kind::Softmax);
}

/// `x - log(sum(e^x))` of each row of `c`.
pub fn log_softmax<T: Rows>(x: &[T], c: usize, out: &mut [T]) {
    rows(x, c, out, Kind::LogSoftmax);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sum_to_one_and_agree_with_the_definition() {
        for (n, c) in [(0, 3), (1, 1), (5, 7), (9, 50), (300, 1000), (3, 5000)] {
            let x: Vec<f32> = (0..n * c)
                .map(|i| ((i * 7919) % 1013) as f32 * 0.1 - 50.0)
                .collect();
            let (mut p, mut l) = (vec![0.0; n * c], vec![0.0; n * c]);
            softmax(&x, c, &mut p);
            log_softmax(&x, c, &mut l);
            for ((x, p), l) in x.chunks(c).zip(p.chunks(c)).zip(l.chunks(c)) {
                let sum: f64 = x.iter().map(|&v| (v as f64).exp()).sum();
                for i in 0..c {
                    let want = (x[i] as f64).exp() / sum;
                    assert!((p[i] as f64 - want).abs() <= 1e-5 * want + 1e-37);
                    assert!((l[i] as f64 - want.ln()).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn large_logits_do_not_overflow() {
        let mut p = [0.0f64; 3];
        softmax(&[1e300, 1e300, f64::NEG_INFINITY], 3, &mut p);
        assert_eq!(p, [0.5, 0.5, 0.0]);
        softmax(&[0.0, f64::NAN, 1.0], 3, &mut p);
        assert!(p.iter().all(|v| v.is_nan()));
        let mut h = [f16::ZERO; 2];
        softmax(&[f16::from_f32(6e4); 2], 2, &mut h);
        assert_eq!(h, [f16::from_f32(0.5); 2]);
    }
}
