//! Products of floats of 16 bits, in `f32`: a thread widens some rows of `a`, and tiles read `b` as it is stored and
//! write the result, rounded once. The summed dimension is never split, so that cuts do not show in the sums.

use std::arch::x86_64::{__m256, __m512};
use std::ops::Range;

use super::direct::lay_out;
use super::element::Product;
use super::tile::{Lying, Rows, Tiles};
use super::{Matrix, vector};
use crate::halves::Half;
use crate::isa::{Level, level};
use crate::pool::{self, Base};
use crate::scratch::{Floats, floats, vec_for};
use crate::stop;
use crate::tiles::lanes::Lanes;
use crate::tiles::stored::{Holds, HoldsSome};

/// Numbers of rows that are widened at a time, about: where rows are short, a first cache's.
const NEAR: usize = 1 << 14;

/// Rows are cut at multiples of this.
const TILE: usize = 4;

/// Rows are not shared among threads where these had fewer then, but columns: each strip is read anew for them.
const FEW_ROWS: usize = 72;

/// A strip is gathered where there are more summands than these, whose numbers are so far apart that caches hold few.
const NEAR_DEPTH: usize = 512;
const FAR: usize = 256;

/// Numbers of a row that are contiguous once they are widened, and how far they are from those of the next row: rows
/// that are a power of two apart share few places of a cache.
const DEPTH: usize = 256;
const APART: usize = DEPTH + 16;

/// Makes the product where this is the way to; says whether it was.
pub(super) fn product<H: Half>(p: &Product<H>, out: &mut [H]) -> bool
where
    __m512: HoldsSome<f32, H>,
    __m256: HoldsSome<f32, H>,
{
    let wide = match level() {
        Level::Avx512 => 32,
        Level::Avx2 => 16,
        Level::Baseline => return false,
    };
    if vector::product_of_halves(p, out) {
        return true;
    }
    let threads = if p.spread { pool::n_threads() } else { 1 };
    let strips = p.n.div_ceil(wide);
    let most = (NEAR / p.k / TILE * TILE).max(2 * FEW_ROWS);
    let least = p.m.div_ceil(most);
    let blocks = least
        .next_multiple_of(threads)
        .min(p.m.div_ceil(FEW_ROWS))
        .max(least);
    let rows = p.m.div_ceil(blocks).next_multiple_of(TILE);
    let blocks = p.m.div_ceil(rows);
    let bands = threads.div_ceil(blocks).min(strips);
    let base = Base::of(out);
    let part = |i: usize| {
        let (block, band) = (i / bands, i % bands);
        let rows = block * rows..((block + 1) * rows).min(p.m);
        let strips = band * strips / bands..(band + 1) * strips / bands;
        let columns = strips.start * wide..(strips.end * wide).min(p.n);
        // SAFETY: parts of different numbers do not overlap; the operands were checked to be within their slices.
        unsafe { part_of(p, rows, columns, &base) };
    };
    match blocks * bands {
        n if n > 1 && threads > 1 => pool::par_tasks(n, &part),
        n => (0..n).for_each(part),
    }
    true
}

/// Some rows of some strips of the product.
///
/// # Safety
/// The operands must be within their slices, and nobody else may use these rows and columns of the result.
unsafe fn part_of<H: Half>(p: &Product<H>, rows: Range<usize>, columns: Range<usize>, out: &Base<H>)
where
    __m512: Holds<H>,
    __m256: Holds<H>,
{
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    // SAFETY: called below alone, where `level` says that the machine has the features.
    unsafe fn wide<H: Half>(p: &Product<H>, r: Range<usize>, c: Range<usize>, out: &Base<H>)
    where
        __m512: Holds<H>,
    {
        // SAFETY: promised by the caller.
        unsafe { part::<H, __m512, 12>(p, r, c, out) }
    }
    #[target_feature(enable = "avx2,fma,f16c")]
    // SAFETY: as for `wide`.
    unsafe fn narrow<H: Half>(p: &Product<H>, r: Range<usize>, c: Range<usize>, out: &Base<H>)
    where
        __m256: Holds<H>,
    {
        // SAFETY: promised by the caller.
        unsafe { part::<H, __m256, 6>(p, r, c, out) }
    }
    // SAFETY: `product` goes on only where the machine has the features; the rest is promised by the caller.
    unsafe {
        match level() {
            Level::Avx512 => wide(p, rows, columns, out),
            _ => narrow(p, rows, columns, out),
        }
    }
}

