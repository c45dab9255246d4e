//! Columns of rows in pieces times a matrix: sums over the rows.

use std::ops::Range;

use super::Pieces;
use super::lanes::{for_lanes, put};
use super::stored::Vectors;
use crate::matmul::Matrix;
use crate::scratch::floats;

/// Numbers of the widest vectors.
const WIDEST: usize = 16;

/// Rows that are summed before the next tile: what of the matrix stays in the first cache.
const BLOCK: usize = 96;

/// For each of those columns of `a`, adds the products of its numbers and the rows of `b`, of `n` numbers: column
/// `columns.start + i` to the `n` numbers from `out[i * stride]` on.
pub fn multiply_transposed(
    a: &Pieces<'_>,
    columns: Range<usize>,
    (b, n): (Matrix<'_, f32>, usize),
    out: &mut [f32],
    stride: usize,
) {
    a.check();
    b.check(a.origins.len(), n);
    assert!(
        columns.end <= a.width() && b.col_stride == 1,
        "columns are those of the pieces"
    );
    if columns.is_empty() || n == 0 {
        return;
    }
    let end = (columns.len() - 1) * stride + n;
    assert!(
        end <= out.len() && n <= stride,
        "the product lies within its slice"
    );
    // Rows that are no whole vectors are laid out as such, with zeros behind them.
    let padded = n.next_multiple_of(WIDEST);
    let is_laid = padded > n;
    let mut laid = floats(if is_laid { BLOCK * padded } else { 0 });
    laid.fill(0.0);
    let mut from = 0;
    while from < a.origins.len() {
        let block = BLOCK.min(a.origins.len() - from);
        let rows = &b.data[from * b.row_stride..];
        if is_laid {
            let to = laid.chunks_exact_mut(padded).take(block);
            for (to, row) in to.zip(rows.chunks(b.row_stride)) {
                to[..n].copy_from_slice(&row[..n]);
            }
        }
        let part = Part {
            a: Pieces {
                origins: &a.origins[from..from + block],
                ..*a
            },
            b: if is_laid { &laid } else { rows },
            b_stride: if is_laid { padded } else { b.row_stride },
            n,
        };
        for_widest(&part, columns.clone(), out, stride);
        from += block;
    }
}

/// Some rows of both operands; those of `b` are whole vectors.
struct Part<'a> {
    a: Pieces<'a>,
    b: &'a [f32],
    b_stride: usize,
    n: usize,
}

for_lanes! {
    fn for_widest(p: &Part<'_>, columns: Range<usize>, out: &mut [f32], stride: usize) => panels, 8 4 4
}

#[inline(always)]
fn panels<V: Vectors, const M: usize>(
    p: &Part<'_>,
    columns: Range<usize>,
    out: &mut [f32],
    stride: usize,
) {
    // What a strip reads of the rows serves all panels.
    for first in columns.clone().step_by(M) {
        let strip = first..columns.end.min(first + M);
        let out = &mut out[(first - columns.start) * stride..];
        for from in (0..p.n).step_by(2 * V::N) {
            let width = (p.n - from).min(2 * V::N);
            let (b, to, strip) = (&p.b[from..], &mut out[from..], strip.clone());
            match width > V::N {
                true => strips::<V, M, 2>(&p.a, strip, b, p.b_stride, width, to, stride),
                false => strips::<V, M, 1>(&p.a, strip, b, p.b_stride, width, to, stride),
            }
        }
    }
}

/// Strips of `M` columns, those that follow one another in a piece first; the last strip may have fewer.
#[inline(always)]
fn strips<V: Vectors, const M: usize, const W: usize>(
    a: &Pieces<'_>,
    columns: Range<usize>,
    b: &[f32],
    b_stride: usize,
    width: usize,
    out: &mut [f32],
    stride: usize,
) {
    let mut column = columns.start;
    while column < columns.end {
        let n = M.min(columns.end - column);
        let place = |column: usize| a.runs[column / a.len] + column % a.len;
        let is_piece = n == M && column % a.len + M <= a.len;
        // SAFETY: the pieces, the matrix and the result were checked to be within their slices, and vectors of the
        // matrix are within its rows, or within copies of them.
        unsafe {
            let to = out.as_mut_ptr().add((column - columns.start) * stride);
            let (b, first) = (b.as_ptr(), place(column));
            if is_piece {
                let at = |i: usize| first + i;
                strip::<V, M, W>(a, at, n, (b, b_stride), width, to, stride);
            } else {
                // Columns that are not there are the last one again.
                let places: [usize; M] = std::array::from_fn(|i| place(column + i.min(n - 1)));
                let at = |i: usize| places[i];
                strip::<V, M, W>(a, at, n, (b, b_stride), width, to, stride);
            }
        }
        column += n;
    }
}

/// Adds a strip of the product, the first `n` of its columns; a column is `at` so far behind the origins.
///
/// # Safety
/// All must be within their slices, and the machine must have the instruction set.
#[inline(always)]
unsafe fn strip<V: Vectors, const M: usize, const W: usize>(
    a: &Pieces<'_>,
    at: impl Fn(usize) -> usize,
    n: usize,
    (mut b, b_stride): (*const f32, usize),
    width: usize,
    to: *mut f32,
    stride: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); W]; M];
        for &origin in a.origins {
            let data = a.data.as_ptr().add(origin);
            let g: [V; W] = std::array::from_fn(|w| V::load(b.add(w * V::N)));
            for (i, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*data.add(at(i)));
                (0..W).for_each(|w| sums[w] = sums[w].fused(x, g[w]));
            }
            b = b.wrapping_add(b_stride);
        }
        for (i, row) in sums.iter().enumerate().take(n) {
            let (to, mut old) = (to.add(i * stride), [0.0f32; 32]);
            std::ptr::copy_nonoverlapping(to, old.as_mut_ptr(), width);
            let one = V::splat(1.0);
            let all = std::array::from_fn::<V, W, _>(|w| {
                V::load(old.as_ptr().add(w * V::N)).fused(row[w], one)
            });
            put(&all, to, width);
        }
    }
}
