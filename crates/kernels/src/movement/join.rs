//! Concatenation and the small fills.

use crate::pool;

/// Joins arrays along an axis: each is `[outer, own, inner]`, of which `sizes` holds `own * inner`.
pub fn concat<T: Copy + Send + Sync>(pieces: &[&[T]], sizes: &[usize], out: &mut [T]) {
    let row: usize = sizes.iter().sum();
    if out.is_empty() {
        return;
    }
    assert!(
        pieces
            .iter()
            .zip(sizes)
            .all(|(p, s)| p.len() == out.len() / row * s),
        "pieces fill the result"
    );
    pool::par_rows_mut(out, row, 5.0 + row as f64 * 0.3, |first, out| {
        for (r, mut to) in out.chunks_exact_mut(row).enumerate() {
            for (piece, &size) in pieces.iter().zip(sizes) {
                let (here, rest) = to.split_at_mut(size);
                here.copy_from_slice(&piece[(first + r) * size..][..size]);
                to = rest;
            }
        }
    });
}

/// `out[o, d, i] = if indices[o, i] == d { on } else { off }`, with `out` of `[outer, depth, inner]`.
pub fn one_hot<T: Copy>(indices: &[i64], depth: usize, inner: usize, on: T, off: T, out: &mut [T]) {
    assert_eq!(
        out.len(),
        indices.len() * depth,
        "the result has a place for each index and depth"
    );
    out.fill(off);
    for (i, &d) in indices.iter().enumerate() {
        if (0..depth as i64).contains(&d) {
            out[(i / inner * depth + d as usize) * inner + i % inner] = on;
        }
    }
}

/// Keeps the diagonal, `lower` diagonals below it and `upper` above (negative: all) of each matrix; zero elsewhere.
pub fn band_part<T: Copy>(
    x: &[T],
    rows: usize,
    cols: usize,
    lower: i64,
    upper: i64,
    zero: T,
    out: &mut [T],
) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    if cols == 0 {
        return;
    }
    for (r, (from, to)) in x
        .chunks_exact(cols)
        .zip(out.chunks_exact_mut(cols))
        .enumerate()
    {
        let r = (r % rows) as i64;
        let clamp = |c: i64| c.clamp(0, cols as i64) as usize;
        let low = if lower < 0 {
            0
        } else {
            clamp(r.saturating_sub(lower))
        };
        let high = if upper < 0 {
            cols
        } else {
            clamp(r.saturating_add(upper).saturating_add(1))
        };
        to.fill(zero);
        if low < high {
            to[low..high].copy_from_slice(&from[low..high]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_alternate_by_row() {
        let mut out = [0; 8];
        concat(&[&[1, 2, 3, 4, 5, 6], &[], &[7, 8]], &[3, 0, 1], &mut out);
        assert_eq!(out, [1, 2, 3, 7, 4, 5, 6, 8]);
    }

    #[test]
    fn one_hot_leaves_bad_indices_off() {
        let mut out = [9; 6];
        one_hot(&[1, -1, 2], 2, 1, 1, 0, &mut out);
        assert_eq!(out, [0, 1, 0, 0, 0, 0]);
        one_hot(&[1, 0, 2], 2, 3, 1, 0, &mut out);
        assert_eq!(out, [0, 1, 0, 1, 0, 0]);
    }

    #[test]
    fn bands() {
        let mut out = [0; 9];
        band_part(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 3, 0, -1, 0, &mut out);
        assert_eq!(out, [1, 2, 3, 0, 5, 6, 0, 0, 9]);
        band_part(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 3, 1, 0, 0, &mut out);
        assert_eq!(out, [1, 0, 0, 4, 5, 0, 0, 8, 9]);
    }
}
