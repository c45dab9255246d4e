//! The state of an iteration, as programs hold it.

use crate::dataset::{BoxedElements, DatasetHandle, Sink, put_all};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_ops::{Iteration, while_waiting};
use ferrograph_tensor::{DType, Error, Object, Result, Tensor, bail, err};
use parking_lot::{Mutex, MutexGuard};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An iterator: where a program is in a dataset. One thread at a time takes an element.
#[derive(Debug)]
pub struct IteratorCell {
    state: Mutex<State>,
    /// The number of the thread that is taking an element, 0 for none.
    owner: AtomicU64,
}

#[derive(Default)]
struct State {
    elements: Option<BoxedElements>,
    /// What the functions of the pipeline draw from.
    iteration: Iteration,
    quick: bool,
    /// An element, or the end, that was looked at but not taken.
    ahead: Option<Option<Tensors>>,
    /// How many elements were taken.
    taken: u64,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements taken", self.taken)
    }
}

impl Object for IteratorCell {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A number that no other thread has.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static OWN: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.with(|own| *own)
}

/// Holds the state for one thread.
struct Turn<'a> {
    state: MutexGuard<'a, State>,
    owner: &'a AtomicU64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.owner.store(0, Ordering::Relaxed);
    }
}

/// How long a thread waits for another one's element at a time.
const PATIENCE: Duration = Duration::from_millis(1);

/// Takes a lock whose holder may need what this thread holds of the host language.
fn wait_for<T: Send>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    loop {
        while_waiting(&mut || drop(state.try_lock_for(PATIENCE)));
        if let Some(state) = state.try_lock() {
            return state;
        }
    }
}

impl Default for IteratorCell {
    fn default() -> IteratorCell {
        IteratorCell::new()
    }
}

impl IteratorCell {
    /// An iterator over nothing yet.
    pub fn new() -> IteratorCell {
        IteratorCell {
            state: Mutex::default(),
            owner: AtomicU64::new(0),
        }
    }

    /// The iterator that a resource tensor refers to.
    ///
    /// # Errors
    /// `InvalidArgument` for another resource.
    pub fn of(handle: &Tensor) -> Result<&IteratorCell> {
        let object = handle.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "the resource is no iterator: {object:?}"))
    }

    /// The iterator as a resource tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Resource, Arc::new(self))
    }

    fn turn(&self) -> Result<Turn<'_>> {
        let own = thread_number();
        let state = match self.state.try_lock() {
            Some(state) => state,
            None if self.owner.load(Ordering::Relaxed) == own => bail!(
                FailedPrecondition,
                "an element of an iterator was asked for while that same iterator computes one"
            ),
            None => wait_for(&self.state),
        };
        self.owner.store(own, Ordering::Relaxed);
        Ok(Turn {
            state,
            owner: &self.owner,
        })
    }

    /// Begins an iteration over a dataset.
    ///
    /// # Errors
    /// What the dataset raises.
    pub fn start(&self, handle: &DatasetHandle) -> Result<()> {
        let iteration = Iteration::here();
        let opened = {
            let _back = iteration.resume();
            handle.dataset.clone().open()?
        };
        let mut turn = self.turn()?;
        *turn.state = State {
            elements: Some(opened),
            iteration,
            quick: handle.dataset.is_quick(),
            ahead: None,
            taken: 0,
        };
        Ok(())
    }

    /// Takes the next element; `None` at the end.
    ///
    /// # Errors
    /// What the pipeline raises; `FailedPrecondition` where there is none, or in the middle of taking another element.
    pub fn next(&self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        self.turn()?.state.take(runner)
    }

    /// [`IteratorCell::next`] where that is quick and no other thread is at it; `None` where it is not. A caller that
    /// holds a lock which the pipeline may ask for has to give it up first, and call that.
    ///
    /// # Errors
    /// As [`IteratorCell::next`].
    pub fn next_if_quick(&self, runner: &dyn Runner) -> Result<Option<Option<Tensors>>> {
        match self.state.try_lock() {
            Some(mut state) if state.quick => state.take(runner).map(Some),
            _ => Ok(None),
        }
    }

    /// The next element, its components given to a sink; whether there was one.
    ///
    /// # Errors
    /// As [`IteratorCell::next`], and what the sink raises.
    pub fn next_into(&self, runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        let mut turn = self.turn()?;
        let state = &mut *turn.state;
        let found = match (state.ahead.take(), &mut state.elements) {
            (Some(Some(element)), _) => {
                put_all(&element, sink)?;
                true
            }
            (None, Some(elements)) => {
                let _back = state.iteration.resume();
                elements.next_into(runner, sink)?
            }
            (Some(None), _) => false,
            (None, None) => return Err(no_dataset()),
        };
        match found {
            true => state.taken += 1,
            false => state.ahead = Some(None),
        }
        Ok(found)
    }

    /// Whether there is a next element, which stays the next.
    ///
    /// # Errors
    /// As [`IteratorCell::next`].
    pub fn has_next(&self, runner: &dyn Runner) -> Result<bool> {
        let mut turn = self.turn()?;
        if turn.state.ahead.is_none() {
            let known = turn.state.elements.as_mut().and_then(|e| e.has_more());
            if let Some(more) = known {
                return Ok(more);
            }
            let element = turn.state.compute(runner)?;
            turn.state.ahead = Some(element);
        }
        Ok(matches!(turn.state.ahead, Some(Some(_))))
    }
}

impl State {
    fn take(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let element = match self.ahead.take() {
            Some(element) => element,
            None => self.compute(runner)?,
        };
        match &element {
            Some(_) => self.taken += 1,
            None => self.ahead = Some(None),
        }
        Ok(element)
    }

    fn compute(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        match &mut self.elements {
            Some(elements) => {
                let _back = self.iteration.resume();
                elements.next(runner)
            }
            None => Err(no_dataset()),
        }
    }
}

fn no_dataset() -> Error {
    err!(FailedPrecondition, "the iterator was given no dataset yet")
}
