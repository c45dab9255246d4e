//! The end of the interpreter. From then on it ends each thread that asks for its lock, and takes its stack apart for
//! that: which must not happen to a thread that runs Python code called from here. So such daemon threads are told to
//! stop before, and none comes in any more.

use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use std::cell::Cell;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long threads have to stop from where they were last seen to move.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long they have in all.
const LIMIT: Duration = Duration::from_secs(10);
/// How long they have until they are told again.
const INTERVAL: Duration = Duration::from_millis(5);

static ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread ends the interpreter.
    static ENDS: Cell<bool> = const { Cell::new(false) };
}

/// Stops the threads within, whose numbers and places in the program `threads_within` lists, and keeps others from
/// coming in.
#[pyfunction]
pub(crate) fn before_exit(threads_within: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = threads_within.py();
    ENDS.set(true);
    ENDING.store(true, Ordering::Release);
    let begin = Instant::now();
    let (mut seen, mut moved) = (Vec::new(), begin);
    while begin.elapsed() < LIMIT && moved.elapsed() < PATIENCE {
        let threads: Vec<(c_ulong, usize, i64)> = threads_within.call0()?.extract()?;
        if threads.is_empty() {
            break;
        }
        if threads != seen {
            (seen, moved) = (threads.clone(), Instant::now());
        }
        for (thread, ..) in threads {
            let exception = py.get_type::<PySystemExit>();
            // SAFETY: the lock is held; the exception is a live class, of which the interpreter takes a reference.
            unsafe { pyo3::ffi::PyThreadState_SetAsyncExc(thread as _, exception.as_ptr()) };
        }
        py.detach(|| std::thread::sleep(INTERVAL));
    }
    Ok(())
}

/// Lets a thread call Python from here; for ever later where the interpreter ends.
#[inline]
pub(crate) fn enter(py: Python<'_>) {
    if ENDING.load(Ordering::Relaxed) && !ENDS.get() {
        wait(py);
    }
}

#[cold]
fn wait(py: Python<'_>) {
    py.detach(|| {
        loop {
            std::thread::park();
        }
    });
}
