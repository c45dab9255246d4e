//! The generator: a keyed bijection of 128-bit counters.

use crate::isa::{Isa, Job, dispatch};

const M0: u32 = 0xD251_1F53;
const M1: u32 = 0xCD9E_8D57;
const W0: u32 = 0x9E37_79B9;
const W1: u32 = 0xBB67_AE85;
const ROUNDS: usize = 10;
/// Counters that the fast loop takes side by side.
const LANES: usize = 16;

/// A place in the stream of a key: each counter gives a block of four words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhiloxState {
    /// The counter, the lowest word first.
    pub counter: [u32; 4],
    /// The key.
    pub key: [u32; 2],
}

impl PhiloxState {
    /// The state of a 128-bit counter and a 64-bit key.
    pub fn new(counter: u128, key: u64) -> Self {
        let word = |i: usize| (counter >> (32 * i)) as u32;
        PhiloxState {
            counter: [word(0), word(1), word(2), word(3)],
            key: [key as u32, (key >> 32) as u32],
        }
    }

    /// The key as one word.
    pub fn key_word(&self) -> u64 {
        joined(self.key[0], self.key[1])
    }

    /// The counter as two words, the lower one first.
    pub fn counter_words(&self) -> [u64; 2] {
        let [a, b, c, d] = self.counter;
        [joined(a, b), joined(c, d)]
    }

    /// The counter as one number.
    pub fn position(&self) -> u128 {
        self.counter
            .iter()
            .rev()
            .fold(0, |n, &word| n << 32 | word as u128)
    }

    /// The state `n_blocks` later.
    pub fn skip(self, n_blocks: u64) -> Self {
        PhiloxState::new(
            self.position().wrapping_add(n_blocks as u128),
            self.key_word(),
        )
    }

    /// The block at the counter.
    pub fn block(&self) -> [u32; 4] {
        let [mut block, mut key] = [self.counter, [self.key[0], self.key[1], 0, 0]];
        for _ in 0..ROUNDS {
            block = round(block, key[0], key[1]);
            key = [key[0].wrapping_add(W0), key[1].wrapping_add(W1), 0, 0];
        }
        block
    }

    /// Fills with the words of consecutive blocks, from the counter on.
    pub fn words(&self, out: &mut [u32]) {
        dispatch(Words { from: *self, out });
    }
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn round(c: [u32; 4], k0: u32, k1: u32) -> [u32; 4] {
    let (p0, p1) = (M0 as u64 * c[0] as u64, M1 as u64 * c[2] as u64);
    [
        (p1 >> 32) as u32 ^ c[1] ^ k0,
        p1 as u32,
        (p0 >> 32) as u32 ^ c[3] ^ k1,
        p0 as u32,
    ]
}

struct Words<'a> {
    from: PhiloxState,
    out: &'a mut [u32],
}

impl Job for Words<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let mut state = self.from;
        let mut wide = self.out.chunks_exact_mut(4 * LANES);
        for out in &mut wide {
            lanes(state, out);
            state = state.skip(LANES as u64);
        }
        for out in wide.into_remainder().chunks_mut(4) {
            out.copy_from_slice(&state.block()[..out.len()]);
            state = state.skip(1);
        }
    }
}

/// Sixteen consecutive blocks side by side.
#[allow(clippy::needless_range_loop)] // the lane is the second index of four arrays at once
#[inline(always)]
fn lanes(state: PhiloxState, out: &mut [u32]) {
    let mut c = state.counter.map(|word| [word; LANES]);
    for i in 0..LANES {
        c[0][i] = c[0][i].wrapping_add(i as u32);
    }
    if state.counter[0] > u32::MAX - LANES as u32 {
        for i in 0..LANES {
            let at = state.skip(i as u64).counter;
            (0..4).for_each(|w| c[w][i] = at[w]);
        }
    }
    let [mut k0, mut k1] = state.key;
    for _ in 0..ROUNDS {
        for i in 0..LANES {
            let block = round([c[0][i], c[1][i], c[2][i], c[3][i]], k0, k1);
            (c[0][i], c[1][i], c[2][i], c[3][i]) = (block[0], block[1], block[2], block[3]);
        }
        (k0, k1) = (k0.wrapping_add(W0), k1.wrapping_add(W1));
    }
    for i in 0..LANES {
        for w in 0..4 {
            out[4 * i + w] = c[w][i];
        }
    }
}

/// The state that a stateless operation draws from: its seed is scrambled once.
pub fn stateless_key_counter(seed: [i64; 2]) -> PhiloxState {
    let [a, b] = seed.map(|s| s as u64);
    let counter = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
    let mix = PhiloxState {
        counter,
        key: [0x3ec8_f720, 0x0246_1e29],
    }
    .block();
    PhiloxState {
        counter: [0, 0, mix[2], mix[3]],
        key: [mix[0], mix[1]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // From the published test vectors of the generator.
        assert_eq!(
            PhiloxState::default().block(),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        let ones = PhiloxState {
            counter: [u32::MAX; 4],
            key: [u32::MAX; 2],
        };
        assert_eq!(
            ones.block(),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn skipping_carries() {
        let state = PhiloxState {
            counter: [u32::MAX, u32::MAX, 7, 0],
            key: [1, 2],
        };
        assert_eq!(
            state.skip(1),
            PhiloxState {
                counter: [0, 0, 8, 0],
                key: [1, 2]
            }
        );
    }

    #[test]
    fn the_wide_loop_gives_the_same_words() {
        let state = PhiloxState::new(u64::MAX as u128 - 29, 42);
        let mut words = vec![0; 4 * 53 + 3];
        state.words(&mut words);
        for (i, block) in words.chunks(4).enumerate() {
            assert_eq!(block, &state.skip(i as u64).block()[..block.len()]);
        }
    }
}
