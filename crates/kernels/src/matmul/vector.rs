//! Products of a matrix with a vector, from either side: by rows where rows are contiguous, several sums at once; by
//! columns where columns do. Neither lays anything out, and threads share the numbers of the result.

use std::arch::x86_64::{__m256, __m512};
use std::ops::Range;

use super::Matrix;
use super::direct::Numbers;
use super::element::Product;
use super::sums::{ROWS, Sums};
use crate::halves::Half;
use crate::isa::{Level, level};
use crate::pool::par_rows_mut;
use crate::scratch::floats;
use crate::tiles::stored::{Holds, HoldsSome};

/// Elements of a matrix from which on plain loops are slower.
const LEAST: usize = 32;

/// Numbers of the result that a thread takes at a time are a multiple of this: whole strips.
const STRIP: usize = 64;

/// Summands of a number of a vector that are added one after the other. The sums of such pieces are added up apart, so that
/// the error of long sums hardly grows.
const PIECE: usize = 256;

/// Nanoseconds that an element of the matrix takes, roughly.
const COST: f64 = 0.05;

/// A matrix of `S` times a vector, summed as `T`.
#[derive(Clone, Copy)]
struct Times<S, T> {
    matrix: *const S,
    columns: usize,
    /// From one row (or column, where columns are contiguous) to the next.
    stride: usize,
    by_rows: bool,
    vector: *const T,
    adds: bool,
}

/// The matrix, as its rows are summed, and the vector of a product of both; none where this is not the way to it.
fn operands<'a, S: Copy>(p: &Product<'a, S>) -> Option<(Matrix<'a, S>, &'a [S])> {
    let (matrix, vector) = match (p.m, p.n) {
        (_, 1) if p.b.row_stride == 1 => (p.a, p.b.data),
        (1, _) if p.a.col_stride == 1 => (p.b.t(), p.a.data),
        _ => return None,
    };
    let lies_well = matrix.col_stride == 1 || matrix.row_stride == 1;
    let is_for = lies_well && p.m.max(p.n) * p.k >= LEAST && level() != Level::Baseline;
    is_for.then_some((matrix, &vector[..p.k]))
}

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<T: Numbers>(p: &Product<T>, out: &mut [T]) -> bool {
    let Some((matrix, vector)) = operands(p) else {
        return false;
    };
    Times::of(p, matrix, vector).over(out, |times, out| times.rows(out));
    true
}

/// As [`product`], of halves, which are summed as `f32`.
pub(super) fn product_of_halves<H>(p: &Product<H>, out: &mut [H]) -> bool
where
    H: Half,
    __m512: HoldsSome<f32, H>,
    __m256: HoldsSome<f32, H>,
{
    let Some((matrix, vector)) = operands(p) else {
        return false;
    };
    let mut wide = floats(p.k);
    H::widen(vector, &mut wide);
    Times::of(p, matrix, &wide).over(out, |times, out| {
        let mut made = floats(out.len());
        if p.accumulate {
            H::widen(out, &mut made);
        }
        times.rows(&mut made);
        H::narrow(&made, out);
    });
    true
}

// SAFETY: the matrix and the vector are read alone.
unsafe impl<S: Sync, T: Sync> Sync for Times<S, T> {}

impl<S: Copy + Sync, T: Numbers> Times<S, T> {
    /// Of operands of a product that are within their slices.
    fn of(p: &Product<S>, matrix: Matrix<S>, vector: &[T]) -> Self {
        let by_rows = matrix.col_stride == 1;
        Times {
            matrix: matrix.data.as_ptr(),
            columns: p.k,
            stride: match by_rows {
                true => matrix.row_stride,
                false => matrix.col_stride,
            },
            by_rows,
            vector: vector.as_ptr(),
            adds: p.accumulate,
        }
    }

    /// Has numbers of the result made, by all threads.
    fn over<O: Send>(self, out: &mut [O], make: impl Fn(Self, &mut [O]) + Sync) {
        let cost = COST * self.columns as f64 * STRIP as f64;
        par_rows_mut(out, STRIP.min(out.len()), cost, |strip, out| {
            make(self.behind(strip * STRIP), out);
        });
    }

