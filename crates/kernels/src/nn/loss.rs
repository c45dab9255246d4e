//! Cross entropy of rows against their softmax: the loss, and its gradient by the logits.

use super::softmax::{Real, Rows, Scaled, Shift, exponentials, some_rows};
use crate::isa::{Isa, Job, dispatch};
use crate::pool;

/// A float type that losses are computed in.
pub trait Loss: Rows + Real + private::Row {}

impl Loss for f32 {}
impl Loss for f64 {}

mod private {
    use super::Shift;

    /// One row of each loss, whose exponentials `gradient` holds.
    pub trait Row: Sized {
        /// Turns the exponentials into the gradient, and returns the loss.
        fn dense(logits: &[Self], labels: &[Self], gradient: &mut [Self], of: Shift<Self>) -> Self;
        /// As `dense`, for one class; `None` gives NaN.
        fn sparse(
            logits: &[Self],
            label: Option<usize>,
            gradient: &mut [Self],
            of: Shift<Self>,
        ) -> Self;
    }
}

/// Sums of a row's loop.
const LANES: usize = 16;

/// Makes the gradient of one row from its exponentials; gives the loss.
struct Dense<'a, R> {
    logits: &'a [R],
    labels: &'a [R],
    gradient: &'a mut [R],
    /// The greatest logit, and the logarithm of the sum.
    shift: [R; 2],
    scale: R,
}

impl<R: Real> Job for Dense<'_, R> {
    type Out = R;
    #[inline(always)]
    fn run<I: Isa>(self) -> R {
        let Dense {
            logits,
            labels,
            gradient,
            shift: [max, log],
            scale,
        } = self;
        let one = |g: &mut R, x: R, y: R| {
            *g = *g * scale - y;
            // A class that does not count may have an infinite logit.
            if y == R::zero() {
                R::zero()
            } else {
                y * (log - (x - max))
            }
        };
        let mut sums = [R::zero(); LANES];
        let mut gradients = gradient.chunks_exact_mut(LANES);
        let (mut logits, mut labels) = (logits.chunks_exact(LANES), labels.chunks_exact(LANES));
        for ((g, x), y) in (&mut gradients).zip(&mut logits).zip(&mut labels) {
            for i in 0..LANES {
                sums[i] += one(&mut g[i], x[i], y[i]);
            }
        }
        let rest = gradients.into_remainder().iter_mut();
        for (i, (g, x)) in rest.zip(logits.remainder()).enumerate() {
            sums[i] += one(g, *x, labels.remainder()[i]);
        }
        sums.iter().fold(R::zero(), |all, &sum| all + sum)
    }
}

macro_rules! row {
    ($($t:ident)*) => {$(
        impl private::Row for $t {
            fn dense(logits: &[$t], labels: &[$t], gradient: &mut [$t], of: Shift<$t>) -> $t {
                let shift = [of.max, of.sum.ln()];
                dispatch(Dense { logits, labels, gradient, shift, scale: 1.0 / of.sum })
            }
            fn sparse(logits: &[$t], label: Option<usize>, gradient: &mut [$t], of: Shift<$t>) -> $t {
                let Some(label) = label else {
                    gradient.fill($t::NAN);
                    return $t::NAN;
                };
                dispatch(Scaled(gradient, 1.0 / of.sum));
                gradient[label] -= 1.0;
                of.sum.ln() - (logits[label] - of.max)
            }
        }
    )*};
}
row!(f32 f64);

/// Losses and gradients of rows of `c` logits against rows of `c` probabilities.
pub fn softmax_cross_entropy<T: Loss>(
    logits: &[T],
    labels: &[T],
    c: usize,
    loss: &mut [T],
    gradient: &mut [T],
) {
    assert!(
        logits.len() == loss.len() * c && labels.len() == logits.len(),
        "c logits and labels a row"
    );
    by_rows(logits, c, loss, gradient, |row, logits, gradient, shift| {
        T::dense(logits, &labels[row * c..][..c], gradient, shift)
    });
}

