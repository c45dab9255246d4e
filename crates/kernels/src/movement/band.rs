//! Bands and diagonals of matrices.

use super::View;
use crate::pool;

/// Keeps the diagonal, `lower` diagonals below it and `upper` above (negative: all) of each matrix of `[rows, cols]`;
/// `zero` elsewhere.
pub fn band_part<T: Clone + Send + Sync>(
    x: &[T],
    (rows, cols): (usize, usize),
    (lower, upper): (i64, i64),
    zero: &T,
    out: &mut [T],
) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    let inside = |c: i64| c.clamp(0, cols as i64) as usize;
    let cost = 4.0 + (cols * size_of::<T>()) as f64 * 0.08;
    pool::par_rows_mut(out, cols, cost, |first, out| {
        for (r, to) in (first..).zip(out.chunks_exact_mut(cols)) {
            let from = &x[r * cols..][..cols];
            let r = (r % rows) as i64;
            let low = if lower < 0 {
                0
            } else {
                inside(r.saturating_sub(lower))
            };
            let high = if upper < 0 {
                cols
            } else {
                inside(r.saturating_add(upper).saturating_add(1))
            };
            let high = high.max(low);
            to[..low].fill(zero.clone());
            to[low..high].clone_from_slice(&from[low..high]);
            to[high..].fill(zero.clone());
        }
    });
}

/// Diagonal `d` of matrices `[batch, rows, cols]`, above the main one where positive: a view of `[batch, length]`.
pub fn diagonal((batch, rows, cols): (usize, usize, usize), d: i64) -> View {
    let away = d.unsigned_abs() as usize;
    let (first, n) = match d {
        0.. => (away, rows.min(cols.saturating_sub(away))),
        _ => (away * cols, rows.saturating_sub(away).min(cols)),
    };
    View::of(&[batch, rows * cols]).slice(1, first, cols as isize + 1, n)
}
