//! What an iteration chose when its parts began: which order a shuffle has, whether a cache was there. Another iteration
//! that is given the choices repeats them, in another process, too.
//!
//! Choices are kept by *logical thread*, in which one comes after the other. A thread that computes elements ahead is a
//! logical thread of its own, so that it makes no difference how far ahead it is.

use ferrograph_ops::Iteration;
use ferrograph_tensor::{Error, Result, bail, err};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers that the part which chose understands, behind its kind.
pub(crate) type Choice = [i64; 4];

/// The kind of the choice of seeds: two seeds, and how many pairs were drawn from their stream before.
pub(crate) const SEEDS: i64 = 1;
/// The kind of the choice of a cache in memory: whether it was filled, and whether by elements that come again.
pub(crate) const CACHE: i64 = 2;
/// The kind of what cannot be repeated: a file was written whose elements came in an order that was drawn.
pub(crate) const LOST: i64 = 3;

/// The choices of an iteration, as one thread makes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    shared: Arc<Shared>,
    thread: u64,
}

#[derive(Debug, Default)]
struct Shared {
    iteration: Iteration,
    threads: Mutex<BTreeMap<u64, LogicalThread>>,
    /// Whether another iteration takes its place: a thread may still compute what nobody will take.
    is_over: AtomicBool,
}

#[derive(Debug, Default)]
struct LogicalThread {
    choices: Vec<Choice>,
    /// How many of them were made or repeated.
    n_made: usize,
    /// How many logical threads began in this one.
    n_branches: u64,
}

thread_local! {
    static CURRENT: RefCell<Option<History>> = const { RefCell::new(None) };
}

/// Puts back what the thread was at.
#[must_use]
struct Back(Option<History>);

impl Drop for Back {
    fn drop(&mut self) {
        CURRENT.replace(self.0.take());
    }
}

/// The words of a choice that is written down: its logical thread, then itself.
const WORDS: usize = 5;

impl History {
    /// That of the iteration for which this thread computes an element, else a fresh one.
    pub fn here() -> History {
        let iteration = Iteration::here();
        let current = CURRENT.with_borrow(Clone::clone);
        current
            .filter(|history| history.iteration().is(&iteration))
            .unwrap_or_else(|| {
                let shared = Arc::new(Shared {
                    iteration,
                    ..Shared::default()
                });
                History { shared, thread: 0 }
            })
    }

    /// What functions of the iteration draw from.
    pub fn iteration(&self) -> &Iteration {
        &self.shared.iteration
    }

    /// That of a fresh iteration which repeats these choices.
    ///
    /// # Errors
    /// `DataLoss` where they are none.
    pub fn repeating(words: &[i64]) -> Result<History> {
        let history = History::default();
        let (choices, rest) = words.as_chunks::<WORDS>();
        if !rest.is_empty() {
            bail!(
                DataLoss,
                "{} words are no choices of an iteration",
                words.len()
            );
        }
        let mut threads = history.shared.threads.lock();
        for [thread, choice @ ..] in choices {
            let thread: &mut LogicalThread = threads.entry(thread.cast_unsigned()).or_default();
            thread.choices.push(*choice);
        }
        drop(threads);
        Ok(history)
    }

    /// From now on this thread computes elements of this iteration.
    #[must_use]
    pub fn resume(&self) -> impl Sized + use<> {
        let back = Back(CURRENT.replace(Some(self.clone())));
        (back, self.iteration().resume())
    }

    /// The history of a thread that computes elements ahead.
    pub fn branch(&self) -> History {
        let mut threads = self.shared.threads.lock();
        let own = threads.entry(self.thread).or_default();
        own.n_branches += 1;
        let thread = mixed(self.thread.wrapping_add(own.n_branches));
        drop(threads);
        let shared = self.shared.clone();
        History { shared, thread }
    }

    /// Makes a choice. `choose` is given the one to be repeated, where there is one, and may not choose again.
    ///
    /// # Errors
    /// What `choose` raises.
    pub fn choose(&self, choose: impl FnOnce(Option<Choice>) -> Result<Choice>) -> Result<()> {
        let mut threads = self.shared.threads.lock();
        let own = threads.entry(self.thread).or_default();
        let known = own.choices.get(own.n_made).copied();
        let made = choose(known)?;
        own.n_made += 1;
        if known.is_none() {
            own.choices.push(made);
        }
        Ok(())
    }

    /// Says whether another iteration takes the place of this one.
    pub fn set_over(&self, is_over: bool) {
        self.shared.is_over.store(is_over, Ordering::Release);
    }

    /// Whether that is so.
    pub fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::Acquire)
    }

    /// How many choices of seeds there were.
    pub fn n_drawn(&self) -> usize {
        let threads = self.shared.threads.lock();
        let all = threads
            .values()
            .flat_map(|thread| &thread.choices[..thread.n_made]);
        all.filter(|choice| choice[0] == SEEDS).count()
    }

    /// Says that orders were drawn, beyond the first `n`, for elements that a file keeps.
    ///
    /// # Errors
    /// `FailedPrecondition` where a choice is to be repeated.
    pub fn lost_if_drawn(&self, n: usize) -> Result<()> {
        if self.n_drawn() == n {
            return Ok(());
        }
        self.choose(|known| match known {
            None => Ok([LOST, 0, 0, 0]),
            Some(_) => Err(another("cache in a file")),
        })
    }

    /// All choices as words.
    ///
    /// # Errors
    /// `FailedPrecondition` where one cannot be repeated.
    pub fn words(&self) -> Result<Vec<i64>> {
        let mut words = Vec::new();
        for (thread, own) in &*self.shared.threads.lock() {
            for choice in &own.choices {
                if choice[0] == LOST || matches!(choice, [CACHE, 1, 0, _]) {
                    bail!(
                        FailedPrecondition,
                        "this iterator's position cannot be saved: its elements come from a cache that holds them in \
                         an order drawn by another iteration. Shuffle behind cache or snapshot, not before"
                    );
                }
                words.push(thread.cast_signed());
                words.extend(choice);
            }
        }
        Ok(words)
    }
}

/// Says that a choice to be repeated is that of another part.
pub(crate) fn another(what: &str) -> Error {
    err!(
        FailedPrecondition,
        "the position that was saved is that of an iterator over another dataset: this one has a {what} where the \
         other has none"
    )
}

/// A number that looks like any other: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
