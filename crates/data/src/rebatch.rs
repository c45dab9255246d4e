//! Batches taken apart, and their rows stacked anew.

use crate::batch::{collect, stack};
use crate::dataset::{BoxedElements, Dataset, DatasetRef, Elements, dataset_of};
use crate::flat::rows_of;
use crate::op::{Maker, datasets};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail, err};
use std::sync::Arc;

datasets! {
    trait EmitRebatch;

    /// The rows of the elements of `input_dataset` in batches of the sizes in `batch_sizes`, one size after the other
    /// and from the first again.
    RebatchDatasetV2: rebatch_dataset(input_dataset: variant, batch_sizes: int64 rank 1, drop_remainder: bool) {};
}

#[derive(Debug)]
struct Rebatch {
    input: DatasetRef,
    sizes: Vec<usize>,
    drop_remainder: bool,
}

impl Maker for RebatchDatasetV2 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Rebatch {
            input: dataset_of(&inputs[0])?,
            sizes: sizes_of(&inputs[1])?,
            drop_remainder: inputs[2].item::<bool>()?,
        }))
    }
}

fn sizes_of(sizes: &Tensor) -> Result<Vec<usize>> {
    let sizes = sizes.as_slice::<i64>()?;
    if sizes.is_empty() {
        bail!(InvalidArgument, "batch_sizes must not be empty");
    }
    let positive = |&n: &i64| match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(err!(
            InvalidArgument,
            "batch_sizes must be positive, got {n}"
        )),
    };
    sizes.iter().map(positive).collect()
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
}

impl Elements for RebatchElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        let sizes = &self.dataset.sizes;
        let size = sizes[self.turn];
        self.turn = (self.turn + 1) % sizes.len();
        let rows = collect(self.rows.as_mut(), size, runner)?;
        if rows.is_empty() || (rows.len() < size && self.dataset.drop_remainder) {
            return Ok(None);
        }
        stack(&rows).map(Some)
    }
}
