//! Profiles: what the steps of plans take while somebody wants to know.
//!
//! A thread keeps what it records to itself (`recorder.rs`) until its outermost call is done, then hands it to the profiles that are
//! open. Where none is, a call reads one flag.

mod recorder;

pub(crate) use recorder::{Key, Kind, in_call, in_step};

use ferrograph_graph::Graph;
use ferrograph_tensor::Origin;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::Mutex;
use recorder::{Recorder, Tally};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Single runs that a profile keeps of one step; others are only counted.
const RUNS_PER_STEP: usize = 1_000;

/// Single runs that a profile keeps.
const MOST_RUNS: usize = 100_000;

static OPEN: Mutex<Vec<Arc<Profile>>> = Mutex::new(Vec::new());
static ANY_OPEN: AtomicBool = AtomicBool::new(false);
/// How often a profile was opened or closed.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// Whether anybody wants to know.
#[inline]
pub(crate) fn is_on() -> bool {
    ANY_OPEN.load(Ordering::Relaxed)
}

/// The profiles that are open.
fn open_now() -> Vec<Arc<Profile>> {
    OPEN.lock().clone()
}

/// What plans on all threads took while it was open.
pub struct Profile {
    /// What times are counted from.
    epoch: Instant,
    found: Mutex<ProfileData>,
}

/// What a profile found.
#[derive(Clone, Default)]
pub struct ProfileData {
    /// The steps, in the order in which they were met.
    pub steps: Vec<ProfiledStep>,
    /// Single runs of steps, as many as are kept.
    pub runs: Vec<ProfiledRun>,
    /// The names of the threads that ran steps, by number.
    pub threads: Vec<(usize, Arc<str>)>,
    by_key: HashMap<Key, usize, FixedState>,
}

/// What a step took in total.
#[derive(Clone)]
pub struct ProfiledStep {
    key: Key,
    /// Keeps the graph, so that no other one has its address.
    graph: Option<Arc<Graph>>,
    /// How often it ran.
    pub count: u64,
    /// Nanoseconds, with the steps inside it.
    pub total: u64,
    /// Nanoseconds, without the steps inside it.
    pub own: u64,
    /// Bytes of the results.
    pub bytes: u64,
    n_kept: usize,
}

/// One run of a step.
#[derive(Clone, Copy)]
pub struct ProfiledRun {
    /// Which of the steps.
    pub step: usize,
    /// The number of the thread.
    pub thread: usize,
    /// Nanoseconds from the making of the profile to its beginning.
    pub begin: u64,
    /// Nanoseconds that it took.
    pub took: u64,
    /// Bytes of the results.
    pub bytes: u64,
}

impl ProfiledStep {
    /// The operation, or the graph whose plan was called.
    pub fn operation(&self) -> String {
        let Some(graph) = &self.graph else {
            return "?".to_owned();
        };
        let Some(node) = self.key.node else {
            return graph.name.to_string();
        };
        let name = graph.node(node).op.name();
        match self.key.n {
            0 | 1 => name.to_owned(),
            n => format!("{name} and {} more", n - 1),
        }
    }

    /// The name of the node; of a call, nothing.
    pub fn node(&self) -> Option<&str> {
        Some(&self.graph.as_ref()?.node(self.key.node?).name)
    }

    /// How it runs, in words.
    pub fn kind(&self) -> &'static str {
        self.key.kind.in_words()
    }

    /// The line of the program that it comes from.
    pub fn origin(&self) -> Option<&Origin> {
        self.graph.as_ref()?.node(self.key.node?).origin.as_deref()
    }
}

impl Profile {
    /// A profile that is not open yet.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Arc<Profile> {
        Arc::new(Profile {
            epoch: Instant::now(),
            found: Mutex::default(),
        })
    }

    /// Takes calls that begin from now on; false where it does so already.
    pub fn open(self: &Arc<Profile>) -> bool {
        let mut open = OPEN.lock();
        if open.iter().any(|other| Arc::ptr_eq(other, self)) {
            return false;
        }
        open.push(self.clone());
        ANY_OPEN.store(true, Ordering::Relaxed);
        CHANGES.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Takes no more.
    pub fn close(self: &Arc<Profile>) {
        let mut open = OPEN.lock();
        open.retain(|other| !Arc::ptr_eq(other, self));
        ANY_OPEN.store(!open.is_empty(), Ordering::Relaxed);
        CHANGES.fetch_add(1, Ordering::Relaxed);
    }

    /// What it found so far.
    pub fn data(&self) -> ProfileData {
        self.found.lock().clone()
    }

    /// Takes what a thread recorded, unless it was closed meanwhile.
    fn take(self: &Arc<Profile>, recorder: &Recorder) {
        if OPEN.lock().iter().any(|other| Arc::ptr_eq(other, self)) {
            self.found.lock().add(recorder, self.epoch);
        }
    }
}

impl ProfileData {
    fn add(&mut self, recorder: &Recorder, epoch: Instant) {
        let (thread, name) = recorder::thread();
        if !self.threads.iter().any(|(id, _)| *id == thread) {
            self.threads.push((thread, name));
        }
        let places: Vec<usize> = (recorder.tallies().iter())
            .map(|(key, tally)| self.count(*key, tally))
            .collect();
        for run in recorder.runs() {
            let step = places[run.tally];
            let n_kept = &mut self.steps[step].n_kept;
            if *n_kept >= RUNS_PER_STEP || self.runs.len() >= MOST_RUNS {
                continue;
            }
            *n_kept += 1;
            self.runs.push(ProfiledRun {
                step,
                thread,
                begin: recorder::nanos(run.begin.saturating_duration_since(epoch)),
                took: run.took,
                bytes: run.bytes,
            });
        }
    }

    /// Adds to what a step took, and says which one it is.
    fn count(&mut self, key: Key, tally: &Tally) -> usize {
        let place = *self.by_key.entry(key).or_insert_with(|| {
            self.steps.push(ProfiledStep {
                key,
                graph: tally.graph.clone(),
                count: 0,
                total: 0,
                own: 0,
                bytes: 0,
                n_kept: 0,
            });
            self.steps.len() - 1
        });
        let step = &mut self.steps[place];
        step.count += tally.count;
        step.total += tally.total;
        step.own += tally.own;
        step.bytes += tally.bytes;
        place
    }
}
