//! Running sums and the like.

use crate::pool::{self, Base};
use crate::stop::poll_cancellation;

/// How a scan runs over the middle of `[outer, n, inner]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scan {
    /// The length of the axis that is scanned.
    pub n: usize,
    /// Elements next to one another that are scanned apart.
    pub inner: usize,
    /// Each result leaves its own element out.
    pub exclusive: bool,
    /// From the last element to the first.
    pub reverse: bool,
}

/// Columns that a thread scans at once.
const STRIP: usize = 1024;

impl Scan {
    /// Combines each element with all before it, beginning with `start`, in order.
    pub fn run<T: Copy + Send + Sync>(
        &self,
        x: &[T],
        start: T,
        combine: impl Fn(T, T) -> T + Sync,
        out: &mut [T],
    ) {
        assert_eq!(x.len(), out.len(), "operand and result have one length");
        if out.is_empty() {
            return;
        }
        if self.inner == 1 {
            return pool::par_rows_mut(out, self.n, 1.5 * self.n as f64, |first, out| {
                let x = &x[first * self.n..][..out.len()];
                for (x, out) in x.chunks_exact(self.n).zip(out.chunks_exact_mut(self.n)) {
                    self.row(x, start, &combine, out);
                }
            });
        }
        let slab = self.n * self.inner;
        let n_strips = self.inner.div_ceil(STRIP);
        let (n, base) = (out.len() / slab * n_strips, Base::of(out));
        let cost = slab as f64 / n_strips as f64 * 0.5;
        pool::par_chunks(n, cost, |strips| {
            for strip in strips {
                let column = strip % n_strips * STRIP;
                let width = STRIP.min(self.inner - column);
                let at = |step: usize| {
                    (strip / n_strips) * slab + self.place(step) * self.inner + column
                };
                // SAFETY: strips of different numbers do not overlap, nor do the rows of one.
                let row = |step: usize| unsafe { base.piece(at(step), width) };
                let x = |step: usize| &x[at(step)..][..width];
                self.strip(x, start, &combine, row);
            }
        });
    }

    /// Where step `step` is along the axis.
    fn place(&self, step: usize) -> usize {
        if self.reverse {
            self.n - 1 - step
        } else {
            step
        }
    }

    fn row<T: Copy>(&self, x: &[T], start: T, combine: impl Fn(T, T) -> T, out: &mut [T]) {
        let mut total = start;
        let mut step = |x: T| {
            let next = combine(total, x);
            let shown = if self.exclusive { total } else { next };
            total = next;
            shown
        };
        if self.reverse {
            for (x, out) in x.rchunks(STRIP).zip(out.rchunks_mut(STRIP)) {
                let pairs = x.iter().zip(out).rev();
                pairs.for_each(|(&x, out)| *out = step(x));
                poll_cancellation();
            }
        } else {
            for (x, out) in x.chunks(STRIP).zip(out.chunks_mut(STRIP)) {
                x.iter().zip(out).for_each(|(&x, out)| *out = step(x));
                poll_cancellation();
            }
        }
    }

    fn strip<'a, T: Copy + 'a>(
        &self,
        x: impl Fn(usize) -> &'a [T],
        start: T,
        combine: impl Fn(T, T) -> T,
        row: impl Fn(usize) -> &'a mut [T],
    ) {
        let mut last = row(0);
        if self.exclusive {
            last.fill(start);
        } else {
            last.iter_mut()
                .zip(x(0))
                .for_each(|(y, &x)| *y = combine(start, x));
        }
        for step in 1..self.n {
            let next = row(step);
            let x = x(if self.exclusive { step - 1 } else { step });
            let pairs = last.iter().zip(x);
            next.iter_mut()
                .zip(pairs)
                .for_each(|(y, (&a, &x))| *y = combine(a, x));
            last = next;
            poll_cancellation();
        }
    }
}
