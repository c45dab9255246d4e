//! Softmax of rows: shifted by the greatest, so that nothing overflows.

use half::{bf16, f16};
use std::hint::black_box;

use crate::halves::Half;
use crate::isa::{Isa, Job, dispatch};
use crate::scratch::vec_of;
use crate::{pool, vmath};

/// Independent accumulators of a row's loops, and those of long rows.
const LANES: usize = 16;
const MANY: usize = 64;
/// Elements of a long row.
const LONG: usize = 256;

/// A float that rows are computed in.
pub(super) trait Real:
    Copy + Send + Sync + num_traits::Float + std::ops::AddAssign + 'static
{
    fn exp_in<I: Isa>(self) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn exp_in<I: Isa>(self) -> f32 {
        vmath::f32::exp::<I>(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn exp_in<I: Isa>(self) -> f64 {
        vmath::f64::exp::<I>(self)
    }
}

/// Folds a row in lanes, then the lanes by halves.
#[inline(always)]
fn fold_in<R: Real, const N: usize>(x: &[R], start: R, f: impl Fn(R, R) -> R) -> R {
    let mut lanes = [start; N];
    let mut chunks = x.chunks_exact(N);
    for chunk in &mut chunks {
        for i in 0..N {
            lanes[i] = f(lanes[i], chunk[i]);
        }
    }
    for (lane, &v) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = f(*lane, v);
    }
    // Lanes in memory are vectors in the loop; LLVM would pair them for the halves instead.
    let mut lanes = black_box(lanes);
    let mut width = N / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = f(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Folds a row.
#[inline(always)]
fn fold<R: Real>(x: &[R], start: R, f: impl Fn(R, R) -> R) -> R {
    match x.len() {
        LONG.. => fold_in::<R, MANY>(x, start, f),
        _ => fold_in::<R, LANES>(x, start, f),
    }
}

/// Fills `out` with `e^(x - max)`; returns the greatest number of `x` and the sum of `out`.
struct Exponentials<'a, R>(&'a [R], &'a mut [R]);

impl<R: Real> Job for Exponentials<'_, R> {
    type Out = (R, R);
    #[inline(always)]
    fn run<I: Isa>(self) -> (R, R) {
        let Exponentials(x, out) = self;
        // Where there is a NaN, the sum is one.
        let max = fold(x, R::neg_infinity(), |a, b| if b > a { b } else { a });
        for (o, &v) in out.iter_mut().zip(x) {
            *o = (v - max).exp_in::<I>();
        }
        (max, fold(out, R::zero(), |a, b| a + b))
    }
}

/// `e^(x - max)` of a row into `out`, with the greatest and the sum.
pub(super) fn exponentials<R: Real>(x: &[R], out: &mut [R]) -> (R, R) {
    dispatch(Exponentials(x, out))
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

fn softmax_row<R: Real>(x: &[R], out: &mut [R]) {
    let (_, sum) = exponentials(x, out);
    dispatch(Scaled(out, R::one() / sum));
}

fn log_softmax_row<R: Real>(x: &[R], out: &mut [R]) {
    let (max, sum) = exponentials(x, out);
    dispatch(Lowered(x, out, [max, sum.ln()]));
}

/// An element type whose rows have a softmax.
pub trait Rows: Copy + Send + Sync + 'static {
    /// Applies a function of rows, in the type itself or in `f32`.
    #[doc(hidden)]
    fn by_row(x: &[Self], out: &mut [Self], kind: Kind);
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

fn by_row<R: Real>(x: &[R], out: &mut [R], kind: Kind) {
    match kind {
        Kind::Softmax => softmax_row(x, out),
        Kind::LogSoftmax => log_softmax_row(x, out),
    }
}

macro_rules! rows {
    ($($t:ty)*) => {$(
        impl Rows for $t {
            fn by_row(x: &[$t], out: &mut [$t], kind: Kind) {
                by_row(x, out, kind);
            }
        }
    )*};
}
rows!(f32 f64);

macro_rules! half_rows {
    ($($t:ty)*) => {$(
        impl Rows for $t {
            fn by_row(x: &[$t], out: &mut [$t], kind: Kind) {
                let (mut wide, mut res) = (vec_of(0f32, x.len()), vec_of(0f32, x.len()));
                <$t as Half>::widen(x, &mut wide);
                by_row(&wide, &mut res, kind);
                <$t as Half>::narrow(&res, out);
            }
        }
    )*};
}
half_rows!(f16 bf16);

fn rows<T: Rows>(x: &[T], c: usize, out: &mut [T], kind: Kind) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    pool::par_rows_mut(out, c, 10.0 + c as f64, |first, out| {
        for (r, out) in out.chunks_exact_mut(c).enumerate() {
            T::by_row(&x[(first + r) * c..][..c], out, kind);
        }
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
        for (n, c) in [(0, 3), (1, 1), (5, 7), (300, 1000)] {
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
