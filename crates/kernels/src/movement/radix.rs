//! Sorting entries of an element's key and its place, which come in order of their places, digit by digit: equal keys keep
//! their order. The parts of threads are merged.

use crate::pool;
use crate::scratch::vec_of;
use crate::stop;

/// An integer whose upper bytes are a key.
pub trait Digits: Ord + Copy + Send + Sync + Default {
    /// How many bytes the key has.
    const BYTES: usize;
    /// That byte of the key, the least one first.
    fn digit(self, byte: usize) -> usize;
}

macro_rules! digits {
    ($($t:ty, $bytes:literal;)*) => {$(
        impl Digits for $t {
            const BYTES: usize = $bytes;
            #[inline(always)]
            fn digit(self, byte: usize) -> usize {
                (self >> (8 * byte + 32)) as usize & (BUCKETS - 1)
            }
        }
    )*};
}
digits! { u64, 4; u128, 8; }

/// Values of a digit.
const BUCKETS: usize = 256;

/// Digits of the longest key.
const MOST_DIGITS: usize = 8;

/// Entries that are moved before others may go on.
const STRETCH: usize = 1 << 17;

/// Fewer entries are sorted on one thread.
const SHARED: usize = 1 << 16;

/// Entries from which on this is faster than comparing.
pub(super) fn is_for<E: Digits>(n: usize) -> bool {
    n >= 128 * E::BYTES
}

/// Sorts entries that are in order of their places.
pub(super) fn sort<E: Digits>(entries: &mut [E]) {
    let mut spare = vec_of(E::default(), entries.len());
    let parts = match pool::is_free() {
        true => pool::n_threads().next_power_of_two(),
        false => 1,
    };
    part::<E>(entries, &mut spare, parts);
}

/// Sorts, in so many parts at once.
fn part<E: Digits>(entries: &mut [E], spare: &mut [E], parts: usize) {
    if parts < 2 || entries.len() < SHARED {
        return by_digits(entries, spare, E::BYTES);
    }
    let half = entries.len() / 2;
    {
        let (low, high) = entries.split_at_mut(half);
        let (low_spare, high_spare) = spare.split_at_mut(half);
        pool::join(&mut || part(low, low_spare, parts / 2), &mut || {
            part(high, high_spare, parts / 2)
        });
    }
    let (low, high) = entries.split_at(half);
    merge(low, high, spare, parts);
    entries.copy_from_slice(spare);
}

/// Merges two sorted parts, in so many pieces at once.
fn merge<'a, E: Digits>(mut low: &'a [E], mut high: &'a [E], out: &mut [E], parts: usize) {
    if parts > 1 {
        let half = out.len() / 2;
        let from_low = taken(low, high, half);
        let (low, low_rest) = low.split_at(from_low);
        let (high, high_rest) = high.split_at(half - from_low);
        let (first, last) = out.split_at_mut(half);
        return pool::join(&mut || merge(low, high, first, parts / 2), &mut || {
            merge(low_rest, high_rest, last, parts / 2)
        });
    }
    for out in out.chunks_mut(STRETCH) {
        let mut done = 0;
        while done < out.len() && !low.is_empty() && !high.is_empty() {
            let many = (out.len() - done).min(low.len()).min(high.len());
            let (mut l, mut h) = (0, 0);
            for to in &mut out[done..done + many] {
                let (a, b) = (low[l], high[h]);
                let less = a < b;
                *to = if less { a } else { b };
                l += usize::from(less);
                h += usize::from(!less);
            }
            (low, high) = (&low[l..], &high[h..]);
            done += many;
        }
        for rest in [&mut low, &mut high] {
            let many = (out.len() - done).min(rest.len());
            out[done..done + many].copy_from_slice(&rest[..many]);
            *rest = &rest[many..];
            done += many;
        }
        stop::pause();
    }
}

