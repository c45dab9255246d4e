//! The numbers that one sample is made of.

use ferrograph_kernels::random::{PhiloxState, fill_normal_f64, fill_uniform};

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
