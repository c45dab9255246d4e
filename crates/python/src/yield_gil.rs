//! Yielding the global interpreter lock (GIL): long work with it yields it to other threads now and then, and long work
//! without it asks whether the user wants to stop.

use crate::errors::interrupted;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long work goes on with the lock. A thread that waits asks for it after 5 ms, and gets it at the next yield.
const WITH_LOCK: Duration = Duration::from_millis(1);

/// How long work goes on without the lock until it asks for it, to look for an interrupt.
const WITHOUT_LOCK: Duration = Duration::from_millis(10);

thread_local! {
    /// When this thread asked for the lock last.
    static ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Lets loops and kernels notice a pending interrupt (Ctrl-C), and other threads have the lock if this one holds it.
pub(crate) fn check_interrupt() -> ferrograph_tensor::Result<()> {
    if holds_lock() {
        return Python::attach(|py| yield_gil(py).map_err(interrupted));
    }
    let now = Instant::now();
    let is_early = ASKED.get().is_some_and(|asked| now - asked < WITHOUT_LOCK);
    if is_early || !handles_signals() {
        return Ok(());
    }
    ASKED.set(Some(now));
    Python::attach(|py| py.check_signals().map_err(interrupted))
}

/// Whether this thread holds the lock; no thread does that the interpreter does not know, or knows no more.
fn holds_lock() -> bool {
    // SAFETY: both calls only look at what is stored of this thread.
    unsafe { !ffi::PyGILState_GetThisThreadState().is_null() && ffi::PyGILState_Check() == 1 }
}

/// Does what the interpreter does between two steps of Python code: who waits for the lock since 5 ms has it, signals
/// are handled. To give the lock up and to take it again at once would keep it from all who have to wake up first.
///
/// The step alone misses signals that the system gave to a thread which the interpreter does not know.
fn yield_gil(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    static STEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let step = STEP.get_or_try_init(py, || {
        let step = py.eval(c"lambda: None", Some(&PyDict::new(py)), None);
        step.map(Bound::unbind)
    })?;
    step.bind(py).call0().map(drop)
}

/// Whether this may be the thread on which the interpreter handles signals.
fn handles_signals() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: both calls only ask for numbers.
    return unsafe { libc::gettid() == libc::getpid() };
    #[cfg(not(target_os = "linux"))]
    true
}

/// Yields the lock between pieces of work on Python objects, which needs it.
pub(crate) struct GilYield {
    /// When the lock was had last, as far as the clock was looked at.
    since: Option<Instant>,
    pieces: u32,
}

impl GilYield {
    /// Pieces between looks at the clock.
    const FEW: u32 = 256;

    /// Begins with the first look at the clock.
    pub(crate) fn new() -> GilYield {
        GilYield {
            since: None,
            pieces: 0,
        }
    }

    /// Says that a small piece is done, of less than some microseconds.
    ///
    /// # Errors
    /// What a signal handler raises.
    #[inline]
    pub(crate) fn tick(&mut self, py: Python<'_>) -> PyResult<()> {
        self.pieces += 1;
        match self.pieces % GilYield::FEW {
            0 => self.pause(py),
            _ => Ok(()),
        }
    }

    /// Says that a piece is done.
    ///
    /// # Errors
    /// As [`GilYield::tick`].
    #[cold]
    pub(crate) fn pause(&mut self, py: Python<'_>) -> PyResult<()> {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= WITH_LOCK {
            yield_gil(py)?;
            self.since = Some(Instant::now());
        }
        Ok(())
    }
}
