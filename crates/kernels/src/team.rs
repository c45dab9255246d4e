//! Items of work that a thread does together with those of the pool that come in time. It begins at once and waits only
//! for who has begun: to wake a thread takes about as long as the shortest work that is worth another one. So who has
//! helped looks for more to do for a moment before it sleeps.

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

/// Calls to a function that outlives the team's work.
struct Work(*const (dyn Fn(usize) + Sync));

// SAFETY: the function may be called by several threads at once.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

struct Team {
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

/// How long who has helped looks for more to do before it sleeps: longer than what lies between two kernels of a plan,
/// or two calls in a row.
const REST: Duration = Duration::from_micros(100);

/// How long a helper sits before it looks whether the pool has other work.
const SIT: Duration = Duration::from_micros(10);

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

/// Where who has helped one team can be called to the next one: empty, the mark of who waits there, or the team.
#[derive(Default)]
pub(crate) struct Seat(AtomicPtr<Team>);

impl Seat {
    /// The mark of who waits.
    fn mark() -> *mut Team {
        NonNull::dangling().as_ptr()
    }

    /// Gives the team to who waits here; false where nobody does.
    fn call(&self, team: &Arc<Team>) -> bool {
        if self.0.load(Ordering::Relaxed) != Seat::mark() {
            return false;
        }
        let given = Arc::into_raw(team.clone()).cast_mut();
        let (from, fail) = (Seat::mark(), Ordering::Relaxed);
        let called = self.0.compare_exchange(from, given, Ordering::AcqRel, fail);
        if called.is_err() {
            // SAFETY: nobody took what `into_raw` gave.
            drop(unsafe { Arc::from_raw(given) });
        }
        called.is_ok()
    }

    /// Whether the caller waits here now; false where another one does.
    fn sit(&self) -> bool {
        let (empty, fail) = (ptr::null_mut(), Ordering::Relaxed);
        let sat = (self.0).compare_exchange(empty, Seat::mark(), Ordering::Relaxed, fail);
        sat.is_ok()
    }

    /// Waits a moment for a team, for who sits here, and stands up.
    fn wait(&self) -> Option<Arc<Team>> {
        let is_called = || (self.0.load(Ordering::Relaxed) != Seat::mark()).then_some(());
        look(SIT, is_called);
        // Who is called while it stands up is called.
        let found = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: a seat in which somebody sits holds the mark or what comes from `Arc::into_raw`, taken here alone.
        (found != Seat::mark()).then(|| unsafe { Arc::from_raw(found) })
    }
}

thread_local! {
    static RESTS: Cell<bool> = const { Cell::new(false) };
}

/// A team that calls while this thread looks for work. Other work of the pool that comes first is done instead.
fn rest(seats: &[Seat]) -> Option<Arc<Team>> {
    if RESTS.replace(true) {
        return None; // work that was found by who rests already
    }
    let end = Instant::now() + REST;
    let mut found = None;
    while found.is_none() && Instant::now() < end {
        let Some(seat) = seats.iter().find(|seat| seat.sit()) else {
            break;
        };
        found = seat.wait();
        if found.is_none() && rayon::yield_now() == Some(rayon::Yield::Executed) {
            break;
        }
    }
    RESTS.set(false);
    found
}

/// Calls `work` on each number below `n`, on this thread and on as many helpers, who wait in a seat or whom `spawn`
/// starts. Each has a share of consecutive numbers, of which others take the last ones when they are done with theirs.
pub(crate) fn each(
    n: u32,
    helpers: usize,
    work: &(dyn Fn(usize) + Sync),
    seats: &'static [Seat],
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
        owned: AtomicUsize::new(1),
        job: Job::shared(),
        inside: AtomicUsize::new(0),
        left: Default::default(),
        panic: Mutex::new(None),
    });
    let called = seats.iter().filter(|seat| seat.call(&team));
    for _ in called.take(helpers).count()..helpers {
        let team = team.clone();
        spawn(Box::new(move || serve(team, seats)));
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

/// Helps one team after the other.
fn serve(team: Arc<Team>, seats: &[Seat]) {
    let mut next = Some(team);
    while let Some(team) = next {
        team.help();
        drop(team);
        next = rest(seats);
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

    /// Lets nobody begin any more and waits for who has; meanwhile asks whether to stop.
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
    fn who_comes_late_is_not_waited_for() {
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
    fn who_rests_is_called_to_the_next_team() {
        static SEATS: [Seat; 1] = [Seat(AtomicPtr::new(ptr::null_mut()))];
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
            each(n, 1, &work, &SEATS, spawn);
        }
        assert_eq!(met.load(Ordering::Relaxed), rounds * n as usize);
        assert!(started.load(Ordering::Relaxed) < rounds);
        // Nobody sits for ever, and a team that was left in a seat would have been forgotten.
        let is_left = || SEATS[0].0.load(Ordering::Relaxed).is_null().then_some(());
        assert!(look(Duration::from_secs(10), is_left).is_some());
    }
}
