//! A queue as programs hold it.

use crate::line::Line;
use ferrograph_graph::Tensors;
use ferrograph_ops::{check_interrupt, while_waiting};
use ferrograph_tensor::{DType, Error, Object, Result, Tensor, TensorSpec, bail, err};
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// How long a thread waits before it asks whether to go on.
const PATIENCE: Duration = Duration::from_millis(10);

/// What a queue is made of.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What it is called in errors.
    pub name: &'static str,
    /// How many elements it holds at most.
    pub capacity: usize,
    /// How many stay in it until it is closed.
    pub stay: usize,
    /// The dtypes and shapes of the components of an element.
    pub components: Vec<TensorSpec>,
    /// Whether several elements taken at once are padded to one shape.
    pub pads: bool,
}

/// A queue. Threads wait in it for room and for elements.
#[derive(Debug)]
pub struct QueueCell {
    pub(crate) plan: Plan,
    /// Held for moments only.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    line: Line,
    closed: bool,
    /// Whether those that wait for room shall give up.
    cancelled: bool,
    /// How many threads wait for room.
    adding: usize,
}

impl Object for QueueCell {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What came of a try.
enum Tried<T> {
    Done(T),
    /// Another thread has to do something first.
    Waits,
}

impl QueueCell {
    pub(crate) fn new(plan: Plan, line: Line) -> QueueCell {
        QueueCell {
            plan,
            state: Mutex::new(State {
                line,
                closed: false,
                cancelled: false,
                adding: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The queue that a resource tensor refers to.
    ///
    /// # Errors
    /// `InvalidArgument` for another resource.
    pub fn of(handle: &Tensor) -> Result<&QueueCell> {
        let object = handle.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "the resource is no queue: {object:?}"))
    }

    /// The queue as a resource tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Resource, Arc::new(self))
    }

    /// Tries until something comes of it.
    fn wait<T>(&self, mut attempt: impl FnMut(&mut State) -> Result<Tried<T>>) -> Result<T> {
        loop {
            let tried = attempt(&mut self.state.lock())?;
            if let Tried::Done(found) = tried {
                self.changed.notify_all();
                return Ok(found);
            }
            check_interrupt()?;
            while_waiting(&mut || {
                let mut state = self.state.lock();
                self.changed.wait_for(&mut state, PATIENCE);
            });
        }
    }

    fn is_closed_error(&self) -> Error {
        err!(Cancelled, "{} is closed.", self.plan.name)
    }

    /// Adds elements one by one, each once there is room.
    ///
    /// # Errors
    /// `Cancelled` where the queue is closed, or where it is while a thread waits and that shall give up; `InvalidArgument`
    /// for an element of another type.
    pub(crate) fn add(&self, elements: Vec<Tensors>) -> Result<()> {
        elements
            .iter()
            .try_for_each(|element| self.check(element))?;
        {
            let mut state = self.state.lock();
            if state.closed {
                return Err(self.is_closed_error());
            }
            state.adding += 1;
        }
        let _leaves = Leaves(self);
        for element in elements {
            let mut element = Some(element);
            self.wait(|state| {
                if state.cancelled {
                    return Err(err!(Cancelled, "Enqueue operation was cancelled"));
                }
                if state.line.len() >= self.plan.capacity {
                    return Ok(Tried::Waits);
                }
                element.take().map_or(Ok(()), |one| state.line.add(one))?;
                Ok(Tried::Done(()))
            })?;
        }
        Ok(())
    }

    fn check(&self, element: &[Tensor]) -> Result<()> {
        let specs = &self.plan.components;
        let fits = |(spec, t): (&TensorSpec, &Tensor)| {
            spec.dtype == t.dtype() && spec.shape.accepts(t.shape())
        };
        if specs.len() != element.len() || !specs.iter().zip(element).all(fits) {
            let had: Vec<_> = element.iter().map(|t| t.spec().to_string()).collect();
            let wanted: Vec<_> = specs.iter().map(TensorSpec::to_string).collect();
            bail!(
                InvalidArgument,
                "{} takes elements of ({}), got ({})",
                self.plan.name,
                wanted.join(", "),
                had.join(", ")
            );
        }
        Ok(())
    }

    /// Takes `n` elements, once they are there; of a closed queue fewer where `fewer` allows that.
    ///
    /// # Errors
    /// `OutOfRange` where a closed queue has not as many; it keeps those it has.
    pub(crate) fn take(&self, n: usize, fewer: bool) -> Result<Vec<Tensors>> {
        let mut taken = Taken {
            queue: self,
            elements: Vec::new(),
        };
        let most = (self.plan.capacity - self.plan.stay).max(1);
        self.wait(|state| {
            let left = n - taken.elements.len();
            let ended = state.closed && (state.adding == 0 || state.cancelled);
            let stay = if ended { 0 } else { self.plan.stay };
            let ready = state.line.len().saturating_sub(stay);
            if ready >= left.min(most) || ended {
                let more = (0..left.min(ready)).map_while(|_| state.line.take());
                taken.elements.extend(more);
                self.changed.notify_all();
            }
            let got = taken.elements.len();
            if got == n || ended && fewer && got > 0 {
                return Ok(Tried::Done(()));
            }
            if ended {
                bail!(
                    OutOfRange,
                    "{} is closed and has insufficient elements (requested {n}, current size {got})",
                    self.plan.name
                );
            }
            Ok(Tried::Waits)
        })?;
        Ok(std::mem::take(&mut taken.elements))
    }

    /// How many elements wait.
    pub fn size(&self) -> usize {
        self.state.lock().line.len()
    }

    /// Whether the queue is closed.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Lets no further elements in; `cancel` says whether those that wait for room shall give up.
    ///
    /// # Errors
    /// `Cancelled` where it is closed.
    pub fn close(&self, cancel: bool) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed && (!cancel || state.cancelled) {
            bail!(Cancelled, "{} is already closed.", self.plan.name);
        }
        state.closed = true;
        state.cancelled |= cancel;
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}

/// A thread that waits for room no longer.
struct Leaves<'a>(&'a QueueCell);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.state.lock().adding -= 1;
        self.0.changed.notify_all();
    }
}

/// Elements that go back where their number does not come together.
struct Taken<'a> {
    queue: &'a QueueCell,
    elements: Vec<Tensors>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let elements = std::mem::take(&mut self.elements);
        if !elements.is_empty() {
            // They came from this line, so that it takes them again.
            let _ = self.queue.state.lock().line.put_back(elements);
            self.queue.changed.notify_all();
        }
    }
}
