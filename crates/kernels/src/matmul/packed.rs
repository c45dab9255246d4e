//! Large products, for machines with vectors of 256 bits: both operands are laid out in panels, a block at a time, as
//! Goto and van de Geijn describe ("Anatomy of High-Performance Matrix Multiplication", 2008).
//!
//! Some rows of `b` are laid out as panels of two vectors a row, for all threads; each thread lays out some rows of `a`
//! as panels of [`M`] rows, which stay in its second cache while the panels of `b` pass by. A tile of the result stays
//! in registers while a panel of each is multiplied. Sums are split at every [`DEPTH`] summands, whatever the number of
//! threads.

use super::direct::{Numbers, lay_out};
use super::element::Product;
use super::tile::put;
use crate::isa::{Level, level};
use crate::pool::{self, Base};
use crate::scratch::{Floats, floats};
use crate::stop;
use crate::tiles::lanes::Lanes;

/// Rows of a tile.
const M: usize = 6;

/// Summands of a block.
const DEPTH: usize = 256;

/// Rows of `a` in a block, about: with [`DEPTH`] doubles each they fill half of a second cache.
const HEIGHT: usize = 96;

/// Columns of `b` in a block.
const WIDTH: usize = 1024;

/// Multiply-adds up to which the `gemm` crate, which lays less out, is as fast.
const LEAST: usize = 1 << 29;

/// Columns that a row of `a` which has been laid out is to be multiplied with, at least.
const LEAST_COLUMNS: usize = 512;

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<T: Numbers>(p: &Product<T>, out: &mut [T]) -> bool {
    let multiplies = p.m.saturating_mul(p.n).saturating_mul(p.k);
    let is_large = multiplies > LEAST && p.n >= LEAST_COLUMNS;
    is_large && make(p, out)
}

/// Makes the product where the machine has the vectors; says whether it was made.
pub(super) fn make<T: Numbers>(p: &Product<T>, out: &mut [T]) -> bool {
    if level() != Level::Avx2 {
        return false;
    }
    let wide = 2 * T::Narrow::N;
    let most = DEPTH.min(p.k) * WIDTH.min(p.n.next_multiple_of(wide));
    let mut room = Room::<T>::of(most);
    let result = Base::of(out);
    for column in (0..p.n).step_by(WIDTH) {
        for from in (0..p.k).step_by(DEPTH) {
            let block = Block {
                p,
                from,
                depth: DEPTH.min(p.k - from),
                column,
                width: WIDTH.min(p.n - column),
            };
            block.lay_columns_out(&Base::of(room.all()));
            block.multiply(room.all(), &result);
        }
    }
    true
}

/// Numbers of which any bits are one.
///
/// # Safety
/// All bits must be a number, and none may ask for a place that is not a multiple of 64 bytes.
pub(super) unsafe trait AnyBits: Copy {}

// SAFETY: floats and integers are numbers by any bits.
unsafe impl AnyBits for f32 {}
// SAFETY: likewise.
unsafe impl AnyBits for f64 {}
// SAFETY: likewise.
unsafe impl AnyBits for u32 {}
// SAFETY: likewise.
unsafe impl AnyBits for i32 {}

/// Numbers of any dtype on the way, by what a thread keeps of them.
pub(super) struct Room<T> {
    floats: Floats,
    n: usize,
    of: std::marker::PhantomData<T>,
}

impl<T: AnyBits> Room<T> {
    pub(super) fn of(n: usize) -> Self {
        // One number more than are needed, since those kept are aligned for floats.
        let floats = floats((n + 1) * size_of::<T>() / size_of::<f32>());
        Room {
            floats,
            n,
            of: std::marker::PhantomData,
        }
    }

    pub(super) fn all(&mut self) -> &mut [T] {
        // SAFETY: the numbers are floats, of which any bits are one, as are those of the dtype.
        let (_, all, _) = unsafe { self.floats.align_to_mut::<T>() };
        &mut all[..self.n]
    }
}

/// Some summands of some columns of a product.
struct Block<'a, T> {
    p: &'a Product<'a, T>,
    from: usize,
    depth: usize,
    column: usize,
    width: usize,
}

/// Calls `f` on each number below `n`, over the pool if the product is `spread`.
pub(super) fn each(n: usize, spread: bool, f: &(dyn Fn(usize) + Sync)) {
    match spread && n > 1 {
        true => pool::par_tasks(n, f),
        false => (0..n).for_each(|i| {
            stop::pause();
            f(i)
        }),
    }
}

