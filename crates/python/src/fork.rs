//! Forking while other threads compute. Work without the interpreter lock passes a gate that a fork closes: so no
//! lock of the core is held by a thread that the child does not have.

use parking_lot::lock_api::RawRwLockTimed;
use parking_lot::lock_api::{RawRwLock as _, RawRwLockRecursive};
use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

/// How long a fork waits for work that runs. Past it the child takes its chances, as with work that never ends.
const PATIENCE: Duration = Duration::from_secs(10);

type Gate = parking_lot::RawRwLock;

static OPEN: Gate = Gate::INIT;

/// The gate of this process; a child gets one of its own, whose state no other thread was about to change.
static GATE: AtomicPtr<Gate> = AtomicPtr::new((&raw const OPEN).cast_mut());

thread_local! {
    /// How often this thread is within the gate.
    static WITHIN: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread closed the gate.
    static CLOSED: Cell<bool> = const { Cell::new(false) };
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
            gate.lock_shared(); // behind a fork that waits, which would else never have its turn
        } else {
            gate.lock_shared_recursive(); // a fork that waits waits for this thread
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
            // SAFETY: locked when it was made.
            unsafe { self.0.unlock_shared() };
        }
    }
}

/// Runs work without the interpreter lock.
pub(crate) fn unlocked<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    if CLOSED.get() {
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
    gate.lock_shared_recursive();
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
    if WITHIN.get() == 0 && !CLOSED.get() {
        CLOSED.set(py.detach(|| gate().try_lock_exclusive_for(PATIENCE)));
    }
}

/// Lets work go on in the process that was forked.
#[pyfunction]
pub(crate) fn after_fork_in_parent() {
    if CLOSED.replace(false) {
        // SAFETY: locked by this thread in `before_fork`.
        unsafe { gate().unlock_exclusive() };
    }
}

/// Opens a new gate for the child, whose only thread this is.
#[pyfunction]
pub(crate) fn after_fork_in_child() {
    CLOSED.set(false);
    GATE.store(Box::into_raw(Box::new(Gate::INIT)), Ordering::Release);
}
