//! Products of matrices that are in the nearer caches: a tile of the result stays in registers while the summed
//! dimension passes by, and both operands are read in place. Only columns that are strided badly are laid out before,
//! a strip at a time. What is laid out whole before large products costs small ones more than it gains.

use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::mem::MaybeUninit;
use std::ops::Range;

use super::Matrix;
use super::element::Product;
use super::packed::AnyBits;
use super::sums::Sums;
use super::tile::{Lying, Rows, Tiles};
use crate::isa::{Level, level};
use crate::movement::square;
use crate::pool::{self, Base};
use crate::stop;
use crate::tiles::lanes::Lanes;

/// Numbers of one dtype, and the vectors that hold them.
pub(super) trait Numbers:
    AnyBits + Default + std::ops::Add<Output = Self> + Send + Sync + 'static
{
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

/// Multiply-adds up to which operands are read in place.
const MOST: usize = 1 << 25;

/// Multiply-adds from which on threads share a product, each strips of its own.
const SHARED: usize = 1 << 19;

/// Of fewer rows each column is read too few times, unless all columns fit a near cache.
const FEW_ROWS: usize = 4;

/// Elements that fit a near cache.
const NEAR: usize = 1 << 16;

/// Summands that pass by before the sums are written.
const DEPTH: usize = 256;

/// Bytes of a strip that is laid out.
const STRIP_BYTES: usize = DEPTH * 128;

/// A strip is laid out for more rows than these, where its own rows are apart.
const ROWS_TO_LAY_OUT: usize = 32;

/// Nanoseconds of a summand in a strip, roughly.
const SUMMAND_NS: f64 = 0.4;

/// Nanoseconds that a block of a product should take.
const BLOCK_NS: f64 = 20_000.0;

/// Whether this is the way to a product, whose strips are as wide as said: where all of `b` that is read at once, or that
/// would be laid out first, is much beside what is computed with it. It does not depend on threads, as sums may.
fn is_for<T: Numbers>(p: &Product<T>, width: usize) -> bool {
    let multiplies = p.m.saturating_mul(p.n).saturating_mul(p.k);
    let few = p.m < FEW_ROWS && p.k.saturating_mul(p.n) > NEAR;
    let thin = p.m < 2 || p.k < FEW_ROWS || p.n * size_of::<T>() < 32;
    let shared = multiplies >= SHARED && p.a.col_stride == 1;
    let gains = p.b.col_stride != 1 || p.n <= width || p.m < FEW_ROWS || shared;
    multiplies <= MOST && gains && !few && !thin
}

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<T: Numbers>(p: &Product<T>, out: &mut [T]) -> bool {
    let width = match level() {
        Level::Avx512 => 2 * T::Wide::N,
        Level::Avx2 => 2 * T::Narrow::N,
        Level::Baseline => return false,
    };
    if !is_for(p, width) {
        return false;
    }
    let summands = (p.m * p.k) as f64 * SUMMAND_NS;
    let blocks = ((summands / BLOCK_NS) as usize).max(1);
    let height = p.m.div_ceil(blocks);
    let blocks = p.m.div_ceil(height);
    let n = blocks * p.n.div_ceil(width);
    let base = Base::of(out);
    let block = |i: usize| {
        let (first, from) = (i % blocks * height, i / blocks * width);
        let rows = first..(first + height).min(p.m);
        let columns = from..(from + width).min(p.n);
        // SAFETY: blocks of different numbers do not overlap; the operands were checked to be within their slices.
        unsafe { strip_of(p, rows, columns, &base) };
    };
    if p.spread && n > 1 {
        pool::par_chunks(n, summands / blocks as f64, |all| all.for_each(block));
    } else {
        for i in 0..n {
            block(i);
            stop::poll_cancellation();
        }
    }
    true
}

/// Some rows of some columns of the product, at most as many as two vectors hold.
///
/// # Safety
/// The operands must be within their slices, and nobody else may use these rows and columns of the result.
unsafe fn strip_of<T: Numbers>(
    p: &Product<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &Base<T>,
) {
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    // SAFETY: called below alone, where `level` says that the machine has the features.
    unsafe fn wide<T: Numbers>(p: &Product<T>, r: Range<usize>, c: Range<usize>, out: &Base<T>) {
        // SAFETY: promised by the caller.
        unsafe { strip::<T, T::Wide, 12>(p, r, c, out) }
    }
    #[target_feature(enable = "avx2,fma")]
    // SAFETY: as for `wide`.
    unsafe fn narrow<T: Numbers>(p: &Product<T>, r: Range<usize>, c: Range<usize>, out: &Base<T>) {
        // SAFETY: promised by the caller.
        unsafe { strip::<T, T::Narrow, 6>(p, r, c, out) }
    }
    // SAFETY: `level` reports these only where the machine has the features; the rest is promised by the caller.
    unsafe {
        match level() {
            Level::Avx512 => wide(p, rows, columns, out),
            _ => narrow(p, rows, columns, out),
        }
    }
}

/// Columns as rows of whole vectors.
#[repr(align(64))]
struct Strip([MaybeUninit<u8>; STRIP_BYTES]);

/// # Safety
/// As for [`strip_of`], and the machine must have the instruction set.
#[inline(always)]
// SAFETY: only `wide` and `narrow` call it, which enable the instruction set, with what `strip_of` was promised.
unsafe fn strip<T: Numbers, V: Lanes<T>, const M: usize>(
    p: &Product<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &Base<T>,
) {
    let mut room = Strip([MaybeUninit::uninit(); STRIP_BYTES]);
    let vectors = columns.len().div_ceil(V::N);
    let width = vectors * V::N;
    let far = p.b.row_stride > 2 * width && rows.len() > ROWS_TO_LAY_OUT;
    for from in (0..p.k).step_by(DEPTH) {
        let depth = DEPTH.min(p.k - from);
        // SAFETY: the strip and what is read of it are within the operand, and in the room, which has place for them.
        let b = unsafe {
            let first = p.b.data.as_ptr();
            let first = first.add(from * p.b.row_stride + columns.start * p.b.col_stride);
            let stride = p.b.row_stride;
            match p.b.col_stride == 1 && width == columns.len() && !far {
                true => Lying { first, stride },
                false => {
                    let room = room.0.as_mut_ptr().cast::<T>();
                    lay_out(&p.b, first, depth, columns.len(), room, width);
                    Lying {
                        first: room.cast_const(),
                        stride: width,
                    }
                }
            }
        };
        let tiles = Tiles {
            a: Rows {
                // SAFETY: the summands are within the operand.
                first: unsafe {
                    let first = p.a.data.as_ptr();
                    first.add(rows.start * p.a.row_stride + from * p.a.col_stride)
                },
                down: p.a.row_stride,
                right: p.a.col_stride,
                depth,
                behind: 0,
            },
            b,
            summands: depth,
            rows: rows.clone(),
            columns: columns.clone(),
            n: p.n,
            adds: p.accumulate || from > 0,
        };
        // SAFETY: promised by the caller; the strip has the vectors.
        unsafe {
            match vectors {
                2 => tiles.all::<T, V, M, 2, 0>(out),
                _ => tiles.all::<T, V, M, 1, 0>(out),
            }
        }
    }
}

/// Lays a strip out, the columns that it lacks as zeros.
///
/// # Safety
/// `depth` rows and `columns` columns of the operand are from `first` on; the room is for as many rows of `width`.
#[inline(always)]
// SAFETY: `strip` and large products call it, with rows and columns of their own and room for as many rows.
pub(super) unsafe fn lay_out<T: Numbers>(
    b: &Matrix<T>,
    first: *const T,
    depth: usize,
    columns: usize,
    room: *mut T,
    width: usize,
) {
    let (down, right) = (b.row_stride, b.col_stride);
    let mut done = 0;
    // SAFETY: promised by the caller.
    unsafe {
        if let Some(turn) = square::transpose::<T>(false)
            && down == 1
            && columns.is_multiple_of(square::SIDE)
        {
            while done + square::SIDE <= depth {
                for c in (0..columns).step_by(square::SIDE) {
                    let (from, to) = (first.add(done + c * right), room.add(done * width + c));
                    turn(from, right as isize, to, width as isize);
                }
                done += square::SIDE;
            }
        }
        for l in done..depth {
            let (from, to) = (first.add(l * down), room.add(l * width));
            match right {
                1 => std::ptr::copy_nonoverlapping(from, to, columns),
                _ => (0..columns).for_each(|c| *to.add(c) = *from.add(c * right)),
            }
            (columns..width).for_each(|c| *to.add(c) = T::default());
        }
    }
}
