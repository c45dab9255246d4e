//! Functions over elements: mapped ones, and predicates that keep, drop or end.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Maker, datasets};
use ferrograph_graph::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// What a function is applied for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Its results are the elements.
    Map,
    /// Elements that it does not hold for are left out.
    Filter,
    /// The first element that it does not hold for ends the dataset.
    TakeWhile,
}

#[derive(Debug)]
struct Applied {
    how: Use,
    input: DatasetRef,
    function: Function,
}

impl Dataset for Applied {
    fn inputs(&self) -> Vec<&DatasetRef> {
        vec![&self.input]
    }
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(AppliedElements {
            input: Some(self.input.clone().open()?),
            how: self.how,
            function: self.function.caller(),
        }))
    }
    fn cardinality(&self) -> Cardinality {
        match self.how {
            Use::Map => self.input.cardinality(),
            Use::Filter | Use::TakeWhile => Cardinality::Unknown,
        }
    }
    fn is_map(&self) -> bool {
        self.how == Use::Map
    }
    fn commutes(&self) -> bool {
        self.function.commutes() && self.input.commutes()
    }
}

struct AppliedElements {
    how: Use,
    function: Caller,
    /// Gone once a predicate ended the dataset.
    input: Option<BoxedElements>,
}

impl Elements for AppliedElements {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        loop {
            pause()?;
            let Some(input) = &mut self.input else { break };
            let Some(element) = input.next(runner)? else {
                break;
            };
            if self.how == Use::Map {
                return self.function.call_next(runner, element).map(Some);
            }
            if self.function.holds(runner, element.clone())? {
                return Ok(Some(element));
            }
            if self.how == Use::TakeWhile {
                self.input = None;
            }
        }
        Ok(None)
    }
    fn has_more(&mut self) -> Option<bool> {
        match (self.how, &mut self.input) {
            (Use::Map, Some(input)) => input.has_more(),
            _ => None,
        }
    }
}

datasets! {
    trait EmitMap;

    /// What `f` gives for each element of `input_dataset`.
    MapDataset: map_dataset(input_dataset: variant, other_arguments: [Targuments]) {
        /// Takes an element and what it captured.
        f: Arc<Graph>,
    };

    /// The elements of `input_dataset` that `predicate` holds for.
    FilterDataset: filter_dataset(input_dataset: variant, other_arguments: [Targuments]) {
        /// Takes an element and what it captured.
        predicate: Arc<Graph>,
    };

    /// The elements of `input_dataset` before the first that `predicate` does not hold for.
    TakeWhileDataset: take_while_dataset(input_dataset: variant, other_arguments: [Targuments]) {
        /// Takes an element and what it captured.
        predicate: Arc<Graph>,
    };
}

/// A function mapped over the elements of a dataset.
pub(crate) fn mapped(input: DatasetRef, function: Function) -> DatasetRef {
    Arc::new(Applied {
        how: Use::Map,
        input,
        function,
    })
}

/// A function applied to the elements of input 0; the others are what it captured.
fn applied(how: Use, function: &Arc<Graph>, inputs: &[Tensor]) -> Result<DatasetRef> {
    Ok(Arc::new(Applied {
        how,
        input: dataset_of(&inputs[0])?,
        function: Function::new(function, &inputs[1..]),
    }))
}

macro_rules! makers {
    ($($op:ident, $function:ident, $how:expr;)*) => { $(
        impl Maker for $op {
            fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
                applied($how, &self.$function, inputs)
            }
            fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
                smallvec![&self.$function]
            }
        }
    )* };
}

makers! {
    MapDataset, f, Use::Map;
    FilterDataset, predicate, Use::Filter;
    TakeWhileDataset, predicate, Use::TakeWhile;
}
