//! Elements passed on as they are: kept for later, distinguished, counted, or without those that fail.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::history::{CACHE, History, another};
use crate::op::{Maker, datasets, int};
use crate::prefetch::Prefetch;
use crate::source::List;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_ops::Iteration;
use ferrograph_tensor::{DType, ErrorKind, Result, Tensor, bail};
use hashbrown::HashSet;
use parking_lot::Mutex;
use std::sync::Arc;

datasets! {
    trait EmitKeep;

    /// The elements of `input_dataset`, computed by the first iteration that reaches the end.
    CacheDatasetV2: cache_dataset(input_dataset: variant) {};

    /// The elements of `input_dataset`, of which up to `buffer_size` are computed before they are asked for, by a thread.
    PrefetchDataset: prefetch_dataset(input_dataset: variant, buffer_size: int64) {};

    /// Each element of `input_dataset` once, where it comes first.
    UniqueDataset: unique_dataset(input_dataset: variant) {};

    /// The elements of `input_dataset` that can be computed.
    IgnoreErrorsDataset: ignore_errors_dataset(input_dataset: variant) {};

    /// The elements of `input_dataset`, which have to be `cardinality` in number.
    AssertCardinalityDataset: assert_cardinality_dataset(input_dataset: variant, cardinality: int64) {};
}

#[derive(Debug)]
struct Cache {
    input: DatasetRef,
    kept: Mutex<Option<Kept>>,
}

/// What a cache holds.
#[derive(Debug, Clone)]
struct Kept {
    elements: Arc<Vec<Tensors>>,
    /// The iteration that computed them.
    by: Iteration,
    /// Whether they came in an order that was drawn.
    drawn: bool,
}

impl Maker for CacheDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(in_memory(dataset_of(&inputs[0])?))
    }
}

/// The elements of a dataset, kept in memory by the first iteration that reaches the end.
pub(crate) fn in_memory(input: DatasetRef) -> DatasetRef {
    let kept = Mutex::new(None);
    Arc::new(Cache { input, kept })
}

impl Dataset for Cache {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let history = History::here();
        let mut kept = self.kept.lock().clone();
        history.choose(|known| match (known, &kept) {
            (Some(made @ [CACHE, 0, ..]), _) => {
                kept = None; // the iteration that is repeated filled it
                Ok(made)
            }
            (Some(made @ [CACHE, ..]), _) => Ok(made),
            (Some(_), _) => Err(another("cache")),
            (None, None) => Ok([CACHE, 0, 1, 0]),
            (None, Some(kept)) => {
                let comes_again = !kept.drawn || kept.by.is(history.iteration());
                Ok([CACHE, 1, i64::from(comes_again), 0])
            }
        })?;
        if let Some(kept) = kept {
            return Arc::new(List::shared(kept.elements)).open();
        }
        let length = match self.input.cardinality() {
            Cardinality::Known(n) => usize::try_from(n).ok(),
            _ => None,
        };
        Ok(Box::new(Recording {
            n_drawn: history.n_drawn(),
            history,
            input: self.input.clone().open()?,
            length,
            seen: Some(Vec::new()),
            cache: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
    fn is_quick(&self) -> bool {
        self.input.is_quick()
    }
}

struct Recording {
    cache: Arc<Cache>,
    history: History,
    /// How many orders were drawn before.
    n_drawn: usize,
    input: BoxedElements,
    /// How many elements there are, where that is known.
    length: Option<usize>,
    /// What was taken so far; gone when one failed, or when all are kept.
    seen: Option<Vec<Tensors>>,
}

impl Recording {
    fn keep(&mut self) {
        if let Some(seen) = self.seen.take() {
            self.cache.kept.lock().get_or_insert_with(|| Kept {
                elements: Arc::new(seen),
                by: self.history.iteration().clone(),
                drawn: self.history.n_drawn() > self.n_drawn,
            });
        }
    }
}

impl Elements for Recording {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        match self.input.next(runner) {
            Ok(Some(element)) => {
                if let Some(seen) = &mut self.seen {
                    seen.push(element.clone());
                    if Some(seen.len()) == self.length {
                        self.keep();
                    }
                }
                Ok(Some(element))
            }
            Ok(None) => {
                self.keep();
                Ok(None)
            }
            Err(e) => {
                self.seen = None;
                Err(e)
            }
        }
    }
}

impl Maker for PrefetchDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let input = dataset_of(&inputs[0])?;
        Ok(match int(&inputs[1])? {
            0 => input,
            size if size < -1 => bail!(
                InvalidArgument,
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got {size}"
            ),
            size => Arc::new(Prefetch::new(input, size)),
        })
    }
}

