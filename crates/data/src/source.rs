//! Datasets of values: numbers of a range, rows of tensors, tensors as they are, random numbers.

use crate::dataset::{BoxedElements, Cardinality, Dataset, DatasetRef, Elements, Sink, put_all};
use crate::op::{Maker, datasets, int};
use crate::order::Orders;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_kernels::random::PhiloxState;
use ferrograph_ops::Stream;
use ferrograph_tensor::{DType, Result, Tensor, bail, err};
use smallvec::smallvec;
use std::sync::Arc;

datasets! {
    trait EmitSources;

    /// The integers from `start` to before `stop` in steps of `step`.
    RangeDataset: range_dataset(start: int64, stop: int64, step: int64) {};

    /// The rows of `components`, by number.
    TensorSliceDataset: tensor_slice_dataset(components: [Toutput_types]) {};

    /// One element: `components`.
    TensorDataset: tensor_dataset(components: [Toutput_types]) {};

    /// Random numbers without end, of 32 bits each, in int64.
    RandomDatasetV2: random_dataset(seed: int64, seed2: int64) {
        /// Whether each iteration has numbers of its own.
        rerandomize_each_iteration: bool = false,
    };
}

#[derive(Debug, Clone)]
struct Range {
    start: i64,
    n: u64,
    step: i64,
    /// Whether it goes on to the largest number there is, which counts as without end.
    is_endless: bool,
    dtype: DType,
}

/// How many numbers there are from `start` to before `stop`.
fn range_len(start: i64, stop: i64, step: i64) -> u64 {
    let (from, to) = if step > 0 {
        (start, stop)
    } else {
        (stop, start)
    };
    if from >= to {
        return 0;
    }
    to.abs_diff(from).div_ceil(step.unsigned_abs())
}

impl Maker for RangeDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let (start, stop, step) = (int(&inputs[0])?, int(&inputs[1])?, int(&inputs[2])?);
        if step == 0 {
            bail!(InvalidArgument, "the step of a range must not be 0");
        }
        Ok(Arc::new(Range {
            start,
            n: range_len(start, stop, step),
            step,
            is_endless: step > 0 && stop == i64::MAX,
            dtype: self.dtype()?,
        }))
    }
    fn check(&self) -> Result<()> {
        self.dtype().map(|_| ())
    }
}

impl RangeDataset {
    /// The dtype of the numbers.
    fn dtype(&self) -> Result<DType> {
        match &self.element[..] {
            [spec] if spec.dtype.is_integer() || spec.dtype.is_floating() => Ok(spec.dtype),
            other => bail!(Type, "a range has one component of numbers, got {other:?}"),
        }
    }
}

impl Dataset for Range {
    fn commutes(&self) -> bool {
        true
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new((*self).clone()))
    }
    fn cardinality(&self) -> Cardinality {
        match self.is_endless {
            true => Cardinality::Infinite,
            false => Cardinality::Known(self.n),
        }
    }
    fn is_quick(&self) -> bool {
        true
    }
}

impl Range {
    /// Passes over `n` numbers, of which there are at least as many.
    fn advance(&mut self, n: u64) {
        self.n -= n;
        self.start = self
            .start
            .wrapping_add(self.step.wrapping_mul(n.cast_signed()));
    }
}

impl Elements for Range {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.n == 0 {
            return Ok(None);
        }
        let value = number(self.start, self.dtype)?;
        self.advance(1);
        Ok(Some(smallvec![value]))
    }
    fn has_more(&mut self) -> Option<bool> {
        Some(self.n > 0)
    }
    fn next_into(&mut self, _runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        if self.n == 0 {
            return Ok(false);
        }
        let value = self.start;
        self.advance(1);
        match self.dtype {
            DType::Int64 => sink.put(0, DType::Int64, &value.to_ne_bytes())?,
            dtype => put_all(&[number(value, dtype)?], sink)?,
        }
        Ok(true)
    }
    fn skip(&mut self, n: u64, _runner: &dyn Runner) -> Result<u64> {
        let n = n.min(self.n);
        self.advance(n);
        Ok(n)
    }
}

/// A scalar of that dtype; integers that do not fit wrap.
fn number(value: i64, dtype: DType) -> Result<Tensor> {
    if dtype == DType::Int64 {
        return Tensor::scalar(value);
    }
    ferrograph_tensor::with_element!(dtype, real, T => {
        Tensor::scalar(num_traits::AsPrimitive::<T>::as_(value))
    }, else => Err(err!(DType, "a range of {dtype} cannot be made")))
}

#[derive(Debug)]
struct Slices {
    tensors: Tensors,
    rows: usize,
}

impl Maker for TensorSliceDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let sizes: Vec<usize> = inputs
            .iter()
            .map(|t| t.shape().first().copied())
            .collect::<Option<_>>()
            .ok_or_else(|| err!(InvalidArgument, "a scalar cannot be sliced into rows"))?;
        let rows = sizes.first().copied().unwrap_or(0);
        if sizes.iter().any(|n| *n != rows) {
            bail!(
                InvalidArgument,
                "the components have different numbers of rows: {sizes:?}"
            );
        }
        Ok(Arc::new(Slices {
            tensors: inputs.iter().cloned().collect(),
            rows,
        }))
    }
}

