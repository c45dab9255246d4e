//! What one thread records of its calls.

use super::{CHANGES, MOST_RUNS, Profile, RUNS_PER_STEP, open_now};
use ferrograph_graph::{Graph, NodeId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// A call of a plan.
    Call,
    Kernel,
    /// Several operations as one kernel.
    Fused,
    /// Updates variables in place.
    Update,
    Object,
    /// Computes on tensors.
    Eval,
    Alias,
    Branch,
    Loop,
    MachineCode,
}

impl Kind {
    pub fn in_words(self) -> &'static str {
        match self {
            Kind::Call => "call",
            Kind::Kernel => "kernel",
            Kind::Fused => "fused",
            Kind::Update => "update",
            Kind::Object => "object",
            Kind::Eval => "eval",
            Kind::Alias => "alias",
            Kind::Branch => "branch",
            Kind::Loop => "loop",
            Kind::MachineCode => "machine code",
        }
    }
}

/// What is counted together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The address of the graph, which whoever counts keeps.
    pub graph: usize,
    /// The node that the step runs, or the first of several; none for a call.
    pub node: Option<NodeId>,
    pub kind: Kind,
    /// How many operations or steps it is made of.
    pub n: usize,
}

/// What a step took in a call.
pub(super) struct Tally {
    pub graph: Option<Arc<Graph>>,
    pub count: u64,
    pub total: u64,
    pub own: u64,
    pub bytes: u64,
}

/// One run of a step.
pub(super) struct Run {
    pub tally: usize,
    pub begin: Instant,
    pub took: u64,
    pub bytes: u64,
}

/// What a thread records from the beginning of its outermost call to its end.
#[derive(Default)]
pub(super) struct Recorder {
    /// Who wants to know.
    profiles: Vec<Arc<Profile>>,
    /// How often profiles had been opened or closed when it began.
    changes: usize,
    depth: usize,
    /// Nanoseconds of the steps inside the one that runs.
    inner: u64,
    tallies: Vec<(Key, Tally)>,
    by_key: HashMap<Key, usize, FixedState>,
    runs: Vec<Run>,
}

impl Recorder {
    fn begun(changes: usize) -> Recorder {
        Recorder {
            profiles: open_now(),
            changes,
            ..Recorder::default()
        }
    }

    pub fn tallies(&self) -> &[(Key, Tally)] {
        &self.tallies
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    fn add(&mut self, done: Done, graph: impl FnOnce() -> Option<Arc<Graph>>) {
        let own = done.took.saturating_sub(self.inner);
        let place = *self.by_key.entry(done.key).or_insert_with(|| {
            let tally = Tally {
                graph: graph(),
                count: 0,
                total: 0,
                own: 0,
                bytes: 0,
            };
            self.tallies.push((done.key, tally));
            self.tallies.len() - 1
        });
        let tally = &mut self.tallies[place].1;
        tally.count += 1;
        tally.total += done.took;
        tally.own += own;
        tally.bytes += done.bytes;
        if tally.count <= RUNS_PER_STEP as u64 && self.runs.len() < MOST_RUNS {
            self.runs.push(Run {
                tally: place,
                begin: done.begin,
                took: done.took,
                bytes: done.bytes,
            });
        }
    }
}

/// A step that has run.
struct Done {
    key: Key,
    begin: Instant,
    took: u64,
    bytes: u64,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
    static THREAD: (usize, Arc<str>) = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = std::thread::current().name().map_or_else(|| format!("thread {id}"), str::to_owned);
        (id, name.into())
    };
}

/// The number and name of this thread.
pub(super) fn thread() -> (usize, Arc<str>) {
    THREAD.with(Clone::clone)
}

/// Nanoseconds; some 500 years at most.
pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Runs a step of a call that is recorded; it says how many bytes it gave.
pub(crate) fn in_step<R>(
    key: Key,
    graph: impl FnOnce() -> Option<Arc<Graph>>,
    step: impl FnOnce() -> (R, u64),
) -> R {
    let outer = RECORDER.with_borrow_mut(|r| std::mem::take(&mut r.inner));
    let begin = Instant::now();
    let (result, bytes) = step();
    let took = nanos(begin.elapsed());
    let done = Done {
        key,
        begin,
        took,
        bytes,
    };
    RECORDER.with_borrow_mut(|r| {
        r.add(done, graph);
        r.inner = outer + took;
    });
    result
}

/// Runs a call and records it. The outermost one hands what was recorded to the profiles.
pub(crate) fn in_call<R>(
    key: Key,
    graph: impl FnOnce() -> Option<Arc<Graph>>,
    call: impl FnOnce() -> R,
) -> R {
    let _entered = Entered::enter();
    in_step(key, graph, || (call(), 0))
}

/// An active call. When it ends, also by unwinding, the thread's recorder is as the caller left it.
struct Entered {
    /// What the caller records, where profiles were opened or closed since it began.
    others: Option<Recorder>,
    begin: Instant,
    /// Nanoseconds of steps inside the caller's so far.
    inner: u64,
}

impl Entered {
    fn enter() -> Entered {
        let changes = CHANGES.load(Ordering::Relaxed);
        let begin = Instant::now();
        RECORDER.with_borrow_mut(|r| {
            let inner = r.inner;
            let is_new = r.depth == 0 || r.changes != changes;
            let others = is_new.then(|| std::mem::replace(r, Recorder::begun(changes)));
            r.depth += 1;
            Entered {
                others,
                begin,
                inner,
            }
        })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let took = nanos(self.begin.elapsed());
        let done = RECORDER.with_borrow_mut(|r| {
            r.depth -= 1;
            let done = self
                .others
                .take()
                .map(|others| std::mem::replace(r, others));
            r.inner = self.inner + took;
            done
        });
        if let Some(done) = done {
            done.profiles.iter().for_each(|profile| profile.take(&done));
        }
    }
}
