//! So many elements as one, stacked.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::op::{Maker, datasets, positive};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Bytes, DType, ErrorKind, Result, Shape, Tensor, bail, vec_for};
use std::sync::Arc;

datasets! {
    trait EmitBatch;

    /// Stacks of `batch_size` consecutive elements of `input_dataset`.
    BatchDatasetV2: batch_dataset(input_dataset: variant, batch_size: int64, drop_remainder: bool) {};
}

#[derive(Debug)]
struct Batch {
    input: DatasetRef,
    size: usize,
    drop_remainder: bool,
}

impl Maker for BatchDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Batch {
            input: dataset_of(&inputs[0])?,
            size: positive(&inputs[1], "batch_size")?,
            drop_remainder: inputs[2].item::<bool>()?,
        }))
    }
}

/// How many batches there are of so many elements.
pub(crate) fn n_batches(all: Cardinality, size: usize, drop_remainder: bool) -> Cardinality {
    let size = size as u64;
    all.map(|n| {
        if drop_remainder {
            n / size
        } else {
            n.div_ceil(size)
        }
    })
}

impl Dataset for Batch {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn commutes(&self) -> bool {
        self.input.commutes()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(BatchElements {
            input: self.input.clone().open()?,
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        n_batches(self.input.cardinality(), self.size, self.drop_remainder)
    }
    fn is_quick(&self) -> bool {
        self.input.is_quick()
    }
}

struct BatchElements {
    dataset: Arc<Batch>,
    input: BoxedElements,
}

impl Elements for BatchElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let size = self.dataset.size;
        let is_whole = |n: usize| n == size || (n > 0 && !self.dataset.drop_remainder);
        if let Some(stacked) = self.input.next_stacked(size) {
            let stacked = stacked?;
            let n = stacked[0].shape().first().copied().unwrap_or_default();
            return Ok(is_whole(n).then_some(stacked));
        }
        let elements = match self.dataset.input.is_map() {
            true => collect_behind_failures(self.input.as_mut(), size, runner)?,
            false => collect(self.input.as_mut(), size, runner)?,
        };
        match is_whole(elements.len()) {
            true => stack(&elements).map(Some),
            false => Ok(None),
        }
    }
    fn has_more(&mut self) -> Option<bool> {
        match self.dataset.drop_remainder {
            false => self.input.has_more(),
            true => None,
        }
    }
    fn skip(&mut self, n: u64, runner: &dyn Runner) -> Result<u64> {
        let size = self.dataset.size as u64;
        let passed = self.input.skip(n.saturating_mul(size), runner)?;
        Ok(if self.dataset.drop_remainder {
            passed / size
        } else {
            passed.div_ceil(size)
        })
    }
}

/// Room that is made for the elements of a batch before they are there.
const RESERVED_LIMIT: usize = 1024;

/// Up to `n` elements.
pub(crate) fn collect(
    input: &mut dyn Elements,
    n: usize,
    runner: &dyn Runner,
) -> Result<Vec<Tensors>> {
    let mut elements = Vec::with_capacity(n.min(RESERVED_LIMIT));
    while elements.len() < n {
        pause()?;
        match input.next(runner)? {
            Some(element) => elements.push(element),
            None => break,
        }
    }
    Ok(elements)
}

/// Up to `n` elements; where one fails the others are passed over, so that the next batch begins where it would without.
fn collect_behind_failures(
    input: &mut dyn Elements,
    n: usize,
    runner: &dyn Runner,
) -> Result<Vec<Tensors>> {
    let mut elements = Vec::with_capacity(n.min(RESERVED_LIMIT));
    let mut failed = None;
    for _ in 0..n {
        pause()?;
        match input.next(runner) {
            Ok(Some(element)) => elements.push(element),
            Ok(None) => break,
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => failed = failed.or(Some(e)),
        }
    }
    failed.map_or(Ok(elements), Err)
}

/// The elements stacked component by component.
pub(crate) fn stack(elements: &[Tensors]) -> Result<Tensors> {
    let n_components = elements.first().map_or(0, |e| e.len());
    (0..n_components)
        .map(|c| stack_component(elements, c))
        .collect()
}

fn stack_component(elements: &[Tensors], c: usize) -> Result<Tensor> {
    let first = &elements[0][c];
    for (i, element) in elements.iter().enumerate() {
        let fits = element
            .get(c)
            .is_some_and(|t| t.shape() == first.shape() && t.dtype() == first.dtype());
        if !fits {
            bail!(
                InvalidArgument,
                "cannot batch tensors of different shapes in component {c}: the first element has {}, element {i} \
                 has {}; pad them with padded_batch",
                first.spec(),
                element
                    .get(c)
                    .map_or_else(|| "nothing".into(), |t| t.spec().to_string())
            );
        }
    }
    let mut dims = first.shape().clone().into_dims();
    dims.insert(0, elements.len());
    let shape = Shape::from(dims);
    match first.dtype() {
        DType::String => {
            let mut all: Vec<Bytes> = vec_for(shape.checked_count()?)?;
            for element in elements {
                all.extend_from_slice(element[c].as_strings()?);
            }
            Tensor::from_strings(shape, all)
        }
        dtype if dtype.is_dense() => {
            let mut out = Tensor::empty(dtype, shape)?;
            let row = first.bytes().len();
            if row > 0
                && let Some(bytes) = out.bytes_mut()
            {
                for (to, element) in bytes.chunks_exact_mut(row).zip(elements) {
                    to.copy_from_slice(element[c].bytes());
                    poll_cancellation();
                }
            }
            Ok(out)
        }
        dtype => bail!(
            InvalidArgument,
            "component {c} is a {dtype}, which cannot be batched"
        ),
    }
}
