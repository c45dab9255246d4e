//! Datasets of datasets as one, and batches as their rows.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetHandle, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Maker, datasets};
use crate::source::row_of;
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

datasets! {
    trait EmitFlat;

    /// The elements of the datasets that `f` gives for each element of `input_dataset`, one dataset after the other.
    FlatMapDataset: flat_map_dataset(input_dataset: variant, other_arguments: [Targuments]) {
        /// Gives a dataset for an element and what it captured.
        f: Arc<Graph>,
    };

    /// The rows of each element of `input_dataset`.
    UnbatchDataset: unbatch_dataset(input_dataset: variant) {};
}

#[derive(Debug)]
struct FlatMap {
    input: DatasetRef,
    function: Function,
}

impl Maker for FlatMapDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(FlatMap {
            input: dataset_of(&inputs[0])?,
            function: Function::new(&self.f, &inputs[1..]),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.f]
    }
}

impl Dataset for FlatMap {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(FlatMapElements {
            input: self.input.clone().open()?,
            inner: None,
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

struct FlatMapElements {
    function: Caller,
    input: BoxedElements,
    inner: Option<BoxedElements>,
}

impl Elements for FlatMapElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if let Some(inner) = &mut self.inner
                && let Some(element) = inner.next(runner)?
            {
                return Ok(Some(element));
            }
            self.inner = None;
            let Some(element) = self.input.next(runner)? else {
                break;
            };
            let inner = self.function.next_one(runner, element)?;
            self.inner = Some(dataset_of(&inner)?.open()?);
        }
        Ok(None)
    }
}

#[derive(Debug)]
struct Unbatch {
    input: DatasetRef,
    /// How many rows each element has, where their types say so.
    n_rows: Option<u64>,
}

impl Maker for UnbatchDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let handle = DatasetHandle::of(&inputs[0])?;
        let known = |spec: &TensorSpec| spec.shape.dims()?.first()?.known();
        Ok(Arc::new(Unbatch {
            input: handle.dataset.clone(),
            n_rows: handle.specs.iter().find_map(known).map(|n| n as u64),
        }))
    }
}

impl Dataset for Unbatch {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        rows_of(&self.input)
    }
    fn cardinality(&self) -> Cardinality {
        match (self.input.cardinality(), self.n_rows) {
            (Cardinality::Known(n), Some(rows)) => Cardinality::Known(n.saturating_mul(rows)),
            (Cardinality::Infinite, Some(1..)) => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        }
    }
}

/// An iteration over the rows of the elements of a dataset.
pub(crate) fn rows_of(dataset: &DatasetRef) -> Result<BoxedElements> {
    Ok(Box::new(Rows {
        input: dataset.clone().open()?,
        element: Tensors::new(),
        at: 0,
        n: 0,
    }))
}

struct Rows {
    input: BoxedElements,
    element: Tensors,
    at: usize,
    n: usize,
}

impl Elements for Rows {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if self.at < self.n {
                break;
            }
            let Some(element) = self.input.next(runner)? else {
                return Ok(None);
            };
            (self.at, self.n) = (0, n_rows(&element)?);
            self.element = element;
        }
        let at = self.at;
        self.at += 1;
        let row = |t: &Tensor| row_of(t, at);
        self.element
            .iter()
            .map(row)
            .collect::<Result<_>>()
            .map(Some)
    }
}

/// The number of rows that all components have.
fn n_rows(element: &[Tensor]) -> Result<usize> {
    let mut found = None;
    for t in element {
        let Some(&n) = t.shape().first() else {
            bail!(InvalidArgument, "a scalar has no rows to take apart");
        };
        if *found.get_or_insert(n) != n {
            bail!(
                InvalidArgument,
                "the components of an element have different numbers of rows"
            );
        }
    }
    Ok(found.unwrap_or(0))
}
