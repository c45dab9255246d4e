//! Variables: named cells that hold a tensor from call to call.

use ferrograph_kernels::stop;
use ferrograph_tensor::{Error, Object, PartialShape, Result, Tensor, TensorSpec, bail, err};
use parking_lot::RwLock;
use std::any::Any;

mod access;

pub use access::{AssignKind, AssignVariable, EmitAssign, EmitRead, ReadVariableOp};

pub(crate) fn register(registry: &mut ferrograph_graph::Registry) {
    access::register(registry);
}

/// The state behind a variable.
#[derive(Debug)]
pub struct VariableCell {
    /// The variable's name.
    pub name: String,
    /// Dtype and declared shape: what may be assigned.
    pub spec: TensorSpec,
    /// Whether tapes watch reads of it by themselves.
    pub trainable: bool,
    value: RwLock<Option<Tensor>>,
}

impl Object for VariableCell {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl VariableCell {
    /// A variable without a value yet.
    pub fn new(name: String, spec: TensorSpec, trainable: bool) -> VariableCell {
        VariableCell {
            name,
            spec,
            trainable,
            value: RwLock::new(None),
        }
    }

    /// The value now.
    pub fn read(&self) -> Result<Tensor> {
        let value = self.value.read().clone();
        value.ok_or_else(|| self.uninitialised())
    }

    /// Copies the bytes of the value, which is dense and of static shape.
    fn copy_to(&self, out: &mut [u8]) -> Result<()> {
        match &*self.value.read() {
            Some(value) if value.bytes().len() == out.len() => out.copy_from_slice(value.bytes()),
            Some(value) => bail!(Internal, "variable {} holds a {value:?}", self.name),
            None => return Err(self.uninitialised()),
        }
        Ok(())
    }

    fn uninitialised(&self) -> Error {
        err!(
            FailedPrecondition,
            "variable {} is not initialised",
            self.name
        )
    }

    /// Whether there is a value.
    pub fn is_initialised(&self) -> bool {
        self.value.read().is_some()
    }

    /// Replaces the value.
    pub fn write(&self, value: Tensor) -> Result<()> {
        self.check(&value)?;
        *self.value.write() = Some(value);
        Ok(())
    }

    /// Replaces the value by a function of it, with no other write in between.
    pub fn update(&self, f: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<()> {
        let mut slot = self.value.write();
        let old = slot.as_ref().ok_or_else(|| self.uninitialised())?;
        let new = stop::shielded(|| f(old))?; // who asks whether to stop may read the variable
        self.check(&new)?;
        *slot = Some(new);
        Ok(())
    }

    fn check(&self, value: &Tensor) -> Result<()> {
        if value.dtype() != self.spec.dtype {
            bail!(
                DType,
                "variable {} is {}, cannot hold a {} tensor",
                self.name,
                self.spec.dtype,
                value.dtype()
            );
        }
        if !PartialShape::from(value.shape()).is_subtype_of(&self.spec.shape) {
            bail!(
                Shape,
                "variable {} has shape {}, cannot hold shape {}",
                self.name,
                self.spec.shape,
                value.shape()
            );
        }
        Ok(())
    }

    /// The cell that a resource tensor refers to.
    pub fn of(handle: &Tensor) -> Result<&VariableCell> {
        let object = handle.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "the resource is no variable: {object:?}"))
    }
}
