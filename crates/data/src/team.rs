//! Threads that work for one iteration: they are given jobs, and what came of each is asked for by its number.

use crate::dataset::pause;
use crate::worker::{WAIT, locked, piece, spawn};
use ferrograph_kernels::pool::{alone, n_threads};
use ferrograph_ops::Iteration;
use ferrograph_tensor::{Result, bail};
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The most threads that one iteration has.
const MOST_THREADS: usize = 64;

/// How a thread does its jobs; each thread has its own.
pub(crate) type Doing<J, R> = Box<dyn FnMut(J) -> R + Send>;

/// Threads for jobs `J` that come to `R`. They start when there is work for them, and end with it.
pub(crate) struct Team<J, R> {
    shared: Arc<Shared<J, R>>,
    iteration: Iteration,
    /// How a further thread does its jobs.
    enlist: Box<dyn Fn() -> Doing<J, R> + Send>,
    limit: usize,
    n_threads: usize,
    /// The number of the next job.
    next: u64,
    /// The process that the threads are in.
    process: u32,
}

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

impl<J: Send + 'static, R: Send + 'static> Team<J, R> {
    /// Up to `limit` threads that work for the iteration which this thread is at.
    pub fn new(limit: usize, enlist: impl Fn() -> Doing<J, R> + Send + 'static) -> Team<J, R> {
        Team {
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
            enlist: Box::new(enlist),
            limit: limit.clamp(1, MOST_THREADS),
            n_threads: 0,
            next: 0,
            process: std::process::id(),
        }
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
        if needs_thread && self.n_threads < self.limit {
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
    /// As [`Team::give`]; `Cancelled` where the program is to stop, after which it may be asked for again.
    pub fn result(&self, number: u64) -> Result<R> {
        self.wait_for(Awaited::Job(number), |done| done.remove(&number))
    }

    /// The job that is done first, by its number, and what came of it. There has to be one.
    ///
    /// # Errors
    /// As [`Team::result`].
    pub fn any_result(&self) -> Result<(u64, R)> {
        self.wait_for(Awaited::Any, |done| {
            let number = done.keys().min().copied()?;
            done.remove(&number).map(|result| (number, result))
        })
    }

    fn wait_for<T>(
        &self,
        awaited: Awaited,
        mut find: impl FnMut(&mut HashMap<u64, R>) -> Option<T>,
    ) -> Result<T> {
        self.check_process()?;
        loop {
            {
                let mut state = locked(&self.shared.state);
                if let Some(found) = find(&mut state.done) {
                    return Ok(found);
                }
                state.awaited = awaited;
                let waited = self.shared.done.wait_timeout(state, WAIT);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                state.awaited = Awaited::Nothing;
                if let Some(found) = find(&mut state.done) {
                    return Ok(found);
                }
            }
            pause()?;
        }
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
        let mut doing = (self.enlist)();
        let all_busy = self.limit >= n_threads();
        spawn(move || {
            let _back = iteration.resume();
            match all_busy {
                true => alone(|| work(&shared, &mut doing)),
                false => work(&shared, &mut doing),
            }
        })?;
        self.n_threads += 1;
        Ok(())
    }
}

impl<J, R> Drop for Team<J, R> {
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

/// Does jobs until there are no more to come.
fn work<J, R>(shared: &Shared<J, R>, doing: &mut Doing<J, R>) {
    while let Some((number, job)) = next_job(shared) {
        let Some(result) = piece(&shared.unwanted, || doing(job)) else {
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
