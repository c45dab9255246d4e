//! Rows of two arrays in one.

use super::Truths;
use super::gather::row_cost;
use crate::pool;

/// Rows of `inner` elements, the next one of `yes` for each truth, the next one of `no` otherwise; there are as many rows of
/// each as are taken.
pub fn merge_by<T: Clone + Send + Sync>(
    truths: &Truths<'_>,
    yes: &[T],
    no: &[T],
    inner: usize,
    out: &mut [T],
) {
    if inner == 0 {
        return;
    }
    pool::par_rows_mut(out, inner, row_cost::<T>(inner), |first, out| {
        let seen = truths.before(first);
        let mut yes = yes[seen * inner..].chunks_exact(inner);
        let mut no = no[(first - seen) * inner..].chunks_exact(inner);
        for (row, &holds) in out.chunks_exact_mut(inner).zip(&truths.all()[first..]) {
            let next = if holds { yes.next() } else { no.next() };
            if let Some(next) = next {
                row.clone_from_slice(next);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_truths_do() {
        for (n, inner) in [(0, 3), (1, 2), (5, 0), (7, 1), (40_000, 3), (9_001, 40)] {
            let holds: Vec<bool> = (0..n).map(|i| i * i % 7 < 3).collect();
            let all: Vec<u32> = (0..(n * inner) as u32).collect();
            let part = |of: bool| -> Vec<u32> {
                let rows = holds.iter().enumerate().filter(|(_, h)| **h == of);
                rows.flat_map(|(i, _)| all[i * inner..][..inner].to_vec())
                    .collect()
            };
            let mut out = vec![u32::MAX; n * inner];
            merge_by(
                &Truths::of(&holds),
                &part(true),
                &part(false),
                inner,
                &mut out,
            );
            assert_eq!(out, all, "{n} rows of {inner}");
        }
    }
}