    /// The first rows.
    fn rows(self, out: &mut [T])
    where
        T::Wide: HoldsSome<T, S>,
        T::Narrow: HoldsSome<T, S>,
    {
        #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
        // SAFETY: called below alone, where `level` says that the machine has the features.
        unsafe fn wide<S: Copy + Sync, T: Numbers>(times: Times<S, T>, out: &mut [T])
        where
            T::Wide: HoldsSome<T, S>,
        {
            // SAFETY: promised by the caller.
            unsafe { times.make::<T::Wide>(out) }
        }
        #[target_feature(enable = "avx2,fma,f16c")]
        // SAFETY: as for `wide`.
        unsafe fn narrow<S: Copy + Sync, T: Numbers>(times: Times<S, T>, out: &mut [T])
        where
            T::Narrow: HoldsSome<T, S>,
        {
            // SAFETY: promised by the caller.
            unsafe { times.make::<T::Narrow>(out) }
        }
        // SAFETY: `level` reports these only where the machine has the features; the operands were checked to be within
        // their slices.
        unsafe {
            match level() {
                Level::Avx512 => wide(self, out),
                _ => narrow(self, out),
            }
        }
    }

    /// The same without so many rows at the beginning.
    fn behind(self, rows: usize) -> Self {
        let step = if self.by_rows { self.stride } else { 1 };
        Times {
            matrix: self.matrix.wrapping_add(rows * step),
            ..self
        }
    }

