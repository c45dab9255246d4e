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
struct Interleave {
    input: DatasetRef,
    cycle: usize,
    block: usize,
    function: Function,
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
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Cycle {
            input: Some(self.input.clone().open()?),
            places: Vec::new(),
            at: 0,
            taken: 0,
            n_open: 0,
            function: self.function.caller(),
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match self.input.cardinality() {
            Cardinality::Known(0) => Cardinality::Known(0),
            _ => Cardinality::Unknown,
        }
    }
}

struct Cycle {
    function: Caller,
    dataset: Arc<Interleave>,
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    /// The datasets taken from by turns; they grow up to the length of the cycle.
    places: Vec<Option<BoxedElements>>,
    at: usize,
    taken: usize,
    n_open: usize,
}

impl Cycle {
    /// Goes on to the next place; where nothing is left to open, no further than places were filled.
    fn turn(&mut self) {
        let n = match self.input {
            Some(_) => self.dataset.cycle,
            None => self.places.len(),
        };
        self.at = if self.at + 1 < n { self.at + 1 } else { 0 };
        self.taken = 0;
    }

    /// Opens the next dataset at the present place, if there is one.
    fn refill(&mut self, runner: &dyn Runner) -> Result<bool> {
        let Some(input) = &mut self.input else {
            return Ok(false);
        };
        let Some(element) = input.next(runner)? else {
            self.input = None;
            return Ok(false);
        };
        let inner = self.function.call_one(runner, element)?;
        let opened = dataset_of(&inner)?.open()?;
        if self.at >= self.places.len() {
            self.places.resize_with(self.at + 1, || None);
        }
        self.places[self.at] = Some(opened);
        self.n_open += 1;
        Ok(true)
    }
}

impl Elements for Cycle {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if let Some(place) = self.places.get_mut(self.at).and_then(Option::as_mut) {
                if let Some(element) = place.next(runner)? {
                    self.taken += 1;
                    if self.taken == self.dataset.block {
                        self.turn();
                    }
                    return Ok(Some(element));
                }
                self.places[self.at] = None;
                self.n_open -= 1;
                self.turn();
            } else if !self.refill(runner)? {
                if self.n_open == 0 {
                    break;
                }
                self.turn();
            }
        }
        Ok(None)
    }
}
