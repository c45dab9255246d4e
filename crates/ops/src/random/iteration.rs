//! Random numbers in the functions that a pipeline applies to elements: each iteration over the whole begins the streams
//! of their operations again, so that one iteration draws what another does.

use super::{
    categorical::Categorical, draw::Draw, reserve::Reserve, shuffle::Shuffle, stream::Stream,
};
use ferrograph_graph::{Graph, Op, Role};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What a stream of an iteration is kept under: the function that is applied, the operation in it.
type Key = (usize, usize);

/// The streams that functions draw from in one iteration over a pipeline and over those that it makes on the way.
#[derive(Clone, Debug, Default)]
pub struct Iteration(Arc<Mutex<HashMap<Key, Begun>>>);

/// A stream of an iteration.
#[derive(Debug)]
struct Begun {
    stream: Stream,
    /// The operation's own stream, which keeps its key from being another's.
    _own: Stream,
}

/// What this thread is at.
#[derive(Clone, Default)]
struct Place {
    iteration: Option<Iteration>,
    /// The function that is applied to an element.
    function: Option<usize>,
}

thread_local! {
    static PLACE: RefCell<Place> = RefCell::default();
}

/// Puts back what the thread was at.
#[must_use]
pub struct Back(Place);

impl Drop for Back {
    fn drop(&mut self) {
        PLACE.replace(std::mem::take(&mut self.0));
    }
}

fn enter(place: Place) -> Back {
    Back(PLACE.replace(place))
}

impl Iteration {
    /// The iteration for which this thread computes an element, else a fresh one.
    pub fn here() -> Iteration {
        PLACE.with_borrow(|place| place.iteration.clone().unwrap_or_default())
    }

    /// Whether both are the same iteration.
    pub fn is(&self, other: &Iteration) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// From now on this thread computes elements for this iteration.
    pub fn resume(&self) -> Back {
        enter(Place {
            iteration: Some(self.clone()),
            function: None,
        })
    }

    /// From now on this thread computes elements for none: it runs code that is not the pipeline's.
    pub fn leave() -> Back {
        enter(Place::default())
    }

    /// From now on this thread applies that function to an element of the iteration it is at.
    pub fn apply(function: &Arc<Graph>) -> Back {
        let iteration = PLACE.with_borrow(|place| place.iteration.clone());
        enter(Place {
            iteration,
            function: Some(Arc::as_ptr(function) as usize),
        })
    }
}

/// The stream of an operation with that stream of its own, where a function of an iteration runs it: `begin` gives the
/// one that the iteration begins with.
pub(super) fn stream(own: &Stream, begin: impl FnOnce() -> Stream) -> Option<Stream> {
    PLACE.with_borrow(|place| {
        let (iteration, function) = (place.iteration.as_ref()?, place.function?);
        let mut streams = iteration.0.lock();
        let begun = streams
            .entry((function, own.address()))
            .or_insert_with(|| Begun {
                stream: begin(),
                _own: own.clone(),
            });
        Some(begun.stream.clone())
    })
}

/// Whether a function of an iteration runs.
pub(super) fn is_applying() -> bool {
    PLACE.with_borrow(|place| place.iteration.is_some() && place.function.is_some())
}

/// The mark of graphs whose operations have their numbers.
struct Numbered;

/// Numbers the operations of a graph that draw without a seed of their own, and those of the graphs it holds: that is their
/// seed beside the program's where an iteration begins their streams.
pub fn number_draws(graph: &Graph) {
    if graph.has_attachment::<Numbered>() {
        return;
    }
    graph.attachment(|| Numbered);
    let mut n = 0;
    for node in &graph.nodes {
        if let Some(stream) = unseeded(&*node.op) {
            stream.number(n);
            n += 1;
        }
        let regions = node.op.regions().into_iter();
        let held = regions.filter(|region| region.role != Role::Function);
        held.for_each(|region| number_draws(region.graph));
    }
}

/// The stream of an operation that draws without a seed.
fn unseeded(op: &dyn Op) -> Option<&Stream> {
    let (seeds, stream) = if let Some(draw) = op.downcast::<Draw>() {
        draw.own_stream()?
    } else if let Some(shuffle) = op.downcast::<Shuffle>() {
        ((shuffle.seed, shuffle.seed2), &shuffle.stream)
    } else if let Some(reserve) = op.downcast::<Reserve>() {
        ((reserve.seed, reserve.seed2), &reserve.stream)
    } else {
        let categorical = op.downcast::<Categorical>()?;
        ((categorical.seed, categorical.seed2), &categorical.stream)
    };
    (seeds == (0, 0)).then_some(stream)
}
