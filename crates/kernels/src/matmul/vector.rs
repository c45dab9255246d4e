//! Products of a matrix that lies in the nearer caches with a vector, from either side: by rows where rows lie together,
//! several sums at once; by columns where columns do. Neither lays anything out.

use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

use super::element::Product;
use super::sums::{ROWS, Sums};
use crate::isa::{Level, level};

/// Numbers of one dtype, and the vectors that hold them.
pub(super) trait Numbers: Copy + Default + std::ops::Add<Output = Self> + 'static {
    const ONE: Self;
    type Wide: Sums<Self>;
    type Narrow: Sums<Self>;
}

impl Numbers for f32 {
    const ONE: f32 = 1.0;
    type Wide = __m512;
    type Narrow = __m256;
}

impl Numbers for f64 {
    const ONE: f64 = 1.0;
    type Wide = __m512d;
    type Narrow = __m256d;
}

/// Elements of a matrix from which on plain loops are slower, and up to which it lies near.
const LEAST: usize = 32;
const MOST: usize = 1 << 17;

/// A matrix times a vector.
#[derive(Clone, Copy)]
struct Times<T> {
    matrix: *const T,
    rows: usize,
    columns: usize,
    /// From one row (or column, where columns lie together) to the next.
    stride: usize,
    vector: *const T,
    adds: bool,
}

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<T: Numbers>(p: &Product<T>, out: &mut [T]) -> bool {
    let matrix = match (p.m, p.n) {
        (_, 1) if p.b.row_stride == 1 => (p.a, p.b.data),
        (1, _) if p.a.col_stride == 1 => (p.b.t(), p.a.data),
        _ => return false,
    };
    let (matrix, vector) = matrix;
    let by_rows = matrix.col_stride == 1;
    if !(LEAST..=MOST).contains(&(out.len() * p.k)) || !(by_rows || matrix.row_stride == 1) {
        return false;
    }
    let times = Times {
        matrix: matrix.data.as_ptr(),
        rows: out.len(),
        columns: p.k,
        stride: if by_rows {
            matrix.row_stride
        } else {
            matrix.col_stride
        },
        vector: vector.as_ptr(),
        adds: p.accumulate,
    };
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    // SAFETY: called below alone, where `level` says that the machine has the features.
    unsafe fn wide<T: Numbers>(times: Times<T>, by_rows: bool, out: &mut [T]) {
        // SAFETY: promised by the caller.
        unsafe { times.make::<T::Wide>(by_rows, out) }
    }
    #[target_feature(enable = "avx2,fma")]
    // SAFETY: as for `wide`.
    unsafe fn narrow<T: Numbers>(times: Times<T>, by_rows: bool, out: &mut [T]) {
        // SAFETY: promised by the caller.
        unsafe { times.make::<T::Narrow>(by_rows, out) }
    }
    // SAFETY: `level` reports these only where the machine has the features; the operands were checked to lie within
    // their slices.
    unsafe {
        match level() {
            Level::Avx512 => wide(times, by_rows, out),
            Level::Avx2 => narrow(times, by_rows, out),
            Level::Baseline => return false,
        }
    }
    true
}

impl<T: Numbers> Times<T> {
    /// # Safety
    /// The machine must have the instruction set, and the operands must lie within their slices.
    #[inline(always)]
    // SAFETY: only `product` calls it, within functions that enable the instruction set, with checked operands.
    unsafe fn make<V: Sums<T>>(self, by_rows: bool, out: &mut [T]) {
        // SAFETY: promised by the caller.
        unsafe {
            match by_rows {
                true => self.by_rows::<V>(out),
                false => self.by_columns::<V>(out),
            }
        }
    }

    /// Some rows at a time; where they are fewer at the end, the last one stands for those that lack.
    ///
    /// # Safety
    /// As for [`Self::make`].
    #[inline(always)]
    // SAFETY: only `make` calls it.
    unsafe fn by_rows<V: Sums<T>>(self, out: &mut [T]) {
        let whole = self.columns / V::N * V::N;
        // SAFETY: rows and columns are below their numbers.
        unsafe {
            let some = V::first(self.columns - whole);
            for (block, out) in out.chunks_mut(ROWS).enumerate() {
                let rows: [*const T; ROWS] = std::array::from_fn(|i| {
                    self.matrix
                        .add((block * ROWS + i.min(out.len() - 1)) * self.stride)
                });
                let mut sums = [V::splat(T::default()); ROWS];
                for c in (0..whole).step_by(V::N) {
                    let x = V::load(self.vector.add(c));
                    (0..ROWS).for_each(|i| sums[i] = sums[i].fused(V::load(rows[i].add(c)), x));
                }
                if whole < self.columns {
                    let x = V::load_some(self.vector.add(whole), some);
                    (0..ROWS).for_each(|i| {
                        sums[i] = sums[i].fused(V::load_some(rows[i].add(whole), some), x)
                    });
                }
                self.put(&V::totals(&sums), out);
            }
        }
    }

    /// Strips of the result in registers while the columns pass by.
    ///
    /// # Safety
    /// As for [`Self::make`].
    #[inline(always)]
    // SAFETY: only `make` calls it.
    unsafe fn by_columns<V: Sums<T>>(self, out: &mut [T]) {
        let mut first = 0;
        // SAFETY: strips are of rows that are there.
        unsafe {
            while first < self.rows {
                first += match self.rows - first {
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
    unsafe fn strip<V: Sums<T>, const W: usize, const U: usize>(
        self,
        first: usize,
        n: usize,
        out: &mut [T],
    ) -> usize {
        // SAFETY: promised by the caller; a row of numbers has room for the most vectors.
        unsafe {
            let some = V::first(n % V::N);
            let mut sums = [[V::splat(T::default()); W]; U];
            let add = |sums: &mut [V; W], column: usize| {
                let x = V::splat(*self.vector.add(column));
                let at = self.matrix.add(column * self.stride + first);
                for (w, sum) in sums.iter_mut().enumerate() {
                    let a = match n == W * V::N {
                        true => V::load(at.add(w * V::N)),
                        false => V::load_some(at, some),
                    };
                    *sum = sum.fused(a, x);
                }
            };
            let whole = self.columns / U * U;
            for c in (0..whole).step_by(U) {
                sums.iter_mut()
                    .enumerate()
                    .for_each(|(u, sum)| add(sum, c + u));
            }
            (whole..self.columns).for_each(|c| add(&mut sums[0], c));
            let mut row = [T::default(); 64];
            for w in 0..W {
                let sum = (1..U).fold(sums[0][w], |sum, u| sum.fused(sums[u][w], V::splat(T::ONE)));
                sum.store(row.as_mut_ptr().add(w * V::N));
            }
            self.put(&row, &mut out[first..first + n]);
            n
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
