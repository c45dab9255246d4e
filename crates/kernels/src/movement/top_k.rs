//! The greatest or the least elements along the last axis; NaN counts as the greatest.

use half::{bf16, f16};

use super::radix::{self, Digits};
use crate::isa::{Isa, Job, dispatch};
use crate::pool::{self, Base};
use crate::scratch::vec_for;
use crate::stop;

/// An element type with an order.
pub trait Ordered: Copy + Send + Sync {
    /// An element and its place as one integer, which is less for greater elements (lesser ones, if `LEAST`) and, of
    /// equal ones, for the first.
    #[doc(hidden)]
    type Entry: Digits;
    /// The part of an entry that tells the element.
    type Key: Ord + Copy;
    /// That of this element.
    fn key<const LEAST: bool>(self) -> Self::Key;
    /// That of an entry.
    fn key_of(entry: Self::Entry) -> Self::Key;
    /// The entry of this element.
    fn entry<const LEAST: bool>(self, place: u32) -> Self::Entry;
    /// The element of a key; none where several have it.
    fn of_key<const LEAST: bool>(key: Self::Key) -> Option<Self>;
    /// The place in an entry.
    fn place(entry: Self::Entry) -> u32;
}

/// Entries of elements of at most 32 bits and of 64: `$key` is an integer of the width that falls as the element grows, and
/// `$element` the element that has such.
macro_rules! ordered {
    (narrow; $($t:ty)*; |$x:ident| $key:expr, |$k:ident| $element:expr) => {$(
        impl Ordered for $t {
            type Entry = u64;
            type Key = u32;
            #[inline(always)]
            fn key<const LEAST: bool>(self) -> u32 {
                let $x = self;
                let key = $key as u32;
                if LEAST { !key } else { key }
            }
            #[inline(always)]
            fn of_key<const LEAST: bool>(key: u32) -> Option<$t> {
                let $k = if LEAST { !key } else { key };
                $element
            }
            #[inline(always)]
            fn key_of(entry: u64) -> u32 {
                (entry >> 32) as u32
            }
            #[inline(always)]
            fn entry<const LEAST: bool>(self, place: u32) -> u64 {
                u64::from(self.key::<LEAST>()) << 32 | u64::from(place)
            }
            #[inline(always)]
            fn place(entry: u64) -> u32 {
                entry as u32
            }
        }
    )*};
    (wide; $($t:ty)*; |$x:ident| $key:expr, |$k:ident| $element:expr) => {$(
        impl Ordered for $t {
            type Entry = u128;
            type Key = u64;
            #[inline(always)]
            fn key<const LEAST: bool>(self) -> u64 {
                let $x = self;
                let key = $key as u64;
                if LEAST { !key } else { key }
            }
            #[inline(always)]
            fn of_key<const LEAST: bool>(key: u64) -> Option<$t> {
                let $k = if LEAST { !key } else { key };
                $element
            }
            #[inline(always)]
            fn key_of(entry: u128) -> u64 {
                (entry >> 32) as u64
            }
            #[inline(always)]
            fn entry<const LEAST: bool>(self, place: u32) -> u128 {
                u128::from(self.key::<LEAST>()) << 32 | u128::from(place)
            }
            #[inline(always)]
            fn place(entry: u128) -> u32 {
                entry as u32
            }
        }
    )*};
}
ordered!(narrow; u8 u16; |x| !u32::from(x), |key| Some(!key as _));
ordered!(narrow; u32; |x| !x, |key| Some(!key));
ordered!(narrow; i8 i16; |x| !(i32::from(x) ^ i32::MIN), |key| Some((!key as i32 ^ i32::MIN) as _));
ordered!(narrow; i32; |x| !(x ^ i32::MIN), |key| Some(!key as i32 ^ i32::MIN));
ordered!(wide; u64; |x| !x, |key| Some(!key));
ordered!(wide; i64; |x| !(x ^ i64::MIN), |key| Some(!key as i64 ^ i64::MIN));
ordered!(narrow; f16; |x| falling_f32(x.to_f32()), |key| of_falling_f32(key).map(f16::from_f32));
ordered!(narrow; bf16; |x| falling_f32(x.to_f32()), |key| of_falling_f32(key).map(bf16::from_f32));
ordered!(narrow; f32; |x| falling_f32(x), |key| of_falling_f32(key));
ordered!(wide; f64; |x| falling_f64(x), |key| of_falling_f64(key));

