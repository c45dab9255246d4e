//! Walking operands of different shapes in step.

use super::Binary;
use crate::pool;

/// One dimension of the walk: its length and each operand's stride in elements (0 where it is broadcast).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dim<const N: usize> {
    pub len: usize,
    pub strides: [usize; N],
}

/// A plan for walking `N` row-major operands over the shape of their result, with dimensions merged where possible.
#[derive(Debug, Clone)]
pub struct Broadcast<const N: usize> {
    /// Outer dimensions, the slowest first; the last one is the run of the inner loop.
    dims: Vec<Dim<N>>,
    size: usize,
}

/// A run of the inner loop: where it begins in the result and in each operand, its length and strides (0 or 1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<const N: usize> {
    pub out: usize,
    pub len: usize,
    pub at: [usize; N],
    pub strides: [usize; N],
}

impl<const N: usize> Broadcast<N> {
    /// The plan for these operand shapes; each must broadcast to `out`.
    pub fn new(shapes: [&[usize]; N], out: &[usize]) -> Self {
        let mut dims: Vec<Dim<N>> = Vec::with_capacity(out.len());
        let mut below = [1usize; N];
        // From the last dimension to the first, merging each into the one inside it when all strides allow.
        for (i, &len) in out.iter().rev().enumerate() {
            let mut strides = [0; N];
            for k in 0..N {
                let own = shapes[k]
                    .len()
                    .checked_sub(i + 1)
                    .map_or(1, |j| shapes[k][j]);
                assert!(
                    own == len || own == 1,
                    "shape {:?} broadcasts to {out:?}",
                    shapes[k]
                );
                strides[k] = if own == 1 { 0 } else { below[k] };
                below[k] *= own;
            }
            if len == 1 {
                continue;
            }
            match dims.last_mut() {
                Some(inner) if (0..N).all(|k| strides[k] == inner.strides[k] * inner.len) => {
                    inner.len *= len
                }
                _ => dims.push(Dim { len, strides }),
            }
        }
        if dims.is_empty() {
            dims.push(Dim {
                len: 1,
                strides: [1; N],
            });
        }
        dims.reverse();
        Broadcast {
            size: out.iter().product(),
            dims,
        }
    }

    /// The number of elements of the result.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether one run of the inner loop covers everything.
    pub fn is_flat(&self) -> bool {
        self.dims.len() == 1
    }

    /// The dimensions, the slowest first.
    pub(super) fn dims(&self) -> &[Dim<N>] {
        &self.dims
    }

    /// Where each operand is at the beginning of the `row`-th run of the inner loop.
    pub(super) fn row_begin(&self, row: usize) -> [usize; N] {
        self.position(row).1
    }

    /// Calls `f` on the runs that make up `range` of the result.
    pub(crate) fn runs(&self, range: std::ops::Range<usize>, mut f: impl FnMut(Run<N>)) {
        if range.is_empty() || self.size == 0 {
            return;
        }
        let (inner, outer) = self.dims.split_last().expect("at least one dimension");
        let (mut index, mut at) = self.position(range.start / inner.len);
        let (mut pos, mut within) = (range.start, range.start % inner.len);
        while pos < range.end {
            let len = (inner.len - within).min(range.end - pos);
            let mut start = at;
            (0..N).for_each(|k| start[k] += within * inner.strides[k]);
            f(Run {
                out: pos,
                len,
                at: start,
                strides: inner.strides,
            });
            pos += len;
            within = 0;
            advance(outer, &mut index, &mut at);
        }
    }

    /// `out[i] = f(the operands there)`, over the pool when that is worth it.
    pub fn map<T: Copy + Sync, U: Send>(
        &self,
        operands: [&[T]; N],
        out: &mut [U],
        cost_ns: f64,
        f: impl Fn([T; N]) -> U + Sync,
    ) {
        assert_eq!(out.len(), self.size, "the result has the planned size");
        pool::par_chunks_mut(out, cost_ns, |first, out| {
            self.runs(first..first + out.len(), |run| {
                let at = |i, k: usize| operands[k][run.at[k] + i * run.strides[k]];
                for (i, o) in out[run.out - first..][..run.len].iter_mut().enumerate() {
                    *o = f(std::array::from_fn(|k| at(i, k)));
                }
            });
        });
    }

