//! The worker pool of one iteration: threads that are given jobs; the result of each is asked for by its number.

use crate::dataset::pause;
use crate::worker::{WAIT, locked, piece, spawn};
use ferrograph_kernels::pool::{alone, n_threads};
use ferrograph_ops::Iteration;
use ferrograph_tensor::{Result, bail};
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most threads that one iteration has.
const MOST_THREADS: usize = 64;

/// How a thread does its jobs; each thread has its own.
pub(crate) type RunJob<J, R> = Box<dyn FnMut(J) -> R + Send>;

/// How the thread that asks for results does a job, which stays whole if it unwinds the stack.
pub(crate) type HelpWithJob<J, R> = Box<dyn FnMut(&J) -> R + Send>;

/// Threads for jobs `J` that come to `R`. They start when there is work for them, and end with it.
pub(crate) struct WorkerPool<J, R> {
    shared: Arc<Shared<J, R>>,
    iteration: Iteration,
    /// How a further thread does its jobs.
    new_worker: Box<dyn Fn() -> RunJob<J, R> + Send>,
    limit: usize,
    n_threads: usize,
    /// Does jobs on the thread that asks for results, in the place of the last of the others.
    help: Option<Help<J, R>>,
    /// The number of the next job.
    next: u64,
    /// The process that the threads are in.
    process: u32,
}

/// How the thread that asks for results does jobs instead of waiting.
struct Help<J, R> {
    run: HelpWithJob<J, R>,
    /// When the last result was given.
    left: Option<Instant>,
    /// How long it was elsewhere before it had to wait, and how long it waited and did jobs.
    away: Duration,
    here: Duration,
}

/// A thread that asks is elsewhere for long if it is so for more than one part in so many of its time: then it has jobs
/// done by others alone.
const ELSEWHERE: u32 = 4;

struct Shared<J, R> {
    state: Mutex<State<J, R>>,
    given: Condvar,
    done: Condvar,
    /// Set once nobody wants the results, for the jobs that are being done.
    unwanted: Arc<AtomicBool>,
}

struct State<J, R> {
    waiting: VecDeque<(u64, J)>,
    done: HashMap<u64, R>,
    /// How many threads have nothing to do.
    n_idle: usize,
    awaited: Awaited,
    is_over: bool,
}

/// What somebody waits for.
#[derive(Clone, Copy, PartialEq)]
enum Awaited {
    Nothing,
    Any,
    Job(u64),
}

impl Awaited {
    fn is(self, job: u64) -> bool {
        self == Awaited::Any || self == Awaited::Job(job)
    }
}