/// Positive floats rise with their bits, negative ones fall; both zeros are one number, and so is what is none.
macro_rules! falling {
    ($name:ident, $back:ident, $t:ty, $bits:ty) => {
        #[inline(always)]
        fn $back(key: $bits) -> Option<$t> {
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let bits = if key & SIGN != 0 { key } else { !key & !SIGN };
            let x = <$t>::from_bits(bits);
            (key != 0 && x != 0.0).then_some(x)
        }

        #[inline(always)]
        fn $name(x: $t) -> $bits {
            const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            let bits = (x + 0.0).to_bits();
            match x {
                x if x.is_nan() => 0,
                _ if bits & SIGN != 0 => bits,
                _ => !(bits | SIGN),
            }
        }
    };
}
falling!(falling_f32, of_falling_f32, f32, u32);
falling!(falling_f64, of_falling_f64, f64, u64);

/// What finding an element by its entry costs.
const FIND_NS: f64 = 2.0;

/// Entries that are looked through at once, at least.
const BATCH: usize = 1024;

/// Where so many times `k` elements have less, most are passed by: smaller batches tell sooner which.
const SHORT: usize = 16;

/// The `k` greatest of each row of `n`, the greatest first, with their places; of equals the first wins. If `LEAST`, the
/// least, the least first.
pub fn top_k<T: Ordered, const LEAST: bool>(
    x: &[T],
    n: usize,
    k: usize,
    values: &mut [T],
    places: &mut [i32],
) {
    assert!(k <= n && values.len() == places.len(), "k of n");
    assert_eq!(
        x.len() / n.max(1) * k,
        places.len(),
        "as many rows on both sides"
    );
    if k == 0 {
        return;
    }
    let values = Base::of(values);
    let cost = n as f64 * 2.0 + k as f64 * 2.0 * (k as f64).log2();
    pool::par_rows_mut(places, k, cost, |first, places| {
        // SAFETY: threads have rows of their own.
        let values = unsafe { values.piece(first * k, places.len()) };
        let mut best = vec_for(n.min(BATCH.max(4 * k)));
        let rows = values.chunks_exact_mut(k).zip(places.chunks_exact_mut(k));
        for (row, (values, places)) in x[first * n..].chunks_exact(n).zip(rows) {
            select::<T, LEAST>(row, k, &mut best);
            let values = Base::of(values);
            pool::par_chunks_mut(places, FIND_NS, |at, places| {
                // SAFETY: threads have places of their own.
                let values = unsafe { values.piece(at, places.len()) };
                for (entry, (v, p)) in best[at..].iter().zip(values.iter_mut().zip(places)) {
                    let place = T::place(*entry);
                    let element = T::of_key::<LEAST>(T::key_of(*entry));
                    (*v, *p) = (element.unwrap_or_else(|| row[place as usize]), place as i32);
                }
            });
            poll_after(best.len());
        }
    });
}

/// Elements that are looked at before any is taken.
const GLANCE: usize = 64;

/// Those of which one bit tells.
const EIGHTH: usize = GLANCE / 8;

/// Which eighths of some elements have one that comes before that key, or has it: a bit for each.
struct Glance<'a, T: Ordered, const LEAST: bool>(&'a [T], T::Key);

