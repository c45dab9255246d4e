//! The distinct ones of keys.

use std::hash::{BuildHasher, Hash};

use crate::scratch::{push, reserve, vec_of};
use crate::stop;

/// Numbers the distinct ones of keys in order of appearance.
pub struct Distinct<K, S> {
    hasher: S,
    /// How many keys there will be.
    total: usize,
    seen: usize,
    /// A key that equals none, not even itself.
    never: Option<K>,
    keys: Vec<K>,
    first: Vec<i64>,
    /// By hash, half of them free at least: 0, or the upper half of a key's hash and its number plus one.
    slots: Vec<u64>,
}

/// Slots at the beginning.
const FEWEST: usize = 1 << 10;

/// Keys that are hashed before they are looked for.
const AHEAD: usize = 64;

/// Keys that are moved between pauses.
const BLOCK: usize = 1 << 14;

/// Numbers that keys can have.
const MOST: usize = u32::MAX as usize - 1;

/// The part of a hash that a slot holds.
const TAG: u64 = !0 << 32;

impl<K: Copy + Eq + Hash, S: BuildHasher> Distinct<K, S> {
    /// Of `total` keys, of which `never` equals none, not even itself.
    pub fn new(total: usize, never: Option<K>, hasher: S) -> Self {
        Distinct {
            hasher,
            total,
            seen: 0,
            never,
            keys: Vec::new(),
            first: Vec::new(),
            slots: vec_of(0, FEWEST),
        }
    }

    /// Where each distinct key appeared first.
    pub fn first(&self) -> &[i64] {
        &self.first
    }

    /// Those, when all keys have been numbered.
    pub fn into_first(self) -> Vec<i64> {
        self.first
    }

    /// Writes the number of each of the next keys.
    pub fn number(&mut self, keys: &[K], numbers: &mut [u32]) {
        let mut hashes = [0; AHEAD];
        for (keys, numbers) in keys.chunks(AHEAD).zip(numbers.chunks_mut(AHEAD)) {
            self.hash(keys, &mut hashes);
            for ((key, hash), number) in keys.iter().zip(hashes).zip(numbers) {
                *number = self.number_of(*key, hash);
                self.seen += 1;
            }
            stop::poll_cancellation();
        }
    }

    /// Hashes some keys and reads where they would stand, one not waiting for the other, so that it is near.
    fn hash(&self, keys: &[K], hashes: &mut [u64; AHEAD]) {
        let (mut read, mask) = (0, self.slots.len() - 1);
        for (key, hash) in keys.iter().zip(hashes) {
            *hash = self.hasher.hash_one(key);
            read ^= self.slots[*hash as usize & mask];
        }
        std::hint::black_box(read);
    }

    #[inline]
    fn number_of(&mut self, key: K, hash: u64) -> u32 {
        if self.never == Some(key) {
            return self.add(key);
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                break;
            }
            let number = slot as u32 - 1;
            if (slot ^ hash) & TAG == 0 && self.keys[number as usize] == key {
                return number;
            }
            at = (at + 1) & mask;
        }
        let number = self.add(key);
        self.slots[at] = hash & TAG | u64::from(number + 1);
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn add(&mut self, key: K) -> u32 {
        assert!(self.keys.len() < MOST, "keys have numbers of 32 bits");
        push(&mut self.keys, key);
        push(&mut self.first, self.seen as i64);
        (self.keys.len() - 1) as u32
    }

    /// Makes room for as many keys again at least; for all that may come where most have been distinct.
    #[cold]
    fn grow(&mut self) {
        let mostly = self.keys.len() > self.seen / 2;
        let wanted = if mostly { 2 * self.total } else { 0 };
        if mostly {
            reserve(&mut self.keys, self.total - self.seen);
            reserve(&mut self.first, self.total - self.seen);
        }
        let n = wanted.max(2 * self.slots.len()).next_power_of_two();
        self.slots = Vec::new();
        self.slots = vec_of(0, n);
        for (b, block) in self.keys.chunks(BLOCK).enumerate() {
            for (number, key) in (b * BLOCK + 1..).zip(block) {
                if self.never == Some(*key) {
                    continue;
                }
                let hash = self.hasher.hash_one(key);
                let mut at = hash as usize & (n - 1);
                while self.slots[at] != 0 {
                    at = (at + 1) & (n - 1);
                }
                self.slots[at] = hash & TAG | number as u64;
            }
            stop::pause();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::hash::RandomState;

    fn plain(keys: &[u64], never: Option<u64>) -> (Vec<u32>, Vec<i64>) {
        let (mut found, mut first, mut numbers) = (HashMap::new(), Vec::new(), Vec::new());
        for (i, key) in keys.iter().enumerate() {
            let next = first.len() as u32;
            let number = match never == Some(*key) {
                true => next,
                false => *found.entry(*key).or_insert(next),
            };
            if number == next {
                first.push(i as i64);
            }
            numbers.push(number);
        }
        (numbers, first)
    }

    #[test]
    fn keys_are_numbered_as_they_appear() {
        for (n, modulus) in [
            (0, 1),
            (10, 3),
            (50_000, 7),
            (50_000, 40_009),
            (70_000, 1 << 60),
        ] {
            let keys: Vec<u64> = (0..n)
                .map(|i: u64| i.wrapping_mul(i ^ 0x9e37) % modulus)
                .collect();
            for never in [None, Some(2)] {
                let mut distinct = Distinct::new(keys.len(), never, RandomState::new());
                let mut numbers = vec![0; keys.len()];
                for (keys, numbers) in keys.chunks(1000).zip(numbers.chunks_mut(1000)) {
                    distinct.number(keys, numbers);
                }
                assert_eq!((numbers, distinct.first().to_vec()), plain(&keys, never));
            }
        }
    }

    /// Hashes to one slot, and one of two tags.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Alike(u64);

    impl Hash for Alike {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            state.write_u64(self.0 % 2);
        }
    }

    #[test]
    fn keys_with_one_hash_are_told_apart() {
        let keys: Vec<Alike> = (0..3000).map(|i| Alike(i % 1500)).collect();
        let (mut distinct, mut numbers) =
            (Distinct::new(3000, None, RandomState::new()), vec![0; 3000]);
        distinct.number(&keys, &mut numbers);
        assert!((0..3000).all(|i| numbers[i] as usize == i % 1500));
        assert_eq!(distinct.first().len(), 1500);
    }
}
