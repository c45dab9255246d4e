//! Fork and join: items of work that a thread does together with those threads of the pool that come in time. It begins
//! at once and waits only for threads that have begun: to wake one takes about as long as the shortest work that is
//! worth another one. So a thread that has helped looks for more to do for a moment before it sleeps.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

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

/// Calls to a function that outlives the shared work.
struct Work(*const (dyn Fn(usize) + Sync));

// SAFETY: the function may be called by several threads at once.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

/// Work that threads share.
struct ForkJoin {
    work: Work,
    shares: Vec<Share>,
    /// How many shares have an owner.
    owned: AtomicUsize,
    job: Job,
    /// How many helpers are at work, and [`CLOSED`] once none may begin.
    inside: AtomicUsize,
    left: (Mutex<()>, Condvar),
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

/// How long a thread looks whether the others are done before it sleeps: about as long as one item takes.
const PATIENCE: Duration = Duration::from_micros(30);

/// How long a thread that has helped looks for more to do before it sleeps: longer than the time between two kernels of
/// a plan, or two calls in a row.
const LINGER: Duration = Duration::from_micros(100);

/// How long a helper waits in a slot before it looks whether the pool has other work.
const SLICE: Duration = Duration::from_micros(10);

/// Looks for something, with short pauses, until it is found or the time is over.
fn look<R>(time: Duration, find: impl Fn() -> Option<R>) -> Option<R> {
    let end = Instant::now() + time;
    loop {
        for _ in 0..32 {
            if let found @ Some(_) = find() {
                return found;
            }
            std::hint::spin_loop();
        }
        if Instant::now() >= end {
            return None;
        }
    }
}

/// Where a thread that has helped waits for the next work: empty, the mark of a thread that waits, or that work.
#[derive(Default)]
pub(crate) struct IdleSlot(AtomicPtr<ForkJoin>);

impl IdleSlot {
    /// The mark of a thread that waits.
    fn mark() -> *mut ForkJoin {
        NonNull::dangling().as_ptr()
    }

    /// Gives the work to the thread that waits here; false where none does.
    fn call(&self, shared: &Arc<ForkJoin>) -> bool {
        if self.0.load(Ordering::Relaxed) != IdleSlot::mark() {
            return false;
        }
        let given = Arc::into_raw(shared.clone()).cast_mut();
        let (from, fail) = (IdleSlot::mark(), Ordering::Relaxed);
        let called = self.0.compare_exchange(from, given, Ordering::AcqRel, fail);
        if called.is_err() {
            // SAFETY: nobody took what `into_raw` gave.
            drop(unsafe { Arc::from_raw(given) });
        }
        called.is_ok()
    }

    /// Whether the caller waits here now; false where another one does.
    fn occupy(&self) -> bool {
        let (empty, fail) = (ptr::null_mut(), Ordering::Relaxed);
        let occupied = (self.0).compare_exchange(empty, IdleSlot::mark(), Ordering::Relaxed, fail);
        occupied.is_ok()
    }

