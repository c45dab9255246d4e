//! The two loops: along contiguous elements, and across rows.

use std::hint::black_box;
use std::marker::PhantomData;

use super::ReduceOp;
use crate::isa::{Isa, Job, dispatch};
use crate::pool;
use crate::scratch::vec_of;

/// Independent accumulators of the contiguous loop.
pub(super) const LANES: usize = 32;
/// Fewer elements than this are taken one after the other.
pub(super) const FEW: usize = 8;
/// Elements that the contiguous loop takes before the tree begins.
pub(super) const LEAF: usize = 2048;
/// Rows that the row loop takes before the tree begins.
pub(super) const ROWS: usize = 64;
/// Columns that the row loop takes at once, so that their accumulators stay in cache.
const COLUMNS: usize = 512;
/// Columns that are few.
const NARROW: usize = 64;
/// Below this many elements a subtree stays on one thread.
const SPLIT: usize = 64 * 1024;

struct Leaf<'a, T, O>(&'a [T], PhantomData<O>);

impl<T: Copy, O: ReduceOp<T>> Job for Leaf<'_, T, O> {
    type Out = O::Acc;
    #[inline(always)]
    fn run<I: Isa>(self) -> O::Acc {
        leaf::<T, O>(self.0)
    }
}

#[inline(always)]
fn leaf<T: Copy, O: ReduceOp<T>>(x: &[T]) -> O::Acc {
    if O::ANY_ORDER {
        return x
            .iter()
            .fold(O::identity(), |all, &x| O::merge(all, O::lift(x)));
    }
    let mut lanes = [O::identity(); LANES];
    let mut chunks = x.chunks_exact(LANES);
    for chunk in &mut chunks {
        for i in 0..LANES {
            lanes[i] = O::merge(lanes[i], O::lift(chunk[i]));
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = O::merge(*lane, O::lift(x));
    }
    // Lanes in memory are vectors in the loop; LLVM would pair them for the tree below instead.
    merged::<T, O, LANES>(black_box(lanes))
}

/// All lanes in one.
#[inline(always)]
pub(super) fn merged<T: Copy, O: ReduceOp<T>, const N: usize>(mut lanes: [O::Acc; N]) -> O::Acc {
    let mut width = N / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = O::merge(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// A few elements, one after the other.
#[inline(always)]
fn few<T: Copy, O: ReduceOp<T>>(x: &[T]) -> O::Acc {
    match x {
        [] => O::identity(),
        [first, rest @ ..] => rest
            .iter()
            .fold(O::lift(*first), |a, &v| O::merge(a, O::lift(v))),
    }
}

/// Reductions of rows of `n` elements each, which are not many. Each is what [`contiguous`] gives.
struct ShortRows<'a, T, A, O> {
    x: &'a [T],
    n: usize,
    acc: &'a mut [A],
    op: PhantomData<O>,
}

impl<T: Copy, O: ReduceOp<T>> Job for ShortRows<'_, T, O::Acc, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        match self.n {
            _ if O::ANY_ORDER => self.each(|row| leaf::<T, O>(row)),
            0..FEW => self.each(|row| few::<T, O>(row)),
            FEW..=16 => self.padded::<16>(),
            17..=LANES => self.padded::<LANES>(),
            n if n.is_multiple_of(LANES) => self.each(|row| leaf::<T, O>(row)),
            _ => self.tailed(),
        }
    }
}

