//! Places in sorted rows.

use crate::pool::{self, Base};
use crate::stop;

/// Integers that are written.
pub enum Ints<'a> {
    /// Of 32 bits.
    Narrow(&'a mut [i32]),
    /// Of 64 bits.
    Wide(&'a mut [i64]),
}

impl Ints<'_> {
    fn len(&self) -> usize {
        match self {
            Ints::Narrow(x) => x.len(),
            Ints::Wide(x) => x.len(),
        }
    }
}

/// Where integers that threads write in pieces begin.
enum Bases<'a> {
    Narrow(Base<'a, i32>),
    Wide(Base<'a, i64>),
}

impl Bases<'_> {
    /// Writes places from number `at` on.
    ///
    /// # Safety
    /// They must be within the slice, and nobody else may write there.
    unsafe fn put(&self, at: usize, places: &[usize]) {
        // SAFETY: promised by the caller.
        unsafe {
            match self {
                Bases::Narrow(out) => {
                    let both = out.piece(at, places.len()).iter_mut().zip(places);
                    both.for_each(|(to, place)| *to = *place as i32);
                }
                Bases::Wide(out) => {
                    let both = out.piece(at, places.len()).iter_mut().zip(places);
                    both.for_each(|(to, place)| *to = *place as i64);
                }
            }
        }
    }
}

/// Values that are looked for at once: their steps do not wait for one another.
const SOME: usize = 8;

/// Values between pauses.
const BLOCK: usize = 512;

/// For each row of `m` values the first places in the row of `n` sorted elements of the same number at which they could
/// stand: before those that are equal or, if `upper`, behind them.
///
/// NaN compares as no number does: below it there is nothing, and it stands behind everything if `upper`, else at 0.
#[allow(clippy::neg_cmp_op_on_partial_ord)]
pub fn search_sorted<T: PartialOrd + Copy + Sync>(
    (sorted, n): (&[T], usize),
    (values, m): (&[T], usize),
    upper: bool,
    out: Ints<'_>,
) {
    assert_eq!(values.len(), out.len(), "a place for each value");
    if values.is_empty() {
        return;
    }
    assert_eq!(
        sorted.len(),
        values.len() / m * n,
        "a row for each row of values"
    );
    let out = match out {
        Ints::Narrow(out) => Bases::Narrow(Base::of(out)),
        Ints::Wide(out) => Bases::Wide(Base::of(out)),
    };
    let cost = 2.0 + 1.5 * (n.max(1) as f64).log2();
    pool::par_chunks(values.len(), cost, |range| {
        let mut places = [0; BLOCK];
        let mut at = range.start;
        while at < range.end {
            let row = at / m;
            let end = range.end.min((row + 1) * m).min(at + BLOCK);
            let (sorted, places) = (&sorted[row * n..][..n], &mut places[..end - at]);
            match upper {
                true => find(sorted, &values[at..end], |x, v| !(v < x), places),
                false => find(sorted, &values[at..end], |x, v| x < v, places),
            }
            // SAFETY: chunks are within the output, and each has its own.
            unsafe { out.put(at, places) };
            stop::pause();
            at = end;
        }
    });
}

/// Writes for each value how many elements come before it.
fn find<T: Copy>(
    row: &[T],
    values: &[T],
    before: impl Fn(T, T) -> bool + Copy,
    places: &mut [usize],
) {
    let (some, rest) = values.as_chunks::<SOME>();
    let (to, to_rest) = places.as_chunks_mut::<SOME>();
    for (values, to) in some.iter().zip(to) {
        *to = halved(row, values, before);
    }
    for (value, to) in rest.iter().zip(to_rest) {
        [*to] = halved(row, &[*value], before);
    }
}

/// Where several values stand, by halving the row for all of them at once.
#[inline(always)]
fn halved<T: Copy, const N: usize>(
    row: &[T],
    values: &[T; N],
    before: impl Fn(T, T) -> bool,
) -> [usize; N] {
    let (mut base, mut size) = ([0; N], row.len());
    if size == 0 {
        return base;
    }
    while size > 1 {
        let half = size / 2;
        for i in 0..N {
            let middle = base[i] + half;
            // SAFETY: `base[i] + size` is at most the row's length, and `half` less than `size`.
            let x = unsafe { *row.get_unchecked(middle) };
            base[i] = std::hint::select_unpredictable(before(x, values[i]), middle, base[i]);
        }
        size -= half;
    }
    (0..N).for_each(|i| base[i] += usize::from(before(row[base[i]], values[i])));
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    /// tensorflow 2.21, which compares as `std::upper_bound` and `std::lower_bound` do.
    #[test]
    fn nan_is_behind_everything_or_before_it() {
        const NAN: f32 = f32::NAN;
        let (sorted, values) = ([-0.0, 0.0, 1.0, NAN, NAN], [NAN, f32::INFINITY, 1.0, -0.0]);
        let mut out = [0; 4];
        search_sorted((&sorted, 5), (&values, 4), true, Ints::Narrow(&mut out));
        assert_eq!(out, [5, 5, 5, 2]);
        search_sorted((&sorted, 5), (&values, 4), false, Ints::Narrow(&mut out));
        assert_eq!(out, [0, 3, 2, 0]);
    }

    #[test]
    fn places_are_those_of_a_plain_search() {
        for n in [0, 1, 2, 5, 64, 1000] {
            let (rows, m) = (3, 777);
            let sorted: Vec<i32> = (0..rows * n)
                .map(|i| (i % n.max(1)) as i32 / 3 * 2)
                .collect();
            let values: Vec<i32> = (0..rows * m).map(|i| (i * 7919 % 700) as i32 - 5).collect();
            for upper in [false, true] {
                let (mut narrow, mut wide) = (vec![-1; values.len()], vec![-1; values.len()]);
                search_sorted((&sorted, n), (&values, m), upper, Ints::Narrow(&mut narrow));
                search_sorted((&sorted, n), (&values, m), upper, Ints::Wide(&mut wide));
                for (i, v) in values.iter().enumerate() {
                    let row = &sorted[i / m * n..][..n];
                    let want = row.partition_point(|x| if upper { x <= v } else { x < v });
                    assert_eq!(
                        (narrow[i] as usize, wide[i] as usize),
                        (want, want),
                        "{n} {v}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_of_many_values_are_shared() {
        let (sorted, values): (Vec<f32>, Vec<f32>) = (
            (0..1000).map(|i| i as f32).collect(),
            (0..200_000).map(|i| i as f32 * 0.01).collect(),
        );
        let mut out = vec![0; values.len()];
        search_sorted(
            (&sorted, 1000),
            (&values, values.len()),
            false,
            Ints::Narrow(&mut out),
        );
        let want = |v: &f32| sorted.partition_point(|x| x < v) as i32;
        assert!(values.iter().zip(&out).all(|(v, place)| want(v) == *place));
    }
}