impl<T: Numbers> Block<'_, T> {
    /// Lays the columns out, as panels of two vectors a row; the last lacks columns, which are zeros.
    fn lay_columns_out(&self, room: &Base<T>) {
        const PANELS: usize = 8; // that are laid out at once
        let wide = 2 * T::Narrow::N;
        let n = self.width.div_ceil(wide * PANELS);
        each(n, self.p.spread, &|i| {
            let end = self.width.min((i + 1) * wide * PANELS);
            for first in (i * wide * PANELS..end).step_by(wide) {
                let b = &self.p.b;
                let at = self.from * b.row_stride + (self.column + first) * b.col_stride;
                // SAFETY: panels do not overlap; the operand was checked to be within its slice.
                unsafe {
                    let to = room.at((first * self.depth) as isize);
                    let columns = wide.min(self.width - first);
                    lay_out(b, b.data.as_ptr().add(at), self.depth, columns, to, wide);
                }
            }
        });
    }

    /// Multiplies all rows of `a` with the panels.
    fn multiply(&self, panels: &[T], out: &Base<T>) {
        let shares = match self.p.spread {
            true => pool::n_threads(),
            false => 1,
        };
        // As many blocks for each thread, of nearly as many tiles.
        let tiles = self.p.m.div_ceil(M);
        let blocks = self
            .p
            .m
            .div_ceil(HEIGHT)
            .next_multiple_of(shares)
            .min(tiles);
        let begin = |i: usize| (i * tiles / blocks * M).min(self.p.m);
        each(blocks, self.p.spread, &|i| {
            let (first, rows) = (begin(i), begin(i + 1) - begin(i));
            let mut room = Room::<T>::of(rows.next_multiple_of(M) * self.depth);
            self.lay_rows_out(first, rows, room.all());
            // SAFETY: blocks of rows do not overlap, `level` has said that the machine has the features.
            unsafe { self.rows_times_panels(first, rows, room.all(), panels, out) };
        });
    }

    /// Lays rows out, as panels of [`M`] numbers a summand; the last lacks rows, which are zeros.
    fn lay_rows_out(&self, first: usize, rows: usize, to: &mut [T]) {
        let a = &self.p.a;
        let (down, right) = (a.row_stride, a.col_stride);
        for (panel, to) in to.chunks_exact_mut(M * self.depth).enumerate() {
            let row = first + panel * M;
            let own = M.min(first + rows - row);
            if own < M {
                to.fill(T::default());
            }
            let at = row * down + self.from * right;
            // SAFETY: the rows and the summands were checked to be within the operand.
            unsafe {
                let from = a.data.as_ptr().add(at);
                for (l, to) in to.chunks_exact_mut(M).enumerate() {
                    let from = from.add(l * right);
                    match own {
                        M => (0..M).for_each(|i| to[i] = *from.add(i * down)),
                        _ => (0..own).for_each(|i| to[i] = *from.add(i * down)),
                    }
                }
            }
        }
    }

    /// Some rows, laid out, times all panels.
    ///
    /// # Safety
    /// The machine must have the instruction set, and nobody else may use these rows of the result.
    #[target_feature(enable = "avx2,fma")]
    // SAFETY: only `multiply` calls it, with blocks of rows of their own, where `level` says that there are the features.
    unsafe fn rows_times_panels(
        &self,
        first: usize,
        rows: usize,
        a: &[T],
        panels: &[T],
        out: &Base<T>,
    ) {
        let (wide, n) = (2 * T::Narrow::N, self.p.n);
        let adds = self.p.accumulate || self.from > 0;
        for column in (0..self.width).step_by(wide) {
            let columns = wide.min(self.width - column);
            let b = &panels[column * self.depth..][..wide * self.depth];
            for row in (0..rows).step_by(M) {
                let own = M.min(rows - row);
                let a = &a[row * self.depth..][..M * self.depth];
                let place = (first + row) * n + self.column + column;
                // SAFETY: the tile is within the rows and columns of the block, or in a room of its own.
                unsafe {
                    let to = out.at(place as isize);
                    if own == M && columns == wide {
                        tile::<T, T::Narrow>(a, b, to, n, adds);
                        continue;
                    }
                    let mut all = [T::default(); M * 16];
                    tile::<T, T::Narrow>(a, b, all.as_mut_ptr(), wide, false);
                    for (i, from) in all.chunks_exact(wide).enumerate().take(own) {
                        for (j, &sum) in from.iter().enumerate().take(columns) {
                            let to = to.add(i * n + j);
                            *to = if adds { *to + sum } else { sum };
                        }
                    }
                }
            }
        }
    }
}

/// A panel of rows times a panel of columns: written to rows that are `stride` apart, or added to what is there.
///
/// # Safety
/// There must be [`M`] rows of two vectors, and the machine must have the instruction set.
#[inline(always)]
// SAFETY: only `rows_times_panels` calls it, with whole tiles and panels of as many summands.
unsafe fn tile<T: Numbers, V: Lanes<T>>(a: &[T], b: &[T], to: *mut T, stride: usize, adds: bool) {
    // SAFETY: promised by the caller; both panels have as many summands, and what is asked for early may be anywhere.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for i in 0..M {
            _mm_prefetch::<_MM_HINT_T0>(to.wrapping_add(i * stride).cast());
            _mm_prefetch::<_MM_HINT_T0>(to.wrapping_add(i * stride + 2 * V::N - 1).cast());
        }
        let mut sums = [[V::splat(T::default()); 2]; M];
        for (a, b) in a.chunks_exact(M).zip(b.chunks_exact(2 * V::N)) {
            let columns = [V::load(b.as_ptr()), V::load(b.as_ptr().add(V::N))];
            for i in 0..M {
                let x = V::splat(a[i]);
                sums[i] = std::array::from_fn(|w| sums[i][w].fused(x, columns[w]));
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            put(sums, to.add(i * stride), adds);
        }
    }
}