/// How many of the first `n` of both sorted parts are of the first one.
fn taken<E: Ord>(low: &[E], high: &[E], n: usize) -> usize {
    let (mut least, mut most) = (n.saturating_sub(high.len()), n.min(low.len()));
    while least < most {
        let middle = (least + most) / 2;
        match low[middle] < high[n - middle - 1] {
            true => least = middle + 1,
            false => most = middle,
        }
    }
    least
}

/// Entries that are near the processor while they are moved again and again.
const NEAR: usize = 1 << 13;

/// Fewer entries are compared.
const FEW: usize = 128;

/// Sorts: far apart entries are parted by their highest digit first, so that the others move within the nearer caches.
fn by_digits<E: Digits>(entries: &mut [E], spare: &mut [E], digits: usize) {
    if entries.len() <= FEW || digits == 0 {
        return entries.sort_unstable();
    }
    if entries.len() <= NEAR {
        return from_the_least(entries, spare, digits);
    }
    let byte = digits - 1;
    let mut ends = [0u32; BUCKETS];
    for stretch in entries.chunks(STRETCH) {
        stretch
            .iter()
            .for_each(|entry| ends[entry.digit(byte)] += 1);
        poll_after(stretch.len());
    }
    if ends.contains(&(entries.len() as u32)) {
        return by_digits(entries, spare, byte);
    }
    first_places(&mut ends);
    spread(entries, spare, byte, &mut ends);
    let mut begin = 0;
    for end in ends {
        let part = begin..end as usize;
        by_digits(&mut spare[part.clone()], &mut entries[part], byte);
        begin = end as usize;
    }
    entries.copy_from_slice(spare);
}

/// Sorts by one digit after the other, the least first.
fn from_the_least<E: Digits>(entries: &mut [E], spare: &mut [E], digits: usize) {
    let mut counts = [[0u32; BUCKETS]; MOST_DIGITS];
    for entry in entries.iter() {
        for (byte, counts) in counts[..digits].iter_mut().enumerate() {
            counts[entry.digit(byte)] += 1;
        }
    }
    let n = entries.len() as u32;
    let (mut from, mut to, mut moved) = (&mut *entries, &mut *spare, false);
    for (byte, counts) in counts[..digits].iter_mut().enumerate() {
        if counts.contains(&n) {
            continue;
        }
        first_places(counts);
        spread(from, to, byte, counts);
        (from, to, moved) = (to, from, !moved);
    }
    if moved {
        to.copy_from_slice(from);
    }
    poll_after(n as usize);
}

/// Counts become the places of the first ones.
fn first_places(counts: &mut [u32; BUCKETS]) {
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
}

/// Moves entries to the places of their digits, which become those behind the last ones.
fn spread<E: Digits>(from: &[E], to: &mut [E], byte: usize, places: &mut [u32; BUCKETS]) {
    for stretch in from.chunks(STRETCH) {
        for &entry in stretch {
            let place = &mut places[entry.digit(byte)];
            to[*place as usize] = entry;
            *place += 1;
        }
        poll_after(stretch.len());
    }
}

fn poll_after(n: usize) {
    match n < STRETCH {
        true => stop::poll_cancellation(),
        false => stop::pause(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts<E: Digits + std::fmt::Debug>(entry: fn(u64, u32) -> E) {
        for n in [0, 1, 7, 300, 5000, SHARED + 3, 200_000] {
            for keys in [1, 3, 300, u64::MAX] {
                let random = |i: u32| (u64::from(i) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
                let all: Vec<E> = (0..n as u32).map(|i| entry(random(i) % keys, i)).collect();
                let mut want = all.clone();
                want.sort_unstable();
                let (mut one, mut many, mut spare) = (all.clone(), all, vec![E::default(); n]);
                part(&mut one, &mut spare, 1);
                part(&mut many, &mut spare, 4);
                assert!(one == want && many == want, "{n} entries of {keys} keys");
            }
        }
    }

    #[test]
    fn sorts_by_key_and_place() {
        sorts::<u64>(|key, place| (key << 32) | u64::from(place));
        sorts::<u128>(|key, place| (u128::from(key) << 32) | u128::from(place));
    }
}