    /// # Safety
    /// The machine must have the instruction set, and the operands must be within their slices.
    #[inline(always)]
    // SAFETY: only `rows` calls it, within functions that enable the instruction set, with checked operands.
    unsafe fn make<V: Sums<T> + HoldsSome<T, S>>(self, out: &mut [T]) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.by_rows {
                true => self.by_rows::<V>(out),
                false => self.by_columns::<V>(out),
            }
        }
    }

    /// Some rows at a time; where they are fewer at the end, the last one is taken for those that lack.
    ///
    /// # Safety
    /// As for [`Self::make`].
    #[inline(always)]
    // SAFETY: only `make` calls it.
    unsafe fn by_rows<V: Sums<T> + HoldsSome<T, S>>(self, out: &mut [T]) {
        let whole = self.columns / V::N * V::N;
        // SAFETY: rows and columns are below their numbers.
        unsafe {
            let left = self.columns - whole;
            let some = V::first(left);
            for (block, out) in out.chunks_mut(ROWS).enumerate() {
                let rows: [*const S; ROWS] = std::array::from_fn(|i| {
                    self.matrix
                        .add((block * ROWS + i.min(out.len() - 1)) * self.stride)
                });
                let mut sums = self.of_rows::<V>(rows, 0..whole.min(PIECE * V::N));
                for from in (PIECE * V::N..whole).step_by(PIECE * V::N) {
                    let piece = self.of_rows::<V>(rows, from..whole.min(from + PIECE * V::N));
                    for (sum, piece) in sums.iter_mut().zip(piece) {
                        *sum = sum.fused(piece, V::splat(T::ONE));
                    }
                }
                if whole < self.columns {
                    let x = V::load_some(self.vector.add(whole), some);
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        *sum = sum.fused(V::read_some(row.add(whole), left, some), x);
                    }
                }
                self.put(&V::totals(&sums), out);
            }
        }
    }

    /// The sums of a piece of some rows, of whole vectors.
    ///
    /// # Safety
    /// As for [`Self::make`], and the rows must have the columns.
    #[inline(always)]
    // SAFETY: only `by_rows` calls it, with columns of the matrix.
    unsafe fn of_rows<V: Sums<T> + HoldsSome<T, S>>(
        self,
        rows: [*const S; ROWS],
        columns: Range<usize>,
    ) -> [V; ROWS] {
        // SAFETY: promised by the caller.
        unsafe {
            let mut sums = [V::splat(T::default()); ROWS];
            for c in columns.step_by(V::N) {
                let x = V::load(self.vector.add(c));
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum = sum.fused(<V as Holds<S>>::read(row.add(c)), x);
                }
            }
            sums
        }
    }

    /// Strips of the result in registers while the columns pass by.
    ///
    /// # Safety
    /// As for [`Self::make`].
    #[inline(always)]
    // SAFETY: only `make` calls it.
    unsafe fn by_columns<V: Sums<T> + HoldsSome<T, S>>(self, out: &mut [T]) {
        let mut first = 0;
        // SAFETY: strips are of rows that are there.
        unsafe {
            while first < out.len() {
                first += match out.len() - first {
                    left if left >= 4 * V::N => self.strip::<V, 4, 2>(first, 4 * V::N, out),
                    left if left >= 2 * V::N => self.strip::<V, 2, 4>(first, 2 * V::N, out),
                    left => self.strip::<V, 1, 8>(first, left.min(V::N), out),
                };
            }
        }
    }

    /// So many numbers of the result, `W` vectors or fewer than one, by `U` sums each; says how many.
    ///
    /// # Safety
    /// As for [`Self::make`], and there must be as many rows.
    #[inline(always)]
    // SAFETY: only `by_columns` calls it, with rows that are left.
    unsafe fn strip<V: Sums<T> + HoldsSome<T, S>, const W: usize, const U: usize>(
        self,
        first: usize,
        n: usize,
        out: &mut [T],
    ) -> usize {
        // SAFETY: promised by the caller; a row of numbers has room for the most vectors.
        unsafe {
            let piece = PIECE * U;
            let mut sums = self.of_columns::<V, W, U>(first, n, 0..self.columns.min(piece));
            for from in (piece..self.columns).step_by(piece) {
                let columns = from..self.columns.min(from + piece);
                let piece = self.of_columns::<V, W, U>(first, n, columns);
                for (sum, piece) in sums.iter_mut().zip(piece) {
                    *sum = sum.fused(piece, V::splat(T::ONE));
                }
            }
            let mut row = [T::default(); 64];
            for (w, sum) in sums.iter().enumerate() {
                sum.store(row.as_mut_ptr().add(w * V::N));
            }
            self.put(&row, &mut out[first..first + n]);
            n
        }
    }

    /// The sums of a piece of some columns, by `U` sums for each number.
    ///
    /// # Safety
    /// As for [`Self::strip`].
    #[inline(always)]
    // SAFETY: only `strip` calls it, with columns of the matrix.
    unsafe fn of_columns<V: Sums<T> + HoldsSome<T, S>, const W: usize, const U: usize>(
        self,
        first: usize,
        n: usize,
        columns: Range<usize>,
    ) -> [V; W] {
        // SAFETY: promised by the caller.
        unsafe {
            let mut sums = [[V::splat(T::default()); W]; U];
            let whole = columns.start + columns.len() / U * U;
            if n == W * V::N {
                for c in (columns.start..whole).step_by(U) {
                    for (u, sums) in sums.iter_mut().enumerate() {
                        self.column(first, c + u, sums);
                    }
                }
                for c in whole..columns.end {
                    self.column(first, c, &mut sums[0]);
                }
            } else {
                let some = V::first(n);
                for c in (columns.start..whole).step_by(U) {
                    for (u, sums) in sums.iter_mut().enumerate() {
                        self.part_of_column(first, c + u, (n, some), &mut sums[0]);
                    }
                }
                for c in whole..columns.end {
                    self.part_of_column(first, c, (n, some), &mut sums[0][0]);
                }
            }
            let mut all = sums[0];
            for part in &sums[1..] {
                for (sum, x) in all.iter_mut().zip(part) {
                    *sum = sum.fused(*x, V::splat(T::ONE));
                }
            }
            all
        }
    }

    /// Adds whole vectors of a column, from that row on.
    ///
    /// # Safety
    /// As for [`Self::strip`].
    #[inline(always)]
    // SAFETY: only `strip` calls it.
    unsafe fn column<V: Sums<T> + HoldsSome<T, S>, const W: usize>(
        self,
        first: usize,
        column: usize,
        to: &mut [V; W],
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let x = V::splat(*self.vector.add(column));
            let at = self.matrix.add(column * self.stride + first);
            for (w, sum) in to.iter_mut().enumerate() {
                *sum = sum.fused(<V as Holds<S>>::read(at.add(w * V::N)), x);
            }
        }
    }

    /// Adds some numbers of a column, from that row on.
    ///
    /// # Safety
    /// As for [`Self::strip`].
    #[inline(always)]
    // SAFETY: only `strip` calls it.
    unsafe fn part_of_column<V: Sums<T> + HoldsSome<T, S>>(
        self,
        first: usize,
        column: usize,
        (n, some): (usize, V::Some),
        to: &mut V,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let x = V::splat(*self.vector.add(column));
            let at = self.matrix.add(column * self.stride + first);
            *to = to.fused(V::read_some(at, n, some), x);
        }
    }

    /// Writes numbers, or adds them to what is there.
    #[inline(always)]
    fn put(self, sums: &[T], out: &mut [T]) {
        for (to, &sum) in out.iter_mut().zip(sums) {
            *to = if self.adds { *to + sum } else { sum };
        }
    }
}
