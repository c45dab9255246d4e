//! The streams of random numbers that operations draw from.

use super::global::{self, Seeds};
use super::iteration;
use ferrograph_kernels::random::{PhiloxState, RESERVED_PER_NUMBER};
use ferrograph_tensor::DType;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, OnceLock};

/// A stream that each draw takes its numbers from, one draw after another.
#[derive(Clone, Debug, Default)]
pub struct Stream(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Where the next draw begins; nothing before the first one.
    state: Mutex<Option<PhiloxState>>,
    /// Which of the operations without seeds in its graph draws from it.
    number: OnceLock<i64>,
}

impl Stream {
    /// The stream of these seeds, the global one and the operation's own; two zeros begin anywhere.
    pub fn new(seed: i64, seed2: i64) -> Stream {
        Stream::default().seeded(seed, seed2)
    }

    /// This stream, which begins from these seeds where it has not begun.
    pub fn seeded(&self, seed: i64, seed2: i64) -> Stream {
        let mut state = self.0.state.lock();
        state.get_or_insert_with(|| start(seed, seed2));
        self.clone()
    }

    /// What no other stream has while this one is there.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Says which of the operations without seeds in its graph draws from it, unless that was said.
    pub(super) fn number(&self, number: i64) {
        let _ = self.0.number.set(number);
    }

    /// The place where a draw of `n` numbers begins; the next one begins behind them.
    pub fn reserve(&self, n: usize) -> PhiloxState {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        self.reserve_blocks(n.saturating_mul(RESERVED_PER_NUMBER))
    }

    /// The place where a draw of so many blocks begins; the next one begins behind them.
    pub fn reserve_blocks(&self, n: u64) -> PhiloxState {
        let mut state = self.0.state.lock();
        let place = state.get_or_insert_with(|| start(0, 0));
        let start = *place;
        *place = start.skip(n);
        start
    }
}

/// Where an operation's numbers come from, by its attributes.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    /// What draws: operations of one name, with equal seeds of their own, go on in one stream.
    pub name: Cow<'static, str>,
    pub seeds: Seeds,
    /// The second seed is the operation's, beside the program's at the time.
    pub shared: bool,
    /// The stream that the operation keeps for itself.
    pub own: Stream,
}

impl Drawing {
    /// The stream that a draw of that dtype takes its numbers from now.
    ///
    /// Without seeds of its own, each run takes a seed from the program's; where the program has none, the operation
    /// goes on in a stream that began anywhere. A seed of its own beside the program's names one stream for all
    /// operations alike; two seeds fix the operation's stream. In an iteration over a dataset each operation has a stream
    /// that begins with the iteration.
    pub fn stream(&self, dtype: DType) -> Stream {
        if let Some(stream) = iteration::stream(&self.own, || self.begin()) {
            return stream;
        }
        let (first, second) = self.seeds;
        if self.shared {
            let seeds = global::seeds(Some(second)).unwrap_or((first, second));
            return global::stream(self.name.clone(), dtype, seeds);
        }
        match (self.seeds == (0, 0))
            .then(|| global::seeds(None))
            .flatten()
        {
            Some((first, second)) => Stream::new(first, second),
            None => self.own.seeded(first, second),
        }
    }

    /// The stream that an iteration begins with.
    fn begin(&self) -> Stream {
        let (first, second) = if self.shared {
            global::seeds(Some(self.seeds.1)).unwrap_or(self.seeds)
        } else if self.seeds == (0, 0) {
            let number = self.own.0.number.get().copied();
            global::numbered(number.unwrap_or(0)).unwrap_or(self.seeds)
        } else {
            self.seeds
        };
        Stream::new(first, second)
    }
}

/// Where the stream of these seeds begins.
fn start(seed: i64, seed2: i64) -> PhiloxState {
    let (key, counter) = match (seed, seed2) {
        (0, 0) => (entropy(), entropy()),
        (key, counter) => (key.cast_unsigned(), counter.cast_unsigned()),
    };
    PhiloxState::new(u128::from(counter) << 64, key)
}

/// A number that differs from run to run.
fn entropy() -> u64 {
    RandomState::new().build_hasher().finish()
}
