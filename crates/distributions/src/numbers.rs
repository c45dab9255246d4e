//! The numbers that one sample is made of.

use ferrograph_kernels::random::{PhiloxState, Uniform, fill_normal_f64, fill_uniform};
use ferrograph_kernels::stop::poll_cancellation;

/// Blocks of the stream that each sample has for itself, whatever it takes of them.
pub(crate) const RESERVED: u64 = 256;

/// Uniform and normal numbers of one stream; each block gives two, the second one first.
pub(crate) struct Numbers {
    start: PhiloxState,
    sample: u64,
    state: PhiloxState,
    uniform: Pair,
    normal: Pair,
}

#[derive(Default)]
struct Pair {
    numbers: [f64; 2],
    left: usize,
}

impl Numbers {
    /// Those of sample `i` of a stream.
    pub fn of_sample(start: PhiloxState, i: u64) -> Numbers {
        Numbers {
            start,
            sample: i,
            state: start.skip(RESERVED.saturating_mul(i)),
            uniform: Pair::default(),
            normal: Pair::default(),
        }
    }

    /// The same sample's numbers of the stream, in which each sample has that many blocks for itself instead.
    pub fn of_blocks(&self, blocks: u64) -> Numbers {
        Numbers {
            state: self.start.skip(blocks.saturating_mul(self.sample)),
            uniform: Pair::default(),
            normal: Pair::default(),
            ..*self
        }
    }

    /// A uniform number in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        if self.uniform.left == 0 {
            fill_uniform(self.state, &mut self.uniform.numbers);
            self.state = self.state.skip(1);
            self.uniform.left = 2;
        }
        self.uniform.left -= 1;
        self.uniform.numbers[self.uniform.left]
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        if self.normal.left == 0 {
            fill_normal_f64(self.state, &mut self.normal.numbers);
            self.state = self.state.skip(1);
            self.normal.left = 2;
        }
        self.normal.left -= 1;
        self.normal.numbers[self.normal.left]
    }
}

/// The words of a stream one by one, and numbers made of them.
pub(crate) struct Words {
    state: PhiloxState,
    block: [u32; 4],
    used: usize,
}

impl Words {
    pub fn from(state: PhiloxState) -> Words {
        Words {
            state,
            block: [0; 4],
            used: 4,
        }
    }

    fn word(&mut self) -> u32 {
        if self.used == 4 {
            self.block = self.state.block();
            self.state = self.state.skip(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// A number in `[0, 1)`, of one word.
    pub fn float(&mut self) -> f32 {
        f32::from_words(&[self.word()])
    }

    /// A number in `[0, 1)`, of two words.
    pub fn double(&mut self) -> f64 {
        let words = [self.word(), self.word()];
        f64::from_words(&words)
    }

    /// An integer below `n`, which must not be 0, out of single words: those beyond the last multiple of `n` are passed over.
    pub fn below_u32(&mut self, n: u32) -> u32 {
        if n.is_power_of_two() {
            return self.word() & (n - 1);
        }
        let limit = u32::MAX - (u32::MAX % n + 1);
        loop {
            poll_cancellation();
            let word = self.word();
            if word < limit {
                return word % n;
            }
        }
    }

    /// The same out of pairs of words, of which the first is the lower one.
    pub fn below_u64(&mut self, n: u64) -> u64 {
        let mut pair = || u64::from(self.word()) | u64::from(self.word()) << 32;
        if n.is_power_of_two() {
            return pair() & (n - 1);
        }
        let limit = u64::MAX - (u64::MAX % n + 1);
        loop {
            poll_cancellation();
            let wide = pair();
            if wide < limit {
                return wide % n;
            }
        }
    }
}
