//! Cancellation: stopping long work from outside. Kernels poll between pieces of work: a look at the clock, now and
//! then a question to the host whether the user asked to stop. Where so, the rest of the work is left undone and the
//! stack unwinds with [`Stopped`], up to who catches it: what a kernel was writing is nobody's by then. So it does
//! where the allocator says that memory runs short.

use crate::scratch::exhausted;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What the stack unwinds with.
pub struct Stopped;

/// Tells whether the user asked to stop; who asks then stops.
type Check = fn() -> bool;

static CHECK: OnceLock<Check> = OnceLock::new();

/// How long work goes on without a question.
pub(crate) const INTERVAL: Duration = Duration::from_millis(2);

/// Small pieces of work between looks at the clock.
const POLLS: u32 = 64;

thread_local! {
    static POLLED: Cell<u32> = const { Cell::new(0) };
    static ASKED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// The bytes for which this thread's work drew on a reserve.
    static DRAWN: Cell<usize> = const { Cell::new(0) };
    /// Set while work of this thread is not to be stopped.
    static UNDISTURBED: Cell<bool> = const { Cell::new(false) };
    /// The work that this thread takes part in.
    static JOB: RefCell<Job> = const { RefCell::new(Job::NONE) };
}

/// Sets, once, how to find out whether the user asked to stop.
pub fn set_check(check: Check) {
    // A second call keeps the first check: there is one host.
    let _ = CHECK.set(check);
}

/// Says that memory for this thread's work came from a reserve: the work is given up at its next poll.
pub fn run_short(bytes: usize) {
    DRAWN.set(bytes);
    POLLED.set(u32::MAX);
}

pub(crate) fn is_asked() -> bool {
    !UNDISTURBED.get() && CHECK.get().is_some_and(|check| check())
}

/// Leaves the work of this thread undone.
pub fn stop() -> ! {
    resume_unwind(Box::new(Stopped))
}

/// Polls for cancellation after a small piece of work, of less than some microseconds.
#[inline]
pub fn poll_cancellation() {
    let n = POLLED.get().wrapping_add(1);
    POLLED.set(n);
    if n.is_multiple_of(POLLS) {
        pause();
    }
}

/// Polls for cancellation after a piece of work.
pub fn pause() {
    if UNDISTURBED.get() {
        return;
    }
    if DRAWN.get() > 0 {
        exhausted(DRAWN.take());
    }
    if Job::is_over() {
        stop();
    }
}

/// Whether it is time for a question, and the answer is to stop.
fn is_stop_due() -> bool {
    let now = Instant::now();
    let is_time = ASKED.get().is_none_or(|asked| now - asked >= INTERVAL);
    if is_time {
        ASKED.set(Some(now));
    }
    is_time && is_asked()
}

/// Does work that must not be left half done: it is asked for no stop, and is no part of other work. It is to be short.
pub fn undisturbed<R>(work: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            UNDISTURBED.set(self.0);
        }
    }
    let _back = Back(UNDISTURBED.replace(true));
    Job::NONE.run(work)
}

/// Work that threads share, or none.
#[derive(Clone)]
pub(crate) struct Job {
    stopped: Option<Arc<AtomicBool>>,
    /// Whether who does a part of it also asks the host whether to stop.
    asks: bool,
}

impl Job {
    /// Work of one thread, which asks by itself.
    const NONE: Job = Job {
        stopped: None,
        asks: true,
    };

    /// Work for several threads, which do not ask.
    pub(crate) fn shared() -> Job {
        Job {
            stopped: Some(Arc::default()),
            asks: false,
        }
    }

    /// The same work for the thread that asks the host whether to stop.
    pub(crate) fn asking(&self) -> Job {
        Job {
            asks: true,
            ..self.clone()
        }
    }

