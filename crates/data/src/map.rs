//! Functions over elements: mapped ones, and predicates that keep, drop or end.

use crate::dataset::{
    BoxedElements, Cardinality, Dataset, DatasetRef, Elements, dataset_of, pause,
};
use crate::function::{Caller, Function};
use crate::op::{Kind, Maker, add};
use ferrograph_graph::{Attr, AttrReader, Attrs, Graph, Registry, Runner, Tensors};
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
                return self.function.call(runner, element).map(Some);
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

macro_rules! makers {
    ($($(#[$doc:meta])* $maker:ident, $name:literal, $attr:literal, $how:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        struct $maker {
            function: Arc<Graph>,
        }

        impl Maker for $maker {
            const NAME: &'static str = $name;
            const INPUTS: &'static [Kind] = &[Kind::Dataset];
            const REST: bool = true;
            fn read(a: &AttrReader<'_>) -> Result<Self> {
                Ok($maker { function: a.graph($attr)? })
            }
            fn attrs(&self) -> Attrs {
                Attrs::new().with($attr, Attr::Graph(self.function.clone()))
            }
            fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
                Ok(Arc::new(Applied {
                    how: $how,
                    input: dataset_of(&inputs[0])?,
                    function: Function::new(&self.function, &inputs[1..]),
                }))
            }
            fn functions(&self) -> SmallVec<[&Arc<Graph>; 2]> {
                smallvec![&self.function]
            }
        }
    )* };
}

makers! {
    /// Makes what a function gives for each element.
    MakeMap, "MapDataset", "f", Use::Map;
    /// Makes the elements that a predicate holds for.
    MakeFilter, "FilterDataset", "predicate", Use::Filter;
    /// Makes the elements before the first that a predicate does not hold for.
    MakeTakeWhile, "TakeWhileDataset", "predicate", Use::TakeWhile;
}

pub(crate) fn register(r: &mut Registry) {
    add::<MakeMap>(r);
    add::<MakeFilter>(r);
    add::<MakeTakeWhile>(r);
}
