//! Forking while other threads compute. Work without the interpreter lock passes a gate that a fork closes: so no
//! lock of the core is held by a thread that the child does not have. Who waits at the gate holds nothing that the child
//! meets: the gate is the standard library's, whose locks share no state, and the child has a gate of its own.

use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a fork waits for work that runs. Past it the child takes its chances, as with work that never ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// Set while somebody waits for those within to leave.
const CLOSING: usize = 1 << (usize::BITS - 1);
/// Set while nobody is within and nobody may enter.
const CLOSED: usize = CLOSING >> 1;

struct Gate {
    /// How many are within, and the marks.
    within: AtomicUsize,
    changes: Mutex<()>,
    changed: Condvar,
}

impl Gate {
    const fn new() -> Gate {
        Gate {
            within: AtomicUsize::new(0),
            changes: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes through once none of the marks is set.
    fn enter(&self, unless: usize) {
        let more = |within: usize| (within & unless == 0).then_some(within + 1);
        let entered = || {
            let done = (self.within).fetch_update(Ordering::Acquire, Ordering::Relaxed, more);
            done.is_ok()
        };
        if !entered() {
            let through = self.changed.wait_while(self.lock(), |()| !entered());
            drop(through);
        }
    }

    fn leave(&self) {
        if self.within.fetch_sub(1, Ordering::Release) == CLOSING + 1 {
            drop(self.lock());
            self.changed.notify_all();
        }
    }

    /// Waits for other forks, then until nobody is within, and keeps others out; false where either takes too long.
    fn close(&self, patience: Duration) -> bool {
        let free = |within: usize| (within & (CLOSING | CLOSED) == 0).then_some(within | CLOSING);
        let begin = || {
            let begun = (self.within).fetch_update(Ordering::Relaxed, Ordering::Relaxed, free);
            begun.is_ok()
        };
        let shut = || {
            let (to, fail) = (Ordering::Acquire, Ordering::Relaxed);
            let shut = self.within.compare_exchange(CLOSING, CLOSED, to, fail);
            shut.is_ok()
        };
        let until = |held, done: &dyn Fn() -> bool| {
            let waited = (self.changed).wait_timeout_while(held, patience, |()| !done());
            let (held, late) = waited.unwrap_or_else(PoisonError::into_inner);
            (held, !late.timed_out())
        };
        let (held, is_ours) = until(self.lock(), &begin);
        if !is_ours {
            return false;
        }
        let (held, is_shut) = until(held, &shut);
        if !is_shut {
            self.within.fetch_and(!CLOSING, Ordering::Relaxed);
            self.changed.notify_all();
        }
        drop(held);
        is_shut
    }

    fn open(&self) {
        self.within.fetch_and(!CLOSED, Ordering::Release);
        drop(self.lock());
        self.changed.notify_all();
    }
}

static OPEN: Gate = Gate::new();

/// The gate of this process; a child gets one of its own, whose state no other thread was about to change.
static GATE: AtomicPtr<Gate> = AtomicPtr::new((&raw const OPEN).cast_mut());

thread_local! {
    /// How often this thread is within the gate.
    static WITHIN: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread closed the gate.
    static CLOSER: Cell<bool> = const { Cell::new(false) };
}

fn gate() -> &'static Gate {
    // SAFETY: the pointer is to a static or to a box that is never freed.
    unsafe { &*GATE.load(Ordering::Acquire) }
}

/// Within the gate as long as it lives.
struct Passage(&'static Gate);

impl Passage {
    fn new() -> Passage {
        let gate = gate();
        if WITHIN.get() == 0 {
            gate.enter(CLOSING | CLOSED); // behind a fork that waits, which would else never have its turn
        } else {
            gate.enter(CLOSED); // a fork that waits waits for this thread
        }
        WITHIN.set(WITHIN.get() + 1);
        Passage(gate)
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        WITHIN.set(WITHIN.get() - 1);
        // A child that was forked within has a gate of its own, through which nobody went yet.
        if std::ptr::eq(self.0, gate()) {
            self.0.leave();
        }
    }
}

/// Runs work without the interpreter lock.
pub(crate) fn unlocked<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    if CLOSER.get() {
        return work(); // within a fork, which waits for none but this thread
    }
    py.detach(|| {
        let _passage = Passage::new();
        work()
    })
}

/// Runs a piece of work of a thread that the interpreter does not know, for which others within the gate may wait.
pub(crate) fn beside(work: &mut dyn FnMut()) {
    let gate = gate();
    gate.enter(CLOSED);
    WITHIN.set(WITHIN.get() + 1);
    let _passage = Passage(gate);
    work();
}

/// Lets datasets compute nothing ahead any more, and waits a while for the threads that are at it.
#[pyfunction]
pub(crate) fn stop_prefetching(py: Python<'_>) {
    py.detach(|| ferrograph_data::stop_workers(Duration::from_secs(1)));
}

/// Waits until nothing runs without the interpreter lock and keeps new work from starting.
#[pyfunction]
pub(crate) fn before_fork(py: Python<'_>) {
    if WITHIN.get() == 0 && !CLOSER.get() {
        CLOSER.set(py.detach(|| gate().close(PATIENCE)));
    }
}

/// Lets work go on in the process that was forked.
#[pyfunction]
pub(crate) fn after_fork_in_parent() {
    if CLOSER.replace(false) {
        gate().open();
    }
}

/// Opens a new gate for the child, whose only thread this is.
#[pyfunction]
pub(crate) fn after_fork_in_child() {
    CLOSER.set(false);
    GATE.store(Box::into_raw(Box::new(Gate::new())), Ordering::Release);
}
