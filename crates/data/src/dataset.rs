//! What a dataset is: something that elements can be taken from, any number of times.

use crate::order::Orders;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_ops::Watch;
use ferrograph_tensor::{DType, Object, Result, Tensor, TensorSpec, bail, depth_over, err};
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// How many elements there are, as far as that is known without iterating.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cardinality {
    /// That many.
    Known(u64),
    /// There is no end.
    Infinite,
    /// Not known before iterating.
    Unknown,
}

impl Cardinality {
    /// The documented number: -1 is infinite, -2 unknown.
    pub fn number(self) -> i64 {
        match self {
            Cardinality::Known(n) => i64::try_from(n).unwrap_or(i64::MAX),
            Cardinality::Infinite => -1,
            Cardinality::Unknown => -2,
        }
    }

    /// The same with a function of the number.
    #[must_use]
    pub fn map(self, f: impl FnOnce(u64) -> u64) -> Cardinality {
        match self {
            Cardinality::Known(n) => Cardinality::Known(f(n)),
            other => other,
        }
    }

    /// That of the shorter.
    #[must_use]
    pub fn min(self, other: Cardinality) -> Cardinality {
        use Cardinality::{Infinite, Known, Unknown};
        match (self, other) {
            (Known(a), Known(b)) => Known(a.min(b)),
            (Infinite, x) | (x, Infinite) => x,
            _ => Unknown,
        }
    }

    /// That of both, one after the other.
    #[must_use]
    pub fn plus(self, other: Cardinality) -> Cardinality {
        use Cardinality::{Infinite, Known, Unknown};
        match (self, other) {
            (Known(a), Known(b)) => Known(a.saturating_add(b)),
            (Infinite, _) | (_, Infinite) => Infinite,
            _ => Unknown,
        }
    }
}

/// A pipeline. Its elements are tensors, one for each component; nested structures are the front end's business.
pub trait Dataset: fmt::Debug + Send + Sync {
    /// The elements from the first on.
    ///
    /// # Errors
    /// What making an iterator of it or of its inputs raises.
    fn open(self: Arc<Self>) -> Result<Box<dyn Elements>>;

    /// How many elements there are.
    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    /// The datasets that it is made from.
    fn inputs(&self) -> Vec<&DatasetRef> {
        Vec::new()
    }

    /// Where its iterations take their seeds from.
    fn orders(&self) -> Option<&Orders> {
        None
    }

    /// Whether its elements are those of another dataset, each by itself with a function applied.
    fn is_map(&self) -> bool {
        false
    }

    /// Whether iterations of it may go on at the same time as others, and in any order: they neither draw from what other
    /// parts of the pipeline draw from, nor choose anything once they have begun, nor run code of the host.
    fn commutes(&self) -> bool {
        false
    }

    /// Whether taking an element is quick and runs no function: then it is not worth giving up a lock for.
    fn is_quick(&self) -> bool {
        false
    }
}

/// A shared dataset.
pub type DatasetRef = Arc<dyn Dataset>;

/// An active iteration.
pub trait Elements: Send {
    /// The next element, `None` at the end and ever after. After an error the iteration goes on behind the element
    /// that failed.
    ///
    /// # Errors
    /// What the functions of the pipeline raise; elements that do not fit together.
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>>;

    /// As [`Elements::next`], into `element`, which is empty: values as large as elements are better moved seldom. Whether
    /// there was one.
    ///
    /// # Errors
    /// As [`Elements::next`].
    fn next_to(&mut self, runner: &dyn Runner, element: &mut Tensors) -> Result<bool> {
        let found = self.next(runner)?;
        Ok(found.map(|found| *element = found).is_some())
    }

    /// Whether there is a next element, where that is known without computing it. Where it is said that there is none,
    /// nothing is lost if nobody asks for it.
    fn has_more(&mut self) -> Option<bool> {
        None
    }

    /// Whether the next element is there and [`Elements::next`] gives it at once: without waiting, without running
    /// functions, and without the lock of the host language.
    fn is_at_hand(&self) -> bool {
        false
    }

