//! Putting rows by index.

use super::gather::row_cost;
use crate::scratch::vec_of;
use crate::{pool, stop};

/// Shorter rows are put on one thread: finding them costs as much as putting them.
const SHORTEST_SHARED: usize = 8;

/// Rows that are put at a stretch.
const BLOCK: usize = 1024;

/// Places of which each thread has its own.
const MOST_PLACES: usize = 1 << 14;

/// Puts rows of updates, of that many elements, to rows of the result; those that it has not are left out. Arguments are
/// the result, the elements of a row, which rows, the updates.
pub type Put<T> = fn(&mut [T], usize, &[usize], &[T]);

/// A [`Put`] that combines each element with what is there.
#[inline(always)]
pub fn merge_rows<T: Copy>(
    out: &mut [T],
    inner: usize,
    rows: &[usize],
    updates: &[T],
    merge: impl Fn(T, T) -> T,
) {
    if inner == 1 {
        return merge_elements(out, rows, updates, merge);
    }
    let n = out.len() / inner;
    for (&row, update) in rows.iter().zip(updates.chunks_exact(inner)) {
        if row < n {
            let both = out[row * inner..][..inner].iter_mut().zip(update);
            both.for_each(|(to, &x)| *to = merge(*to, x));
        }
    }
}

/// [`merge_rows`] of one element each. What one place gets in a row is combined before it is written.
#[inline(always)]
fn merge_elements<T: Copy>(
    out: &mut [T],
    places: &[usize],
    updates: &[T],
    merge: impl Fn(T, T) -> T,
) {
    let n = places.len().min(updates.len());
    let mut i = 0;
    while i < n {
        let place = places[i];
        let Some(to) = out.get_mut(place) else {
            i += 1;
            continue;
        };
        let mut all = merge(*to, updates[i]);
        i += 1;
        while i < n && places[i] == place {
            all = merge(all, updates[i]);
            i += 1;
        }
        *to = all;
    }
}

/// A [`Put`] that replaces what is there.
pub fn put_rows<T: Clone>(out: &mut [T], inner: usize, rows: &[usize], updates: &[T]) {
    if inner == 1 {
        for (&place, x) in rows.iter().zip(updates) {
            if let Some(to) = out.get_mut(place) {
                to.clone_from(x);
            }
        }
        return;
    }
    let n = out.len() / inner;
    for (&row, update) in rows.iter().zip(updates.chunks_exact(inner)) {
        if row < n {
            out[row * inner..][..inner].clone_from_slice(update);
        }
    }
}

/// Puts each row of `inner` elements of `updates` to a row of `out`, in order of the updates for each row of `out`. Which ones,
/// `rows` writes for the updates from a number on; those beyond all rows are left out.
pub fn scatter_rows<T: Send + Sync>(
    updates: &[T],
    inner: usize,
    rows: &(dyn Fn(usize, &mut [usize]) + Sync),
    out: &mut [T],
    put: Put<T>,
) {
    if inner == 0 || out.is_empty() {
        return;
    }
    let work = |first: usize, out: &mut [T]| {
        let mut places = [0; BLOCK];
        for (b, block) in updates.chunks(inner * BLOCK).enumerate() {
            let places = &mut places[..block.len() / inner];
            rows(b * BLOCK, places);
            // Rows before the first one wrap to places beyond all.
            places
                .iter_mut()
                .for_each(|row| *row = row.wrapping_sub(first));
            put(out, inner, places, block);
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

/// As [`scatter_rows`] of single elements, where no order of the updates changes the result, which already holds what
/// `put` starts from: threads that share many updates of few places start from `start` in places of their own.
pub fn scatter_in_any_order<T: Copy + Send + Sync>(
    updates: &[T],
    rows: &(dyn Fn(usize, &mut [usize]) + Sync),
    out: &mut [T],
    put: Put<T>,
    start: T,
) {
    let parts = pool::n_threads();
    let shared = pool::worth_it(updates.len() as f64 * row_cost::<T>(1));
    if !shared || out.len() > MOST_PLACES || out.len() * parts > updates.len() {
        return scatter_rows(updates, 1, rows, out, put);
    }
    let n = out.len();
    let share = updates.len().div_ceil(parts).next_multiple_of(BLOCK);
    let mut own = vec_of(start, n * parts);
    pool::par_pieces_mut(&mut own, n, |part, own| {
        let first = (part * share).min(updates.len());
        let updates = &updates[first..(first + share).min(updates.len())];
        let rows = |at: usize, to: &mut [usize]| rows(first + at, to);
        scatter_rows(updates, 1, &rows, own, put);
    });
    own.chunks_exact(n).for_each(|own| put(out, n, &[0], own));
}