/// Losses and gradients of rows of `c` logits against one class each; a class out of range gives NaN.
pub fn sparse_softmax_cross_entropy<T: Loss>(
    logits: &[T],
    labels: &[i64],
    c: usize,
    loss: &mut [T],
    gradient: &mut [T],
) {
    assert!(
        logits.len() == loss.len() * c && labels.len() == loss.len(),
        "c logits and a label a row"
    );
    by_rows(logits, c, loss, gradient, |row, logits, gradient, shift| {
        let label = usize::try_from(labels[row]).ok().filter(|&l| l < c);
        T::sparse(logits, label, gradient, shift)
    });
}

/// Calls `f(row, its logits, its exponentials, their shift)` and stores its result as the row's loss.
fn by_rows<T: Loss>(
    logits: &[T],
    c: usize,
    loss: &mut [T],
    gradient: &mut [T],
    f: impl Fn(usize, &[T], &mut [T], Shift<T>) -> T + Sync,
) {
    assert_eq!(gradient.len(), loss.len() * c, "c gradients a row");
    if c == 0 {
        let [shift, ..] = exponentials(&[], 0, &mut []);
        let losses = loss.iter_mut().enumerate();
        return losses.for_each(|(row, l)| *l = f(row, &[], &mut [], shift));
    }
    let cost = 10.0 + 1.5 * c as f64;
    let serial = |first: usize, loss: &mut [T], gradient: &mut [T]| {
        some_rows(c, gradient, |row, gradient| {
            let logits = &logits[(first + row) * c..][..gradient.len()];
            let shifts = exponentials(logits, c, gradient);
            let rows = gradient.chunks_exact_mut(c).zip(logits.chunks_exact(c));
            for (i, ((g, x), shift)) in rows.zip(shifts).enumerate() {
                loss[row + i] = f(first + row + i, x, g, shift);
            }
        });
    };
    if !pool::worth_it(loss.len() as f64 * cost) {
        return serial(0, loss, gradient);
    }
    use rayon::prelude::*;
    let len = pool::chunk_len(cost);
    pool::install(|| {
        let pieces = loss
            .par_chunks_mut(len)
            .zip(gradient.par_chunks_mut(len * c));
        pieces
            .enumerate()
            .for_each(|(i, (loss, gradient))| serial(i * len, loss, gradient));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_agree_and_the_gradient_is_that_of_the_loss() {
        let (n, c) = (200, 37);
        let logits: Vec<f64> = (0..n * c)
            .map(|i| ((i * 7919) % 101) as f64 * 0.1 - 5.0)
            .collect();
        let classes: Vec<i64> = (0..n as i64).map(|i| i * 5 % c as i64).collect();
        let mut labels = vec![0.0; n * c];
        classes
            .iter()
            .enumerate()
            .for_each(|(r, &l)| labels[r * c + l as usize] = 1.0);
        let (mut l1, mut g1, mut l2, mut g2) = (
            vec![0.0; n],
            vec![0.0; n * c],
            vec![0.0; n],
            vec![0.0; n * c],
        );
        softmax_cross_entropy(&logits, &labels, c, &mut l1, &mut g1);
        sparse_softmax_cross_entropy(&logits, &classes, c, &mut l2, &mut g2);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&l1, &l2) && near(&g1, &g2));
        let mut moved = logits.clone();
        moved[3] += 1e-6;
        sparse_softmax_cross_entropy(&moved, &classes, c, &mut l2, &mut g2);
        assert!(((l2[0] - l1[0]) / 1e-6 - g1[3]).abs() < 1e-5);
    }

    #[test]
    fn a_class_out_of_range_gives_nan() {
        let (mut l, mut g) = ([0.0f32; 2], [0.0f32; 4]);
        sparse_softmax_cross_entropy(&[0.0; 4], &[2, -1], 2, &mut l, &mut g);
        assert!(l.iter().chain(&g).all(|v| v.is_nan()));
    }

    #[test]
    fn a_class_that_does_not_count_may_be_impossible() {
        let (mut l, mut g) = ([0.0f32; 1], [0.0f32; 2]);
        softmax_cross_entropy(&[1.0, f32::NEG_INFINITY], &[1.0, 0.0], 2, &mut l, &mut g);
        assert_eq!((l, g), ([0.0], [0.0, 0.0]));
    }
}
