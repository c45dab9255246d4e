//! Variables: named cells that hold a tensor from call to call.

use ferrograph_graph::{
    Attr, Attrs, Differentiability, Effect, Inputs, ObjectKernel, Op, Registry, Runner, Specs,
    Tensors, op_object,
};
use ferrograph_tensor::{
    DType, Error, Object, PartialShape, Result, Tensor, TensorSpec, bail, err,
};
use parking_lot::RwLock;
use smallvec::smallvec;
use std::any::Any;
use std::sync::Arc;

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
        let new = f(old)?;
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

/// Values up to this many bytes are cheaper to copy than to share.
const COPIED_BYTES: usize = 512;

/// The value of a variable.
#[derive(Debug)]
pub struct ReadVariable {
    /// What is known of the value.
    pub spec: TensorSpec,
}

impl Op for ReadVariable {
    op_object!();
    fn name(&self) -> &'static str {
        "ReadVariableOp"
    }
    fn node_name(&self) -> &'static str {
        "ReadVariableOp"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("dtype", Attr::DType(self.spec.dtype))
            .with("shape", Attr::Shape(self.spec.shape.clone()))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Resource)?;
        Ok(smallvec![self.spec.clone()])
    }
    fn effect(&self) -> Effect {
        Effect::Reads
    }
    fn object_kernel(
        &self,
        _inputs: &Inputs<'_>,
        outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        let size = |n: usize| n.checked_mul(self.spec.dtype.size());
        let bytes = outputs[0].shape.n_elements().and_then(size);
        Ok(bytes.filter(|&n| n <= COPIED_BYTES).map(|_| {
            ObjectKernel::Reads(Box::new(|handle, o| {
                VariableCell::of(handle)?.copy_to(o.output_bytes(0))
            }))
        }))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![VariableCell::of(&inputs[0])?.read()?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Passes
    }
}

/// How an assignment combines the old value with the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignKind {
    /// The new value replaces the old.
    Set,
    /// The new value is added.
    Add,
    /// The new value is subtracted.
    Sub,
}

/// Changes the value of a variable; has no output.
#[derive(Debug)]
pub struct AssignVariable {
    /// How.
    pub kind: AssignKind,
}

impl Op for AssignVariable {
    op_object!();
    fn name(&self) -> &'static str {
        match self.kind {
            AssignKind::Set => "AssignVariableOp",
            AssignKind::Add => "AssignAddVariableOp",
            AssignKind::Sub => "AssignSubVariableOp",
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        inputs.expect_dtype(0, DType::Resource)?;
        Ok(Specs::new())
    }
    fn effect(&self) -> Effect {
        Effect::Writes
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let cell = VariableCell::of(&inputs[0])?;
        let combine = match self.kind {
            AssignKind::Set => {
                cell.write(inputs[1].clone())?;
                return Ok(Tensors::new());
            }
            AssignKind::Add => crate::registry().make("AddV2", &[])?,
            AssignKind::Sub => crate::registry().make("Sub", &[])?,
        };
        cell.update(|old| {
            let mut out = combine.eval(runner, &[old.clone(), inputs[1].clone()])?;
            out.pop()
                .ok_or_else(|| err!(Internal, "{} gave nothing", combine.name()))
        })?;
        Ok(Tensors::new())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("ReadVariableOp", |a| {
        Ok(Arc::new(ReadVariable {
            spec: TensorSpec::new(a.dtype("dtype")?, a.shape("shape")?),
        }))
    });
    r.add("AssignVariableOp", |_| {
        Ok(Arc::new(AssignVariable {
            kind: AssignKind::Set,
        }))
    });
    r.add("AssignAddVariableOp", |_| {
        Ok(Arc::new(AssignVariable {
            kind: AssignKind::Add,
        }))
    });
    r.add("AssignSubVariableOp", |_| {
        Ok(Arc::new(AssignVariable {
            kind: AssignKind::Sub,
        }))
    });
}
