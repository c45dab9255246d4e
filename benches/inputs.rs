//! Inputs of the benches.

/// `n` numbers between -1 and 1, the same for the same seed.
pub fn uniform(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        // xorshift64*: inputs need to be unremarkable, not random.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32
    };
    (0..n).map(|_| next() / (1 << 23) as f32 - 1.0).collect()
}
