//! Fewer elements, or the same again, by number.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, Sink, dataset_of, pause,
};
use crate::op::{Maker, count, datasets, int};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail};
use std::sync::Arc;

datasets! {
    trait EmitCount;

    /// The first `count` elements of `input_dataset`; all of them for a negative number.
    TakeDataset: take_dataset(input_dataset: variant, count: int64) {};

    /// What comes after the first `count` elements of `input_dataset`; nothing for a negative number.
    SkipDataset: skip_dataset(input_dataset: variant, count: int64) {};

    /// All elements of `input_dataset` `count` times; without end for a negative number.
    RepeatDataset: repeat_dataset(input_dataset: variant, count: int64) {};

    /// Every `num_shards`-th element of `input_dataset`, from number `index` on.
    ShardDataset: shard_dataset(input_dataset: variant, num_shards: int64, index: int64) {};
}

#[derive(Debug)]
struct Take {
    input: DatasetRef,
    n: u64,
}

impl Maker for TakeDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let input = dataset_of(&inputs[0])?;
        Ok(match count(&inputs[1])? {
            Some(n) => Arc::new(Take { input, n }),
            None => input,
        })
    }
}

impl Dataset for Take {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let input = match self.n {
            0 => None,
            _ => Some(self.input.clone().open()?),
        };
        Ok(Box::new(TakeElements { input, n: self.n }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().min(Cardinality::Known(self.n))
    }
    fn is_quick(&self) -> bool {
        self.input.is_quick()
    }
}

struct TakeElements {
    /// Gone once enough was taken.
    input: Option<BoxedElements>,
    n: u64,
}

impl Elements for TakeElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let Some(input) = &mut self.input else {
            return Ok(None);
        };
        // An element that fails is none of those.
        let element = input.next(runner)?;
        self.n -= 1;
        if self.n == 0 {
            self.input = None;
        }
        Ok(element)
    }
    fn has_more(&mut self) -> Option<bool> {
        self.input.as_mut().map_or(Some(false), |i| i.has_more())
    }
    fn next_into(&mut self, runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        let Some(input) = &mut self.input else {
            return Ok(false);
        };
        let found = input.next_into(runner, sink)?;
        self.n -= 1;
        if self.n == 0 {
            self.input = None;
        }
        Ok(found)
    }
}

#[derive(Debug)]
struct Skip {
    input: DatasetRef,
    /// `None` where all are passed over.
    n: Option<u64>,
}

impl Maker for SkipDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Skip {
            input: dataset_of(&inputs[0])?,
            n: count(&inputs[1])?,
        }))
    }
}

impl Dataset for Skip {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let Some(n) = self.n else {
            return Ok(Box::new(Nothing));
        };
        Ok(Box::new(SkipElements {
            input: self.input.clone().open()?,
            n,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match self.n {
            Some(n) => self.input.cardinality().map(|all| all.saturating_sub(n)),
            None => Cardinality::Known(0),
        }
    }
}

/// No elements.
struct Nothing;

impl Elements for Nothing {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        Ok(None)
    }
}

struct SkipElements {
    input: BoxedElements,
    /// How many are still to be passed over.
    n: u64,
}

impl Elements for SkipElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.n > 0 {
            let n = std::mem::take(&mut self.n);
            self.input.skip(n, runner)?;
        }
        self.input.next(runner)
    }
    fn has_more(&mut self) -> Option<bool> {
        match self.n {
            0 => self.input.has_more(),
            _ => None,
        }
    }
}

#[derive(Debug)]
struct Repeat {
    input: DatasetRef,
    /// `None` where there is no end.
    times: Option<u64>,
}

impl Maker for RepeatDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Repeat {
            input: dataset_of(&inputs[0])?,
            times: count(&inputs[1])?,
        }))
    }
}

impl Dataset for Repeat {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(RepeatElements {
            left: self.times,
            now: None,
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match (self.input.cardinality(), self.times) {
            (_, Some(0)) | (Cardinality::Known(0), _) => Cardinality::Known(0),
            (_, None) => Cardinality::Infinite,
            (all, Some(times)) => all.map(|n| n.saturating_mul(times)),
        }
    }
    fn is_quick(&self) -> bool {
        self.input.is_quick()
    }
}

struct RepeatElements {
    dataset: Arc<Repeat>,
    left: Option<u64>,
    now: Option<BoxedElements>,
}

impl RepeatElements {
    /// Whether a round without elements is the last: one of an endless repetition, or of what is known to be empty.
    fn ends_empty(&self) -> bool {
        self.left.is_none() || self.dataset.input.cardinality() == Cardinality::Known(0)
    }
}

impl Elements for RepeatElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            let starts = self.now.is_none();
            if starts {
                match &mut self.left {
                    Some(0) => return Ok(None),
                    Some(left) => *left -= 1,
                    None => {}
                }
                self.now = Some(self.dataset.input.clone().open()?);
            }
            if let Some(now) = &mut self.now
                && let Some(element) = now.next(runner)?
            {
                return Ok(Some(element));
            }
            self.now = None;
            if starts && self.ends_empty() {
                self.left = Some(0);
            }
        }
    }
}

#[derive(Debug)]
struct Shard {
    input: DatasetRef,
    n: u64,
    index: u64,
}

impl Maker for ShardDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let (n, index) = (int(&inputs[1])?, int(&inputs[2])?);
        match (u64::try_from(n), u64::try_from(index)) {
            (Ok(n), Ok(index)) if index < n => Ok(Arc::new(Shard {
                input: dataset_of(&inputs[0])?,
                n,
                index,
            })),
            _ => bail!(
                InvalidArgument,
                "the index of a shard must be in [0, num_shards), got {index} of {n}"
            ),
        }
    }
}

impl Dataset for Shard {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(ShardElements {
            input: self.input.clone().open()?,
            gap: self.index,
            n: self.n,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        let own = |all: u64| all / self.n + u64::from(all % self.n > self.index);
        self.input.cardinality().map(own)
    }
}

struct ShardElements {
    input: BoxedElements,
    /// How many are passed over before the next one.
    gap: u64,
    n: u64,
}

impl Elements for ShardElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        // Where an element fails the next one takes its place.
        let gap = std::mem::take(&mut self.gap);
        self.input.skip(gap, runner)?;
        let element = self.input.next(runner)?;
        self.gap = self.n - 1;
        Ok(element)
    }
}
