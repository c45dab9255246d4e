//! The thread's context: which trace operations go to, and which tapes listen.

use crate::Tape;
use ferrograph_graph::TraceRef;
use ferrograph_tensor::Origin;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

/// Where operations go.
#[derive(Clone)]
pub enum Level {
    /// They compute at once.
    Eager,
    /// They become nodes of a trace.
    Trace(TraceRef),
}

impl Level {
    /// A number that distinguishes levels; 0 is eager.
    pub fn id(&self) -> u32 {
        match self {
            Level::Eager => 0,
            Level::Trace(t) => t.id(),
        }
    }
}

thread_local! {
    static LEVELS: RefCell<Vec<Level>> = const { RefCell::new(Vec::new()) };
    static TRACING: Cell<bool> = const { Cell::new(false) };
    static TAPES: RefCell<Vec<Arc<Tape>>> = const { RefCell::new(Vec::new()) };
    static N_TAPES: Cell<usize> = const { Cell::new(0) };
    static UNRECORDED: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static CHECKS: Cell<bool> = const { Cell::new(false) };
}

/// Leaves the level it was returned for when dropped. Guards are dropped in reverse order of their making.
#[must_use]
pub struct LevelGuard {
    depth: usize,
}

impl Drop for LevelGuard {
    fn drop(&mut self) {
        LEVELS.with(|l| {
            let mut levels = l.borrow_mut();
            levels.truncate(self.depth);
            TRACING.set(matches!(levels.last(), Some(Level::Trace(_))));
        });
    }
}

fn enter(level: Level) -> LevelGuard {
    TRACING.set(matches!(level, Level::Trace(_)));
    LEVELS.with(|l| {
        let mut levels = l.borrow_mut();
        levels.push(level);
        LevelGuard {
            depth: levels.len() - 1,
        }
    })
}

/// Operations of this thread become nodes of `trace` until the guard is dropped.
pub fn enter_trace(trace: TraceRef) -> LevelGuard {
    enter(Level::Trace(trace))
}

/// Operations of this thread compute at once until the guard is dropped.
pub fn enter_eager() -> LevelGuard {
    enter(Level::Eager)
}

/// Whether operations of this thread become nodes now.
pub fn is_tracing() -> bool {
    TRACING.get()
}

/// The level now.
pub(crate) fn level() -> Level {
    LEVELS.with(|l| l.borrow().last().cloned().unwrap_or(Level::Eager))
}

/// The trace that operations of this thread go to, if any.
pub fn current_trace() -> Option<TraceRef> {
    if !TRACING.get() {
        return None;
    }
    match level() {
        Level::Trace(t) => Some(t),
        Level::Eager => None,
    }
}

/// Starts telling a tape.
pub(crate) fn push_tape(tape: Arc<Tape>) {
    TAPES.with(|t| t.borrow_mut().push(tape));
    N_TAPES.set(N_TAPES.get() + 1);
}

/// Stops telling a tape.
pub(crate) fn remove_tape(tape: &Tape) {
    TAPES.with(|t| {
        let mut tapes = t.borrow_mut();
        tapes.retain(|x| !std::ptr::eq(x.as_ref(), tape));
        N_TAPES.set(tapes.len());
    });
}

/// Whether any tape is told of this thread's operations.
pub(crate) fn has_tapes() -> bool {
    N_TAPES.get() != 0
}

/// The tapes that are told of this thread's operations.
pub fn active_tapes() -> Vec<Arc<Tape>> {
    TAPES.with(|t| t.borrow().clone())
}

/// From now on what operations add to the present trace, a branch or a loop that tapes record as a whole, is a constant
/// to who differentiates it. To be ended in reverse order.
pub fn begin_unrecorded() {
    let now = level().id();
    UNRECORDED.with(|u| u.borrow_mut().push(now));
}

/// Ends what [`begin_unrecorded`] began last.
pub fn end_unrecorded() {
    UNRECORDED.with(|u| u.borrow_mut().pop());
}

/// The present trace, where that is so of it.
pub(crate) fn unrecorded_trace() -> Option<TraceRef> {
    UNRECORDED.with(|u| {
        let traces = u.borrow();
        let now = traces.first().and_then(|_| current_trace())?;
        traces.contains(&now.id()).then_some(now)
    })
}

/// Whether what operations of this thread compute is checked for NaN and infinity.
pub(crate) fn checks_numerics() -> bool {
    CHECKS.get()
}

/// Begins or ends such checks.
pub(crate) fn set_checks_numerics(on: bool) {
    CHECKS.set(on);
}

type OriginProvider = fn() -> Option<Arc<Origin>>;
static ORIGIN_PROVIDER: OnceLock<OriginProvider> = OnceLock::new();

/// Sets, once, how the user's present line is found.
pub fn set_origin_provider(provider: OriginProvider) {
    // A second call keeps the first provider: there is one host language.
    let _ = ORIGIN_PROVIDER.set(provider);
}

/// The user's present line.
pub(crate) fn origin() -> Option<Arc<Origin>> {
    ORIGIN_PROVIDER.get().and_then(|p| p())
}
