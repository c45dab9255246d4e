//! The stream of random numbers that an operation keeps.

use ferrograph_kernels::random::{PhiloxState, RESERVED_PER_NUMBER};
use parking_lot::Mutex;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// A stream that each draw takes its numbers from, one draw after another.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The seeds it begins from; two zeros begin anywhere.
    pub seeds: (i64, i64),
    state: Arc<Mutex<PhiloxState>>,
}

impl Stream {
    /// The stream of these seeds, the global one and the operation's own.
    pub fn new(seed: i64, seed2: i64) -> Stream {
        let (key, counter) = match (seed, seed2) {
            (0, 0) => (entropy(), entropy()),
            (key, counter) => (key.cast_unsigned(), counter.cast_unsigned()),
        };
        Stream {
            seeds: (seed, seed2),
            state: Arc::new(Mutex::new(PhiloxState::new(u128::from(counter) << 64, key))),
        }
    }

    /// The place where a draw of `n` numbers begins; the next one begins behind them.
    pub fn reserve(&self, n: usize) -> PhiloxState {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        let mut state = self.state.lock();
        let start = *state;
        *state = start.skip(n.saturating_mul(RESERVED_PER_NUMBER));
        start
    }
}

/// A number that differs from run to run.
fn entropy() -> u64 {
    RandomState::new().build_hasher().finish()
}