    /// Waits a moment for work, on the thread that occupies the slot, and leaves it.
    fn wait(&self) -> Option<Arc<ForkJoin>> {
        let is_called = || (self.0.load(Ordering::Relaxed) != IdleSlot::mark()).then_some(());
        look(SLICE, is_called);
        // Work that comes while the thread leaves is taken.
        let found = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: an occupied slot holds the mark or what comes from `Arc::into_raw`, taken here alone.
        (found != IdleSlot::mark()).then(|| unsafe { Arc::from_raw(found) })
    }
}

thread_local! {
    static LINGERS: Cell<bool> = const { Cell::new(false) };
}

/// Work that comes while this thread looks for some. Other work of the pool that comes first is done instead.
fn linger(idle: &[IdleSlot]) -> Option<Arc<ForkJoin>> {
    if LINGERS.replace(true) {
        return None; // in work that was found here
    }
    let end = Instant::now() + LINGER;
    let mut found = None;
    while found.is_none() && Instant::now() < end {
        let Some(slot) = idle.iter().find(|slot| slot.occupy()) else {
            break;
        };
        found = slot.wait();
        if found.is_none() && rayon::yield_now() == Some(rayon::Yield::Executed) {
            break;
        }
    }
    LINGERS.set(false);
    found
}

/// Calls `work` on each number below `n`, on this thread and on as many helpers, which wait in a slot or which `spawn`
/// starts. Each has a share of consecutive numbers, of which others take the last ones when they are done with theirs.
pub(crate) fn each(
    n: u32,
    helpers: usize,
    work: &(dyn Fn(usize) + Sync),
    idle: &'static [IdleSlot],
    spawn: impl Fn(Box<dyn FnOnce() + Send>),
) {
    let place = |i: usize| (u64::from(n) * i as u64 / (helpers as u64 + 1)) as u32;
    let shares = (0..helpers + 1).map(|i| Share::of(place(i), place(i + 1)));
    // SAFETY: only the lifetime is another one. The function is called between `enter` and `leave` alone, and by this
    // thread, which goes on when nobody is left inside and nobody can enter.
    let work = unsafe {
        std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work)
    };
    let shared = Arc::new(ForkJoin {
        work: Work(work),
        shares: collected(shares),
        owned: AtomicUsize::new(1),
        job: Job::shared(),
        inside: AtomicUsize::new(0),
        left: Default::default(),
        panic: Mutex::new(None),
    });
    let called = idle.iter().filter(|slot| slot.call(&shared));
    for _ in called.take(helpers).count()..helpers {
        let shared = shared.clone();
        spawn(Box::new(move || serve(shared, idle)));
    }
    let own = catch_unwind(AssertUnwindSafe(|| {
        shared.job.asking().run(|| shared.drain(0));
    }));
    if own.is_err() {
        shared.job.stop();
    }
    shared.close();
    let theirs = shared
        .panic
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(panic) = own.err().or(theirs) {
        resume_unwind(panic);
    }
    if shared.job.is_stopped() {
        stop::stop();
    }
}

/// Helps with one piece of shared work after the other.
fn serve(shared: Arc<ForkJoin>, idle: &[IdleSlot]) {
    let mut next = Some(shared);
    while let Some(shared) = next {
        shared.help();
        drop(shared);
        next = linger(idle);
    }
}

impl ForkJoin {
    /// Does items until there are none left, those of its own share first.
    fn drain(&self, own: usize) {
        let n = self.shares.len();
        let next = || (0..n).find_map(|i| self.shares[(own + i) % n].take(i == 0));
        // SAFETY: `each` waits for the threads that are here.
        let work = unsafe { &*self.work.0 };
        while !Job::is_over()
            && let Some(item) = next()
        {
            work(item as usize);
        }
    }

    fn help(&self) {
        if !self.enter() {
            return;
        }
        let share = self.owned.fetch_add(1, Ordering::Relaxed);
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

    /// Lets no thread begin any more and waits for those that have; meanwhile asks whether to stop.
    fn close(&self) {
        self.inside.fetch_or(CLOSED, Ordering::AcqRel);
        if look(PATIENCE, || self.is_empty().then_some(())).is_some() {
            return;
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
                each(n, helpers, &work, &[], on_threads);
                assert!(met.iter().all(|met| met.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn a_thread_that_comes_late_is_not_waited_for() {
        let (late, helpers) = mpsc::channel();
        each(10, 2, &|_| (), &[], |helper| late.send(helper).unwrap());
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
            let caught = catch_unwind(AssertUnwindSafe(|| each(10, 1, &work, &[], on_threads)));
            assert!(caught.is_err());
        }
    }

    #[test]
    fn a_thread_that_lingers_gets_the_next_work() {
        static IDLE: [IdleSlot; 1] = [IdleSlot(AtomicPtr::new(ptr::null_mut()))];
        let started = AtomicUsize::new(0);
        let spawn = |helper: Box<dyn FnOnce() + Send>| {
            started.fetch_add(1, Ordering::Relaxed);
            on_threads(helper);
        };
        let met = AtomicUsize::new(0);
        let work = |_: usize| {
            met.fetch_add(1, Ordering::Relaxed);
        };
        let (rounds, n) = (2_000, 4);
        for _ in 0..rounds {
            each(n, 1, &work, &IDLE, spawn);
        }
        assert_eq!(met.load(Ordering::Relaxed), rounds * n as usize);
        assert!(started.load(Ordering::Relaxed) < rounds);
        // No thread occupies a slot for ever, and work that was left in one would have been forgotten.
        let is_left = || IDLE[0].0.load(Ordering::Relaxed).is_null().then_some(());
        assert!(look(Duration::from_secs(10), is_left).is_some());
    }
}