impl<J: Send + 'static, R: Send + 'static> WorkerPool<J, R> {
    /// Up to `limit` threads that work for the iteration which this thread is at.
    pub fn new(
        limit: usize,
        new_worker: impl Fn() -> RunJob<J, R> + Send + 'static,
    ) -> WorkerPool<J, R> {
        WorkerPool {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    waiting: VecDeque::new(),
                    done: HashMap::new(),
                    n_idle: 0,
                    awaited: Awaited::Nothing,
                    is_over: false,
                }),
                given: Condvar::new(),
                done: Condvar::new(),
                unwanted: Arc::default(),
            }),
            iteration: Iteration::here(),
            new_worker: Box::new(new_worker),
            limit: limit.clamp(1, MOST_THREADS),
            n_threads: 0,
            help: None,
            next: 0,
            process: std::process::id(),
        }
    }

    /// The same, where the thread that asks for results does jobs by `run` meanwhile: up to `limit` at once, with it.
    pub fn helped(mut self, run: HelpWithJob<J, R>) -> WorkerPool<J, R> {
        if self.limit > 1 {
            self.help = Some(Help {
                run,
                left: None,
                away: Duration::ZERO,
                here: Duration::ZERO,
            });
        }
        self
    }

    /// How many threads there may be besides the one that asks.
    fn most_threads(&self) -> usize {
        self.limit - usize::from(self.help.is_some())
    }

    /// Gives the threads a job; its number.
    ///
    /// # Errors
    /// `FailedPrecondition` in a process that was forked meanwhile, `ResourceExhausted` where no thread starts.
    pub fn give(&mut self, job: J) -> Result<u64> {
        self.check_process()?;
        let number = self.next;
        let needs_thread = {
            let mut state = locked(&self.shared.state);
            state.waiting.push_back((number, job));
            state.waiting.len() > state.n_idle
        };
        self.next += 1;
        if needs_thread && self.n_threads < self.most_threads() {
            let started = self.start();
            if self.n_threads == 0 {
                started?; // with one thread there it only takes longer
            }
        }
        self.shared.given.notify_one();
        Ok(number)
    }

    /// What came of a job, once it is done.
    ///
    /// # Errors
    /// As [`WorkerPool::give`]; `Cancelled` where the program is to stop, after which it may be asked for again.
    pub fn result(&mut self, number: u64) -> Result<R> {
        self.wait_for(Awaited::Job(number), |done| done.remove(&number))
    }

    /// The job that is done first, by its number, and what came of it. There has to be one.
    ///
    /// # Errors
    /// As [`WorkerPool::result`].
    pub fn any_result(&mut self) -> Result<(u64, R)> {
        self.wait_for(Awaited::Any, |done| {
            let number = done.keys().min().copied()?;
            done.remove(&number).map(|result| (number, result))
        })
    }

    fn wait_for<T>(
        &mut self,
        awaited: Awaited,
        mut find: impl FnMut(&mut HashMap<u64, R>) -> Option<T>,
    ) -> Result<T> {
        self.check_process()?;
        let (shared, mut start) = (self.shared.clone(), None);
        loop {
            let job = {
                let mut state = locked(&shared.state);
                if let Some(found) = find(&mut state.done) {
                    drop(state);
                    self.leave(start);
                    return Ok(found);
                }
                if start.is_none() {
                    start = self.come();
                }
                match self.help.is_some().then(|| state.waiting.pop_front()) {
                    Some(Some(job)) => Some(job),
                    _ => {
                        state.awaited = awaited;
                        let waited = shared.done.wait_timeout(state, WAIT);
                        state = waited.unwrap_or_else(PoisonError::into_inner).0;
                        state.awaited = Awaited::Nothing;
                        None
                    }
                }
            };
            match job {
                Some((number, job)) => self.do_own(number, job),
                None => pause()?,
            }
        }
    }

    /// The thread that asks has to wait; the time, where it helps meanwhile. One that was elsewhere for long does not.
    fn come(&mut self) -> Option<Instant> {
        let help = self.help.as_mut()?;
        let now = Instant::now();
        help.away += help.left.map_or(Duration::ZERO, |left| now - left);
        if help.away * ELSEWHERE > help.away + help.here && help.here > Duration::ZERO {
            self.help = None;
        }
        Some(now)
    }

    /// A result is given to the thread that asked, which had to wait from `start` on.
    fn leave(&mut self, start: Option<Instant>) {
        if let Some(help) = &mut self.help {
            let now = Instant::now();
            help.here += start.map_or(Duration::ZERO, |start| now - start);
            help.left = Some(now);
        }
    }

    /// Does a job on this thread. Where it unwinds the stack, the job waits again.
    fn do_own(&mut self, number: u64, job: J) {
        let Some(help) = &mut self.help else {
            return;
        };
        let mut kept = Kept {
            shared: &self.shared,
            job: Some((number, job)),
        };
        let mut work = || kept.job.as_ref().map(|(_, job)| (help.run)(job));
        let result = match self.limit >= n_threads() {
            true => alone(work),
            false => work(),
        };
        kept.job = None;
        let Some(result) = result else {
            return;
        };
        locked(&self.shared.state).done.insert(number, result);
    }

    fn check_process(&self) -> Result<()> {
        if self.process != std::process::id() {
            bail!(
                FailedPrecondition,
                "the threads that compute elements for this iterator stayed in the process that was forked: begin \
                 another iteration here"
            );
        }
        Ok(())
    }

    fn start(&mut self) -> Result<()> {
        let (shared, iteration) = (self.shared.clone(), self.iteration.clone());
        let mut run = (self.new_worker)();
        let all_busy = self.limit >= n_threads();
        spawn(move || {
            let _back = iteration.resume();
            match all_busy {
                true => alone(|| work(&shared, &mut run)),
                false => work(&shared, &mut run),
            }
        })?;
        self.n_threads += 1;
        Ok(())
    }
}