impl<T: Copy, O: ReduceOp<T>> ShortRows<'_, T, O::Acc, O> {
    #[inline(always)]
    fn each(self, reduce: impl Fn(&[T]) -> O::Acc) {
        for (i, acc) in self.acc.iter_mut().enumerate() {
            *acc = reduce(&self.x[i * self.n..][..self.n]);
        }
    }

    /// Rows of more elements than lanes, whose last ones are as many lanes again: those behind a row's end are as if they
    /// were not there.
    #[inline(always)]
    fn tailed(self) {
        let n = self.n;
        let (whole, rest) = (n / LANES * LANES, n % LANES);
        for (i, acc) in self.acc.iter_mut().enumerate() {
            let row = &self.x[i * n..];
            let Some(window) = row[whole..].first_chunk::<LANES>() else {
                *acc = leaf::<T, O>(&row[..n]);
                continue;
            };
            let mut lanes = [O::identity(); LANES];
            for chunk in row[..whole].chunks_exact(LANES) {
                for k in 0..LANES {
                    lanes[k] = O::merge(lanes[k], O::lift(chunk[k]));
                }
            }
            for k in 0..LANES {
                let lane = O::merge(lanes[k], O::lift(window[k]));
                lanes[k] = if k < rest { lane } else { lanes[k] };
            }
            *acc = merged::<T, O, LANES>(black_box(lanes));
        }
    }

    /// Rows of at most `N` elements, which are lanes: those behind a row's end are as if they were not there.
    #[inline(always)]
    fn padded<const N: usize>(self) {
        let n = self.n;
        for (i, acc) in self.acc.iter_mut().enumerate() {
            let row = &self.x[i * n..];
            let mut lanes = [O::identity(); N];
            match row.first_chunk::<N>() {
                Some(window) if n == N => {
                    for k in 0..N {
                        lanes[k] = O::merge(lanes[k], O::lift(window[k]));
                    }
                }
                Some(window) => {
                    for k in 0..N {
                        let lane = O::merge(lanes[k], O::lift(window[k]));
                        lanes[k] = if k < n { lane } else { lanes[k] };
                    }
                }
                None => {
                    for (lane, &x) in lanes.iter_mut().zip(&row[..n]) {
                        *lane = O::merge(*lane, O::lift(x));
                    }
                }
            }
            *acc = merged::<T, O, N>(lanes);
        }
    }
}

/// Leaves whose trees are made side by side.
const EIGHT: usize = 8;

/// All accumulators in one, neighbours first.
fn neighbours<T: Copy, O: ReduceOp<T>>(mut acc: [O::Acc; EIGHT]) -> O::Acc {
    let mut width = EIGHT / 2;
    while width > 0 {
        for i in 0..width {
            acc[i] = O::merge(acc[2 * i], acc[2 * i + 1]);
        }
        width /= 2;
    }
    acc[0]
}

/// Reduces contiguous elements; subtrees of a large slice run in parallel if `spread`.
pub(super) fn contiguous<T: Copy + Sync, O: ReduceOp<T>>(x: &[T], spread: bool) -> O::Acc {
    if x.len() <= LEAF {
        return match x.len() {
            0..FEW => few::<T, O>(x),
            _ => dispatch(Leaf::<T, O>(x, PhantomData)),
        };
    }
    if x.len() == EIGHT * LEAF {
        let mut acc = [O::identity(); EIGHT];
        if O::short_rows(x, LEAF, &mut acc) == EIGHT {
            return neighbours::<T, O>(acc);
        }
    }
    let (left, right) = x.split_at(LEAF * (x.len().div_ceil(LEAF).next_power_of_two() / 2));
    let (mut a, mut b) = (O::identity(), O::identity());
    if spread && x.len() > SPLIT {
        pool::join(&mut || a = contiguous::<T, O>(left, true), &mut || {
            b = contiguous::<T, O>(right, true);
        });
    } else {
        a = contiguous::<T, O>(left, false);
        b = contiguous::<T, O>(right, false);
    }
    O::merge(a, b)
}

struct RowBlock<'a, T, A, O> {
    x: &'a [T],
    row: usize,
    acc: &'a mut [A],
    op: PhantomData<O>,
}

impl<T: Copy, O: ReduceOp<T>> Job for RowBlock<'_, T, O::Acc, O> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        if self.acc.len() <= NARROW {
            return self.narrow();
        }
        let RowBlock { x, row, acc, .. } = self;
        let width = acc.len();
        acc.fill(O::identity());
        let mut at = 0;
        // Some rows at once, so that an accumulator is read and written once for them.
        while at + 3 * row + width <= x.len() {
            let (a, b) = (&x[at..][..width], &x[at + row..][..width]);
            let (c, d) = (&x[at + 2 * row..][..width], &x[at + 3 * row..][..width]);
            for i in 0..width {
                let sum = O::merge(acc[i], O::lift(a[i]));
                let sum = O::merge(sum, O::lift(b[i]));
                let sum = O::merge(sum, O::lift(c[i]));
                acc[i] = O::merge(sum, O::lift(d[i]));
            }
            at += 4 * row;
        }
        while at + width <= x.len() {
            let from = &x[at..at + width];
            for i in 0..width {
                acc[i] = O::merge(acc[i], O::lift(from[i]));
            }
            at += row;
        }
    }
}

