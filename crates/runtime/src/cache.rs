//! The trace cache: from the signature of a call to a trace.

use crate::signature::{distance, is_general, matches};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use parking_lot::RwLock;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a cache was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheStats {
    /// Entries kept.
    pub n_entries: usize,
    /// Calls that found one.
    pub hits: u64,
    /// Calls that found none.
    pub misses: u64,
    /// Entries dropped to make room for others.
    pub evictions: u64,
}

/// A trace in the cache, with the signature of the calls it serves.
pub struct Cached<T> {
    /// Calls that fit it are served.
    pub signature: Box<[u64]>,
    /// The trace.
    pub trace: T,
    /// When it was used last, in calls of the cache.
    used: AtomicU64,
}

/// What serves the calls of one signature.
struct Served<T> {
    /// The signature, where it is not the entry's own.
    seen: Option<Box<[u64]>>,
    entry: Arc<Cached<T>>,
}

impl<T> Served<T> {
    fn signature(&self) -> &[u64] {
        self.seen.as_deref().unwrap_or(&self.entry.signature)
    }
}

/// From the signatures of calls seen, exact, to the entries that serve them.
struct Index<T> {
    table: HashTable<Served<T>>,
}

impl<T> Index<T> {
    fn new() -> Index<T> {
        Index {
            table: HashTable::new(),
        }
    }

    fn hash(signature: &[u64]) -> u64 {
        FixedState::default().hash_one(signature)
    }

    fn get(&self, signature: &[u64]) -> Option<&Arc<Cached<T>>> {
        let hash = Self::hash(signature);
        let found = self.table.find(hash, |s| s.signature() == signature)?;
        Some(&found.entry)
    }

    fn remove(&mut self, signature: &[u64]) {
        let hash = Self::hash(signature);
        if let Ok(found) = (self.table).find_entry(hash, |s| s.signature() == signature) {
            found.remove();
        }
    }

    fn insert(&mut self, signature: &[u64], entry: &Arc<Cached<T>>) {
        self.remove(signature);
        let served = Served {
            seen: (*entry.signature != *signature).then(|| signature.into()),
            entry: entry.clone(),
        };
        self.table
            .insert_unique(Self::hash(signature), served, |s| Self::hash(s.signature()));
    }
}

struct State<T> {
    /// The traces, oldest first.
    entries: Vec<Arc<Cached<T>>>,
    /// The signature of an entry that is not general is always in it.
    served: Index<T>,
    /// How many of the entries are general: with a dimension or rank left open.
    n_general: usize,
    /// Whether signatures were served by entries that they do not fit word by word.
    has_aliases: bool,
    evictions: u64,
}

/// A bounded number of traces by the signatures they serve; the least recently used makes room. Finding one takes a
/// shared lock for a hash look-up.
///
/// Two traces may serve one signature where a caller's `fresh` distinguishes them: each `find` gives one that is fresh.
pub struct TraceCache<T> {
    state: RwLock<State<T>>,
    limit: usize,
    calls: AtomicU64,
    misses: AtomicU64,
}

/// Exact signatures of calls remembered beyond those of the entries; past it the memory starts anew.
const SERVED_LIMIT: usize = 1 << 14;

impl<T> State<T> {
    /// The most specific of the fitting entries that are fresh.
    fn best(&self, signature: &[u64], fresh: impl Fn(&T) -> bool) -> Option<Arc<Cached<T>>> {
        let mut best: Option<&Arc<Cached<T>>> = None;
        for entry in &self.entries {
            if matches(&entry.signature, signature)
                && best.is_none_or(|b| matches(&b.signature, &entry.signature))
                && fresh(&entry.trace)
            {
                best = Some(entry);
            }
        }
        best.cloned()
    }

    fn remember(&mut self, signature: &[u64], entry: &Arc<Cached<T>>) {
        if self.served.table.len() >= SERVED_LIMIT + self.entries.len() {
            self.served.table.retain(|served| served.seen.is_none());
        }
        self.served.insert(signature, entry);
    }

    /// Takes an entry out, and what leads to it.
    fn remove(&mut self, index: usize) -> Arc<Cached<T>> {
        let gone = self.entries.remove(index);
        let general = is_general(&gone.signature);
        self.n_general -= usize::from(general);
        if general || self.has_aliases {
            let table = &mut self.served.table;
            table.retain(|served| !Arc::ptr_eq(&served.entry, &gone));
        } else if (self.served.get(&gone.signature)).is_some_and(|e| Arc::ptr_eq(e, &gone)) {
            self.served.remove(&gone.signature);
        }
        if !general && self.served.get(&gone.signature).is_none() {
            let twin = (self.entries.iter().rev()).find(|e| e.signature == gone.signature);
            if let Some(twin) = twin.cloned() {
                self.served.insert(&gone.signature, &twin);
            }
        }
        gone
    }

    fn least_recently_used(&self) -> Option<usize> {
        (0..self.entries.len()).min_by_key(|&i| self.entries[i].used.load(Ordering::Relaxed))
    }
}

