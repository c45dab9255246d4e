//! The Mersenne Twister of Matsumoto and Nishimura, which global seeds are expanded by.

const N: usize = 624;
const M: usize = 397;

/// A generator of words with a state of 19,937 bits.
#[derive(Clone)]
pub(super) struct Twister {
    state: [u32; N],
    used: usize,
}

impl Twister {
    /// The generator of a key of any length, its least significant word first.
    pub fn of_key(key: &[u32]) -> Twister {
        let mut state = linear(19_650_218);
        let (mut i, mut j) = (1, 0);
        let next = |i: &mut usize, state: &mut [u32; N]| {
            *i += 1;
            if *i == N {
                state[0] = state[N - 1];
                *i = 1;
            }
        };
        let spread = |state: &[u32; N], i: usize, by: u32| {
            state[i] ^ (state[i - 1] ^ state[i - 1] >> 30).wrapping_mul(by)
        };
        for _ in 0..N.max(key.len()) {
            let word = key.get(j).copied().unwrap_or(0);
            state[i] = spread(&state, i, 1_664_525)
                .wrapping_add(word)
                .wrapping_add(j as u32);
            next(&mut i, &mut state);
            j = if j + 1 < key.len() { j + 1 } else { 0 };
        }
        for _ in 1..N {
            state[i] = spread(&state, i, 1_566_083_941).wrapping_sub(i as u32);
            next(&mut i, &mut state);
        }
        state[0] = 1 << 31;
        Twister { state, used: N }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        if self.used == N {
            self.turn();
        }
        let mut y = self.state[self.used];
        self.used += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    /// A number of 31 bits: the first word that has no more.
    pub fn bits31(&mut self) -> u32 {
        loop {
            let word = self.word();
            if word >> 31 == 0 {
                return word;
            }
        }
    }

    fn turn(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 1 << 31) | (self.state[(i + 1) % N] & !(1 << 31));
            let odd = if y & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[i] = self.state[(i + M) % N] ^ y >> 1 ^ odd;
        }
        self.used = 0;
    }
}

/// A state filled by a linear congruence.
fn linear(seed: u32) -> [u32; N] {
    let mut state = [seed; N];
    for i in 1..N {
        let last = state[i - 1];
        state[i] = (last ^ last >> 30)
            .wrapping_mul(1_812_433_253)
            .wrapping_add(i as u32);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // From the authors' list of outputs.
        let mut long = Twister::of_key(&[0x123, 0x234, 0x345, 0x456]);
        let first: Vec<u32> = (0..4).map(|_| long.word()).collect();
        assert_eq!(
            first,
            [1_067_595_299, 955_945_823, 477_289_528, 4_107_218_783]
        );
    }
}
