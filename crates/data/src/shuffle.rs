//! Elements in random order.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::op::{Maker, datasets, int};
use crate::order::Orders;
use crate::source::Words;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail};
use std::collections::VecDeque;
use std::sync::Arc;

datasets! {
    trait EmitShuffle;

    /// The elements of `input_dataset`, each drawn from a buffer of the next `buffer_size` ones (-1: all elements).
    ShuffleDatasetV3: shuffle_dataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) {
        /// Whether each iteration has an order of its own.
        reshuffle_each_iteration: bool = true,
    };
}

#[derive(Debug)]
struct Shuffle {
    input: DatasetRef,
    size: usize,
    orders: Orders,
}

impl Maker for ShuffleDatasetV3 {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let size = match int(&inputs[1])? {
            // As many as there are, known or not.
            -2 | -1 => usize::MAX,
            n => match usize::try_from(n) {
                Ok(n) if n > 0 => n,
                _ => bail!(
                    InvalidArgument,
                    "buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {n}"
                ),
            },
        };
        let seeds = (int(&inputs[2])?, int(&inputs[3])?);
        Ok(Arc::new(Shuffle {
            input: dataset_of(&inputs[0])?,
            size,
            orders: Orders::new(seeds, self.reshuffle_each_iteration),
        }))
    }
}

impl Dataset for Shuffle {
    fn orders(&self) -> Option<&Orders> {
        Some(&self.orders)
    }
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        let seeds = self.orders.next("shuffle")?;
        Ok(Box::new(ShuffleElements {
            input: Some(self.input.clone().open()?),
            size: self.size,
            buffer: VecDeque::new(),
            words: Words::of(seeds),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }
}

struct ShuffleElements {
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    size: usize,
    /// Elements that wait; the one that is drawn leaves its place to the first.
    buffer: VecDeque<Tensors>,
    words: Words,
}

impl Elements for ShuffleElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            let Some(input) = self
                .input
                .as_mut()
                .filter(|_| self.buffer.len() < self.size)
            else {
                break;
            };
            match input.next(runner)? {
                Some(element) => self.buffer.push_back(element),
                None => self.input = None,
            }
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        let chosen = self.words.next() as usize % self.buffer.len();
        self.buffer.swap(chosen, 0);
        Ok(self.buffer.pop_front())
    }
}
