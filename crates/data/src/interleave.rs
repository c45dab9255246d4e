//! Datasets of datasets by turns.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Maker, datasets, positive};
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

datasets! {
    trait EmitInterleave;

    /// The elements of the datasets that `f` gives for those of `input_dataset`, `cycle_length` of them at a time,
    /// `block_length` elements of each in turn.
    InterleaveDataset: interleave_dataset(input_dataset: variant, cycle_length: int64, block_length: int64, other_arguments: [Targuments]) {
        /// Gives a dataset for an element and what it captured.
        f: Arc<Graph>,
    };
}

#[derive(Debug)]
pub(crate) struct Interleave {
    pub input: DatasetRef,
    pub cycle: usize,
    pub block: usize,
    pub function: Function,
}

impl Maker for InterleaveDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Interleave {
            input: dataset_of(&inputs[0])?,
            cycle: positive(&inputs[1], "cycle_length")?,
            block: positive(&inputs[2], "block_length")?,
            function: Function::new(&self.f, &inputs[3..]),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.f]
    }
}

impl Dataset for Interleave {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Cycle {
            input: Some(self.input.clone().open()?),
            places: Places::new(self.cycle, self.block),
            function: self.function.caller(),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match self.input.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            _ => Cardinality::Unknown,
        }
    }
}

/// What is open at a time, taken from by turns.
pub(crate) struct Places<P> {
    cycle: usize,
    block: usize,
    /// They grow up to the length of the cycle.
    all: Vec<Option<P>>,
    at: usize,
    taken: usize,
    n_open: usize,
}

impl<P> Places<P> {
    pub(crate) fn new(cycle: usize, block: usize) -> Places<P> {
        Places {
            cycle,
            block,
            all: Vec::new(),
            at: 0,
            taken: 0,
            n_open: 0,
        }
    }

    /// What is open at the present place.
    pub(crate) fn now(&mut self) -> Option<&mut P> {
        self.all.get_mut(self.at).and_then(Option::as_mut)
    }

    /// Opens something at the present place.
    pub(crate) fn open(&mut self, opened: P) {
        if self.at >= self.all.len() {
            self.all.resize_with(self.at + 1, || None);
        }
        self.all[self.at] = Some(opened);
        self.n_open += 1;
    }

    /// Says that an element was taken at the present place, and whether nothing is left to open.
    pub(crate) fn took_one(&mut self, has_ended: bool) {
        self.taken += 1;
        if self.taken == self.block {
            self.turn(has_ended);
        }
    }

    /// Says that the present place has no more elements.
    pub(crate) fn close(&mut self, has_ended: bool) {
        self.all[self.at] = None;
        self.n_open -= 1;
        self.turn(has_ended);
    }

    /// Passes over the present place, for which there is nothing to open; whether any place is open.
    pub(crate) fn turn_to_open(&mut self) -> bool {
        if self.n_open > 0 {
            self.turn(true);
        }
        self.n_open > 0
    }

    /// Goes on to the next place; where nothing is left to open, no further than places were filled.
    fn turn(&mut self, has_ended: bool) {
        let n = if has_ended {
            self.all.len()
        } else {
            self.cycle
        };
        self.at = if self.at + 1 < n { self.at + 1 } else { 0 };
        self.taken = 0;
    }
}

struct Cycle {
    function: Caller,
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    places: Places<BoxedElements>,
}

impl Cycle {
    /// Opens the next dataset at the present place, if there is one.
    fn refill(&mut self, runner: &dyn Runner) -> Result<bool> {
        let Some(input) = &mut self.input else {
            return Ok(false);
        };
        let Some(element) = input.next(runner)? else {
            self.input = None;
            return Ok(false);
        };
        let inner = self.function.next_one(runner, element)?;
        self.places.open(dataset_of(&inner)?.open()?);
        Ok(true)
    }
}

impl Elements for Cycle {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            let has_ended = self.input.is_none();
            if let Some(place) = self.places.now() {
                if let Some(element) = place.next(runner)? {
                    self.places.took_one(has_ended);
                    return Ok(Some(element));
                }
                self.places.close(has_ended);
            } else if !self.refill(runner)? && !self.places.turn_to_open() {
                break;
            }
        }
        Ok(None)
    }
}
