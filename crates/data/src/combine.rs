//! Several datasets side by side, or one after the other.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, Sink, dataset_of};
use crate::op::{Maker, datasets};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{DType, Result, Tensor};
use std::sync::Arc;

datasets! {
    trait EmitCombine;

    /// Elements with the components of those of all `input_datasets`, as long as each has one.
    ZipDataset: zip_dataset(input_datasets: [variant; N]) {};

    /// The elements of `input_dataset`, then those of `another_dataset`.
    ConcatenateDataset: concatenate_dataset(input_dataset: variant, another_dataset: variant) {};
}

#[derive(Debug)]
struct Zip(Vec<DatasetRef>);

impl Maker for ZipDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Zip(inputs
            .iter()
            .map(dataset_of)
            .collect::<Result<_>>()?)))
    }
}

impl Dataset for Zip {
    fn inputs(&self) -> Vec<&DatasetRef> {
        self.0.iter().collect()
    }
    fn commutes(&self) -> bool {
        self.0.iter().all(|d| d.commutes())
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let inputs = self.0.iter().map(|d| d.clone().open());
        Ok(Box::new(ZipElements(inputs.collect::<Result<_>>()?)))
    }
    fn cardinality(&self) -> Cardinality {
        let all = self.0.iter().map(|d| d.cardinality());
        all.reduce(Cardinality::min)
            .unwrap_or(Cardinality::Known(0))
    }
    fn is_quick(&self) -> bool {
        self.0.iter().all(|d| d.is_quick())
    }
}

struct ZipElements(Vec<BoxedElements>);

impl Elements for ZipElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let mut element = Tensors::new();
        let mut failed = None;
        for input in &mut self.0 {
            match input.next(runner) {
                Ok(Some(part)) => element.extend(part),
                Ok(None) => {
                    self.0.clear();
                    break;
                }
                // All go on to the same number.
                Err(e) => failed = failed.or(Some(e)),
            }
        }
        match failed {
            Some(e) if !self.0.is_empty() => Err(e),
            _ => Ok((!self.0.is_empty()).then_some(element)),
        }
    }
    fn has_more(&mut self) -> Option<bool> {
        let mut known = Some(!self.0.is_empty());
        for input in &mut self.0 {
            match input.has_more() {
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = None,
            }
        }
        known
    }
    fn next_into(&mut self, runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        let mut behind = Behind {
            sink,
            n: 0,
            first: 0,
        };
        for input in &mut self.0 {
            behind.first = behind.n;
            if !input.next_into(runner, &mut behind)? {
                self.0.clear();
                break;
            }
        }
        Ok(!self.0.is_empty())
    }
}

/// Takes the components of one input behind those of the inputs before.
struct Behind<'a> {
    sink: &'a mut dyn Sink,
    n: usize,
    first: usize,
}

impl Sink for Behind<'_> {
    fn put(&mut self, i: usize, dtype: DType, bytes: &[u8]) -> Result<()> {
        self.n += 1;
        self.sink.put(self.first + i, dtype, bytes)
    }
}

#[derive(Debug)]
struct Concatenate(DatasetRef, DatasetRef);

impl Maker for ConcatenateDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Concatenate(
            dataset_of(&inputs[0])?,
            dataset_of(&inputs[1])?,
        )))
    }
}

impl Dataset for Concatenate {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.0, &self.1]
    }
    fn commutes(&self) -> bool {
        self.0.commutes() && self.1.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Sequence {
            now: self.0.clone().open()?,
            then: Some(self.1.clone()),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.0.cardinality().plus(self.1.cardinality())
    }
    fn is_quick(&self) -> bool {
        self.0.is_quick() && self.1.is_quick()
    }
}

struct Sequence {
    now: BoxedElements,
    then: Option<DatasetRef>,
}

impl Elements for Sequence {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        if let Some(element) = self.now.next(runner)? {
            return Ok(Some(element));
        }
        match self.then.take() {
            Some(then) => {
                self.now = then.open()?;
                self.now.next(runner)
            }
            None => Ok(None),
        }
    }
}