    /// The outer indices and operand offsets of the `row`-th inner run.
    fn position(&self, mut row: usize) -> (Vec<usize>, [usize; N]) {
        let outer = &self.dims[..self.dims.len() - 1];
        let (mut index, mut at) = (vec![0; outer.len()], [0; N]);
        for (d, dim) in outer.iter().enumerate().rev() {
            index[d] = row % dim.len;
            row /= dim.len;
            (0..N).for_each(|k| at[k] += index[d] * dim.strides[k]);
        }
        (index, at)
    }
}

/// Steps to the next inner run.
#[inline]
fn advance<const N: usize>(outer: &[Dim<N>], index: &mut [usize], at: &mut [usize; N]) {
    for (d, dim) in outer.iter().enumerate().rev() {
        index[d] += 1;
        (0..N).for_each(|k| at[k] += dim.strides[k]);
        if index[d] < dim.len {
            return;
        }
        (0..N).for_each(|k| at[k] -= dim.strides[k] * dim.len);
        index[d] = 0;
    }
}

/// Inner runs shorter than this are laid out side by side first, where there are too few of them for blocks.
const SHORT: usize = 24;
/// Elements laid out at once.
const BLOCK: usize = 512;

impl Broadcast<2> {
    /// Runs a binary kernel, over the pool when that is worth it.
    pub fn binary<T: Copy + Sync, U: Copy + Send>(
        &self,
        kernel: &Binary<T, U>,
        a: &[T],
        b: &[T],
        out: &mut [U],
    ) {
        assert_eq!(out.len(), self.size, "the result has the planned size");
        if self.has_short_rows() {
            return self.by_blocks(kernel, a, b, out);
        }
        let short = !self.is_flat() && self.dims.last().is_some_and(|d| d.len < SHORT);
        if short && let Some((plan, [a, b])) = self.patterned([a, b]) {
            return plan.by_blocks(kernel, &a, &b, out);
        }
        let cost = kernel.cost_ns + if short { 2.0 } else { 0.1 };
        pool::par_chunks_mut(out, cost, |first, out| {
            if short {
                return self.short_runs(kernel, a, b, first, out);
            }
            self.runs(first..first + out.len(), |run| {
                let out = &mut out[run.out - first..][..run.len];
                inner_loop(kernel, a, b, out, &run);
            });
        });
    }

    /// Lays the operands of short runs out in blocks, so that the kernel is not called for a few elements each.
    fn short_runs<T: Copy, U>(
        &self,
        kernel: &Binary<T, U>,
        a: &[T],
        b: &[T],
        first: usize,
        out: &mut [U],
    ) {
        if out.is_empty() {
            return;
        }
        let (mut wide_a, mut wide_b) = ([a[0]; BLOCK], [b[0]; BLOCK]);
        let (mut filled, mut done) = (0, 0);
        self.runs(first..first + out.len(), |run| {
            if filled + run.len > BLOCK {
                (kernel.vec_vec)(
                    &wide_a[..filled],
                    &wide_b[..filled],
                    &mut out[done..done + filled],
                );
                done += filled;
                filled = 0;
            }
            let Run {
                len,
                at: [i, j],
                strides: [si, sj],
                ..
            } = run;
            lay_out(a, i, si, &mut wide_a[filled..filled + len]);
            lay_out(b, j, sj, &mut wide_b[filled..filled + len]);
            filled += len;
        });
        (kernel.vec_vec)(&wide_a[..filled], &wide_b[..filled], &mut out[done..]);
    }
}

#[inline(always)]
fn lay_out<T: Copy>(x: &[T], at: usize, stride: usize, to: &mut [T]) {
    if stride == 0 {
        let v = x[at];
        to.iter_mut().for_each(|t| *t = v);
    } else {
        to.iter_mut().zip(&x[at..]).for_each(|(t, &v)| *t = v);
    }
}