impl<T: Ordered, const LEAST: bool> Job for Glance<'_, T, LEAST> {
    type Out = u8;
    #[inline(always)]
    fn run<I: Isa>(self) -> u8 {
        let Glance(all, last) = self;
        let before = |any, x: &T| any | (x.key::<LEAST>() <= last);
        let eighths = all.chunks(EIGHTH).enumerate();
        eighths.fold(0, |bits, (e, some)| {
            bits | u8::from(some.iter().fold(false, before)) << e
        })
    }
}

/// The entries of all of a row, in order.
fn sorted<T: Ordered, const LEAST: bool>(row: &[T], all: &mut Vec<T::Entry>) {
    all.clear();
    all.resize(row.len(), T::Entry::default());
    pool::par_chunks_mut(all, 1.0, |first, all| {
        for (i, (entry, x)) in all.iter_mut().zip(&row[first..]).enumerate() {
            *entry = x.entry::<LEAST>((first + i) as u32);
        }
    });
    match radix::is_for::<T::Entry>(row.len()) {
        true => radix::sort(all),
        false => sort(all),
    }
}

/// The entries of the `k` first in order. Those that cannot be among them are dropped batch by batch.
fn select<T: Ordered, const LEAST: bool>(row: &[T], k: usize, best: &mut Vec<T::Entry>) {
    if k == row.len() {
        return sorted::<T, LEAST>(row, best);
    }
    let full = match row.len() > SHORT * k {
        true => (4 * k).max(GLANCE),
        false => BATCH.max(2 * k),
    };
    let keep = |best: &mut Vec<T::Entry>| {
        best.select_nth_unstable(k - 1);
        best.truncate(k);
    };
    best.clear();
    let mut last = None;
    for (s, stretch) in row.chunks(STRETCH).enumerate() {
        for (g, some) in stretch.chunks(GLANCE).enumerate() {
            let mut bits = last.map_or(!0, |last: T::Entry| {
                dispatch(Glance::<T, LEAST>(some, T::key_of(last)))
            });
            while bits != 0 {
                let e = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let begin = s * STRETCH + g * GLANCE + e * EIGHTH;
                for (place, x) in (begin..).zip(some.chunks(EIGHTH).nth(e).unwrap_or(&[])) {
                    let entry = x.entry::<LEAST>(place as u32);
                    if last.is_some_and(|last| entry > last) {
                        continue;
                    }
                    best.push(entry);
                    if best.len() == full {
                        keep(best);
                        last = best.last().copied();
                    }
                }
            }
        }
        poll_after(stretch.len());
    }
    if best.len() > k {
        keep(best);
    }
    sort(best);
}

/// Entries that are sorted at a stretch.
const STRETCH: usize = 1 << 17;

/// More entries are parted with pauses.
const LONG: usize = 1 << 22;

/// Brings entries that are less than about half of them to the front, and says how many these are.
fn parted<E: Ord + Copy>(entries: &mut [E]) -> usize {
    const SAMPLES: usize = 257;
    let step = entries.len() / SAMPLES;
    let mut samples: Vec<E> = entries.iter().copied().step_by(step.max(1)).collect();
    samples.sort_unstable();
    let pivot = samples[samples.len() / 2];
    let (mut front, mut back, mut swaps) = (0, entries.len(), 0);
    loop {
        while front < back && entries[front] < pivot {
            front += 1;
        }
        while front < back && entries[back - 1] >= pivot {
            back -= 1;
        }
        if front == back {
            return front;
        }
        entries.swap(front, back - 1);
        swaps += 1;
        if swaps % STRETCH == 0 {
            stop::pause();
        }
    }
}

/// Breathes after work on so many entries.
fn poll_after(n: usize) {
    if n < BATCH {
        stop::poll_cancellation();
    } else {
        stop::pause();
    }
}

