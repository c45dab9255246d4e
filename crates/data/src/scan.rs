//! A function over elements that carries a state from one to the next.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of};
use crate::function::{Caller, Function, n_attr};
use crate::op::{Kind, Maker, add};
use ferrograph_graph::{Attr, AttrReader, Attrs, Graph, Registry, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Makes what a function gives for the state and each element; it gives the next state before that.
#[derive(Debug)]
struct MakeScan {
    function: Arc<Graph>,
    n_state: usize,
}

#[derive(Debug)]
struct Scan {
    input: DatasetRef,
    initial: Tensors,
    function: Function,
}

impl Maker for MakeScan {
    const NAME: &'static str = "ScanDataset";
    const INPUTS: &'static [Kind] = &[Kind::Dataset];
    const REST: bool = true;
    fn read(a: &AttrReader<'_>) -> Result<Self> {
        Ok(MakeScan {
            function: a.graph("f")?,
            n_state: n_attr(a, "n_state")?,
        })
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("f", Attr::Graph(self.function.clone()))
            .with("n_state", Attr::Int(self.n_state as i64))
    }
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
            function: Function::new(&self.function, captured),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.function]
    }
}

impl Dataset for Scan {
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
        let mut found = self.function.call(runner, arguments)?;
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

pub(crate) fn register(r: &mut Registry) {
    add::<MakeScan>(r);
}