    /// The next element, its components given to a sink; whether there was one.
    ///
    /// # Errors
    /// As [`Elements::next`], and what the sink raises.
    fn next_into(&mut self, runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        let element = self.next(runner)?;
        element.map_or(Ok(false), |element| {
            put_all(&element, sink)?;
            Ok(true)
        })
    }

    /// Up to `n` elements stacked, fewer at the end only, where they are stacked already; `None` where only
    /// [`Elements::next`] gives them.
    fn next_stacked(&mut self, _n: usize) -> Option<Result<Tensors>> {
        None
    }

    /// Passes over up to `n` elements; gives how many there were.
    ///
    /// # Errors
    /// As [`Elements::next`].
    fn skip(&mut self, n: u64, runner: &dyn Runner) -> Result<u64> {
        for passed in 0..n {
            pause()?;
            if self.next(runner)?.is_none() {
                return Ok(passed);
            }
        }
        Ok(n)
    }
}

/// Takes the components of an element, one after the other, by the bytes of their elements.
pub trait Sink {
    /// Takes component `i`.
    ///
    /// # Errors
    /// `InvalidArgument` where it is not what is expected there.
    fn put(&mut self, i: usize, dtype: DType, bytes: &[u8]) -> Result<()>;
}

/// Gives the components of an element to a sink.
pub(crate) fn put_all(element: &[Tensor], sink: &mut dyn Sink) -> Result<()> {
    let mut parts = element.iter().enumerate();
    parts.try_for_each(|(i, t)| sink.put(i, t.dtype(), t.bytes()))
}

/// An iteration in a box.
pub type BoxedElements = Box<dyn Elements>;

thread_local! {
    /// When this thread's pipelines looked for an interrupt last; absent while they do.
    static WATCH: Cell<Option<Watch>> = const { Cell::new(None) };
}

/// Lets a loop over elements notice that it should stop.
///
/// # Errors
/// `Cancelled` where it should.
pub(crate) fn pause() -> Result<()> {
    let mut watch = WATCH.take().unwrap_or_else(Watch::start);
    let result = watch.tick();
    WATCH.set(Some(watch));
    result
}

/// A dataset as variant tensors hold it, with the types of its components.
#[derive(Clone)]
pub struct DatasetHandle {
    /// The pipeline.
    pub dataset: DatasetRef,
    /// The types of the components of an element.
    pub specs: Arc<[TensorSpec]>,
    depth: usize,
}

/// How many datasets read each other at most: each is a level of the stack while an element is asked for.
const MAX_LEVELS: usize = 4_000;

impl Object for DatasetHandle {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn depth(&self) -> usize {
        self.depth
    }
}

impl fmt::Debug for DatasetHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetHandle")
            .field("specs", &self.specs)
            .finish_non_exhaustive()
    }
}

impl DatasetHandle {
    /// The handle of a dataset with elements of these types that reads no other one.
    pub fn new(dataset: DatasetRef, specs: Arc<[TensorSpec]>) -> DatasetHandle {
        let depth = 1;
        DatasetHandle {
            dataset,
            specs,
            depth,
        }
    }

    /// The handle of a dataset with elements of these types that reads the datasets in `inputs`.
    ///
    /// # Errors
    /// `ResourceExhausted` where too many datasets read each other.
    pub fn over(
        dataset: DatasetRef,
        specs: Arc<[TensorSpec]>,
        inputs: &[Tensor],
    ) -> Result<DatasetHandle> {
        let depth = depth_over(inputs)?;
        if depth > MAX_LEVELS {
            bail!(
                ResourceExhausted,
                "more than {MAX_LEVELS} datasets read each other: make one of many by flat_map or interleave \
                 instead of one by one"
            );
        }
        Ok(DatasetHandle {
            dataset,
            specs,
            depth,
        })
    }

    /// The handle that a variant tensor holds.
    ///
    /// # Errors
    /// `InvalidArgument` for another tensor.
    pub fn of(t: &Tensor) -> Result<&DatasetHandle> {
        let object = t.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "expected a dataset, got {object:?}"))
    }

    /// The handle as a variant tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Variant, Arc::new(self))
    }
}

/// The dataset in a variant tensor.
pub(crate) fn dataset_of(t: &Tensor) -> Result<DatasetRef> {
    Ok(DatasetHandle::of(t)?.dataset.clone())
}