/// An iteration over rows.
struct SliceRows {
    source: Arc<Slices>,
    at: usize,
}

impl Dataset for Slices {
    fn commutes(&self) -> bool {
        true
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(SliceRows {
            source: self,
            at: 0,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Known(self.rows as u64)
    }
    fn is_quick(&self) -> bool {
        true
    }
}

impl Elements for SliceRows {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.at == self.source.rows {
            return Ok(None);
        }
        let at = self.at;
        self.at += 1;
        let row = |t: &Tensor| row_of(t, at);
        self.source
            .tensors
            .iter()
            .map(row)
            .collect::<Result<_>>()
            .map(Some)
    }
    fn has_more(&mut self) -> Option<bool> {
        Some(self.at < self.source.rows)
    }
    fn next_stacked(&mut self, n: usize) -> Option<Result<Tensors>> {
        let (from, tensors) = (self.at, &self.source.tensors);
        let is_shared = |t: &Tensor| t.dtype().is_dense() || t.dtype() == DType::String;
        if tensors.is_empty() || !tensors.iter().all(is_shared) {
            return None;
        }
        self.at += n.min(self.source.rows - from);
        Some(tensors.iter().map(|t| t.rows(from, self.at)).collect())
    }
    fn next_into(&mut self, _runner: &dyn Runner, sink: &mut dyn Sink) -> Result<bool> {
        if self.at == self.source.rows {
            return Ok(false);
        }
        for (i, t) in self.source.tensors.iter().enumerate() {
            let row = t.bytes().len() / self.source.rows;
            sink.put(i, t.dtype(), &t.bytes()[self.at * row..][..row])?;
        }
        self.at += 1;
        Ok(true)
    }
    fn skip(&mut self, n: u64, _runner: &dyn Runner) -> Result<u64> {
        let left = self.source.rows - self.at;
        let n = usize::try_from(n).unwrap_or(usize::MAX).min(left);
        self.at += n;
        Ok(n as u64)
    }
}

/// Row `i` of a tensor, which shares its elements.
pub(crate) fn row_of(t: &Tensor, i: usize) -> Result<Tensor> {
    let row = t.rows(i, i + 1)?;
    let shape = t.shape()[1..].into();
    row.reshaped(shape)
}

impl Maker for TensorDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(List::new(vec![inputs.iter().cloned().collect()])))
    }
}

/// Elements that are there.
#[derive(Debug, Clone)]
pub(crate) struct List(Arc<Vec<Tensors>>);

impl List {
    pub(crate) fn new(elements: Vec<Tensors>) -> List {
        List(Arc::new(elements))
    }

    pub(crate) fn shared(elements: Arc<Vec<Tensors>>) -> List {
        List(elements)
    }
}

struct ListElements {
    list: List,
    at: usize,
}

impl Dataset for List {
    fn commutes(&self) -> bool {
        true
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(ListElements {
            list: (*self).clone(),
            at: 0,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Known(self.0.len() as u64)
    }
    fn is_quick(&self) -> bool {
        true
    }
}

impl Elements for ListElements {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        let element = self.list.0.get(self.at).cloned();
        self.at += usize::from(element.is_some());
        Ok(element)
    }
    fn has_more(&mut self) -> Option<bool> {
        Some(self.at < self.list.0.len())
    }
}

#[derive(Debug)]
struct Random(Orders);

impl Maker for RandomDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let seeds = (int(&inputs[0])?, int(&inputs[1])?);
        let orders = Orders::new(seeds, self.rerandomize_each_iteration);
        Ok(Arc::new(Random(orders)))
    }
}

impl Dataset for Random {
    fn orders(&self) -> Option<&Orders> {
        Some(&self.0)
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let seeds = self.0.next("source of random numbers")?;
        Ok(Box::new(Numbers(Words::of(seeds))))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Infinite
    }
    fn is_quick(&self) -> bool {
        true
    }
}

struct Numbers(Words);

impl Elements for Numbers {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        Ok(Some(smallvec![Tensor::scalar(i64::from(self.0.next()))?]))
    }
}

/// Random words one by one.
#[derive(Debug)]
pub(crate) struct Words {
    state: PhiloxState,
    block: [u32; 4],
    used: usize,
}

impl Words {
    pub(crate) fn new(state: PhiloxState) -> Words {
        Words {
            state,
            block: [0; 4],
            used: 4,
        }
    }

    /// Those of the stream that two seeds begin.
    pub(crate) fn of(seeds: (i64, i64)) -> Words {
        Words::new(Stream::new(seeds.0, seeds.1).reserve(1))
    }

    /// Those that come behind the next `n`, a multiple of 2, of a stream from which nothing was taken.
    pub(crate) fn behind(self, n: u64) -> Words {
        let mut words = Words::new(self.state.skip(n / 4));
        if n % 4 == 2 {
            words.pair();
        }
        words
    }

    /// The next two, as seeds.
    pub(crate) fn pair(&mut self) -> (i64, i64) {
        (i64::from(self.next()), i64::from(self.next()))
    }

    pub(crate) fn next(&mut self) -> u32 {
        if self.used == self.block.len() {
            self.block = self.state.block();
            self.state = self.state.skip(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}