/// Sorts entries, of which no two are equal; many of them over the pool.
fn sort<E: Ord + Copy + Send>(entries: &mut [E]) {
    if entries.len() <= STRETCH {
        entries.sort_unstable();
        return poll_after(entries.len());
    }
    let middle = match entries.len() > LONG {
        true => parted(entries),
        false => {
            entries.select_nth_unstable(entries.len() / 2);
            entries.len() / 2
        }
    };
    stop::pause();
    let (less, more) = entries.split_at_mut(middle);
    let (mut less, mut more) = (|| sort(less), || sort(more));
    pool::join(&mut less, &mut more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(row: &[f32], k: usize) -> Vec<i32> {
        let mut places: Vec<i32> = (0..row.len() as i32).collect();
        places.sort_by(|&i, &j| {
            let (a, b) = (row[i as usize], row[j as usize]);
            b.partial_cmp(&a)
                .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
        });
        places.truncate(k);
        places
    }

    #[test]
    fn agrees_with_a_stable_sort() {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match seed >> 28 {
                0 => f32::NAN,
                1 => -0.0,
                2 => 0.0,
                3 => f32::NEG_INFINITY,
                _ => ((seed >> 8) % 200) as f32 - 100.0,
            }
        };
        for (n, k) in [
            (1, 1),
            (9, 4),
            (50, 50),
            (5000, 3),
            (1000, 10),
            (64, 1),
            (65, 4),
            (5000, 700),
            (3000, 3000),
        ] {
            let x: Vec<f32> = (0..3 * n).map(|_| next()).collect();
            let (mut values, mut places) = (vec![0.0; 3 * k], vec![0; 3 * k]);
            top_k::<_, false>(&x, n, k, &mut values, &mut places);
            for r in 0..3 {
                let row = &x[r * n..(r + 1) * n];
                let want = plain(row, k);
                assert_eq!(places[r * k..(r + 1) * k], want, "{n} {k}");
                let same = |(v, p): (&f32, &i32)| v.to_bits() == row[*p as usize].to_bits();
                assert!(values[r * k..(r + 1) * k].iter().zip(&want).all(same));
            }
        }
    }

    #[test]
    fn orders_every_type() {
        fn first<T: Ordered + Default + PartialOrd>(x: &[T]) -> Vec<i32> {
            let (mut values, mut places) = (vec![T::default(); x.len()], vec![0; x.len()]);
            top_k::<_, false>(x, x.len(), x.len(), &mut values, &mut places);
            for (value, &place) in values.iter().zip(&places) {
                let element = x[place as usize];
                assert!(*value == element || element.partial_cmp(&element).is_none());
            }
            places
        }
        assert_eq!(first(&[0u8, 255, 7]), [1, 2, 0]);
        assert_eq!(first(&[0i8, -128, 127]), [2, 0, 1]);
        assert_eq!(first(&[0u32, u32::MAX, 7]), [1, 2, 0]);
        assert_eq!(first(&[-1i32, i32::MIN, i32::MAX]), [2, 0, 1]);
        let brief = [1.0, -2.0, 3.0].map(bf16::from_f32);
        assert_eq!(first(&brief), [2, 0, 1]);
        assert_eq!(first(&[-1i16, i16::MIN, i16::MAX]), [2, 0, 1]);
        assert_eq!(first(&[-1i64, i64::MIN, i64::MAX, -1]), [2, 0, 3, 1]);
        assert_eq!(first(&[1u64, u64::MAX, 0]), [1, 0, 2]);
        assert_eq!(first(&[-1.0f64, f64::NAN, 2.0, -1.0]), [1, 2, 0, 3]);
        let (mut values, mut places) = ([0.0; 5], [0; 5]);
        let x = [f64::NAN, 2.0, -1.0, -f64::NAN, -1.0];
        top_k::<_, true>(&x, 5, 5, &mut values, &mut places);
        assert_eq!(places, [2, 4, 1, 0, 3]);
        let halves = [1.0, -2.0, 3.0].map(f16::from_f32);
        assert_eq!(first(&halves), [2, 0, 1]);
    }
}
