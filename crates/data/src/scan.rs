//! A function over elements that carries a state from one to the next.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of};
use crate::function::{Caller, Function};
use crate::op::{Maker, datasets};
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

datasets! {
    trait EmitScan;

    /// What `f` gives for the state and each element of `input_dataset`; it gives the next state before that.
    ScanDataset: scan_dataset(input_dataset: variant, initial_state_and_captures: [Tstate]) {
        /// Gives the next state and an element.
        f: Arc<Graph>,
        /// How many tensors the state is.
        n_state: usize,
    };
}

#[derive(Debug)]
struct Scan {
    input: DatasetRef,
    initial: Tensors,
    function: Function,
}

impl Maker for ScanDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let Some((initial, captured)) = inputs[1..].split_at_checked(self.n_state) else {
            bail!(
                InvalidArgument,
                "a scan of {} state tensors got {} inputs",
                self.n_state,
                inputs.len()
            );
        };
        Ok(Arc::new(Scan {
            input: dataset_of(&inputs[0])?,
            initial: initial.iter().cloned().collect(),
            function: Function::new(&self.f, captured),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.f]
    }
}

impl Dataset for Scan {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(ScanElements {
            input: self.input.clone().open()?,
            state: self.initial.clone(),
            function: self.function.caller(),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

struct ScanElements {
    function: Caller,
    input: BoxedElements,
    state: Tensors,
}

impl Elements for ScanElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let Some(element) = self.input.next(runner)? else {
            return Ok(None);
        };
        let arguments = self.state.iter().cloned().chain(element).collect();
        let mut found = self.function.call_next(runner, arguments)?;
        let n = self.state.len();
        if found.len() < n {
            bail!(Internal, "a scan function gave less than its state");
        }
        let element = found.drain(n..).collect();
        self.state = found;
        Ok(Some(element))
    }
    fn has_more(&mut self) -> Option<bool> {
        self.input.has_more()
    }
}