impl<J, R> Drop for WorkerPool<J, R> {
    fn drop(&mut self) {
        // A forked process may have the lock of a thread that it does not have.
        if self.process != std::process::id() {
            return;
        }
        self.shared.unwanted.store(true, Ordering::Relaxed);
        let given_up = {
            let mut state = locked(&self.shared.state);
            state.is_over = true;
            std::mem::take(&mut state.waiting)
        };
        self.shared.given.notify_all();
        drop(given_up);
    }
}

/// A job that is being done; it waits again unless it is taken out.
struct Kept<'a, J, R> {
    shared: &'a Shared<J, R>,
    job: Option<(u64, J)>,
}

impl<J, R> Drop for Kept<'_, J, R> {
    fn drop(&mut self) {
        if let Some(job) = self.job.take() {
            locked(&self.shared.state).waiting.push_front(job);
        }
    }
}

/// Does jobs until there are no more to come.
fn work<J, R>(shared: &Shared<J, R>, run: &mut RunJob<J, R>) {
    while let Some((number, job)) = next_job(shared) {
        let Some(result) = piece(&shared.unwanted, || run(job)) else {
            return;
        };
        let mut state = locked(&shared.state);
        state.done.insert(number, result);
        let is_awaited = state.awaited.is(number);
        drop(state);
        if is_awaited {
            shared.done.notify_one();
        }
    }
}

fn next_job<J, R>(shared: &Shared<J, R>) -> Option<(u64, J)> {
    let mut state = locked(&shared.state);
    loop {
        if state.is_over {
            return None;
        }
        if let Some(job) = state.waiting.pop_front() {
            return Some(job);
        }
        state.n_idle += 1;
        let waited = shared.given.wait(state);
        state = waited.unwrap_or_else(PoisonError::into_inner);
        state.n_idle -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::thread::{ThreadId, current, sleep};

    const WORK: Duration = Duration::from_millis(2);

    fn worked() -> ThreadId {
        sleep(WORK);
        current().id()
    }

    /// Who did the jobs of two workers, of which the thread that asks may be one, and is elsewhere for so long at a
    /// time.
    fn who_worked(away: Duration) -> Vec<ThreadId> {
        let workers = WorkerPool::new(2, || Box::new(|_: usize| worked()));
        let mut workers = workers.helped(Box::new(|_| worked()));
        let mut given: VecDeque<u64> = (0..4).map(|i| workers.give(i).unwrap()).collect();
        let mut all = Vec::new();
        while let Some(number) = given.pop_front() {
            all.push(workers.result(number).unwrap());
            sleep(away);
            if all.len() < 40 {
                given.push_back(workers.give(0).unwrap());
            }
        }
        all
    }

    #[test]
    fn who_asks_does_jobs_instead_of_waiting() {
        let all = who_worked(Duration::ZERO);
        let n_own = all.iter().filter(|id| **id == current().id()).count();
        assert!(n_own > 10, "{n_own}");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 2);
    }

    #[test]
    fn who_is_elsewhere_has_others_do_them() {
        let all = who_worked(WORK / 2);
        let late: HashSet<_> = all[20..].iter().collect();
        assert!(!late.contains(&current().id()));
        assert_eq!(late.len(), 2);
    }

    #[test]
    fn a_job_that_was_interrupted_waits_again() {
        let workers = WorkerPool::new(2, || {
            Box::new(|i: usize| {
                sleep(WORK);
                i
            })
        });
        let mut n = 0;
        let mut workers = workers.helped(Box::new(move |i| {
            n += 1;
            assert!(n > 1, "the first time");
            *i
        }));
        let given: Vec<u64> = (0..6).map(|i| workers.give(i).unwrap()).collect();
        let mut first = given.iter().map(|number| {
            let found =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| workers.result(*number)));
            found.unwrap_or_else(|_| workers.result(*number)).unwrap()
        });
        assert!((0..6).all(|i| first.next() == Some(i)));
    }
}
