//! Windows over consecutive elements, each a dataset.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetHandle, DatasetRef, Elements, dataset_of, pause,
};
use crate::op::{Maker, datasets, positive};
use crate::source::List;
use ferrograph_graph::{Runner, Tensors};
use ferrograph_tensor::{Result, Tensor};
use smallvec::smallvec;
use std::collections::VecDeque;
use std::sync::Arc;

datasets! {
    trait EmitWindow;

    /// Windows of `size` elements of `input_dataset`, `stride` apart, that begin `shift` apart.
    WindowDataset: window_dataset(input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) {};
}

#[derive(Debug)]
struct Window {
    input: DatasetRef,
    size: usize,
    shift: usize,
    stride: usize,
    drop_remainder: bool,
}

impl Maker for WindowDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Window {
            input: dataset_of(&inputs[0])?,
            size: positive(&inputs[1], "size")?,
            shift: positive(&inputs[2], "shift")?,
            stride: positive(&inputs[3], "stride")?,
            drop_remainder: inputs[4].item::<bool>()?,
        }))
    }
}

impl Window {
    /// From the first to the last element of a whole window, both counted.
    fn span(&self) -> usize {
        (self.size - 1)
            .saturating_mul(self.stride)
            .saturating_add(1)
    }
}

impl Dataset for Window {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(WindowElements {
            input: Some(self.input.clone().open()?),
            ahead: VecDeque::new(),
            gap: 0,
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        let (span, shift) = (self.span() as u64, self.shift as u64);
        self.input.cardinality().map(|n| {
            if self.drop_remainder {
                if n < span { 0 } else { (n - span) / shift + 1 }
            } else {
                n.div_ceil(shift)
            }
        })
    }
}

struct WindowElements {
    dataset: Arc<Window>,
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    /// Elements from the beginning of the next window on.
    ahead: VecDeque<Tensors>,
    /// How many elements are to be passed over before the next window begins.
    gap: usize,
}

impl WindowElements {
    /// Moves to where the next window begins, and takes what it needs.
    fn fill(&mut self, runner: &dyn Runner) -> Result<()> {
        let span = self.dataset.span();
        loop {
            pause()?;
            if self.gap == 0 && self.ahead.len() >= span {
                break;
            }
            let Some(input) = &mut self.input else { break };
            match input.next(runner)? {
                Some(_) if self.gap > 0 => self.gap -= 1,
                Some(element) => self.ahead.push_back(element),
                None => self.input = None,
            }
        }
        Ok(())
    }
}

impl Elements for WindowElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        self.fill(runner)?;
        let whole = self.ahead.len() >= self.dataset.span();
        if self.ahead.is_empty() || (self.dataset.drop_remainder && !whole) {
            return Ok(None);
        }
        let places = self.ahead.iter().step_by(self.dataset.stride);
        let window: Vec<Tensors> = places.take(self.dataset.size).cloned().collect();
        let n_kept = self.ahead.len().min(self.dataset.shift);
        self.ahead.drain(..n_kept);
        self.gap = self.dataset.shift - n_kept;
        Ok(Some(by_component(&window)))
    }
}

/// A dataset of each component by itself.
fn by_component(elements: &[Tensors]) -> Tensors {
    let n = elements.first().map_or(0, |e| e.len());
    let component = |c: usize| {
        let parts = elements.iter().map(|e| smallvec![e[c].clone()]).collect();
        let spec = elements[0][c].spec();
        DatasetHandle::new(Arc::new(List::new(parts)), Arc::from([spec])).into_tensor()
    };
    (0..n).map(component).collect()
}
