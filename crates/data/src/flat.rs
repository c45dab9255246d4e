//! Datasets of datasets as one, and batches as their rows.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Kind, Maker, add};
use crate::source::row_of;
use ferrograph_graph::{Attr, AttrReader, Attrs, Graph, Registry, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Makes the elements of the datasets that a function gives for each element, one dataset after the other.
#[derive(Debug)]
struct MakeFlatMap {
    function: Arc<Graph>,
}

#[derive(Debug)]
struct FlatMap {
    input: DatasetRef,
    function: Function,
}

impl Maker for MakeFlatMap {
    const NAME: &'static str = "FlatMapDataset";
    const INPUTS: &'static [Kind] = &[Kind::Dataset];
    const REST: bool = true;
    fn read(a: &AttrReader<'_>) -> Result<Self> {
        Ok(MakeFlatMap {
            function: a.graph("f")?,
        })
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("f", Attr::Graph(self.function.clone()))
    }
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(FlatMap {
            input: dataset_of(&inputs[0])?,
            function: Function::new(&self.function, &inputs[1..]),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.function]
    }
}

impl Dataset for FlatMap {
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
            let inner = self.function.call_one(runner, element)?;
            self.inner = Some(dataset_of(&inner)?.open()?);
        }
        Ok(None)
    }
}

/// Makes the rows of each element.
#[derive(Debug)]
struct MakeUnbatch;

#[derive(Debug)]
struct Unbatch(DatasetRef);

impl Maker for MakeUnbatch {
    const NAME: &'static str = "UnbatchDataset";
    const INPUTS: &'static [Kind] = &[Kind::Dataset];
    fn read(_: &AttrReader<'_>) -> Result<Self> {
        Ok(MakeUnbatch)
    }
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Unbatch(dataset_of(&inputs[0])?)))
    }
}

impl Dataset for Unbatch {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Rows {
            input: self.0.clone().open()?,
            element: Tensors::new(),
            at: 0,
            n: 0,
        }))
    }
}

/// An iteration over the rows of elements.
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

pub(crate) fn register(r: &mut Registry) {
    add::<MakeFlatMap>(r);
    add::<MakeUnbatch>(r);
}
