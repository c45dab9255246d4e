//! Taking and putting rows by index.

use num_traits::AsPrimitive;

use crate::pool;

/// `out[b, o, j, :] = x[b, o, indices[b, j], :]`; `x` is `[batch, outer, n, inner]`, `indices` `[batch, m]`, checked.
pub fn gather<T: Copy + Send + Sync>(
    x: &[T],
    batch: usize,
    n: usize,
    inner: usize,
    indices: &[usize],
    out: &mut [T],
) {
    if out.is_empty() || inner == 0 {
        return;
    }
    let m = indices.len() / batch;
    let outer = x.len() / (batch * n * inner);
    assert_eq!(
        out.len(),
        batch * outer * m * inner,
        "the result has a row for each index"
    );
    pool::par_rows_mut(out, inner, row_cost(inner), |first, out| {
        for (r, to) in out.chunks_exact_mut(inner).enumerate() {
            let (slab, j) = ((first + r) / m, (first + r) % m);
            let at = (slab * n + indices[slab / outer * m + j]) * inner;
            to.copy_from_slice(&x[at..at + inner]);
        }
    });
}

/// `out[i, :] = x[offsets[i]..][..inner]`, as `gather_nd` does with [`linear_indices`].
pub fn gather_rows<T: Copy + Send + Sync>(x: &[T], inner: usize, rows: &[usize], out: &mut [T]) {
    assert_eq!(
        out.len(),
        rows.len() * inner,
        "the result has a row for each index"
    );
    pool::par_rows_mut(out, inner, row_cost(inner), |first, out| {
        for (to, &row) in out.chunks_exact_mut(inner).zip(&rows[first..]) {
            to.copy_from_slice(&x[row * inner..][..inner]);
        }
    });
}

fn row_cost(inner: usize) -> f64 {
    2.0 + inner as f64 * 0.3
}

/// The row numbers of index tuples over `dims`; `Err` holds the place of the first tuple that is out of range.
pub fn linear_indices<I: AsPrimitive<i64>>(
    tuples: &[I],
    dims: &[usize],
) -> Result<Vec<usize>, usize> {
    assert!(
        !dims.is_empty() && tuples.len().is_multiple_of(dims.len()),
        "whole tuples"
    );
    let row = |tuple: &[I]| {
        tuple.iter().zip(dims).try_fold(0usize, |at, (i, &n)| {
            let i: i64 = i.as_();
            (0..n as i64).contains(&i).then(|| at * n + i as usize)
        })
    };
    tuples
        .chunks_exact(dims.len())
        .enumerate()
        .map(|(place, tuple)| row(tuple).ok_or(place))
        .collect()
}

/// `out[rows[i], :] = updates[i, :]`; later updates win.
pub fn scatter_rows_set<T: Copy + Send + Sync>(
    updates: &[T],
    inner: usize,
    rows: &[usize],
    out: &mut [T],
) {
    scatter_rows(updates, inner, rows, out, |_, new| new);
}

/// `out[rows[i], :] = combine(out[rows[i], :], updates[i, :])`, in order of `i` for each row of `out`.
pub fn scatter_rows<T: Copy + Send + Sync>(
    updates: &[T],
    inner: usize,
    rows: &[usize],
    out: &mut [T],
    combine: impl Fn(T, T) -> T + Sync,
) {
    assert_eq!(
        updates.len(),
        rows.len() * inner,
        "an update for each index"
    );
    if inner == 0 || out.is_empty() {
        return;
    }
    let n_rows = out.len() / inner;
    assert!(
        rows.iter().all(|&r| r < n_rows),
        "indices have been checked"
    );
    let work = |first: usize, out: &mut [T]| {
        let last = first + out.len() / inner;
        for (&row, update) in rows.iter().zip(updates.chunks_exact(inner)) {
            if (first..last).contains(&row) {
                let to = &mut out[(row - first) * inner..][..inner];
                to.iter_mut()
                    .zip(update)
                    .for_each(|(o, &u)| *o = combine(*o, u));
            }
        }
    };
    if !pool::worth_it(rows.len() as f64 * row_cost(inner)) || inner < 8 {
        return work(0, out);
    }
    // Each thread owns a part of the result and takes the updates that fall there, so that order is kept.
    use rayon::prelude::*;
    let share = n_rows.div_ceil(pool::n_threads());
    pool::install(|| {
        out.par_chunks_mut(share * inner)
            .enumerate()
            .for_each(|(i, out)| work(i * share, out))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathers_along_an_axis() {
        let x: Vec<i32> = (0..24).collect();
        let mut out = vec![0; 2 * 2 * 4];
        gather(&x, 1, 3, 4, &[2, 0], &mut out);
        assert_eq!(
            out,
            [8, 9, 10, 11, 0, 1, 2, 3, 20, 21, 22, 23, 12, 13, 14, 15]
        );
        let mut out = vec![0; 2 * 2];
        gather(&x[..6], 2, 3, 1, &[2, 0, 1, 1], &mut out);
        assert_eq!(out, [2, 0, 4, 4]);
    }

    #[test]
    fn tuples_become_rows() {
        assert_eq!(linear_indices(&[1i32, 2, 0, 0], &[2, 3]), Ok(vec![5, 0]));
        assert_eq!(linear_indices(&[1i64, 2, 0, 3], &[2, 3]), Err(1));
        assert_eq!(linear_indices(&[-1i64], &[2]), Err(0));
        let mut out = [0; 4];
        gather_rows(&[1, 2, 3, 4, 5, 6], 2, &[2, 0], &mut out);
        assert_eq!(out, [5, 6, 1, 2]);
    }

    #[test]
    fn scatters_in_order() {
        let (inner, n) = (32, 5000);
        let rows: Vec<usize> = (0..n).map(|i| i * 7919 % 100).collect();
        let updates: Vec<f32> = (0..n * inner).map(|i| (i % 1013) as f32 * 0.1).collect();
        let mut out = vec![0.0f32; 100 * inner];
        scatter_rows(&updates, inner, &rows, &mut out, |a, b| a + b);
        let mut want = vec![0.0f32; 100 * inner];
        for (i, &r) in rows.iter().enumerate() {
            (0..inner).for_each(|c| want[r * inner + c] += updates[i * inner + c]);
        }
        assert_eq!(out, want);
        let mut set = [0; 3];
        scatter_rows_set(&[1, 2, 3], 1, &[0, 2, 0], &mut set);
        assert_eq!(set, [3, 0, 2]);
    }
}
