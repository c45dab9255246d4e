//! One value everywhere, or almost.

use super::Indices;
use crate::pool;

/// Writes one value everywhere.
pub fn fill<T: Clone + Send + Sync>(value: &T, out: &mut [T]) {
    let cost = size_of::<T>() as f64 * 0.05;
    pool::par_chunks_mut(out, cost, |_, out| out.fill(value.clone()));
}

/// Copies all elements.
pub fn copy<T: Clone + Send + Sync>(from: &[T], out: &mut [T]) {
    assert_eq!(from.len(), out.len(), "operand and result have one length");
    let cost = size_of::<T>() as f64 * 0.08;
    pool::par_chunks_mut(out, cost, |at, out| {
        out.clone_from_slice(&from[at..][..out.len()])
    });
}

/// `out[o, d, i] = if indices[o, i] == d { on } else { off }`, with `out` of `[outer, depth, inner]`.
pub fn one_hot<T: Clone + Send + Sync>(
    indices: Indices<'_>,
    depth: usize,
    inner: usize,
    on: &T,
    off: &T,
    out: &mut [T],
) {
    assert_eq!(
        out.len(),
        indices.len() * depth,
        "a place for each index and depth"
    );
    let slab = depth * inner;
    let cost = 3.0 * inner as f64 + (slab * size_of::<T>()) as f64 * 0.05;
    pool::par_rows_mut(out, slab, cost, |first, out| {
        out.fill(off.clone());
        for (o, slab) in (first..).zip(out.chunks_exact_mut(slab)) {
            for i in 0..inner {
                let d = usize::try_from(indices.get(o * inner + i));
                if let Some(d) = d.ok().filter(|&d| d < depth) {
                    slab[d * inner + i] = on.clone();
                }
            }
        }
    });
}
