//! Putting rows by index.

use super::gather::row_cost;
use crate::{pool, stop};

/// Shorter rows are put on one thread: finding them costs as much as putting them.
const SHORTEST_SHARED: usize = 8;

/// Rows that are put at a stretch.
const BLOCK: usize = 4096;

/// Puts each row of `updates` to the row of `out` that `row` gives for its number, by `put` of both rows, in order of the updates
/// for each row of `out`; those for which it gives none are left out.
pub fn scatter_rows<T: Send + Sync>(
    updates: &[T],
    inner: usize,
    row: impl Fn(usize) -> Option<usize> + Sync,
    out: &mut [T],
    put: impl Fn(&mut [T], &[T]) + Sync,
) {
    if inner == 0 || out.is_empty() {
        return;
    }
    let work = |first: usize, out: &mut [T]| {
        let here = first..first + out.len() / inner;
        for (b, block) in updates.chunks(inner * BLOCK).enumerate() {
            for (i, update) in block.chunks_exact(inner).enumerate() {
                if let Some(r) = row(b * BLOCK + i).filter(|r| here.contains(r)) {
                    put(&mut out[(r - first) * inner..][..inner], update);
                }
            }
            stop::pause();
        }
    };
    let cost = (updates.len() / inner) as f64 * row_cost::<T>(inner);
    if !pool::worth_it(cost) || inner < SHORTEST_SHARED {
        return work(0, out);
    }
    // Each thread owns a part of the result and takes the updates that fall there, so that order is kept.
    let share = (out.len() / inner).div_ceil(pool::n_threads());
    pool::par_pieces_mut(out, share * inner, |i, out| work(i * share, out));
}
