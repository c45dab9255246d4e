//! Elements computed before they are asked for, by a thread.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, pause};
use crate::history::History;
use crate::worker::{WAIT, caught, locked, piece, spawn};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{Result, bail};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How many elements are kept where the program leaves that open.
const OPEN_SIZE: usize = 2;

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
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Ahead {
            input: Some(self.input.clone().open()?),
            history: History::here().branch(),
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
        let mut state = locked(&self.state);
        while state.ready.len() >= self.size && !state.is_abandoned {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_abandoned
    }

    fn put(&self, element: Result<Option<Tensors>>) {
        locked(&self.state).ready.push_back(element);
        self.changed.notify_all();
    }

    /// The oldest element, waiting for one a little.
    fn take(&self) -> Option<Result<Option<Tensors>>> {
        let mut state = locked(&self.state);
        if state.ready.is_empty() {
            let waited = self.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let element = state.ready.pop_front();
        self.changed.notify_all();
        element
    }

    fn abandon(&self) {
        self.unwanted.store(true, Ordering::Relaxed);
        locked(&self.state).is_abandoned = true;
        self.changed.notify_all();
    }
}

/// An iteration whose elements come from a worker, which starts with the first that is asked for.
struct Ahead {
    /// Gone once the worker has it.
    input: Option<BoxedElements>,
    history: History,
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
            start(input, self.history.clone(), self.queue.clone())?;
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
fn start(mut input: BoxedElements, history: History, queue: Arc<Queue>) -> Result<()> {
    spawn(move || {
        let _back = history.resume();
        work(input.as_mut(), &queue);
    })
}

fn work(input: &mut dyn Elements, queue: &Queue) {
    while queue.has_room() {
        let element = piece(&queue.unwanted, || caught(|| input.next(&PlanRunner)));
        let Some(element) = element else { return };
        let is_last = matches!(element, Ok(None));
        queue.put(element);
        if is_last {
            return;
        }
    }
}
