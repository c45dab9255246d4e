//! Operations that compute nothing: inputs, constants, identities.

use ferrograph_graph::{
    Inputs, Known, Leaves, Lowered, Op, OpRef, Runner, Specs, Tensors, declare, declared,
};
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

declare! {
    trait EmitLeaves;

    /// Stands for an argument or a capture.
    Placeholder: placeholder() -> (output: dtype), gradient Stops {
        /// The dtype of the value.
        dtype: DType,
        /// What is known of its shape.
        shape: PartialShape,
    };

    /// A constant.
    Const: constant() -> (output: dtype), gradient Stops {
        /// Its value.
        value: Tensor,
    };

    /// `input` as it is.
    Identity: identity(input: T) -> (output: T like input), gradient Passes, identity Forwards, batch Broadcasts;

    /// `input` as it is, through which no gradient flows.
    StopGradient: stop_gradient(input: T) -> (output: T like input), gradient Stops, identity Forwards, batch Broadcasts;

    /// Nothing: a node to hang control dependencies on.
    NoOp: no_op() -> (), gradient Stops, effect World;
}

impl From<TensorSpec> for Placeholder {
    fn from(spec: TensorSpec) -> Placeholder {
        Placeholder {
            dtype: spec.dtype,
            shape: spec.shape,
        }
    }
}

impl Op for Placeholder {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![TensorSpec::new(self.dtype, self.shape.clone())])
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        bail!(
            Internal,
            "a placeholder was run without being given a value"
        )
    }
}

impl Op for Const {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![self.value.spec()])
    }
    fn constant(&self) -> Option<&Tensor> {
        Some(&self.value)
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![self.value.clone()])
    }
}

impl Op for Identity {
    declared!();
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        inputs.known_rows(0)
    }
}

impl Op for StopGradient {
    declared!();
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Alias(0))
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        inputs.known_rows(0)
    }
}

impl Op for NoOp {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(Tensors::new())
    }
}

/// Makes the operations that traces need by themselves.
pub struct LeafOps;

impl Leaves for LeafOps {
    fn placeholder(&self, spec: TensorSpec) -> OpRef {
        Arc::new(Placeholder::from(spec))
    }
    fn constant(&self, value: Tensor) -> OpRef {
        Arc::new(Const { value })
    }
}