impl<T: Copy, O: ReduceOp<T>> RowBlock<'_, T, O::Acc, O> {
    /// A few columns, some of which stay in registers while the rows pass by. The last ones are the end of as many columns as
    /// a few vectors have, where there are so many: some are reduced again, to the same.
    #[inline(always)]
    fn narrow(mut self) {
        let (mut column, n) = (0, self.acc.len());
        while column < n {
            let rest = n - column;
            let lanes = match rest.next_power_of_two().clamp(4, 32) {
                lanes if lanes <= n => lanes,
                4 => 1,
                lanes => lanes / 2,
            };
            let from = column.min(n.saturating_sub(lanes));
            column = from
                + match lanes {
                    32 => self.columns::<32>(from),
                    16 => self.columns::<16>(from),
                    8 => self.columns::<8>(from),
                    4 => self.columns::<4>(from),
                    _ => self.columns::<1>(from),
                };
        }
    }

    /// So many columns from one on; says how many.
    #[inline(always)]
    fn columns<const N: usize>(&mut self, column: usize) -> usize {
        let mut lanes = [O::identity(); N];
        for row in self.x[column..].chunks(self.row) {
            let Some(row) = row.first_chunk::<N>() else {
                break;
            };
            for i in 0..N {
                lanes[i] = O::merge(lanes[i], O::lift(row[i]));
            }
        }
        self.acc[column..column + N].copy_from_slice(&lanes);
        N
    }
}

/// Reduces `n` rows, `row` elements apart, into as many columns as `acc` has; `x` begins at the first column.
fn rows<T: Copy + Sync, O: ReduceOp<T>>(
    x: &[T],
    n: usize,
    row: usize,
    acc: &mut [O::Acc],
    spread: bool,
) {
    let width = acc.len();
    if n <= ROWS {
        let x = if n == 0 {
            &x[..0]
        } else {
            &x[..(n - 1) * row + width]
        };
        return dispatch(RowBlock::<T, O::Acc, O> {
            x,
            row,
            acc,
            op: PhantomData,
        });
    }
    let half = ROWS * (n.div_ceil(ROWS).next_power_of_two() / 2);
    let mut other = vec_of(O::identity(), width);
    let (low, high) = (&x[..(half - 1) * row + width], &x[half * row..]);
    if spread && n * width > SPLIT {
        pool::join(&mut || rows::<T, O>(low, half, row, acc, true), &mut || {
            rows::<T, O>(high, n - half, row, &mut other, true);
        });
    } else {
        rows::<T, O>(low, half, row, acc, false);
        rows::<T, O>(high, n - half, row, &mut other, false);
    }
    acc.iter_mut()
        .zip(&other)
        .for_each(|(a, &b)| *a = O::merge(*a, b));
}

/// Reduces the middle of `[outer, n, inner]` into `acc` of `[outer, inner]`.
pub(super) fn middle<T: Copy + Sync, O: ReduceOp<T>>(
    x: &[T],
    n: usize,
    inner: usize,
    acc: &mut [O::Acc],
) {
    let spread = pool::worth_it(x.len() as f64 * 0.3);
    if !spread || acc.is_empty() {
        return slabs::<T, O>(x, n, inner, 0, acc, false);
    }
    if inner == 1 {
        pool::install(|| {
            pool::par_rows_mut(acc, 1, n as f64 * 0.3, |o, acc| {
                slabs::<T, O>(x, n, 1, o, acc, true)
            })
        });
    } else {
        pool::install(|| {
            pool::par_rows_mut(acc, inner, (n * inner) as f64 * 0.3, |o, acc| {
                slabs::<T, O>(x, n, inner, o, acc, true)
            })
        });
    }
}

/// The reductions of consecutive outer indices, from `first` on.
fn slabs<T: Copy + Sync, O: ReduceOp<T>>(
    x: &[T],
    n: usize,
    inner: usize,
    first: usize,
    acc: &mut [O::Acc],
    spread: bool,
) {
    if inner == 1 && n <= LEAF {
        let x = &x[first * n..][..acc.len() * n];
        let op = PhantomData;
        let done = O::short_rows(x, n, acc);
        let (x, acc) = (&x[done * n..], &mut acc[done..]);
        return dispatch(ShortRows::<T, O::Acc, O> { x, n, acc, op });
    }
    if inner == 1 {
        for (i, a) in acc.iter_mut().enumerate() {
            *a = contiguous::<T, O>(&x[(first + i) * n..][..n], spread);
        }
        return;
    }
    for (i, acc) in acc.chunks_mut(inner.max(1)).enumerate() {
        let slab = &x[(first + i) * n * inner..][..n * inner];
        let column_block = |(j, acc): (usize, &mut [O::Acc])| {
            rows::<T, O>(
                slab.get(j * COLUMNS..).unwrap_or(&[]),
                n,
                inner,
                acc,
                spread,
            );
        };
        if spread && slab.len() > SPLIT {
            pool::par_pieces_mut(acc, COLUMNS, |j, acc| column_block((j, acc)));
        } else {
            acc.chunks_mut(COLUMNS).enumerate().for_each(column_block);
        }
    }
}

