//! The trace cache: from the signature of a call to a trace.

use crate::signature::{Signature, matches};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a cache was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStats {
    /// Traces kept.
    pub n_traces: usize,
    /// Calls that found one.
    pub hits: u64,
    /// Calls that found none.
    pub misses: u64,
}

struct Entry<T> {
    signature: Signature,
    trace: Arc<T>,
}

struct State<T> {
    entries: Vec<Entry<T>>,
    /// Signatures of calls seen, exact, to the trace that serves them.
    exact: HashMap<Signature, Arc<T>, FixedState>,
}

impl<T> State<T> {
    fn remember(&mut self, signature: Signature, trace: Arc<T>) {
        if self.exact.len() >= EXACT_LIMIT {
            self.exact.clear();
        }
        self.exact.insert(signature, trace);
    }
}

/// Traces by the signatures they serve. Reading takes a shared lock for a hash look-up.
pub struct TraceCache<T> {
    state: RwLock<State<T>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Exact signatures remembered beyond the traces themselves; past it the memory starts anew.
const EXACT_LIMIT: usize = 1 << 14;

impl<T> Default for TraceCache<T> {
    fn default() -> TraceCache<T> {
        TraceCache {
            state: RwLock::new(State {
                entries: Vec::new(),
                exact: HashMap::with_hasher(FixedState::default()),
            }),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }
}

impl<T> TraceCache<T> {
    /// An empty cache.
    pub fn new() -> TraceCache<T> {
        TraceCache::default()
    }

    /// The trace for a call: the one it was served by before, else the most specific that fits.
    pub fn find(&self, signature: &[u64]) -> Option<Arc<T>> {
        if let Some(found) = self.state.read().exact.get(signature) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Some(found.clone());
        }
        let found = self.find_general(signature);
        let counter = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn find_general(&self, signature: &[u64]) -> Option<Arc<T>> {
        let mut state = self.state.write();
        let mut best: Option<&Entry<T>> = None;
        for entry in state
            .entries
            .iter()
            .filter(|e| matches(&e.signature, signature))
        {
            if best.is_none_or(|b| matches(&b.signature, &entry.signature)) {
                best = Some(entry);
            }
        }
        let trace = best?.trace.clone();
        state.remember(Signature::from_slice(signature), trace.clone());
        Some(trace)
    }

    /// Serves calls of that very signature by a trace that was kept for another.
    pub fn alias(&self, signature: Signature, trace: Arc<T>) {
        self.state.write().remember(signature, trace);
    }

    /// Adds a trace for all calls that fit its signature.
    pub fn insert(&self, signature: Signature, trace: Arc<T>) {
        let mut state = self.state.write();
        state.exact.clear();
        state.exact.insert(signature.clone(), trace.clone());
        state.entries.push(Entry { signature, trace });
    }

    /// The signatures and traces kept, oldest first.
    pub fn entries(&self) -> Vec<(Signature, Arc<T>)> {
        self.state
            .read()
            .entries
            .iter()
            .map(|e| (e.signature.clone(), e.trace.clone()))
            .collect()
    }

    /// Visits every trace kept, unless the cache is being changed right now.
    pub fn try_for_each<E>(&self, mut visit: impl FnMut(&T) -> Result<(), E>) -> Result<(), E> {
        match self.state.try_read() {
            Some(state) => state.entries.iter().try_for_each(|e| visit(&e.trace)),
            None => Ok(()),
        }
    }

    /// Drops the traces whose signature the predicate refuses.
    pub fn retain(&self, mut keep: impl FnMut(&[u64]) -> bool) {
        // What is dropped may run code that uses this cache, so that it is dropped without the lock.
        let mut state = self.state.write();
        let (kept, dropped): (Vec<_>, Vec<_>) = std::mem::take(&mut state.entries)
            .into_iter()
            .partition(|e| keep(&e.signature));
        state.entries = kept;
        let exact = std::mem::replace(
            &mut state.exact,
            HashMap::with_hasher(FixedState::default()),
        );
        drop(state);
        drop((dropped, exact));
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.retain(|_| false);
    }

    /// How it was used.
    pub fn stats(&self) -> CacheStats {
        CacheStats {
            n_traces: self.state.read().entries.len(),
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{SignatureBuilder, generalise};

    fn tensor(dims: &[usize]) -> Signature {
        let mut b = SignatureBuilder::new();
        b.tensor(11, dims.iter().map(|&d| Some(d)));
        b.finish()
    }

    #[test]
    fn the_most_specific_trace_serves() {
        let cache = TraceCache::new();
        let relaxed = generalise(&tensor(&[2]), &tensor(&[3]), false).unwrap();
        cache.insert(relaxed, Arc::new("relaxed"));
        cache.insert(tensor(&[4]), Arc::new("exact"));
        assert_eq!(*cache.find(&tensor(&[4])).unwrap(), "exact");
        assert_eq!(*cache.find(&tensor(&[9])).unwrap(), "relaxed");
        assert_eq!(*cache.find(&tensor(&[9])).unwrap(), "relaxed");
        assert!(cache.find(&tensor(&[2, 2])).is_none());
        assert_eq!(
            cache.stats(),
            CacheStats {
                n_traces: 2,
                hits: 3,
                misses: 1
            }
        );
    }
}
