//! Threads that compute elements: what each piece of their work is done within, and how they end. Between two pieces
//! they may be anywhere when the process is forked. So they wait by the standard library's locks, which share no state
//! with others: those of `parking_lot` share a table, of which a fork may catch a part locked for ever.

use ferrograph_kernels::pool::STACK;
use ferrograph_ops::{stopped, while_wanted};
use ferrograph_tensor::{Result, err};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a consumer waits before it looks for an interrupt.
pub(crate) const WAIT: Duration = Duration::from_millis(10);

/// What the mutex guards, whatever a thread that panicked left there.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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

/// Does a piece of a worker's work, as long as somebody wants it; `None` where the process is about to end.
pub(crate) fn piece<R>(unwanted: &Arc<AtomicBool>, work: impl FnOnce() -> R) -> Option<R> {
    let (mut work, mut found) = (Some(work), None);
    within(&mut || {
        WORKING.fetch_add(1, Ordering::SeqCst);
        if !STOPPING.load(Ordering::SeqCst) {
            found = work.take().map(|work| while_wanted(unwanted, work));
        }
        WORKING.fetch_sub(1, Ordering::SeqCst);
    });
    found
}

/// What work comes to; that it unwound the stack is an error like others.
pub(crate) fn caught<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let reason = stopped(&*panic);
        Err(reason.unwrap_or_else(|| err!(Internal, "a thread that computes elements panicked")))
    })
}

/// Starts a worker.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> Result<()> {
    let worker = thread::Builder::new().name("ferrograph-elements".into());
    worker
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .map_err(|e| err!(ResourceExhausted, "no thread to compute elements with: {e}"))
}

/// Runs a piece of a worker's work within what a host has around it.
pub(crate) fn within(work: &mut dyn FnMut()) {
    match PASSAGE.get() {
        Some(passage) => passage(work),
        None => work(),
    }
}