/// Reduces rows of `n` elements each, on the caller's thread.
pub(crate) fn of_rows<T: Copy + Sync, O: ReduceOp<T>>(x: &[T], n: usize, acc: &mut [O::Acc]) {
    slabs::<T, O>(x, n, 1, 0, acc, false);
}

/// As [`middle`], on the caller's thread.
#[cfg(test)]
pub(super) fn sequential<T: Copy + Sync, O: ReduceOp<T>>(
    x: &[T],
    n: usize,
    inner: usize,
    acc: &mut [O::Acc],
) {
    slabs::<T, O>(x, n, inner, 0, acc, false);
}

#[cfg(test)]
mod tests {
    use super::super::{Max, Min, Prod, Sum};
    use super::*;

    fn short_rows_are_those_of_one_row<T, O: ReduceOp<T, Acc = T>>()
    where
        T: num_traits::Float + Sync + std::fmt::Debug,
    {
        for n in [
            1, 2, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 50, 64, 65, 256, 300, 2047, 2048,
        ] {
            let value = |i: usize| match i % 11 {
                3 => -0.0,
                8 if n == 31 || n == 300 && i.is_multiple_of(7) => f64::NAN,
                k => (k as f64 - 4.3) * 1.37e-3 * (i + 1) as f64,
            };
            let x: Vec<T> = (0..37 * n)
                .map(|i| T::from(value(i)).expect("a number"))
                .collect();
            let mut all = [T::zero(); 37];
            slabs::<T, O>(&x, n, 1, 0, &mut all, false);
            for (row, found) in x.chunks(n).zip(all) {
                let expected = contiguous::<T, O>(row, false);
                let same =
                    found == expected && found.is_sign_negative() == expected.is_sign_negative();
                assert!(
                    same || found.is_nan() && expected.is_nan(),
                    "rows of {n}: {found:?} {expected:?}"
                );
            }
        }
    }

    #[test]
    fn many_short_rows_have_the_bits_of_single_ones() {
        short_rows_are_those_of_one_row::<f32, Sum>();
        short_rows_are_those_of_one_row::<f32, Prod>();
        short_rows_are_those_of_one_row::<f32, Max>();
        short_rows_are_those_of_one_row::<f32, Min>();
        short_rows_are_those_of_one_row::<f64, Sum>();
        short_rows_are_those_of_one_row::<f64, Prod>();
        short_rows_are_those_of_one_row::<f64, Max>();
        short_rows_are_those_of_one_row::<f64, Min>();
    }

    #[test]
    fn columns_are_those_of_one_column() {
        for width in 2..=70 {
            for n in [1, 3, 64, 200] {
                let x: Vec<f32> = (0..n * width).map(|i| (i as f32 * 0.37).sin()).collect();
                let mut all = vec![f32::NAN; width];
                slabs::<f32, Sum>(&x, n, width, 0, &mut all, false);
                for (column, found) in all.iter().enumerate() {
                    let one: Vec<f32> = x.iter().skip(column).step_by(width).copied().collect();
                    let mut expected = [f32::NAN; 2];
                    let pairs: Vec<f32> = one.iter().flat_map(|&x| [x, x]).collect();
                    slabs::<f32, Sum>(&pairs, n, 2, 0, &mut expected, false);
                    assert_eq!(
                        found.to_bits(),
                        expected[0].to_bits(),
                        "{n} rows of {width}"
                    );
                }
            }
        }
    }

    #[test]
    fn leaves_side_by_side_have_the_bits_of_single_ones() {
        for n in [8 * LEAF, 8 * LEAF + 5, 16 * LEAF, 20 * LEAF + 1] {
            let x: Vec<f32> = (0..n).map(|i| (i as f32 * 0.71).sin()).collect();
            let leaves: Vec<f32> = x
                .chunks(LEAF)
                .map(|leaf| contiguous::<f32, Sum>(leaf, false))
                .collect();
            fn tree(x: &[f32]) -> f32 {
                match x {
                    [one] => *one,
                    _ => {
                        let (low, high) = x.split_at(x.len().next_power_of_two() / 2);
                        tree(low) + tree(high)
                    }
                }
            }
            assert_eq!(
                contiguous::<f32, Sum>(&x, false).to_bits(),
                tree(&leaves).to_bits()
            );
        }
    }
}
