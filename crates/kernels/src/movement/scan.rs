//! Running sums and the like.

use crate::pool;

/// How a scan runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scan {
    /// Each result leaves its own element out.
    pub exclusive: bool,
    /// From the last element to the first.
    pub reverse: bool,
}

/// Accumulates along the middle of `[outer, n, inner]`, beginning with `identity`.
pub fn cumulate<T: Copy + Send + Sync>(
    x: &[T],
    n: usize,
    inner: usize,
    how: Scan,
    identity: T,
    combine: impl Fn(T, T) -> T + Sync,
    out: &mut [T],
) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    let slab = n * inner;
    if out.is_empty() {
        return;
    }
    pool::par_rows_mut(out, slab, slab as f64, |first, out| {
        for (o, out) in out.chunks_exact_mut(slab).enumerate() {
            scan_slab(
                &x[(first + o) * slab..][..slab],
                inner,
                how,
                identity,
                &combine,
                out,
            );
        }
    });
}

fn scan_slab<T: Copy>(
    x: &[T],
    inner: usize,
    how: Scan,
    identity: T,
    combine: impl Fn(T, T) -> T,
    out: &mut [T],
) {
    let n = x.len() / inner;
    let mut acc = vec![identity; inner];
    for step in 0..n {
        let at = inner * if how.reverse { n - 1 - step } else { step };
        for ((a, &v), o) in acc
            .iter_mut()
            .zip(&x[at..at + inner])
            .zip(&mut out[at..at + inner])
        {
            let next = combine(*a, v);
            *o = if how.exclusive { *a } else { next };
            *a = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_run_both_ways() {
        let x = [1, 2, 3, 4, 5, 6];
        let run = |n, inner, exclusive, reverse| {
            let mut out = [0; 6];
            cumulate(
                &x,
                n,
                inner,
                Scan { exclusive, reverse },
                0,
                |a, b| a + b,
                &mut out,
            );
            out
        };
        assert_eq!(run(6, 1, false, false), [1, 3, 6, 10, 15, 21]);
        assert_eq!(run(6, 1, true, false), [0, 1, 3, 6, 10, 15]);
        assert_eq!(run(3, 1, false, true), [6, 5, 3, 15, 11, 6]);
        assert_eq!(run(3, 2, true, true), [8, 10, 5, 6, 0, 0]);
    }
}
