//! Operations that compute nothing: inputs, constants, identities.

use ferrograph_graph::{
    Attr, Attrs, Differentiability, Effect, Inputs, Known, Leaves, Op, OpRef, Registry, Runner,
    Specs, Tensors, op_object,
};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

/// Stands for an argument or a capture.
#[derive(Debug)]
pub struct Placeholder {
    /// What is known of the value.
    pub spec: TensorSpec,
}

impl Op for Placeholder {
    op_object!();
    fn name(&self) -> &'static str {
        "Placeholder"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("dtype", Attr::DType(self.spec.dtype))
            .with("shape", Attr::Shape(self.spec.shape.clone()))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(smallvec![self.spec.clone()])
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        bail!(
            Internal,
            "a placeholder was run without being given a value"
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// A constant.
#[derive(Debug)]
pub struct Const {
    /// Its value.
    pub value: Tensor,
}

impl Op for Const {
    op_object!();
    fn name(&self) -> &'static str {
        "Const"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("value", Attr::Tensor(self.value.clone()))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(smallvec![self.value.spec()])
    }
    fn constant(&self) -> Option<&Tensor> {
        Some(&self.value)
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![self.value.clone()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Its input.
#[derive(Debug)]
pub struct Identity;

impl Op for Identity {
    op_object!();
    fn name(&self) -> &'static str {
        "Identity"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn alias(&self) -> Option<usize> {
        Some(0)
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        inputs.known(0)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Passes
    }
}

/// Its input, through which no gradient flows.
#[derive(Debug)]
pub struct StopGradient;

impl Op for StopGradient {
    op_object!();
    fn name(&self) -> &'static str {
        "StopGradient"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Identity.infer(inputs)
    }
    fn alias(&self) -> Option<usize> {
        Some(0)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Nothing: a node to hang control dependencies on.
#[derive(Debug)]
pub struct NoOp;

impl Op for NoOp {
    op_object!();
    fn name(&self) -> &'static str {
        "NoOp"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(Specs::new())
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(Tensors::new())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Makes the operations that traces need by themselves.
pub struct LeafOps;

impl Leaves for LeafOps {
    fn placeholder(&self, spec: TensorSpec) -> OpRef {
        Arc::new(Placeholder { spec })
    }
    fn constant(&self, value: Tensor) -> OpRef {
        Arc::new(Const { value })
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Placeholder", |a| {
        Ok(Arc::new(Placeholder {
            spec: TensorSpec::new(a.dtype("dtype")?, a.shape("shape")?),
        }))
    });
    r.add("Const", |a| {
        Ok(Arc::new(Const {
            value: a.tensor("value")?,
        }))
    });
    r.add("Identity", |_| Ok(Arc::new(Identity)));
    r.add("StopGradient", |_| Ok(Arc::new(StopGradient)));
    r.add("NoOp", |_| Ok(Arc::new(NoOp)));
}
