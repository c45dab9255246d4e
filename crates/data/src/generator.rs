//! Elements that the host language makes.

use crate::dataset::{BoxedElements, Dataset, DatasetRef};
use crate::op::{Kind, Maker, check_element, dataset_op};
use crate::{Elements, dataset::Cardinality};
use ferrograph_graph::{Attr, AttrReader, Attrs, OpRef, Runner, Tensors};
use ferrograph_tensor::{Object, Result, Tensor, TensorSpec, bail};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A source of elements outside the core.
pub trait Generator: fmt::Debug + Send + Sync {
    /// A fresh iteration for these arguments.
    ///
    /// # Errors
    /// What the host raises.
    fn start(&self, arguments: &[Tensor]) -> Result<BoxedElements>;
}

#[derive(Debug, Clone)]
struct Shared(Arc<dyn Generator>);

impl Object for Shared {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Makes what a generator of the host language gives.
#[derive(Debug)]
struct MakeGenerated {
    generator: Shared,
    specs: Arc<[TensorSpec]>,
}

#[derive(Debug)]
struct Generated {
    generator: Shared,
    arguments: Tensors,
    specs: Arc<[TensorSpec]>,
}

impl Maker for MakeGenerated {
    const NAME: &'static str = "GeneratorDataset";
    const INPUTS: &'static [Kind] = &[];
    const REST: bool = true;
    fn read(_: &AttrReader<'_>) -> Result<Self> {
        bail!(
            Unimplemented,
            "a generator of the host language cannot be made by name"
        )
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("generator", Attr::Object(Arc::new(self.generator.clone())))
    }
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        Ok(Arc::new(Generated {
            generator: self.generator.clone(),
            arguments: inputs.iter().cloned().collect(),
            specs: self.specs.clone(),
        }))
    }
}

impl Dataset for Generated {
    fn open(self: Arc<Self>) -> Result<BoxedElements> {
        Ok(Box::new(Started {
            elements: None,
            ended: false,
            dataset: self,
        }))
    }
    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }
}

/// An iteration that the host is asked for when the first element is.
struct Started {
    dataset: Arc<Generated>,
    elements: Option<BoxedElements>,
    ended: bool,
}

impl Elements for Started {
    fn next(&mut self, runner: &dyn Runner) -> Result<Option<Tensors>> {
        if self.ended {
            return Ok(None);
        }
        let elements = match &mut self.elements {
            Some(elements) => elements,
            None => {
                let made = self.dataset.generator.0.start(&self.dataset.arguments)?;
                self.elements.insert(made)
            }
        };
        let element = elements.next(runner)?;
        match &element {
            Some(element) => check_element(&self.dataset.specs, element)?,
            None => {
                self.ended = true;
                self.elements = None;
            }
        }
        Ok(element)
    }
}

/// The operation that makes a dataset of a generator, whose arguments are its inputs.
pub fn generator_op(generator: Arc<dyn Generator>, specs: Vec<TensorSpec>) -> OpRef {
    let maker = MakeGenerated {
        generator: Shared(generator),
        specs: specs.clone().into(),
    };
    dataset_op(maker, specs)
}