/// # Safety
/// As for [`part_of`], and the machine must have the instruction set.
#[inline(always)]
// SAFETY: only `wide` and `narrow` call it, which enable the instruction set, with what `part_of` was promised.
unsafe fn part<H: Half, V: Lanes<f32> + Holds<H>, const M: usize>(
    p: &Product<H>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &Base<H>,
) {
    let a = Widened::of(&p.a, rows.start, rows.len(), p.k);
    for from in columns.clone().step_by(2 * V::N) {
        stop::poll_cancellation();
        let columns = from..columns.end.min(from + 2 * V::N);
        let (b, width) = (&p.b, columns.len().next_multiple_of(V::N));
        let far = p.k > NEAR_DEPTH && b.row_stride > FAR && rows.len() > FEW_ROWS / 2;
        // SAFETY: promised by the caller; the strip has whole vectors of the columns.
        unsafe {
            if b.col_stride != 1 {
                let all = turned(p, columns.clone(), width);
                let b = Lying {
                    first: all.as_ptr(),
                    stride: width,
                };
                strip::<H, f32, V, M>(p, &a, b, rows.clone(), columns, out);
            } else if far || width > columns.len() {
                let all = gathered(p, columns.clone(), width);
                let b = Lying {
                    first: all.as_ptr(),
                    stride: width,
                };
                strip::<H, H, V, M>(p, &a, b, rows.clone(), columns, out);
            } else {
                let b = Lying {
                    first: b.data.as_ptr().add(from),
                    stride: b.row_stride,
                };
                strip::<H, H, V, M>(p, &a, b, rows.clone(), columns, out);
            }
        }
    }
}

/// Some rows times a strip.
///
/// # Safety
/// As for [`part`], and the strip must have whole vectors of its columns.
#[inline(always)]
// SAFETY: only `part` calls it, with rows and columns of its own.
unsafe fn strip<H: Half, S: Copy, V: Lanes<f32> + Holds<H> + Holds<S>, const M: usize>(
    p: &Product<H>,
    a: &Widened,
    b: Lying<S>,
    rows: Range<usize>,
    columns: Range<usize>,
    out: &Base<H>,
) {
    let is_wide = columns.len() > V::N;
    let tiles = Tiles {
        a: a.rows,
        b,
        summands: p.k,
        rows,
        columns,
        n: p.n,
        adds: p.accumulate,
    };
    // SAFETY: promised by the caller.
    unsafe {
        match (a.rows.down, is_wide) {
            (1, true) => tiles.all::<H, V, M, 2, 1>(out),
            (1, false) => tiles.all::<H, V, M, 1, 1>(out),
            (_, true) => tiles.all::<H, V, M, 2, APART>(out),
            (_, false) => tiles.all::<H, V, M, 1, APART>(out),
        }
    }
}

/// Rows of a matrix, widened.
struct Widened {
    numbers: Floats,
    rows: Rows<f32>,
}

