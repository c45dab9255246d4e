//! Elements that the host language makes.

use crate::dataset::{BoxedElements, Dataset, DatasetRef};
use crate::op::{Maker, check_element};
use crate::{Elements, dataset::Cardinality};
use ferrograph_graph::{OpRef, Runner, Tensors};
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

pub use declared::EmitGenerator;
use declared::GeneratorDataset;

/// A generator is an object of the host: nothing makes the operation by name, so it is not registered.
#[allow(dead_code)]
mod declared {
    use crate::op::datasets;
    use ferrograph_tensor::Object;
    use std::sync::Arc;

    datasets! {
        trait EmitGenerator;

        /// What a generator of the host language gives for `arguments`.
        GeneratorDataset: generator_dataset(arguments: [Targuments]) {
            /// The generator.
            generator: Arc<dyn Object>,
        };
    }
}

#[derive(Debug)]
struct Generated {
    generator: Shared,
    arguments: Tensors,
    specs: Arc<[TensorSpec]>,
}

impl Maker for GeneratorDataset {
    fn make(&self, inputs: &[Tensor]) -> Result<DatasetRef> {
        let generator = self.generator.as_any().downcast_ref::<Shared>();
        let Some(generator) = generator else {
            bail!(InvalidArgument, "{:?} is no generator", self.generator);
        };
        Ok(Arc::new(Generated {
            generator: generator.clone(),
            arguments: inputs.iter().cloned().collect(),
            specs: self.element.clone().into(),
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
    Arc::new(GeneratorDataset {
        generator: Arc::new(Shared(generator)),
        element: specs,
    })
}
