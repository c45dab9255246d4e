//! Elements computed before they are asked for, by a thread.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_ops::{Iteration, stopped, while_wanted};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{Result, bail, err};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How many elements are kept where the program leaves that open.
const OPEN_SIZE: usize = 2;

/// How long a consumer waits before it looks for an interrupt.
const WAIT: Duration = Duration::from_millis(10);

/// Runs one piece of a worker's work, where a host has something around it.
type Passage = fn(&mut dyn FnMut());

static PASSAGE: OnceLock<Passage> = OnceLock::new();
static STOPPING: AtomicBool = AtomicBool::new(false);
static WORKING: AtomicUsize = AtomicUsize::new(0);

/// Sets, once, what workers run each element within.
pub fn set_passage(passage: Passage) {
    // A second call keeps the first: there is one host language.
    let _ = PASSAGE.set(passage);
}

/// Lets no worker begin another element, and waits a while for those that are at one.
pub fn stop_workers(patience: Duration) {
    STOPPING.store(true, Ordering::SeqCst);
    let end = Instant::now() + patience;
    while WORKING.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// A dataset of which a thread computes up to `size` elements ahead.
#[derive(Debug)]
pub(crate) struct Prefetch {
    input: DatasetRef,
    size: usize,
}

impl Prefetch {
    /// A negative size leaves it open.
    pub fn new(input: DatasetRef, size: i64) -> Prefetch {
        let size = usize::try_from(size).unwrap_or(OPEN_SIZE);
        Prefetch { input, size }
    }
}

impl Dataset for Prefetch {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Ahead {
            input: Some(self.input.clone().open()?),
            iteration: Iteration::here(),
            queue: Arc::new(Queue::new(self.size)),
            process: std::process::id(),
            has_ended: false,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

/// What a worker has computed and nobody has taken yet.
struct Queue {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Set once nobody wants elements, for the one that is being computed.
    unwanted: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    ready: VecDeque<Result<Option<Tensors>>>,
    is_abandoned: bool,
}

impl Queue {
    fn new(size: usize) -> Queue {
        Queue {
            size,
            state: Mutex::default(),
            changed: Condvar::new(),
            unwanted: Arc::default(),
        }
    }

    /// Waits for room; whether anybody still wants elements.
    fn has_room(&self) -> bool {
        let mut state = self.state.lock();
        while state.ready.len() >= self.size && !state.is_abandoned {
            self.changed.wait(&mut state);
        }
        !state.is_abandoned
    }

    fn put(&self, element: Result<Option<Tensors>>) {
        self.state.lock().ready.push_back(element);
        self.changed.notify_all();
    }

    /// The oldest element, waiting for one a little.
    fn take(&self) -> Option<Result<Option<Tensors>>> {
        let mut state = self.state.lock();
        if state.ready.is_empty() {
            self.changed.wait_for(&mut state, WAIT);
        }
        let element = state.ready.pop_front();
        self.changed.notify_all();
        element
    }

    fn abandon(&self) {
        self.unwanted.store(true, Ordering::Relaxed);
        self.state.lock().is_abandoned = true;
        self.changed.notify_all();
    }
}

/// An iteration whose elements come from a worker, which starts with the first that is asked for.
struct Ahead {
    /// Gone once the worker has it.
    input: Option<BoxedElements>,
    iteration: Iteration,
    queue: Arc<Queue>,
    /// The process that the worker is in.
    process: u32,
    has_ended: bool,
}

impl Elements for Ahead {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.has_ended {
            return Ok(None);
        }
        if let Some(input) = self.input.take() {
            self.process = std::process::id();
            start(input, self.iteration.clone(), self.queue.clone())?;
        }
        if self.process != std::process::id() {
            bail!(
                FailedPrecondition,
                "the thread that prefetches for this iterator stayed in the process that was forked: begin another \
                 iteration here"
            );
        }
        loop {
            if let Some(element) = self.queue.take() {
                self.has_ended = matches!(element, Ok(None));
                return element;
            }
            pause()?;
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // A forked process may have the lock of a worker that it does not have.
        if self.process == std::process::id() {
            self.queue.abandon();
        }
    }
}

/// Starts a worker.
fn start(input: BoxedElements, iteration: Iteration, queue: Arc<Queue>) -> Result<()> {
    let worker = thread::Builder::new().name("ferrograph-prefetch".into());
    let spawned = worker.spawn(move || {
        let _back = iteration.resume();
        work(input, &queue);
    });
    spawned
        .map(drop)
        .map_err(|e| err!(ResourceExhausted, "no thread to prefetch with: {e}"))
}

fn work(mut input: BoxedElements, queue: &Queue) {
    while queue.has_room() {
        let mut element = None;
        within(&mut || {
            element = while_wanted(&queue.unwanted, || compute(input.as_mut()));
        });
        let Some(element) = element else { return };
        let is_last = matches!(element, Ok(None));
        queue.put(element);
        if is_last {
            return;
        }
    }
}

/// The next element; `None` where the process is about to end.
fn compute(input: &mut dyn Elements) -> Option<Result<Option<Tensors>>> {
    WORKING.fetch_add(1, Ordering::SeqCst);
    let found = (!STOPPING.load(Ordering::SeqCst)).then(|| {
        catch_unwind(AssertUnwindSafe(|| input.next(&PlanRunner))).unwrap_or_else(|panic| {
            let reason = stopped(&*panic);
            Err(reason.unwrap_or_else(|| err!(Internal, "a thread that prefetches panicked")))
        })
    });
    WORKING.fetch_sub(1, Ordering::SeqCst);
    found
}

fn within(work: &mut dyn FnMut()) {
    match PASSAGE.get() {
        Some(passage) => passage(work),
        None => work(),
    }
}