impl Widened {
    /// So many from `first` on.
    fn of<H: Half>(of: &Matrix<H>, first: usize, rows: usize, columns: usize) -> Widened {
        let from = &of.data[first * of.row_stride..];
        if of.row_stride == 1 && of.col_stride >= rows && of.col_stride > 1 {
            let mut numbers = floats(columns * rows);
            H::widen_rows((from, of.col_stride), rows, (&mut numbers, rows));
            let rows = Rows {
                first: numbers.as_ptr(),
                down: 1,
                right: rows,
                depth: columns,
                behind: 0,
            };
            return Widened { numbers, rows };
        }
        let behind = rows * APART;
        let mut numbers = floats(columns.div_ceil(DEPTH) * behind);
        let blocks = numbers
            .chunks_exact_mut(behind)
            .zip((0..columns).step_by(DEPTH));
        for (to, begin) in blocks {
            let width = DEPTH.min(columns - begin);
            if of.col_stride == 1 && (of.row_stride >= columns || rows == 1) {
                let stride = of.row_stride.max(columns);
                H::widen_rows((&from[begin..], stride), width, (to, APART));
                continue;
            }
            for (i, to) in to.chunks_exact_mut(APART).enumerate() {
                let at = |j: usize| i * of.row_stride + (begin + j) * of.col_stride;
                (0..width).for_each(|j| to[j] = from[at(j)].widen1());
            }
        }
        let rows = Rows {
            first: numbers.as_ptr(),
            down: APART,
            right: 1,
            depth: DEPTH,
            behind,
        };
        Widened { numbers, rows }
    }
}

/// Columns of `b`, whose rows are contiguous, as rows of `width`, those that lack zeros.
fn gathered<H: Half>(p: &Product<H>, columns: Range<usize>, width: usize) -> Vec<H> {
    let mut all = vec_for(p.k * width);
    for row in p.b.data[columns.start..]
        .chunks(p.b.row_stride.max(columns.len()))
        .take(p.k)
    {
        all.extend_from_slice(&row[..columns.len()]);
        all.resize(all.len() + width - columns.len(), H::default());
    }
    all
}

/// Columns of `b`, whose columns are contiguous, as rows of `width`, those that lack zeros.
fn turned<H: Half>(p: &Product<H>, columns: Range<usize>, width: usize) -> Floats {
    let mut room = floats(p.k * width);
    let own = Widened::of(&p.b.t(), columns.start, columns.len(), p.k);
    let blocks = own
        .numbers
        .chunks(own.rows.behind)
        .zip((0..p.k).step_by(own.rows.depth));
    for (block, from) in blocks {
        let depth = own.rows.depth.min(p.k - from);
        let b = Matrix {
            data: block,
            row_stride: own.rows.right,
            col_stride: own.rows.down,
            conj: false,
        };
        let room = &mut room[from * width..][..depth * width];
        // SAFETY: the block has as many rows as there are columns, of so many numbers; the room is for all.
        unsafe {
            lay_out(
                &b,
                block.as_ptr(),
                depth,
                columns.len(),
                room.as_mut_ptr(),
                width,
            )
        };
    }
    room
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[target_feature(enable = "avx2,fma,f16c")]
    // SAFETY: called where the machine has the features.
    unsafe fn by_narrow_vectors(p: &Product<f16>, out: &mut [f16]) {
        let (rows, columns) = (0..p.m, 0..p.n);
        // SAFETY: the operands are within their slices, and nobody else has the result.
        unsafe { part::<f16, __m256, 6>(p, rows, columns, &Base::of(out)) }
    }

    #[test]
    fn narrow_vectors_give_what_wide_ones_do() {
        if level() == Level::Baseline {
            return;
        }
        for (m, k, n) in [(13, 300, 40), (100, 700, 300), (7, 5, 3), (24, 64, 16)] {
            let of = |n: usize, step: usize| -> Vec<f16> {
                (0..n)
                    .map(|i| f16::from_f32((i * step % 17) as f32 - 8.0))
                    .collect()
            };
            let (a, b) = (of(m * k, 7), of(k * n, 5));
            let rows = [Matrix::row_major(&a, k), Matrix::row_major(&a, m).t()];
            let columns = [Matrix::row_major(&b, n), Matrix::row_major(&b, k).t()];
            for (a, b) in rows
                .iter()
                .flat_map(|a| columns.iter().map(move |b| (*a, *b)))
            {
                let p = Product {
                    m,
                    k,
                    n,
                    a,
                    b,
                    accumulate: false,
                    spread: false,
                };
                let (mut narrow, mut given) = (of(m * n, 1), of(m * n, 2));
                // SAFETY: the machine has the features.
                unsafe { by_narrow_vectors(&p, &mut narrow) };
                assert!(product(&p, &mut given));
                assert!(narrow == given, "{m} {k} {n}");
            }
        }
    }
}
