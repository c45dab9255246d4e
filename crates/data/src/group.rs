//! Elements gathered by a key, each group made a dataset of its own.

use crate::dataset::{
    BoxedElements, Dataset, DatasetHandle, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Maker, datasets};
use crate::source::List;
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::sync::Arc;

datasets! {
    trait EmitGroup;

    /// The elements of the datasets that `reduce_func` gives for a key and a window of elements of that key.
    GroupByWindowDataset: group_by_window_dataset(input_dataset: variant, captures: [Tcaptures]) {
        /// Gives the key of an element.
        key_func: Arc<Graph>,
        /// Gives a dataset for a key and a window of elements.
        reduce_func: Arc<Graph>,
        /// Gives the size of windows for a key.
        window_size_func: Arc<Graph>,
        /// How many of `captures` are those of `key_func`.
        n_key_captures: usize,
        /// How many, behind them, are those of `reduce_func`.
        n_reduce_captures: usize,
        /// The types of the components of `input_dataset`.
        input as ("input_types", "input_shapes"): Vec<TensorSpec>,
    };
}

#[derive(Debug)]
struct Groups {
    input: DatasetRef,
    key: Function,
    reduce: Function,
    size: Function,
    specs: Arc<[TensorSpec]>,
}

impl Maker for GroupByWindowDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let short = || err!(InvalidArgument, "fewer inputs than the functions captured");
        let rest = &inputs[1..];
        let (key, rest) = rest
            .split_at_checked(self.n_key_captures)
            .ok_or_else(short)?;
        let (reduce, size) = rest
            .split_at_checked(self.n_reduce_captures)
            .ok_or_else(short)?;
        Ok(Arc::new(Groups {
            input: dataset_of(&inputs[0])?,
            key: Function::new(&self.key_func, key),
            reduce: Function::new(&self.reduce_func, reduce),
            size: Function::new(&self.window_size_func, size),
            specs: self.input.clone().into(),
        }))
    }
    fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.key_func, &self.reduce_func, &self.window_size_func]
    }
}

impl Dataset for Groups {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(GroupElements {
            input: Some(self.input.clone().open()?),
            groups: BTreeMap::new(),
            now: None,
            key: self.key.caller(),
            reduce: self.reduce.caller(),
            size: self.size.caller(),
            specs: self.specs.clone(),
        }))
    }
}

/// The elements of one key so far.
struct Group {
    elements: Vec<Tensors>,
    size: usize,
}

struct GroupElements {
    key: Caller,
    reduce: Caller,
    size: Caller,
    specs: Arc<[TensorSpec]>,
    /// Gone once it gave all its elements.
    input: Option<BoxedElements>,
    groups: BTreeMap<i64, Group>,
    /// What became of the last whole window.
    now: Option<BoxedElements>,
}

impl GroupElements {
    /// Adds an element to its group; gives the key of a group that has its size now.
    fn add(&mut self, element: Tensors, runner: &dyn Runner) -> Result<Option<i64>> {
        let key = self.key.next_one(runner, element.clone())?;
        let key = key.item::<i64>()?;
        if !self.groups.contains_key(&key) {
            let size = self
                .size
                .call_one(runner, smallvec![Tensor::scalar(key)?])?;
            let size = size.item::<i64>()?;
            let Some(size) = usize::try_from(size).ok().filter(|n| *n > 0) else {
                bail!(
                    InvalidArgument,
                    "the size of a window must be positive, got {size}"
                );
            };
            let elements = Vec::new();
            self.groups.insert(key, Group { elements, size });
        }
        let Some(group) = self.groups.get_mut(&key) else {
            bail!(Internal, "a group that was made is gone");
        };
        group.elements.push(element);
        Ok((group.elements.len() == group.size).then_some(key))
    }

    /// Goes on with what the function makes of a group.
    fn reduce(&mut self, key: i64, runner: &dyn Runner) -> Result<()> {
        let Some(group) = self.groups.remove(&key) else {
            return Ok(());
        };
        let elements = Arc::new(List::new(group.elements));
        let window = DatasetHandle::new(elements, self.specs.clone());
        let arguments = smallvec![Tensor::scalar(key)?, window.into_tensor()];
        let reduced = self.reduce.call_one(runner, arguments)?;
        self.now = Some(dataset_of(&reduced)?.open()?);
        Ok(())
    }
}

impl Elements for GroupElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            if let Some(now) = &mut self.now {
                if let Some(element) = now.next(runner)? {
                    return Ok(Some(element));
                }
                self.now = None;
            }
            let element = match &mut self.input {
                Some(input) => input.next(runner)?,
                None => None,
            };
            let whole = match element {
                Some(element) => self.add(element, runner)?,
                None => {
                    self.input = None;
                    let Some((&first, _)) = self.groups.first_key_value() else {
                        break;
                    };
                    Some(first)
                }
            };
            if let Some(key) = whole {
                self.reduce(key, runner)?;
            }
        }
        Ok(None)
    }
}
