//! Shared inputs of the benches.

/// How long each bench takes: all of them together take a few minutes.
#[macro_export]
macro_rules! brief {
    () => {
        criterion::Criterion::default()
            .warm_up_time(std::time::Duration::from_millis(500))
            .measurement_time(std::time::Duration::from_millis(1500))
    };
}

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

#[cfg(test)]
mod tests {
    use super::uniform;

    #[test]
    fn inputs_lie_in_their_range_and_spread() {
        let x = uniform(10_000, 1);
        assert!(x.iter().all(|v| (-1.0..1.0).contains(v)));
        assert!(x.iter().sum::<f32>().abs() < 300.0);
        assert_ne!(x, uniform(10_000, 2));
    }
}
