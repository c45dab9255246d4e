//! Rows in pieces times a matrix.

use super::Pieces;
use super::lanes::{Lanes, for_lanes, put, widest};
use super::stored::Vectors;
use crate::halves::Short;
use crate::matmul::Matrix;
use crate::pool::par_rows_mut;
use crate::scratch::{Floats, floats};

/// Nanoseconds that a number takes to be laid out, roughly.
const COST_NS: f64 = 0.2;

/// A matrix as panels of columns, each of which is a run of rows of two vectors; the last may be one vector wide.
pub struct Panels {
    data: Floats,
    k: usize,
    n: usize,
}

impl Panels {
    /// Lays a matrix of `k` rows and `n` columns out.
    pub fn of<T: Short>(k: usize, n: usize, matrix: Matrix<T>) -> Panels {
        matrix.check(k, n);
        let (lanes, wide) = (widest(), 2 * widest());
        let mut data = floats(k * n.next_multiple_of(lanes));
        let cost = (k * wide) as f64 * COST_NS;
        par_rows_mut(&mut data, k * wide, cost, |first, panels| {
            for (i, panel) in panels.chunks_mut(k * wide).enumerate() {
                let from = (first + i) * wide;
                let columns = wide.min(n - from);
                let own = &matrix.data[from * matrix.col_stride..];
                panel_of(
                    Matrix {
                        data: own,
                        ..matrix
                    },
                    columns,
                    lanes,
                    panel,
                );
            }
        });
        Panels { data, k, n }
    }
}

/// Lays the first columns of a matrix out as rows of whole vectors.
fn panel_of<T: Short>(matrix: Matrix<T>, columns: usize, lanes: usize, panel: &mut [f32]) {
    let width = columns.next_multiple_of(lanes);
    let (down, right) = (matrix.row_stride, matrix.col_stride);
    if width > columns {
        panel.fill(0.0);
    }
    if right == 1 {
        return T::copy_rows((matrix.data, down.max(columns)), columns, (panel, width));
    }
    for (l, row) in panel.chunks_exact_mut(width).enumerate() {
        let own = matrix.data[l * down..].iter().step_by(right);
        let row = row[..columns].iter_mut().zip(own);
        row.for_each(|(to, from)| *to = from.single());
    }
}

/// Row `i` of the product is the `n` numbers from `out[i * stride]` on.
pub fn multiply<S: Short>(a: &Pieces<'_>, b: &Panels, out: &mut [S], stride: usize) {
    a.check();
    assert_eq!(a.width(), b.k, "the summed dimensions are one");
    if a.origins.is_empty() || b.n == 0 {
        return;
    }
    let end = (a.origins.len() - 1) * stride + b.n;
    assert!(
        end <= out.len() && b.n <= stride,
        "the product lies within its slice"
    );
    for_widest(a, b, out, stride);
}

for_lanes! {
    fn for_widest<S: Short>(a: &Pieces<'_>, b: &Panels, out: &mut [S], stride: usize) => panels, 14 6 4
}

#[inline(always)]
fn panels<S: Short, V: Vectors, const M: usize>(
    a: &Pieces<'_>,
    b: &Panels,
    out: &mut [S],
    stride: usize,
) {
    for from in (0..b.n).step_by(2 * V::N) {
        let columns = (b.n - from).min(2 * V::N);
        let panel = &b.data[b.k * from..];
        let out = &mut out[from..];
        match columns > V::N {
            true => rows::<S, V, M, 2>(a, panel, columns, out, stride),
            false => rows::<S, V, M, 1>(a, panel, columns, out, stride),
        }
    }
}

#[inline(always)]
fn rows<S: Short, V: Vectors, const M: usize, const W: usize>(
    a: &Pieces<'_>,
    panel: &[f32],
    columns: usize,
    out: &mut [S],
    stride: usize,
) {
    for (t, origins) in a.origins.chunks(M).enumerate() {
        // Rows that a tile lacks are copies of its last, which are not written.
        let own = std::array::from_fn(|i| origins[i.min(origins.len() - 1)]);
        // SAFETY: the pieces, the panels and the result were checked to be within their slices.
        unsafe {
            let tile = tile::<V, M, W>(a, own, panel.as_ptr());
            for (i, row) in tile.iter().enumerate().take(origins.len()) {
                put(row, out.as_mut_ptr().add((t * M + i) * stride), columns);
            }
        }
    }
}

/// The products of some rows with a panel.
///
/// # Safety
/// The rows must be within the data, the panel must have as many rows as those have numbers, and the machine must have
/// the instruction set.
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const W: usize>(
    a: &Pieces<'_>,
    origins: [usize; M],
    mut panel: *const f32,
) -> [[V; W]; M] {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); W]; M];
        for &run in a.runs {
            let at = a.data.as_ptr().add(run);
            for l in 0..a.len {
                let b: [V; W] = std::array::from_fn(|w| V::load(panel.add(w * V::N)));
                for i in 0..M {
                    let x = V::splat(*at.add(origins[i] + l));
                    for w in 0..W {
                        sums[i][w] = sums[i][w].fused(x, b[w]);
                    }
                }
                panel = panel.add(W * V::N);
            }
        }
        sums
    }
}
