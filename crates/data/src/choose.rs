//! Datasets taken from as another one says.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::op::{Maker, datasets};
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, err};
use std::sync::Arc;

datasets! {
    trait EmitChoose;

    /// Elements of `data_input_datasets`, each from the one whose number `selector_input_dataset` gives.
    DirectedInterleaveDataset: directed_interleave_dataset(selector_input_dataset: variant, data_input_datasets: [variant; N]) {
        /// Whether the first dataset that ends also ends the whole.
        stop_on_empty_dataset: bool = false,
    };
}

#[derive(Debug)]
struct Chosen {
    selector: DatasetRef,
    inputs: Vec<DatasetRef>,
    /// Whether the first input that ends also ends the whole.
    stops: bool,
}

impl Maker for DirectedInterleaveDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Chosen {
            selector: dataset_of(&inputs[0])?,
            inputs: inputs[1..].iter().map(dataset_of).collect::<Result<_>>()?,
            stops: self.stop_on_empty_dataset,
        }))
    }
}

impl Dataset for Chosen {
    fn inputs(&self) -> Vec<&DatasetRef> {
        self.inputs.iter().chain([&self.selector]).collect()
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let open = |d: &DatasetRef| d.clone().open().map(Some);
        Ok(Box::new(ChosenElements {
            selector: self.selector.clone().open()?,
            inputs: self.inputs.iter().map(open).collect::<Result<_>>()?,
            stops: self.stops,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }
}

struct ChosenElements {
    selector: BoxedElements,
    inputs: Vec<Option<BoxedElements>>,
    stops: bool,
}

impl Elements for ChosenElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if self.inputs.iter().all(Option::is_none) {
                break;
            }
            let Some(choice) = self.selector.next(runner)? else {
                break;
            };
            let i = match &choice[..] {
                [t] => t.item::<i64>()?,
                _ => return Err(err!(InvalidArgument, "a selector gives one number")),
            };
            let n = self.inputs.len();
            let place = usize::try_from(i).ok().and_then(|i| self.inputs.get_mut(i));
            let place = place
                .ok_or_else(|| err!(InvalidArgument, "dataset {i} was chosen, of {n} datasets"))?;
            let Some(input) = place else { continue };
            if let Some(element) = input.next(runner)? {
                return Ok(Some(element));
            }
            *place = None;
            if self.stops {
                self.inputs.clear();
            }
        }
        Ok(None)
    }
}