#[inline]
fn inner_loop<T: Copy, U>(kernel: &Binary<T, U>, a: &[T], b: &[T], out: &mut [U], run: &Run<2>) {
    let Run {
        len, at: [i, j], ..
    } = *run;
    match run.strides {
        [0, _] => (kernel.scalar_vec)(a[i], &b[j..j + len], out),
        [_, 0] => (kernel.vec_scalar)(&a[i..i + len], b[j], out),
        _ => (kernel.vec_vec)(&a[i..i + len], &b[j..j + len], out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Add, Binary, Sub};
    use super::*;

    fn naive(a: &[i32], sa: &[usize], b: &[i32], sb: &[usize], out: &[usize]) -> Vec<i32> {
        let offset = |shape: &[usize], idx: &[usize]| {
            let skip = out.len() - shape.len();
            shape
                .iter()
                .zip(&idx[skip..])
                .fold(0, |o, (&n, &i)| o * n + if n == 1 { 0 } else { i })
        };
        (0..out.iter().product())
            .map(|mut flat: usize| {
                let mut idx = vec![0; out.len()];
                for d in (0..out.len()).rev() {
                    idx[d] = flat % out[d];
                    flat /= out[d];
                }
                a[offset(sa, &idx)] - b[offset(sb, &idx)]
            })
            .collect()
    }

    #[test]
    fn broadcasting_agrees_with_index_arithmetic() {
        let cases: &[(&[usize], &[usize], &[usize])] = &[
            (&[], &[], &[]),
            (&[3], &[], &[3]),
            (&[], &[2, 3], &[2, 3]),
            (&[2, 3], &[3], &[2, 3]),
            (&[2, 1], &[2, 3], &[2, 3]),
            (&[4, 1, 3], &[2, 1], &[4, 2, 3]),
            (&[1, 5, 1, 2], &[3, 1, 4, 1], &[3, 5, 4, 2]),
            (&[0, 3], &[3], &[0, 3]),
            (&[2, 3, 4], &[2, 3, 4], &[2, 3, 4]),
            (&[300, 1, 500], &[1, 4, 500], &[300, 4, 500]),
            (&[9000, 3], &[3], &[9000, 3]),
            (&[9000, 1], &[9000, 23], &[9000, 23]),
        ];
        for &(sa, sb, so) in cases {
            let a: Vec<i32> = (0..sa.iter().product::<usize>() as i32)
                .map(|v| v * 7)
                .collect();
            let b: Vec<i32> = (0..sb.iter().product::<usize>() as i32).collect();
            let mut out = vec![0; so.iter().product()];
            let plan = Broadcast::new([sa, sb], so);
            plan.binary(&Binary::of::<Sub>(), &a, &b, &mut out);
            assert_eq!(out, naive(&a, sa, &b, sb, so), "{sa:?} {sb:?}");
        }
    }

    #[test]
    fn maps_of_three_operands() {
        let plan = Broadcast::new([&[2, 1], &[3], &[]], &[2, 3]);
        let mut out = [0; 6];
        plan.map(
            [&[10, 20], &[1, 2, 3], &[100]],
            &mut out,
            1.0,
            |[a, b, c]| a + b + c,
        );
        assert_eq!(out, [111, 112, 113, 121, 122, 123]);
    }

    #[test]
    fn dimensions_merge() {
        assert!(Broadcast::new([&[2, 3, 4], &[2, 3, 4]], &[2, 3, 4]).is_flat());
        assert!(Broadcast::new([&[], &[2, 3, 4]], &[2, 3, 4]).is_flat());
        assert_eq!(Broadcast::new([&[2, 3, 4], &[4]], &[2, 3, 4]).dims.len(), 2);
    }

    #[test]
    fn parts_of_runs_agree_with_the_whole() {
        let plan = Broadcast::new([&[40, 1, 7], &[5, 1]], &[40, 5, 7]);
        let mut whole = Vec::new();
        plan.runs(0..plan.size(), |r| {
            whole.extend(
                (0..r.len).map(|i| [r.at[0] + i * r.strides[0], r.at[1] + i * r.strides[1]]),
            )
        });
        for start in [1, 6, 7, 100, 999] {
            let mut part = Vec::new();
            plan.runs(start..1200, |r| {
                part.extend(
                    (0..r.len).map(|i| [r.at[0] + i * r.strides[0], r.at[1] + i * r.strides[1]]),
                )
            });
            assert_eq!(part, whole[start..1200]);
        }
    }

    #[test]
    #[should_panic(expected = "broadcasts to")]
    fn a_shape_that_does_not_broadcast_is_a_bug() {
        let _ = Binary::<i32, i32>::of::<Add>();
        Broadcast::new([&[2], &[3]], &[3]);
    }
}
