//! Taking slices and rows by index.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Indices, Rows};
use crate::pool;

/// Indices that are looked at before what they name is copied.
const AT_ONCE: usize = 128;

/// A gather from `[batch, outer, n, inner]` at `[batch, k]` to `[batch, outer, k, inner]`.
#[derive(Debug, Clone, Copy)]
pub struct Gather {
    /// Leading axes of elements and indices that go together.
    pub batch: usize,
    /// Axes between those and the one that is indexed.
    pub outer: usize,
    /// The length of the axis that is indexed.
    pub n: usize,
    /// Elements of a slice.
    pub inner: usize,
    /// Indices in a batch.
    pub k: usize,
}

/// The first of the places that threads report, in any order, as wrong.
struct FirstWrong(AtomicUsize);

impl FirstWrong {
    fn none() -> FirstWrong {
        FirstWrong(AtomicUsize::new(usize::MAX))
    }

    #[cold]
    fn report(&self, place: usize) {
        self.0.fetch_min(place, Ordering::Relaxed);
    }

    fn result(self) -> Result<(), usize> {
        match self.0.into_inner() {
            usize::MAX => Ok(()),
            place => Err(place),
        }
    }
}

impl Gather {
    /// Gathers; `Err` holds the place of the first index that is out of range.
    pub fn run<T: Clone + Send + Sync>(
        &self,
        x: &[T],
        indices: Indices<'_>,
        out: &mut [T],
    ) -> Result<(), usize> {
        if out.is_empty() {
            let wrong = |i: &i64| !(0..self.n as i64).contains(i);
            return indices.iter().position(|i| wrong(&i)).map_or(Ok(()), Err);
        }
        let wrong = FirstWrong::none();
        pool::par_rows_mut(out, self.inner, row_cost::<T>(self.inner), |first, out| {
            let mut rows = out.chunks_exact_mut(self.inner);
            let (mut slab, mut j) = (first / self.k, first % self.k);
            while rows.len() > 0 {
                let from = &x[slab * self.n * self.inner..][..self.n * self.inner];
                let start = slab / self.outer * self.k;
                let places = start + j..start + self.k;
                if let Err(place) = take(from, self.inner, indices, places, &mut rows) {
                    return wrong.report(place);
                }
                (slab, j) = (slab + 1, 0);
            }
        });
        wrong.result()
    }
}

/// Fills rows with the slices of `x` at these indices, until either runs out.
fn take<T: Clone>(
    x: &[T],
    inner: usize,
    indices: Indices<'_>,
    places: std::ops::Range<usize>,
    rows: &mut std::slice::ChunksExactMut<'_, T>,
) -> Result<(), usize> {
    let n = x.len() / inner;
    let mut found = [0; AT_ONCE];
    let end = places.end.min(places.start + rows.len());
    for first in (places.start..end).step_by(AT_ONCE) {
        let found = &mut found[..AT_ONCE.min(end - first)];
        indices.places(first, found);
        if found.iter().fold(false, |any, &i| any | (i >= n))
            && let Some(at) = found.iter().position(|&i| i >= n)
        {
            return Err(first + at);
        }
        copy_rows(x, inner, found, rows);
    }
    Ok(())
}

/// Copies the slices of `x` at these places, which it has, to as many rows.
#[inline(always)]
fn copy_rows<T: Clone>(
    x: &[T],
    inner: usize,
    places: &[usize],
    rows: &mut std::slice::ChunksExactMut<'_, T>,
) {
    let both = || places.iter().zip(rows);
    match inner {
        1 => both().for_each(|(&i, row)| row[0].clone_from(&x[i])),
        4 => both().for_each(|(&i, row)| copy_few::<T, 4>(&x[4 * i..], row)),
        8 => both().for_each(|(&i, row)| copy_few::<T, 8>(&x[8 * i..], row)),
        16 => both().for_each(|(&i, row)| copy_few::<T, 16>(&x[16 * i..], row)),
        32 => both().for_each(|(&i, row)| copy_few::<T, 32>(&x[32 * i..], row)),
        n => both().for_each(|(&i, row)| copy_row(&x[i * n..(i + 1) * n], row)),
    }
}

/// Copies so many elements, which are there and have room.
#[inline(always)]
fn copy_few<T: Clone, const N: usize>(from: &[T], to: &mut [T]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        to.clone_from_slice(from);
    }
}

#[inline(always)]
fn copy_row<T: Clone>(from: &[T], to: &mut [T]) {
    match (from, to) {
        ([x], [y]) => *y = x.clone(),
        (from, to) => to.clone_from_slice(from),
    }
}

/// `out[i, :] = x[rows[i], :]`; `Err` holds the first tuple that names no row.
pub fn gather_rows<T: Clone + Send + Sync>(
    x: &[T],
    inner: usize,
    rows: Rows<'_>,
    out: &mut [T],
) -> Result<(), usize> {
    assert_eq!(out.len(), rows.count() * inner, "a row for each tuple");
    if inner == 0 {
        return rows.check();
    }
    let wrong = FirstWrong::none();
    pool::par_rows_mut(out, inner, row_cost::<T>(inner), |first, out| {
        for (i, to) in (first..).zip(out.chunks_exact_mut(inner)) {
            match rows.get(i) {
                Some(row) => copy_row(&x[row * inner..(row + 1) * inner], to),
                None => return wrong.report(i),
            }
        }
    });
    wrong.result()
}

/// What moving a row costs.
pub(super) fn row_cost<T>(inner: usize) -> f64 {
    3.0 + (inner * size_of::<T>()) as f64 * 0.08
}