#[derive(Debug)]
struct Unique(DatasetRef);

impl Maker for UniqueDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Unique(dataset_of(&inputs[0])?)))
    }
}

impl Dataset for Unique {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.0]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(UniqueElements {
            input: self.0.clone().open()?,
            seen: HashSet::new(),
        }))
    }
}

struct UniqueElements {
    input: BoxedElements,
    seen: HashSet<Vec<u8>>,
}

/// Bytes that elements share where they are equal, and only there.
fn fingerprint(element: &[Tensor]) -> Result<Vec<u8>> {
    let mut key = Vec::new();
    for t in element {
        key.extend((t.rank() as u64).to_le_bytes());
        for &n in t.shape().iter() {
            key.extend((n as u64).to_le_bytes());
        }
        match t.dtype() {
            DType::String => {
                for s in t.as_strings()? {
                    key.extend((s.len() as u64).to_le_bytes());
                    key.extend_from_slice(s);
                }
            }
            dtype if dtype.is_dense() => key.extend_from_slice(t.bytes()),
            dtype => bail!(InvalidArgument, "{dtype} values cannot be told apart"),
        }
    }
    Ok(key)
}

impl Elements for UniqueElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            let Some(element) = self.input.next(runner)? else {
                break;
            };
            if self.seen.insert(fingerprint(&element)?) {
                return Ok(Some(element));
            }
        }
        Ok(None)
    }
}

#[derive(Debug)]
struct WithoutErrors(DatasetRef);

impl Maker for IgnoreErrorsDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(WithoutErrors(dataset_of(&inputs[0])?)))
    }
}

impl Dataset for WithoutErrors {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.0]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Working(self.0.clone().open()?)))
    }
}

struct Working(BoxedElements);

impl Elements for Working {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            match self.0.next(runner) {
                Err(e) if e.kind() != ErrorKind::Cancelled => {}
                other => return other,
            }
        }
    }
}

#[derive(Debug)]
struct Counted {
    input: DatasetRef,
    expected: i64,
}

impl Maker for AssertCardinalityDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Counted {
            input: dataset_of(&inputs[0])?,
            expected: int(&inputs[1])?,
        }))
    }
}

impl Dataset for Counted {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(CountedElements {
            input: self.input.clone().open()?,
            n: 0,
            expected: self.expected,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match u64::try_from(self.expected) {
            Ok(n) => Cardinality::Known(n),
            Err(_) if self.expected == Cardinality::Infinite.number() => Cardinality::Infinite,
            Err(_) => Cardinality::Unknown,
        }
    }
}

struct CountedElements {
    input: BoxedElements,
    n: i64,
    expected: i64,
}

impl Elements for CountedElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let element = self.input.next(runner)?;
        self.n += i64::from(element.is_some());
        let ended = element.is_none();
        let wrong = match self.expected {
            -1 => ended,
            n if n >= 0 => self.n > n || (ended && self.n < n),
            _ => false,
        };
        if wrong {
            bail!(
                FailedPrecondition,
                "the dataset was said to have {} elements (-1: no end), but has {} {}",
                self.expected,
                if ended { "only" } else { "at least" },
                self.n
            );
        }
        Ok(element)
    }
}
