//! Stopping long runs from outside.

use ferrograph_kernels::scratch::Exhausted;
use ferrograph_kernels::stop;
use ferrograph_tensor::{Error, Result, err};
use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Tells whether the user asked to stop.
type InterruptCheck = fn() -> Result<()>;

static INTERRUPT_CHECK: OnceLock<InterruptCheck> = OnceLock::new();

thread_local! {
    /// Why kernels of this thread were stopped.
    static REASON: RefCell<Option<Error>> = const { RefCell::new(None) };
    /// Set where nobody wants what this thread computes.
    static UNWANTED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Sets, once, how loops and kernels find out that they should stop.
pub fn set_interrupt_check(check: InterruptCheck) {
    // A second call keeps the first check: there is one host language.
    let _ = INTERRUPT_CHECK.set(check);
    stop::set_check(|| {
        let reason = check_interrupt().err();
        let asked = reason.is_some();
        if asked {
            REASON.set(reason);
        }
        asked
    });
}

/// Why kernels unwound the stack with [`Stopped`](stop::Stopped) or [`Exhausted`], if that is what this is.
pub fn stopped(panic: &(dyn Any + Send)) -> Option<Error> {
    if let Some(Exhausted(bytes)) = panic.downcast_ref() {
        return Some(err!(
            ResourceExhausted,
            "out of memory allocating {bytes} bytes"
        ));
    }
    panic.downcast_ref::<stop::Stopped>()?;
    let reason = REASON.take();
    Some(reason.unwrap_or_else(|| err!(Cancelled, "the work was stopped")))
}

/// What came of work that may as well be left undone; nothing where it failed, as it fails again where it has to be
/// done. That the user asked to stop is no such failure: the stack unwinds with it, up to who asks [`stopped`].
pub fn attempt<T>(work: Result<T>) -> Option<T> {
    if let Err(e) = &work
        && e.is_interrupt()
    {
        REASON.set(Some(e.clone()));
        stop::stop();
    }
    work.ok()
}

/// Does work of this thread for as long as somebody wants it: once the flag is set, it stops as for an interrupt.
pub fn while_wanted<R>(unwanted: &Arc<AtomicBool>, work: impl FnOnce() -> R) -> R {
    struct Back(Option<Arc<AtomicBool>>);
    impl Drop for Back {
        fn drop(&mut self) {
            UNWANTED.replace(self.0.take());
        }
    }
    let _back = Back(UNWANTED.replace(Some(unwanted.clone())));
    work()
}

/// Stops a long run where the user asked for it.
///
/// # Errors
/// What the host language raises then.
pub fn check_interrupt() -> Result<()> {
    let set = |flag: &Option<Arc<AtomicBool>>| {
        let flag = flag.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    };
    if UNWANTED.with_borrow(set) {
        return Err(err!(Cancelled, "nobody wants the result any more"));
    }
    INTERRUPT_CHECK.get().map_or(Ok(()), |check| check())
}

/// Runs work that waits for another thread, which may need what this one holds of the host language.
type Waiting = fn(&mut (dyn FnMut() + Send));

static WAITING: OnceLock<Waiting> = OnceLock::new();

/// Sets, once, how a thread waits for another one without keeping the host language from it.
pub fn set_waiting(waiting: Waiting) {
    // A second call keeps the first: there is one host language.
    let _ = WAITING.set(waiting);
}

/// Runs work that waits for another thread.
pub fn while_waiting(work: &mut (dyn FnMut() + Send)) {
    match WAITING.get() {
        Some(waiting) => waiting(work),
        None => work(),
    }
}

/// How long a loop runs on without a check.
const INTERVAL: Duration = Duration::from_millis(2);

/// Iterations between two looks at the clock, at most.
const MOST: u32 = 128;

/// Checks for interrupts at intervals of time, however long an iteration takes, and mostly just counts.
pub struct Watch {
    checked: Instant,
    batch: u32,
    left: u32,
}

impl Watch {
    /// A watch that starts now.
    pub fn start() -> Watch {
        Watch {
            checked: Instant::now(),
            batch: 1,
            left: 1,
        }
    }

    /// Says that an iteration is over.
    ///
    /// # Errors
    /// As [`check_interrupt`].
    #[inline]
    pub fn tick(&mut self) -> Result<()> {
        self.left -= 1;
        if self.left == 0 {
            return self.look();
        }
        Ok(())
    }

    #[cold]
    fn look(&mut self) -> Result<()> {
        let is_time = self.checked.elapsed() >= INTERVAL;
        self.batch = match is_time {
            true => (self.batch / 2).max(1),
            false => (self.batch * 2).min(MOST),
        };
        self.left = self.batch;
        if is_time {
            let answer = check_interrupt();
            self.checked = Instant::now();
            return answer;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::ErrorKind;
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn looks_become_rare_in_fast_loops_and_stay_frequent_in_slow_ones() {
        let mut fast = Watch::start();
        (0..100_000).for_each(|_| fast.tick().unwrap());
        assert!(fast.batch > 1);
        let mut slow = Watch::start();
        for _ in 0..3 {
            std::thread::sleep(INTERVAL);
            slow.tick().unwrap();
        }
        assert_eq!((slow.batch, slow.left), (1, 1));
    }

    #[test]
    fn a_watch_goes_on_looking_after_an_interrupt() {
        thread_local! {
            static ASKED: Cell<Option<u32>> = const { Cell::new(None) };
        }
        set_interrupt_check(|| {
            let Some(asked) = ASKED.get() else {
                return Ok(());
            };
            ASKED.set(Some(asked + 1));
            Err(err!(Cancelled, "stop"))
        });
        ASKED.set(Some(0));
        let mut watch = Watch::start();
        for asked in 1..4 {
            std::thread::sleep(INTERVAL);
            let mut ticks = 0..2 * MOST;
            assert!(ticks.any(|_| watch.tick().is_err()));
            assert_eq!(ASKED.get(), Some(asked));
        }
    }

    #[test]
    fn unwanted_work_stops() {
        let unwanted = Arc::new(AtomicBool::new(false));
        while_wanted(&unwanted, || {
            check_interrupt().unwrap();
            unwanted.store(true, Ordering::Relaxed);
            assert!(check_interrupt().is_err());
        });
        check_interrupt().unwrap();
    }

    #[test]
    fn attempts_fail_quietly_and_stop_loudly() {
        assert_eq!(attempt(Ok(3)), Some(3));
        assert_eq!(attempt::<()>(Err(err!(Shape, "no"))), None);
        let asked = Error::foreign(ErrorKind::Cancelled, "stop", Arc::new(()));
        let unwound = catch_unwind(AssertUnwindSafe(|| attempt::<()>(Err(asked)))).unwrap_err();
        assert!(stopped(&*unwound).unwrap().is_interrupt());
    }
}