    /// Leaves the rest undone.
    pub(crate) fn stop(&self) {
        if let Some(stopped) = &self.stopped {
            stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the rest of what this thread takes part in is to be left undone; it asks where it is the one to ask.
    pub(crate) fn is_over() -> bool {
        let (asks, stopped) =
            JOB.with_borrow(|job| (job.asks, job.stopped.is_some().then(|| job.is_stopped())));
        if stopped == Some(true) {
            return true;
        }
        let stops = asks && is_stop_due();
        if stops {
            Job::current().stop();
        }
        stops
    }

    /// What the caller's thread takes part in.
    pub(crate) fn current() -> Job {
        JOB.with_borrow(Clone::clone)
    }

    /// Whether the rest of it is to be left undone.
    pub(crate) fn is_stopped(&self) -> bool {
        let stopped = self.stopped.as_ref();
        stopped.is_some_and(|stopped| stopped.load(Ordering::Relaxed))
    }

    /// Does a part of it on the caller's thread.
    pub(crate) fn run<R>(&self, part: impl FnOnce() -> R) -> R {
        struct Back(Job);
        impl Drop for Back {
            fn drop(&mut self) {
                JOB.replace(std::mem::replace(&mut self.0, Job::NONE));
            }
        }
        let _back = Back(JOB.replace(self.clone()));
        part()
    }
}

/// Does work by `spawn`, which starts what it is given on another thread and returns when that is done and so is its
/// last argument: meanwhile this thread asks whether to stop.
pub(crate) fn watched<R: Send>(
    work: impl FnOnce() -> R + Send,
    spawn: impl FnOnce(Box<dyn FnOnce() + Send + '_>, &dyn Fn()),
) -> R {
    let job = Job::shared();
    let (result, ended) = (Mutex::new(None), Condvar::new());
    let lock = || result.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || {
        let done = catch_unwind(AssertUnwindSafe(|| job.run(work)));
        *lock() = Some(done);
        ended.notify_one();
    };
    let wait = || {
        let mut done = lock();
        while done.is_none() {
            let waited = ended.wait_timeout(done, INTERVAL);
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
            if done.is_none() && !job.is_stopped() {
                drop(done);
                if is_asked() {
                    job.stop();
                }
                done = lock();
            }
        }
    };
    spawn(Box::new(run), &wait);
    if job.is_stopped() {
        stop();
    }
    match lock().take() {
        Some(Ok(result)) => result,
        Some(Err(panic)) => resume_unwind(panic),
        None => stop(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool;
    use crate::scratch::vec_of;

    thread_local! {
        /// Asked to stop, once, by the test that runs on this thread.
        static ASKING: Cell<bool> = const { Cell::new(false) };
    }
    static ALONE: Mutex<()> = Mutex::new(());

    fn asked(work: impl FnOnce()) -> bool {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        set_check(|| ASKING.replace(false));
        ASKED.set(None);
        ASKING.set(true);
        let stopped = catch_unwind(AssertUnwindSafe(work));
        ASKING.set(false);
        stopped.is_err_and(|panic| panic.is::<Stopped>())
    }

    fn slow(piece: usize) {
        std::thread::sleep(Duration::from_millis(1));
        std::hint::black_box(piece);
    }

    #[test]
    fn a_loop_that_polls_stops() {
        assert!(asked(|| (0..1000).for_each(|_| poll_cancellation())));
    }

    #[test]
    fn memory_that_is_filled_stops() {
        assert!(asked(|| drop(vec_of(0u64, 1 << 20))));
    }

    #[test]
    fn what_must_be_whole_is_not_stopped() {
        let mut done = 0;
        let work = || {
            undisturbed(|| {
                (0..1000).for_each(|_| {
                    poll_cancellation();
                    done += 1;
                })
            })
        };
        assert!(!asked(work));
        assert_eq!(done, 1000);
    }

    #[test]
    fn work_over_the_pool_stops_early() {
        let begin = Instant::now();
        let work = || pool::par_chunks(20_000, 1e6, |pieces| pieces.for_each(slow));
        assert!(asked(work));
        assert!(begin.elapsed() < Duration::from_secs(2));
        pool::install(|| ()); // the pool still serves
    }
}
