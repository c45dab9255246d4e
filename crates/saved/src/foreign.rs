//! What a graph from elsewhere has that there is no counterpart to here.

use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_tensor::{Result, Tensor, bail};

declare! {
    trait EmitForeign;

    /// `input`, all at once, with a gradient that another program gave it and that is not known: asking for it is an
    /// error.
    ForeignGradient: foreign_gradient(input: [T]) -> (output: [T]), gradient Vjp {
        /// Why it is not known.
        why: String,
    };
}

impl Op for ForeignGradient {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok((0..inputs.len()).map(|i| inputs.spec(i).clone()).collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(inputs.iter().cloned().collect())
    }
    fn vjp(&self, _e: &mut dyn Emitter, _call: &VjpCall<'_>) -> Result<Grads> {
        bail!(
            NotFound,
            "no gradient is defined for operation IdentityN: {}",
            self.why
        )
    }
}