impl<T> TraceCache<T> {
    /// An empty cache of at most `limit` traces, at least one.
    pub fn new(limit: usize) -> TraceCache<T> {
        TraceCache {
            state: RwLock::new(State {
                entries: Vec::new(),
                served: Index::new(),
                n_general: 0,
                has_aliases: false,
                evictions: 0,
            }),
            limit: limit.max(1),
            calls: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// How many traces it keeps at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The trace for a call: the one it was served by before, else the most specific that fits; a fresh one in either
    /// case.
    pub fn find(&self, signature: &[u64], fresh: impl Fn(&T) -> bool) -> Option<Arc<Cached<T>>> {
        let now = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let found = self.peek(signature, fresh);
        match &found {
            Some(entry) => entry.used.store(now, Ordering::Relaxed),
            None => {
                self.misses.fetch_add(1, Ordering::Relaxed);
            }
        }
        found
    }

    /// As [`TraceCache::find`], leaving no mark of use.
    pub fn peek(&self, signature: &[u64], fresh: impl Fn(&T) -> bool) -> Option<Arc<Cached<T>>> {
        let known = self.state.read().served.get(signature).cloned();
        match known {
            Some(entry) if fresh(&entry.trace) => Some(entry),
            known => self.find_anew(signature, known.is_some(), fresh),
        }
    }

    /// Looks through the entries. Only a general one can serve a signature that was never served, since the others are
    /// found by their own.
    fn find_anew(
        &self,
        signature: &[u64],
        served: bool,
        fresh: impl Fn(&T) -> bool,
    ) -> Option<Arc<Cached<T>>> {
        let found = {
            let state = self.state.read();
            if !served && state.n_general == 0 {
                return None;
            }
            state.best(signature, fresh)?
        };
        let mut state = self.state.write();
        // It may have been dropped in between.
        if state.entries.iter().any(|e| Arc::ptr_eq(e, &found)) {
            state.remember(signature, &found);
        }
        Some(found)
    }

    /// Serves calls of that very signature by an entry that was kept for another: the newest whose trace it is.
    pub fn alias(&self, signature: &[u64], is_it: impl Fn(&T) -> bool) {
        let mut state = self.state.write();
        let entry = state
            .entries
            .iter()
            .rev()
            .find(|e| is_it(&e.trace))
            .cloned();
        if let Some(entry) = entry {
            state.has_aliases = true;
            state.remember(signature, &entry);
        }
    }

    /// Adds a trace for all calls that fit its signature, and gives the entry that made room for it.
    pub fn insert(&self, signature: &[u64], trace: T) -> Option<Arc<Cached<T>>> {
        let entry = Arc::new(Cached {
            signature: signature.into(),
            trace,
            used: AtomicU64::new(self.calls.load(Ordering::Relaxed)),
        });
        let mut state = self.state.write();
        let room = if state.entries.len() >= self.limit {
            state.least_recently_used()
        } else {
            None
        };
        let evicted = room.map(|index| state.remove(index));
        state.evictions += u64::from(evicted.is_some());
        if is_general(&entry.signature) {
            state.n_general += 1;
            let table = &mut state.served.table;
            table.retain(|served| served.seen.is_none() || !matches(signature, served.signature()));
        } else {
            state.served.insert(signature, &entry);
        }
        state.entries.push(entry);
        evicted
    }

    /// What `pick` makes of the newest entry of which it makes anything.
    pub fn newest<R>(&self, pick: impl Fn(&Cached<T>) -> Option<R>) -> Option<R> {
        let state = self.state.read();
        state.entries.iter().rev().find_map(|e| pick(e))
    }

    /// The entry whose signature differs in the fewest leaves, the newest of several.
    pub fn nearest(&self, signature: &[u64]) -> Option<Arc<Cached<T>>> {
        let state = self.state.read();
        let mut nearest = None;
        let mut least = (usize::MAX, usize::MAX);
        for entry in state.entries.iter().rev() {
            let far = distance(&entry.signature, signature);
            if far < least {
                (nearest, least) = (Some(entry), far);
            }
            if far <= (1, 1) {
                break;
            }
        }
        nearest.cloned()
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> Vec<Arc<Cached<T>>> {
        self.state.read().entries.clone()
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
        let mut dropped = Vec::new();
        let mut state = self.state.write();
        let mut index = 0;
        while index < state.entries.len() {
            if keep(&state.entries[index].signature) {
                index += 1;
            } else {
                dropped.push(state.remove(index));
            }
        }
        drop(state);
        drop(dropped);
    }

    /// Drops everything.
    pub fn clear(&self) {
        let mut state = self.state.write();
        let entries = std::mem::take(&mut state.entries);
        let served = std::mem::replace(&mut state.served, Index::new());
        state.n_general = 0;
        drop(state);
        drop((entries, served));
    }

    /// How it was used.
    pub fn stats(&self) -> CacheStats {
        let misses = self.misses.load(Ordering::Relaxed);
        let state = self.state.read();
        CacheStats {
            n_entries: state.entries.len(),
            hits: self.calls.load(Ordering::Relaxed).saturating_sub(misses),
            misses,
            evictions: state.evictions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Signature, SignatureBuilder, generalise};

    fn tensor(dims: &[usize]) -> Signature {
        let mut b = SignatureBuilder::new();
        b.tensor(11, dims.iter().map(|&d| Some(d)));
        b.finish()
    }

    fn found<T: Copy>(cache: &TraceCache<T>, dims: &[usize]) -> Option<T> {
        cache.find(&tensor(dims), |_| true).map(|e| e.trace)
    }

    #[test]
    fn the_most_specific_trace_serves() {
        let cache = TraceCache::new(8);
        let relaxed = generalise(&tensor(&[2]), &tensor(&[3]), false).unwrap();
        cache.insert(&relaxed, "relaxed");
        cache.insert(&tensor(&[4]), "exact");
        assert_eq!(found(&cache, &[4]), Some("exact"));
        assert_eq!(found(&cache, &[9]), Some("relaxed"));
        assert_eq!(found(&cache, &[9]), Some("relaxed"));
        assert_eq!(found(&cache, &[2, 2]), None);
        let expected = CacheStats {
            n_entries: 2,
            hits: 3,
            misses: 1,
            evictions: 0,
        };
        assert_eq!(cache.stats(), expected);
    }

    #[test]
    fn a_more_specific_trace_takes_over() {
        let cache = TraceCache::new(8);
        let relaxed = generalise(&tensor(&[2]), &tensor(&[3]), false).unwrap();
        cache.insert(&relaxed, "relaxed");
        assert_eq!(found(&cache, &[4]), Some("relaxed"));
        cache.insert(&tensor(&[4]), "exact");
        assert_eq!(found(&cache, &[4]), Some("exact"));
        cache.insert(&relaxed, "relaxed again");
        assert_eq!(found(&cache, &[4]), Some("exact"));
        assert_eq!(found(&cache, &[5]), Some("relaxed again"));
    }

    #[test]
    fn the_least_recently_used_makes_room() {
        let cache = TraceCache::new(2);
        assert!(cache.insert(&tensor(&[1]), 1).is_none());
        assert!(cache.insert(&tensor(&[2]), 2).is_none());
        assert_eq!(found(&cache, &[1]), Some(1));
        let gone = cache.insert(&tensor(&[3]), 3).unwrap();
        assert_eq!(gone.trace, 2);
        assert_eq!(found(&cache, &[2]), None);
        assert_eq!(found(&cache, &[1]), Some(1));
        assert_eq!(found(&cache, &[3]), Some(3));
        assert_eq!(cache.stats().evictions, 1);
        assert_eq!(cache.stats().n_entries, 2);
    }

    #[test]
    fn an_evicted_general_trace_serves_nothing_any_more() {
        let cache = TraceCache::new(1);
        cache.insert(&generalise(&tensor(&[2]), &tensor(&[3]), false).unwrap(), 0);
        assert_eq!(found(&cache, &[7]), Some(0));
        cache.insert(&tensor(&[1, 1]), 1);
        assert_eq!(found(&cache, &[7]), None);
    }

    #[test]
    fn stale_traces_wait_for_their_time() {
        let cache = TraceCache::new(8);
        cache.insert(&tensor(&[2]), "on");
        cache.insert(&tensor(&[2]), "off");
        for now in ["on", "off", "off", "on"] {
            let found = cache.find(&tensor(&[2]), |t| *t == now).unwrap();
            assert_eq!(found.trace, now);
        }
        assert!(cache.find(&tensor(&[2]), |_| false).is_none());
        cache.retain(|_| false);
        assert!(cache.find(&tensor(&[2]), |_| true).is_none());
    }

    #[test]
    fn an_evicted_twin_leaves_the_other_findable() {
        let cache = TraceCache::new(2);
        cache.insert(&tensor(&[2]), "on");
        cache.insert(&tensor(&[2]), "off");
        assert!(cache.find(&tensor(&[2]), |t| *t == "on").is_some());
        assert_eq!(cache.insert(&tensor(&[3]), "other").unwrap().trace, "off");
        assert_eq!(found(&cache, &[2]), Some("on"));
    }

    #[test]
    fn an_alias_goes_with_its_entry() {
        let cache = TraceCache::new(1);
        cache.insert(&tensor(&[2]), 0);
        cache.alias(&tensor(&[7, 7]), |t| *t == 0);
        assert_eq!(found(&cache, &[7, 7]), Some(0));
        cache.insert(&tensor(&[3]), 1);
        assert_eq!(found(&cache, &[7, 7]), None);
    }

    #[test]
    fn the_nearest_differs_in_the_fewest_leaves() {
        let call = |dims: &[usize], k: u64| {
            let mut b = SignatureBuilder::new();
            b.tensor(11, dims.iter().map(|&d| Some(d)));
            b.word(1, k);
            b.finish()
        };
        let cache = TraceCache::new(8);
        cache.insert(&call(&[2, 2], 7), "same number");
        cache.insert(&call(&[3, 3], 8), "nothing in common");
        assert_eq!(
            cache.nearest(&call(&[4, 4], 7)).unwrap().trace,
            "same number"
        );
        assert_eq!(
            cache.nearest(&call(&[3, 3], 9)).unwrap().trace,
            "nothing in common"
        );
    }
}
