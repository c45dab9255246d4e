//! Batches taken apart, and their rows stacked anew.

use crate::batch::{collect, stack};
use crate::dataset::{BoxedElements, Dataset, DatasetRef, Elements, dataset_of, pause};
use crate::flat::rows_of;
use crate::op::{Maker, datasets};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{DType, Result, Shape, Tensor, TensorSpec, bail, err};
use std::sync::Arc;

datasets! {
    trait EmitRebatch;

    /// The rows of the elements of `input_dataset` in batches of the sizes in `batch_sizes`, one size after the other
    /// and from the first again. A size of 0 gives an empty batch.
    RebatchDatasetV2: rebatch_dataset(input_dataset: variant, batch_sizes: int64 rank 1, drop_remainder: bool) {};
}

#[derive(Debug)]
struct Rebatch {
    input: DatasetRef,
    sizes: Vec<usize>,
    drop_remainder: bool,
    specs: Arc<[TensorSpec]>,
}

impl Maker for RebatchDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Rebatch {
            input: dataset_of(&inputs[0])?,
            sizes: sizes_of(&inputs[1])?,
            drop_remainder: inputs[2].item::<bool>()?,
            specs: self.element.clone().into(),
        }))
    }
}

fn sizes_of(sizes: &Tensor) -> Result<Vec<usize>> {
    let sizes = sizes.as_slice::<i64>()?;
    if sizes.is_empty() {
        bail!(InvalidArgument, "batch_sizes must not be empty");
    }
    let size = |&n: &i64| {
        let size = usize::try_from(n);
        size.map_err(|_| err!(InvalidArgument, "batch_sizes must not be negative, got {n}"))
    };
    sizes.iter().map(size).collect()
}

impl Dataset for Rebatch {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(RebatchElements {
            rows: rows_of(&self.input)?,
            dataset: self,
            turn: 0,
            has_ended: false,
        }))
    }
    fn is_quick(&self) -> bool {
        self.input.is_quick()
    }
}

struct RebatchElements {
    dataset: Arc<Rebatch>,
    rows: BoxedElements,
    turn: usize,
    /// Whether the rows came to their end, behind which even batches of no rows are none.
    has_ended: bool,
}

/// A batch of no rows, in which sizes that the types do not give are 0.
fn empty(specs: &[TensorSpec]) -> Result<Tensors> {
    let component = |spec: &TensorSpec| {
        let dims = spec.shape.dims().unwrap_or(&[]).iter().skip(1);
        let inner = dims.map(|d| d.known().unwrap_or(0));
        let shape: Vec<usize> = std::iter::once(0).chain(inner).collect();
        match spec.dtype {
            DType::String => Tensor::from_strings(Shape::from(&shape[..]), Vec::new()),
            dtype => Tensor::empty(dtype, Shape::from(&shape[..])),
        }
    };
    specs.iter().map(component).collect()
}

impl Elements for RebatchElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        pause()?;
        if self.has_ended {
            return Ok(None);
        }
        let sizes = &self.dataset.sizes;
        let size = sizes[self.turn];
        self.turn = (self.turn + 1) % sizes.len();
        if size == 0 {
            return empty(&self.dataset.specs).map(Some);
        }
        let rows = collect(self.rows.as_mut(), size, runner)?;
        self.has_ended = rows.len() < size;
        if rows.is_empty() || (rows.len() < size && self.dataset.drop_remainder) {
            return Ok(None);
        }
        stack(&rows).map(Some)
    }
}
