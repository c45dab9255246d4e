//! The state of an iteration, as programs hold it.

use crate::dataset::{BoxedElements, DatasetHandle, DatasetRef, Sink, put_all};
use crate::history::History;
use crate::order::{Place, go_to_places, places};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_ops::while_waiting;
use ferrograph_tensor::{DType, Error, ErrorKind, Object, Result, Tensor, bail, err};
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
    /// What the functions of the pipeline draw from, and what its parts chose.
    history: History,
    /// What it iterates over.
    dataset: Option<DatasetRef>,
    /// Where the orders of the dataset were when it began.
    places: Vec<Place>,
    quick: bool,
    /// Whether it draws and chooses nothing while it goes on: then it need not know which iteration it is in.
    is_plain: bool,
    /// An element, or the end, that was looked at but not taken.
    ahead: Option<Option<Tensors>>,
    /// How many elements were computed, those that failed among them.
    n_computed: u64,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements computed", self.n_computed)
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

/// The first word of a position: how the others are laid out.
const POSITION_FORM: i64 = 1;

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
        let state = State::begin(handle.dataset.clone(), History::here())?;
        *self.turn()?.state = state;
        Ok(())
    }

    /// Where it is: how many elements it passed, and what its parts chose on the way.
    ///
    /// # Errors
    /// `FailedPrecondition` where there is no dataset, or another iteration could not come there.
    pub fn position(&self) -> Result<Vec<i64>> {
        let state = &self.turn()?.state;
        if state.dataset.is_none() {
            return Err(no_dataset());
        }
        let waits = matches!(state.ahead, Some(Some(_)));
        let n_passed = state.n_computed - u64::from(waits);
        let n_places = i64::try_from(state.places.len()).unwrap_or(i64::MAX);
        let mut words = vec![POSITION_FORM, n_passed.cast_signed(), n_places];
        words.extend(state.places.as_flattened());
        words.extend(state.history.words()?);
        Ok(words)
    }

    /// Begins anew over its dataset, and goes where [`IteratorCell::position`] says that an iterator was: elements on the
    /// way are computed again.
    ///
    /// # Errors
    /// `DataLoss` where that is no position, `FailedPrecondition` where it is one in another dataset.
    pub fn go_to(&self, position: &[i64], runner: &dyn Runner) -> Result<()> {
        let damaged = || err!(DataLoss, "what is given is not the position of an iterator");
        let [POSITION_FORM, n_passed, n_places, rest @ ..] = position else {
            return Err(damaged());
        };
        let n_words = usize::try_from(*n_places)
            .ok()
            .and_then(|n| n.checked_mul(3));
        let parts = n_words.and_then(|n| rest.split_at_checked(n));
        let (places, choices) = parts.ok_or_else(damaged)?;
        let mut turn = self.turn()?;
        let dataset = turn.state.dataset.clone().ok_or_else(no_dataset)?;
        // Threads of the iteration until now may be about to draw orders.
        let before = turn.state.history.clone();
        before.set_over(true);
        let begin = || {
            go_to_places(&dataset, places.as_chunks().0)?;
            let mut state = State::begin(dataset.clone(), History::repeating(choices)?)?;
            state.pass(n_passed.cast_unsigned(), runner)?;
            Ok(state)
        };
        match begin() {
            Ok(state) => *turn.state = state,
            Err(e) => {
                before.set_over(false);
                return Err(e);
            }
        }
        Ok(())
    }

    /// Takes the next element; `None` at the end.
    ///
    /// # Errors
    /// What the pipeline raises; `FailedPrecondition` where there is none, or in the middle of taking another element.
    pub fn next(&self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let mut element = Tensors::new();
        Ok(self.next_to(runner, &mut element)?.then_some(element))
    }

    /// As [`IteratorCell::next`], into `element`, which is empty; whether there was one.
    ///
    /// # Errors
    /// As [`IteratorCell::next`].
    pub fn next_to(&self, runner: &dyn Runner, element: &mut Tensors) -> Result<bool> {
        self.turn()?.state.take(runner, element)
    }

    /// [`IteratorCell::next_to`] where that is quick and no other thread is at it; `None` where it is not. A caller that
    /// holds a lock which the pipeline may ask for has to give it up first, and call that.
    ///
    /// # Errors
    /// As [`IteratorCell::next`].
    pub fn next_if_quick(
        &self,
        runner: &dyn Runner,
        element: &mut Tensors,
    ) -> Result<Option<bool>> {
        match self.state.try_lock() {
            Some(mut state) if state.is_quick() => state.take(runner, element).map(Some),
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
                let _back = (!state.is_plain).then(|| state.history.resume());
                let found = elements.next_into(runner, sink);
                state.n_computed += computed(&found);
                found?
            }
            (Some(None), _) => false,
            (None, None) => return Err(no_dataset()),
        };
        if !found {
            state.ahead = Some(None);
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
            let mut element = Tensors::new();
            let found = turn.state.compute(runner, &mut element)?;
            turn.state.ahead = Some(found.then_some(element));
        }
        Ok(matches!(turn.state.ahead, Some(Some(_))))
    }
}

/// 1 where an element was computed or failed, 0 at the end and where the program is to stop.
fn computed(found: &Result<bool>) -> u64 {
    let passed = match found {
        Ok(found) => *found,
        Err(e) => e.kind() != ErrorKind::Cancelled,
    };
    u64::from(passed)
}

impl State {
    /// The beginning of an iteration over a dataset.
    fn begin(dataset: DatasetRef, history: History) -> Result<State> {
        let places = places(&dataset);
        let elements = {
            let _back = history.resume();
            dataset.clone().open()?
        };
        Ok(State {
            elements: Some(elements),
            places,
            history,
            quick: dataset.is_quick(),
            is_plain: dataset.inputs().is_empty() && dataset.commutes(),
            dataset: Some(dataset),
            ahead: None,
            n_computed: 0,
        })
    }

    /// Passes over so many elements, those that fail among them.
    fn pass(&mut self, n: u64, runner: &dyn Runner) -> Result<()> {
        if self.quick
            && let Some(elements) = &mut self.elements
        {
            let _back = self.history.resume();
            self.n_computed = elements.skip(n, runner)?;
        }
        while self.n_computed < n {
            match self.compute(runner, &mut Tensors::new()) {
                Ok(true) => {}
                Ok(false) => bail!(
                    FailedPrecondition,
                    "the position that was saved is behind the end of the dataset: element {n} of {}",
                    self.n_computed
                ),
                Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
                Err(_) => {} // as it was when it was computed first
            }
        }
        Ok(())
    }

    /// Whether the next element is there at once.
    fn is_quick(&self) -> bool {
        self.quick || self.elements.as_ref().is_some_and(|e| e.is_at_hand())
    }

    fn take(&mut self, runner: &dyn Runner, element: &mut Tensors) -> Result<bool> {
        let found = match self.ahead.take() {
            Some(ahead) => ahead.map(|ahead| *element = ahead).is_some(),
            None => self.compute(runner, element)?,
        };
        if !found {
            self.ahead = Some(None);
        }
        Ok(found)
    }

    fn compute(&mut self, runner: &dyn Runner, element: &mut Tensors) -> Result<bool> {
        match &mut self.elements {
            Some(elements) => {
                let _back = (!self.is_plain).then(|| self.history.resume());
                let found = elements.next_to(runner, element);
                self.n_computed += computed(&found);
                found
            }
            None => Err(no_dataset()),
        }
    }
}

fn no_dataset() -> Error {
    err!(FailedPrecondition, "the iterator was given no dataset yet")
}
