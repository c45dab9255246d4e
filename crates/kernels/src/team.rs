//! Items of work that a thread does together with those of the pool that come in time. It begins at once and waits only
//! for who has begun: to wake a thread takes about as long as the shortest work that is worth another one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::scratch::collected;
use crate::stop::{self, INTERVAL, Job};

/// The items from the upper half of the number to the lower half, which are left of a share.
struct Share(AtomicU64);

impl Share {
    fn of(from: u32, to: u32) -> Share {
        Share(AtomicU64::new(u64::from(from) << 32 | u64::from(to)))
    }

    /// Takes the first item, or the last one.
    fn take(&self, first: bool) -> Option<u32> {
        let left = |all: u64| ((all >> 32) as u32, all as u32);
        let rest = |all: u64| match left(all) {
            (from, to) if from >= to => None,
            (from, to) if first => Some(u64::from(from + 1) << 32 | u64::from(to)),
            (from, to) => Some(u64::from(from) << 32 | u64::from(to - 1)),
        };
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        taken.ok().map(|all| match left(all) {
            (from, _) if first => from,
            (_, to) => to - 1,
        })
    }
}

/// Calls to a function that outlives the team's work.
struct Work(*const (dyn Fn(usize) + Sync));

// SAFETY: the function may be called by several threads at once.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

struct Team {
    work: Work,
    shares: Vec<Share>,
    job: Job,
    /// How many helpers are at work, and [`CLOSED`] once none may begin.
    inside: AtomicUsize,
    left: (Mutex<()>, Condvar),
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

/// How often a thread looks whether the others are done before it sleeps: some microseconds.
const LOOKS: usize = 200;

/// Calls `work` on each number below `n`, on this thread and on as many helpers as `spawn` starts with what it is given.
/// Each has a share of consecutive numbers, of which others take the last ones when they are done with theirs.
pub(crate) fn each(
    n: u32,
    helpers: usize,
    work: &(dyn Fn(usize) + Sync),
    spawn: impl Fn(Box<dyn FnOnce() + Send>),
) {
    let place = |i: usize| (u64::from(n) * i as u64 / (helpers as u64 + 1)) as u32;
    let shares = (0..helpers + 1).map(|i| Share::of(place(i), place(i + 1)));
    // SAFETY: only the lifetime is another one. The function is called between `enter` and `leave` alone, and by this
    // thread, which goes on when nobody is left inside and nobody can enter.
    let work = unsafe {
        std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work)
    };
    let team = Arc::new(Team {
        work: Work(work),
        shares: collected(shares),
        job: Job::shared(),
        inside: AtomicUsize::new(0),
        left: Default::default(),
        panic: Mutex::new(None),
    });
    for i in 1..=helpers {
        let team = team.clone();
        spawn(Box::new(move || team.help(i)));
    }
    let own = catch_unwind(AssertUnwindSafe(|| {
        team.job.asking().run(|| team.drain(0));
    }));
    if own.is_err() {
        team.job.stop();
    }
    team.close();
    let theirs = team
        .panic
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(panic) = own.err().or(theirs) {
        resume_unwind(panic);
    }
    if team.job.is_stopped() {
        stop::stop();
    }
}

impl Team {
    /// Does items until there are none left, those of its own share first.
    fn drain(&self, own: usize) {
        let n = self.shares.len();
        let next = || (0..n).find_map(|i| self.shares[(own + i) % n].take(i == 0));
        // SAFETY: `each` waits for who is here.
        let work = unsafe { &*self.work.0 };
        while !Job::is_over()
            && let Some(item) = next()
        {
            work(item as usize);
        }
    }

    fn help(&self, share: usize) {
        if !self.enter() {
            return;
        }
        let done = catch_unwind(AssertUnwindSafe(|| self.job.run(|| self.drain(share))));
        if let Err(panic) = done {
            self.job.stop();
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
        self.leave();
    }

    /// Whether there is still work to begin.
    fn enter(&self) -> bool {
        let more = |inside: usize| (inside & CLOSED == 0).then_some(inside + 1);
        let entered = self
            .inside
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, more);
        entered.is_ok()
    }

    fn leave(&self) {
        if self.inside.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            drop(self.left.0.lock());
            self.left.1.notify_one();
        }
    }

    fn is_empty(&self) -> bool {
        self.inside.load(Ordering::Acquire) == CLOSED
    }

    /// Lets nobody begin any more and waits for who has; meanwhile asks whether to stop.
    fn close(&self) {
        self.inside.fetch_or(CLOSED, Ordering::AcqRel);
        for _ in 0..LOOKS {
            if self.is_empty() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut held = self.left.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_empty() {
            let waited = self.left.1.wait_timeout(held, INTERVAL);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            if !self.is_empty() && !self.job.is_stopped() && stop::is_asked() {
                self.job.stop();
            }
            held = self.left.0.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    fn on_threads(helper: Box<dyn FnOnce() + Send>) {
        thread::spawn(helper);
    }

    #[test]
    fn each_number_is_met_once() {
        for n in [0, 1, 2, 7, 1000] {
            for helpers in [0, 1, 3] {
                let met: Vec<_> = (0..n).map(|_| AtomicUsize::new(0)).collect();
                let work = |i: usize| {
                    met[i].fetch_add(1, Ordering::Relaxed);
                };
                each(n, helpers, &work, on_threads);
                assert!(met.iter().all(|met| met.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn who_comes_late_is_not_waited_for() {
        let (late, helpers) = mpsc::channel();
        each(10, 2, &|_| (), |helper| late.send(helper).unwrap());
        drop(late);
        helpers.into_iter().for_each(|helper| helper());
    }

    #[test]
    fn a_panic_of_either_side_reaches_the_caller() {
        for worst in [0, 9] {
            let work = |i: usize| {
                thread::sleep(std::time::Duration::from_millis(1));
                assert_ne!(i, worst);
            };
            let caught = catch_unwind(AssertUnwindSafe(|| each(10, 1, &work, on_threads)));
            assert!(caught.is_err());
        }
    }
}
